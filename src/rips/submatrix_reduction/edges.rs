//! The edges of a complex as a list in filtration order, along which columns are walked and edges annotated.

use crate::memory::{self, Refused};
use crate::progress::{Progress, check};
use crate::rips::complex::{ABSENT, Band, Cofacet, Complex};
use crate::rips::word::{Word, sort};

/// The edges of a complex in filtration order. A word has the rank in its upper half, and in its lower half the
/// complement of the greater vertex (upper 16 bits) and the smaller vertex.
pub(super) struct Edges(Vec<u64>);

impl Edges {
    /// Lists the edges.
    ///
    /// # Errors
    /// There is no memory for the edges.
    pub(super) fn of(complex: &dyn Complex, edges: usize, progress: &dyn Progress) -> Result<Self, Refused> {
        // At most `MOST_POINTS`.
        let points = complex.points() as u32;
        let (mut keys, mut found) = (Vec::new(), Vec::new());
        memory::reserve(&mut keys, edges)?;
        for u in 0..points {
            check(progress);
            complex.cofacets(&[u], 0, Band { from: 0, to: ABSENT - 1 }, u + 1, &mut found);
            let key =
                |&Cofacet { vertex, rank }: &Cofacet| u64::from(rank) << 32 | u64::from(!(vertex << 16 | u));
            memory::reserve(&mut keys, found.len())?;
            keys.extend(found.iter().map(key));
        }
        sort(&mut keys);
        Ok(Edges(keys))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn rank(&self, place: usize) -> u32 {
        (self.0[place] >> 32).low_u32()
    }

    /// The edges at these places, each with its greater vertex first.
    pub(super) fn at(&self, places: std::ops::Range<usize>) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.0[places].iter().map(|&key| (!key.low_u32() >> 16, !key.low_u32() & 0xffff))
    }

    /// The place of the first edge of this rank or a greater one.
    pub(super) fn start(&self, rank: u32) -> usize {
        self.0.partition_point(|&key| (key >> 32).low_u32() < rank)
    }

    /// The end of the run of edges of equal rank that begins at `start`.
    pub(super) fn end(&self, start: usize) -> usize {
        let rank = self.rank(start);
        let equal = self.0[start..].iter().take_while(|&&key| (key >> 32).low_u32() == rank);
        start + equal.count()
    }

    /// The number of ranks, and the maximum number of edges of one rank.
    pub(super) fn ranks(&self) -> (usize, usize) {
        let (mut count, mut most, mut start) = (0, 0, 0);
        while start < self.len() {
            let end = self.end(start);
            (count, most, start) = (count + 1, most.max(end - start), end);
        }
        (count, most)
    }

    /// Bytes of the list.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> u64 {
        (self.0.capacity() * size_of::<u64>()) as u64
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// All pairs among the last `last` points; ranks are distinct and ascend by the lesser point, then by the greater.
    pub(in super::super) struct Pairs {
        pub(in super::super) points: u32,
        pub(in super::super) last: u32,
        /// The rank of the first pair.
        pub(in super::super) first: u32,
    }

    impl Complex for Pairs {
        fn points(&self) -> usize {
            self.points as usize
        }

        fn edge(&self, u: u32, v: u32) -> u32 {
            let [u, v] = [u.min(v), u.max(v)].map(|x| x - (self.points - self.last));
            self.first + (u * (2 * self.last - u - 1) / 2 + v - u - 1)
        }

        fn greatest_cofacet(&self, _: &[u32], _: u32, _: u32) -> Option<u32> {
            None
        }

        fn cofacets(&self, simplex: &[u32], _: u32, _: Band, floor: u32, found: &mut Vec<Cofacet>) {
            found.clear();
            if simplex[0] >= self.points - self.last {
                let cofacet = |vertex| Cofacet { vertex, rank: self.edge(simplex[0], vertex) };
                found.extend((floor..self.points).map(cofacet));
            }
        }

        fn oldest_cofacet(&self, _: &[u32], _: u32) -> Option<Cofacet> {
            None
        }
    }

    pub(in super::super) fn pairs_of(n: u32) -> usize {
        n as usize * (n as usize - 1) / 2
    }

    /// Edges are listed correctly at the limits: 2^16 points, more than 2^23 edges, and the greatest rank.
    #[test]
    fn edges_are_what_they_were() {
        for (points, last) in [(1 << 16, 40), (4200, 4200)] {
            let count = pairs_of(last);
            let complex = Pairs { points, last, first: ABSENT - count as u32 };
            let edges = Edges::of(&complex, count, &()).unwrap();
            assert_eq!(edges.len(), count);
            assert!(points < 5000 || complex.edge(points - 1, points - 2) == ABSENT - 1);
            for place in [0, 1, count / 3, count - 2, count - 1] {
                let rank = complex.first + place as u32;
                assert_eq!(
                    (edges.rank(place), edges.start(rank), edges.end(place)),
                    (rank, place, place + 1)
                );
                let (greater, less) = edges.at(place..place + 1).next().unwrap();
                assert!(greater > less && complex.edge(greater, less) == rank, "{greater} {less} {rank}");
            }
            assert_eq!(edges.start(ABSENT), count);
        }
        assert!(pairs_of(4200) > 1 << 23);
    }
}
