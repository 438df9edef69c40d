//! Evidence for the possible readings of a table of numbers.

use super::Reading;
use crate::metric::matrix::points_of;
use crate::metric::pairs::{Entry, Listed, listed};
use crate::metric::read::layout::NumbersOnly;
use crate::metric::read::text::{self, Table};
use crate::metric::read::{DistanceFormat, DistanceOptions, Place, Problem, edges, layout};
use crate::metric::square;
use std::borrow::Cow;

/// A first row or column of numbers that may be labels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Labels {
    pub(super) first_row: bool,
    pub(super) first_column: bool,
    /// Whether they count up from 0 or 1.
    pub(super) count: bool,
}

impl Labels {
    pub(super) fn leave_out<'a>(
        self,
        text: &[u8],
        format: DistanceFormat,
        why: &str,
        notes: &mut Vec<String>,
    ) -> Result<Reading<'a>, Problem> {
        let edited = layout::without(text, self.first_row, self.first_column)?;
        let table = Table::parse(&edited)?;
        if self.first_row {
            notes.push(format!("line {} is left out: numbers of the columns", text::row_line(text, 0)));
        }
        if self.first_column {
            notes.push("column 1 is left out: numbers of the rows".to_owned());
        }
        Ok(Reading { format, why: why.to_owned(), text: Cow::Owned(edited), table })
    }

    /// The options that skip the labels, and those that read them as data.
    pub(super) fn options(self) -> [&'static str; 2] {
        match (self.first_row, self.first_column) {
            (true, false) => ["--skip-rows 1", "--skip-rows 0"],
            (false, _) => ["--columns 2-", "--columns 1-"],
            (true, true) => ["--skip-rows 1 --columns 2-", "--skip-rows 0"],
        }
    }
}

/// A table with what is known about it.
pub(super) struct Evidence<'a> {
    text: &'a [u8],
    table: &'a Table,
    /// Column names from a header.
    names: &'a [String],
    /// Whether the first row may be column labels.
    may_have_header: bool,
    /// Whether the first column may be row labels.
    may_have_row_names: bool,
}

impl<'a> Evidence<'a> {
    pub(super) fn new(numbers: &'a NumbersOnly<'_>, table: &'a Table, options: &DistanceOptions) -> Self {
        Evidence {
            text: &numbers.text,
            table,
            names: &numbers.names,
            may_have_header: numbers.names.is_empty() && options.skip_rows.is_none(),
            may_have_row_names: !numbers.rows_named && options.columns.is_none(),
        }
    }

    /// Format that the layout determines without doubt.
    pub(super) fn matrix_or_triangle(&self) -> Result<Option<(DistanceFormat, String)>, Problem> {
        let table = self.table;
        let rows = table.rows();
        let grows = table.row_lens().eq(1..=rows);
        let shrinks = table.row_lens().eq((1..=rows).rev());
        if table.is_square_with_zero_diagonal() {
            return Ok(Some((
                DistanceFormat::Distance,
                "as many rows as columns, zeros on the diagonal".into(),
            )));
        }
        if !grows && !shrinks {
            return Ok(None);
        }
        check_no_diagonal(self.text, table, grows)?;
        Ok(Some(match grows {
            true => (DistanceFormat::LowerDistance, "rows of 1, 2, 3, … entries".into()),
            false => (DistanceFormat::UpperDistance, "rows of …, 3, 2, 1 entries".into()),
        }))
    }

    /// Rejects the boundary matrices of PHAT, whose rows are cells: the dimension, then the cells of the boundary in
    /// ascending order, all of them earlier.
    pub(super) fn check_no_boundaries(&self) -> Result<(), Problem> {
        let table = self.table;
        let is_cell = |r: usize| {
            let [dim, boundary @ ..] = table.row(r) else { return false };
            let ascends = boundary.windows(2).all(|pair| pair[0] < pair[1]);
            let are_before =
                boundary.iter().all(|&cell| cell >= 0.0 && cell.fract() == 0.0 && cell < r as f32);
            match boundary.len() {
                0 => *dim == 0.0,
                cells => cells >= 2 && *dim >= 1.0 && dim.fract() == 0.0 && ascends && are_before,
            }
        };
        if (0..table.rows()).any(|r| table.row_len(r) > 1) && (0..table.rows()).all(is_cell) {
            let place = Place::Line(text::row_line(self.text, 0));
            let found = "lines of a dimension and cells, as boundary matrices of PHAT have";
            return Err(Problem::new(place, "distances or points", found)
                .note("lacuna reduce reads boundary matrices"));
        }
        Ok(())
    }

