//! Minimum-cost transport on a sparse bipartite network: matchings of points with multiplicities.
//!
//! Each vertex v has some units. Sending a unit over the edge (a, b) costs c(a, b), and a unit that stays at v costs
//! d(v). Prices u of the vertices are *feasible* if u(v) ≤ d(v), and u(a) + u(b) ≤ c(a, b) on every edge. Then no
//! transport costs less than the sum of the prices of all units, and a transport costs that much if
//!
//! 1. every edge with flow is tight: u(a) + u(b) = c(a, b),
//! 2. every vertex with units that stay has the price d(v).
//!
//! Feasibility and (1) always hold; a vertex that violates (2) is *unsettled*. Successive shortest paths (Jewell 1958;
//! Tomizawa 1971; Edmonds, Karp 1972) settle one after another: Dijkstra's algorithm from an unsettled vertex, in the
//! slacks c(a, b) − u(a) − u(b), forward over any edge and backward over those with flow, finds the nearest end. An end
//! is either a vertex of the other side with units that stay, or a vertex v of the root's side, at the additional
//! distance d(v) − u(v), whose units then stay. No search goes farther than from its root r to r as its own end, d(r) −
//! u(r).
//!
//! Searches are short if the initial prices are nearly right. The slack of an edge does not depend on d, so a cost that
//! is small beside those of staying keeps its precision as long as the prices are small.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::progress::{self, Progress};

/// An edge with its cost per unit and its flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) cost: f64,
    pub(super) flow: u32,
}

/// A network: the vertices of A, followed by those of B.
pub(super) struct Network {
    /// Number of vertices of A.
    count_of_a: usize,
    pub(super) edges: Vec<Edge>,
    /// Price of each vertex, and its upper bound, the cost of a unit that stays.
    pub(super) prices: Vec<f64>,
    stays: Vec<f64>,
    /// Units of each vertex that stay.
    pub(super) rest: Vec<u32>,
    /// Offset of the arcs of each vertex; the last entry is their number.
    starts: Vec<usize>,
    arcs: Vec<Arc>,
    /// Number of arcs of each vertex that have flow; these come first.
    busy: Vec<u32>,
}

/// An edge as seen from one of its vertices.
#[derive(Debug, Clone, Copy)]
struct Arc {
    edge: u32,
    to: u32,
    cost: f64,
}

/// Number of searches between two checks for interruption.
const LOOK: usize = 64;

impl Network {
    /// Makes a network with prices and a flow. `edges` connect vertices of A and of B; those of A are numbered first.
    /// The other lists have an entry per vertex: feasible `prices`, the cost of a unit that stays, and the units that
    /// stay. Edges with flow are tight.
    pub(super) fn new(
        count_of_a: usize,
        edges: Vec<Edge>,
        prices: Vec<f64>,
        stays: Vec<f64>,
        rest: Vec<u32>,
    ) -> Self {
        let mut starts = vec![0_usize; prices.len() + 1];
        for edge in &edges {
            starts[edge.a as usize + 1] += 1;
            starts[edge.b as usize + 1] += 1;
        }
        for vertex in 1..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        let mut arcs = vec![Arc { edge: 0, to: 0, cost: 0.0 }; 2 * edges.len()];
        let mut ends = starts.clone();
        for (number, &Edge { a, b, cost, .. }) in (0..).zip(&edges) {
            for (from, to) in [(a, b), (b, a)] {
                arcs[ends[from as usize]] = Arc { edge: number, to, cost };
                ends[from as usize] += 1;
            }
        }
        let busy = vec![0; prices.len()];
        let mut network = Network { count_of_a, edges, prices, stays, rest, starts, arcs, busy };
        for number in 0..network.edges.len() {
            if network.edges[number].flow > 0 {
                network.set_busy(number, true);
            }
        }
        network
    }

    /// Settles all vertices.
    pub(super) fn settle(&mut self, progress: &dyn Progress) {
        let mut search = Search::new(self.prices.len());
        let mut count = 0;
        for root in 0..self.prices.len() as u32 {
            while self.is_unsettled(root as usize) {
                if count % LOOK == 0 {
                    progress::check(progress);
                }
                count += 1;
                search.settle(self, root);
            }
        }
    }

    /// Whether a vertex has units that stay, at a price below their cost.
    fn is_unsettled(&self, vertex: usize) -> bool {
        self.rest[vertex] > 0 && self.prices[vertex] < self.stays[vertex]
    }

    /// Amount by which the price of a vertex may rise.
    fn room(&self, vertex: u32) -> f64 {
        self.stays[vertex as usize] - self.prices[vertex as usize]
    }

    fn arcs(&self, vertex: u32) -> &[Arc] {
        &self.arcs[self.starts[vertex as usize]..self.starts[vertex as usize + 1]]
    }

    /// Arcs of a vertex that have flow.
    fn busy_arcs(&self, vertex: u32) -> &[Arc] {
        &self.arcs(vertex)[..self.busy[vertex as usize] as usize]
    }

    /// Moves the arcs of an edge into or out of the prefix of those with flow.
    fn set_busy(&mut self, edge: usize, is_busy: bool) {
        let Edge { a, b, .. } = self.edges[edge];
        for vertex in [a, b].map(|vertex| vertex as usize) {
            let arcs = &mut self.arcs[self.starts[vertex]..self.starts[vertex + 1]];
            let busy = self.busy[vertex] as usize;
            let among = if is_busy { &arcs[busy..] } else { &arcs[..busy] };
            let Some(at) = among.iter().position(|arc| arc.edge as usize == edge) else { continue };
            if is_busy {
                arcs.swap(busy, busy + at);
                self.busy[vertex] += 1;
            } else {
                arcs.swap(busy - 1, at);
                self.busy[vertex] -= 1;
            }
        }
    }

