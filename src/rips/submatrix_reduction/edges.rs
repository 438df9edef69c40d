//! The edges of a complex as a list in filtration order, along which columns are walked and edges annotated.

use crate::memory::{self, Refused};
use crate::parallel;
use crate::progress::{Progress, check};
use crate::rips::complex::{ABSENT, Band, Cofacet, Complex};
use crate::rips::word::Word;

/// The edges of a complex in filtration order. A word has the rank in its upper half, and in its lower half the greater
/// vertex (upper 16 bits) and the smaller vertex.
pub(super) struct Edges(Vec<u64>);

/// The rank of an edge.
fn rank_of(key: &u64) -> u32 {
    (key >> 32).low_u32()
}

/// Number of points whose edges one thread lists at a time.
const AT_ONCE: usize = 64;

/// The band of all ranks.
pub(super) const ALL: Band = Band { from: 0, to: ABSENT - 1 };

impl Edges {
    /// Lists the edges whose ranks are in a band, on the threads of the current pool.
    ///
    /// # Errors
    /// There is no memory for the edges.
    pub(super) fn of(complex: &dyn Complex, band: Band, progress: &dyn Progress) -> Result<Self, Refused> {
        let points = complex.points();
        let piece = |number: usize| {
            let (mut keys, mut found) = (Vec::new(), Vec::new());
            // The first piece has the last points, of which there are at most `MOST_POINTS`.
            let end = points - number * AT_ONCE;
            for u in (end.saturating_sub(AT_ONCE)..end).rev().map(|u| u as u32) {
                check(progress);
                complex.cofacets(&[u], 0, band, 0, &mut found);
                let less = &found[..found.partition_point(|cofacet| cofacet.vertex < u)];
                let key =
                    |cofacet: &Cofacet| u64::from(cofacet.rank) << 32 | u64::from(u << 16 | cofacet.vertex);
                memory::make_room(&mut keys, less.len())?;
                keys.extend(less.iter().rev().map(key));
            }
            Ok(keys)
        };
        let pieces = parallel::map(points.div_ceil(AT_ONCE), &piece);
        let pieces: Vec<Vec<u64>> = pieces.into_iter().collect::<Result<_, _>>()?;
        let mut keys = memory::with_room(pieces.iter().map(Vec::len).sum())?;
        pieces.into_iter().for_each(|piece| keys.extend(piece));
        // The pairs are in the order of the filtration already.
        radsort::sort_by_key(&mut keys, rank_of);
        Ok(Edges(keys))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn rank(&self, place: usize) -> u32 {
        rank_of(&self.0[place])
    }

    /// The edges at these places, each with its greater vertex first.
    pub(super) fn at(&self, places: std::ops::Range<usize>) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.0[places].iter().map(|&key| (key.low_u32() >> 16, key.low_u32() & 0xffff))
    }

    /// The place of the first edge of this rank or a greater one.
    pub(super) fn start(&self, rank: u32) -> usize {
        self.0.partition_point(|key| rank_of(key) < rank)
    }

    /// The end of the run of edges of equal rank that begins at `start`.
    pub(super) fn end(&self, start: usize) -> usize {
        let rank = self.rank(start);
        let equal = self.0[start..].iter().take_while(|&key| rank_of(key) == rank);
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
            let first = self.points - self.last;
            if simplex[0] >= first {
                let cofacet = |vertex| Cofacet { vertex, rank: self.edge(simplex[0], vertex) };
                let vertices = (floor.max(first)..self.points).filter(|&vertex| vertex != simplex[0]);
                found.extend(vertices.map(cofacet));
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
            let edges = Edges::of(&complex, ALL, &()).unwrap();
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
