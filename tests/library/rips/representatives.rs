//! Representatives of bars: the birth and death simplices of the fast version against the oracle, on some 2,000
//! random inputs full of ties.

use std::cmp::Reverse;

use crate::common::metrics::{Family, Metric, generator};
use crate::common::variants::Ask;
use lacuna::diagram::SelectionError;
use lacuna::metric::{Distances, PointCloud, Value};
use lacuna::rips::plain::{Class, classes};
use lacuna::rips::{
    BarSelection, Collapse, Outcome, Representative, RepresentativeKind, Representatives,
    RepresentativesRequest, Rips, RipsError, SecondLayer,
};
use rand::RngExt;

const FAMILIES: [Family; 12] = [
    Family::Ties(2),
    Family::Ties(4),
    Family::Zeros(3),
    Family::Generic,
    Family::Disconnected(0.3),
    Family::Graph(0.4),
    Family::Paths,
    Family::Cloud(2),
    Family::Grid(2),
    Family::Duplicates,
    Family::Extremes,
    Family::Double,
];

/// Inputs with requests and descriptions; every second one is weighted.
fn inputs(count: u64) -> impl Iterator<Item = (Metric, Ask, String)> {
    (0..count).map(|seed| {
        let mut rng = generator(170_000 + seed);
        let family = FAMILIES[seed as usize % FAMILIES.len()];
        let n = rng.random_range(1..=[7, 10, 14][seed as usize % 3]);
        let metric = Metric::random(family, n, &mut rng);
        let metric = if seed / 12 % 2 == 0 { metric } else { metric.born_at_random(&mut rng) };
        let some = metric.get(rng.random_range(0..n), rng.random_range(0..n));
        let threshold = match rng.random_range(0..4) {
            0 => Some(some),
            1 => None,
            _ => Some(f64::INFINITY),
        };
        let modulus = [2, 3, 5][rng.random_range(0..3)];
        let ask = Ask { dim: rng.random_range(0..=3), threshold, modulus };
        (metric, ask, format!("{family:?}, seed {seed}"))
    })
}

/// A representative with its vertices in a comparable form.
type Plain = (usize, Class, Option<[usize; 2]>, Option<[usize; 2]>);

/// The representatives of the oracle, by dimension and in the order of bars.
fn expected(metric: &Metric, ask: Ask) -> Vec<Plain> {
    let distances = Distances::from(metric.matrix::<f64>());
    let by_dimension = classes(&distances, ask.dim, ask.value(metric), ask.modulus);
    let with_edges = |(dim, class): (usize, Class)| {
        let birth_edge = (dim > 0).then(|| longest_edge(metric, &class.birth));
        let death_edge = class.death.as_ref().map(|simplex| longest_edge(metric, simplex));
        (dim, class, birth_edge, death_edge)
    };
    let all = by_dimension.into_iter().enumerate();
    all.flat_map(|(dim, classes)| classes.into_iter().map(move |class| (dim, class)))
        .map(with_edges)
        .collect()
}

/// The longest edge of a simplex, its greater vertex first; among equally long edges the one with the least vertices.
fn longest_edge(metric: &Metric, simplex: &[usize]) -> [usize; 2] {
    let edges = simplex.iter().flat_map(|&v| simplex.iter().filter(move |&&u| u < v).map(move |&u| [u, v]));
    let length = |[u, v]: [usize; 2]| metric.get(u, v) + 0.0;
    let later = |&a: &[usize; 2], &b: &[usize; 2]| {
        let index = |[u, v]: [usize; 2]| Reverse((v, u));
        length(a).total_cmp(&length(b)).then(index(a).cmp(&index(b)))
    };
    edges.max_by(later).expect("a simplex with an edge")
}

fn plain(found: &Representative, name: &dyn Fn(u32) -> usize) -> Plain {
    let named = |simplex: &[u32]| -> Vec<usize> { simplex.iter().map(|&vertex| name(vertex)).collect() };
    let edge = |edge: Option<[u32; 2]>| edge.map(|edge| edge.map(name));
    let Representative { bar, dim, birth, death, birth_edge, death_edge, .. } = found;
    let class = Class { bar: *bar, birth: named(birth), death: death.as_deref().map(named) };
    (*dim, class, edge(*birth_edge), edge(*death_edge))
}

fn rips<T: Value>(distances: impl Into<Distances<T>>, ask: Ask) -> Rips<T> {
    let rips = Rips::new(distances).max_dim(ask.dim).modulus(ask.modulus);
    let rips = rips.representatives(RepresentativesRequest::default());
    match ask.threshold {
        Some(t) => rips.threshold(t),
        None => rips,
    }
}

fn representatives(outcome: &Outcome) -> &Representatives {
    outcome.representatives().expect("they were asked for")
}

