//! Collapsed graphs have the bars of the whole ones, whatever the distances, the width of ranks and the vector unit.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::diagram::Bar;
use crate::metric::{DistanceMatrix, Distances, SparseDistances};
use crate::rips::rank::rank;
use crate::rips::{Collapse, Rips, plain};

/// Bars of each dimension, sorted.
fn bars(distances: &Distances<f32>, max_dim: usize, modulus: u32) -> Vec<Vec<(u64, u64)>> {
    let diagram = plain::barcode(distances, max_dim, f64::INFINITY, modulus);
    let key = |bar: &Bar| (bar.birth.to_bits(), bar.death.to_bits());
    let of_dimension = |dim| {
        let mut bars: Vec<_> =
            diagram.bars(dim).iter().filter(|bar| bar.birth < bar.death).map(key).collect();
        bars.sort_unstable();
        bars
    };
    (0..=max_dim).map(of_dimension).collect()
}

/// The graph that is left, as distances, by ranks of this type.
fn collapsed<R: Rank>(distances: &Distances<f32>, level: Level) -> (Distances<f32>, CollapseFigures) {
    let ranking = rank(distances, f32::INFINITY).unwrap();
    let (edges, figures) = collapse_with::<R>(distances.len(), &ranking.edges, level).unwrap();
    assert_eq!(figures.after, edges.len());
    let edges = edges.into_iter().map(|(i, j, rank)| (i, j, ranking.values[rank as usize] as f32));
    (SparseDistances::new(distances.len(), edges).unwrap().into(), figures)
}

/// Distances among so many values, the fewer the more ties; a share of the pairs are edges.
fn random(generator: &mut Pcg64Mcg, points: usize, values: u32, share: f64) -> Distances<f32> {
    let pairs = (0..points as u32).flat_map(|i| (0..i).map(move |j| (i, j)));
    let edges = pairs.filter_map(|(i, j)| {
        let distance = generator.random_range(0..values) as f32;
        generator.random_bool(share).then_some((i, j, distance))
    });
    SparseDistances::new(points, edges.collect::<Vec<_>>()).unwrap().into()
}

#[test]
fn bars_stay() {
    let mut generator = Pcg64Mcg::seed_from_u64(7);
    let mut all = CollapseFigures::default();
    for case in 0..300 {
        let points = generator.random_range(1..10);
        let values = [1, 2, 5, 1000][case % 4];
        let distances = random(&mut generator, points, values, [0.3, 0.7, 1.0][case % 3]);
        let level = Level::available()[case % Level::available().len()];
        let (narrow, figures) = collapsed::<u16>(&distances, level);
        let (wide, others) = collapsed::<u32>(&distances, level);
        assert_eq!((bars(&narrow, 3, 2), figures), (bars(&wide, 3, 2), others));
        let modulus = [2, 3, 5][case % 3];
        assert_eq!(bars(&narrow, 3, modulus), bars(&distances, 3, modulus), "{distances:?}");
        all.before += figures.before;
        all.after += figures.after;
        all.shifted += figures.shifted;
    }
    // Of random graphs, too, much goes; and edges that only wait are among what is tested.
    assert!(3 * all.after < 2 * all.before && all.shifted > 20, "{all:?}");
}

#[test]
fn a_cone_leaves_a_tree() {
    // All points are near the first, before anything else is: whatever lies between the others is dominated by it.
    let lower =
        (1..40).flat_map(|i| (0..i).map(move |j| if j == 0 { 1.0 } else { 2.0 + (i * j % 7) as f32 }));
    let distances = Distances::from(DistanceMatrix::from_lower(lower.collect::<Vec<f32>>()).unwrap());
    let (left, figures) = collapsed::<u16>(&distances, Level::detect());
    assert_eq!(figures, CollapseFigures { before: 780, after: 39, shifted: 0 });
    assert_eq!(bars(&left, 1, 2), bars(&distances, 1, 2));
}

#[test]
fn a_cycle_keeps_its_edges() {
    let cycle = SparseDistances::new(6, (0..6u32).map(|i| (i, (i + 1) % 6, 1.0_f32))).unwrap();
    let (_, figures) = collapsed::<u16>(&cycle.into(), Level::detect());
    assert_eq!(figures, CollapseFigures { before: 6, after: 6, shifted: 0 });
}

#[test]
fn diagrams_and_their_order_stay() {
    let mut generator = Pcg64Mcg::seed_from_u64(11);
    let (mut ordered, mut collapsed) = (0, 0);
    for case in 0..240 {
        let points = generator.random_range(2..14);
        let values = [2, 4, 9, 1000][case % 4];
        let edges = random(&mut generator, points, values, [0.5, 0.8, 1.0][case % 3]);
        let rips = Rips::new(edges).max_dim(1 + case % 3).modulus([2, 3, 5][case % 3]).threads(1 + case % 4);
        let rips = if case % 5 == 0 { rips.threshold(f64::from(values) / 2.0) } else { rips };
        let whole = rips.clone().solve(&()).unwrap();
        let found = rips.collapse(Collapse::On).solve(&()).unwrap();
        assert_eq!(found.diagram, whole.diagram, "case {case}");
        assert_eq!((found.summary, whole.stats.collapse), (whole.summary, None));
        let stats = found.stats.collapse.unwrap();
        ordered += usize::from(stats.ordered.is_some());
        collapsed += stats.figures.before - stats.figures.after;
    }
    // Both ways to the order were taken.
    assert!((20..220).contains(&ordered) && collapsed > 1000, "{ordered} {collapsed}");
}
