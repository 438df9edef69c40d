//! Persistent homology by the discrete gradient: keys of voxels, matching of lower stars, critical cells, pairing.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use either::Either;
use rayon::iter::ParallelIterator as _;
use rayon::slice::ParallelSliceMut as _;

use super::cell::{Cell, Entry};
use super::classes::{Class, Classes};
use super::error::{MachineError, PersistenceError};
use super::footprint::{BYTES_OF_KEY, BYTES_OF_PLACE, Held};
use super::forest::{self, Merging, Pairs};
use super::gradient::{self, Gradient, GradientStage, estimate};
use super::grid::{self, Grid};
use super::layout::GridLayout;
use super::look::{Any, Plain};
use super::loops::{self, Columns, Incidence, OfDual, OfGrid, Rows, UNFILLED};
use super::representatives::Trace;
use super::request::PersistenceRequest;
use super::stages::Stages;
use super::statistics::{PersistenceStatistics, StageClock};
use super::{blocks, cavities, components};
use crate::backend::{Backend, Decision};
use crate::cubical::construction::Construction;
use crate::cubical::image::AnyImage;
use crate::cubical::mask::Mask;
use crate::memory::{self, Refused};
use crate::parallel;
use crate::progress::{Progress, Silent};

/// Number of pairs, or of critical cells, that a thread takes at a time.
const PART: usize = 1 << 12;

/// Bytes for each critical cell of a smooth image until it is paired.
const BYTES_OF_CELL: u64 = 128;

/// The classes of an image, and how they were computed.
pub(in crate::cubical) struct Persistence<'a> {
    pub(in crate::cubical) classes: Classes,
    pub(in crate::cubical) statistics: PersistenceStatistics,
    /// The device that computed the gradient. A GPU computes nothing else.
    pub(in crate::cubical) decision: Decision,
    /// Results of the stages, if requested.
    pub(in crate::cubical) trace: Option<Trace<'a>>,
}

/// Computes the classes of an image, in which voxels outside the mask are later than all others. If a GPU fails that
/// was chosen automatically, the CPU takes over. It is done by blocks if `held` is given, or
/// if memory does not suffice for the keys of all voxels. Results are traced only of an image without periodic axes.
///
/// # Errors
/// [`MachineError`]: the image is too large or memory does not suffice; a requested GPU cannot be used or fails, or
/// differs from the CPU.
pub(in crate::cubical) fn persistence<'a>(
    image: &'a AnyImage,
    mask: Option<&'a Mask>,
    request: &PersistenceRequest,
    backend: &Backend,
    is_traced: bool,
    held: Option<Held>,
    progress: &dyn Progress,
) -> Result<Persistence<'a>, MachineError> {
    let shape = image.shape();
    shape.check_three().map_err(PersistenceError::from)?;
    mask.map_or(Ok(()), |mask| mask.check(shape)).map_err(PersistenceError::from)?;
    let mut decision = backend.decide(&estimate(shape))?;
    let mut clock = StageClock::new(progress);
    let stages = Stages::new(request, shape, is_traced);
    progress.expect(&stages.expected());
    let places = GridLayout::new(shape, request.periodic)?.places() as u64;
    let fits = memory::probe(places * BYTES_OF_PLACE);
    let is_held = is_traced || held.is_none() && fits.is_ok() || shape.count() == 1;
    clock.begin("order", if is_held { grid::WORK_OF_VOXEL * shape.count() as u64 } else { 1 });
    if is_traced {
        fits.map_err(PersistenceError::from)?;
    }
    let mut grid = Grid::new(image, mask, request, is_held, progress)?;
    clock.statistics.voxels = grid.voxels();
    let mut found = Pairing::default();
    let (mut pairs, mut unpaired);
    if grid.layout.axes == 0 {
        // An image of one voxel has only an essential class.
        (pairs, unpaired) = (vec![Pairs::new()], vec![vec![grid.entry(0)]]);
    } else {
        let wanted = stages.critical_cells(grid.layout.axes);
        let (gradient, critical) = match grid.is_held() {
            true => {
                clock.time("gradient");
                let gradient = decision.run(&mut GradientStage { grid: &grid, progress })?;
                clock.begin("critical cells", gradient::WORK_OF_PLACE * grid.places() as u64);
                let critical = gradient.critical_cells(&grid, wanted, progress)?;
                (gradient, critical)
            }
            false => {
                let some = held.unwrap_or_else(|| Held::of(0));
                let (gradient, critical) = blocks::gradient(&grid, wanted, some, &mut decision, &mut clock)?;
                if held.is_none() && has_room_for_keys(&grid, &gradient, &critical) {
                    grid = grid.block(0..grid.layout.slices.1, &Silent(progress))?;
                }
                (gradient, critical)
            }
        };
        (pairs, unpaired) = found.find(&grid, &gradient, critical, stages, is_traced, &mut clock)?;
        found.gradient = Some(gradient);
    }
    if !is_traced {
        found = Pairing::default();
    }
    clock.begin("classes", 1);
    // A pair of dimension k in the dual complex has one dimension less in the image than an unpaired cell.
    if grid.construction.is_reversed() {
        pairs.reverse();
        unpaired.reverse();
    }
    pairs.resize(unpaired.len(), Pairs::new());
    let dimensions = pairs.into_iter().zip(unpaired).take(request.dimensions(shape));
    let dimensions = dimensions.map(|(pairs, unpaired)| classes_of(&grid, pairs, unpaired)).collect();
    clock.end();
    let classes = Classes { dimensions };
    let trace = is_traced.then(|| Trace { classes: classes.clone(), request: *request, grid, found });
    Ok(Persistence { classes, statistics: clock.statistics, decision, trace })
}

