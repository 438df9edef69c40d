//! How far an edge can be moved.
//!
//! Edges of a *batch* are searched for at the same time, from the state of the graph before any of them is moved. Let e = {u, v} be one of
//! them, t its rank.
//!
//! 1. *Now.* C are the common neighbours of u and v, and these themselves, by edges that were not taken before the batch: bits. A vertex w
//!    dominates e at t if it is in C and C is among its neighbours: bits again. Of most edges, most w fail at the first word.
//! 2. *Exactly.* Edges of the batch with greater ranks than t count as present in the bits, so that C may have a few vertices too many, which
//!    costs a few moves and nothing else. But w must not be joined to a vertex of C by such an edge before that vertex is a common neighbour.
//! 3. *For how long.* The common neighbours that come later, by edges that were taken already, are sorted by τ; w dominates e until the first
//!    that is no neighbour of w then.
//! 4. *From then on.* The longest that a vertex dominates e is the next scale, at which the search goes on, among all common neighbours by then.

use super::graph::{Graph, Incident, bits};
use super::pins::Pin;
use super::ranks::Ranks;
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

/// The edge at a place of the order.
pub(super) fn edge_at(place: usize, (i, j): (u32, u32)) -> Edge {
    Edge { ends: [i as usize, j as usize], rank: place as u32 + 1 }
}

/// A vertex dominates an edge until a rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Step {
    /// The place of the edge in the order of edges, and then the rank until which it is dominated.
    pub(super) edge: usize,
    pub(super) until: u32,
    pub(super) dominator: u32,
}

/// A rank from which on a vertex is a common neighbour.
type Entry = (u32, u32);

/// The room that a search takes, and the work it did.
#[derive(Default)]
pub(super) struct Searcher {
    /// The words of C that are not zero, and their places.
    pub(super) common: Vec<(u32, u64)>,
    /// Common neighbours at the present scale.
    now: Vec<Entry>,
    /// Common neighbours that come later, ascending.
    later: Vec<Entry>,
    /// What was found: the steps of an edge one after another.
    pub(super) steps: Vec<Step>,
    /// What must not be moved, so that the order of bars is kept.
    pub(super) pins: Vec<Pin>,
    /// Words and entries looked at.
    pub(super) work: u64,
}

/// What it takes to list and sort an entry, in entries that are looked at.
const SORTED: u64 = 8;

impl Searcher {
    /// Searches for how far an edge can be moved. `guesses` are vertices that are asked first, `batch` the edges that are searched for at the
    /// same time. If `pins` is true, an edge that cannot be moved pins others.
    pub(super) fn search<R: Ranks>(
        &mut self,
        graph: &Graph<R>,
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

    /// The vertex that dominates the edge at its own rank for the longest, if one does.
    fn first<R: Ranks>(
        &mut self,
        graph: &Graph<R>,
        batch: &Incident,
        edge: Edge,
        guesses: [usize; 2],
    ) -> Option<Step> {
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

    /// Goes on from the rank until which a vertex dominates the edge.
    fn go_on<R: Ranks>(&mut self, graph: &Graph<R>, edge: Edge, first: Step) {
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
            // Who came last is the likeliest to be joined to all.
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

/// τ of a common neighbour of the ends of an edge, or of an end.
fn entry<R: Ranks>(graph: &Graph<R>, edge: Edge, x: usize) -> Entry {
    let [u, v] = edge.ends;
    let rank = if edge.ends.contains(&x) { edge.rank } else { graph.rank(u, x).max(graph.rank(v, x)) };
    (rank.max(edge.rank), x as u32)
}

/// Lists the common neighbours by edges that were taken before the batch, ascending by τ.
fn list_later<R: Ranks>(graph: &Graph<R>, edge: Edge, later: &mut Vec<Entry>) {
    let [u, v] = edge.ends;
    later.clear();
    let present = graph.present(u).iter().zip(graph.present(v));
    let untaken = graph.untaken(u).iter().zip(graph.untaken(v));
    for (place, ((a, b), (c, d))) in present.zip(untaken).enumerate() {
        later.extend(bits(place, a & b & !(c & d)).map(|x| entry(graph, edge, x)));
    }
    later.sort_unstable();
}

/// Until when w, whose bits say that it dominates the edge, does so in view of the edges of the batch that come after the edge.
fn until_batch<R: Ranks>(graph: &Graph<R>, batch: &Incident, edge: Edge, w: usize) -> u32 {
    let after = batch.at(w).iter().filter(|&&(_, rank)| rank > edge.rank);
    let common = after.filter(|&&(x, _)| graph.joins_untaken(x as usize, edge.ends));
    let failing = common.filter_map(|&(x, rank)| {
        let (from, _) = entry(graph, edge, x as usize);
        (rank > from).then_some(from)
    });
    failing.min().unwrap_or(ABSENT)
}

/// Until when w, which dominates the edge until a rank but for the common neighbours that come later, dominates it in view of those.
fn until_later<R: Ranks>(graph: &Graph<R>, w: usize, until: u32, later: &[Entry], work: &mut u64) -> u32 {
    for &(from, x) in later.iter().take_while(|&&(from, _)| from < until) {
        *work += 1;
        if graph.rank(w, x as usize) > from {
            return from;
        }
    }
    until
}
