//! Clusters of junction voxels: the root of each, shortest paths to it, and the loops around holes.
//!
//! **Loops.** Let T be the tree of shortest paths to the root. Every edge outside T closes a loop with the paths from
//! its two voxels. These loops generate the first homology over Z/2 of the cluster's flag complex, and the triangles
//! give the relations between them. By Gaussian elimination on the triangles, with edges in the order of the lengths of
//! their loops, every relation eliminates its longest loop. The loops that are left are a basis, since a boundary has
//! its greatest edge among the eliminated ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use super::radius::Spacing;
use super::voxels::Voxels;
use super::{HalfArc, NONE, STEPS};
use crate::memory::{self, Refused};
use crate::progress::{Progress, check};

/// Junction voxels that touch; or a single voxel, an end or isolated.
#[derive(Default)]
pub(super) struct Cluster {
    /// The voxels of the cluster, ascending; none once it has a root.
    members: Vec<usize>,
    /// The voxel to which its paths lead.
    root: usize,
    /// The half arcs that begin at its voxels, each with the voxel.
    pub(super) arcs: Vec<(HalfArc, usize)>,
    /// Closed paths of its voxels, from the root to the root.
    pub(super) loops: Vec<Vec<usize>>,
    /// The other end of a cluster without arcs and loops.
    pub(super) tip: Option<usize>,
}

impl Cluster {
    pub(super) fn new(members: Vec<usize>) -> Self {
        let root = members[0];
        Cluster { members, root, ..Cluster::default() }
    }

    /// Number of ends of branches.
    pub(super) fn degree(&self) -> usize {
        self.arcs.len() + 2 * self.loops.len() + usize::from(self.tip.is_some())
    }

    /// Whether it joins two arcs to one and is no node.
    pub(super) fn is_passed(&self) -> bool {
        matches!(self.arcs[..], [(a, _), (b, _)] if self.loops.is_empty() && a / 2 != b / 2)
    }

    /// The voxel of its node.
    pub(super) fn anchor(&self) -> usize {
        self.root
    }

    /// Chooses the root, and finds the shortest paths to it and the loops.
    ///
    /// With two arcs the root is the end of one of them, so that the path to the other is the shortest between the two.
    /// With one arc and no loop it is the voxel farthest from the arc, and with none it and the tip are far apart.
    /// Otherwise it is the voxel nearest to the centre.
    pub(super) fn root(
        &mut self,
        voxels: &Voxels<'_>,
        spacing: &Spacing,
        towards_root: &mut [usize],
        progress: &dyn Progress,
    ) -> Result<(), Refused> {
        let members = std::mem::take(&mut self.members);
        if members.len() == 1 {
            return Ok(());
        }
        self.root = match self.arcs[..] {
            [(_, voxel)] | [(_, voxel), _] => voxel,
            _ => centre(&members, voxels, spacing),
        };
        let (edges, farthest) = tree(&members, self.root, voxels, spacing, towards_root, progress)?;
        for [u, v] in basis(&edges, voxels, progress)? {
            check(progress);
            let to_root = |&voxel: &usize| Some(towards_root[voxel]).filter(|&next| next != NONE);
            let path = |voxel| std::iter::successors(Some(voxel), to_root);
            let mut closed = memory::with_room(path(u).count() + path(v).count())?;
            closed.extend(path(u));
            closed.reverse();
            closed.extend(path(v));
            memory::push(&mut self.loops, closed)?;
        }
        if self.loops.is_empty() && self.arcs.len() < 2 {
            self.root = farthest;
            let (_, farthest) = tree(&members, self.root, voxels, spacing, towards_root, progress)?;
            self.tip = self.arcs.is_empty().then_some(farthest);
        }
        if self.degree() == 2
            && let [closed] = &mut self.loops[..]
        {
            // Nothing holds the root where it is: the path to the loop and back is left out.
            let mut shared = 0;
            while closed[shared + 1] == closed[closed.len() - shared - 2] {
                shared += 1;
            }
            closed.truncate(closed.len() - shared);
            closed.drain(..shared);
            self.root = closed[0];
        }
        Ok(())
    }
}

/// The member that is nearest to the mean position, the first of several.
fn centre(members: &[usize], voxels: &Voxels<'_>, spacing: &Spacing) -> usize {
    let count = members.len() as f64;
    let mut sums = [0.0; 3];
    for &member in members {
        sums.iter_mut().zip(voxels.at(member)).for_each(|(sum, at)| *sum += at as f64);
    }
    // Differences are multiplied by the number of members, so that unit spacings give exact squares.
    let apart = |member: usize| -> f64 {
        let at = voxels.at(member);
        (0..3).map(|axis| spacing.square(axis, at[axis] as f64 * count - sums[axis])).sum()
    };
    let nearest = members.iter().copied().min_by(|&a, &b| apart(a).total_cmp(&apart(b)));
    nearest.unwrap_or(members[0])
}

