//! Statistics of a computation: counts, and times of the stages.

use std::borrow::Cow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::progress::Progress;

/// Counts of a computation, and the seconds of its stages in the order in which they ran.
///
/// The complex is the one whose vertices are voxels: for the T-construction its dual, in which a class of dimension k
/// becomes one of dimension d − 1 − k for d axes. If classes were traced for representatives, however, columns,
/// additions and steps are those of the loops in the image's own dimension.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PersistenceStatistics {
    /// Number of voxels.
    pub voxels: usize,
    /// Numbers of critical voxels, edges, faces and top cells, where they were needed.
    pub critical: [usize; 4],
    /// Number of columns of the reduction.
    pub columns: usize,
    /// Number of column additions.
    pub additions: u64,
    /// Number of additions of face boundaries along the gradient.
    pub steps: u64,
    /// Name and seconds of each stage.
    pub stages: Vec<(Cow<'static, str>, f64)>,
}

/// Times the stages and reports their beginning.
pub(super) struct StageClock<'a> {
    pub(super) statistics: PersistenceStatistics,
    since: Instant,
    pub(super) progress: &'a dyn Progress,
}

impl<'a> StageClock<'a> {
    pub(super) fn new(progress: &'a dyn Progress) -> Self {
        StageClock { statistics: PersistenceStatistics::default(), since: Instant::now(), progress }
    }

    /// Begins a stage of `total` units of work and ends the previous one.
    pub(super) fn begin(&mut self, stage: &'static str, total: u64) {
        self.time(stage);
        self.progress.begin(stage, None, total);
    }

    /// Begins a stage that reports its own progress, and ends the previous one.
    pub(super) fn time(&mut self, stage: &'static str) {
        self.end();
        self.statistics.stages.push((stage.into(), f64::NAN));
    }

    /// Ends the last stage.
    pub(super) fn end(&mut self) {
        if let Some((_, seconds)) = self.statistics.stages.last_mut().filter(|(_, seconds)| seconds.is_nan())
        {
            *seconds = self.since.elapsed().as_secs_f64();
        }
        self.since = Instant::now();
    }
}
