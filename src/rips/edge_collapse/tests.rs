//! Collapsed graphs have the bars of the whole graphs, whatever the distances, the rank width and the vector unit.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::diagram::Bar;
use crate::metric::{DistanceMatrix, Distances, SparseDistances};
use crate::rips::rank::rank;
use crate::rips::{Collapse, Outcome, Rips, plain};

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

/// The collapsed graph, as distances.
fn collapsed(distances: &Distances<f32>, cost_test: Option<CostTest<'_>>) -> (Distances<f32>, CollapseStats) {
    let ranking = rank(distances, f32::INFINITY).unwrap();
    let Collapsed { graph, stats, .. } =
        collapse(distances.len(), &ranking, Keep { plane: true, born_at: &[] }, cost_test, &()).unwrap();
    let mut edges = Vec::new();
    graph.edges.each(|i, j, rank| edges.push((i, j, rank)));
    assert_eq!(stats.after, edges.len());
    let edges = edges.into_iter().map(|(i, j, rank)| (i, j, graph.values.distance(rank) as f32));
    (SparseDistances::new(distances.len(), edges).unwrap().into(), stats)
}

/// A random graph whose distances have `values` possible values, the fewer the more ties; a `share` of the pairs are
/// edges.
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
    let mut all = CollapseStats::default();
    for case in 0..300 {
        let points = generator.random_range(1..10);
        let values = [1, 2, 5, 1000][case % 4];
        let distances = random(&mut generator, points, values, [0.3, 0.7, 1.0][case % 3]);
        // In half of the cases the collapse ends after some edges.
        let few = |edges: usize| if edges.is_multiple_of(5) { 1.0 } else { 0.0 };
        let cost_test = (case % 2 == 1).then_some(CostTest { seconds: &few, hopes: false });
        let (left, stats) = collapsed(&distances, cost_test);
        let modulus = [2, 3, 5][case % 3];
        assert_eq!(bars(&left, 3, modulus), bars(&distances, 3, modulus), "{distances:?}");
        assert!(stats.before == stats.tried || case % 2 == 1);
        all.before += stats.before;
        all.after += stats.after;
        all.shifted += stats.shifted;
        all.tried += stats.tried;
    }
    // Much of a random graph is removed too, and some edges are shifted.
    assert!(4 * all.after < 3 * all.before && all.shifted > 20 && all.tried < all.before, "{all:?}");
}

/// The distances below `most` of random points in a square, so that batches have hundreds of edges, most of which are
/// removed; a matrix if `most` is infinite.
fn in_a_square(generator: &mut Pcg64Mcg, points: usize, side: i32, most: f32) -> Distances<f32> {
    let places: Vec<[f32; 2]> =
        (0..points).map(|_| [0, 1].map(|_| generator.random_range(0..side) as f32)).collect();
    let length = |i: usize, j: usize| {
        let [x, y] = [0, 1].map(|axis| places[i][axis] - places[j][axis]);
        (x * x + y * y).sqrt()
    };
    if most.is_infinite() {
        return DistanceMatrix::from_fn(points, length).unwrap().into();
    }
    let pairs = (0..points).flat_map(|i| (0..i).map(move |j| (i, j)));
    let edges = pairs.map(|(i, j)| (i as u32, j as u32, length(i, j)));
    SparseDistances::new(points, edges.filter(|edge| edge.2 < most).collect::<Vec<_>>()).unwrap().into()
}

/// Cases: a graph of which each thread has a copy; a larger one, with batches for several threads; and one that is too
/// large for copies, which the threads share.
#[test]
fn bars_stay_whatever_the_threads() {
    let mut generator = Pcg64Mcg::seed_from_u64(23);
    for (points, side, most) in [(110, 200, f32::INFINITY), (320, 200, f32::INFINITY), (600, 1000, 150.0)] {
        let distances = in_a_square(&mut generator, points, side, most);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| collapsed(&distances, None))
        };
        let (left, stats) = on(1);
        for threads in [2, 5] {
            let (others, same) = on(threads);
            assert_eq!((format!("{others:?}"), &same), (format!("{left:?}"), &stats));
        }
        assert_eq!(replica::is_small(points, stats.before), points < 600);
        let (times, shifted) = if most.is_infinite() { (4, 30) } else { (2, 0) };
        assert!(times * stats.after < stats.before && stats.shifted > shifted, "{stats:?}");
        if points < 200 {
            assert_eq!(bars(&left, 1, 2), bars(&distances, 1, 2));
        }
    }
}

