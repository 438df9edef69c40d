//! Whether collapsing pays.

/// Seconds for a word or an entry that a search looks at, on one thread.
const WORK: f64 = 3e-9;
/// Seconds for the search for an edge beside these, on one thread.
const SEARCH: f64 = 0.5e-6;
/// Seconds for an edge that is tried, in which one thread works and the others wait: it is taken out of the graph and perhaps moved.
const MOVE: f64 = 0.1e-6;
/// What that takes more where the graph is larger than the caches.
const FAR_MOVE: f64 = 0.1e-6;
/// Bytes of a graph that caches hold.
const CACHED: u64 = 64 << 20;
/// Seconds for each edge before the first is tried, likewise: edges are put in order, and the graph is made.
const PREPARED_EDGE: f64 = 50e-9;
/// Seconds for each byte of the graph, which is zeroed.
const PREPARED_BYTE: f64 = 0.5e-9;

/// How long what follows the collapse takes with so many edges, in seconds of one thread; none if all edges are to be tried in any case.
pub(in crate::rips) struct Worth<'a>(pub(in crate::rips) Option<&'a (dyn Fn(usize) -> f64 + Sync)>);

impl<'a> Worth<'a> {
    /// Asks from so many edges on, in a graph of so many bytes.
    pub(super) fn ask(&self, edges: usize, bytes: u64) -> Asked<'a> {
        let Worth(seconds_of) = *self;
        let alone = if bytes > CACHED { MOVE + FAR_MOVE } else { MOVE };
        Asked {
            seconds_of,
            edge: SEARCH + alone * waiting(),
            seconds: seconds_of.map_or(0.0, |seconds_of| seconds_of(edges)),
            spent: 0.0,
        }
    }
}

/// Threads that wait while one works.
fn waiting() -> f64 {
    rayon::current_num_threads() as f64
}

/// Seconds of one thread that it takes until the first edge is tried, of so many in a graph of so many bytes.
pub(in crate::rips) fn preparation(edges: usize, bytes: u64) -> f64 {
    PREPARED_BYTE * bytes as f64 + PREPARED_EDGE * edges as f64 * waiting()
}

/// What was the case when it was last asked.
pub(super) struct Asked<'a> {
    seconds_of: Option<&'a (dyn Fn(usize) -> f64 + Sync)>,
    /// Seconds for an edge beside what its search looks at.
    edge: f64,
    seconds: f64,
    spent: f64,
}

impl Asked<'_> {
    /// Whether the time since the last question was less than it saves of what follows. `edges` are left, after so many were tried and so much
    /// work of searches in all.
    pub(super) fn goes_on(&mut self, edges: usize, tried: usize, work: u64) -> bool {
        let Some(seconds_of) = self.seconds_of else { return true };
        let seconds = seconds_of(edges);
        let spent = work as f64 * WORK + tried as f64 * self.edge;
        let (saved, took) = (self.seconds - seconds, spent - self.spent);
        (self.seconds, self.spent) = (seconds, spent);
        took < saved
    }
}
