//! The checkpoint of a growing spanning tree.
//!
//! Between the rows of two points the state consists of the tree's edges, the distances of the outside points to the
//! tree, and the points of the tree at these distances: about 30 bytes per point. The number of threads may differ in
//! the run that continues.

use zerocopy::little_endian::{U32, U64};

use super::{Counted, Growing};
use crate::metric::value::DistanceKey;
use crate::progress::saving;
use crate::rips::RipsError;
use crate::rips::filtration_construction::binomial;
use crate::snapshot::{Checkpoint, Kind, Reader, SnapshotError, facts};

/// The name of the saved tree. The checkpoint is for one set of points and one threshold.
const TREE: &str = "tree";

/// The checkpoint of a tree.
pub(super) struct KeptTree<'a> {
    pub(super) checkpoint: &'a dyn Checkpoint,
    /// The number of points.
    pub(super) points: usize,
}

impl KeptTree<'_> {
    /// The tree that another run saved, divided into at most `pieces` pieces; `None` if there is none.
    ///
    /// # Errors
    /// [`RipsError::Checkpoint`]: the saved tree is invalid; [`RipsError::Refused`].
    pub(super) fn restored<K: DistanceKey>(&self, pieces: usize) -> Result<Option<Growing<K>>, RipsError> {
        let Some(snapshot) = self.checkpoint.load(TREE, Kind::RipsSpanningTree)? else {
            return Ok(None);
        };
        let mut tree = Growing::<K>::new(self.points, pieces)?;
        let mut payload = snapshot.payload_of(Kind::RipsSpanningTree)?;
        self.read(&mut tree, &mut payload)?;
        payload.end()?;
        Ok(Some(tree))
    }

    fn read<K: DistanceKey>(
        &self,
        tree: &mut Growing<K>,
        payload: &mut Reader<'_>,
    ) -> Result<(), SnapshotError> {
        let n = self.points;
        let [joined, radius, greatest, rows, edges, finite]: [u64; 6] = payload.record("figures")?;
        let ends = (payload.u32s("greater ends")?, payload.u32s("smaller ends")?);
        let keys = payload.u64s("lengths")?;
        let (nearest, to) = (payload.u64s("distances")?, payload.u32s("neighbours")?);
        let are_edges = ends.0.len() < n && ends.0.len() == ends.1.len() && ends.0.len() == keys.len();
        let infinity: u64 = K::INFINITY.into();
        let are_keys =
            keys.iter().map(|bits| bits.get()).chain([radius, greatest, finite]).all(|bits| bits <= infinity);
        if !are_keys || edges > binomial(n, 2) {
            return Err(payload.unexpected("figures", format!("those of {n} points"), "others"));
        }
        let is_edge = |(greater, smaller): (&U32, &U32)| smaller < greater && (greater.get() as usize) < n;
        if !are_edges || !ends.0.iter().zip(ends.1).all(is_edge) {
            return Err(payload.unexpected("ends", format!("edges of a tree of {n} points"), "others"));
        }
        let are_outside = |(i, (bits, to)): (usize, (&U64, &U32))| {
            let (bits, to) = (bits.get(), to.get() as usize);
            // The nearest point of the tree does not matter for a point that has joined.
            bits == K::NONE.into() || bits <= infinity && to < n && to != i
        };
        let are_points =
            nearest.len() == n && to.len() == n && nearest.iter().zip(to).enumerate().all(are_outside);
        if !are_points || joined >= n as u64 || rows > n as u64 {
            return Err(payload.unexpected("neighbours", format!("those of {n} points"), "others"));
        }
        let key = |bits: u64| K::of_bits(bits);
        tree.pairs.extend(ends.0.iter().zip(ends.1).map(|(greater, smaller)| (greater.get(), smaller.get())));
        tree.keys.extend(keys.iter().map(|bits| key(bits.get())));
        let told = nearest.iter().zip(to).map(|(bits, point)| (bits.get(), u64::from(point.get())));
        let points = tree.pieces.iter_mut().flat_map(|piece| piece.nearest.iter_mut().zip(&mut piece.to));
        for ((nearest, to), (bits, point)) in points.zip(told) {
            (*nearest, *to) = (key(bits), key(point));
        }
        tree.joined = joined as usize;
        (tree.radius, tree.greatest) = (key(radius), key(greatest));
        tree.counted = Counted { rows: rows as usize, edges: edges as usize, greatest: key(finite) };
        Ok(())
    }

    /// Does `work`, and saves the tree if a save is due. An interruption of `work` saves it too.
    pub(super) fn saving<K: DistanceKey, R>(&self, tree: &Growing<K>, work: impl FnOnce() -> R) -> R {
        if !self.checkpoint.is_kept() {
            return work();
        }
        let done = saving(work, || self.save(tree));
        if self.checkpoint.takes_turn() {
            self.save(tree);
        }
        done
    }

    fn save<K: DistanceKey>(&self, tree: &Growing<K>) {
        let Growing { pieces, pairs, keys, joined, radius, greatest, counted, .. } = tree;
        let told = facts([
            ("points", self.points.to_string()),
            ("edges of the tree", pairs.len().to_string()),
            ("rows counted", counted.rows.to_string()),
        ]);
        let bits = |key: K| -> u64 { key.into() };
        self.checkpoint.save(TREE, Kind::RipsSpanningTree, &told, &mut |out| {
            let figures = [
                *joined as u64,
                bits(*radius),
                bits(*greatest),
                counted.rows as u64,
                counted.edges as u64,
                bits(counted.greatest),
            ];
            out.record(&figures)?;
            out.u32s(&pairs.iter().map(|&(greater, _)| greater).collect::<Vec<_>>())?;
            out.u32s(&pairs.iter().map(|&(_, smaller)| smaller).collect::<Vec<_>>())?;
            out.u64s_of(keys.len(), keys.iter().map(|&key| bits(key)))?;
            let n = self.points;
            let nearest = pieces.iter().flat_map(|piece| &piece.nearest).take(n);
            out.u64s_of(n, nearest.map(|&key| bits(key)))?;
            // Points are numbers of 32 bits.
            let to = pieces.iter().flat_map(|piece| &piece.to).take(n);
            out.u32s(&to.map(|&point| bits(point) as u32).collect::<Vec<_>>())
        });
    }
}
