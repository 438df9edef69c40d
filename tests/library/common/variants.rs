//! The configurations that must all give the same bars: form of the input × precision × pair store × threads.

use lacuna::metric::{Distances, Value};
use lacuna::rips::{Collapse, Outcome, Rips, SecondLayer, plain};
use lacuna::{Bar, Diagram};

use super::metrics::Metric;

/// The request for an input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ask {
    pub(crate) dim: usize,
    pub(crate) threshold: Option<f64>,
    pub(crate) modulus: u32,
}

/// The form in which the distances are passed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// A matrix of distances.
    Matrix,
    /// Every finite edge, and the threshold.
    Edges,
    /// The edges up to the threshold, and no threshold.
    Pruned,
    /// A point cloud; a matrix if the input has no points.
    Points,
    /// The edges up to the threshold among so many isolated points that the graph is sparse; the bars of the isolated
    /// points are removed from the answer.
    Scattered,
}

impl Form {
    /// All forms.
    pub(crate) const ALL: [Form; 5] =
        [Form::Matrix, Form::Edges, Form::Pruned, Form::Points, Form::Scattered];
}

/// The configuration of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Variant {
    pub(crate) form: Form,
    pub(crate) double: bool,
    pub(crate) store: SecondLayer,
    /// The number of threads; 0 for the global pool, which costs nothing to start.
    pub(crate) threads: usize,
}

impl Ask {
    /// A request for the whole filtration over Z/2.
    pub(crate) fn whole(dim: usize) -> Ask {
        Ask { dim, threshold: Some(f64::INFINITY), modulus: 2 }
    }

    /// A request up to the enclosing radius over Z/2.
    pub(crate) fn enclosed(dim: usize) -> Ask {
        Ask { dim, threshold: None, modulus: 2 }
    }

    /// The threshold as a number, which is exact in the precision of the input.
    pub(crate) fn value(&self, metric: &Metric) -> f64 {
        match self.threshold {
            Some(t) => t,
            None => metric.enclosing_radius(),
        }
    }
}

impl Variant {
    /// Matrix, single precision, implicit pair store, one thread.
    pub(crate) const PLAINEST: Variant =
        Variant { form: Form::Matrix, double: false, store: SecondLayer::Implicit, threads: 1 };

    /// The simplest configuration with the sparse shape: edges among isolated points.
    pub(crate) const SPARSEST: Variant = Variant { form: Form::Scattered, ..Variant::PLAINEST };

    /// All configurations.
    pub(crate) fn all() -> Vec<Variant> {
        let mut all = Vec::new();
        for threads in [1, 2, 4] {
            for store in [SecondLayer::Implicit, SecondLayer::Sorted] {
                for double in [false, true] {
                    all.extend(Form::ALL.map(|form| Variant { form, double, store, threads }));
                }
            }
        }
        all
    }

    /// Runs one input in this configuration. Distances that differ only in double precision are never run in single
    /// precision.
    pub(crate) fn run(self, metric: &Metric, ask: Ask) -> Outcome {
        if self.double || metric.double {
            self.solve(self.distances::<f64>(metric, ask), metric, ask)
        } else if let (Form::Points, Some(cloud)) = (self.form, &metric.cloud) {
            self.solve(cloud.clone().into(), metric, ask)
        } else {
            self.solve(self.distances::<f32>(metric, ask), metric, ask)
        }
    }

    fn distances<T: Value>(self, metric: &Metric, ask: Ask) -> Distances<T> {
        match self.form {
            Form::Matrix | Form::Points => metric.matrix().into(),
            Form::Edges => metric.edges(f64::INFINITY).into(),
            Form::Pruned => metric.edges(ask.value(metric)).into(),
            Form::Scattered => metric.scattered(SPREAD * metric.n, ask.value(metric)).into(),
        }
    }

