//! All small inputs; invariance under relabelling of points, scaling, and monotone maps of distances; and spaces
//! whose homology depends on the field.

use std::collections::BTreeSet;

use crate::common::metrics::{Family, Metric, generator, pairs, shuffled};
use crate::common::variants::{Ask, Form, Variant, assert_same, check, multiset, oracle};
use lacuna::Diagram;
use lacuna::metric::SparseDistances;
use lacuna::rips::{Rips, SecondLayer};
use rand::RngExt;

/// Visits every matrix on n points with these values.
fn every_matrix(n: usize, values: &[f64], mut visit: impl FnMut(u64, &Metric)) {
    let entries = pairs(n).count() as u32;
    let base = values.len() as u64;
    for code in 0..base.pow(entries) {
        let mut rest = code;
        let metric = Metric::from_fn(n, |_, _| {
            let value = values[(rest % base) as usize];
            rest /= base;
            value
        });
        visit(code, &metric);
    }
}

/// Compares all dimensions on n points with the oracle, in the dense and in the sparse shape, and occasionally in one
/// of all configurations, most of which have to start threads.
fn against_oracle(n: usize, values: &[f64], modulus: u32) {
    let all = Variant::all();
    let stores = [SecondLayer::Implicit, SecondLayer::Sorted];
    every_matrix(n, values, |code, metric| {
        let store = stores[code as usize % 2];
        let both =
            [Variant::PLAINEST, Variant::SPARSEST].map(|variant| Variant { store, threads: 0, ..variant });
        let other = (code % 16 == 0).then(|| all[code as usize / 16 % all.len()]);
        let ask = Ask { modulus, ..Ask::whole(n.saturating_sub(2)) };
        check(metric, ask, both.into_iter().chain(other), &format!("matrix {code} on {n} points"));
    });
}

#[test]
fn two_values_up_to_five_points() {
    for n in 1..=5 {
        for modulus in [2, 3, 65521] {
            against_oracle(n, &[1.0, 2.0], modulus);
        }
    }
}

#[test]
fn two_values_six_points() {
    against_oracle(6, &[1.0, 2.0], 2);
}

/// All graphs: pairs without an edge have infinite distance.
#[test]
fn graphs_up_to_six_points() {
    for n in 1..=6 {
        against_oracle(n, &[1.0, f64::INFINITY], if n == 6 { 2 } else { 3 });
    }
}

#[test]
fn zero_and_one_up_to_five_points() {
    (1..=5).for_each(|n| against_oracle(n, &[0.0, 1.0], 2));
}

#[test]
fn three_values_up_to_five_points() {
    (3..=4).for_each(|n| against_oracle(n, &[1.0, 2.0, f64::INFINITY], 3));
    against_oracle(5, &[1.0, 2.0, 3.0], 2);
}

#[test]
fn four_values_on_four_points() {
    against_oracle(4, &[0.0, 1.0, 2.0, f64::INFINITY], 2);
}

#[test]
fn random_two_valued_on_seven_to_twelve_points() {
    let variants = Variant::all();
    for n in 7..=12 {
        for k in 0..120 {
            let seed = n as u64 * 1000 + k;
            let mut rng = generator(seed);
            let p = rng.random_range(0.1..0.9);
            let metric = Metric::from_fn(n, |_, _| if rng.random_bool(p) { 1.0 } else { 2.0 });
            let ask = Ask { modulus: [2, 3][k as usize % 2], ..Ask::whole(if n > 10 { 4 } else { n - 2 }) };
            let some = variants.iter().skip(k as usize % 12).step_by(12).copied();
            check(&metric, ask, some, &format!("seed {seed}"));
        }
    }
}