    /// Adds flow to an edge, at least one unit, or removes it again.
    fn move_flow(&mut self, edge: u32, units: u32, is_back: bool) {
        let flow = &mut self.edges[edge as usize].flow;
        let before = *flow;
        *flow = if is_back { before - units } else { before + units };
        if before == 0 || before == units && is_back {
            self.set_busy(edge as usize, !is_back);
        }
    }
}

/// State of Dijkstra's algorithm, reused by the next search.
struct Search {
    /// Distance of each vertex; infinity if it was not reached.
    distances: Vec<f64>,
    /// Edge by which each vertex was reached, and the vertex before it.
    parents: Vec<(u32, u32)>,
    /// Reached vertices of the side of the root, and of the other side.
    own: Vec<u32>,
    others: Vec<u32>,
    /// Vertices of the other side with their distances, the nearest first. Nonnegative doubles have the order of their
    /// bits.
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

/// End of a path.
#[derive(Debug, Clone, Copy)]
struct End {
    distance: f64,
    vertex: u32,
    is_own: bool,
}

impl Search {
    fn new(vertices: usize) -> Self {
        Search {
            distances: vec![f64::INFINITY; vertices],
            parents: vec![(0, 0); vertices],
            own: Vec::new(),
            others: Vec::new(),
            heap: BinaryHeap::new(),
        }
    }

    /// Finds the shortest path from `root`, updates the prices and moves as many units as possible along it.
    fn settle(&mut self, network: &mut Network, root: u32) {
        let end = self.shortest_path(network, root);
        for &vertex in &self.own {
            let raised =
                network.prices[vertex as usize] + (end.distance - self.distances[vertex as usize]).max(0.0);
            network.prices[vertex as usize] = raised.min(network.stays[vertex as usize]);
        }
        for &vertex in &self.others {
            network.prices[vertex as usize] -= (end.distance - self.distances[vertex as usize]).max(0.0);
        }
        if end.is_own {
            // Set exactly, without the rounding of a difference.
            network.prices[end.vertex as usize] = network.stays[end.vertex as usize];
        }
        if end.vertex != root {
            self.augment(network, root, end);
        }
        for vertex in self.own.drain(..).chain(self.others.drain(..)) {
            self.distances[vertex as usize] = f64::INFINITY;
        }
        self.heap.clear();
    }

    fn shortest_path(&mut self, network: &Network, root: u32) -> End {
        let mut end = End { distance: network.room(root), vertex: root, is_own: true };
        self.distances[root as usize] = 0.0;
        self.own.push(root);
        self.scan(network, root, &mut end);
        while let Some(Reverse((distance, vertex))) = self.heap.pop() {
            let distance = f64::from_bits(distance);
            if distance >= end.distance {
                break;
            }
            if distance > self.distances[vertex as usize] {
                continue;
            }
            for arc in network.busy_arcs(vertex) {
                if self.distances[arc.to as usize] == f64::INFINITY {
                    self.distances[arc.to as usize] = distance;
                    self.parents[arc.to as usize] = (arc.edge, vertex);
                    self.own.push(arc.to);
                    let stays = distance + network.room(arc.to);
                    if stays < end.distance {
                        end = End { distance: stays, vertex: arc.to, is_own: true };
                    }
                    self.scan(network, arc.to, &mut end);
                }
            }
        }
        end
    }

    /// Reaches the neighbours of a vertex of the root's side.
    fn scan(&mut self, network: &Network, vertex: u32, end: &mut End) {
        let distance = self.distances[vertex as usize];
        let price = network.prices[vertex as usize];
        for arc in network.arcs(vertex) {
            let to = arc.to as usize;
            let slack = (arc.cost - price - network.prices[to]).max(0.0);
            let reached = distance + slack;
            let before = self.distances[to];
            if reached >= end.distance || reached >= before {
                continue;
            }
            if before == f64::INFINITY {
                self.others.push(arc.to);
            }
            self.distances[to] = reached;
            self.parents[to] = (arc.edge, vertex);
            if network.rest[to] > 0 {
                *end = End { distance: reached, vertex: arc.to, is_own: false };
            } else {
                self.heap.push(Reverse((reached.to_bits(), arc.to)));
            }
        }
    }

    /// Moves units along the path from `root` to its end.
    fn augment(&self, network: &mut Network, root: u32, end: End) {
        let mut units = network.rest[root as usize];
        if !end.is_own {
            units = units.min(network.rest[end.vertex as usize]);
        }
        let is_back = |edge: &Edge, to: u32| (edge.a == to) == ((root as usize) < network.count_of_a);
        let mut path = Vec::new();
        let mut at = end.vertex;
        while at != root {
            let (edge, from) = self.parents[at as usize];
            let back = is_back(&network.edges[edge as usize], at);
            if back {
                units = units.min(network.edges[edge as usize].flow);
            }
            path.push((edge, back));
            at = from;
        }
        for (edge, back) in path {
            network.move_flow(edge, units, back);
        }
        network.rest[root as usize] -= units;
        if end.is_own {
            network.rest[end.vertex as usize] += units;
        } else {
            network.rest[end.vertex as usize] -= units;
        }
    }
}
