//! The checkpoint of a growing spanning tree.
//!
//! Between the rows of two points the state consists of the tree's edges, the distances of the outside points to the
//! tree, and the points of the tree at these distances: about 30 bytes per point. The number of threads may differ in
//! the run that continues.

use super::Growing;
use crate::metric::value::{DistanceKey, LANES};
use crate::progress;
use crate::rips::RipsError;
use crate::rips::binomial::binomial;
use crate::snapshot::{Checkpoint, facts};

/// The name of the saved tree. The checkpoint is for one set of points and one threshold.
const TREE: &str = "tree";
const SPANNING_TREE: &str = "spanning tree";

/// The tree that another run saved; `None` if there is none.
///
/// # Errors
/// [`RipsError::Checkpoint`]: the saved tree is invalid.
pub(super) fn load<K: DistanceKey>(
    checkpoint: &dyn Checkpoint,
    n: usize,
) -> Result<Option<Growing<K>>, RipsError> {
    let Some(snapshot) = checkpoint.load(TREE, SPANNING_TREE)? else {
        return Ok(None);
    };
    let mut payload = snapshot.payload_of(SPANNING_TREE)?;
    let tree: Growing<K> = payload.table("tree")?;
    let Growing { nearest, to, pairs, keys, counted, .. } = &tree;
    let unexpected = |what| Err(payload.unexpected(what, format!("those of {n} points"), "others").into());
    let greatest = keys.iter().copied().fold(tree.radius.max(tree.greatest).max(counted.1), K::max);
    if greatest > K::INFINITY || counted.0 as u64 > binomial(n, 2) {
        return unexpected("statistics");
    }
    let is_edge = |&(greater, smaller): &(u32, u32)| smaller < greater && (greater as usize) < n;
    if pairs.len() >= n || pairs.len() != keys.len() || !pairs.iter().all(is_edge) {
        return unexpected("edges");
    }
    let is_outside = |(i, (&nearest, &to)): (usize, (&K, &K))| {
        let to: u64 = to.into();
        // The nearest point of the tree does not matter for a point that has joined.
        nearest == K::NONE || i < n && nearest <= K::INFINITY && to < n as u64 && to != i as u64
    };
    let lanes = n.next_multiple_of(LANES);
    let are_points =
        [nearest.len(), to.len()] == [lanes; 2] && nearest.iter().zip(to).enumerate().all(is_outside);
    if !are_points || tree.joined >= n || tree.rows > n {
        return unexpected("neighbours");
    }
    payload.end()?;
    Ok(Some(tree))
}

/// Does `work`, and saves the tree of `points` points if a save is due. An interruption of `work` saves it too.
pub(super) fn saving<K: DistanceKey, R>(
    checkpoint: &dyn Checkpoint,
    points: usize,
    tree: &Growing<K>,
    work: impl FnOnce() -> R,
) -> R {
    if !checkpoint.is_kept() {
        return work();
    }
    let save = || {
        let facts = facts([
            ("points", points.to_string()),
            ("edges of the tree", tree.pairs.len().to_string()),
            ("rows counted", tree.rows.to_string()),
        ]);
        checkpoint.save(TREE, SPANNING_TREE, &facts, &mut |out| out.record(tree));
    };
    let done = progress::saving(work, save);
    if checkpoint.takes_turn() {
        save();
    }
    done
}
