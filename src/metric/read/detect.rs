//! Detects the format of a file from its content and name. The rules are the table in the parent module's docs.
//!
//! A table of numbers may have several readings. They are tried in groups: matrices, triangles, edges, condensed
//! distances, points. The first group with evidence decides. If two readings of a group are plausible, the result is an
//! error that names both and the option that decides.

mod evidence;

use super::error::{Place, Problem};
use super::foreign;
use super::text::Table;
use super::{DistanceFormat, DistanceOptions, matrix_market, obj, off, ply, xyz};
use crate::input::text::{is_text, is_utf16};
use crate::metric::square;
use evidence::Evidence;
pub(super) use evidence::SIMILARITIES;
use std::borrow::Cow;
use std::path::Path;

/// Format of a file, before its numbers are examined.
pub(super) enum Kind {
    /// A known format, and the reason.
    Known(DistanceFormat, String),
    /// A text whose numbers decide; with a reason if its name says that it holds a matrix.
    Table(Option<String>),
}

/// Detects the kind of the file called `name`.
pub(super) fn kind_of(name: &str, bytes: &[u8]) -> Result<Kind, Problem> {
    let known = |format, why: String| Ok(Kind::Known(format, why));
    if bytes.starts_with(crate::input::npy::MAGIC) {
        return known(DistanceFormat::Npy, "begins with NumPy's magic bytes".into());
    }
    if phat_formats::dipha::has_magic(bytes) {
        return known(DistanceFormat::Dipha, "begins with DIPHA's magic number".into());
    }
    if matrix_market::is_matrix_market(bytes) {
        return known(DistanceFormat::MatrixMarket, "begins with %%MatrixMarket".into());
    }
    if off::is_off(bytes) {
        return known(DistanceFormat::Off, "begins with OFF".into());
    }
    if ply::is_ply(bytes) {
        return known(DistanceFormat::Ply, "begins with ply".into());
    }
    if bytes.is_empty() {
        return Err(Problem::new(Place::Whole, "at least one point", "an empty file"));
    }
    foreign::check(bytes)?;
    if bytes.starts_with(crate::input::npz::MAGIC) {
        return known(DistanceFormat::Npz, "begins with the magic bytes of a zip archive".into());
    }
    let is_text = is_text(bytes) || is_utf16(bytes);
    let extension = extension(name);
    let named = by_extension(&extension);
    let why = format!("the name ends in .{extension}");
    match named {
        Some(
            format @ (DistanceFormat::Npy
            | DistanceFormat::Npz
            | DistanceFormat::MatrixMarket
            | DistanceFormat::Dipha
            | DistanceFormat::Off
            | DistanceFormat::Ply),
        ) => known(format, why),
        Some(DistanceFormat::Binary) if !is_text => {
            known(DistanceFormat::Binary, format!("{why} and the content is not text"))
        }
        _ if !is_text => Err(unknown_binary()),
        Some(DistanceFormat::Obj) => known(DistanceFormat::Obj, why),
        _ if xyz::looks_like(bytes) => {
            known(DistanceFormat::Xyz, "a number of atoms, and lines of a name and three numbers".into())
        }
        Some(
            format @ (DistanceFormat::LowerDistance
            | DistanceFormat::UpperDistance
            | DistanceFormat::PointCloud
            | DistanceFormat::Sparse),
        ) => known(format, why),
        Some(DistanceFormat::Distance) => Ok(Kind::Table(Some(why))),
        None if obj::looks_like(bytes) => {
            known(DistanceFormat::Obj, "lines v x y z and other statements of OBJ".into())
        }
        None | Some(DistanceFormat::Binary | DistanceFormat::Xyz) => Ok(Kind::Table(None)),
    }
}

fn unknown_binary() -> Problem {
    let expected = "text, a NumPy array or a DIPHA file";
    Problem::new(Place::Byte(0), expected, "other binary data")
        .note(format!("--format can be {}", DistanceFormat::names()))
}

/// Last extension before `.gz`, in lower case; empty if there is none.
fn extension(name: &str) -> String {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    Path::new(name).extension().map_or_else(String::new, |e| e.to_string_lossy().to_ascii_lowercase())
}

/// Format that an extension implies, if any.
fn by_extension(extension: &str) -> Option<DistanceFormat> {
    let prefixed = |prefix| extension.starts_with(prefix);
    match extension {
        "npy" => Some(DistanceFormat::Npy),
        "npz" => Some(DistanceFormat::Npz),
        "mtx" | "mm" => Some(DistanceFormat::MatrixMarket),
        "dipha" | "complex" => Some(DistanceFormat::Dipha),
        "bin" => Some(DistanceFormat::Binary),
        "off" => Some(DistanceFormat::Off),
        "obj" => Some(DistanceFormat::Obj),
        "ply" => Some(DistanceFormat::Ply),
        "sparse" | "edges" | "coo" => Some(DistanceFormat::Sparse),
        "pts" | "xyz" => Some(DistanceFormat::PointCloud),
        _ if prefixed("lower") => Some(DistanceFormat::LowerDistance),
        _ if prefixed("upper") => Some(DistanceFormat::UpperDistance),
        _ if prefixed("dist") => Some(DistanceFormat::Distance),
        _ if prefixed("point") => Some(DistanceFormat::PointCloud),
        "condensed" | "pdist" => Some(DistanceFormat::UpperDistance),
        _ => None,
    }
}

