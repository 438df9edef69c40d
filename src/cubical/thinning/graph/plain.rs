//! Reference implementation of the graph of a skeleton: all pairs of voxels, all voxels of background.
//!
//! It shares only the types of images with [`super`], which is tested against it. Clusters are found by comparing all
//! pairs of voxels, branches by contracting the graph of neighbours edge by edge, and radii by comparing all voxels of
//! background. What no contraction shows, the loops of clusters, is counted by persistent homology.

use std::collections::BTreeSet;

use super::{Branch, SkeletonGraph};
use crate::cubical::persistence::PersistenceRequest;
use crate::cubical::shape::Order;
use crate::cubical::thinning::BitImage;
use crate::cubical::{Cubical, CubicalError};

/// A graph without the order and the lengths of its branches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The degrees of all nodes, ascending.
    pub degrees: Vec<usize>,
    /// The line voxels of each branch as places in C order, ascending; the branches in any order that is sorted. A
    /// branch that is a loop of a cluster has none.
    pub lines: Vec<Vec<usize>>,
}

impl SkeletonGraph {
    /// The outline of the graph of `skeleton`, to be compared with [`outline`].
    pub fn outline(&self, skeleton: &BitImage) -> Outline {
        let voxels = Neighbours::of(skeleton);
        let all: BTreeSet<usize> = (0..voxels.places.len())
            .filter(|&voxel| voxels.is_line(voxel))
            .map(|voxel| voxels.places[voxel])
            .collect();
        let line = |branch: &Branch| {
            let places: BTreeSet<usize> = self.voxels[branch.voxels.clone()].iter().copied().collect();
            places.intersection(&all).copied().collect()
        };
        let mut lines: Vec<Vec<usize>> = self.branches.iter().map(line).collect();
        lines.sort_unstable();
        let mut degrees: Vec<usize> = self.nodes.iter().map(|node| node.degree).collect();
        degrees.sort_unstable();
        Outline { degrees, lines }
    }
}

/// The voxels of a skeleton by their places, and for each the numbers of those that touch it.
struct Neighbours {
    places: Vec<usize>,
    of: Vec<Vec<usize>>,
}

impl Neighbours {
    fn of(skeleton: &BitImage) -> Self {
        let places = skeleton.places();
        let touch = |a: usize, b: usize| {
            a != b && apart(skeleton, places[a], places[b]).into_iter().all(|apart| apart <= 1)
        };
        let of = |a: usize| (0..places.len()).filter(|&b| touch(a, b)).collect();
        let of = (0..places.len()).map(of).collect();
        Neighbours { places, of }
    }

    fn is_line(&self, voxel: usize) -> bool {
        matches!(self.of[voxel][..], [a, b] if !self.of[a].contains(&b))
    }

    fn is_junction(&self, voxel: usize) -> bool {
        !self.is_line(voxel) && self.of[voxel].len() > 1
    }
}

/// The distances of two voxels along the axes, in voxels.
fn apart(image: &BitImage, a: usize, b: usize) -> [usize; 3] {
    let [_, rows, columns] = image.shape().extents();
    let at = |place: usize| [place / columns / rows, place / columns % rows, place % columns];
    std::array::from_fn(|axis| at(a)[axis].abs_diff(at(b)[axis]))
}

/// A branch before all clusters that are no nodes are removed: the sets of voxels at its two ends, and its voxels.
type Edge = ([usize; 2], Vec<usize>);

