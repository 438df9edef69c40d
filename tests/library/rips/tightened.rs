//! Tightened cycles: each is homologous to the original cycle at the birth of its bar, and none in the class is
//! shorter.

use crate::common::chains::{Filtration, Scale};
use crate::common::metrics::{Family, Metric, generator};
use lacuna::rips::{Chain, RepresentativeKind, Representatives, RepresentativesRequest, Rips};
use rand::RngExt;

const FAMILIES: [Family; 6] =
    [Family::Ties(3), Family::Ties(6), Family::Generic, Family::Graph(0.4), Family::Cloud(2), Family::Paths];

/// The cycles of dimension 1 of all bars.
fn cycles(metric: &Metric, modulus: u32, tighten: bool) -> Representatives {
    let request = RepresentativesRequest::of([RepresentativeKind::Cycles]).tighten(tighten);
    let rips = Rips::new(metric.matrix::<f64>()).modulus(modulus).threshold(f64::INFINITY);
    rips.representatives(request).solve(&()).unwrap().representatives().unwrap().clone()
}

/// The sum of the lengths of the edges of a chain.
fn length(metric: &Metric, chain: &Chain) -> f64 {
    chain.iter().map(|(edge, _)| metric.get(edge[0] as usize, edge[1] as usize)).sum()
}

/// The length of a shortest wanted closed path at a scale.
fn shortest(metric: &Metric, scale: f64, is_wanted: &dyn Fn(&[usize]) -> bool) -> f64 {
    fn go_on(
        metric: &Metric,
        scale: f64,
        path: &mut Vec<usize>,
        length: f64,
        best: &mut f64,
        is_wanted: &dyn Fn(&[usize]) -> bool,
    ) {
        let (first, last) = (path[0], path[path.len() - 1]);
        let closing = metric.get(first, last);
        if path.len() > 2 && closing <= scale && length + closing < *best && is_wanted(path) {
            *best = length + closing;
        }
        // The first vertex is the least of the path.
        for next in first + 1..metric.n {
            let step = metric.get(last, next);
            if step <= scale && !path.contains(&next) && length + step < *best {
                path.push(next);
                go_on(metric, scale, path, length + step, best, is_wanted);
                path.pop();
            }
        }
    }
    let mut best = f64::INFINITY;
    for first in 0..metric.n {
        go_on(metric, scale, &mut vec![first], 0.0, &mut best, is_wanted);
    }
    best
}

#[test]
fn no_cycle_of_the_class_is_shorter() {
    let (mut bars, mut shorter) = (0, 0);
    for seed in 0..600 {
        let mut rng = generator(540_000 + seed);
        let family = FAMILIES[seed as usize % FAMILIES.len()];
        let metric = Metric::random(family, rng.random_range(4..=9), &mut rng);
        let modulus = [2, 2, 3, 5][seed as usize / 6 % 4];
        let names: Vec<u32> = (0..metric.n as u32).collect();
        let filtration = Filtration::new(&metric, &names, 2, f64::INFINITY, modulus);
        let (loose, tight) = (cycles(&metric, modulus, false), cycles(&metric, modulus, true));
        for (loose, tight) in loose.of_dimension(1).iter().zip(tight.of_dimension(1)) {
            let what = format!("{family:?}, seed {seed}, modulus {modulus}, {:?}, {metric:?}", loose.bar);
            let birth = loose.bar.birth;
            let (loose, tight) = (loose.cycle.as_deref().unwrap(), tight.cycle.as_deref().unwrap());
            let class = filtration.vector(loose);
            let boundaries = filtration.boundaries(1, Scale::AtMost(birth));
            let is_of_class = |vector: &[u32]| {
                let difference = class.iter().zip(vector).map(|(a, b)| (a + modulus - b) % modulus);
                boundaries.contains(difference.collect())
            };
            assert!(is_of_class(&filtration.vector(tight)), "{what}: {tight:?} is of another class");
            let lengths = [length(&metric, loose), length(&metric, tight)];
            assert!(lengths[1] <= lengths[0], "{what}: {lengths:?}");
            (bars, shorter) = (bars + 1, shorter + usize::from(lengths[1] < lengths[0]));
            if modulus > 2 {
                continue;
            }
            let is_wanted = |path: &[usize]| {
                let mut vector = vec![0; class.len()];
                for (k, &u) in path.iter().enumerate() {
                    let v = path[(k + 1) % path.len()];
                    vector[filtration.place(&[u.min(v) as u32, u.max(v) as u32])] = 1;
                }
                is_of_class(&vector)
            };
            let shortest = shortest(&metric, birth, &is_wanted);
            assert!(lengths[1] <= shortest * (1.0 + 1e-12), "{what}: {} is not {shortest}", lengths[1]);
        }
    }
    println!("{bars} bars, {shorter} cycles made shorter");
    assert!(bars > 200 && shorter > 20, "{bars} bars, {shorter} cycles made shorter");
}