/// Whether the keys of all voxels fit beside the codes of all, although the plan had no room for them: few critical
/// cells need no tables of ways. With keys at hand they are paired in half the time.
fn has_room_for_keys(grid: &Grid<'_>, gradient: &Gradient, critical: &[Vec<Cell>; 4]) -> bool {
    let cells = critical.iter().map(Vec::len).sum::<usize>();
    gradient.codes().0.len() == grid.places()
        && grid.has_few(cells)
        && memory::has_room_for(grid.places() as u64 * BYTES_OF_KEY + cells as u64 * BYTES_OF_CELL)
}

/// The pairing of critical cells, as far as it was computed and is needed for cycles.
#[derive(Default)]
pub(super) struct Pairing {
    /// `None` for an image without axes.
    pub(super) gradient: Option<Gradient>,
    /// Minima, and critical edges between components.
    pub(super) bottom: Option<Merging>,
    /// Critical cells of a grid of several axes, and critical facets between cavities, in reverse filtration order.
    pub(super) top: Option<Merging>,
    /// Loops in space. They are those of the image, whether the grid is its complex or the dual.
    pub(super) loops: Option<Loops>,
}

impl Pairing {
    /// Pairs the critical cells of the stages. Returns the pairs of each dimension of the grid, from 0 on, and when the
    /// unpaired cells of each dimension enter. The pairings are kept only if `is_traced`.
    fn find(
        &mut self,
        grid: &Grid,
        gradient: &Gradient,
        critical: [Vec<Cell>; 4],
        stages: Stages,
        is_traced: bool,
        clock: &mut StageClock<'_>,
    ) -> Result<(Vec<Pairs>, Vec<Vec<Entry>>), PersistenceError> {
        let (axes, construction) = (grid.layout.axes, grid.construction);
        clock.statistics.critical = critical.each_ref().map(Vec::len);
        clock.progress.expect(&stages.expected_after(clock.statistics.critical));

        clock.begin("components and cavities", 1);
        let [minima, edges, faces, maxima] = critical;
        let mut facets = if axes == 2 && stages.cavities { edges.clone() } else { faces };
        let progress = clock.progress;
        let components = || components::components(grid, gradient, minima, edges, progress);
        let cavities = || {
            let merge = cavities::cavities(grid, gradient, maxima, &facets, progress)?;
            if axes == 2 && stages.components {
                return Ok::<_, Refused>(Either::Right(merge));
            }
            forest::sort(&mut facets, true);
            Ok(Either::Left(merge(facets)))
        };
        let (bottom, top) = parallel::join(
            || stages.components.then(components).transpose(),
            || stages.cavities.then(cavities).transpose(),
        );
        self.bottom = bottom?;
        // An edge of a plane that joins components closes no hole.
        let others = || self.bottom.iter().flat_map(|bottom| bottom.split().1.into_iter().rev()).collect();
        self.top = top?.map(|top| top.left_or_else(|merge| merge(others())));
        let (first, last) = parallel::join(
            || self.bottom.as_ref().map(|bottom| bottom.pairs(construction)),
            || self.top.as_ref().map(|top| top.pairs(construction)),
        );
        let (mut pairs, mut unpaired) = (vec![Pairs::new(); axes], vec![Vec::new(); axes + 1]);
        // On a line the first dimension is also the last; its pairs are those of components.
        for (dim, found) in [(axes - 1, last), (0, first)] {
            if let Some(found) = found {
                pairs[dim] = found;
            }
        }
        for (dim, merging) in [(0, &self.bottom), (axes, &self.top)] {
            unpaired[dim] = merging.as_ref().map(Merging::unmerged).unwrap_or_default();
        }
        if axes < 3 {
            unpaired[1].extend(self.unpaired_edges(grid));
        }
        if stages.loops {
            clock.time("loops");
            (pairs[1], unpaired[1], unpaired[2]) = self.find_loops(grid, gradient, is_traced, clock)?;
        }
        Ok((pairs, unpaired))
    }

