//! The graph of a skeleton as a forest of voxels, for formats that hold no cycles.
//!
//! Every cycle is cut at its thinnest link: the forest is a spanning forest of greatest total radius of the links
//! between consecutive voxels of branches, where the radius of a link is the smaller one at its two voxels (Kruskal). A
//! link that is left out is the thinnest of the cycle that it closes. Where two parts of an object touch, their contact
//! is usually thinner than they are.

use super::SkeletonGraph;
use crate::disjoint_sets::DisjointSets;
use crate::memory::{self, Refused};

/// Bytes that are needed for each voxel of a branch: itself, its link, its set, its neighbours and its point.
const BYTES_PER_VOXEL: u64 = 192;

/// A voxel of a [`SkeletonTree`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TreePoint {
    /// Place of the voxel in C order.
    pub voxel: usize,
    /// Radius of the object there.
    pub radius: f64,
    /// Index of the next point towards the root; `None` for the root.
    pub parent: Option<usize>,
}

/// A forest of the voxels of all branches and nodes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SkeletonTree {
    /// The voxels, each after its parent; the root of a component is its voxel of the greatest radius.
    pub points: Vec<TreePoint>,
    /// The voxels of the links that were cut, one for each cycle, as places in C order.
    pub cuts: Vec<[usize; 2]>,
}

impl SkeletonGraph {
    /// Cuts every cycle at its thinnest link.
    ///
    /// # Errors
    /// [`Refused`]: there is no memory for the forest.
    pub fn tree(&self) -> Result<SkeletonTree, Refused> {
        memory::probe((self.voxels.len() + self.nodes.len()) as u64 * BYTES_PER_VOXEL)?;
        let nodes = self.nodes.iter().map(|node| (node.voxel, node.radius));
        let mut all: Vec<(usize, f64)> =
            self.voxels.iter().copied().zip(self.radii.iter().copied()).collect();
        all.extend(nodes);
        all.sort_unstable_by_key(|&(voxel, _)| voxel);
        all.dedup_by_key(|&mut (voxel, _)| voxel);
        let number = |voxel: usize| all.partition_point(|&(other, _)| other < voxel);
        let paths = self.branches.iter().flat_map(|branch| self.voxels[branch.voxels.clone()].windows(2));
        let mut links: Vec<[usize; 2]> = paths.map(|step| [number(step[0]), number(step[1])]).collect();
        // Branches of a node may share voxels of its cluster.
        links.iter_mut().for_each(|link| link.sort_unstable());
        links.sort_unstable();
        links.dedup();
        let radius = |&[a, b]: &[usize; 2]| all[a].1.min(all[b].1);
        links.sort_by(|a, b| radius(b).total_cmp(&radius(a)));
        let mut sets = DisjointSets::new(all.len());
        let (kept, cut): (Vec<_>, Vec<_>) = links.into_iter().partition(|&[a, b]| sets.unite(a, b));
        let mut roots: Vec<usize> = (0..all.len()).collect();
        for point in 0..all.len() {
            let root = &mut roots[sets.find(point)];
            if all[point].1 > all[*root].1 || all[point].1 == all[*root].1 && point < *root {
                *root = point;
            }
        }
        let points = rooted(&all, &kept, &mut (0..all.len()).map(|point| roots[sets.find(point)]));
        Ok(SkeletonTree {
            points,
            cuts: cut.into_iter().map(|link| link.map(|point| all[point].0)).collect(),
        })
    }
}

/// The points in the order of a search into depth from the roots, of which each may be named more than once.
fn rooted(
    all: &[(usize, f64)],
    links: &[[usize; 2]],
    roots: &mut dyn Iterator<Item = usize>,
) -> Vec<TreePoint> {
    let mut neighbours: Vec<[usize; 2]> = links.iter().flat_map(|&[a, b]| [[a, b], [b, a]]).collect();
    neighbours.sort_unstable();
    let (mut points, mut is_done) = (Vec::with_capacity(all.len()), vec![false; all.len()]);
    for root in roots {
        let mut stack = vec![(root, None)];
        while let Some((point, parent)) = stack.pop() {
            if std::mem::replace(&mut is_done[point], true) {
                continue;
            }
            let (voxel, radius) = all[point];
            let index = points.len();
            points.push(TreePoint { voxel, radius, parent });
            let first = neighbours.partition_point(|&[of, _]| of < point);
            let of_point = neighbours[first..].iter().take_while(|&&[of, _]| of == point);
            stack.extend(of_point.filter(|&&[_, to]| !is_done[to]).map(|&[_, to]| (to, Some(index))));
        }
    }
    points
}
