//! The minimum spanning forest of a three-dimensional image, through which cycles are closed.
//!
//! From every vertex the gradient leads along edges of the forest to a critical vertex, and the critical edges that
//! join components connect the critical vertices to one tree. So a set of an even number of vertices is the boundary of
//! exactly one set of edges of the forest. To find it, all vertices move along the gradient; edges traversed twice
//! cancel, and so do two vertices that meet. Critical vertices move on towards the root of the tree, the deepest first.

use std::collections::BTreeSet;

use hashbrown::HashSet;
use rayon::prelude::*;

use super::super::cell::Cell;
use super::super::gradient::Gradient;
use super::super::gradient::table::{PAIRS, omitted_axis};
use super::super::grid::Grid;
use super::super::loops::corner_of_face;
use super::super::via_gradient::Ends;
use super::GridCell;

/// The vertices of the image and the gradient paths between them.
pub(super) trait Vertices: Copy + Sync {
    /// The edge that a vertex is matched with, and the vertex at its other end; `None` for a critical vertex.
    fn step(self, vertex: usize) -> Option<(GridCell, usize)>;

    /// The two vertices of an edge.
    fn ends(self, edge: GridCell) -> [usize; 2];

    /// The edge of a critical cell that joins components.
    fn joint(self, cell: Cell) -> GridCell;

    /// The node number of a critical vertex.
    fn node(self, ends: &Ends, vertex: usize) -> usize;

    /// Follows the gradient to a critical vertex, which is returned; calls `tell` with each edge on the path.
    fn descend(self, mut vertex: usize, tell: &mut impl FnMut(GridCell)) -> usize {
        while let Some((edge, next)) = self.step(vertex) {
            tell(edge);
            vertex = next;
        }
        vertex
    }
}

/// Vertices that are voxels of the grid.
#[derive(Clone, Copy)]
pub(super) struct Voxels<'a> {
    pub(super) grid: &'a Grid,
    pub(super) gradient: &'a Gradient,
}

impl Vertices for Voxels<'_> {
    fn step(self, vertex: usize) -> Option<(GridCell, usize)> {
        let edge = self.gradient.star(vertex).edge_of_voxel()?;
        let next = self.grid.neighbour(vertex, edge);
        Some((GridCell::new(vertex.min(next), 1 << (edge / 2)), next))
    }

    fn ends(self, edge: GridCell) -> [usize; 2] {
        let axis = edge.along().trailing_zeros() as usize;
        [edge.corner(), edge.corner() + self.grid.strides()[axis]]
    }

    fn joint(self, cell: Cell) -> GridCell {
        let next = self.grid.neighbour(cell.place(), cell.direction());
        GridCell::new(cell.place().min(next), 1 << (cell.direction() / 2))
    }

    fn node(self, ends: &Ends, vertex: usize) -> usize {
        ends.node(self.grid.rank(vertex), false)
    }
}

/// Vertices that are cubes of the grid, identified by their least corners; edges are faces of the grid.
#[derive(Clone, Copy)]
pub(super) struct Cubes<'a> {
    pub(super) grid: &'a Grid,
    pub(super) gradient: &'a Gradient,
}

impl Vertices for Cubes<'_> {
    fn step(self, vertex: usize) -> Option<(GridCell, usize)> {
        let strides = self.grid.strides();
        let shift = |at: usize| (0..3).map(|axis| (at >> axis & 1) * strides[axis]).sum::<usize>();
        let owner = (0..8).max_by_key(|&at| self.grid.rank(vertex + shift(at))).unwrap_or(0);
        // Seen from its owner, the cube lies in the opposite direction.
        let cube = 7 - owner;
        let axis = self.gradient.star(vertex + shift(owner)).axis_of_cube(cube)?;
        let face = 7 & !(1 << axis);
        if cube >> axis & 1 == 1 {
            Some((GridCell::new(vertex, face), vertex - strides[axis]))
        } else {
            let next = vertex + strides[axis];
            Some((GridCell::new(next, face), next))
        }
    }

    fn ends(self, edge: GridCell) -> [usize; 2] {
        let omitted = (7 & !edge.along()).trailing_zeros() as usize;
        [edge.corner(), edge.corner() - self.grid.strides()[omitted]]
    }

    fn joint(self, cell: Cell) -> GridCell {
        let (a, b) = PAIRS[2 - omitted_axis(cell.direction())];
        GridCell::new(corner_of_face(self.grid, cell.place(), cell.direction()), 1 << a | 1 << b)
    }

    fn node(self, ends: &Ends, vertex: usize) -> usize {
        ends.node(self.grid.rank(vertex), true)
    }
}