    /// When the critical edges of a line or a plane enter that merge neither components nor cavities. There are none in
    /// a plane without periodic axes.
    fn unpaired_edges(&self, grid: &Grid) -> Vec<Entry> {
        let top = self.top.as_ref().filter(|_| grid.layout.closes_up());
        let Some(bottom) = self.bottom.as_ref().filter(|_| grid.layout.axes == 1 || top.is_some()) else {
            return Vec::new();
        };
        let merges_no_cavity = |edge: &&Cell| top.is_none_or(|top| !top.merges(**edge));
        bottom.split().1.iter().filter(merges_no_cavity).map(|edge| edge.entry()).collect()
    }

    /// The pairs of loops in space, and when the edges and the faces enter that are not paired.
    fn find_loops(
        &mut self,
        grid: &Grid,
        gradient: &Gradient,
        is_traced: bool,
        clock: &mut StageClock<'_>,
    ) -> Result<(Pairs, Vec<Entry>, Vec<Entry>), PersistenceError> {
        let (Some(bottom), Some(top)) = (&self.bottom, &self.top) else { return Ok(Default::default()) };
        // Edges are in filtration order, and faces in its reverse.
        let ((killers, mut births), (walls, mut deaths)) = (bottom.split(), top.split());
        if !is_traced {
            (self.bottom, self.top) = (None, None);
        }
        let is_dual = is_traced && grid.construction == Construction::T;
        let loops = if is_dual {
            drop(killers);
            let incidence = OfDual::new(grid, gradient);
            let edges = |faces: Vec<Cell>| parallel::found(faces.len(), |k| incidence.edge_of(faces[k]));
            births.reverse();
            Loops::reduce(&incidence, grid, edges(walls), edges(deaths), births, false, clock)?
        } else {
            drop(walls);
            deaths.reverse();
            let is_reversed = grid.construction.is_reversed();
            match Plain::of(grid, gradient) {
                Some(mut look) => {
                    look.prefetches = grid.has_few(births.len());
                    let incidence = OfGrid { grid, look };
                    Loops::reduce(&incidence, grid, killers, births, deaths, is_reversed, clock)?
                }
                None => {
                    let incidence = OfGrid { grid, look: Any { grid, gradient } };
                    Loops::reduce(&incidence, grid, killers, births, deaths, is_reversed, clock)?
                }
            }
        };
        let (pairs, edges, faces) = if is_dual {
            (loops.pairs_of_dual(grid), Vec::new(), Vec::new())
        } else {
            loops.pairs_of_grid(grid)
        };
        self.loops = Some(loops).filter(|_| is_traced);
        Ok((pairs, edges, faces))
    }
}

/// Loops: critical edges that close them and critical faces that fill them, in filtration order, with reduced columns.
pub(super) struct Loops {
    pub(super) edges: Vec<Cell>,
    pub(super) faces: Vec<Cell>,
    /// For each edge, the number of the face that fills its loop, or [`UNFILLED`].
    pub(super) fillers: Vec<u32>,
    pub(super) columns: Columns,
}

impl Loops {
    /// Reduces the columns of faces. `killers` are the critical edges that join components; `is_reversed` says that
    /// places on plateaus descend in the order.
    fn reduce(
        incidence: &impl Incidence,
        grid: &Grid,
        killers: Vec<Cell>,
        edges: Vec<Cell>,
        faces: Vec<Cell>,
        is_reversed: bool,
        clock: &mut StageClock<'_>,
    ) -> Result<Self, PersistenceError> {
        let rows = match grid.has_table_for(edges.len()) {
            true => Rows::new(incidence, &killers, grid.places()),
            false => Rows::of(incidence, &killers, &edges),
        };
        let columns = loops::reduce(incidence, rows, grid, &faces, is_reversed, clock)?;
        let fillers = columns.fillers(incidence, &edges);
        Ok(Loops { edges, faces, fillers, columns })
    }

