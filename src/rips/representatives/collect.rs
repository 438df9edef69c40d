//! Collection of representatives during a run: entries of columns and pivots are decoded to vertices while they are
//! available.

use std::time::{Duration, Instant};

use hashbrown::HashMap;

use super::chain::Chain;
use super::choice::selected;
use super::cycles::{Boundaries, Pairs, Paths};
use super::request::{CocycleScale, RepresentativeKind, RepresentativesRequest};
use super::store::{Representative, Representatives};
use super::tighten::AtBirth;
use crate::diagram::{Bar, Diagram};
use crate::progress::Progress;
use crate::rips::RipsError;
use crate::rips::code::Code;
use crate::rips::complex::Complex;
use crate::rips::components::ComponentBar;
use crate::rips::field::Modulo;
use crate::rips::pair_store::Below;
use crate::rips::rank::Values;
use crate::rips::submatrix_reduction::Multiple;
use crate::rips::word::Word;

/// The representatives found so far.
#[derive(Debug)]
pub(in crate::rips) struct Collector<'a> {
    request: &'a RepresentativesRequest,
    modulus: u16,
    /// The bars of the dimensions so far.
    bars: Vec<Vec<Bar>>,
    found: Representatives,
}

/// A class of the current dimension.
#[derive(Debug, Clone, Copy)]
pub(in crate::rips) struct Class<W> {
    /// The place of the class among columns and pivots.
    pub(in crate::rips) place: usize,
    /// The column: the birth simplex.
    pub(in crate::rips) column: W,
    /// The pivot: the death simplex, or none.
    pub(in crate::rips) pivot: Option<W>,
    /// The bar of the class.
    pub(in crate::rips) bar: Bar,
}

impl<W> Class<W> {
    /// Whether the class is born at or before a scale and dies after it.
    fn is_alive_at(&self, scale: f64) -> bool {
        self.bar.birth <= scale && scale < self.bar.death
    }
}

impl<'a> Collector<'a> {
    /// An empty collector.
    pub(in crate::rips) fn new(request: &'a RepresentativesRequest, modulus: u16) -> Self {
        Collector { request, modulus, bars: Vec::new(), found: Representatives::default() }
    }

    /// Whether representatives of this kind are wanted.
    pub(in crate::rips) fn wants(&self, kind: RepresentativeKind) -> bool {
        self.request.wants(kind)
    }

    /// The indices of the bars of the next dimension that may be selected, from its classes.
    fn candidates<W: Word>(&mut self, classes: &[Class<W>]) -> Vec<usize> {
        let dim = self.found.dimensions.len();
        self.bars.truncate(dim);
        self.bars.push(classes.iter().map(|class| class.bar).collect());
        selected(&self.request.bars, &self.bars, dim)
    }

    /// The places, among columns and pivots, of the classes of the next dimension whose cochains are needed: those of
    /// candidates and, if cycles are tightened, those of classes alive at the birth of a candidate.
    pub(in crate::rips) fn wanted<W: Word>(&mut self, classes: &[Class<W>]) -> Vec<usize> {
        let candidates = self.candidates(classes);
        if !self.tightens() {
            return candidates.iter().map(|&index| classes[index].place).collect();
        }
        let mut births: Vec<f64> = candidates.iter().map(|&index| classes[index].bar.birth).collect();
        births.sort_unstable_by(f64::total_cmp);
        let next_birth = |scale: f64| births.get(births.partition_point(|&birth| birth < scale));
        let is_wanted =
            |class: &&Class<W>| next_birth(class.bar.birth).is_some_and(|&next| next < class.bar.death);
        classes.iter().filter(is_wanted).map(|class| class.place).collect()
    }

    /// Whether the cycles of the next dimension are to be tightened.
    fn tightens(&self) -> bool {
        self.request.tighten && self.wants(RepresentativeKind::Cycles) && self.found.dimensions.len() == 1
    }

