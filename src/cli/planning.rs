//! What was chosen for a matrix, and why: the lines of `--explain`.

use lacuna::matrix::Reason;
use lacuna::matrix::figures::Figures;

use super::notes::tell;

/// Says what was chosen before the run, and why.
pub(crate) fn explain(reasons: &[Reason]) {
    for Reason { what, choice, why } in reasons {
        tell(format_args!("{what:<13} {choice}: {why}"));
    }
}

/// Says how each dimension was solved, which is decided on the way.
pub(crate) fn explain_blocks(figures: &Figures) {
    for block in &figures.blocks {
        tell(format_args!("{:<13} {block}", "solved"));
    }
}
