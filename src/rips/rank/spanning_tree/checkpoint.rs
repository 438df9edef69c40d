//! The checkpoint of a growing spanning tree.
//!
//! Between the rows of two points the state consists of the tree's edges, the distances of the outside points to the
//! tree, and the points of the tree at these distances: about 30 bytes per point. The number of threads may differ in
//! the run that continues.

use super::Growing;
use crate::metric::value::DistanceKey;
use crate::progress::saving;
use crate::rips::RipsError;
use crate::rips::filtration_construction::binomial;
use crate::snapshot::{Checkpoint, Reader, SnapshotError, facts};

/// The name of the saved tree. The checkpoint is for one set of points and one threshold.
const TREE: &str = "tree";
const SPANNING_TREE: &str = "spanning tree";

/// The checkpoint of a tree.
pub(super) struct SavedTree<'a> {
    pub(super) checkpoint: &'a dyn Checkpoint,
    /// The number of points.
    pub(super) points: usize,
}

impl SavedTree<'_> {
    /// The tree that another run saved; `None` if there is none.
    ///
    /// # Errors
    /// [`RipsError::Checkpoint`]: the saved tree is invalid; [`RipsError::Refused`].
    pub(super) fn load<K: DistanceKey>(&self) -> Result<Option<Growing<K>>, RipsError> {
        let Some(snapshot) = self.checkpoint.load(TREE, SPANNING_TREE)? else {
            return Ok(None);
        };
        let mut tree = Growing::<K>::new(self.points)?;
        let mut payload = snapshot.payload_of(SPANNING_TREE)?;
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
        let [joined, radius, greatest, rows, edges, finite]: [u64; 6] = payload.record("statistics")?;
        let ends: Vec<(u32, u32)> = payload.table("ends")?;
        let keys: Vec<u64> = payload.table("lengths")?;
        let (nearest, to): (Vec<u64>, Vec<u32>) = payload.table("distances and neighbours")?;
        let infinity: u64 = K::INFINITY.into();
        let are_keys = keys.iter().copied().chain([radius, greatest, finite]).all(|bits| bits <= infinity);
        if !are_keys || edges > binomial(n, 2) {
            return Err(payload.unexpected("statistics", format!("those of {n} points"), "others"));
        }
        let is_edge = |&(greater, smaller): &(u32, u32)| smaller < greater && (greater as usize) < n;
        if ends.len() >= n || ends.len() != keys.len() || !ends.iter().all(is_edge) {
            return Err(payload.unexpected("ends", format!("edges of a tree of {n} points"), "others"));
        }
        let are_outside = |(i, (&bits, &to)): (usize, (&u64, &u32))| {
            // The nearest point of the tree does not matter for a point that has joined.
            bits == K::NONE.into() || bits <= infinity && (to as usize) < n && to as usize != i
        };
        let are_points =
            nearest.len() == n && to.len() == n && nearest.iter().zip(&to).enumerate().all(are_outside);
        if !are_points || joined >= n as u64 || rows > n as u64 {
            return Err(payload.unexpected("neighbours", format!("those of {n} points"), "others"));
        }
        let key = |bits: u64| K::of_bits(bits);
        tree.pairs.extend(ends);
        tree.keys.extend(keys.into_iter().map(key));
        tree.nearest.iter_mut().zip(nearest).for_each(|(nearest, bits)| *nearest = key(bits));
        tree.to.iter_mut().zip(to).for_each(|(to, point)| *to = key(point.into()));
        tree.joined = joined as usize;
        (tree.radius, tree.greatest) = (key(radius), key(greatest));
        (tree.rows, tree.counted) = (rows as usize, (edges as usize, key(finite)));
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
        let (n, (edges, finite)) = (self.points, tree.counted);
        let facts = facts([
            ("points", n.to_string()),
            ("edges of the tree", tree.pairs.len().to_string()),
            ("rows counted", tree.rows.to_string()),
        ]);
        let bits = |key: &K| -> u64 { (*key).into() };
        let (joined, rows) = (tree.joined as u64, tree.rows as u64);
        let numbers = [joined, bits(&tree.radius), bits(&tree.greatest), rows, edges as u64, bits(&finite)];
        self.checkpoint.save(TREE, SPANNING_TREE, &facts, &mut |out| {
            out.record(&numbers)?;
            out.record(&tree.pairs)?;
            out.list(tree.keys.len(), tree.keys.iter().map(bits))?;
            out.list(n, tree.nearest[..n].iter().map(bits))?;
            // Points are numbers of 32 bits.
            out.list(n, tree.to[..n].iter().map(|point| bits(point) as u32))
        });
    }
}
