//! Edge collapse in batches.
//!
//! All threads first search, for each edge of a batch, how far it can be moved. Then one thread moves the edges in
//! turn, the last first, each as far as is still valid. A move within the batch can invalidate a result only if one end
//! of the moved edge is the dominating vertex w: where instead x becomes a common neighbour of u and v later, or never,
//! w has less to dominate. So the result does not depend on the number of threads.
//!
//! Batches of 256 edges leave 1 to 6 % more edges than moving them one by one would, and the moves take a twentieth of
//! the time of the searches.
//!
//! Sixteen threads search a batch in some ten microseconds, less than it takes to wake a thread. So all threads stay
//! awake and wait for the next batch while the first of them moves the edges ([`batch_pool`](super::batch_pool)). That
//! time is also less than a core needs to fetch changed cache lines from another core, and a batch changes nearly every
//! row of a small graph. So each thread has its own copy of a small graph, to which it applies the same moves
//! ([`replica`](super::replica)).

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::{Mutex, PoisonError, RwLock};

use super::CostTest;
use super::batch_pool;
use super::graph::{self, Graph, Incident};
use super::pins::{Pin, Pinned};
use super::replica::{self, Move, Replica};
use super::search::{Edge, Searcher, Step, edge_at};
use crate::memory::{self, Refused};
use crate::parallel::lock;
use crate::progress::{Progress, check};
use crate::rips::complex::ABSENT;
use crate::rips::rank::{Edges, Layout};
use crate::rips::stats::CollapseStats;

/// Maximum number of edges in a batch.
const BATCH: usize = 256;
/// Minimum number of batches, unless they would have fewer than [`LEAST`] edges.
const BATCHES: usize = 256;
/// Minimum number of edges in a batch.
const LEAST: usize = 8;
/// Minimum number of words of adjacency rows per thread and batch; each edge counts as [`WORDS_AN_EDGE`] words more.
const WORDS_A_THREAD: usize = 256;
/// Fixed cost of an edge, in words read.
const WORDS_AN_EDGE: usize = 4;
/// Number of chunks of a batch that each thread takes on average.
const TIMES: usize = 2;
/// Number of times that the cost test is evaluated in a collapse of all edges, besides the first.
const QUESTIONS: usize = 64;
/// The cost test is evaluated for the first time when one edge in this many is tried, but [`FIRST_LEAST`] edges at
/// least. Where the longest edges cannot be removed, as on a sphere, nothing is gained and each search takes long.
const FIRST_PART: usize = 1024;
/// Minimum number of edges tried before the first evaluation, if [`QUESTIONS`] does not ask for fewer.
const FIRST_LEAST: usize = 512;

/// Collapses edges, given in filtration order. If `pins` is set, edges are pinned that keep the bars of dimension 2 in
/// order, and in any case the links of the edges at the places `links_of`.
///
/// # Errors
/// There is no memory for the graph.
pub(super) fn collapse(
    points: usize,
    edges: &[(u32, u32)],
    (pins, links_of): (bool, &[usize]),
    cost_test: Option<CostTest<'_>>,
    progress: &dyn Progress,
) -> Result<(Edges, CollapseStats), Refused> {
    let graph = Graph::new(points, edges)?;
    let size = (edges.len() / BATCHES).clamp(LEAST, BATCH);
    let threads = (size * (graph.words + WORDS_AN_EDGE)).div_ceil(WORDS_A_THREAD);
    let threads = threads.min(rayon::current_num_threads());
    let mut state = State {
        graph,
        batch: Incident::none(points),
        moved: Incident::none(points),
        dominators: vec![0; points],
        pins,
        pinned: Pinned::none(edges.len())?,
        moves: (threads > 1 && replica::is_small(points, edges.len())).then(Vec::new),
        start: edges.len(),
        end: edges.len(),
        stats: CollapseStats { before: edges.len(), after: edges.len(), ..CollapseStats::default() },
    };
    for &place in links_of {
        state.pinned.pin_link(&state.graph, edge_at(place, edges[place]));
    }
    let mut spending = cost_test.map(|test| test.begin(edges.len(), graph::bytes(points, edges.len())));
    let first = (edges.len() / FIRST_PART).max(FIRST_LEAST).min(edges.len() / QUESTIONS);
    let mut next_question = edges.len() - first;
    let scratch: Vec<Mutex<Thread>> = (0..threads).map(|_| Mutex::default()).collect();
    let state = RwLock::new(state);
    batch_pool::work(
        threads,
        size.div_ceil(TIMES * threads),
        // Moves the edges of the last batch and begins the next one.
        &mut || {
            check(progress);
            let mut state = state.write().unwrap_or_else(PoisonError::into_inner);
            let batch = &edges[state.start..state.end];
            state.move_edges(batch, &scratch);
            if state.start == 0 {
                return 0;
            }
            if state.start <= next_question && state.start < edges.len() {
                let work = scratch.iter().map(|thread| lock(thread).searcher.work).sum();
                let (after, tried) = (state.stats.after, edges.len() - state.start);
                if spending.as_mut().is_some_and(|spending| !spending.goes_on(after, tried, work)) {
                    return 0;
                }
                next_question = state.start.saturating_sub(edges.len() / QUESTIONS);
            }
            state.begin(size, edges)
        },
        &|thread, numbers| {
            let state = state.read().unwrap_or_else(PoisonError::into_inner);
            state.search(edges, numbers, &mut lock(&scratch[thread]));
        },
    );
    let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut stats = state.stats;
    stats.tried = edges.len() - state.start;
    let ranked = edges.iter().map(|&(i, j)| ((i, j), state.graph.rank(i as usize, j as usize)));
    let (mut pairs, mut numbers) = (memory::with_room(stats.after)?, memory::with_room(stats.after)?);
    for (pair, rank) in ranked.filter(|&(_, rank)| rank != ABSENT) {
        pairs.push(pair);
        numbers.push(rank);
    }
    Ok((Edges { points, numbers, layout: Layout::Pairs(pairs) }, stats))
}