#[test]
fn a_cone_leaves_a_tree() {
    // All points are joined to the first before any other pair, so the first point dominates every other edge.
    let lower =
        (1..40).flat_map(|i| (0..i).map(move |j| if j == 0 { 1.0 } else { 2.0 + (i * j % 7) as f32 }));
    let distances = Distances::from(DistanceMatrix::from_lower(lower.collect::<Vec<f32>>()).unwrap());
    let (left, stats) = collapsed(&distances, None);
    assert_eq!(stats, CollapseStats { before: 780, tried: 780, after: 39, ..CollapseStats::default() });
    assert_eq!(bars(&left, 1, 2), bars(&distances, 1, 2));
}

#[test]
fn a_cycle_keeps_its_edges() {
    let cycle = SparseDistances::new(6, (0..6u32).map(|i| (i, (i + 1) % 6, 1.0_f32))).unwrap();
    let (_, stats) = collapsed(&cycle.into(), None);
    assert_eq!(stats, CollapseStats { before: 6, tried: 6, after: 6, ..CollapseStats::default() });
}

/// The outcome on the whole graph, and the statistics of the collapse, with which the diagram and the summary are the
/// same.
fn whole_and_collapsed(rips: Rips<f32>, case: usize) -> (Outcome, CollapseStats) {
    let whole = rips.clone().collapse(Collapse::Off).solve(&()).unwrap();
    let found = rips.collapse(Collapse::On).solve(&()).unwrap();
    assert_eq!((found.diagram, found.summary), (whole.diagram.clone(), whole.summary.clone()), "case {case}");
    (whole, found.stats.collapse.unwrap())
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
        let (whole, stats) = whole_and_collapsed(rips, case);
        assert_eq!(whole.stats.collapse, None);
        ordered += usize::from(stats.ordered.is_some());
        collapsed += stats.before - stats.after;
    }
    // The order was determined in both ways.
    assert!((1..220).contains(&ordered) && collapsed > 1000, "{ordered} {collapsed}");
}

/// Octahedra share an edge whose common neighbours form several components, so several bars of dimension 2 are born
/// with the edge and end at different values. All distances differ, so their order is kept without the whole graph.
#[test]
fn bars_born_with_one_edge_stay_in_their_order() {
    let mut generator = Pcg64Mcg::seed_from_u64(41);
    let mut together = 0;
    for case in 0..400 {
        let points = 12 + case % 9;
        let mut numbers: Vec<u32> = (0..points as u32).collect();
        (1..points).for_each(|k| numbers.swap(k, generator.random_range(0..=k)));
        // The other vertices lie around the edge of the first two, each joined to these and to few others.
        let mut edges = Vec::new();
        for i in 1..points {
            for j in 0..i {
                let base = match (i, j) {
                    (1, 0) => 2000,
                    (_, 0 | 1) => generator.random_range(0..1500),
                    _ if generator.random_bool(0.3) => generator.random_range(0..2000),
                    _ => generator.random_range(2000..6000),
                };
                let distance = (base * 400 + edges.len() as u32) as f32;
                edges.push((numbers[i], numbers[j], distance));
            }
        }
        let edges = SparseDistances::new(points, edges).unwrap();
        let rips = Rips::new(edges).max_dim(2).threads(1 + case % 3);
        let (whole, stats) = whole_and_collapsed(rips, case);
        assert_eq!(stats.ordered, None);
        let bars = whole.diagram.bars(2);
        together += bars.windows(2).filter(|w| w[0].birth == w[1].birth && w[0].death != w[1].death).count();
    }
    assert!(together > 100, "{together}");
}

