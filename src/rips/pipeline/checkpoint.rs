//! The state of a run in its checkpoint, from which another run continues.
//!
//! | piece | content | saved |
//! |---|---|---|
//! | `collapse` | the collapsed graph | after the collapse |
//! | `dimension-D` | the bars of dimension D, and the pivots that clear dimension D+1 | after the dimension |
//! | `residue-D` | the columns of dimension D | after their construction |
//! | `reduction-D` | the reduced columns among them ([`State`](crate::rips::submatrix_reduction)) | repeatedly |
//!
//! Names begin with a checksum of the graph, which is that of the input or a collapsed one. A graph that was collapsed
//! differently, for example because a GPU is now available, has pieces of its own. Distances are ranked again, and
//! dimension 0 is computed again: both take less time than reading the results would save.
//!
//! A residue is restored with implicit apparent pairs, whatever the run used: [both layers](crate::rips::pair_store)
//! give the same answers.

use xxhash_rust::xxh3::Xxh3;
use zerocopy::IntoBytes;

use super::stages::{Dimension, Run};
use crate::diagram::Bar;
use crate::rips::edge_collapse::{Collapsed, Keep};
use crate::rips::filtration_construction::Residue;
use crate::rips::filtration_construction::cuda::ahead::Ahead;
use crate::rips::pair_store::{ApparentPairs, Below, Pivots};
use crate::rips::rank::{Edges, Layout, Ranking, Values};
use crate::rips::stats::DimensionStats;
use crate::rips::submatrix_reduction::{entries, reduction_name};
use crate::rips::word::{Word, limbs};
use crate::rips::{Plan, RipsError};
use crate::snapshot::{Checkpoint, Reader, SnapshotError, facts};

/// Kinds of the pieces.
const COLLAPSE: &str = "collapsed graph";
const DIMENSION: &str = "dimension of distances";
const RESIDUE: &str = "residue";

/// The checksum of a graph and of options that affect the results, as a prefix of names. `values` are the distances of
/// ranks, and others that affect the results.
fn checksum(numbers: &[u64], values: [&[f64]; 2], edges: &Edges) -> String {
    let mut sum = Xxh3::new();
    sum.update(numbers.as_bytes());
    for values in values {
        sum.update(&values.len().to_le_bytes());
        sum.update(values.as_bytes());
    }
    sum.update(edges.numbers.as_bytes());
    if let Layout::Pairs(pairs) = &edges.layout {
        pairs.iter().for_each(|&(i, j)| sum.update([i, j].as_bytes()));
    }
    format!("{:016x}-", sum.digest())
}

/// The distances of ranks that are listed, and otherwise the numbers that determine them.
fn parts(values: &Values) -> (&[f64], [u64; 2]) {
    match values {
        Values::Listed(values) => (values, [0; 2]),
        Values::Keys { least, ranks } => (&[], [u64::from(*least), *ranks as u64]),
    }
}

/// The common prefix of the names of a run's pieces on a graph.
pub(super) fn prefix(plan: &Plan, values: &Values, edges: &Edges, births: Option<&[f64]>) -> String {
    let (values, [least, ranks]) = parts(values);
    let numbers = [plan.points as u64, plan.entry_width.into(), plan.modulus.into(), least, ranks];
    checksum(&numbers, [values, births.unwrap_or_default()], edges)
}

/// Reads the entries of simplices of dimension `dim`.
fn simplices<W: Word>(
    run: &Run<'_>,
    dim: usize,
    payload: &mut Reader<'_>,
    what: &'static str,
) -> Result<Vec<W>, SnapshotError> {
    // Ranks are stored in 32 bits.
    entries(payload, what, &run.code(dim), run.plan.points, run.values.count() as u32)
}

