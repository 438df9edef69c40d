//! The input of `lacuna rips`: the arguments that say how a file of distances, points or edges is read.

use std::path::Path;

use lacuna::internals::name_of;
use lacuna::metric::read::{
    Columns, Decimal, Diagonal, DistanceFormat, DistanceOptions, Loaded, Symmetrize, read_cloud, read_path,
};

use crate::cli::error::{CliError, Result};
use crate::cli::parse;

/// How the input is read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct DistancesArguments {
    /// Input format [default: detected from content and name]
    ///
    /// lower-distance  text: the entries of a distance matrix below the diagonal
    /// upper-distance  text: the entries above the diagonal, row by row; also called condensed,
    ///                 as scipy's pdist lists them
    /// distance        text: a square distance matrix
    /// point-cloud     text: the coordinates of one point per line
    /// sparse          text: `i j distance` per line, indices from 0; missing pairs are never
    ///                 connected; `i j` on every line gives an unweighted graph; also called
    ///                 edges
    /// dipha           DIPHA's binary distance matrix
    /// binary          little-endian 32-bit floats: the entries below the diagonal
    /// npy             NumPy array: n×n distances or n×m points; three axes hold several inputs
    /// npz             archive of such arrays, or a SciPy sparse matrix
    /// matrix-market   Matrix Market sparse or dense matrix
    /// off, obj, ply   meshes and scans: the vertices are the points
    /// xyz             molecules: the atoms are the points
    ///
    /// Every format may be compressed with gzip.
    #[arg(long, value_name = "FORMAT", verbatim_doc_comment, allow_hyphen_values = true)]
    format: Option<DistanceFormat>,

    #[command(flatten)]
    table: TableArguments,

    /// Array to read from an .npz archive that holds several
    #[arg(hide_short_help = true, long, value_name = "NAME")]
    key: Option<String>,
}

/// How graphs, tables and matrices are read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct TableArguments {
    /// Use shortest-path lengths in a graph as distances
    ///
    /// The input is a list of edges or a sparse matrix. Pairs of points without a path are never connected. The
    /// distances of all pairs are stored in memory.
    #[arg(long)]
    shortest_paths: bool,

    /// Skip the first N lines of a text file; a first line of numbers is then data
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = parse::lines, allow_hyphen_values = true)]
    skip_rows: Option<usize>,

    /// Columns of a text file to read, such as 1-3,5 or 2-, counted from 1
    #[arg(hide_short_help = true, long, value_name = "COLUMNS", allow_hyphen_values = true)]
    columns: Option<Columns>,

    /// Decimal separator of a text file
    ///
    /// Decides whether 2,5 is one number (comma) or two (point). By default it is one number where numbers are
    /// separated by semicolons or tabs.
    #[arg(hide_short_help = true, long, value_name = "SIGN", value_parser = parse::one_of::<Decimal>())]
    decimal: Option<Decimal>,

    /// Entry to use where the two distances of a pair differ
    ///
    /// This applies to square matrices and lists of edges. Without it, differences below 1e-4 of the greatest
    /// distance count as rounding errors, and the lower entry is used.
    #[arg(hide_short_help = true, long, value_name = "WHICH", value_parser = parse::one_of::<Symmetrize>())]
    symmetrize: Option<Symmetrize>,
}

impl DistancesArguments {
    /// The distances of the file at `path`, or of one of several inputs in it.
    pub(crate) fn read(&self, path: &Path, number: Option<usize>, diagonal: Diagonal) -> Result<Loaded> {
        let options = self.table.options(self.format, diagonal, self.key.clone());
        let loaded = match number {
            None => read_path(path, options),
            Some(number) => read_cloud(path, number, &options),
        }?;
        self.table.with_paths(loaded, path)
    }
}

impl TableArguments {
    /// Whether any of them is given.
    pub(crate) fn is_given(&self) -> bool {
        let Self { shortest_paths, skip_rows, columns, decimal, symmetrize } = self;
        *shortest_paths
            || skip_rows.is_some()
            || columns.is_some()
            || decimal.is_some()
            || symmetrize.is_some()
    }

    /// With `--shortest-paths`, replaces the edges that were read from `path` by the lengths of shortest paths.
    pub(crate) fn with_paths(&self, mut loaded: Loaded, path: &Path) -> Result<Loaded> {
        if self.shortest_paths {
            let paths = loaded.input.shortest_paths(&());
            loaded.input = paths.map_err(|source| CliError::about(name_of(path), source))?;
            loaded.notes.push("distances are the lengths of shortest paths".to_owned());
        }
        Ok(loaded)
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
