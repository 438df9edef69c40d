//! The graph of a skeleton: nodes, branches as paths of voxels, and the radius of the object along them.
//!
//! Skeletons are 8-connected in the plane and 26-connected in space; two voxels that touch are *neighbours*. A voxel
//! with two neighbours that do not touch each other is a *line voxel*, a voxel with one neighbour an *end*, and every
//! other voxel, if it has neighbours, a *junction voxel*. Junction voxels that touch belong to one *cluster*.
//!
//! The graph has a node for each cluster, each end and each isolated voxel. Its branches are the paths of line voxels
//! between these, and the contacts of nodes that touch without a line voxel between them. Three refinements keep
//! artefacts of the grid out of it:
//!
//! - A cluster in which just two branches end, such as a corner of three voxels, is no node: the two are one branch,
//!   on the shortest path through the cluster.
//! - A cluster without loops in which one branch ends, such as a staircase at the end of a line, is an end: its node is
//!   at its voxel farthest from the branch. One in which none ends is a branch between two such ends.
//! - A cluster may wind around a hole itself: four junction voxels around one voxel of background do. Such holes are
//!   branches from the node to itself, one for each class of a basis of the cluster's loops (`cluster`).
//!
//! A closed path on which no node is left gets one of its voxels as its node, of degree 2. All other nodes have degree
//! 0, 1 or at least 3. The node of a junction is at the voxel nearest to the centre of its cluster. Branches lead
//! through the cluster up to this voxel, so all branches of a node meet.
//!
//! **Theorem.** The graph has as many components as the skeleton, and as many independent cycles: branches − nodes +
//! components is the first Betti number of the union of the closed cubes of the skeleton's voxels (the
//! T-construction).
//!
//! *Proof.* Boxes with parallel axes that pairwise intersect have a common point. By the nerve theorem the union of
//! cubes is therefore homotopy equivalent to the flag complex K of the neighbour relation: its simplices are the sets
//! of voxels that pairwise touch. Let J be the subcomplex of K on the junction voxels, and Q the quotient of K in which
//! each component of J is a point. A line voxel is in no triangle, since its two neighbours do not touch; nor is an
//! end.
//! So K is J with vertices and edges attached, and Q is a graph: the one described above without the loops of clusters.
//! K and Q have the same components. Attached edges change no homology in dimension 2 and above, so the Euler–Poincaré
//! formula for K, J and Q gives b₁(K) = b₁(Q) + b₁(J). The loops of clusters add b₁(J) branches. To replace two
//! branches by one, or a node by a branch between two ends, changes neither number. ∎
//!
//! Cavities, which skeletons of closed surfaces have, are not in the graph.
//!
//! skan (Nunez-Iglesias and others 2018) finds branches likewise, but keeps a spanning tree of each cluster, which
//! loses the loops of clusters, and counts corners as junctions.
//!
//! **Radius.** The radius at a voxel is the exact Euclidean distance from its centre to the nearest centre of a voxel
//! of background in the image that was thinned, computed in `radius`. Outside the image is background. With the radii,
//! the graph is a medial representation of the object.

mod cluster;
pub mod plain;
mod radius;
#[cfg(test)]
mod tests;
mod tree;
mod voxels;

use std::ops::Range;

use serde::Serialize;
use strum::VariantArray;

use self::cluster::Cluster;
use self::radius::{Spacing, radius};
pub use self::tree::{SkeletonTree, TreePoint};
use self::voxels::{Class, Voxels};
use super::bits::BitImage;
use crate::cubical::shape::Shape;
use crate::disjoint_sets::DisjointSets;
use crate::memory::{self, Refused};
use crate::names::named;
use crate::parallel;
use crate::progress::{Interrupted, Progress, check, interruptible};

/// Kind of a branch, by its ends. The order is that of skan's numbers of branch types, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum BranchKind {
    /// Between two ends.
    EndEnd,
    /// Between a junction and an end.
    JunctionEnd,
    /// Between two junctions, or from a junction to itself.
    JunctionJunction,
    /// A closed path without junction.
    Cycle,
}

named!(BranchKind);

