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

/// Which edges are tried.
#[derive(Clone, Copy)]
pub(in crate::rips) enum Worth<'a> {
    /// All of them.
    All,
    /// As many as pay.
    Paying {
        /// How long what follows the collapse takes with so many edges, in seconds of one thread.
        seconds: &'a (dyn Fn(usize) -> f64 + Sync),
        /// Whether trying goes on when it does not pay yet, if all of it should. The first edges to be tried go the most easily, so that
        /// mostly it is too much to hope for.
        hopes: bool,
    },
}

impl<'a> Worth<'a> {
    /// Asks from so many edges on, in a graph of so many bytes.
    pub(super) fn ask(&self, edges: usize, bytes: u64) -> Asked<'a> {
        let alone = if bytes > CACHED { MOVE + FAR_MOVE } else { MOVE };
        let seconds = match self {
            Worth::All => 0.0,
            Worth::Paying { seconds, .. } => seconds(edges),
        };
        Asked { worth: *self, all: edges, edge: SEARCH + alone * waiting(), seconds, spent: 0.0 }
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
    worth: Worth<'a>,
    /// All edges.
    all: usize,
    /// Seconds for an edge beside what its search looks at.
    edge: f64,
    seconds: f64,
    spent: f64,
}

impl Asked<'_> {
    /// Whether the time since the last question was less than it saves of what follows, or, with hope, whether the edges that are left to try should
    /// take less than they save, if it goes on as it did. `edges` are left, after so many were tried and so much work of searches in all.
    pub(super) fn goes_on(&mut self, edges: usize, tried: usize, work: u64) -> bool {
        let Worth::Paying { seconds: seconds_of, hopes } = self.worth else { return true };
        let seconds = seconds_of(edges);
        let spent = work as f64 * WORK + tried as f64 * self.edge;
        let (saved, took) = (self.seconds - seconds, spent - self.spent);
        (self.seconds, self.spent) = (seconds, spent);
        let rest_should_pay = || {
            let untried = self.all - tried;
            let kept = (edges - untried) as f64 / tried as f64;
            let rest = spent / tried as f64 * untried as f64;
            rest < seconds - seconds_of((kept * self.all as f64) as usize)
        };
        took < saved || hopes && rest_should_pay()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_hope_it_goes_on_to_where_it_pays() {
        // A device takes a second, however many edges there are; a processor takes less if there are few.
        let seconds = |edges: usize| (edges as f64 * 1e-3).min(1.0);
        for hopes in [false, true] {
            let worth = Worth::Paying { seconds: &seconds, hopes };
            let mut asked = worth.ask(64_000, 0);
            // Of a thousand edges ten are left.
            assert_eq!(asked.goes_on(63_010, 1000, 100_000), hopes);
            // Of the next thousand all are: by then nothing is to be hoped for.
            assert!(!asked.goes_on(63_010, 2000, 200_000));
        }
    }
}