    /// Whether cochains of the next dimension are needed.
    pub(in crate::rips) fn wants_cochains(&self) -> bool {
        self.wants(RepresentativeKind::Cocycles) || self.tightens()
    }

    /// Adds dimension 0: its bars, each with its birth vertex and its death edge.
    pub(in crate::rips) fn components(&mut self, components: &[ComponentBar]) {
        self.bars.push(components.iter().map(|component| component.bar).collect());
        let found = selected(&self.request.bars, &self.bars, 0).into_iter().map(|index| {
            let ComponentBar { bar, vertex, edge } = components[index];
            Representative {
                bar,
                dim: 0,
                index,
                birth: vec![vertex],
                death: edge.map(Vec::from),
                birth_edge: None,
                death_edge: edge,
                cocycle: None,
                cycle: None,
            }
        });
        self.found.dimensions.push(found.collect());
    }

    /// Adds the next dimension, given the classes of its bars and the [wanted](Self::wanted) cochains. `below` holds
    /// the results of the dimension below. `progress` is told of each cycle and may unwind. Returns the time spent on
    /// tightening.
    #[expect(clippy::too_many_arguments, reason = "they are those of a dimension")]
    pub(in crate::rips) fn dimension<W: Word>(
        &mut self,
        complex: &dyn Complex,
        values: &Values,
        pairs: Pairs<'_, W>,
        classes: &[Class<W>],
        cochains: &HashMap<usize, Vec<Multiple<W>>>,
        below: &Below<W>,
        progress: &dyn Progress,
    ) -> Duration {
        let mut tightening = Duration::ZERO;
        let (dim, Pairs { code, cofacet_code, .. }) = (self.found.dimensions.len(), pairs);
        let indices = self.candidates(classes);
        let candidates: Vec<Class<W>> = indices.iter().map(|&index| classes[index]).collect();
        let has_cocycles = self.wants(RepresentativeKind::Cocycles);
        let cocycle = |class: &Class<W>| {
            let rank = |simplex: W| code.rank(simplex);
            let (birth, death) = (rank(class.column), class.pivot.map(|pivot| cofacet_code.rank(pivot)));
            let is_kept = |&(simplex, _): &Multiple<W>| match self.request.cocycles_at {
                CocycleScale::Birth => rank(simplex) <= birth,
                // Columns that enter together with the death simplex may have been added too.
                CocycleScale::Death => death.is_none_or(|death| rank(simplex) < death),
            };
            let cochain = cochains[&class.place].iter().copied();
            Box::new(Chain::of_terms(code, cochain.filter(is_kept)))
        };
        let found = indices.into_iter().zip(&candidates).map(|(index, class)| {
            let (birth, death) =
                (vertices(code, class.column), class.pivot.map(|pivot| vertices(cofacet_code, pivot)));
            let death_edge = class.pivot.zip(death.as_ref());
            Representative {
                bar: class.bar,
                dim,
                index,
                birth_edge: Some(longest_edge(complex, code.rank(class.column), &birth)),
                death_edge: death_edge
                    .map(|(pivot, death)| longest_edge(complex, cofacet_code.rank(pivot), death)),
                birth,
                death,
                cocycle: has_cocycles.then(|| cocycle(class)),
                cycle: None,
            }
        });
        let mut found: Vec<Representative> = found.collect();
        if self.wants(RepresentativeKind::Cycles) {
            let mut cycles = self.cycles(complex, pairs, &candidates, below, progress);
            if self.tightens() {
                let started = Instant::now();
                let tight = candidates.iter().zip(cycles).map(|(class, cycle)| {
                    progress.advance(0);
                    let alive = classes.iter().filter(|other| other.is_alive_at(class.bar.birth));
                    let alive: Vec<&[Multiple<W>]> = alive.map(|other| &*cochains[&other.place]).collect();
                    let rank = code.rank(class.column);
                    let at_birth = AtBirth::new(complex, values, code, self.modulus, rank, &alive);
                    at_birth.tightened(cycle, &cochains[&class.place], &alive)
                });
                cycles = tight.collect();
                tightening = started.elapsed();
            }
            for (found, cycle) in found.iter_mut().zip(cycles) {
                found.cycle = Some(Box::new(Chain::of_terms(code, cycle.into_iter())));
            }
        }
        self.found.dimensions.push(found);
        tightening
    }

