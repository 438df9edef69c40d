//! The format of a file, from its content and name. The rules are the table in the parent module's docs.

use super::error::{Place, Problem};
use super::text::{self, Table, entries, without_bom};
use super::{Format, npy, square};
use std::path::Path;

/// A format and why it was chosen.
pub(super) struct Detected {
    pub(super) format: Format,
    pub(super) why: String,
    /// The numbers, when the content is text and had to be looked at as a whole.
    pub(super) table: Option<Table>,
}

/// The format of the file called `name`.
pub(super) fn detect(name: &str, bytes: &[u8]) -> Result<Detected, Problem> {
    let chosen = |format, why: String| Ok(Detected { format, why, table: None });
    if bytes.starts_with(npy::MAGIC) {
        return chosen(Format::Npy, "begins with NumPy's magic bytes".into());
    }
    if phat_formats::dipha::has_magic(bytes) {
        return chosen(Format::Dipha, "begins with DIPHA's magic number".into());
    }
    if bytes.is_empty() {
        return Err(Problem::new(Place::Whole, "at least one point", "an empty file"));
    }
    let extension = extension(name);
    let named = by_extension(&extension);
    let why = format!("the name ends in .{extension}");
    match named {
        Some(format @ (Format::Npy | Format::Dipha)) => chosen(format, why),
        Some(Format::Binary) if !is_text(bytes) => {
            chosen(Format::Binary, format!("{why} and the content is not text"))
        }
        _ if !is_text(bytes) => Err(unknown_binary()),
        Some(
            format @ (Format::LowerDistance | Format::UpperDistance | Format::PointCloud | Format::Sparse),
        ) => chosen(format, why),
        Some(Format::Distance) => by_shape(without_bom(bytes), Some(why)),
        _ => by_shape(without_bom(bytes), None),
    }
}

fn unknown_binary() -> Problem {
    let expected = "text, a NumPy array or a DIPHA file";
    Problem::new(Place::Byte(0), expected, "other binary data")
        .note(format!("--format can be {}", Format::names()))
}

/// The last extension, in small letters; empty without one.
fn extension(name: &str) -> String {
    Path::new(name).extension().map_or_else(String::new, |e| e.to_string_lossy().to_ascii_lowercase())
}

/// What an extension says, when it says anything.
fn by_extension(extension: &str) -> Option<Format> {
    let prefixed = |prefix| extension.starts_with(prefix);
    match extension {
        "npy" => Some(Format::Npy),
        "dipha" | "complex" => Some(Format::Dipha),
        "bin" => Some(Format::Binary),
        "sparse" | "edges" | "coo" => Some(Format::Sparse),
        "pts" | "xyz" => Some(Format::PointCloud),
        _ if prefixed("lower") => Some(Format::LowerDistance),
        _ if prefixed("upper") => Some(Format::UpperDistance),
        _ if prefixed("dist") => Some(Format::Distance),
        _ if prefixed("point") => Some(Format::PointCloud),
        _ => None,
    }
}

/// Whether the content begins like UTF-8 text: no control characters but white space.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    let control = |&b: &u8| (b < b' ' && !(b'\t'..=b'\r').contains(&b)) || b == 0x7f;
    // A character that is cut by the end of the head is no error.
    let utf8 = std::str::from_utf8(head).map_or_else(|e| e.error_len().is_none(), |_| true);
    utf8 && !head.iter().any(control)
}

/// The format that the layout of the numbers in `text` tells. `distance`: why the file is known to hold a matrix.
fn by_shape(text: &[u8], distance: Option<String>) -> Result<Detected, Problem> {
    let table = Table::parse(text)?;
    table.check_any(text)?;
    let rows = table.rows();
    let grows = table.row_lens().eq(1..=rows);
    let shrinks = table.row_lens().eq((1..=rows).rev());
    let (format, why) = if table.is_square_with_zero_diagonal() {
        (Format::Distance, "as many rows as columns, zeros on the diagonal")
    } else if grows || shrinks {
        check_no_diagonal(text, &table, grows)?;
        match grows {
            true => (Format::LowerDistance, "rows of 1, 2, 3, … entries"),
            false => (Format::UpperDistance, "rows of …, 3, 2, 1 entries"),
        }
    } else if let Some(why) = &distance {
        (Format::Distance, why.as_str())
    } else if is_edge_list(text, &table) {
        (Format::Sparse, "lines of two different point ids and a distance, no pair twice")
    } else {
        check_points(text, &table)?;
        (Format::PointCloud, "rows of equal length")
    };
    Ok(Detected { format, why: why.to_owned(), table: Some(table) })
}