    /// Labels whose removal leaves a square.
    pub(super) fn labels_around_a_square(&self) -> Option<Labels> {
        let table = self.table;
        let rows = table.rows();
        let width = table.row_len(rows - 1);
        let short = rows >= 3 && width >= 3 && table.row_len(0) == width - 1;
        let even_from = |first: usize| table.row_lens().skip(first).all(|len| len == width);
        let (first_row, first_column) = match rows {
            _ if short && rows == width && even_from(1) => (true, true),
            _ if rows == width + 1 && even_from(0) => (true, false),
            _ if width == rows + 1 && even_from(0) => (false, true),
            _ => return None,
        };
        let allowed = (!first_row || self.may_have_header) && (!first_column || self.may_have_row_names);
        let count = (!first_row || counts(table.row(0)))
            && (!first_column || counts(&self.first_column(usize::from(first_row))));
        allowed.then_some(Labels { first_row, first_column, count })
    }

    /// Side and entries of the square without the labels.
    pub(super) fn beside(&self, labels: Labels) -> (usize, impl Fn(usize, usize) -> f32 + '_) {
        let (row, column) = (usize::from(labels.first_row), usize::from(labels.first_column));
        (self.table.rows() - row, move |i, j| self.table.row(i + row)[j + column])
    }

    pub(super) fn first_column(&self, from: usize) -> Vec<f32> {
        (from..self.table.rows()).map(|r| self.table.row(r)[0]).collect()
    }

    /// Labels whose removal leaves a distance matrix.
    pub(super) fn labels_of_a_matrix(&self) -> Result<Option<Labels>, Problem> {
        let Some(labels) = self.labels_around_a_square() else { return Ok(None) };
        let Labels { first_row, first_column, count } = labels;
        let (n, at) = self.beside(labels);
        if n < 2 || !square::is_matrix(n, &at) {
            return Ok(None);
        }
        if first_row && first_column || n >= 3 && count {
            return Ok(Some(labels));
        }
        if n < 3 && !count {
            return Ok(None);
        }
        let what = if first_row { "the first line" } else { "the first column" };
        let [without, with] = labels.options();
        Err(self.two_readings(
            format!(
                "distances of {n} points after {what}, or {} points in dimension {}",
                self.table.rows(),
                self.table.row_len(0)
            ),
            format!("{without} leaves {what} out, {with} --format point-cloud keeps it"),
        ))
    }

    /// Labels that without doubt number the columns of a point table, or its rows and columns.
    pub(super) fn labels_of_points(&self) -> Result<Option<Labels>, Problem> {
        let table = self.table;
        let rows = table.rows();
        let last = table.row_len(rows - 1);
        let even_from = |first: usize| table.row_lens().skip(first).all(|len| len == last);
        if rows >= 3 && last >= 3 && table.row_len(0) == last - 1 && even_from(1) {
            let count = counts(table.row(0)) && counts(&self.first_column(1));
            let may = self.may_have_header && self.may_have_row_names;
            return Ok((count && may).then_some(Labels { first_row: true, first_column: true, count }));
        }
        if rows < 2 || last < 2 || !even_from(0) {
            return Ok(None);
        }
        if self.may_have_header && counts_from(table.row(0), 0) {
            let labels = Labels { first_row: true, first_column: false, count: true };
            if last >= 3 && text::is_whole_then_fractions(self.text, last) {
                return Ok(Some(labels));
            }
            return Err(self.two_readings(
                format!("a first line that may number the {last} columns or be a point"),
                "--skip-rows 1 leaves it out, --skip-rows 0 keeps it".into(),
            ));
        }
        if self.may_have_row_names && rows >= 3 && counts(&self.first_column(0)) {
            return Err(self.two_readings(
                format!("a first column that may number the {rows} rows or be a coordinate"),
                "--columns 2- leaves it out, --columns 1- keeps it".into(),
            ));
        }
        Ok(None)
    }