    /// The cycles of classes, each as simplices in filtration order.
    fn cycles<W: Word>(
        &self,
        complex: &dyn Complex,
        pairs: Pairs<'_, W>,
        classes: &[Class<W>],
        below: &Below<W>,
        progress: &dyn Progress,
    ) -> Vec<Vec<Multiple<W>>> {
        let mut finite = Boundaries::new(complex, self.modulus, pairs, false);
        // It is made for the first essential class.
        let mut essential = None;
        let made = || essential_cycles(complex, self.modulus, pairs.code, below);
        let cycle = |class: &Class<W>| {
            progress.advance(0);
            match class.pivot {
                Some(death) => finite.of_finite(class.place, death),
                None => essential.get_or_insert_with(made)(class.column),
            }
        };
        classes.iter().map(cycle).collect()
    }

    /// The representatives of the bars selected from the whole diagram.
    ///
    /// # Errors
    /// [`RipsError::Selection`], if a selected bar does not exist.
    pub(in crate::rips) fn finish(self, diagram: &Diagram) -> Result<Representatives, RipsError> {
        let Collector { request, bars, mut found, .. } = self;
        request.bars.check_named(|dim| diagram.bars(dim).len())?;
        for (dim, found) in found.dimensions.iter_mut().enumerate() {
            let places = selected(&request.bars, &bars, dim);
            found.retain(|representative| places.binary_search(&representative.index).is_ok());
        }
        Ok(found)
    }
}

/// A function that maps the birth simplex of an essential class to its cycle. The simplices of the dimension have this
/// code.
fn essential_cycles<'a, W: Word>(
    complex: &'a dyn Complex,
    modulus: u16,
    code: Code<W>,
    below: &'a Below<W>,
) -> Box<dyn FnMut(W) -> Vec<Multiple<W>> + 'a> {
    let points = complex.points();
    if code.vertices() > 2 {
        let pairs = Pairs {
            columns: &below.columns,
            pivots: &below.pivots,
            code: Code::new(points, code.vertices() as usize - 1),
            cofacet_code: code,
        };
        let mut boundaries = Boundaries::new(complex, modulus, pairs, true);
        return Box::new(move |birth| boundaries.of_essential(birth));
    }
    let ends = move |edge: W| {
        let ends = vertices(code, edge);
        [ends[0], ends[1]]
    };
    // The pairs of dimension 0 are the edges of the minimum spanning forest.
    let paths = Paths::new(points, below.store.iter().map(|(edge, _)| ends(edge)));
    Box::new(move |birth| paths.cycle(ends(birth), complex, code, Modulo::new(modulus)))
}

/// The vertices of an entry, ascending.
fn vertices<W: Word>(code: Code<W>, entry: W) -> Vec<u32> {
    let mut vertices = Vec::with_capacity(code.vertices() as usize);
    code.vertices_of(entry, &mut vertices);
    vertices.reverse();
    vertices
}

/// The longest edge of a simplex of this rank; vertices ascend in both. If there are several, it is the youngest: the
/// one whose greater vertex is least, then whose lesser vertex is least.
fn longest_edge(complex: &dyn Complex, rank: u32, vertices: &[u32]) -> [u32; 2] {
    let edges = (1..vertices.len()).flat_map(|v| (0..v).map(move |u| [vertices[u], vertices[v]]));
    let mut longest = edges.filter(|&[u, v]| complex.edge(u, v) == rank);
    longest.next().expect("a simplex has the rank of one of its edges")
}
