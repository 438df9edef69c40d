//! Bars of any computation as the writers take them: rows that are looked up in blocks, so that no copy of all bars is
//! needed, and lines that all threads format.

use std::io::{self, Write};
use std::ops::Range;

use phat_formats::dipha::DiagramPoint;

use crate::cubical::Value;
use crate::cubical::value::Inexact;
use crate::diagram::Diagram;
use crate::output::lines::Lines;
use crate::parallel;

/// A bar with exact values.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The dimension of the bar.
    pub dim: u32,
    /// The value at which the bar is born.
    pub birth: Value,
    /// The death; for an essential bar infinity, or minus infinity for superlevel sets.
    pub death: Value,
    /// Whether the bar never dies.
    pub is_essential: bool,
}

impl Row {
    /// DIPHA's point of the bar; an essential one dies at `end`, the last value of the filtration.
    pub(crate) fn point(&self, end: f64) -> DiagramPoint {
        DiagramPoint {
            dim: self.dim,
            birth: self.birth.double(),
            death: if self.is_essential { end } else { self.death.double() },
            essential: self.is_essential,
        }
    }
}

/// Bars in the order in which they are written, in sections.
pub struct BarTable<'a> {
    /// Dimension and number of bars of each section. A table of which no format writes headings may be one section.
    sections: Vec<(u32, usize)>,
    look_up: Box<LookUp<'a>>,
}

/// Returns the rows of a section in a range.
type LookUp<'a> = dyn Fn(usize, Range<usize>) -> Vec<Row> + Sync + 'a;

/// Number of rows that are looked up together. Voxels of an image are scattered in memory, so that loads overlap.
const BLOCK: usize = 1 << 8;
/// Number of rows that a thread looks up at a time.
const PART: usize = 1 << 10;
/// Number of rows that are in memory at a time.
const AT_ONCE: usize = 1 << 15;

impl<'a> BarTable<'a> {
    /// Makes the table of sections with their dimensions and lengths.
    pub(crate) fn new(
        sections: Vec<(u32, usize)>,
        look_up: impl Fn(usize, Range<usize>) -> Vec<Row> + Sync + 'a,
    ) -> Self {
        BarTable { sections, look_up: Box::new(look_up) }
    }

    /// Makes the table of a diagram, a section a dimension.
    pub fn of_diagram(diagram: &'a Diagram) -> Self {
        let sections = (0..diagram.len()).map(|dim| (dim as u32, diagram.bars(dim).len())).collect();
        BarTable::new(sections, |dim, range| {
            let row = |bar: &crate::Bar| Row {
                dim: dim as u32,
                birth: bar.birth.into(),
                death: bar.death.into(),
                is_essential: bar.is_essential(),
            };
            diagram.bars(dim)[range].iter().map(row).collect()
        })
    }

    /// Makes the table of rows that are sorted by dimension.
    pub(crate) fn of_rows(rows: Vec<Row>, dims: impl Iterator<Item = u32>) -> Self {
        let start = |dim: u32| rows.partition_point(|row| row.dim < dim);
        let starts: Vec<(u32, usize)> = dims.map(|dim| (dim, start(dim))).collect();
        let end = |dim: u32| rows.partition_point(|row| row.dim <= dim);
        let sections = starts.iter().map(|&(dim, start)| (dim, end(dim) - start)).collect();
        BarTable::new(sections, move |section, range| {
            let start = starts[section].1;
            rows[start + range.start..start + range.end].to_vec()
        })
    }

    /// Dimension and number of bars of each section.
    pub(crate) fn sections(&self) -> &[(u32, usize)] {
        &self.sections
    }

    /// Number of bars.
    pub fn len(&self) -> usize {
        self.sections.iter().map(|&(_, length)| length).sum()
    }

    /// Whether there are no bars.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All bars, which all threads look up.
    pub fn iter(&self) -> impl Iterator<Item = Row> {
        self.sections.iter().enumerate().flat_map(move |(section, &(_, length))| {
            (0..length).step_by(AT_ONCE).flat_map(move |from| {
                let rows = |range: Range<usize>| {
                    self.rows(section, from + range.start..from + range.end).map(|(_, row)| row).collect()
                };
                parallel::listed(AT_ONCE.min(length - from), PART, &rows)
            })
        })
    }

    /// Iterates over (dim, birth, death) as doubles, or the error that a value is not exact as one.
    pub fn doubles(&self) -> impl Iterator<Item = Result<[f64; 3], Inexact>> {
        self.iter().map(|row| Ok([row.dim.into(), row.birth.exact_double()?, row.death.exact_double()?]))
    }

    /// Rows of a section in a range, with their indices in the section.
    fn rows(&self, section: usize, range: Range<usize>) -> impl Iterator<Item = (usize, Row)> {
        let Range { start, end } = range;
        (start..end).step_by(BLOCK).flat_map(move |from| {
            let block = from..end.min(from + BLOCK);
            block.clone().zip((self.look_up)(section, block))
        })
    }

    /// Writes a line for each bar of a section; `push` appends the line of the bar with an index in the section.
    pub(crate) fn write_lines(
        &self,
        section: usize,
        out: &mut dyn Write,
        push: &(dyn Fn(usize, &Row, &mut String) + Sync),
    ) -> io::Result<()> {
        let (_, length) = self.sections[section];
        Lines::default().write(length, out, &|range, text| {
            self.rows(section, range).for_each(|(index, row)| push(index, &row, text));
        })
    }
}

impl Value {
    /// Appends the value: an integer, the fewest digits that read back as the same double, `inf` or `-inf`.
    pub(crate) fn push(self, out: &mut String) {
        match self {
            Value::Unsigned(value) => out.push_str(itoa::Buffer::new().format(value)),
            Value::Signed(value) => out.push_str(itoa::Buffer::new().format(value)),
            Value::Double(value) => out.push_str(zmij::Buffer::new().format(value)),
        }
    }

    /// Like `push`, but with quotes around an infinite value.
    pub(crate) fn push_quoted(self, quote: &str, out: &mut String) {
        let quote = if self.is_finite() { "" } else { quote };
        out.push_str(quote);
        self.push(out);
        out.push_str(quote);
    }
}