    fn solve<T: Value>(self, distances: Distances<T>, metric: &Metric, ask: Ask) -> Outcome {
        let dim =
            if self.form == Form::Scattered { ask.dim.min(metric.n.saturating_sub(2)) } else { ask.dim };
        let rips = Rips::new(distances).max_dim(dim).modulus(ask.modulus).pair_store(self.store);
        // Statistics are compared too, which a collapse would change.
        let rips = rips.collapse(Collapse::Off);
        let rips = if self.threads == 0 { rips } else { rips.threads(self.threads) };
        let rips = match (self.form, ask.threshold) {
            (Form::Pruned | Form::Scattered, _) | (Form::Matrix | Form::Points, None) => rips,
            _ => rips.threshold(ask.value(metric)),
        };
        let mut outcome = rips.solve(&()).unwrap_or_else(|error| panic!("{self:?} of {ask:?}: {error}"));
        if self.form == Form::Scattered {
            outcome.diagram = without_isolated(&outcome.diagram, (SPREAD - 1) * metric.n);
        }
        outcome
    }
}

/// Number of points per non-isolated point: at most one pair in `SPREAD`² is an edge.
const SPREAD: usize = 4;

/// The diagram without the last `isolated` essential bars of dimension 0.
fn without_isolated(diagram: &Diagram, isolated: usize) -> Diagram {
    let bars = |dim| {
        let bars = diagram.bars(dim);
        let (kept, removed) =
            bars.split_at(if dim == 0 { bars.len().saturating_sub(isolated) } else { bars.len() });
        assert!(
            removed.iter().all(Bar::is_essential),
            "fewer than {isolated} isolated points in {diagram:?}"
        );
        kept.to_vec()
    };
    Diagram::new((0..diagram.len()).map(bars).collect())
}

/// The oracle's answer.
pub(crate) fn oracle(metric: &Metric, ask: Ask) -> Diagram {
    plain::barcode(&Distances::from(metric.matrix::<f64>()), ask.dim, ask.value(metric), ask.modulus)
}

/// Panics with everything needed to repeat the run if `found` is not `expected`, including the order of bars.
#[track_caller]
pub(crate) fn assert_same(
    found: &Diagram,
    expected: &Diagram,
    metric: &Metric,
    ask: Ask,
    how: impl std::fmt::Debug,
) {
    assert!(
        found == expected,
        "{how:?}\n{ask:?}\nn = {}, entries below the diagonal, row by row:\n{:?}\nbirths {:?}{}",
        metric.n,
        metric.lower,
        metric.births,
        differences(found, expected)
    );
}

/// Compares the oracle with some configurations.
#[track_caller]
pub(crate) fn check(metric: &Metric, ask: Ask, variants: impl IntoIterator<Item = Variant>, what: &str) {
    let expected = oracle(metric, ask);
    for variant in variants {
        assert_same(&variant.run(metric, ask).diagram, &expected, metric, ask, (what, variant));
    }
}

/// The bars of every dimension, sorted by value.
pub(crate) fn multiset(diagram: &Diagram) -> Vec<(usize, Bar)> {
    let mut bars: Vec<(usize, Bar)> = diagram.iter().collect();
    bars.sort_by(|(d, a), (e, b)| {
        d.cmp(e).then(a.birth.total_cmp(&b.birth)).then(a.death.total_cmp(&b.death))
    });
    bars
}

/// Describes the dimensions that differ.
fn differences(found: &Diagram, expected: &Diagram) -> String {
    let text = |bars: &[Bar]| bars.iter().map(|b| format!("[{}, {}) ", b.birth, b.death)).collect::<String>();
    let dimensions =
        (0..found.len().max(expected.len())).filter(|&dim| found.bars(dim) != expected.bars(dim));
    let lines = dimensions.map(|dim| {
        let (expected, found) = (text(expected.bars(dim)), text(found.bars(dim)));
        format!("\ndimension {dim}\n  expected {expected}\n  found    {found}")
    });
    format!("\n{} dimensions expected, {} found{}", expected.len(), found.len(), lines.collect::<String>())
}
