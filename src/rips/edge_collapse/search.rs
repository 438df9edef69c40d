//! The search for the ranks to which an edge can be moved.
//!
//! The edges of a *batch* are searched at the same time, from the state of the graph before any of them is moved. Let e
//! = {u, v} be one of them and t its rank.
//!
//! 1. *At rank t.* Let C be u, v and their common neighbours by edges not taken before the batch, as bits. A vertex w
//!    dominates e at t if it is in C and adjacent to all of C, which is again a test of bits. For most edges, most w
//!    fail at the first word.
//! 2. *Edges of the batch.* Those with ranks greater than t count as present in the bits. Therefore C may have a few
//!    vertices too many, which only costs a few moves. But no such edge may join w to a vertex of C that becomes a
//!    common neighbour before the edge enters.
//! 3. *End of domination.* The common neighbours that come later, by edges that were already taken, are sorted by τ; w
//!    dominates e until the first of them that is not yet adjacent to w.
//! 4. *Further steps.* The greatest rank until which a vertex dominates e is the next scale, from which the search
//!    continues with all common neighbours up to that scale.

use super::graph::{Graph, Incident, bits};
use super::pins::Pin;
use crate::rips::complex::ABSENT;

/// An edge and its rank.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) ends: [usize; 2],
    pub(super) rank: u32,
}

impl Edge {
    /// The place of the edge in the order of edges.
    pub(super) fn place(self) -> usize {
        self.rank as usize - 1
    }
}

/// The edge at a place in the order of edges.
pub(super) fn edge_at(place: usize, (i, j): (u32, u32)) -> Edge {
    Edge { ends: [i as usize, j as usize], rank: place as u32 + 1 }
}

/// A statement that a vertex dominates an edge until a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Step {
    /// The place of the edge in the order of edges. The fields are ordered so that steps sort by edge, then by rank.
    pub(super) edge: usize,
    pub(super) until: u32,
    pub(super) dominator: u32,
}

/// A common neighbour after its τ, the rank from which on it is one.
type Entry = (u32, u32);

/// Scratch space of a search, what it found, and the work it did.
#[derive(Default)]
pub(super) struct Searcher {
    /// The nonzero words of C, each after its place in the row.
    pub(super) common: Vec<(u32, u64)>,
    /// Common neighbours up to the current scale.
    now: Vec<Entry>,
    /// Common neighbours that come later, ascending by τ.
    later: Vec<Entry>,
    /// The steps found, those of one edge one after another.
    pub(super) steps: Vec<Step>,
    /// Pins of edges that must stay, so that the order of the bars is kept.
    pub(super) pins: Vec<Pin>,
    /// Number of words and entries read.
    pub(super) work: u64,
}

/// Cost of listing and sorting an entry, in entries read.
const SORTED: u64 = 8;

impl Searcher {
    /// Searches for how far an edge can be moved. `guesses` are vertices tried first, `batch` the edges that are
    /// searched at the same time. If `pins` is true, an edge that cannot be moved pins others.
    pub(super) fn search(
        &mut self,
        graph: &Graph,
        batch: &Incident,
        edge: Edge,
        guesses: [usize; 2],
        pins: bool,
    ) {
        let [u, v] = edge.ends;
        self.common.clear();
        let rows = graph.untaken(u).iter().zip(graph.untaken(v));
        let words = rows.zip(0..).map(|((a, b), place)| (place, a & b));
        self.common.extend(words.filter(|&(_, word)| word != 0));
        self.work += graph.words as u64;
        match self.first(graph, batch, edge, guesses) {
            Some(step) => {
                self.steps.push(step);
                if step.until != ABSENT {
                    self.go_on(graph, edge, step);
                }
            }
            None if pins => self.pin(graph, batch, edge),
            None => {}
        }
    }

