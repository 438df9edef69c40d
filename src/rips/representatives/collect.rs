//! The simplices of bars, gathered in the course of a run: the entries of columns and pivots are taken apart while they are there.

use super::RepresentativesRequest;
use super::choice::Choice;
use super::store::{NO_VERTEX, Representatives, Table};
use crate::diagram::{Bar, Diagram};
use crate::rips::RipsError;
use crate::rips::code::Code;
use crate::rips::complex::Complex;
use crate::rips::components::ComponentBar;
use crate::rips::word::Word;

/// The representatives found so far.
#[derive(Debug)]
pub(in crate::rips) struct Collector<'a> {
    choice: Choice<'a>,
    found: Representatives,
}

/// The layouts of the entries of a dimension.
#[derive(Debug, Clone, Copy)]
pub(in crate::rips) struct Codes<W> {
    /// Of columns, which are the birth simplices.
    pub(in crate::rips) columns: Code<W>,
    /// Of pivots, which are the death simplices.
    pub(in crate::rips) pivots: Code<W>,
}

impl<'a> Collector<'a> {
    /// Nothing has been found.
    pub(in crate::rips) fn new(request: &'a RepresentativesRequest) -> Self {
        Collector { choice: Choice::new(&request.bars), found: Representatives::default() }
    }

    /// Takes dimension 0: the bars, each with its birth vertex and its death edge.
    pub(in crate::rips) fn components(&mut self, components: &[ComponentBar]) {
        let bars: Vec<Bar> = components.iter().map(|component| component.bar).collect();
        let places = self.choice.candidates(0, &bars);
        let mut table = Table::default();
        for &place in &places {
            let ComponentBar { bar, vertex, edge } = components[place];
            let edge = edge.unwrap_or([NO_VERTEX; 2]);
            table.bars.push(bar);
            table.births.push(vertex);
            table.deaths.extend(edge);
            table.death_edges.push(edge);
        }
        self.found.dimensions.push(Table { places, ..table });
    }

    /// Takes the next dimension: its bars, and of each the column and the pivot that it is of.
    pub(in crate::rips) fn dimension<W: Word>(
        &mut self,
        complex: &dyn Complex,
        codes: Codes<W>,
        bars: &[Bar],
        classes: impl Iterator<Item = (W, Option<W>)>,
    ) {
        let dim = self.found.dimensions.len();
        let places = self.choice.candidates(dim, bars);
        let mut table = Table::default();
        let mut vertices = Vec::with_capacity(dim + 2);
        let mut wanted = places.iter().copied().peekable();
        for (place, (column, pivot)) in classes.enumerate() {
            if wanted.next_if_eq(&place).is_none() {
                continue;
            }
            table.bars.push(bars[place]);
            take_apart(codes.columns, column, &mut vertices);
            table.births.extend(&vertices);
            table.birth_edges.push(longest_edge(complex, codes.columns.rank(column), &vertices));
            let Some(pivot) = pivot else {
                table.deaths.extend(std::iter::repeat_n(NO_VERTEX, dim + 2));
                table.death_edges.push([NO_VERTEX; 2]);
                continue;
            };
            take_apart(codes.pivots, pivot, &mut vertices);
            table.deaths.extend(&vertices);
            table.death_edges.push(longest_edge(complex, codes.pivots.rank(pivot), &vertices));
        }
        self.found.dimensions.push(Table { places, ..table });
    }

    /// The representatives of the bars that are chosen of the whole diagram.
    ///
    /// # Errors
    /// [`RipsError::NoSuchBar`].
    pub(in crate::rips) fn finish(self, diagram: &Diagram) -> Result<Representatives, RipsError> {
        let Collector { choice, mut found } = self;
        choice.check(diagram)?;
        for (dim, table) in found.dimensions.iter_mut().enumerate() {
            if let Some(places) = choice.chosen(dim) {
                table.retain(dim, &places);
            }
        }
        Ok(found)
    }
}

/// Writes the vertices of an entry, ascending.
fn take_apart<W: Word>(code: Code<W>, entry: W, vertices: &mut Vec<u32>) {
    code.vertices_of(entry, vertices);
    vertices.reverse();
}

/// The longest edge of a simplex of this rank, vertices ascending in both: of several the youngest, whose greater vertex is least, and then
/// its lesser one.
fn longest_edge(complex: &dyn Complex, rank: u32, vertices: &[u32]) -> [u32; 2] {
    let edges = (1..vertices.len()).flat_map(|v| (0..v).map(move |u| [vertices[u], vertices[v]]));
    let mut longest = edges.filter(|&[u, v]| complex.edge(u, v) == rank);
    longest.next().expect("a simplex has the rank of one of its edges")
}
