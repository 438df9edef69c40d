//! Progress of a run: what the stages report to a program that shows it.

/// Receives the progress of a run. All methods may be called from any thread; `()` ignores everything.
pub trait Progress: Sync {
    /// A stage begins, of dimension `dim` if there is one for each; `total` units of work lie ahead. A stage whose work is not counted has
    /// a total of 1.
    fn begin(&self, stage: &'static str, dim: Option<usize>, total: u64) {
        let _ = (stage, dim, total);
    }

    /// Adds a number of units of the current stage that have been done.
    fn advance(&self, units: u64) {
        let _ = units;
    }
}

impl Progress for () {}

/// Adds up what is reported of each stage.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct Sums(std::sync::Mutex<Vec<Reported>>);

/// What was reported of a stage.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reported {
    pub(crate) stage: &'static str,
    pub(crate) dim: Option<usize>,
    pub(crate) total: u64,
    pub(crate) done: u64,
}

#[cfg(test)]
impl Sums {
    /// All stages in the order in which they began. What was reported of each adds up to its total.
    pub(crate) fn stages(self) -> Vec<Reported> {
        let stages = self.0.into_inner().unwrap();
        for reported in &stages {
            let &Reported { total, done, .. } = reported;
            assert!(done == total || total == 1 && done == 0, "{reported:?}");
        }
        stages
    }
}

#[cfg(test)]
impl Progress for Sums {
    fn begin(&self, stage: &'static str, dim: Option<usize>, total: u64) {
        self.0.lock().unwrap().push(Reported { stage, dim, total, done: 0 });
    }

    fn advance(&self, units: u64) {
        self.0.lock().unwrap().last_mut().unwrap().done += units;
    }
}