impl Run<'_> {
    /// The bars and the pairs of a finished dimension, if the checkpoint has them. The devices' results for it are
    /// discarded.
    pub(super) fn load_dimension<W: Word>(
        &mut self,
        dim: usize,
        ahead: &mut Ahead,
    ) -> Result<Option<Dimension<W>>, RipsError> {
        let checkpoint = self.progress.checkpoint();
        let Some(snapshot) = checkpoint.load(&format!("dimension-{dim}"), DIMENSION)? else {
            return Ok(None);
        };
        let mut payload = snapshot.payload_of(DIMENSION)?;
        let stats: DimensionStats = payload.record("statistics")?;
        let bars: Vec<(f64, f64)> = payload.table("births and deaths")?;
        let bars = bars.into_iter().map(|(birth, death)| Bar { birth, death }).collect();
        let deaths = simplices::<W>(self, dim + 1, &mut payload, "pivots")?;
        payload.end()?;
        let pivots = Pivots::with_capacity(deaths.len())?;
        for pivot in deaths {
            // A pivot that occurs twice is inserted once.
            let _ = pivots.insert(pivot, 0);
        }
        self.swept(ahead.next(self.progress, &mut || false))?;
        self.stats.dimensions.push(stats);
        Ok(Some((bars, Below::new(pivots))))
    }

    /// Saves a finished dimension, and removes its residue and its partial reduction.
    pub(super) fn save_dimension<W: Word>(&self, dim: usize, bars: &[Bar], pivots: &Pivots<W>) {
        let checkpoint = self.progress.checkpoint();
        let Some(stats) = self.stats.dimensions.last().filter(|_| checkpoint.is_kept()) else { return };
        let facts = facts([("dimension", dim.to_string()), ("bars", bars.len().to_string())]);
        let count = pivots.iter().count() * W::LIMBS;
        let is_saved = checkpoint.save(&format!("dimension-{dim}"), DIMENSION, &facts, &mut |out| {
            out.record(stats)?;
            out.list(bars.len(), bars.iter().map(|bar| (bar.birth, bar.death)))?;
            out.list(count, pivots.iter().flat_map(|(pivot, _)| limbs(pivot)))
        });
        if is_saved {
            checkpoint.forget(&reduction_name(dim));
            checkpoint.forget(&format!("residue-{dim}"));
        }
    }

    /// The residue of a dimension, if the checkpoint has it.
    pub(super) fn load_residue<W: Word>(&mut self, dim: usize) -> Result<Option<Residue<W>>, RipsError> {
        let checkpoint = self.progress.checkpoint();
        let Some(snapshot) = checkpoint.load(&format!("residue-{dim}"), RESIDUE)? else {
            return Ok(None);
        };
        let mut payload = snapshot.payload_of(RESIDUE)?;
        let (stats, counts, pair_store) = payload.record("statistics")?;
        let columns = simplices::<W>(self, dim, &mut payload, "columns")?;
        if columns.windows(2).any(|pair| pair[0] <= pair[1]) {
            return Err(payload.unexpected("columns", "reverse filtration order", "another").into());
        }
        payload.end()?;
        self.stats.dimensions.push(stats);
        Ok(Some(Residue { columns, apparent: ApparentPairs::Implicit, counts, pair_store }))
    }

    /// Saves a residue.
    pub(super) fn save_residue<W: Word>(&self, dim: usize, residue: &Residue<W>, stats: &DimensionStats) {
        let checkpoint = self.progress.checkpoint();
        if !checkpoint.is_kept() {
            return;
        }
        let Residue { columns, counts, pair_store, .. } = residue;
        let facts = facts([("dimension", dim.to_string()), ("columns", columns.len().to_string())]);
        checkpoint.save(&format!("residue-{dim}"), RESIDUE, &facts, &mut |out| {
            out.record(&(stats, counts, pair_store))?;
            out.list(columns.len() * W::LIMBS, columns.iter().flat_map(|&column| limbs(column)))
        });
    }
}

/// The name of the piece of a collapse: by the graph and the bars whose order the collapse keeps.
pub(super) fn collapse_name(points: usize, whole: &Ranking, keep: Keep<'_>, is_whole: bool) -> String {
    let (values, [least, ranks]) = parts(&whole.values);
    let numbers = [points as u64, keep.plane.into(), is_whole.into(), least, ranks];
    format!("{}collapse", checksum(&numbers, [values, keep.born_at], &whole.edges))
}

/// The collapse of a graph of `points` points, if the checkpoint has it.
pub(super) fn load_collapse(
    checkpoint: &dyn Checkpoint,
    name: &str,
    points: usize,
) -> Result<Option<Collapsed>, SnapshotError> {
    let Some(snapshot) = checkpoint.load(name, COLLAPSE)? else { return Ok(None) };
    let mut payload = snapshot.payload_of(COLLAPSE)?;
    let collapsed: Collapsed = payload.table("graph")?;
    let Collapsed { graph: Ranking { values, edges }, repeated, .. } = &collapsed;
    let (Values::Listed(values), Layout::Pairs(pairs)) = (values, &edges.layout) else {
        return Err(payload.unexpected("graph", "values and edges in lists", "others"));
    };
    let ascends = |values: &[f64]| values.is_sorted() && values.iter().all(|value| !value.is_nan());
    if !ascends(values) || !ascends(repeated) {
        return Err(payload.unexpected("values", "ascending numbers", "others"));
    }
    let is_edge = |&(i, j): &(u32, u32)| i > j && (i as usize) < points;
    let are_ranked = edges.points == points
        && edges.numbers.len() == pairs.len()
        && edges.numbers.iter().all(|&rank| (rank as usize) < values.len());
    if !pairs.iter().all(is_edge) || !are_ranked {
        return Err(payload.unexpected("edges", "edges of this graph", "others"));
    }
    payload.end()?;
    Ok(Some(collapsed))
}

/// Saves a collapse.
pub(super) fn save_collapse(checkpoint: &dyn Checkpoint, name: &str, collapsed: &Collapsed) {
    let stats = &collapsed.stats;
    let facts = facts([("edges before", stats.before.to_string()), ("edges", stats.after.to_string())]);
    checkpoint.save(name, COLLAPSE, &facts, &mut |out| out.record(collapsed));
}
