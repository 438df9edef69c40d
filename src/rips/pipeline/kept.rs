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

use super::Setting;
use super::stages::Run;
use crate::diagram::Bar;
use crate::memory::Refused;
use crate::rips::edge_collapse::{Collapsed, Keep};
use crate::rips::filtration_construction::cuda::ahead::Ahead;
use crate::rips::filtration_construction::{Residue, SimplexCounts};
use crate::rips::pair_store::{ApparentPairs, Layer2Seconds, PairStore, Pivots};
use crate::rips::rank::{Edges, Ranked, RankedEdges, Ranking, Values};
use crate::rips::stats::DimensionStats;
use crate::rips::submatrix_reduction::{forget, is_entry};
use crate::rips::word::{Word, limbs, words};
use crate::rips::{Plan, RipsError};
use crate::snapshot::{Checkpoint, Kind, Reader, SnapshotError, facts};

/// A finished dimension.
pub(super) struct KeptDimension<W> {
    pub(super) bars: Vec<Bar>,
    /// The pairs that clear the next dimension.
    pub(super) pairs: PairStore<W>,
}

/// A checksum of a graph and of the options that affect the results.
struct Sum(Xxh3);

impl Sum {
    fn numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|number| self.0.update(&number.to_le_bytes()));
    }

    fn values(&mut self, values: &[f64]) {
        self.numbers(&[values.len() as u64]);
        values.iter().for_each(|value| self.0.update(&value.to_bits().to_le_bytes()));
    }

    fn edges(&mut self, edges: &Edges) {
        match edges {
            Edges::Lower(ranks) => self.0.update(ranks.as_bytes()),
            Edges::List(edges) => edges.iter().for_each(|&(i, j, rank)| {
                self.0.update([i, j, rank].as_bytes());
            }),
        }
    }

    fn end(self) -> String {
        format!("{:016x}-", self.0.digest())
    }
}

/// The common prefix of the names of a run's pieces on a graph; `None` if nothing is saved.
pub(super) fn prefix(plan: &Plan, ranked: &Ranked, setting: &Setting<'_>) -> Option<String> {
    if setting.representatives.is_some() || !setting.progress.checkpoint().is_kept() {
        return None;
    }
    let mut sum = Sum(Xxh3::new());
    sum.numbers(&[plan.points as u64, plan.entry_width.into(), plan.modulus.into()]);
    match &ranked.values {
        Values::Listed(values) => sum.values(values),
        Values::Keys { least, ranks } => sum.numbers(&[(*least).into(), *ranks as u64]),
    }
    sum.values(setting.births.unwrap_or_default());
    match &ranked.edges {
        RankedEdges::Square(ranks) => sum.0.update(ranks.as_bytes()),
        RankedEdges::Other(edges) => sum.edges(edges),
    }
    Some(sum.end())
}

/// Reads the entries of a table and checks that they are simplices of dimension `dim`.
fn entries<W: Word>(
    run: &Run<'_>,
    dim: usize,
    payload: &mut Reader<'_>,
    what: &'static str,
) -> Result<Vec<W>, SnapshotError> {
    let table = payload.u64s(what)?;
    let found = words::<W>(table).map_err(|refused| {
        let found = refused.map_or("a part of one".to_owned(), |refused: Refused| refused.to_string());
        payload.unexpected(what, "whole entries, and memory for them", found)
    })?;
    let (code, mut vertices) = (run.code::<W>(dim), Vec::new());
    // Ranks are stored in 32 bits.
    let (points, ranks) = (run.plan.points, run.values.len() as u32);
    if found.iter().all(|&entry| is_entry(entry, &code, points, ranks, &mut vertices)) {
        return Ok(found);
    }
    Err(payload.unexpected(what, format!("simplices of dimension {dim} of this graph"), "others"))
}

