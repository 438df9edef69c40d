//! The configurations that must all give the same bars: shape of the input × precision × pair store × threads.

use lacuna::metric::{Distances, Value};
use lacuna::rips::{Outcome, PairStore, Rips, Threshold, plain};
use lacuna::{Bar, Diagram};

use super::metrics::Metric;

/// What is asked of an input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ask {
    pub(crate) dim: usize,
    pub(crate) threshold: Threshold,
    pub(crate) modulus: u32,
}

/// How the distances are handed over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// A matrix.
    Matrix,
    /// Every finite edge, and the threshold.
    Edges,
    /// The edges up to the threshold, and no threshold.
    Pruned,
    /// A point cloud; a matrix for inputs that are none.
    Points,
}

/// How the computation is run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Variant {
    pub(crate) form: Form,
    pub(crate) double: bool,
    pub(crate) store: PairStore,
    pub(crate) threads: usize,
}

impl Ask {
    /// The whole filtration over Z/2.
    pub(crate) fn whole(dim: usize) -> Ask {
        Ask { dim, threshold: Threshold::Value(f64::INFINITY), modulus: 2 }
    }

    /// Up to the enclosing radius over Z/2.
    pub(crate) fn enclosed(dim: usize) -> Ask {
        Ask { dim, threshold: Threshold::EnclosingRadius, modulus: 2 }
    }

    /// The threshold as a number.
    pub(crate) fn value(&self, metric: &Metric) -> f64 {
        match self.threshold {
            Threshold::Value(t) => t,
            Threshold::EnclosingRadius => metric.enclosing_radius(),
        }
    }
}

impl Variant {
    /// A matrix of single precision, implicit pair store, one thread.
    pub(crate) const PLAINEST: Variant =
        Variant { form: Form::Matrix, double: false, store: PairStore::Implicit, threads: 1 };

    /// All of them.
    pub(crate) fn all() -> Vec<Variant> {
        let mut all = Vec::new();
        for threads in [1, 2, 4] {
            for store in [PairStore::Implicit, PairStore::Sorted] {
                for double in [false, true] {
                    let forms = [Form::Matrix, Form::Edges, Form::Pruned, Form::Points];
                    all.extend(forms.map(|form| Variant { form, double, store, threads }));
                }
            }
        }
        all
    }

    /// Runs one input this way. Distances that only double precision tells apart are never run in single.
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
        }
    }

    fn solve<T: Value>(self, distances: Distances<T>, metric: &Metric, ask: Ask) -> Outcome {
        let rips = Rips::new(distances)
            .max_dim(ask.dim)
            .modulus(ask.modulus)
            .pair_store(self.store)
            .threads(self.threads);
        let rips = match (self.form, ask.threshold) {
            (Form::Pruned, _) | (Form::Matrix | Form::Points, Threshold::EnclosingRadius) => rips,
            _ => rips.threshold(ask.value(metric)),
        };
        rips.solve(&()).unwrap_or_else(|error| panic!("{self:?} of {ask:?}: {error}"))
    }
}

/// The oracle's answer.
pub(crate) fn oracle(metric: &Metric, ask: Ask) -> Diagram {
    plain::barcode(&Distances::from(metric.matrix::<f64>()), ask.dim, ask.value(metric), ask.modulus)
}

/// Panics with everything needed to repeat the run when `found` is not `expected`, order of the bars included.
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
        "{how:?}\n{ask:?}\nn = {}, entries below the diagonal, row by row:\n{:?}\nexpected {}\nfound    {}",
        metric.n,
        metric.lower,
        text(expected),
        text(found)
    );
}

/// The oracle against some of the variants.
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

fn text(diagram: &Diagram) -> String {
    let dimension = |dim| {
        let bars: Vec<String> =
            diagram.bars(dim).iter().map(|b| format!("[{}, {})", b.birth, b.death)).collect();
        format!("\n  dim {dim}: {}", bars.join(" "))
    };
    (0..diagram.len()).map(dimension).collect()
}