/// A node of a graph.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Node {
    /// Place of its voxel in C order.
    pub voxel: usize,
    /// Number of ends of branches at the node.
    pub degree: usize,
    /// Radius of the object at its voxel.
    pub radius: f64,
}

/// A branch of a graph.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Branch {
    /// The nodes at its first and last voxel.
    pub nodes: [usize; 2],
    /// The kind of the branch.
    pub kind: BranchKind,
    /// Sum of the Euclidean distances between consecutive voxels.
    pub length: f64,
    /// Range of its voxels in [`SkeletonGraph::voxels`], from node to node; consecutive ones touch.
    pub voxels: Range<usize>,
}

/// The graph of a skeleton.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SkeletonGraph {
    /// Shape of the image, in C order.
    pub shape: Shape,
    /// Distance of the centres of neighbouring voxels along each of the user's axes.
    pub spacing: Vec<f64>,
    /// The nodes: clusters, ends and isolated voxels by their first voxels, then second ends and closed paths.
    pub nodes: Vec<Node>,
    /// The branches.
    pub branches: Vec<Branch>,
    /// Places in C order of the voxels of all branches, one branch after the other.
    pub voxels: Vec<usize>,
    /// Radius of the object at each of the voxels.
    pub radii: Vec<f64>,
}

/// Reasons why the graph of a skeleton could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The number of spacings is not that of the axes.
    #[error(
        "spacing: expected {axes} numbers, one for each axis of the image of {shape}, found {found}",
        axes = shape.axes().len()
    )]
    Axes {
        /// The shape of the image.
        shape: Shape,
        /// The number of spacings.
        found: usize,
    },
    /// The spacing along an axis of more than one voxel is not a distance.
    #[error("spacing along axis {axis}: expected a finite number greater than 0, found {found}")]
    Spacing {
        /// The axis, counted from 0.
        axis: usize,
        /// The spacing.
        found: f64,
    },
    /// Memory does not suffice.
    #[error(transparent)]
    Memory(#[from] Refused),
    /// The [`Progress`] ended the run early.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

/// Bytes that are needed for each voxel of a skeleton: its place, class, cluster and tree, and its places and radii in
/// branches. The edges of solid clusters, up to 13 per voxel, and their loops are counted in `cluster`.
const BYTES_PER_VOXEL: u64 = 256;

/// Number of steps between checks for an interruption.
const STEPS: usize = 1 << 12;

/// Number of radii that a thread computes at a time.
const RADII: usize = 1 << 8;

impl SkeletonGraph {
    /// Computes the graph of `skeleton`, a subset of `object`, whose radii are measured. `spacing` is the distance of
    /// voxels along each of the user's axes. The stage is reported to `progress` as one unit of work.
    ///
    /// ```
    /// use lacuna::cubical::Image;
    /// use lacuna::cubical::thinning::BitImage;
    /// use lacuna::cubical::thinning::graph::SkeletonGraph;
    ///
    /// // A T: three ends and a junction.
    /// let voxels = [1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0];
    /// let t = BitImage::of(&Image::from_slice(&voxels, &[3, 5])?, |voxel| voxel > 0);
    /// let graph = SkeletonGraph::new(&t, &t, &[1.0, 1.0], &())?;
    /// let degrees: Vec<usize> = graph.nodes.iter().map(|node| node.degree).collect();
    /// assert_eq!(degrees, [1, 3, 1, 1]);
    /// assert!(graph.branches.iter().all(|branch| branch.length == 2.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`GraphError`]: the spacings do not suit the image; memory does not suffice; `progress` ended the run.
    ///
    /// # Panics
    /// The two images differ in shape.
    pub fn new(
        skeleton: &BitImage,
        object: &BitImage,
        spacing: &[f64],
        progress: &dyn Progress,
    ) -> Result<Self, GraphError> {
        let shape = skeleton.shape();
        assert_eq!(shape, object.shape(), "the shape of the skeleton is that of the object");
        let spacing = checked_spacing(shape, spacing)?;
        let steps = Spacing::new(shape, &spacing);
        interruptible(progress, |progress| {
            progress.begin("graph", None, 1);
            memory::probe(skeleton.count() as u64 * BYTES_PER_VOXEL + 8 * skeleton.words().len() as u64)?;
            let mut graph = Tracing::new(skeleton, &steps, progress)?.traced(progress)?;
            graph.spacing = spacing;
            graph.radii = memory::filled(0.0, graph.voxels.len())?;
            let voxels = &graph.voxels;
            parallel::pieces_mut(&mut graph.radii, RADII, &|piece, radii| {
                check(progress);
                let places = &voxels[piece * RADII..];
                radii
                    .iter_mut()
                    .zip(places)
                    .for_each(|(found, &place)| *found = radius(object, &steps, place));
            });
            parallel::pieces_mut(&mut graph.nodes, RADII, &|_, nodes| {
                check(progress);
                nodes.iter_mut().for_each(|node| node.radius = radius(object, &steps, node.voxel));
            });
            Ok(graph)
        })
    }

    /// Number of connected components.
    pub fn components(&self) -> usize {
        let mut sets = DisjointSets::new(self.nodes.len());
        self.nodes.len()
            - self.branches.iter().filter(|branch| sets.unite(branch.nodes[0], branch.nodes[1])).count()
    }

    /// Number of independent cycles.
    pub fn cycles(&self) -> usize {
        self.branches.len() + self.components() - self.nodes.len()
    }

    /// Coordinates of the voxel at a place along the user's axes, in units of the spacing.
    pub fn position(&self, place: usize) -> Vec<f64> {
        let at = self.shape.coordinates(place).into_iter();
        at.zip(&self.spacing).map(|(at, spacing)| at as f64 * spacing).collect()
    }
}

/// Checks that there is a distance for each axis of an image, and returns the distances; axes of one voxel need none.
///
/// # Errors
/// [`GraphError::Axes`], [`GraphError::Spacing`].
pub fn checked_spacing(shape: Shape, spacing: &[f64]) -> Result<Vec<f64>, GraphError> {
    let axes = shape.axes();
    if axes.len() != spacing.len() {
        return Err(GraphError::Axes { shape, found: spacing.len() });
    }
    let of_axis = |(axis, (&found, &extent)): (usize, (&f64, &usize))| match found {
        found if found.is_finite() && found > 0.0 => Ok(found),
        _ if extent == 1 => Ok(1.0),
        found => Err(GraphError::Spacing { axis, found }),
    };
    spacing.iter().zip(&axes).enumerate().map(of_axis).collect()
}

/// A path of line voxels, or a contact of two clusters without any. Voxels are numbered among those of the skeleton.
struct Arc {
    /// The voxels of clusters at which it ends.
    ends: [usize; 2],
    /// Range of its line voxels in [`Tracing::lines`].
    line: Range<usize>,
}

/// An arc with the end from which it is followed: 2 · arc + end.
type HalfArc = usize;

/// A skeleton taken apart into clusters and arcs. Every voxel that is no line voxel is in a cluster, alone if it is an
/// end or isolated.
struct Tracing<'a> {
    voxels: Voxels<'a>,
    steps: &'a Spacing,
    /// The cluster of each voxel; `NONE` for line voxels.
    cluster_of: Vec<usize>,
    clusters: Vec<Cluster>,
    /// For each voxel of a cluster, the next one on the shortest path to the cluster's root; `NONE` for the root.
    towards_root: Vec<usize>,
    arcs: Vec<Arc>,
    lines: Vec<usize>,
    /// Closed paths of line voxels alone, as ranges of `lines`.
    closed: Vec<Range<usize>>,
}

