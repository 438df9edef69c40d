//! The elder rule: the edge that joins two components ends the one whose oldest point is younger.
//!
//! Points are in filtration order: by ascending birth, points of equal birth by descending id.

use super::DisjointSets;
use crate::diagram::Bar;
use crate::rips::complex::RankedEdge;
use crate::rips::rank::Values;

/// A bar of dimension 0 with its birth and death simplices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::rips) struct ComponentBar {
    /// The bar.
    pub(in crate::rips) bar: Bar,
    /// The oldest vertex of the component.
    pub(in crate::rips) vertex: u32,
    /// The edge that joins the component to an older one, its vertices ascending; none if the bar is essential.
    pub(in crate::rips) edge: Option<[u32; 2]>,
}

/// The bars of dimension 0 of `points` points, which are born at `births`, or all at 0 if it is `None`. Bars of length
/// zero are left out, and so are points born after `threshold` or never. Bars are sorted by ascending death, then by
/// descending birth; of equal bars, finite ones are in the order of their edges, essential ones in that of their
/// vertices.
///
/// `values` maps the ranks of the forest's edges to distances, none of them below the birth of an end.
pub(in crate::rips) fn component_bars(
    forest: &[RankedEdge],
    points: usize,
    births: Option<&[f64]>,
    values: &Values,
    threshold: f64,
) -> Vec<ComponentBar> {
    // Adding 0 turns −0 into 0, which the sort below would distinguish.
    let birth = |point: u32| births.map_or(0.0, |births| births[point as usize] + 0.0);
    let is_older = |a: u32, b: u32| birth(a) < birth(b) || birth(a) == birth(b) && a > b;
    let mut sets = DisjointSets::new(points);
    // The oldest point of each set, at the index of its root. Points are numbers of 32 bits.
    let mut oldest: Vec<u32> = (0..points as u32).collect();
    let mut found = Vec::with_capacity(points);
    for edge in forest {
        let [u, v] = edge.vertices.map(|vertex| sets.find(vertex as usize));
        let (a, b) = (oldest[u], oldest[v]);
        let (elder, younger) = if is_older(a, b) { (a, b) } else { (b, a) };
        let [greater, lesser] = edge.vertices;
        let bar = Bar { birth: birth(younger), death: values.distance(edge.rank) };
        found.push(ComponentBar { bar, vertex: younger, edge: Some([lesser, greater]) });
        sets.unite(u, v);
        oldest[sets.find(u)] = elder;
    }
    let roots = (0..points).filter(|&point| sets.find(point) == point);
    let mut essential: Vec<u32> = roots.map(|root| oldest[root]).collect();
    essential.sort_unstable();
    found.extend(essential.into_iter().map(|vertex| {
        let bar = Bar { birth: birth(vertex), death: f64::INFINITY };
        ComponentBar { bar, vertex, edge: None }
    }));
    found.retain(|ComponentBar { bar, .. }| bar.death > bar.birth && bar.birth <= threshold);
    found.sort_by(|ComponentBar { bar: a, .. }, ComponentBar { bar: b, .. }| {
        a.death.total_cmp(&b.death).then(b.birth.total_cmp(&a.birth))
    });
    found
}