/// Inputs for the invariances, with requests.
fn samples() -> Vec<(Metric, Ask)> {
    let families = [
        (Family::Generic, 22, 2),
        (Family::Ties(2), 20, 2),
        (Family::Ties(5), 34, 1),
        (Family::Zeros(3), 24, 2),
        (Family::Paths, 30, 2),
        (Family::Graph(0.4), 33, 2),
        (Family::Cloud(3), 24, 2),
        (Family::Duplicates, 26, 2),
        (Family::Ties(3), 11, 9),
    ];
    let sample = |(seed, (family, n, dim))| {
        let metric = Metric::random(family, n, &mut generator(seed));
        [(metric.clone(), Ask::enclosed(dim)), (metric, Ask { modulus: 3, ..Ask::whole(dim) })]
    };
    (0..).zip(families).flat_map(sample).collect()
}

#[test]
fn relabelling_the_points_keeps_the_bars() {
    for (k, (metric, ask)) in samples().into_iter().enumerate() {
        let expected = multiset(&Variant::PLAINEST.run(&metric, ask).diagram);
        let mut rng = generator(k as u64);
        for form in [Form::Matrix, Form::Scattered] {
            let reversed = (0..metric.n).rev().collect();
            for order in [reversed, shuffled(metric.n, &mut rng), shuffled(metric.n, &mut rng)] {
                let variant = Variant { form, threads: 2, ..Variant::PLAINEST };
                let found = variant.run(&metric.relabelled(&order), ask).diagram;
                assert_eq!(multiset(&found), expected, "sample {k}, order {order:?}, {form:?}");
            }
        }
    }
}

/// Checks that the bars of the distances f(d) are f of the bars, in the same order.
fn assert_maps(f: impl Fn(f64) -> f64, variant: Variant, what: &str) {
    for (metric, ask) in samples() {
        let bars = Variant::PLAINEST.run(&metric, ask).diagram;
        let map = |dim| {
            bars.bars(dim).iter().map(|b| lacuna::Bar { birth: f(b.birth), death: f(b.death) }).collect()
        };
        let expected = Diagram::new((0..bars.len()).map(map).collect());
        let found = variant.run(&metric.map(&f), ask).diagram;
        assert_same(&found, &expected, &metric, ask, (what, variant));
    }
}

#[test]
fn powers_of_two_scale_the_bars() {
    let single = Variant { store: SecondLayer::Sorted, ..Variant::PLAINEST };
    for exponent in [-60, -1, 1, 3, 60] {
        let scale = 2f64.powi(exponent);
        assert_maps(|d| d * scale, single, "scaled");
        assert_maps(|d| d * scale, Variant { threads: 2, ..Variant::SPARSEST }, "scaled");
    }
    assert_maps(|d| d * 2f64.powi(-900), Variant { double: true, ..single }, "scaled");
}

#[test]
fn monotone_maps_map_the_bars() {
    let double = Variant { double: true, ..Variant::PLAINEST };
    assert_maps(|d| d * d, double, "squared");
    assert_maps(|d| d * (1.0 + d), Variant { form: Form::Scattered, ..double }, "d + d²");
    assert_maps(|d| if d > 0.0 { 1e300 + d * 1e296 } else { 0.0 }, double, "far from 0");
}

/// A simplicial complex given by its triangles.
struct Surface {
    triangles: Vec<[usize; 3]>,
}

impl Surface {
    /// The six-vertex projective plane.
    fn projective_plane() -> Surface {
        let triangles = vec![
            [0, 1, 2],
            [0, 2, 3],
            [0, 3, 4],
            [0, 4, 5],
            [0, 1, 5],
            [1, 2, 4],
            [2, 3, 5],
            [1, 3, 4],
            [2, 4, 5],
            [1, 3, 5],
        ];
        Surface { triangles }
    }

    /// A disc whose boundary winds p times around a circle of three vertices: over the integers H1 = Z/p and H2 = 0.
    fn moore(p: usize) -> Surface {
        let (ring, centre) = (3 * p, 3 + 3 * p);
        let (outer, inner) = (|i: usize| i % 3, |i: usize| 3 + i % ring);
        let sector = |i| {
            [
                [outer(i), outer(i + 1), inner(i)],
                [outer(i + 1), inner(i), inner(i + 1)],
                [inner(i), inner(i + 1), centre],
            ]
        };
        Surface { triangles: (0..ring).flat_map(sector).collect() }
    }