/// A reading of a table of numbers: its format, text and values.
pub(super) struct Reading<'a> {
    pub(super) format: DistanceFormat,
    pub(super) why: String,
    /// Notes on what was left out.
    pub(super) notes: Vec<String>,
    /// The text without what was left out.
    pub(super) text: Cow<'a, [u8]>,
    /// The numbers of `text`.
    pub(super) table: Table,
}

/// A table of numbers whose format is to be detected.
pub(super) struct Numbers<'a> {
    /// The text, with everything but numbers removed.
    pub(super) text: Cow<'a, [u8]>,
    /// Column names from a header.
    pub(super) names: Vec<String>,
    /// Whether row names have already been found.
    pub(super) rows_named: bool,
    /// Why the table must hold a matrix, if its name says so.
    pub(super) distance: Option<String>,
}

/// Chooses the reading of the numbers of a text.
pub(super) fn reading<'a>(numbers: Numbers<'a>, options: &DistanceOptions) -> Result<Reading<'a>, Problem> {
    let table = Table::parse(&numbers.text)?;
    table.check_any(&numbers.text)?;
    let evidence = Evidence {
        text: &numbers.text,
        table: &table,
        names: &numbers.names,
        may_have_header: numbers.names.is_empty() && options.skip_rows.is_none(),
        may_have_row_names: !numbers.rows_named && options.columns.is_none(),
    };
    evidence.check_no_boundaries()?;
    if let Some(labels) = evidence.labels_of_a_matrix()? {
        return labels.leave_out(
            &numbers.text,
            DistanceFormat::Distance,
            "a square matrix with numbered rows or columns, zeros on the diagonal",
        );
    }
    let (format, why) = match evidence.matrix_or_triangle()? {
        Some(found) => found,
        None if numbers.distance.is_some() => {
            evidence.check_condensed(false)?;
            (DistanceFormat::Distance, numbers.distance.unwrap_or_default())
        }
        None if evidence.is_edge_list()? => {
            (DistanceFormat::Sparse, "lines of two different point ids and a distance, no pair twice".into())
        }
        None => {
            evidence.check_condensed(true)?;
            if let Some(labels) = evidence.labels_of_points()? {
                return labels.leave_out(&numbers.text, DistanceFormat::PointCloud, "rows of equal length");
            }
            evidence.check_points()?;
            (DistanceFormat::PointCloud, "rows of equal length".into())
        }
    };
    Ok(Reading { format, why, notes: Vec::new(), text: numbers.text, table })
}

/// Format of a text that is known to contain births: a matrix or edges. Three lines of three numbers may be either;
/// they are a matrix if they cannot be edges.
pub(super) fn with_births(text: &[u8]) -> Result<(DistanceFormat, String), Problem> {
    let table = Table::parse(text)?;
    table.check_any(text)?;
    let (rows, width) = (table.rows(), table.check_width(text)?);
    let is_id = |x: f32| x >= 0.0 && x.fract() == 0.0;
    let edges = width == 3 && table.values.chunks_exact(3).all(|line| is_id(line[0]) && is_id(line[1]));
    match (rows == width, edges) {
        (true, false) => Ok((DistanceFormat::Distance, "a square matrix".into())),
        (false, true) => Ok((DistanceFormat::Sparse, "lines of two point ids and a birth".into())),
        (true, true) => {
            let expected = "either a matrix or edges";
            let problem = Problem::new(Place::Whole, expected, "three lines that may be both");
            Err(problem.note("--format distance or --format sparse says which"))
        }
        (false, false) => {
            let expected =
                "a square matrix with births on its diagonal, or lines of two point ids and a birth";
            Err(Problem::new(Place::Whole, expected, format!("{rows} rows of {width} numbers")))
        }
    }
}

/// Removes the numbers that label the rows and columns of a matrix, for a text known to hold one; `None` if there are
/// no labels.
pub(super) fn matrix_without_labels<'a>(
    text: &[u8],
    table: &Table,
    options: &DistanceOptions,
) -> Result<Option<Reading<'a>>, Problem> {
    table.check_any(text)?;
    let evidence = Evidence {
        text,
        table,
        names: &[],
        may_have_header: options.skip_rows.is_none(),
        may_have_row_names: options.columns.is_none(),
    };
    match evidence.labels_around_a_square() {
        Some(labels) if labels.count => {
            let (n, at) = evidence.beside(labels);
            let matrix = n >= 3 && square::has_zero_diagonal(n, at);
            matrix.then(|| labels.leave_out(text, DistanceFormat::Distance, "")).transpose()
        }
        _ => Ok(None),
    }
}
