//! The shortest-path metric of a weighted graph.
//!
//! Dijkstra's algorithm runs from every point, in parallel on the threads of the pool. Lengths are summed as doubles
//! and rounded at the end. The distance of a pair is that found from its greater point, so the result does not depend
//! on the threads. Points that no path joins are at infinite distance.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Mutex;

use super::{DistanceMatrix, DistancesError, MetricError, SparseDistances, Value};
use crate::input::Place;
use crate::lists::Lists;
use crate::memory::{self, Refused};
use crate::parallel::{each, into_inner, lock};
use crate::progress::Progress;

impl<T: Value> SparseDistances<T> {
    /// The lengths of the shortest paths between all points, infinite between points that no path joins. The births of
    /// points are kept.
    ///
    /// ```
    /// use lacuna::metric::SparseDistances;
    ///
    /// let path = SparseDistances::new(4, [(0, 1, 1.0f32), (1, 2, 2.0)])?;
    /// let distances = path.shortest_paths().unwrap();
    /// assert_eq!((distances.get(0, 2), distances.get(0, 3)), (3.0, f32::INFINITY));
    /// # Ok::<(), lacuna::metric::MetricError>(())
    /// ```
    ///
    /// # Errors
    /// There is no memory for the distances of all pairs; a path is longer than any number of this precision.
    pub fn shortest_paths(&self) -> Result<DistanceMatrix<T>, DistancesError> {
        self.shortest_paths_watched(&())
    }

    /// Like [`shortest_paths`](Self::shortest_paths), but reports each point to `progress`, which may unwind.
    ///
    /// # Errors
    /// The errors of [`shortest_paths`](Self::shortest_paths).
    pub(crate) fn shortest_paths_watched(
        &self,
        progress: &dyn Progress,
    ) -> Result<DistanceMatrix<T>, DistancesError> {
        let n = self.len();
        let pairs = (n as u64 * (n as u64).saturating_sub(1)) / 2;
        let pairs = usize::try_from(pairs).map_err(|_| Refused::of_bytes(u64::MAX))?;
        let mut lower = memory::filled(T::INFINITY, pairs)?;
        // The other end of each edge, and its length.
        let directions =
            self.edges().iter().flat_map(|edge| [(edge.i, edge.j, edge), (edge.j, edge.i, edge)]);
        let directions = directions.map(|(from, to, edge)| (from, (to, edge.distance.into())));
        let neighbours = Lists::<(u32, f64)>::new(0..n, directions)?;
        let failure = Mutex::new(None);
        progress.begin("shortest paths", None, n as u64);
        let mut rest = &mut lower[..];
        // One row is taken at a time, as the search from one point may take as long as those from all others.
        let rows = Mutex::new((0..n).map(|i| (i, rest.split_off_mut(..i).unwrap_or_default())));
        each(rayon::current_num_threads().min(n), &|_| {
            let done = Search::new(&neighbours).and_then(|mut search| {
                loop {
                    // This is a statement of its own so that the lock is not held while the row is filled.
                    let next = lock(&rows).next();
                    let Some((i, row)) = next else { return Ok(()) };
                    search.fill(i, row)?;
                    progress.advance(1);
                }
            });
            if let Err(error) = done {
                lock(&failure).get_or_insert(error);
            }
        });
        if let Some(error) = into_inner(failure) {
            return Err(error);
        }
        let matrix = DistanceMatrix::from_lower(lower)?;
        match self.births() {
            Some(births) => Ok(matrix.with_births(births.to_vec())?),
            None => Ok(matrix),
        }
    }
}

/// The state of Dijkstra's algorithm, reused from point to point.
struct Search<'a> {
    /// The other ends of the edges of each point, and their lengths.
    neighbours: &'a Lists<(u32, f64)>,
    /// Lengths of the shortest paths found so far.
    lengths: Vec<f64>,
    /// Points by the length of a path to them, as its bits, which are ordered like the numbers where these are not
    /// negative.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