/// No voxel, no cluster, no node.
const NONE: usize = usize::MAX;

impl<'a> Tracing<'a> {
    fn new(skeleton: &'a BitImage, steps: &'a Spacing, progress: &dyn Progress) -> Result<Self, Refused> {
        let voxels = Voxels::of(skeleton)?;
        let none = || memory::filled(NONE, voxels.len());
        let (cluster_of, towards_root) = (none()?, none()?);
        let (clusters, arcs, lines, closed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut found = Tracing { voxels, steps, cluster_of, clusters, towards_root, arcs, lines, closed };
        found.find_clusters(progress);
        found.find_arcs(progress)?;
        for number in 0..found.clusters.len() {
            if number.is_multiple_of(STEPS) {
                check(progress);
            }
            let mut cluster = std::mem::take(&mut found.clusters[number]);
            cluster.root(&found.voxels, steps, &mut found.towards_root, progress)?;
            found.clusters[number] = cluster;
        }
        Ok(found)
    }

    /// Collects the voxels that touch and are no line voxels.
    fn find_clusters(&mut self, progress: &dyn Progress) {
        for first in 0..self.voxels.len() {
            if first.is_multiple_of(STEPS) {
                check(progress);
            }
            if self.cluster_of[first] != NONE || self.voxels.class(first) == Class::Line {
                continue;
            }
            let (number, mut members, mut next) = (self.clusters.len(), vec![first], 0);
            self.cluster_of[first] = number;
            while self.voxels.class(first) == Class::Junction && next < members.len() {
                let neighbours = self.voxels.neighbours(members[next]);
                next += 1;
                for other in neighbours {
                    if self.cluster_of[other] == NONE && self.voxels.class(other) == Class::Junction {
                        self.cluster_of[other] = number;
                        members.push(other);
                    }
                }
            }
            members.sort_unstable();
            self.clusters.push(Cluster::new(members));
        }
    }

    /// Follows the lines from all clusters, then the closed ones.
    fn find_arcs(&mut self, progress: &dyn Progress) -> Result<(), Refused> {
        let mut is_followed = memory::filled(false, self.voxels.len())?;
        for start in 0..self.voxels.len() {
            if start.is_multiple_of(STEPS) {
                check(progress);
            }
            if self.cluster_of[start] == NONE {
                continue;
            }
            for next in self.voxels.neighbours(start) {
                let is_line = self.cluster_of[next] == NONE;
                let is_contact = !is_line && start < next && self.cluster_of[next] != self.cluster_of[start];
                if is_contact || is_line && !is_followed[next] {
                    let from = self.lines.len();
                    let end = self.follow(start, next, &mut is_followed);
                    self.arcs.push(Arc { ends: [start, end], line: from..self.lines.len() });
                }
            }
        }
        for start in 0..self.voxels.len() {
            if self.cluster_of[start] == NONE && !is_followed[start] {
                let from = self.lines.len();
                let before = self.voxels.neighbours(start)[0];
                self.follow(before, start, &mut is_followed);
                self.closed.push(from..self.lines.len());
            }
        }
        for (number, arc) in self.arcs.iter().enumerate() {
            for (end, &voxel) in arc.ends.iter().enumerate() {
                self.clusters[self.cluster_of[voxel]].arcs.push((2 * number + end, voxel));
            }
        }
        Ok(())
    }

    /// Appends the line that is entered from `before` at `voxel`, and returns the first voxel after it.
    fn follow(&mut self, mut before: usize, mut voxel: usize, is_followed: &mut [bool]) -> usize {
        while self.cluster_of[voxel] == NONE && !is_followed[voxel] {
            is_followed[voxel] = true;
            self.lines.push(voxel);
            let neighbours = self.voxels.neighbours(voxel);
            let next = if neighbours[0] == before { neighbours[1] } else { neighbours[0] };
            (before, voxel) = (voxel, next);
        }
        voxel
    }

    /// The path from a voxel of a cluster to its root.
    fn to_root(&self, voxel: usize) -> Vec<usize> {
        let next = |&voxel: &usize| Some(self.towards_root[voxel]).filter(|&next| next != NONE);
        std::iter::successors(Some(voxel), next).collect()
    }

    /// The voxel of a cluster at the start of a half arc.
    fn touched(&self, half: HalfArc) -> usize {
        self.arcs[half / 2].ends[half % 2]
    }

    /// Joins arcs to branches from node to node.
    fn traced(self, progress: &dyn Progress) -> Result<SkeletonGraph, Refused> {
        let mut graph = SkeletonGraph {
            shape: self.voxels.shape(),
            spacing: Vec::new(),
            nodes: Vec::new(),
            branches: Vec::new(),
            voxels: Vec::new(),
            radii: Vec::new(),
        };
        let mut node_of = memory::filled(NONE, self.clusters.len())?;
        for (number, cluster) in self.clusters.iter().enumerate() {
            if !cluster.is_passed() {
                node_of[number] = graph.nodes.len();
                self.push_node(&mut graph, cluster.anchor(), cluster.degree());
            }
        }
        let mut is_done = memory::filled(false, self.arcs.len())?;
        for (number, cluster) in self.clusters.iter().enumerate() {
            if number.is_multiple_of(STEPS) {
                check(progress);
            }
            if node_of[number] == NONE {
                continue;
            }
            for &(half, _) in &cluster.arcs {
                self.push_branch(&mut graph, half, &node_of, &mut is_done)?;
            }
            for path in &cluster.loops {
                self.push_path(&mut graph, [node_of[number]; 2], path)?;
            }
            if let Some(tip) = cluster.tip {
                let node = graph.nodes.len();
                self.push_node(&mut graph, tip, 1);
                self.push_path(&mut graph, [node, node_of[number]], &self.to_root(tip))?;
            }
        }
        // What is left are closed paths through clusters that are no nodes.
        for number in 0..self.arcs.len() {
            if !is_done[number] {
                let cluster = self.cluster_of[self.touched(2 * number)];
                node_of[cluster] = graph.nodes.len();
                self.push_node(&mut graph, self.clusters[cluster].anchor(), 2);
                self.push_branch(&mut graph, 2 * number, &node_of, &mut is_done)?;
            }
        }
        for line in &self.closed {
            let node = graph.nodes.len();
            let mut path = self.lines[line.clone()].to_vec();
            path.push(path[0]);
            self.push_node(&mut graph, path[0], 2);
            self.push_path(&mut graph, [node; 2], &path)?;
        }
        Ok(graph)
    }

    fn push_node(&self, graph: &mut SkeletonGraph, voxel: usize, degree: usize) {
        graph.nodes.push(Node { voxel: self.voxels.place(voxel), degree, radius: 0.0 });
    }

    /// Appends the branch that begins at a node with a half arc, unless its arc is done.
    fn push_branch(
        &self,
        graph: &mut SkeletonGraph,
        mut half: HalfArc,
        node_of: &[usize],
        is_done: &mut [bool],
    ) -> Result<(), Refused> {
        if is_done[half / 2] {
            return Ok(());
        }
        let start = node_of[self.cluster_of[self.touched(half)]];
        let mut path = self.to_root(self.touched(half));
        path.reverse();
        loop {
            is_done[half / 2] = true;
            let line = &self.lines[self.arcs[half / 2].line.clone()];
            if half.is_multiple_of(2) {
                path.extend(line)
            } else {
                path.extend(line.iter().rev())
            }
            let end = half ^ 1;
            let cluster = self.cluster_of[self.touched(end)];
            path.extend(self.to_root(self.touched(end)));
            if node_of[cluster] != NONE {
                return self.push_path(graph, [start, node_of[cluster]], &path);
            }
            // The cluster is passed: its root is the voxel of one of its two arcs.
            let arcs = &self.clusters[cluster].arcs;
            half = if arcs[0].0 == end { arcs[1].0 } else { arcs[0].0 };
            let mut onwards = self.to_root(self.touched(half));
            onwards.pop();
            path.extend(onwards.iter().rev());
        }
    }

    /// Appends the branch of a path between two nodes.
    fn push_path(&self, graph: &mut SkeletonGraph, nodes: [usize; 2], path: &[usize]) -> Result<(), Refused> {
        let from = graph.voxels.len();
        memory::make_room(&mut graph.voxels, path.len())?;
        graph.voxels.extend(path.iter().map(|&voxel| self.voxels.place(voxel)));
        let length = path.windows(2).map(|step| self.steps.between(&self.voxels, step[0], step[1])).sum();
        let kind = match nodes.map(|node| graph.nodes[node].degree) {
            [1, 1] => BranchKind::EndEnd,
            [1, _] | [_, 1] => BranchKind::JunctionEnd,
            [2, _] => BranchKind::Cycle,
            _ => BranchKind::JunctionJunction,
        };
        memory::push(&mut graph.branches, Branch { nodes, kind, length, voxels: from..graph.voxels.len() })
    }
}
