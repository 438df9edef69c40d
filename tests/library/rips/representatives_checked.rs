//! Cocycles and cycles of bars under an independent check, on more than 2,000 small random inputs with ties.

use std::fs;
use std::path::Path;

use crate::common::chains::Filtration;
use crate::common::judge::judge;
use crate::common::metrics::{Family, Metric, generator};
use crate::common::variants::Ask;
use lacuna::metric::{Distances, Value};
use lacuna::rips::plain::classes;
use lacuna::rips::{
    BarSelection, CocycleScale, Outcome, Representative, RepresentativeKind, Representatives,
    RepresentativesRequest, Rips,
};
use rand::RngExt;
use rand_pcg::Pcg64;

const FAMILIES: [Family; 12] = [
    Family::Ties(2),
    Family::Ties(4),
    Family::Zeros(3),
    Family::Generic,
    Family::Disconnected(0.3),
    Family::Graph(0.3),
    Family::Paths,
    Family::Cloud(2),
    Family::Grid(3),
    Family::Duplicates,
    Family::Extremes,
    Family::Double,
];

/// An input with its request.
struct Case {
    metric: Metric,
    ask: Ask,
    at: CocycleScale,
    bars: BarSelection,
    what: String,
}

impl Case {
    /// Draws a random request for an input, apart from the maximal dimension.
    fn new(metric: Metric, dim: usize, rng: &mut Pcg64, what: String) -> Case {
        let (i, j) = (rng.random_range(0..metric.n), rng.random_range(0..metric.n));
        let threshold = match rng.random_range(0..4) {
            0 => Some(metric.get(i, j)),
            1 => None,
            _ => Some(f64::INFINITY),
        };
        let ask = Ask { dim, threshold, modulus: [2, 3, 5][rng.random_range(0..3)] };
        let at = [CocycleScale::Birth, CocycleScale::Death][rng.random_range(0..2)];
        let bars = match rng.random_range(0..4) {
            0 => BarSelection::Longest(rng.random_range(1..4)),
            _ => BarSelection::All,
        };
        Case { what: format!("{what}, {ask:?}, cocycles at {at:?}, {bars:?}"), metric, ask, at, bars }
    }

    /// The case with its threshold as a number, since an input of edges has no enclosing radius.
    fn with_value(self) -> Case {
        Case { ask: Ask { threshold: Some(self.ask.value(&self.metric)), ..self.ask }, ..self }
    }

    fn rips<T: Value>(&self, distances: impl Into<Distances<T>>) -> Rips<T> {
        let kinds = [RepresentativeKind::Simplices, RepresentativeKind::Cocycles, RepresentativeKind::Cycles];
        let request = RepresentativesRequest::of(kinds).cocycles_at(self.at).bars(self.bars.clone());
        let rips = Rips::new(distances).max_dim(self.ask.dim).modulus(self.ask.modulus);
        let rips = rips.representatives(request);
        match self.ask.threshold {
            Some(threshold) => rips.threshold(threshold),
            None => rips,
        }
    }

    /// Checks a run on 1 and on 4 threads, where `sample` is the input as the run sees it and `names[i]` the vertex
    /// of point i.
    fn check<T: Value>(&self, rips: Rips<T>, sample: &Metric, names: &[u32]) -> Tally {
        let Case { ask, at, bars, what, .. } = self;
        let top = ask.dim.min(sample.n.saturating_sub(2)) + 1;
        let filtration = Filtration::new(sample, names, top, ask.value(sample), ask.modulus);
        let run =
            |threads| rips.clone().threads(threads).solve(&()).unwrap_or_else(|e| panic!("{what}: {e}"));
        let outcomes = [1, 4].map(run);
        for (outcome, threads) in outcomes.iter().zip([1, 4]) {
            let what = format!("{what}, {threads} threads, {sample:?}, names {names:?}");
            self.check_pairs(outcome, sample, names, &what);
            judge(&filtration, found(outcome).iter(), *at, *bars == BarSelection::All, &what);
        }
        let [one, four] = outcomes.each_ref().map(found);
        assert_eq!(one, four, "{what}: 1 and 4 threads");
        Tally::of(one)
    }