/// An edge between two voxels of a cluster, after the length of the loop that it closes.
type Closing = (f64, [usize; 2]);

/// Finds the shortest paths from all members to the root (Dijkstra). Returns the edges outside their tree after the
/// lengths of the loops that they close, in the order of these, and the voxel with the longest path, the first of
/// several.
fn tree(
    members: &[usize],
    root: usize,
    voxels: &Voxels<'_>,
    spacing: &Spacing,
    towards_root: &mut [usize],
    progress: &dyn Progress,
) -> Result<(Vec<Closing>, usize), Refused> {
    let of_cluster = |voxel: &usize| members.binary_search(voxel);
    let mut lengths = memory::filled(f64::INFINITY, members.len())?;
    members.iter().for_each(|&member| towards_root[member] = NONE);
    // Doubles that are not negative have the order of their bits.
    let mut queue = BinaryHeap::from([Reverse((0, root))]);
    lengths[members.partition_point(|&member| member < root)] = 0.0;
    let mut steps = 0_usize;
    while let Some(Reverse((bits, voxel))) = queue.pop() {
        steps += 1;
        if steps.is_multiple_of(STEPS) {
            check(progress);
        }
        let length = f64::from_bits(bits);
        if of_cluster(&voxel).is_ok_and(|index| length > lengths[index]) {
            continue;
        }
        for next in voxels.neighbours(voxel) {
            let Ok(index) = of_cluster(&next) else { continue };
            let through = length + spacing.between(voxels, voxel, next);
            if through < lengths[index] {
                lengths[index] = through;
                towards_root[next] = voxel;
                queue.push(Reverse((through.to_bits(), next)));
            }
        }
    }
    let mut edges = Vec::new();
    for (index, &u) in members.iter().enumerate() {
        for v in voxels.neighbours(u) {
            if v > u
                && towards_root[u] != v
                && towards_root[v] != u
                && let Ok(other) = of_cluster(&v)
            {
                let length = lengths[index] + lengths[other] + spacing.between(voxels, u, v);
                memory::push(&mut edges, (length, [u, v]))?;
            }
        }
    }
    edges.sort_unstable_by(|(a, of_a), (b, of_b)| a.total_cmp(b).then(of_a.cmp(of_b)));
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let farthest = members[lengths.iter().position(|&length| length == longest).unwrap_or(0)];
    Ok((edges, farthest))
}

/// Bytes that are needed for each edge outside the tree: in the map, which may be half empty, and as a relation of up
/// to four edges.
const BYTES_PER_EDGE: u64 = 160;

/// The edges outside the tree whose loops are a basis of the loops modulo triangles.
fn basis(
    edges: &[Closing],
    voxels: &Voxels<'_>,
    progress: &dyn Progress,
) -> Result<Vec<[usize; 2]>, Refused> {
    memory::probe(edges.len() as u64 * BYTES_PER_EDGE)?;
    let numbers: HashMap<[usize; 2], usize> = edges.iter().map(|&(_, edge)| edge).zip(0..).collect();
    // For each edge, the relation of which it is the greatest edge, and which eliminates it.
    let mut relations: Vec<Vec<usize>> = memory::filled(Vec::new(), edges.len())?;
    let (mut left, mut steps) = (edges.len(), 0_usize);
    // Every relation has an edge outside the tree, so triangles are found from those.
    'all: for &(_, [u, v]) in edges {
        for w in voxels.neighbours(u).into_iter().filter(|&w| w != v && voxels.touch(v, w)) {
            let sides = [[u, v], [u.min(w), u.max(w)], [v.min(w), v.max(w)]];
            let mut column: Vec<usize> = sides.iter().filter_map(|side| numbers.get(side).copied()).collect();
            column.sort_unstable();
            while let Some(&last) = column.last() {
                // A column may become as long as there are edges.
                steps += 1;
                if steps.is_multiple_of(STEPS) || column.len() > STEPS {
                    check(progress);
                }
                if relations[last].is_empty() {
                    relations[last] = column;
                    left -= 1;
                    break;
                }
                memory::make_room(&mut column, relations[last].len())?;
                column.extend(&relations[last]);
                column.sort_unstable();
                let odd = column.chunk_by(|a, b| a == b).filter(|same| same.len() % 2 == 1);
                column = odd.map(|same| same[0]).collect();
            }
            if left == 0 {
                break 'all;
            }
        }
    }
    let is_left =
        |(&(_, edge), relation): (&(f64, [usize; 2]), Vec<usize>)| relation.is_empty().then_some(edge);
    Ok(edges.iter().zip(relations).filter_map(is_left).collect())
}
