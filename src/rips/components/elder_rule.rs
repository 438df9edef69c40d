//! The elder rule: which of two components ends with the edge that joins them.
//!
//! It is the one whose oldest point is younger. Points are in filtration order: by birth, and those that are born together by descending id.

use super::{DisjointSets, Forest};
use crate::diagram::Bar;
use crate::rips::rank::Values;

/// A bar of dimension 0 with the simplices that it begins and ends with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::rips) struct ComponentBar {
    /// The bar.
    pub(in crate::rips) bar: Bar,
    /// The oldest vertex of the component.
    pub(in crate::rips) vertex: u32,
    /// The edge that joins it to an older one, its vertices ascending; none if it never ends.
    pub(in crate::rips) edge: Option<[u32; 2]>,
}

/// The bars of dimension 0 of so many points, which are born at `births`, or at 0 without: those of length zero are left out, and points that
/// are not born up to `threshold`, or never, have none. By ascending death, then by descending birth; of equal bars, finite ones are in the
/// order of their edges, essential ones in that of their vertices.
///
/// `values` are the distances of the ranks of the forest's edges, none of them below the birth of an end.
pub(in crate::rips) fn component_bars(
    forest: &Forest,
    points: usize,
    births: Option<&[f64]>,
    values: &Values,
    threshold: f64,
) -> Vec<ComponentBar> {
    // Adding 0 makes −0 a 0: the sort below tells them apart.
    let birth = |point: u32| births.map_or(0.0, |births| births[point as usize] + 0.0);
    let is_older = |a: u32, b: u32| birth(a) < birth(b) || birth(a) == birth(b) && a > b;
    let mut sets = DisjointSets::new(points);
    // Of each set, at its root: its oldest point. Points are numbers of 32 bits.
    let mut oldest: Vec<u32> = (0..points as u32).collect();
    let mut found = Vec::with_capacity(points);
    for edge in &forest.edges {
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
