//! Progress of a run, for whoever wants to show it.

/// Told what is going on. All methods may be called from any thread; `()` ignores everything.
pub trait Progress: Sync {
    /// A stage of dimension `dim` begins; `total` units of work lie ahead.
    fn begin(&self, stage: &'static str, dim: usize, total: u64) {
        let _ = (stage, dim, total);
    }

    /// So many more units of the current stage are done.
    fn advance(&self, units: u64) {
        let _ = units;
    }
}

impl Progress for () {}