/// The tree of critical vertices, rooted at node 1.
pub(super) struct Forest<'a> {
    ends: &'a Ends,
    /// The node of each critical vertex, from index 1 on.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Node {
    depth: u32,
    parent: u32,
    /// The critical edge between this node and its parent.
    edge: Option<GridCell>,
}

impl<'a> Forest<'a> {
    /// Builds the tree from the critical vertices and the edges that join components.
    pub(super) fn new(vertices: impl Vertices, ends: &'a Ends) -> Self {
        let (joints, _) = ends.joined.split(&ends.joints);
        let between = |&joint: &Cell| {
            let edge = vertices.joint(joint);
            let node = |end: usize| vertices.node(ends, vertices.descend(end, &mut |_| ())) as u32;
            (edge, vertices.ends(edge).map(node))
        };
        let joints: Vec<(GridCell, [u32; 2])> = joints.par_iter().map(between).collect();
        let neighbours = Neighbours::new(ends.nodes.len() + 1, &joints);
        let mut nodes = vec![Node::default(); ends.nodes.len() + 1];
        let mut queue = vec![1];
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            let Node { depth, parent, .. } = nodes[node as usize];
            for &joint in neighbours.of(node as usize) {
                let (edge, [a, b]) = joints[joint as usize];
                let other = if a == node { b } else { a };
                if other != parent {
                    nodes[other as usize] = Node { depth: depth + 1, parent: node, edge: Some(edge) };
                    queue.push(other);
                }
            }
        }
        Forest { ends, nodes }
    }

    /// Completes these edges to a cycle by edges of the forest.
    pub(super) fn close(&self, vertices: impl Vertices, edges: Vec<GridCell>) -> Vec<GridCell> {
        let (mut ways, mut odd) = (HashSet::new(), BTreeSet::new());
        let mut open: Vec<usize> = edges.iter().flat_map(|&edge| vertices.ends(edge)).collect();
        loop {
            for vertex in open.drain(..) {
                let end = vertices.descend(vertex, &mut |edge| {
                    if !ways.remove(&edge) {
                        ways.insert(edge);
                    }
                });
                let node = vertices.node(self.ends, end);
                let entry = (self.nodes[node].depth, node);
                if !odd.remove(&entry) {
                    odd.insert(entry);
                }
            }
            // The last two vertices meet at the root at the latest.
            let Some(&(_, node)) = odd.last() else { break };
            let Some(edge) = self.nodes[node].edge else { break };
            if !ways.remove(&edge) {
                ways.insert(edge);
            }
            // One end leads to this node, where it cancels, and the other to the parent.
            open.extend(vertices.ends(edge));
        }
        ways.into_iter().chain(edges).collect()
    }
}

/// For each node, the numbers of the joining edges at it, stored contiguously.
struct Neighbours {
    /// Start of each node's numbers; the last entry is their total.
    offsets: Vec<u32>,
    joints: Vec<u32>,
}

impl Neighbours {
    fn new(nodes: usize, joints: &[(GridCell, [u32; 2])]) -> Self {
        let mut offsets = vec![0; nodes + 1];
        let at =
            || (0_u32..).zip(joints).flat_map(|(number, (_, ends))| ends.map(|node| (node as usize, number)));
        at().for_each(|(node, _)| offsets[node + 1] += 1);
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let (mut next, mut numbers) = (offsets.clone(), vec![0; 2 * joints.len()]);
        for (node, number) in at() {
            numbers[next[node] as usize] = number;
            next[node] += 1;
        }
        Neighbours { offsets, joints: numbers }
    }

    fn of(&self, node: usize) -> &[u32] {
        &self.joints[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }
}