/// Checks that every bar has its representative in its place.
fn check_order(outcome: &Outcome, what: &str) {
    let mut found = representatives(outcome).iter();
    for dim in 0..outcome.diagram.len() {
        for (index, &bar) in outcome.diagram.bars(dim).iter().enumerate() {
            let representative =
                found.next().unwrap_or_else(|| panic!("{what}: no representative of {bar:?}"));
            let place = (representative.dim, representative.index, representative.bar);
            assert_eq!(place, (dim, index, bar), "{what}");
            assert_eq!(
                (representative.birth.len(), bar.is_essential()),
                (dim + 1, representative.death.is_none())
            );
        }
    }
    assert_eq!(found.next(), None, "{what}");
}

fn check<T: Value>(rips: Rips<T>, expected: &[Plain], name: &dyn Fn(u32) -> usize, what: &str) {
    let without = Rips::representatives(rips.clone(), None).collapse(Collapse::Off).solve(&()).unwrap();
    assert_eq!(without.representatives(), None);
    for (threads, store) in [(1, SecondLayer::Implicit), (4, SecondLayer::Sorted)] {
        let outcome = rips.clone().threads(threads).pair_store(store).solve(&()).unwrap();
        assert_eq!(outcome.diagram, without.diagram, "{what}");
        check_order(&outcome, what);
        let found = representatives(&outcome).iter().map(|found| plain(found, name));
        let found: Vec<Plain> = found.filter(|(_, class, ..)| class.birth[0] != usize::MAX).collect();
        assert_eq!(found, expected, "{what}, {threads} threads");
    }
}

#[test]
fn pairs_are_the_oracles() {
    for (metric, ask, what) in inputs(2000) {
        let expected = expected(&metric, ask);
        let same = |vertex: u32| vertex as usize;
        if metric.double {
            check(rips(metric.matrix::<f64>(), ask), &expected, &same, &what);
        } else {
            check(rips(metric.matrix::<f32>(), ask), &expected, &same, &what);
        }
    }
}

/// Graphs with enough edges to have cavities.
#[test]
fn of_higher_dimensions() {
    let mut longer = 0;
    for seed in 0..100 {
        let metric = Metric::random(Family::Graph(0.2), 14, &mut generator(seed));
        let ask = Ask { modulus: [2, 3, 5][seed as usize % 3], ..Ask::whole(3) };
        let expected = expected(&metric, ask);
        longer += usize::from(expected.iter().any(|(dim, ..)| *dim > 1));
        check(
            rips(metric.matrix::<f32>(), ask),
            &expected,
            &|vertex| vertex as usize,
            &format!("seed {seed}"),
        );
    }
    assert!(longer > 50, "{longer} inputs have bars of dimension 2 or 3");
}

#[test]
fn of_edges_too() {
    for (metric, ask, what) in inputs(600) {
        let expected = expected(&metric, ask);
        // An input of edges has no enclosing radius.
        let ask = Ask { threshold: Some(ask.value(&metric)), ..ask };
        check(rips(metric.edges::<f64>(f64::INFINITY), ask), &expected, &|vertex| vertex as usize, &what);
        // Edges among isolated points, where the graph is sparse; the isolated points have bars of their own.
        let n = metric.n;
        let id = |i: usize| if i + 3 < n { 8 * i } else { 7 * n + i };
        let name = |vertex: u32| (0..n).find(|&i| id(i) == vertex as usize).unwrap_or(usize::MAX);
        let scattered = metric.scattered::<f64>(8 * n, ask.value(&metric));
        let ask = Ask { dim: ask.dim.min(n.saturating_sub(2)), ..ask };
        check(rips(scattered, ask), &expected, &name, &format!("{what}, scattered"));
    }
}

#[test]
fn landmarks_are_points_of_the_input() {
    for (metric, ask, what) in inputs(300).filter(|(metric, ..)| metric.n > 2) {
        let count = 1 + metric.n / 2;
        let outcome = rips(metric.matrix::<f64>(), ask).landmarks(Some(count)).solve(&()).unwrap();
        let points = outcome.landmarks.as_ref().expect("they were asked for").points.clone();
        let sample = Metric {
            births: metric.births.as_ref().map(|births| points.iter().map(|&point| births[point]).collect()),
            ..Metric::from_fn(count, |i, j| metric.get(points[i], points[j]))
        };
        let rename = |mut simplex: Vec<usize>| {
            simplex.iter_mut().for_each(|vertex| *vertex = points[*vertex]);
            simplex.sort_unstable();
            simplex
        };
        let rename_edge = |edge: Option<[usize; 2]>| {
            edge.map(|[u, v]| [points[u].min(points[v]), points[u].max(points[v])])
        };
        let expected: Vec<Plain> = expected(&sample, ask)
            .into_iter()
            .map(|(dim, mut class, birth_edge, death_edge)| {
                (class.birth, class.death) = (rename(class.birth), class.death.map(rename));
                (dim, class, rename_edge(birth_edge), rename_edge(death_edge))
            })
            .collect();
        check_order(&outcome, &what);
        let found = representatives(&outcome).iter();
        let found: Vec<Plain> = found.map(|found| plain(found, &|vertex| vertex as usize)).collect();
        assert_eq!(found, expected, "{what}");
    }
}