/// An error when a triangle (n ≥ 2) seems to have the diagonal with it.
fn check_no_diagonal(text: &[u8], table: &Table, lower: bool) -> Result<(), Problem> {
    let mut start = 0;
    let on_diagonal = |len: usize| {
        let k = if lower { start + len - 1 } else { start };
        start += len;
        table.values[k] == 0.0
    };
    let all_zero = table.rows() < 2 || table.values.iter().all(|&v| v == 0.0);
    if all_zero || !table.row_lens().all(on_diagonal) {
        return Ok(());
    }
    let (name, end) = if lower { ("lower-distance", "ends") } else { ("upper-distance", "begins") };
    let found = format!("a triangle whose every row {end} with 0, as if the diagonal were part of it");
    Err(Problem::new(
        Place::Line(text::row_line(text, 0)),
        "the entries on one side of the diagonal only",
        found,
    )
    .note(format!("if those zeros are distances, say --format {name}")))
}

/// Whether the lines are edges rather than points in space: readable as such, without an edge from a point to
/// itself, and with either a fraction among the distances or every id in use.
fn is_edge_list(text: &[u8], table: &Table) -> bool {
    if table.width() != Some(3) {
        return false;
    }
    let Ok(graph) = super::sparse::read(text) else { return false };
    let triplets = || table.values.chunks_exact(3);
    let loops = triplets().any(|t| t[0] == t[1]);
    let fraction = triplets().any(|t| t[2].fract() != 0.0);
    !loops && (fraction || every_id_used(graph.len(), triplets()))
}

fn every_id_used<'a>(n: usize, triplets: impl Iterator<Item = &'a [f32]>) -> bool {
    let mut used = vec![false; n];
    for triplet in triplets {
        // Ids are whole numbers below 2^24, exact in f32.
        used[triplet[0] as usize] = true;
        used[triplet[1] as usize] = true;
    }
    used.into_iter().all(|u| u)
}

/// An error when the rows are no points, or as likely a matrix.
fn check_points(text: &[u8], table: &Table) -> Result<(), Problem> {
    let n = table.rows();
    let rows = if n > 1 && table.row_len(0) == 1 && table.row_len(1) == 2 {
        check_growth(text, table).map(|()| 1)
    } else {
        table.check_width(text)
    };
    let width = rows.map_err(|problem| {
        problem.note("rows are as long as each other, or grow or shrink by one; --format lower-distance and upper-distance take any layout")
    })?;
    if width == n && square::looks_like_a_matrix(n, |i, j| table.values[i * n + j]) {
        let problem =
            text::value_problem(text, first_off_zero(table), "0 on the diagonal of a symmetric matrix");
        return Err(problem.note("if the rows are points, say so with --format point-cloud"));
    }
    Ok(())
}

/// An error at the first row that is not one longer than the row before.
fn check_growth(text: &[u8], table: &Table) -> Result<(), Problem> {
    match table.row_lens().enumerate().find(|&(r, len)| len != r + 1) {
        None => Ok(()),
        Some((r, len)) => {
            Err(Problem::new(Place::Line(text::row_line(text, r)), entries(r + 1), entries(len)))
        }
    }
}

/// The first number on the diagonal of a square table that is not zero.
fn first_off_zero(table: &Table) -> usize {
    let n = table.rows();
    (0..n).map(|i| i * n + i).find(|&k| table.values[k] != 0.0).unwrap_or(0)
}
