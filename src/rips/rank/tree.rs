//! A k-d tree of points (Bentley 1975) with the box of every node; its leaves are blocks.
//!
//! A node of L leaves has a left child of ⌊L/2⌋ leaves and a right child with the others. Nodes are in preorder, so the
//! index of a node and its number of leaves give the indices of its children. All leaves but the last have [`LANES`]
//! points.

use crate::memory::{self, Refused};
use crate::metric::value::LANES;
use crate::metric::{PointCloud, Value};
use crate::parallel;

/// Fewest points for which the children of a node are built in parallel.
const PARALLEL: usize = 1 << 13;

/// A k-d tree of points.
pub(super) struct Tree<T> {
    dimension: usize,
    /// The points, leaf after leaf.
    pub(super) order: Vec<u32>,
    /// The least coordinates of each node's points, followed by the greatest ones.
    boxes: Vec<T>,
}

impl<T: Value> Tree<T> {
    /// The tree of all points of a cloud.
    ///
    /// # Errors
    /// There is not enough memory for the tree.
    pub(super) fn of(cloud: &PointCloud<T>) -> Result<Self, Refused> {
        let (n, dimension) = (cloud.len(), cloud.dimension());
        let mut order = memory::with_room(n)?;
        // Points are numbers of 32 bits.
        order.extend(0..n as u32);
        let mut boxes = memory::zeroed((2 * n.div_ceil(LANES) - 1) * 2 * dimension)?;
        build(cloud, &mut order, &mut boxes);
        Ok(Tree { dimension, order, boxes })
    }

    /// The number of leaves.
    pub(super) fn leaves(&self) -> usize {
        self.order.len().div_ceil(LANES)
    }

    /// The points of a leaf.
    pub(super) fn leaf(&self, number: usize) -> &[u32] {
        let from = number * LANES;
        &self.order[from..self.order.len().min(from + LANES)]
    }

    /// Calls `near` with each leaf up to `leaf`, itself included, whose box is within the square root of `limit` of its
    /// box.
    pub(super) fn near_leaves(&self, leaf: usize, limit: f64, mut near: impl FnMut(usize)) {
        let own = self.node_of(leaf);
        // Nodes still to visit, each with its first leaf and number of leaves.
        let mut stack = vec![(0, 0, self.leaves())];
        while let Some((node, first, leaves)) = stack.pop() {
            if first > leaf || self.squared_gap(own, node) > limit {
                continue;
            }
            if leaves == 1 {
                near(first);
                continue;
            }
            let left = leaves / 2;
            stack.push((node + 2 * left, first + left, leaves - left));
            stack.push((node + 1, first, left));
        }
    }

    /// The index of a leaf's node.
    fn node_of(&self, leaf: usize) -> usize {
        let (mut node, mut first, mut leaves) = (0, 0, self.leaves());
        while leaves > 1 {
            let left = leaves / 2;
            if leaf < first + left {
                (node, leaves) = (node + 1, left);
            } else {
                (node, first, leaves) = (node + 2 * left, first + left, leaves - left);
            }
        }
        node
    }

    /// The squared distance between the boxes of two nodes.
    fn squared_gap(&self, a: usize, b: usize) -> f64 {
        let m = self.dimension;
        let [a, b] = [a, b].map(|node| self.boxes[2 * m * node..][..2 * m].split_at(m));
        let mut squares = 0.0;
        for k in 0..m {
            let (a, b): ([f64; 2], [f64; 2]) =
                ([a.0[k].into(), a.1[k].into()], [b.0[k].into(), b.1[k].into()]);
            let gap = (a[0] - b[1]).max(b[0] - a[1]).max(0.0);
            squares += gap * gap;
        }
        squares
    }
}

/// Sorts the points of a node into the order of its leaves, and computes the boxes of it and of its descendants.
fn build<T: Value>(cloud: &PointCloud<T>, points: &mut [u32], boxes: &mut [T]) {
    let m = cloud.dimension();
    let (own, below) = boxes.split_at_mut(2 * m);
    let (least, greatest) = own.split_at_mut(m);
    least.copy_from_slice(cloud.point(points[0] as usize));
    greatest.copy_from_slice(least);
    for &point in &points[1..] {
        for ((least, greatest), &x) in least.iter_mut().zip(&mut *greatest).zip(cloud.point(point as usize)) {
            *least = if x < *least { x } else { *least };
            *greatest = if x > *greatest { x } else { *greatest };
        }
    }
    let leaves = points.len().div_ceil(LANES);
    if leaves == 1 {
        return;
    }
    let extent = |k: &usize| greatest[*k].into() - least[*k].into();
    // There is at least one coordinate, and none is NaN.
    let widest = (0..m).max_by(|a, b| extent(a).total_cmp(&extent(b))).unwrap_or(0);
    let left = leaves / 2;
    let along = |&point: &u32| -> f64 { cloud.point(point as usize)[widest].into() };
    points.select_nth_unstable_by(left * LANES, |a, b| along(a).total_cmp(&along(b)));
    let (points_left, points_right) = points.split_at_mut(left * LANES);
    let (boxes_left, boxes_right) = below.split_at_mut((2 * left - 1) * 2 * m);
    if leaves * LANES < PARALLEL {
        build(cloud, points_left, boxes_left);
        build(cloud, points_right, boxes_right);
    } else {
        parallel::join(|| build(cloud, points_left, boxes_left), || build(cloud, points_right, boxes_right));
    }
}