    /// Checks that the pairs of birth and death simplices are those of the oracle.
    fn check_pairs(&self, outcome: &Outcome, sample: &Metric, names: &[u32], what: &str) {
        let distances = Distances::from(sample.matrix::<f64>());
        let expected = classes(&distances, self.ask.dim, self.ask.value(sample), self.ask.modulus);
        let named = |simplex: &[usize]| {
            let mut simplex: Vec<u32> = simplex.iter().map(|&point| names[point]).collect();
            simplex.sort_unstable();
            simplex
        };
        let mut count = 0;
        for Representative { bar, dim, index, birth, death, .. } in
            found(outcome).iter().filter(|r| r.dim > 0)
        {
            let class = &expected[*dim][*index];
            let pair = (class.bar, named(&class.birth), class.death.as_deref().map(named));
            assert_eq!((*bar, birth.clone(), death.clone()), pair, "{what}");
            count += 1;
        }
        let all = expected.iter().skip(1).map(Vec::len).sum::<usize>();
        let wanted = if let BarSelection::Longest(longest) = self.bars { all.min(longest) } else { all };
        assert_eq!(count, wanted, "{what}: number of bars");
    }
}

fn found(outcome: &Outcome) -> &Representatives {
    outcome.representatives().expect("they were asked for")
}

/// Numbers of inputs, and of bars by dimension, that were checked.
#[derive(Debug, Default)]
struct Tally {
    inputs: usize,
    bars: [usize; 4],
    essential: [usize; 4],
    /// Numbers of terms of cocycles and of cycles.
    terms: [usize; 2],
}

impl Tally {
    fn of(found: &Representatives) -> Tally {
        let mut tally = Tally { inputs: 1, ..Tally::default() };
        for found in found.iter() {
            tally.bars[found.dim] += 1;
            tally.essential[found.dim] += usize::from(found.bar.is_essential());
            let terms =
                [&found.cocycle, &found.cycle].map(|chain| chain.as_ref().map_or(0, |chain| chain.len()));
            tally.terms = [tally.terms[0] + terms[0], tally.terms[1] + terms[1]];
        }
        tally
    }

    /// Prints the sum of tallies, and checks that it contains enough bars of dimensions 1, 2 and 3.
    fn sum(tallies: impl Iterator<Item = Tally>, least: [usize; 3]) {
        let mut sum = Tally::default();
        for tally in tallies {
            sum.inputs += tally.inputs;
            (0..4).for_each(|dim| sum.bars[dim] += tally.bars[dim]);
            (0..4).for_each(|dim| sum.essential[dim] += tally.essential[dim]);
            (0..2).for_each(|kind| sum.terms[kind] += tally.terms[kind]);
        }
        println!("{sum:?}");
        assert!((0..3).all(|dim| sum.bars[dim + 1] >= least[dim]), "too few bars: {sum:?}");
    }
}

/// Inputs of all families; every second one is weighted.
fn inputs(count: u64) -> impl Iterator<Item = Case> {
    (0..count).map(|seed| {
        let mut rng = generator(510_000 + seed);
        let dim = rng.random_range(1..=3);
        let most = [12, 11, 9][dim - 1];
        let n = rng.random_range(if seed % 5 == 0 { 2 } else { most / 2 }..=most);
        let family = FAMILIES[seed as usize % FAMILIES.len()];
        let metric = Metric::random(family, n, &mut rng);
        let metric = if seed / 12 % 2 == 0 { metric } else { metric.born_at_random(&mut rng) };
        Case::new(metric, dim, &mut rng, format!("{family:?}, seed {seed}"))
    })
}

/// d + 1 groups of points, each far from the others of its group and near to all other points: as long as only near
/// points are joined, the complex is a wedge of spheres of dimension d.
fn spheres(count: u64) -> impl Iterator<Item = Case> {
    (0..count).map(|seed| {
        let mut rng = generator(520_000 + seed);
        let dim = rng.random_range(1..=3);
        let never = seed % 4 == 0;
        let n = rng.random_range(2 * (dim + 1)..=if never { 12 } else { 10 });
        let values = [2, 4, 1000][seed as usize % 3];
        let metric = Metric::from_fn(n, |i, j| {
            let near = rng.random_range(1..=values);
            match (i % (dim + 1) == j % (dim + 1), never) {
                (false, _) => near.into(),
                (true, false) => (near + values).into(),
                (true, true) => f64::INFINITY,
            }
        });
        let metric = if seed / 12 % 2 == 0 { metric } else { metric.born_at_random(&mut rng) };
        Case::new(metric, dim, &mut rng, format!("spheres, seed {seed}"))
    })
}

