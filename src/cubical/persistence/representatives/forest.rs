//! The minimum spanning forest of a three-dimensional image, through which cycles are closed.
//!
//! From every vertex the gradient leads along edges of the forest to a critical vertex, and the critical edges that
//! join components connect the critical vertices to one tree. So a set of an even number of vertices is the boundary of
//! exactly one set of edges of the forest. To find it, all vertices move along the gradient; edges traversed twice
//! cancel, and so do two vertices that meet. Critical vertices move on towards the root of the tree, the deepest first.

use std::collections::BTreeSet;

use hashbrown::HashSet;
use rayon::slice::ParallelSliceMut as _;

use super::super::cell::Cell;
use super::super::forest::Merging;
use super::super::gradient::Gradient;
use super::super::grid::Grid;
use super::super::grid_cell::GridCell;
use crate::cubical::construction::Construction;
use crate::parallel;

/// The vertices of the image: voxels of the grid, or, in the dual complex, cubes of the grid, identified by their least
/// corners. Edges of the image are then faces of the grid.
#[derive(Clone, Copy)]
struct Vertices<'a> {
    grid: &'a Grid<'a>,
    gradient: &'a Gradient,
}

impl Vertices<'_> {
    /// The edge that a vertex is matched with, and the vertex at its other end; `None` for a critical vertex.
    fn step(self, vertex: usize) -> Option<(GridCell, usize)> {
        let Vertices { grid, gradient } = self;
        if grid.construction == Construction::V {
            let edge = gradient.star(grid, vertex).edge_of_voxel()?;
            let next = grid.neighbour(vertex, edge);
            return Some((GridCell::new(vertex.min(next), 1 << (edge / 2)), next));
        }
        let corners = GridCell::new(vertex, 7).corners(grid).enumerate();
        let (at, owner) = corners.max_by_key(|&(_, place)| grid.entry(place))?;
        // Seen from its owner, the cube lies in the opposite direction.
        let cube = 7 - at;
        let axis = gradient.star(grid, owner).axis_of_cube(cube)?;
        let face = 7 & !(1 << axis);
        let is_near = cube >> axis & 1 == 1;
        let next = grid.neighbour(vertex, 2 * axis + usize::from(!is_near));
        Some((GridCell::new(vertex.max(next), face), next))
    }

    /// The two vertices of an edge.
    fn ends(self, edge: GridCell) -> [usize; 2] {
        let (corner, strides) = (edge.corner(), self.grid.layout.strides);
        match self.grid.construction {
            Construction::V => [corner, corner + strides[edge.along().trailing_zeros() as usize]],
            Construction::T => [corner, corner - strides[edge.across(3)]],
        }
    }

    /// Follows the gradient to a critical vertex, which is returned; calls `tell` with each edge on the path.
    fn descend(self, mut vertex: usize, tell: &mut impl FnMut(GridCell)) -> usize {
        while let Some((edge, next)) = self.step(vertex) {
            tell(edge);
            vertex = next;
        }
        vertex
    }
}

/// The tree of critical vertices, rooted at node 1.
pub(super) struct Forest<'a> {
    vertices: Vertices<'a>,
    merging: &'a Merging,
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
    pub(super) fn new(grid: &'a Grid<'a>, gradient: &'a Gradient, merging: &'a Merging) -> Self {
        let vertices = Vertices { grid, gradient };
        let dim = if grid.construction == Construction::V { 1 } else { 2 };
        let (joints, _) = merging.split();
        let between = |&joint: &Cell| {
            let edge = GridCell::of(grid, joint, dim);
            let node = |end: usize| merging.node(grid.entry(vertices.descend(end, &mut |_| ()))) as u32;
            (edge, vertices.ends(edge).map(node))
        };
        let joints =
            parallel::listed(joints.len(), 1 << 10, &|range| joints[range].iter().map(between).collect());
        // The nodes with the numbers of the edges that join them, node after node.
        let mut neighbours = parallel::table(2 * joints.len(), |k| {
            let (_, ends) = joints[k / 2];
            u64::from(ends[k % 2]) << 32 | (k / 2) as u64
        });
        neighbours.par_sort_unstable();
        let mut nodes = vec![Node::default(); merging.nodes.len() + 1];
        let mut queue = vec![1];
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            let Node { depth, parent, .. } = nodes[node as usize];
            let first = neighbours.partition_point(|&neighbour| neighbour >> 32 < u64::from(node));
            let of_node = |neighbour: &&u64| **neighbour >> 32 == u64::from(node);
            for &neighbour in neighbours[first..].iter().take_while(of_node) {
                let (edge, [a, b]) = joints[neighbour as u32 as usize];
                let other = if a == node { b } else { a };
                if other != parent {
                    nodes[other as usize] = Node { depth: depth + 1, parent: node, edge: Some(edge) };
                    queue.push(other);
                }
            }
        }
        Forest { vertices, merging, nodes }
    }

    /// Completes these edges to a cycle by edges of the forest.
    pub(super) fn close(&self, edges: Vec<GridCell>) -> Vec<GridCell> {
        let Forest { vertices, merging, .. } = self;
        let (mut ways, mut odd) = (HashSet::new(), BTreeSet::new());
        let mut open: Vec<usize> = edges.iter().flat_map(|&edge| vertices.ends(edge)).collect();
        loop {
            for vertex in open.drain(..) {
                let end = vertices.descend(vertex, &mut |edge| {
                    if !ways.remove(&edge) {
                        ways.insert(edge);
                    }
                });
                let node = merging.node(vertices.grid.entry(end));
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
