//! Transport of least cost on a sparse bipartite network: the matchings of points that may be repeated.
//!
//! Each vertex v has some units. A unit over the edge (a, b) costs c(a, b), and a unit that stays at v costs d(v). Prices u of the vertices are
//! *feasible* if u(v) ≤ d(v), and u(a) + u(b) ≤ c(a, b) on every edge; then no transport costs less than the sum of all prices, each as often as
//! its vertex has units, and one costs that much if
//!
//! 1. every edge with flow is tight: u(a) + u(b) = c(a, b),
//! 2. every vertex with units that stay has the price d(v).
//!
//! Feasibility and (1) hold all the time; a vertex for which (2) does not is *unsettled*. Successive shortest paths (Jewell 1958; Tomizawa 1971;
//! Edmonds, Karp 1972) settle one after another: Dijkstra's algorithm from an unsettled vertex, in the slacks c(a, b) − u(a) − u(b), forward
//! over any edge and back over those with flow, finds the nearest end. That is a vertex of the other side with units that stay, or a vertex v of
//! its own side, d(v) − u(v) further, whose units then stay. No search goes further than from its root r to r as its own end, d(r) − u(r).
//!
//! Searches are short where the prices are nearly right when they begin. The slack of an edge does not depend on d, so that a cost that is small
//! beside those of staying keeps its digits as long as the prices are small.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::progress::{self, Progress};

/// An edge, with the cost of a unit over it and how many units go over it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) cost: f64,
    pub(super) flow: u32,
}

/// A network: the vertices of A, then those of B.
pub(super) struct Network {
    /// How many vertices A has.
    count_of_a: usize,
    edges: Vec<Edge>,
    /// The price of each vertex, and what a unit that stays costs, its greatest price.
    prices: Vec<f64>,
    stays: Vec<f64>,
    /// The units of each vertex that stay.
    rest: Vec<u32>,
    /// Where the arcs of each vertex start, and at the end their number.
    starts: Vec<usize>,
    arcs: Vec<Arc>,
    /// How many arcs of each vertex have flow: these come first.
    busy: Vec<u32>,
}

/// An edge as one of its vertices sees it.
#[derive(Debug, Clone, Copy)]
struct Arc {
    edge: u32,
    to: u32,
    cost: f64,
}

/// Searches between looks at whether the run is to end.
const LOOK: usize = 64;

impl Network {
    /// A network with prices and a flow: `edges` between vertices of A and of B, both counted from 0, and by vertex, those of A before those of
    /// B, `prices` that are feasible, the cost of a unit that stays, and the units that stay. Edges with flow are tight.
    pub(super) fn new(
        count_of_a: usize,
        mut edges: Vec<Edge>,
        prices: Vec<f64>,
        stays: Vec<f64>,
        rest: Vec<u32>,
    ) -> Self {
        for edge in &mut edges {
            edge.b += count_of_a as u32;
        }
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

    /// The network's edges, prices and units that stay, as they were given to it.
    pub(super) fn into_parts(mut self) -> (Vec<Edge>, Vec<f64>, Vec<u32>) {
        for edge in &mut self.edges {
            edge.b -= self.count_of_a as u32;
        }
        (self.edges, self.prices, self.rest)
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

    /// How far the price of a vertex may rise.
    fn room(&self, vertex: u32) -> f64 {
        self.stays[vertex as usize] - self.prices[vertex as usize]
    }

    fn arcs(&self, vertex: u32) -> &[Arc] {
        &self.arcs[self.starts[vertex as usize]..self.starts[vertex as usize + 1]]
    }

    /// The arcs of a vertex that have flow.
    fn busy_arcs(&self, vertex: u32) -> &[Arc] {
        &self.arcs(vertex)[..self.busy[vertex as usize] as usize]
    }

    /// Moves the arcs of an edge to those with flow, or away from them.
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

    fn add_flow(&mut self, edge: u32, units: u32) {
        let flow = &mut self.edges[edge as usize].flow;
        *flow += units;
        if *flow == units {
            self.set_busy(edge as usize, true);
        }
    }

    fn remove_flow(&mut self, edge: u32, units: u32) {
        let flow = &mut self.edges[edge as usize].flow;
        *flow -= units;
        if *flow == 0 {
            self.set_busy(edge as usize, false);
        }
    }
}

/// The state of Dijkstra's algorithm, kept from one search to the next.
struct Search {
    /// The distance of each vertex, and the arc by which it was reached; of those that were not reached, infinity.
    distances: Vec<f64>,
    /// The edge by which each vertex was reached, and the vertex from which.
    parents: Vec<(u32, u32)>,
    /// The vertices of the side of the root, and those of the other.
    own: Vec<u32>,
    others: Vec<u32>,
    heap: BinaryHeap<Reached>,
}

/// A vertex of the other side than the root's, reached at a distance.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Reached {
    distance: f64,
    vertex: u32,
}

impl Eq for Reached {}

/// The nearest is the greatest.
impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then_with(|| other.vertex.cmp(&self.vertex))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Where a path ends.
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

    /// Finds the shortest path from `root`, corrects the prices by it and moves as many units as it can take.
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
            // Not what rounding left of the difference.
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
        while let Some(Reached { distance, vertex }) = self.heap.pop() {
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
                self.heap.push(Reached { distance: reached, vertex: arc.to });
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
            if back {
                network.remove_flow(edge, units);
            } else {
                network.add_flow(edge, units);
            }
        }
        network.rest[root as usize] -= units;
        if end.is_own {
            network.rest[end.vertex as usize] += units;
        } else {
            network.rest[end.vertex as usize] -= units;
        }
    }
}