impl Run<'_> {
    fn keeper(&self) -> &dyn Checkpoint {
        self.progress.checkpoint()
    }

    /// The bars and the pairs of a finished dimension, if the checkpoint has them. The devices' results for it are
    /// discarded.
    pub(super) fn kept_dimension<W: Word>(
        &mut self,
        dim: usize,
        ahead: &mut Ahead,
    ) -> Result<Option<KeptDimension<W>>, RipsError> {
        let found = self.keeper().load(&format!("dimension-{dim}"), Kind::RipsDimension)?;
        let Some(snapshot) = found else { return Ok(None) };
        let mut payload = snapshot.payload()?;
        let stats: String = payload.record("figures")?;
        let (births, deaths) = (payload.f64s("births")?, payload.f64s("deaths")?);
        if births.len() != deaths.len() {
            return Err(payload.unexpected("deaths", births.len(), deaths.len()).into());
        }
        let bars = births.zip(deaths).map(|(birth, death)| Bar { birth, death }).collect();
        let deaths = entries::<W>(self, dim + 1, &mut payload, "pivots")?;
        let pivots = Pivots::with_capacity(deaths.len())?;
        for pivot in deaths {
            // A pivot that occurs twice is inserted once.
            let _ = pivots.insert(pivot, 0);
        }
        let stats = serde_json::from_str::<DimensionStats>(&stats);
        let stats = stats.map_err(|error| payload.unexpected("figures", "those of a dimension", error))?;
        payload.end()?;
        self.swept(ahead)?;
        self.stats.dimensions.push(stats);
        Ok(Some(KeptDimension { bars, pairs: PairStore { pivots, apparent: ApparentPairs::Implicit } }))
    }

    /// Saves a finished dimension, and removes its residue and its partial reduction.
    pub(super) fn keep_dimension<W: Word>(&self, dim: usize, bars: &[Bar], pivots: &Pivots<W>) {
        if !self.keeper().is_kept() {
            return;
        }
        let stats = self.stats.dimensions.last().and_then(|stats| serde_json::to_string(stats).ok());
        let told = facts([("dimension", dim.to_string()), ("bars", bars.len().to_string())]);
        let births: Vec<f64> = bars.iter().map(|bar| bar.birth).collect();
        let deaths: Vec<f64> = bars.iter().map(|bar| bar.death).collect();
        let count = pivots.iter().count() * W::LIMBS;
        let is_kept =
            self.keeper().save(&format!("dimension-{dim}"), Kind::RipsDimension, &told, &mut |out| {
                out.record(&stats.as_deref().unwrap_or("{}"))?;
                out.f64s(&births)?;
                out.f64s(&deaths)?;
                out.u64s_of(count, pivots.iter().flat_map(|(pivot, _)| limbs(pivot)))
            });
        if is_kept {
            forget(self.keeper(), dim);
            self.keeper().forget(&format!("residue-{dim}"));
        }
    }

    /// The residue of a dimension, if the checkpoint has it.
    pub(super) fn kept_residue<W: Word>(&mut self, dim: usize) -> Result<Option<Residue<W>>, RipsError> {
        let found = self.keeper().load(&format!("residue-{dim}"), Kind::RipsResidue)?;
        let Some(snapshot) = found else { return Ok(None) };
        let mut payload = snapshot.payload()?;
        let stats: String = payload.record("figures")?;
        let [simplices, cleared, apparent, layer1_reads]: [u64; 4] = payload.record("counts")?;
        let columns = entries::<W>(self, dim, &mut payload, "columns")?;
        if columns.windows(2).any(|pair| pair[0] <= pair[1]) {
            return Err(payload.unexpected("columns", "reverse filtration order", "another").into());
        }
        let stats = serde_json::from_str::<DimensionStats>(&stats);
        let stats = stats.map_err(|error| payload.unexpected("figures", "those of a dimension", error))?;
        payload.end()?;
        self.stats.dimensions.push(stats);
        let counts = SimplexCounts { simplices, cleared, apparent };
        let layer2_seconds = Layer2Seconds::default();
        Ok(Some(Residue { columns, apparent: ApparentPairs::Implicit, counts, layer1_reads, layer2_seconds }))
    }

    /// Saves a residue.
    pub(super) fn keep_residue<W: Word>(&self, dim: usize, residue: &Residue<W>, stats: &DimensionStats) {
        if !self.keeper().is_kept() {
            return;
        }
        let Residue { columns, counts, layer1_reads, .. } = residue;
        let told = facts([("dimension", dim.to_string()), ("columns", columns.len().to_string())]);
        let stats = serde_json::to_string(stats).unwrap_or_else(|_| "{}".to_owned());
        let counts = [counts.simplices, counts.cleared, counts.apparent, *layer1_reads];
        self.keeper().save(&format!("residue-{dim}"), Kind::RipsResidue, &told, &mut |out| {
            out.record(&stats)?;
            out.record(&counts)?;
            out.u64s_of(columns.len() * W::LIMBS, columns.iter().flat_map(|&column| limbs(column)))
        });
    }

    /// Ends the run before a dimension, and drops the statistics of that dimension.
    pub(super) fn end_before(&mut self, dim: usize) {
        self.stats.dimensions.retain(|stats| stats.dim < dim);
        self.unfinished = Some(dim);
    }
}