    /// The first barycentric subdivision, a flag complex: one point per face, and an edge between faces of which one
    /// contains the other. Returns the number of points and the edges.
    fn subdivided(&self) -> (usize, Vec<(u32, u32)>) {
        let mut faces: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
        for t in &self.triangles {
            for subset in 1..8u32 {
                faces.insert((0..3).filter(|k| subset >> k & 1 == 1).map(|k| t[k]).collect());
            }
        }
        let faces: Vec<_> = faces.into_iter().collect();
        let nested =
            |&(i, j): &(usize, usize)| faces[i].is_subset(&faces[j]) || faces[j].is_subset(&faces[i]);
        let edges = pairs(faces.len()).filter(nested).map(|(i, j)| (i as u32, j as u32)).collect();
        (faces.len(), edges)
    }

    /// Edges of the subdivision have distance 1, all other pairs of points distance 2.
    fn metric(&self) -> Metric {
        let (n, edges) = self.subdivided();
        let edges: BTreeSet<_> = edges.into_iter().collect();
        Metric::from_fn(n, |i, j| if edges.contains(&(i as u32, j as u32)) { 1.0 } else { 2.0 })
    }

    fn betti(&self, modulus: u32, store: SecondLayer) -> [usize; 3] {
        let (n, edges) = self.subdivided();
        let edges = SparseDistances::new(n, edges.into_iter().map(|(i, j)| (i, j, 1.0f32))).expect("a graph");
        let rips = Rips::new(edges).max_dim(2).modulus(modulus).pair_store(store).threads(2);
        let diagram = rips.run().expect("runs");
        [0, 1, 2].map(|dim| diagram.bars(dim).iter().filter(|bar| bar.is_essential()).count())
    }
}

/// Over Z/2 the projective plane has a class in dimensions 1 and 2; over other fields it has none.
#[test]
fn the_projective_plane_over_several_fields() {
    let plane = Surface::projective_plane();
    let metric = plane.metric();
    assert_eq!(metric.n, 31);
    for modulus in [2, 3, 5, 65521] {
        let classes = usize::from(modulus == 2);
        for store in [SecondLayer::Implicit, SecondLayer::Sorted] {
            assert_eq!(plane.betti(modulus, store), [1, classes, classes], "Z/{modulus}");
        }
        for threshold in [None, Some(1.0)] {
            let ask = Ask { dim: 2, threshold, modulus };
            let diagram = Variant::PLAINEST.run(&metric, ask).diagram;
            let death = if threshold == Some(1.0) { f64::INFINITY } else { 2.0 };
            for dim in [1, 2] {
                let bars: Vec<_> = diagram.bars(dim).iter().map(|bar| (bar.birth, bar.death)).collect();
                assert_eq!(bars, vec![(1.0, death); classes], "Z/{modulus}, dimension {dim}");
            }
        }
    }
}

/// p-torsion is visible over Z/p only.
#[test]
fn moore_spaces_show_over_their_own_field_only() {
    for p in [2, 3, 5, 7] {
        for modulus in [2, 3, 5, 7, 11] {
            let classes = usize::from(modulus == p);
            let found = Surface::moore(p as usize).betti(modulus, SecondLayer::Implicit);
            assert_eq!(found, [1, classes, classes], "a disc winding {p} times, Z/{modulus}");
        }
    }
}

/// The cycle on 13 points: a circle up to a third of it, and S³ up to two fifths (see `consistency.rs`).
#[test]
fn a_cycle_in_all_dimensions() {
    let n = 13;
    let metric = Metric::from_fn(n, |i, j| (i - j).min(n - (i - j)) as f64);
    let ask = Ask::whole(n - 2);
    let expected = oracle(&metric, ask);
    let higher: Vec<_> =
        expected.iter().filter(|&(dim, _)| dim > 0).map(|(d, b)| (d, b.birth, b.death)).collect();
    assert_eq!(higher, [(1, 1.0, 5.0), (3, 5.0, 6.0)]);
    check(&metric, ask, Variant::all(), "the cycle on 13 points");
}
