//! Detects the format of a file from its content and name. The rules are the table in the parent module's docs.
//!
//! A table of numbers may have several readings. They are tried in groups: matrices, triangles, edges, condensed
//! distances, points. The first group with evidence decides. If two readings of a group are plausible, the result is an
//! error that names both and the option that decides.

mod evidence;

use super::layout::NumbersOnly;
use super::text::Table;
use super::{Context, DistanceFormat, obj, off, ply, xyz};
use crate::input::foreign::{self, Reader};
use crate::input::matrix_market::is_matrix_market;
use crate::input::text::{is_text, is_utf16};
use crate::input::{Place, Problem};
use crate::metric::square;
use evidence::Evidence;
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
    let known = |format, why: &str| Ok(Kind::Known(format, why.to_owned()));
    let npy = crate::input::npy::MAGIC;
    for (begins, format, why) in [
        (bytes.starts_with(npy), DistanceFormat::Npy, "begins with NumPy's magic bytes"),
        (phat_formats::dipha::has_magic(bytes), DistanceFormat::Dipha, "begins with DIPHA's magic number"),
        (is_matrix_market(bytes), DistanceFormat::MatrixMarket, "begins with %%MatrixMarket"),
        (off::is_off(bytes), DistanceFormat::Off, "begins with OFF"),
        (ply::is_ply(bytes), DistanceFormat::Ply, "begins with ply"),
    ] {
        if begins {
            return known(format, why);
        }
    }
    if bytes.is_empty() {
        return Err(Problem::whole("at least one point", "an empty file"));
    }
    foreign::refuse(bytes, Some(bytes.len() as u64), Reader::Distances)?;
    if bytes.starts_with(crate::input::npz::MAGIC) {
        return known(DistanceFormat::Npz, "begins with the magic bytes of a zip archive");
    }
    let is_text = is_text(bytes) || is_utf16(bytes);
    let extension = extension(name);
    let why = format!("the name ends in .{extension}");
    match by_extension(&extension) {
        Some(DistanceFormat::Binary) if !is_text => {
            known(DistanceFormat::Binary, &format!("{why} and the content is not text"))
        }
        Some(format) if format.has_magic() => known(format, &why),
        _ if !is_text => {
            let expected = "text, a NumPy array or a DIPHA file";
            let problem = Problem::new(Place::Byte(0), expected, "other binary data");
            Err(problem.note(format!("--format can be {}", DistanceFormat::names())))
        }
        Some(DistanceFormat::Obj) => known(DistanceFormat::Obj, &why),
        _ if xyz::looks_like(bytes) => {
            known(DistanceFormat::Xyz, "a number of atoms, and lines of a name and three numbers")
        }
        Some(DistanceFormat::Distance) => Ok(Kind::Table(Some(why))),
        Some(format) if format.is_table() => known(format, &why),
        None if obj::looks_like(bytes) => {
            known(DistanceFormat::Obj, "lines v x y z and other statements of OBJ")
        }
        _ => Ok(Kind::Table(None)),
    }
}

/// Last extension before `.gz`, in lower case; empty if there is none.
fn extension(name: &str) -> String {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    Path::new(name).extension().map_or_else(String::new, |e| e.to_string_lossy().to_ascii_lowercase())
}

/// Format that an extension implies, if any: its name, or what is short for it.
fn by_extension(extension: &str) -> Option<DistanceFormat> {
    match extension {
        "mtx" | "mm" => Some(DistanceFormat::MatrixMarket),
        "complex" => Some(DistanceFormat::Dipha),
        "bin" => Some(DistanceFormat::Binary),
        "coo" => Some(DistanceFormat::Sparse),
        "pts" | "xyz" => Some(DistanceFormat::PointCloud),
        "pdist" => Some(DistanceFormat::UpperDistance),
        name => name.parse().ok(),
    }
}

/// A reading of a table of numbers: its format, text and values.
pub(super) struct Reading<'a> {
    pub(super) format: DistanceFormat,
    pub(super) why: String,
    /// The text without what was left out.
    pub(super) text: Cow<'a, [u8]>,
    /// The numbers of `text`.
    pub(super) table: Table,
}

/// Chooses the reading of the numbers of a text. `matrix` is the reason why it must hold a matrix, if its name says so.
pub(super) fn reading<'a>(
    numbers: NumbersOnly<'a>,
    matrix: Option<String>,
    context: &mut Context,
) -> Result<Reading<'a>, Problem> {
    let table = Table::parse(&numbers.text)?;
    let evidence = Evidence::new(&numbers, &table, &context.options);
    evidence.check_no_boundaries()?;
    if let Some(labels) = evidence.labels_of_a_matrix()? {
        let why = "a square matrix with numbered rows or columns, zeros on the diagonal";
        return labels.leave_out(&numbers.text, DistanceFormat::Distance, why, &mut context.notes);
    }
    let (format, why) = match evidence.matrix_or_triangle()? {
        Some(found) => found,
        None if matrix.is_some() => {
            evidence.check_condensed(false)?;
            (DistanceFormat::Distance, matrix.unwrap_or_default())
        }
        None if evidence.is_edge_list()? => {
            (DistanceFormat::Sparse, "lines of two different point ids and a distance, no pair twice".into())
        }
        None => {
            evidence.check_condensed(true)?;
            if let Some(labels) = evidence.labels_of_points()? {
                let why = "rows of equal length";
                return labels.leave_out(&numbers.text, DistanceFormat::PointCloud, why, &mut context.notes);
            }
            evidence.check_points()?;
            (DistanceFormat::PointCloud, "rows of equal length".into())
        }
    };
    Ok(Reading { format, why, text: numbers.text, table })
}

/// Format of a text that is known to contain births: a matrix or edges. Three lines of three numbers may be either;
/// they are a matrix if they cannot be edges.
pub(super) fn with_births(text: &[u8]) -> Result<(DistanceFormat, String), Problem> {
    let table = Table::parse(text)?;
    let (rows, width) = (table.rows(), table.check_width(text)?);
    let is_id = |x: f32| x >= 0.0 && x.fract() == 0.0;
    let edges = width == 3 && table.values.chunks_exact(3).all(|line| is_id(line[0]) && is_id(line[1]));
    match (rows == width, edges) {
        (true, false) => Ok((DistanceFormat::Distance, "a square matrix".into())),
        (false, true) => Ok((DistanceFormat::Sparse, "lines of two point ids and a birth".into())),
        (true, true) => {
            let problem = Problem::whole("either a matrix or edges", "three lines that may be both");
            Err(problem.note("--format distance or --format sparse says which"))
        }
        (false, false) => {
            let expected =
                "a square matrix with births on its diagonal, or lines of two point ids and a birth";
            Err(Problem::whole(expected, format!("{rows} rows of {width} numbers")))
        }
    }
}

/// Reads the numbers of a text in a given format. Beside a matrix, numbers that label its rows or columns are left out.
pub(super) fn reading_as<'a>(
    numbers: NumbersOnly<'a>,
    format: DistanceFormat,
    context: &mut Context,
) -> Result<Reading<'a>, Problem> {
    let table = Table::parse(&numbers.text)?;
    if format == DistanceFormat::Distance {
        let evidence = Evidence::new(&numbers, &table, &context.options);
        if let Some(labels) = evidence.labels_around_a_square().filter(|labels| labels.count) {
            let (n, at) = evidence.beside(labels);
            if n >= 3 && square::has_zero_diagonal(n, &at) {
                return labels.leave_out(&numbers.text, format, "", &mut context.notes);
            }
        }
    }
    Ok(Reading { format, why: String::new(), text: numbers.text, table })
}
