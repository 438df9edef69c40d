//! The choices for a matrix and their reasons: the lines of `--explain`.

use lacuna::matrix::Reason;
use lacuna::matrix::figures::Figures;

/// The choices made before the run, with their reasons.
pub(crate) fn choices(reasons: &[Reason]) -> impl Iterator<Item = String> {
    reasons.iter().map(|Reason { what, choice, why }| format!("{what:<13} {choice}: {why}"))
}

/// How each dimension was solved, which is decided during the run.
pub(crate) fn solved(figures: &Figures) -> impl Iterator<Item = String> {
    figures.blocks.iter().map(|block| format!("{:<13} {block}", "solved"))
}

/// The lines of [`choices`] and [`solved`].
pub(crate) fn lines(reasons: &[Reason], figures: Option<&Figures>) -> String {
    let blocks = figures.into_iter().flat_map(solved);
    choices(reasons).chain(blocks).collect::<Vec<_>>().join("\n")
}