/// The name of a collapse, which depends on the graph and on the bars whose order it keeps.
pub(super) fn name_of_collapse(points: usize, whole: &Ranking, keep: Keep<'_>, is_whole: bool) -> String {
    let mut sum = Sum(Xxh3::new());
    sum.numbers(&[points as u64, keep.plane.into(), is_whole.into()]);
    sum.values(keep.born_at);
    sum.values(&whole.values);
    sum.edges(&whole.edges);
    format!("{}collapse", sum.end())
}

/// The collapse of this name, if the checkpoint has it.
pub(super) fn kept_collapse(
    checkpoint: &dyn Checkpoint,
    name: &str,
    points: usize,
) -> Result<Option<Collapsed>, SnapshotError> {
    let Some(snapshot) = checkpoint.load(name, Kind::RipsCollapse)? else { return Ok(None) };
    let mut payload = snapshot.payload()?;
    let figures = payload.record("figures")?;
    let values: Vec<f64> = payload.f64s("values")?.collect();
    let repeated: Vec<f64> = payload.f64s("repeated values")?.collect();
    let edges = payload.u32s("edges")?;
    let ascends = |values: &[f64]| values.is_sorted() && values.iter().all(|value| !value.is_nan());
    if !ascends(&values) || !ascends(&repeated) {
        return Err(payload.unexpected("values", "ascending numbers", "others"));
    }
    let mut list = Vec::with_capacity(edges.len() / 3);
    for edge in edges.chunks(3) {
        match *edge {
            [i, j, rank] if i > j && (i.get() as usize) < points && (rank.get() as usize) < values.len() => {
                list.push((i.get(), j.get(), rank.get()));
            }
            _ => return Err(payload.unexpected("edges", "edges of this graph", "others")),
        }
    }
    payload.end()?;
    Ok(Some(Collapsed { graph: Ranking { values, edges: Edges::List(list) }, repeated, figures }))
}

/// Saves a collapse.
pub(super) fn keep_collapse(checkpoint: &dyn Checkpoint, name: &str, collapsed: &Collapsed) {
    let Collapsed { graph: Ranking { values, edges: Edges::List(edges) }, repeated, figures } = collapsed
    else {
        // A collapsed graph is a list of edges, so this does not happen.
        return;
    };
    let told = facts([("edges before", figures.before.to_string()), ("edges", edges.len().to_string())]);
    let edges: Vec<u32> = edges.iter().flat_map(|&(i, j, rank)| [i, j, rank]).collect();
    checkpoint.save(name, Kind::RipsCollapse, &told, &mut |out| {
        out.record(figures)?;
        out.f64s(values)?;
        out.f64s(repeated)?;
        out.u32s(&edges)
    });
}
