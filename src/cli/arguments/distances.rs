//! The input of `lacuna rips`: the arguments that say how a file of distances, points or edges is read.

use std::path::Path;

use lacuna::internals::name_of;
use lacuna::metric::read::{
    Columns, Decimal, Diagonal, DistanceFormat, DistanceOptions, Loaded, Symmetrize, read_cloud, read_path,
};
use lacuna::snapshot::Fingerprint;

use crate::cli::error::CliError;
use crate::cli::parse;

/// How the input is read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct DistancesArguments {
    /// Format of the input [default: detected from its content and name]
    ///
    /// lower-distance  text, the entries below the diagonal of a distance matrix
    /// upper-distance  text, the entries above it, row by row;
    ///                 condensed is another name, as scipy's pdist lists them
    /// distance        text, a square distance matrix
    /// point-cloud     text, the coordinates of a point a line
    /// sparse          text, `i j distance` a line, ids from 0; other pairs are never connected;
    ///                 edges is another name; `i j` in every line: an unweighted graph
    /// dipha           DIPHA's binary distance matrix
    /// binary          little-endian 32-bit floats, the entries below the diagonal
    /// npy             NumPy array, n×n distances or n×m points; of three axes, several
    /// npz             archive of such arrays, or a sparse matrix of SciPy
    /// matrix-market   Matrix Market's sparse or dense matrix
    /// off, obj, ply   meshes and scans: the vertices are points
    /// xyz             molecules: the atoms are points
    ///
    /// Any of them may be compressed with gzip.
    #[arg(long, value_name = "FORMAT", verbatim_doc_comment, allow_hyphen_values = true)]
    format: Option<DistanceFormat>,

    #[command(flatten)]
    table: TableArguments,

    /// Take the lengths of shortest paths for the distances of a graph, which is a list of edges or a sparse matrix
    ///
    /// Pairs of points that no path joins are never connected. The distances of all pairs are kept in memory.
    #[arg(long)]
    shortest_paths: bool,

    /// Array to read of an .npz archive that holds several
    #[arg(long, value_name = "NAME")]
    key: Option<String>,
}

/// How tables and matrices are read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct TableArguments {
    /// Leave out N lines at the top of a text; a first line of numbers is then data
    #[arg(long, value_name = "N", value_parser = parse::lines, allow_hyphen_values = true)]
    skip_rows: Option<usize>,

    /// Columns of a text to read, such as 1-3,5 or 2-, counted from 1; all of them are data
    #[arg(long, value_name = "COLUMNS", allow_hyphen_values = true)]
    columns: Option<Columns>,

    /// What 2,5 is in a text: one number (comma) or two (point) [default: one between ; or tabs]
    #[arg(long, value_name = "SIGN", value_parser = parse::one_of::<Decimal>())]
    decimal: Option<Decimal>,

    /// Which of two distances of a pair counts where a square matrix or a list of edges has two that differ
    ///
    /// Without it, differences below 1e-4 of the greatest distance are taken for rounding, and the lower one counts.
    #[arg(long, value_name = "WHICH", value_parser = parse::one_of::<Symmetrize>())]
    symmetrize: Option<Symmetrize>,
}

impl DistancesArguments {
    /// The distances of the file at `path`, or of one of several inputs in it.
    pub(crate) fn read(
        &self,
        path: &Path,
        number: Option<usize>,
        diagonal: Diagonal,
    ) -> Result<Loaded, CliError> {
        let mut loaded = match number {
            None => read_path(path, self.options(diagonal)),
            Some(number) => read_cloud(path, number, &self.options(diagonal)),
        }?;
        if self.shortest_paths {
            let paths = loaded.input.shortest_paths();
            loaded.input = paths.map_err(|source| CliError::about(name_of(path), source))?;
            loaded.notes.push("distances are the lengths of shortest paths".to_owned());
        }
        Ok(loaded)
    }

    /// Adds to what a run is known by how its inputs are read.
    pub(crate) fn known_by(&self, run: Fingerprint) -> Fingerprint {
        let DistancesArguments { format, table, shortest_paths, key } = self;
        let TableArguments { skip_rows, columns, decimal, symmetrize } = table;
        let run = run
            .with_some("--format", format.map(|format| format!("{format:?}")))
            .with_some("--key", key.as_ref());
        let run = run.with_some("--shortest-paths", shortest_paths.then_some("on"));
        let run = run.with_some("--skip-rows", *skip_rows);
        let run = run.with_some("--columns", columns.as_ref().map(|columns| format!("{columns:?}")));
        let run = run.with_some("--decimal", decimal.map(|decimal| format!("{decimal:?}")));
        run.with_some("--symmetrize", symmetrize.map(|symmetrize| format!("{symmetrize:?}")))
    }

    fn options(&self, diagonal: Diagonal) -> DistanceOptions {
        self.table.options(self.format, diagonal, self.key.clone())
    }
}

impl TableArguments {
    /// Whether any of them is given.
    pub(crate) fn is_given(&self) -> bool {
        let Self { skip_rows, columns, decimal, symmetrize } = self;
        skip_rows.is_some() || columns.is_some() || decimal.is_some() || symmetrize.is_some()
    }

    /// How to read a file of this format.
    pub(crate) fn options(
        &self,
        format: Option<DistanceFormat>,
        diagonal: Diagonal,
        key: Option<String>,
    ) -> DistanceOptions {
        DistanceOptions {
            format,
            skip_rows: self.skip_rows,
            columns: self.columns.clone(),
            decimal: self.decimal,
            symmetrize: self.symmetrize,
            diagonal,
            key,
        }
    }
}
