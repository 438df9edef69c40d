//! What a computation counted, and how long its stages took.

use std::borrow::Cow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::progress::Progress;

/// Counts of a computation, and the seconds of its stages in the order they ran.
///
/// The complex is the one whose vertices are voxels: for the T-construction its dual, in which a class of dimension k of d axes is one of
/// dimension d − 1 − k. But columns, additions and steps are those of the image's own loops if its classes were traced for representatives.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Figures {
    /// Voxels.
    pub voxels: usize,
    /// Critical voxels, edges, faces, and voxels that own a critical cell of the image's dimension; of those that were needed.
    pub critical: [usize; 4],
    /// Columns of the reduction.
    pub columns: usize,
    /// Column additions, and those of boundaries of faces on the way along the gradient.
    pub additions: u64,
    /// Additions of boundaries of faces on the way along the gradient.
    pub steps: u64,
    /// Stages: name, seconds.
    pub stages: Vec<(Cow<'static, str>, f64)>,
}

/// Takes the time of stages, and tells of those that begin.
pub(super) struct StageClock<'a> {
    pub(super) figures: Figures,
    since: Instant,
    pub(super) progress: &'a dyn Progress,
}

impl<'a> StageClock<'a> {
    pub(super) fn new(progress: &'a dyn Progress) -> Self {
        StageClock { figures: Figures::default(), since: Instant::now(), progress }
    }

    /// A stage begins, `total` units of work, and the one before it ends.
    pub(super) fn begin(&mut self, stage: &'static str, total: u64) {
        self.time(stage);
        self.progress.begin(stage, None, total);
    }

    /// A stage begins that tells of itself, and the one before it ends.
    pub(super) fn time(&mut self, stage: &'static str) {
        self.end();
        self.figures.stages.push((stage.into(), f64::NAN));
    }

    /// The last stage ends.
    pub(super) fn end(&mut self) {
        if let Some((_, seconds)) = self.figures.stages.last_mut().filter(|(_, seconds)| seconds.is_nan()) {
            *seconds = self.since.elapsed().as_secs_f64();
        }
        self.since = Instant::now();
    }
}
