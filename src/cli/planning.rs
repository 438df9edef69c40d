//! Which algorithm on which columns: what was asked for, and what is done.

use lacuna::matrix::{Algorithm, BoundaryMatrix, Plan, Representation, Row};

/// What the user asks for; none leaves the choice to the program.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Request {
    pub(crate) algorithm: Option<Algorithm>,
    pub(crate) columns: Option<Representation>,
    pub(crate) dualize: Option<bool>,
    pub(crate) threads: Option<usize>,
}

/// The algorithms by name.
pub(crate) const ALGORITHMS: [(&str, Algorithm); 9] = [
    ("hypha", Algorithm::Hypha),
    ("hypha-twist", Algorithm::HyphaTwist),
    ("ss-plus", Algorithm::SsPlus),
    ("spectral-sequence", Algorithm::SpectralSequence),
    ("twist", Algorithm::Twist),
    ("standard", Algorithm::Standard),
    ("row", Algorithm::Row),
    ("chunk", Algorithm::Chunk),
    ("lock-free", Algorithm::LockFree),
];

/// The representations by name.
pub(crate) const COLUMNS: [(&str, Representation); 5] = [
    ("bit-tree", Representation::BitTree),
    ("heap", Representation::Heap),
    ("full", Representation::Full),
    ("sparse", Representation::Sparse),
    ("vector", Representation::Vector),
];

/// What is done about `matrix`.
pub(crate) fn choose<I: Row>(matrix: &BoundaryMatrix<I>, request: &Request) -> Plan {
    let _ = matrix;
    Plan {
        algorithm: request.algorithm.unwrap_or(Algorithm::Twist),
        columns: request.columns.unwrap_or_default(),
        dualize: request.dualize.unwrap_or(false),
        threads: request.threads.unwrap_or_else(rayon::current_num_threads),
    }
}

/// The lines of `--explain`: each choice, and whose it was.
pub(crate) fn explain(plan: &Plan, request: &Request) -> [(&'static str, String); 4] {
    let whose = |asked: bool| if asked { "as asked" } else { "the default" };
    let line = |value: &str, asked| format!("{value}: {}", whose(asked));
    let dualize = if plan.dualize { "on" } else { "off" };
    [
        ("algorithm", line(name_of(plan.algorithm, &ALGORITHMS), request.algorithm.is_some())),
        ("columns", line(name_of(plan.columns, &COLUMNS), request.columns.is_some())),
        ("dualize", line(dualize, request.dualize.is_some())),
        ("threads", line(&plan.threads.to_string(), request.threads.is_some())),
    ]
}

/// The name of a choice in a table that has them all.
pub(crate) fn name_of<T: Copy + PartialEq>(choice: T, names: &[(&'static str, T)]) -> &'static str {
    names.iter().find(|(_, named)| *named == choice).map_or("unnamed", |(name, _)| name)
}