/// The graph of a skeleton.
///
/// # Errors
/// [`CubicalError`]: of the persistent homology of a cluster.
pub fn outline(skeleton: &BitImage) -> Result<Outline, CubicalError> {
    let voxels = Neighbours::of(skeleton);
    let places = &voxels.places;
    // Every voxel starts as a set of its own. Sets of junction voxels that touch are united.
    let mut set: Vec<usize> = (0..places.len()).collect();
    let mut edges: Vec<Edge> = Vec::new();
    for a in 0..places.len() {
        for &b in voxels.of[a].iter().filter(|&&b| b > a) {
            if voxels.is_junction(a) && voxels.is_junction(b) {
                let (old, new) = (set[a], set[b]);
                set.iter_mut().filter(|set| **set == old).for_each(|set| *set = new);
            } else {
                edges.push(([a, b], Vec::new()));
            }
        }
    }
    edges.iter_mut().for_each(|(ends, _)| *ends = ends.map(|end| set[end]));
    let mut tips = Vec::new();
    for number in set.iter().copied().collect::<BTreeSet<usize>>() {
        let members = (0..places.len()).filter(|&voxel| set[voxel] == number).map(|voxel| places[voxel]);
        let mut cluster = BitImage::new(skeleton.shape());
        members.for_each(|place| cluster.set(place, true));
        let loops = loops(&cluster)?;
        edges.extend(std::iter::repeat_n(([number; 2], Vec::new()), loops));
        // A cluster that nothing leaves is a branch between two ends.
        if cluster.count() > 1 && !edges.iter().any(|(ends, _)| ends.contains(&number)) {
            edges.push(([number, places.len() + number], Vec::new()));
            tips.push(places.len() + number);
        }
    }
    // A set at which two different branches end is contracted, also the last of a closed path.
    let sets: BTreeSet<usize> = set.iter().copied().collect();
    let mut nodes: Vec<usize> = tips;
    for number in sets {
        let at: Vec<usize> = (0..edges.len()).filter(|&edge| edges[edge].0.contains(&number)).collect();
        let ends = edges.iter().flat_map(|(ends, _)| ends).filter(|&&end| end == number).count();
        let is_alone = |number: usize| voxels.is_line(number).then_some(places[number]);
        let (2, &[one, other]) = (ends, &at[..]) else {
            nodes.push(number);
            // The only voxel of a closed path that is not contracted.
            if let (2, &[edge]) = (ends, &at[..]) {
                edges[edge].1.extend(is_alone(number));
            }
            continue;
        };
        let (ends, voxels) = edges.remove(other);
        let far = |ends: [usize; 2]| if ends[0] == number { ends[1] } else { ends[0] };
        edges[one].0 = [far(edges[one].0), far(ends)];
        edges[one].1.extend(voxels);
        edges[one].1.extend(is_alone(number));
    }
    let degree = |node: &usize| edges.iter().flat_map(|(ends, _)| ends).filter(|end| *end == node).count();
    let mut degrees: Vec<usize> = nodes.iter().map(degree).collect();
    degrees.sort_unstable();
    let mut lines: Vec<Vec<usize>> = edges.into_iter().map(|(_, voxels)| voxels).collect();
    lines.iter_mut().for_each(|line| line.sort_unstable());
    lines.sort_unstable();
    Ok(Outline { degrees, lines })
}

/// The number of independent loops of an image.
fn loops(image: &BitImage) -> Result<usize, CubicalError> {
    // The least loop has four voxels.
    if image.count() < 4 {
        return Ok(0);
    }
    let request = PersistenceRequest { superlevel: true, ..PersistenceRequest::default() };
    let values = image.to_image(1, Order::C).into();
    let classes = Cubical::new(&values, request).solve(&())?.classes.dimensions;
    let loops = classes.get(1).into_iter().flatten();
    Ok(loops.filter(|class| image.get(class.birth)).count())
}

/// Distance of the voxel at a place, in C order, from the nearest voxel of background, outside the image included.
/// `spacing` is that of planes, rows and columns; along an axis that the image lacks it is infinite.
pub fn radius(object: &BitImage, spacing: [f64; 3], place: usize) -> f64 {
    let extents = object.shape().extents().map(|extent| extent as isize);
    let [_, rows, columns] = extents;
    let of_place = place as isize;
    let from = [of_place / columns / rows, of_place / columns % rows, of_place % columns];
    let mut least = f64::INFINITY;
    for z in -1..=extents[0] {
        for y in -1..=rows {
            for x in -1..=columns {
                let at = [z, y, x];
                let is_inside = (0..3).all(|axis| (0..extents[axis]).contains(&at[axis]));
                if is_inside && object.get(((z * rows + y) * columns + x) as usize) {
                    continue;
                }
                let squares: [f64; 3] = std::array::from_fn(|axis| {
                    let voxels = at[axis].abs_diff(from[axis]);
                    // Not 0 · ∞.
                    if voxels == 0 { 0.0 } else { (voxels as f64 * spacing[axis]).powi(2) }
                });
                least = least.min(squares[0] + squares[1] + squares[2]);
            }
        }
    }
    least.sqrt()
}
