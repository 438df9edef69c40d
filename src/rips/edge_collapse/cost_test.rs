//! The cost test: it ends the collapse when that costs more time than it saves.

/// Seconds per word or entry that a search reads, on one thread.
const WORK: f64 = 3e-9;
/// Seconds per search in addition to its reads, on one thread.
const SEARCH: f64 = 0.15e-6;
/// Seconds for each edge tried in which one thread works and the others wait: the edge is taken out of the graph and
/// perhaps moved.
const MOVE: f64 = 0.1e-6;
/// Additional seconds for each such edge if there are other threads, which have to be told and waited for.
const SHARED_MOVE: f64 = 0.2e-6;
/// Additional seconds for each such edge if the graph is larger than the caches.
const FAR_MOVE: f64 = 0.1e-6;
/// Bytes of a graph that the caches hold.
const CACHED: u64 = 64 << 20;
/// Seconds for each edge before the first is tried, in which the other threads wait too: edges are sorted and the graph
/// is built.
const PREPARED_EDGE: f64 = 50e-9;
/// Seconds for each byte of the graph, which is zeroed.
const PREPARED_BYTE: f64 = 0.5e-9;

/// The rule that ends a collapse where it does not pay.
#[derive(Clone, Copy)]
pub(in crate::rips) struct CostTest<'a> {
    /// Estimated time of the stages after the collapse, in seconds of one thread, by the number of edges.
    pub(in crate::rips) seconds: &'a (dyn Fn(usize) -> f64 + Sync),
    /// Whether trying continues although it does not pay yet, if trying all edges is expected to pay. The first edges
    /// tried are the easiest to remove, so this expectation is mostly too optimistic.
    pub(in crate::rips) hopes: bool,
}

impl<'a> CostTest<'a> {
    /// The initial state of the test for `edges` edges in a graph of `bytes` bytes.
    pub(super) fn begin(self, edges: usize, bytes: u64) -> Spending<'a> {
        Spending { test: self, all: edges, edge: edge(bytes), seconds: (self.seconds)(edges), spent: 0.0 }
    }
}

/// Seconds of one thread for each edge tried, in addition to the reads of its search, in a graph of `bytes` bytes.
fn edge(bytes: u64) -> f64 {
    let far = if bytes > CACHED { FAR_MOVE } else { 0.0 };
    let shared = if waiting() > 1.0 { SHARED_MOVE } else { 0.0 };
    SEARCH + (MOVE + far + shared) * waiting()
}

/// Number of threads that wait while one works.
fn waiting() -> f64 {
    rayon::current_num_threads() as f64
}

/// Minimum number of seconds of one thread in which all of `edges` edges are tried, in a graph of `bytes` bytes.
pub(in crate::rips) fn least(edges: usize, bytes: u64) -> f64 {
    let prepared = PREPARED_BYTE * bytes as f64 + PREPARED_EDGE * edges as f64 * waiting();
    prepared + edge(bytes) * edges as f64
}

/// State of the cost test at its last check.
pub(super) struct Spending<'a> {
    test: CostTest<'a>,
    /// Number of edges before the collapse.
    all: usize,
    /// Seconds for an edge in addition to the reads of its search.
    edge: f64,
    seconds: f64,
    spent: f64,
}

impl Spending<'_> {
    /// Whether trying pays: whether it took less time since the last check than it saves later, or, if `hopes` is set,
    /// whether at the rate so far the untried edges would take less time than they save. `edges` is the number of edges
    /// left, `tried` the number tried so far and `work` the reads of all searches so far.
    pub(super) fn goes_on(&mut self, edges: usize, tried: usize, work: u64) -> bool {
        let CostTest { seconds: seconds_of, hopes } = self.test;
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
        // The GPU takes a second whatever the number of edges; the CPU takes less for few edges.
        let seconds = |edges: usize| (edges as f64 * 1e-3).min(1.0);
        for hopes in [false, true] {
            let mut spending = CostTest { seconds: &seconds, hopes }.begin(64_000, 0);
            // Ten of the first thousand edges are left.
            assert_eq!(spending.goes_on(63_010, 1000, 100_000), hopes);
            // All of the next thousand edges are left, so that no gain can be expected any more.
            assert!(!spending.goes_on(63_010, 2000, 200_000));
        }
    }
}