/// The triangulated projective plane with random edge lengths and no other edges: its bars depend on the modulus.
fn projective_planes(count: u64) -> impl Iterator<Item = Case> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/projective_plane.dist");
    let text = fs::read_to_string(file).unwrap();
    let row = |line: &str| line.split(',').map(|entry| entry.parse().unwrap()).collect();
    let rows: Vec<Vec<f64>> = text.lines().map(row).collect();
    (0..count).map(move |seed| {
        let mut rng = generator(530_000 + seed);
        let longest = [1, 3, 1000][seed as usize % 3];
        let metric = Metric::from_fn(rows.len(), |i, j| {
            if rows[i][j] == 1.0 { rng.random_range(1..=longest).into() } else { f64::INFINITY }
        });
        Case::new(metric, 2, &mut rng, format!("projective plane, seed {seed}"))
    })
}

/// Vertices with the numbers of the points.
fn same(metric: &Metric) -> Vec<u32> {
    (0..metric.n as u32).collect()
}

fn of_matrix(case: Case) -> Tally {
    let names = same(&case.metric);
    if case.metric.double {
        case.check(case.rips(case.metric.matrix::<f64>()), &case.metric, &names)
    } else {
        case.check(case.rips(case.metric.matrix::<f32>()), &case.metric, &names)
    }
}

/// All edges of the input.
fn of_edges(case: Case) -> Tally {
    let case = case.with_value();
    let names = same(&case.metric);
    case.check(case.rips(case.metric.edges::<f64>(f64::INFINITY)), &case.metric, &names)
}

/// The edges up to the threshold among isolated points, where the graph is sparse.
fn of_scattered_edges(case: Case) -> Tally {
    let mut case = case.with_value();
    let n = case.metric.n;
    case.ask.dim = case.ask.dim.min(n.saturating_sub(2));
    let names: Vec<u32> =
        (0..n as u32).map(|i| if i + 3 < n as u32 { 8 * i } else { 7 * n as u32 + i }).collect();
    let edges = case.metric.scattered::<f64>(8 * n, case.ask.value(&case.metric));
    case.check(case.rips(edges), &case.metric, &names)
}

/// Landmarks: some of the points, in the order in which they are chosen.
fn of_landmarks(case: Case) -> Tally {
    let count = 1 + case.metric.n * 3 / 4;
    let rips = case.rips(case.metric.matrix::<f64>()).landmarks(Some(count));
    let points = rips.clone().solve(&()).unwrap().landmarks.expect("they were asked for").points;
    let births = case.metric.births.as_ref();
    let sample = Metric {
        births: births.map(|births| points.iter().map(|&point| births[point]).collect()),
        ..Metric::from_fn(count, |i, j| case.metric.get(points[i], points[j]))
    };
    let names: Vec<u32> = points.iter().map(|&point| point as u32).collect();
    case.check(rips, &sample, &names)
}

#[test]
fn of_matrices() {
    Tally::sum(inputs(2400).map(of_matrix), [1000, 50, 0]);
}

#[test]
fn of_sparse_graphs() {
    let all = inputs(2800).skip(2400).map(of_edges).chain(inputs(3200).skip(2800).map(of_scattered_edges));
    Tally::sum(all, [300, 20, 0]);
}

#[test]
fn of_samples() {
    let all = inputs(3600).skip(3200).chain(spheres(300)).filter(|case| case.metric.n > 2);
    Tally::sum(all.map(of_landmarks), [500, 50, 5]);
}

#[test]
fn of_higher_dimensions() {
    Tally::sum(
        spheres(900).skip(300).map(of_matrix).chain(spheres(1200).skip(900).map(of_scattered_edges)),
        [100, 100, 50],
    );
}

#[test]
fn with_torsion() {
    let matrices = projective_planes(90).map(of_matrix);
    Tally::sum(matrices.chain(projective_planes(180).skip(90).map(of_edges)), [100, 10, 0]);
}
