//! The choices for a matrix and their reasons: the lines of `--explain`.

use lacuna::matrix::Reason;
use lacuna::matrix::figures::Figures;

use super::notes::tell;

/// Prints the choices made before the run, with their reasons.
pub(crate) fn explain(reasons: &[Reason]) {
    for Reason { what, choice, why } in reasons {
        tell(format_args!("{what:<13} {choice}: {why}"));
    }
}

/// Prints how each dimension was solved, which is decided during the run.
pub(crate) fn explain_blocks(figures: &Figures) {
    for block in &figures.blocks {
        tell(format_args!("{:<13} {block}", "solved"));
    }
}

/// The lines of [`explain`] and [`explain_blocks`], for a page.
pub(crate) fn lines(reasons: &[Reason], figures: Option<&Figures>) -> String {
    let reasons = reasons.iter().map(|Reason { what, choice, why }| format!("{what:<13} {choice}: {why}"));
    let blocks = figures.iter().flat_map(|figures| &figures.blocks);
    reasons.chain(blocks.map(|block| format!("{:<13} {block}", "solved"))).collect::<Vec<_>>().join("\n")
}