    /// Rejects numbers that may be a condensed list of distances. `points`: they may also be points.
    pub(super) fn check_condensed(&self, points: bool) -> Result<(), Problem> {
        let table = self.table;
        let (rows, count) = (table.rows(), table.values.len());
        let column = table.width() == Some(1);
        let width = table.row_len(0);
        let wrapped = rows >= 2
            && table.row_len(rows - 1) < width
            && table.row_lens().take(rows - 1).all(|len| len == width);
        let negative = table.values.iter().any(|&d| d < 0.0);
        let Ok(n) = points_of(count) else { return Ok(()) };
        if n < 3 || negative || !(column || rows == 1 && self.names.is_empty() || wrapped) {
            return Ok(());
        }
        let mut found = format!("{count} numbers that may be all distances of {n} points");
        let mut how = "--format condensed reads distances in the order d(0,1), d(0,2), … (scipy's pdist), --format lower-distance in the order d(1,0), d(2,0), d(2,1), …".to_owned();
        if points && !wrapped {
            found += if column { ", or points in dimension 1" } else { ", or one point" };
            how += ", --format point-cloud points";
        } else {
            found += ", in one order or another";
        }
        Err(self.two_readings(found, how))
    }

    pub(super) fn two_readings(&self, found: String, how: String) -> Problem {
        let place = Place::Line(text::row_line(self.text, 0));
        Problem::new(place, "numbers that can be read in one way only", found).note(how)
    }

    /// Whether the lines are edges rather than points in space. They must be readable as edges, repeat no pair, join no
    /// point to itself, and have either a fraction among the distances or every id in use. A header can decide either
    /// way. Lines that are as likely to be points are an error.
    pub(super) fn is_edge_list(&self) -> Result<bool, Problem> {
        let width = self.table.width();
        if !matches!(width, Some(2 | 3)) {
            return Ok(false);
        }
        let Ok((edges, _)) = edges::parse(self.text) else { return Ok(false) };
        let named = match header_says_edges(self.names) {
            Some(false) => return Ok(false),
            Some(true) if width == Some(3) => return Ok(!edges.iter().all(Entry::is_diagonal)),
            _ if self.names.is_empty() => String::new(),
            _ => format!(" ({})", self.names.join(", ")),
        };
        let space = match width {
            Some(2) if may_be_a_graph(&edges) => "in the plane",
            Some(3) => match edges_or_points(&edges) {
                Likely::Points => return Ok(false),
                Likely::Edges if self.names.is_empty() => return Ok(true),
                Likely::Edges | Likely::Either => "in dimension 3",
            },
            _ => return Ok(false),
        };
        Err(self.two_readings(
            format!("columns{named} that may be the edges of a graph or points {space}"),
            "--format edges reads edges of points that are counted from 0, --format point-cloud points"
                .into(),
        ))
    }

    /// Rejects rows that are not points, or as likely a matrix.
    pub(super) fn check_points(&self) -> Result<(), Problem> {
        let Evidence { text, table, .. } = *self;
        let n = table.rows();
        let width = table.check_width(text).map_err(|problem| {
            problem.note("rows are as long as each other, or grow or shrink by one; --format lower-distance and upper-distance take any layout")
        })?;
        let at = |i: usize, j: usize| table.values[i * n + j];
        if width == n
            && let Some((i, remedy)) = square::off_zero(n, &at)
        {
            let problem = text::value_problem(text, i * n + i, "0 on the diagonal of a symmetric matrix");
            return Err(problem.note(remedy));
        }
        Ok(())
    }
}

/// Whether numbers count up from 0 or 1.
pub(super) fn counts(numbers: &[f32]) -> bool {
    counts_from(numbers, 0) || counts_from(numbers, 1)
}