/// The example of [`pins`]: an edge {u, y} is shifted to the rank of e = {u, v}, with which two bars of dimension 2 are
/// born. The link of e has the components {y, f}, {b} and {c}; two octahedra have e, f and b, and e, b and c.
#[test]
fn an_edge_shifted_onto_another_leaves_the_order_of_its_bars() {
    let [u, v, y, z, w, f, b, c] = [0, 1, 2, 3, 4, 5, 6, 7];
    let [p, q, r, s] = [8, 9, 10, 11];
    let mut pairs = vec![(w, u), (w, y), (w, f), (w, z), (u, z), (z, y), (y, f), (y, v)];
    pairs.extend([f, b, c].into_iter().flat_map(|x| [(u, x), (v, x)]));
    pairs.extend([(p, u), (p, f), (p, b), (q, v), (q, f), (q, b), (p, q)]);
    pairs.extend([(r, u), (r, b), (r, c), (s, v), (s, b), (s, c), (r, s)]);
    // Until v is a common neighbour of u and y, w dominates {u, y}; then none of f, v, w and z is adjacent to all
    // others.
    let [shifted, onto] = [(u, y), (u, v)];
    // The octahedra are filled at different values.
    pairs.extend([shifted, onto, (u, q), (u, s)]);
    // More edges, so that the last batch begins with e: within one batch {u, y} is not shifted.
    pairs.extend([(12, 13), (14, 15), (16, 17), (18, 19), (20, 21)]);
    let edges = pairs.iter().zip(1..).map(|(&(i, j), value)| (i, j, value as f32));
    let graph = SparseDistances::new(22, edges.collect::<Vec<_>>()).unwrap();
    let value = |graph: &Distances<f32>, (i, j): (u32, u32)| {
        let Distances::Sparse(graph) = graph else { panic!("a sparse graph is expected") };
        let ends = (i.max(j), i.min(j));
        graph.edges().iter().find(|edge| (edge.i, edge.j) == ends).map(|edge| edge.distance)
    };
    let whole = Distances::from(graph.clone());
    let (left, _) = collapsed(&whole, None);
    assert!(value(&whole, shifted) < value(&whole, onto));
    assert_eq!(value(&left, shifted), value(&left, onto));
    for pinned in [f, b, c].into_iter().flat_map(|x| [(u, x), (v, x)]).chain([onto]) {
        assert_eq!(value(&left, pinned), value(&whole, pinned));
    }
    let rips = Rips::new(graph).max_dim(2);
    let expected = rips.clone().collapse(Collapse::Off).run().unwrap();
    let found = rips.collapse(Collapse::On).solve(&()).unwrap();
    assert_eq!(found.diagram, expected);
    let ordered = found.stats.collapse.map(|stats| stats.ordered);
    assert_eq!(ordered, Some(None));
    let births: Vec<f64> = expected.bars(2).iter().map(|bar| bar.birth).collect();
    let of_onto = value(&whole, onto).map(f64::from);
    assert_eq!(births.iter().filter(|&&birth| Some(birth) == of_onto).count(), 2, "{expected:?}");
}

/// Points in a dimension so high that several bars of dimension 3 are born with one edge.
#[test]
fn bars_of_dimension_three_stay_in_their_order() {
    let mut generator = Pcg64Mcg::seed_from_u64(43);
    let mut ordered = 0;
    for case in 0..12 {
        let points = 22;
        // Pairs of opposite points, perturbed, are joined late: cross-polytopes that share one or two vertices.
        let pairs = (0..points).flat_map(|i| (0..i).map(move |j| (i, j)));
        let edges: Vec<_> = pairs
            .map(|(i, j)| {
                let is_opposite = i / 2 == j / 2 || (i + j) % 7 == 0;
                let base = if is_opposite { 3000 } else { 1000 };
                (i, j, (base + generator.random_range(0..900)) as f32 + 0.001 * (i * points + j) as f32)
            })
            .collect();
        let rips = Rips::new(SparseDistances::new(points as usize, edges).unwrap()).max_dim(3);
        let (_, stats) = whole_and_collapsed(rips.threads(1 + case % 2), case);
        ordered += usize::from(stats.ordered.is_some());
    }
    assert!(ordered > 0);
}