struct State {
    graph: Graph,
    /// The edges of the batch by vertex; unused if threads have replicas.
    batch: Incident,
    /// The edges of the batch that were moved, with their new ranks.
    moved: Incident,
    /// For each vertex, the dominator of the edge last removed there: it is likely to dominate the next one too.
    dominators: Vec<u32>,
    /// Whether edges pin the edges to the components of their links, for the order of bars of dimension 2.
    pins: bool,
    pinned: Pinned,
    /// All moves so far, if threads have replicas.
    moves: Option<Vec<Move>>,
    /// The batch is `start..end` in the order of edges.
    start: usize,
    end: usize,
    stats: CollapseStats,
}

/// The scratch of one thread.
#[derive(Default)]
struct Thread {
    searcher: Searcher,
    /// The thread's copy of a small graph, made in its first batch.
    replica: Option<Replica>,
}

impl State {
    /// Begins the batch of `size` edges before this one; returns its number of edges, which is smaller for the last
    /// batch.
    fn begin(&mut self, size: usize, edges: &[(u32, u32)]) -> usize {
        self.end = self.start;
        self.start = self.end.saturating_sub(size);
        if self.moves.is_none() {
            self.batch.add_all(self.start, &edges[self.start..self.end]);
        }
        self.end - self.start
    }

    /// Searches how far the edges at these indices of the batch can be moved.
    fn search(&self, edges: &[(u32, u32)], numbers: Range<usize>, thread: &mut Thread) {
        let Thread { searcher, replica } = thread;
        let (graph, batch) = match &self.moves {
            None => (&self.graph, &self.batch),
            Some(moves) => {
                let replica =
                    replica.get_or_insert_with(|| Replica::new(self.graph.clone(), moves.len(), self.end));
                replica.catch_up(edges, self.start..self.end, moves)
            }
        };
        for place in numbers.map(|number| self.start + number) {
            let edge = edge_at(place, edges[place]);
            let guesses = edge.ends.map(|x| self.dominators[x] as usize);
            searcher.search(graph, batch, edge, guesses, self.pins);
        }
    }

    /// Moves the edges of the batch by the steps found, the last edge first.
    fn move_edges(&mut self, edges: &[(u32, u32)], scratch: &[Mutex<Thread>]) {
        let (mut steps, mut pins): (Vec<Step>, Vec<Pin>) = Default::default();
        for mut thread in scratch.iter().map(lock) {
            steps.append(&mut thread.searcher.steps);
            pins.append(&mut thread.searcher.pins);
        }
        steps.sort_unstable_by_key(|step| (Reverse(step.edge), step.until));
        pins.sort_unstable_by_key(|pin| Reverse(pin.edge));
        let mut pins = pins.into_iter().peekable();
        for &(i, j) in edges {
            let ends = [i as usize, j as usize];
            if self.moves.is_none() {
                self.batch.clear(ends);
            }
            self.graph.take(ends);
        }
        let edge_of = |place: usize, start: usize| edge_at(place, edges[place - start]);
        for steps in steps.chunk_by(|a: &Step, b| a.edge == b.edge) {
            let place = steps[0].edge;
            while let Some(pin) = pins.next_if(|pin| pin.edge > place) {
                self.pinned.pin(&self.graph, edge_of(pin.edge, self.start), pin);
            }
            let edge = edge_of(place, self.start);
            if !self.pinned.holds(edge) {
                self.move_edge(edge, steps);
            }
        }
        pins.for_each(|pin| self.pinned.pin(&self.graph, edge_of(pin.edge, self.start), pin));
        edges.iter().for_each(|&(i, j)| self.moved.clear([i as usize, j as usize]));
    }

    /// Moves an edge as far as its steps are still valid.
    fn move_edge(&mut self, edge: Edge, steps: &[Step]) {
        let (mut rank, mut dominator) = (edge.rank, 0);
        for step in steps {
            let until = self.until(edge, rank, step);
            if until > rank {
                (rank, dominator) = (until, step.dominator);
            }
            if until < step.until {
                break;
            }
        }
        if rank == edge.rank {
            return;
        }
        self.graph.shift(edge.ends, rank);
        self.moved.add(edge.ends, rank);
        if let Some(moves) = &mut self.moves {
            moves.push(Move { ends: edge.ends.map(|x| x as u32), rank });
        }
        if rank == ABSENT {
            self.stats.after -= 1;
            edge.ends.iter().for_each(|&x| self.dominators[x] = dominator);
        } else {
            self.stats.shifted += 1;
        }
    }

    /// The rank before which the step's vertex dominates the edge from `scale` on, after the batch's moves so far; at
    /// most `step.until`.
    fn until(&self, edge: Edge, scale: u32, step: &Step) -> u32 {
        let [u, v] = edge.ends;
        let moved = self.moved.at(step.dominator as usize).iter();
        let failing = moved.filter_map(|&(x, rank)| {
            let x = x as usize;
            let is_end = edge.ends.contains(&x);
            let from = if is_end { edge.rank } else { self.graph.rank(u, x).max(self.graph.rank(v, x)) };
            (rank > from.max(scale)).then_some(from.max(scale))
        });
        failing.min().map_or(step.until, |from| from.min(step.until))
    }
}