pub(super) fn counts_from(numbers: &[f32], first: usize) -> bool {
    numbers.len() >= 2 && numbers.iter().enumerate().all(|(k, &x)| x == (k + first) as f32)
}

/// Whether the names of two or three columns denote edges; `None` if they do not decide.
pub(super) fn header_says_edges(names: &[String]) -> Option<bool> {
    pub(super) const ENDS: [[&str; 2]; 10] = [
        ["i", "j"],
        ["u", "v"],
        ["source", "target"],
        ["from", "to"],
        ["src", "dst"],
        ["row", "col"],
        ["row", "column"],
        ["start", "end"],
        ["head", "tail"],
        ["a", "b"],
    ];
    let ([first, second] | [first, second, _]) = names else { return None };
    let [first, second] = [first, second].map(|name| name.trim().to_ascii_lowercase());
    let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    if ENDS.contains(&[first.as_str(), second.as_str()]) {
        return Some(true);
    }
    if first == "x" && second == "y" {
        return Some(false);
    }
    let numbered = first != second && stem(&first) == stem(&second) && stem(&first).len() < first.len();
    let node = ["node", "id", "point", "vertex", "v", "p", "n"].contains(&stem(&first).trim_end_matches('_'));
    (numbered && node).then_some(true)
}

/// Rejects a triangle (n ≥ 2) that seems to include the diagonal.
pub(super) fn check_no_diagonal(text: &[u8], table: &Table, lower: bool) -> Result<(), Problem> {
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
    Err(Problem::line(text::row_line(text, 0), "the entries on one side of the diagonal only", found)
        .note(format!("if those zeros are distances, say --format {name}")))
}

/// Likely content of lines of two whole numbers and a third number.
enum Likely {
    Edges,
    Points,
    Either,
}

/// Classifies the lines by their numbers. Few edge lists contain loops, and most use all ids up to the greatest. Edge
/// lists with only two ids look like corners of a cube, so lists that repeat a pair need three ids.
fn edges_or_points(edges: &[Entry<f32>]) -> Likely {
    let loops = edges.iter().any(Entry::is_diagonal);
    let zero_loops = edges.iter().all(|edge| !edge.is_diagonal() || edge.value == 0.0);
    let fraction = edges.iter().any(|edge| edge.value.fract() != 0.0);
    let (ids, first) = ids_in_use(edges);
    let dense = ids >= 3 && first.is_some();
    match listed(edges) {
        // Every entry of a matrix, including its diagonal.
        Listed::BothWays if loops && zero_loops && dense && edges.len() == ids * ids => Likely::Either,
        _ if loops => Likely::Points,
        Listed::Once if fraction || first == Some(0) => Likely::Edges,
        Listed::BothWays if fraction && ids >= 3 => Likely::Either,
        _ if dense => Likely::Either,
        _ => Likely::Points,
    }
}

/// Whether lines of two whole numbers may be the edges of an unweighted graph: no loops, no repeated pair, and either
/// all ids up to the greatest in use by many edges, or no more ids than a tree has.
fn may_be_a_graph(edges: &[Entry<f32>]) -> bool {
    let (ids, first) = ids_in_use(edges);
    let is_dense = first.is_some() && ids < 2 * edges.len() || ids <= edges.len() + 1;
    ids >= 3 && is_dense && !edges.iter().any(Entry::is_diagonal) && listed(edges) != Listed::Again
}

/// Number of ids in use, and the first id, 0 or 1, if all ids up to the greatest are in use.
fn ids_in_use(edges: &[Entry<f32>]) -> (usize, Option<u32>) {
    let greatest = edges.iter().map(|edge| edge.pair().0).max().unwrap_or(0);
    let mut used = vec![false; greatest as usize + 1];
    for edge in edges {
        used[edge.row as usize] = true;
        used[edge.column as usize] = true;
    }
    let count = used.iter().filter(|&&used| used).count();
    let first = match count {
        all if all == used.len() => Some(0),
        but_one if but_one + 1 == used.len() && !used[0] => Some(1),
        _ => None,
    };
    (count, first)
}
