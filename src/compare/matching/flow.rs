//! A greatest flow between the sites of a cluster.

use std::collections::VecDeque;
use std::ops::Range;

use super::{Point, Tagged, near, sort};

/// Equal points of a side.
#[derive(Debug)]
struct Site {
    at: Point,
    /// Their numbers. What is not matched yet is at the front, `free` of them.
    ids: Vec<usize>,
    free: usize,
}

/// The points of a cluster, as sites, and how many of each site of A are matched with each of B.
#[derive(Debug)]
pub(super) struct Cluster {
    /// The axis that sites are sorted by.
    axis: usize,
    tolerance: f64,
    sites: [Vec<Site>; 2],
    /// For each site of B: sites of A and how many points are matched with theirs.
    flow: Vec<Vec<(usize, usize)>>,
}

/// How a search came to the sites it has reached.
struct Search {
    /// For each site of B the site of A before it.
    to_b: Vec<Option<usize>>,
    /// For each site of A the site of B before it.
    to_a: Vec<Option<usize>>,
    /// The sites of A and of B reached by the current search.
    reached: [Vec<usize>; 2],
    queue: VecDeque<usize>,
}

impl Cluster {
    pub(super) fn new(points: &mut [Tagged], tolerance: f64) -> Self {
        // Along the longer side fewer points are near.
        let axis = usize::from(extent(points, 1) > extent(points, 0));
        sort(points, axis);
        let mut sites = [Vec::<Site>::new(), Vec::new()];
        for point in points.iter() {
            let sites = &mut sites[point.side];
            match sites.last_mut() {
                Some(site) if site.at == point.at => site.ids.push(point.id),
                _ => sites.push(Site { at: point.at, ids: vec![point.id], free: 0 }),
            }
        }
        for site in sites.iter_mut().flatten() {
            site.free = site.ids.len();
        }
        let flow = vec![Vec::new(); sites[1].len()];
        Cluster { axis, tolerance, sites, flow }
    }

    /// Adds the points that a greatest matching leaves over.
    pub(super) fn leave(mut self, left: &mut [Vec<usize>; 2]) {
        self.start();
        self.augment_all();
        for (sites, left) in self.sites.iter().zip(left) {
            left.extend(sites.iter().flat_map(|site| &site.ids[..site.free]));
        }
    }

    /// The sites of B that can be near site `a` of A: near along the axis.
    fn window(&self, a: usize) -> Range<usize> {
        let at = self.sites[0][a].at[self.axis];
        let before = |b: &Site| b.at[self.axis] < at && !near(b.at[self.axis], at, self.tolerance);
        let within = |b: &Site| b.at[self.axis] <= at || near(b.at[self.axis], at, self.tolerance);
        self.sites[1].partition_point(before)..self.sites[1].partition_point(within)
    }

    fn near(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.sites[0][a].at, self.sites[1][b].at);
        (0..2).all(|axis| near(a[axis], b[axis], self.tolerance))
    }

    /// Each site of A takes what is left of the sites of B near it, in order.
    fn start(&mut self) {
        // For each site of B itself while some of it is left, later a site after it: none between has any left.
        let mut next: Vec<usize> = (0..=self.sites[1].len()).collect();
        for a in 0..self.sites[0].len() {
            let window = self.window(a);
            let mut b = skip(&mut next, window.start);
            while b < window.end && self.sites[0][a].free > 0 {
                if self.near(a, b) {
                    self.matched(a, b, self.sites[0][a].free.min(self.sites[1][b].free));
                    if self.sites[1][b].free == 0 {
                        next[b] = b + 1;
                    }
                }
                b = skip(&mut next, b + 1);
            }
        }
    }

    /// Matches `count` free points of `a` with as many of `b`.
    fn matched(&mut self, a: usize, b: usize, count: usize) {
        self.sites[0][a].free -= count;
        self.sites[1][b].free -= count;
        self.add_flow(a, b, count);
    }

    fn add_flow(&mut self, a: usize, b: usize, count: usize) {
        match self.flow[b].iter_mut().find(|(from, _)| *from == a) {
            Some((_, flow)) => *flow += count,
            None => self.flow[b].push((a, count)),
        }
    }

    fn take_flow(&mut self, a: usize, b: usize, count: usize) {
        for (_, flow) in self.flow[b].iter_mut().filter(|(from, _)| *from == a) {
            *flow -= count;
        }
        self.flow[b].retain(|&(_, flow)| flow > 0);
    }

    fn flow_of(&self, a: usize, b: usize) -> usize {
        self.flow[b].iter().find(|(from, _)| *from == a).map_or(0, |&(_, flow)| flow)
    }

    fn augment_all(&mut self) {
        let mut search = Search {
            to_b: vec![None; self.sites[1].len()],
            to_a: vec![None; self.sites[0].len()],
            reached: [Vec::new(), Vec::new()],
            queue: VecDeque::new(),
        };
        for a in 0..self.sites[0].len() {
            while self.sites[0][a].free > 0 {
                let Some(end) = self.search(a, &mut search) else {
                    // No path leaves what was reached, and none ever will: later paths cannot even enter.
                    search.reached.iter_mut().for_each(Vec::clear);
                    break;
                };
                self.augment(a, end, &search);
                search.forget();
            }
        }
    }

    /// Looks for the nearest site of B with a free point, over sites that can be rematched.
    fn search(&self, start: usize, search: &mut Search) -> Option<usize> {
        search.queue.clear();
        search.queue.push_back(start);
        while let Some(a) = search.queue.pop_front() {
            for b in self.window(a) {
                if search.to_b[b].is_some() || !self.near(a, b) {
                    continue;
                }
                search.to_b[b] = Some(a);
                search.reached[1].push(b);
                if self.sites[1][b].free > 0 {
                    return Some(b);
                }
                for &(other, _) in &self.flow[b] {
                    if other != start && search.to_a[other].is_none() {
                        search.to_a[other] = Some(b);
                        search.reached[0].push(other);
                        search.queue.push_back(other);
                    }
                }
            }
        }
        None
    }

    /// Shifts as much along the path from `start` to `end` as it takes.
    fn augment(&mut self, start: usize, end: usize, search: &Search) {
        let mut path = Vec::new();
        let mut b = Some(end);
        while let Some((to, a)) = b.and_then(|b| Some((b, search.to_b[b]?))) {
            path.push((a, to));
            b = if a == start { None } else { search.to_a[a] };
        }
        let steps: Vec<_> = path.windows(2).map(|pair| (pair[0].0, pair[1].1)).collect();
        let limits = steps.iter().map(|&(a, b)| self.flow_of(a, b));
        let free = [self.sites[0][start].free, self.sites[1][end].free];
        let count = limits.chain(free).min().unwrap_or(0);
        for (a, b) in steps {
            self.take_flow(a, b, count);
        }
        for (a, b) in path {
            self.add_flow(a, b, count);
        }
        self.sites[0][start].free -= count;
        self.sites[1][end].free -= count;
    }
}

impl Search {
    /// Makes what the current search has reached new again.
    fn forget(&mut self) {
        let [sites_a, sites_b] = &mut self.reached;
        sites_a.drain(..).for_each(|a| self.to_a[a] = None);
        sites_b.drain(..).for_each(|b| self.to_b[b] = None);
    }
}

/// The next site, from `b` on, of which some is left.
fn skip(next: &mut [usize], mut b: usize) -> usize {
    while next[b] != b {
        next[b] = next[next[b]];
        b = next[b];
    }
    b
}

fn extent(points: &[Tagged], axis: usize) -> f64 {
    let values = || points.iter().map(|point| point.at[axis]);
    values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
}
