//! Graphs with equally long edges: what to compute, and the order of bars of dimension 2 that are born at the same
//! value, over Z/2.
//!
//! The computation on the whole graph with distinct ranks finds which bars these are, and a cochain for each. Together
//! with dimension 1 of the graph with its own ranks, they determine
//! [the triangles at which the bars are born](crate::rips::submatrix_reduction), and so their order.

use hashbrown::HashMap;

use crate::diagram::{Bar, Diagram};
use crate::memory::Refused;
use crate::rips::code::Code;
use crate::rips::representatives::Class;
use crate::rips::submatrix_reduction::{Bits, Reduction, Tied};
use crate::rips::word::Word;

/// The task of a computation where edges are equally long, or its result. *Tied bars* are bars of dimension 2 that are
/// born at the same value and die at different ones.
#[derive(Debug)]
pub(in crate::rips) enum Ties {
    /// Compute the barcode.
    Ignored,
    /// Compute the barcode, but give up dimension 2 if it takes long.
    Shunned,
    /// Dimension 2 was given up.
    GivenUp,
    /// Compute the barcode, and find the tied bars.
    Sought,
    /// These are the tied bars, by ascending birth. Determine their order.
    Found(Vec<Tied>),
    /// These are the tied bars in Ripser's order.
    Ordered(Vec<Tied>),
}

/// The classes that are born at one value and die at different ones, for each such value.
fn runs<W>(classes: &[Class<W>]) -> impl DoubleEndedIterator<Item = &[Class<W>]> {
    let runs = classes.chunk_by(|a, b| a.bar.birth == b.bar.birth);
    runs.filter(|run| run.iter().any(|class| class.bar.death != run[0].bar.death))
}

/// The columns of such classes.
pub(super) fn columns<W>(classes: &[Class<W>]) -> Vec<usize> {
    runs(classes).flatten().map(|class| class.place).collect()
}

impl Ties {
    /// The bars of such classes, by their cochains up to the last rank of their births.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(super) fn of<W: Word>(
        classes: &[Class<W>],
        code: Code<W>,
        reduction: &Reduction<W>,
    ) -> Result<Self, Refused> {
        let (mut found, mut vertices) = (Vec::new(), Vec::new());
        for run in runs(classes).rev() {
            let mut run: Vec<&Class<W>> = run.iter().collect();
            run.sort_by(|a, b| b.bar.death.total_cmp(&a.bar.death));
            let mut triangles = HashMap::<[u32; 3], Bits>::new();
            for (bar, class) in (0..).zip(&run) {
                let cochain = &reduction.cochains[&class.place];
                // Of a column whose reduction a checkpoint restored, the cochain may not be known.
                if cochain.is_empty() {
                    return Ok(Ties::Ignored);
                }
                for &(triangle, _) in cochain {
                    code.vertices_of(triangle, &mut vertices);
                    triangles.entry([vertices[0], vertices[1], vertices[2]]).or_default().insert(bar)?;
                }
            }
            let deaths = run.iter().map(|class| class.bar.death).collect();
            found.push(Tied { birth: run[0].bar.birth, deaths, triangles });
        }
        Ok(Ties::Found(found))
    }

    /// Puts the bars in order. `births` are those of each value by their triangles in filtration order. If these are
    /// not known, the order remains to be determined.
    pub(super) fn order(&mut self, births: &[Vec<u32>]) {
        let Ties::Found(found) = self else { return };
        let counts = found.iter().map(|tied| tied.deaths.len());
        if !births.iter().map(Vec::len).eq(counts) {
            debug_assert!(births.is_empty(), "a bar is born at no triangle");
            return;
        }
        let mut found = std::mem::take(found);
        for (tied, births) in found.iter_mut().zip(births) {
            // Bars are listed in reverse filtration order.
            tied.deaths = births.iter().rev().map(|&bar| tied.deaths[bar as usize]).collect();
        }
        *self = Ties::Ordered(found);
    }
}

/// The diagram with its bars of dimension 2 in this order.
pub(super) fn ordered(diagram: &Diagram, tied: &[Tied]) -> Diagram {
    let mut dimensions: Vec<Vec<Bar>> = (0..diagram.len()).map(|dim| diagram.bars(dim).to_vec()).collect();
    if let Some(bars) = dimensions.get_mut(2) {
        for Tied { birth, deaths, .. } in tied {
            // Bars are listed by descending birth.
            let first = bars.partition_point(|bar| bar.birth > *birth);
            bars.iter_mut().skip(first).zip(deaths).for_each(|(bar, &death)| bar.death = death);
        }
    }
    Diagram::new(dimensions)
}

/// Numbers the points of triangles anew: `names` are their new numbers.
pub(super) fn rename(tied: &mut [Tied], names: &[u32]) {
    for Tied { triangles, .. } in tied {
        let renamed = |(triangle, bars): ([u32; 3], Bits)| {
            let mut triangle = triangle.map(|point| names[point as usize]);
            triangle.sort_unstable_by(|a, b| b.cmp(a));
            (triangle, bars)
        };
        *triangles = std::mem::take(triangles).into_iter().map(renamed).collect();
    }
}