    /// The edge of the loop with these places of birth and death; `before` counts earlier loops that have both.
    pub(super) fn edge(&self, grid: &Grid, birth: usize, death: usize, before: usize) -> Cell {
        let birth = grid.in_image(grid.entry(birth));
        let first = self.edges.partition_point(|edge| edge.entry() < birth);
        let dies_there = |(_, filler): &(&Cell, &u32)| {
            self.faces.get(**filler as usize).is_some_and(|&face| grid.place(face) == death)
        };
        let same = self.edges[first..].iter().zip(&self.fillers[first..]).filter(dies_there);
        let found = same.take_while(|(edge, _)| edge.entry() == birth).nth(before);
        *found.expect("a class is a pair of cells").0
    }

    /// The pairs of loops in the grid, in the order of the image's births, and when the edges enter whose loops are not
    /// filled, and the faces that fill none.
    fn pairs_of_grid(&self, grid: &Grid) -> (Pairs, Vec<Entry>, Vec<Entry>) {
        let Loops { edges, faces, fillers, .. } = self;
        // For each face, one more than the number of the edge whose loop it fills, or 0.
        let filled: Vec<AtomicU32> = vec![0; faces.len()].into_iter().map(AtomicU32::new).collect();
        parallel::ranges(edges.len(), PART, &|range| {
            for (edge, &filler) in
                range.clone().zip(&fillers[range]).filter(|(_, filler)| **filler != UNFILLED)
            {
                filled[filler as usize].store(edge as u32 + 1, Relaxed);
            }
        });
        let edge_of = |face: usize| filled[face].load(Relaxed).checked_sub(1);
        let pair = |edge: usize, face: usize| (edges[edge].entry(), faces[face].entry());
        let pairs = match grid.construction {
            Construction::V => parallel::found(edges.len(), |edge| {
                (fillers[edge] != UNFILLED).then(|| pair(edge, fillers[edge] as usize))
            }),
            Construction::T => {
                parallel::found(faces.len(), |face| edge_of(face).map(|edge| pair(edge as usize, face)))
            }
        };
        let open = |edge: usize| (fillers[edge] == UNFILLED).then(|| edges[edge].entry());
        let other = |face: usize| edge_of(face).is_none().then(|| faces[face].entry());
        (pairs, parallel::found(edges.len(), open), parallel::found(faces.len(), other))
    }

    /// The pairs in the grid of loops in the complex whose dual it is.
    fn pairs_of_dual(&self, grid: &Grid) -> Pairs {
        let pair = |(edge, &filler): (&Cell, &u32)| {
            (self.faces[filler as usize].entry(), grid.packing.mirrored(edge.entry()))
        };
        self.edges.iter().zip(&self.fillers).map(pair).collect()
    }
}

/// The classes of a dimension of the image, from pairs in the grid, and from when the unpaired cells enter there.
fn classes_of(grid: &Grid, mut pairs: Pairs, unpaired: Vec<Entry>) -> Vec<Class> {
    if grid.construction.is_reversed() {
        // A class is born in the image where it dies in the dual complex.
        parallel::pieces_mut(&mut pairs, PART, &|_, pairs| {
            let in_image = |(birth, death)| (grid.in_image(death), grid.in_image(birth));
            pairs.iter_mut().for_each(|pair| *pair = in_image(*pair));
        });
    }
    if pairs.first().map(|pair| pair.0) > pairs.last().map(|pair| pair.0) {
        pairs.reverse();
    }
    pairs.par_chunk_by_mut(|a, b| a.0 == b.0).for_each(<[_]>::sort_unstable);
    let is_class = |(birth, death): (Entry, Entry)| !grid.packing.are_equal(birth, death);
    let kept = parallel::found(pairs.len(), |k| is_class(pairs[k]).then_some(pairs[k]));
    drop(pairs);
    let place = |entry| grid.layout.in_memory(grid.packing.place(grid.in_image(entry)));
    let class = |(birth, death): (Entry, Entry)| Class { birth: place(birth), death: Some(place(death)) };
    let mut classes = parallel::table(kept.len(), |k| class(kept[k]));
    let mut births: Vec<Entry> = unpaired.into_iter().map(|entry| grid.in_image(entry)).collect();
    births.sort_unstable();
    for birth in births.into_iter().rev() {
        let at = kept.partition_point(|pair| pair.0 <= birth);
        classes.insert(at, Class { birth: place(birth), death: None });
    }
    classes
}