    /// The vertex that dominates the edge from its own rank on for the longest, if there is one.
    fn first(&mut self, graph: &Graph, batch: &Incident, edge: Edge, guesses: [usize; 2]) -> Option<Step> {
        let Searcher { common, later, work, .. } = self;
        let guesses = guesses.into_iter().filter(|&w| graph.joins_untaken(w, edge.ends));
        let all = common.iter().flat_map(|&(place, word)| bits(place as usize, word));
        let mut is_listed = false;
        let mut best: Option<Step> = None;
        for w in guesses.chain(all).filter(|w| !edge.ends.contains(w)) {
            let row = graph.untaken(w);
            *work += 1;
            if common.iter().any(|&(place, word)| word & !row[place as usize] != 0) {
                continue;
            }
            if !is_listed {
                list_later(graph, edge, later);
                *work += graph.words as u64 + SORTED * later.len() as u64;
                is_listed = true;
            }
            let until = until_later(graph, w, until_batch(graph, batch, edge, w), later, work);
            if until > best.map_or(edge.rank, |best| best.until) {
                best = Some(Step { edge: edge.place(), until, dominator: w as u32 });
                if until == ABSENT {
                    break;
                }
            }
        }
        best
    }

    /// Continues the search from the rank until which `first` dominates the edge.
    fn go_on(&mut self, graph: &Graph, edge: Edge, first: Step) {
        let Searcher { common, now, later, steps, work, .. } = self;
        now.clear();
        for x in common.iter().flat_map(|&(place, word)| bits(place as usize, word)) {
            let entry = entry(graph, edge, x);
            if entry.0 <= edge.rank { now.push(entry) } else { later.push(entry) }
        }
        later.sort_unstable();
        *work += now.len() as u64 + SORTED * later.len() as u64;
        let mut come = 0;
        let mut best = first;
        loop {
            let scale = best.until;
            let coming = later[come..].partition_point(|&(rank, _)| rank <= scale);
            now.extend_from_slice(&later[come..come + coming]);
            come += coming;
            // The vertex that came last is the likeliest to be adjacent to all.
            for &(_, w) in now.iter().rev() {
                let w_row = w as usize;
                if edge.ends.contains(&w_row) {
                    continue;
                }
                let failing = now.iter().position(|&(_, x)| graph.rank(w_row, x as usize) > scale);
                *work += failing.unwrap_or(now.len()) as u64 + 1;
                if failing.is_some() {
                    continue;
                }
                let until = until_later(graph, w_row, ABSENT, &later[come..], work);
                if until > best.until {
                    best = Step { until, dominator: w, ..best };
                    if until == ABSENT {
                        break;
                    }
                }
            }
            if best.until == scale {
                return;
            }
            steps.push(best);
            if best.until == ABSENT {
                return;
            }
        }
    }
}

/// τ of a common neighbour of an edge's ends, or of an end itself.
fn entry(graph: &Graph, edge: Edge, x: usize) -> Entry {
    let [u, v] = edge.ends;
    let rank = if edge.ends.contains(&x) { edge.rank } else { graph.rank(u, x).max(graph.rank(v, x)) };
    (rank.max(edge.rank), x as u32)
}

/// Lists the common neighbours by edges that were taken before the batch, ascending by τ.
fn list_later(graph: &Graph, edge: Edge, later: &mut Vec<Entry>) {
    let [u, v] = edge.ends;
    later.clear();
    let present = graph.present(u).iter().zip(graph.present(v));
    let untaken = graph.untaken(u).iter().zip(graph.untaken(v));
    for (place, ((a, b), (c, d))) in present.zip(untaken).enumerate() {
        later.extend(bits(place, a & b & !(c & d)).map(|x| entry(graph, edge, x)));
    }
    later.sort_unstable();
}

/// The rank until which w, which dominates the edge by its bits, does so given the edges of the batch after that edge.
fn until_batch(graph: &Graph, batch: &Incident, edge: Edge, w: usize) -> u32 {
    let after = batch.at(w).iter().filter(|&&(_, rank)| rank > edge.rank);
    let common = after.filter(|&&(x, _)| graph.joins_untaken(x as usize, edge.ends));
    let failing = common.filter_map(|&(x, rank)| {
        let (from, _) = entry(graph, edge, x as usize);
        (rank > from).then_some(from)
    });
    failing.min().unwrap_or(ABSENT)
}

/// The rank until which w dominates the edge given the common neighbours in `later`; `until` is the rank without these.
fn until_later(graph: &Graph, w: usize, until: u32, later: &[Entry], work: &mut u64) -> u32 {
    for &(from, x) in later.iter().take_while(|&&(from, _)| from < until) {
        *work += 1;
        if graph.rank(w, x as usize) > from {
            return from;
        }
    }
    until
}
