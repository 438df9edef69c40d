//! Whether collapsing pays.

/// Seconds for a word or an entry that a search looks at, on one thread.
const WORK: f64 = 2e-9;

/// How long what follows the collapse takes with so many edges, in seconds on one thread; none if all edges are to be tried in any case.
pub(in crate::rips) struct Worth<'a>(pub(in crate::rips) Option<&'a dyn Fn(usize) -> f64>);

impl<'a> Worth<'a> {
    /// Asks from so many edges on.
    pub(super) fn ask(&self, edges: usize) -> Asked<'a> {
        let Worth(seconds_of) = *self;
        Asked { seconds_of, seconds: seconds_of.map_or(0.0, |seconds_of| seconds_of(edges)), work: 0 }
    }
}

/// What was the case when it was last asked.
pub(super) struct Asked<'a> {
    seconds_of: Option<&'a dyn Fn(usize) -> f64>,
    seconds: f64,
    work: u64,
}

impl Asked<'_> {
    /// Whether the work since the last question took less time than it saves of what follows. `edges` are left, after so much work in all.
    pub(super) fn goes_on(&mut self, edges: usize, work: u64) -> bool {
        let Some(seconds_of) = self.seconds_of else { return true };
        let seconds = seconds_of(edges);
        let saved = self.seconds - seconds;
        let took = (work - self.work) as f64 * WORK;
        (self.seconds, self.work) = (seconds, work);
        took < saved
    }
}