impl<'a> Search<'a> {
    fn new(neighbours: &'a Lists<(u32, f64)>) -> Result<Search<'a>, DistancesError> {
        let lengths = memory::filled(f64::INFINITY, neighbours.len())?;
        let mut queue = Vec::new();
        // Each direction of an edge shortens a path at most once, so the queue never outgrows its reservation.
        memory::reserve(&mut queue, neighbours.items() + 1)?;
        Ok(Search { neighbours, lengths, queue: queue.into() })
    }

    /// Fills a row with the lengths of the shortest paths from point `i` to the points before it.
    fn fill<T: Value>(&mut self, i: usize, row: &mut [T]) -> Result<(), DistancesError> {
        self.lengths.fill(f64::INFINITY);
        self.lengths[i] = 0.0;
        self.queue.push(Reverse((0, i as u32)));
        while let Some(Reverse((bits, point))) = self.queue.pop() {
            let length = f64::from_bits(bits);
            if length > self.lengths[point as usize] {
                continue;
            }
            for &(other, edge) in self.neighbours.of(point as usize) {
                let through = length + edge;
                if through.is_infinite() {
                    self.queue.clear();
                    return Err(overflow(i, other as usize));
                }
                if through < self.lengths[other as usize] {
                    self.lengths[other as usize] = through;
                    self.queue.push(Reverse((through.to_bits(), other)));
                }
            }
        }
        for (j, (place, &length)) in row.iter_mut().zip(&self.lengths).enumerate() {
            *place = T::from_f64(length);
            if length.is_finite() && (*place).into().is_infinite() {
                return Err(overflow(i, j));
            }
        }
        Ok(())
    }
}

/// The error for a path that is longer than the greatest number of the precision.
fn overflow(i: usize, j: usize) -> DistancesError {
    let place = Place::Named(format!("the shortest path of points {i} and {j}"));
    MetricError::new(place, "a finite length", "one that overflows").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    /// The shortest paths by the Floyd–Warshall algorithm, as a row-major matrix.
    fn floyd_warshall(graph: &SparseDistances<f64>) -> Vec<f64> {
        let n = graph.len();
        let mut lengths = vec![f64::INFINITY; n * n];
        (0..n).for_each(|i| lengths[i * n + i] = 0.0);
        for edge in graph.edges() {
            let (i, j) = (edge.i as usize, edge.j as usize);
            lengths[i * n + j] = edge.distance;
            lengths[j * n + i] = edge.distance;
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    lengths[i * n + j] = lengths[i * n + j].min(lengths[i * n + k] + lengths[k * n + j]);
                }
            }
        }
        lengths
    }

    /// Integer lengths, including 0, tie often, and their sums are exact; few edges leave several components.
    #[test]
    fn floyd_and_warshall_agree_on_random_graphs() {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(7);
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let pools = [pool(1), pool(3)];
        let (mut several, mut whole) = (0, 0);
        for case in 0..300 {
            let n = 1 + case % 33;
            let per_mille = [30, 80, 300][case / 33 % 3];
            let mut edges = Vec::new();
            for i in 1..n as u32 {
                for j in 0..i {
                    if random.random_range(0..1000) < per_mille {
                        edges.push((i, j, f64::from(random.random_range(0..4_u8))));
                    }
                }
            }
            let graph = SparseDistances::new(n, edges.iter().copied()).unwrap();
            let single = SparseDistances::new(n, edges.iter().map(|&(i, j, d)| (i, j, d as f32))).unwrap();
            let want = floyd_warshall(&graph);
            for pool in &pools {
                let found = pool.install(|| graph.shortest_paths()).unwrap();
                let found_single = pool.install(|| single.shortest_paths()).unwrap();
                for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    assert_eq!(found.get(i, j), want[i * n + j], "case {case}, {i} {j}");
                    assert_eq!(f64::from(found_single.get(i, j)), want[i * n + j], "case {case}, {i} {j}");
                }
            }
            if want.iter().any(|length| length.is_infinite()) { several += 1 } else { whole += 1 }
        }
        assert!(several > 50 && whole > 50, "{several} {whole}");
    }

    #[test]
    fn births_stay_and_sums_that_overflow_are_refused() {
        let graph = SparseDistances::new(3, [(0, 1, 2.0), (1, 2, 3.0)]).unwrap();
        let graph = graph.with_births(vec![0.0, 1.0, 2.5]).unwrap();
        let matrix = graph.shortest_paths().unwrap();
        assert_eq!((matrix.births(), matrix.get(0, 2)), (Some(&[0.0, 1.0, 2.5][..]), 5.0));
        let single = SparseDistances::new(3, [(0, 1, f32::MAX), (1, 2, f32::MAX)]).unwrap();
        assert_eq!(single.shortest_paths(), Err(overflow(2, 0)));
        let double = SparseDistances::new(3, [(0, 1, f64::MAX), (1, 2, f64::MAX)]).unwrap();
        assert!(double.shortest_paths().unwrap_err().to_string().contains("found one that overflows"));
        let one = SparseDistances::<f32>::new(1, []).unwrap();
        assert_eq!(one.shortest_paths().unwrap().len(), 1);
    }
}