/// Points around a circle, some of them at twice the radius.
fn ring() -> Rips<f32> {
    let at = |k: usize| {
        let (angle, radius) = (k as f32 * 0.7, if k.is_multiple_of(5) { 2.0 } else { 1.0 });
        [radius * angle.cos(), radius * angle.sin()]
    };
    let cloud = PointCloud::new(2, (0..40).flat_map(at).collect()).unwrap();
    Rips::new(cloud).max_dim(2)
}

#[test]
fn no_edges_are_collapsed_beside_simplices() {
    let run = |collapse| {
        let rips = ring().collapse(collapse).representatives(RepresentativesRequest::default());
        rips.solve(&()).unwrap()
    };
    let [off, auto, on] = [Collapse::Off, Collapse::Auto, Collapse::On].map(run);
    for outcome in [&off, &auto, &on] {
        assert_eq!(outcome.representatives(), off.representatives());
        assert_eq!(outcome.stats.collapse, None);
        assert_eq!(outcome.plan.representatives, [RepresentativeKind::Simplices]);
        assert!(outcome.plan.to_string().contains("no edges are collapsed"));
    }
    assert_eq!((off.notes.len(), auto.notes.len(), on.notes.len()), (0, 0, 1));
    assert!(on.notes[0].contains("not collapsed"), "{}", on.notes[0]);
    assert!(ring().collapse(Collapse::On).solve(&()).unwrap().stats.collapse.is_some());
}

#[test]
fn bars_are_chosen() {
    let run = |bars| {
        let request = RepresentativesRequest::default().bars(bars);
        ring().representatives(request).solve(&())
    };
    let all = run(BarSelection::All).unwrap();
    let all: Vec<&Representative> = representatives(&all).iter().collect();
    let same = |bars: BarSelection, expected: &[&Representative]| {
        let outcome = run(bars).unwrap();
        assert_eq!(representatives(&outcome).iter().collect::<Vec<_>>(), expected);
        assert_eq!(representatives(&outcome).len(), expected.len());
    };
    let lasts = |representative: &Representative| representative.bar.death - representative.bar.birth;
    let long: Vec<_> = all.iter().filter(|representative| lasts(representative) >= 0.3).copied().collect();
    assert!(long.len() > 2 && long.len() < all.len());
    same(BarSelection::Persistence(0.3.into()), &long);
    same(BarSelection::Persistence(0.0.into()), &all);
    for count in [0, 1, 2, 5, 1000] {
        let mut longest: Vec<_> =
            all.iter().filter(|representative| representative.dim > 0).copied().collect();
        longest.sort_by(|a, b| lasts(b).total_cmp(&lasts(a)));
        longest.truncate(count);
        longest.sort_by_key(|representative| (representative.dim, representative.index));
        same(BarSelection::Longest(count), &longest);
    }
    same(BarSelection::Named(vec![(1, 0), (0, 3), (0, 2), (1, 0)]), &[all[2], all[3], all[40]]);
    assert_eq!((all[40].dim, all[40].index), (1, 0));
    let missing = run(BarSelection::Named(vec![(0, 40)]));
    assert_eq!(missing, Err(RipsError::Selection(SelectionError::NoSuchBar { dim: 0, index: 40, bars: 40 })));
    assert!(matches!(
        run(BarSelection::Named(vec![(3, 0)])),
        Err(RipsError::Selection(SelectionError::NoSuchBar { bars: 0, .. }))
    ));
    assert!(matches!(
        run(BarSelection::Persistence(f64::NAN.into())),
        Err(RipsError::Selection(SelectionError::LeastPersistence(_)))
    ));
    assert!(matches!(
        run(BarSelection::Persistence((-1.0).into())),
        Err(RipsError::Selection(SelectionError::LeastPersistence(_)))
    ));
}

#[test]
fn representatives_are_read_back_from_json() {
    let outcome = ring().representatives(RepresentativesRequest::default()).solve(&()).unwrap();
    let json = serde_json::to_string(&outcome).unwrap();
    assert_eq!(serde_json::from_str::<Outcome>(&json).unwrap().representatives(), outcome.representatives());
}
