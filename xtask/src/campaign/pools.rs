//! Thread pools shared by cases, since starting one takes longer than most cases.

use std::cell::OnceCell;

use lacuna::internals::Level;
use rayon::{ThreadPool, ThreadPoolBuilder};

use lacuna::generate::Random;

/// Numbers of threads that cases use.
const THREADS: [usize; 3] = [1, 2, 4];
/// Number of levels of vector instructions; a machine with fewer uses its last one for the rest.
const LEVELS: usize = 3;

/// Execution environment of a case: number of threads and vector instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Machine {
    /// The number of threads.
    pub(super) threads: usize,
    /// Index of the level of vector instructions of this machine, the best first.
    pub(super) level: usize,
}

impl Machine {
    /// One thread, the best vector instructions.
    pub(super) const PLAINEST: Machine = Machine { threads: 1, level: 0 };

    /// Draws a machine.
    pub(super) fn draw(random: &mut Random) -> Machine {
        Machine { threads: random.pick(&THREADS), level: random.below(LEVELS) }
    }

    /// The simpler machines.
    pub(super) fn smaller(self) -> Vec<Machine> {
        let all = [Machine::PLAINEST, Machine { threads: 1, ..self }, Machine { level: 0, ..self }];
        all.into_iter().filter(|&machine| machine != self).collect()
    }
}

/// Thread pools of a worker of the campaign, started on first use.
pub(super) struct Pools {
    /// Name of the threads.
    name: String,
    pools: [[OnceCell<ThreadPool>; LEVELS]; THREADS.len()],
}

impl Pools {
    /// Makes pools whose threads are called `name`.
    pub(super) fn new(name: &str) -> Self {
        Pools { name: name.to_owned(), pools: Default::default() }
    }

    /// Runs `work` on a machine.
    pub(super) fn run<T: Send>(&self, machine: Machine, work: impl FnOnce() -> T + Send) -> T {
        let kind = THREADS.iter().position(|&threads| threads == machine.threads).unwrap_or(0);
        let level = machine.level.min(LEVELS - 1);
        self.pools[kind][level].get_or_init(|| self.start(THREADS[kind], level)).install(work)
    }

    fn start(&self, threads: usize, level: usize) -> ThreadPool {
        let levels = Level::available();
        let level = levels[level.min(levels.len() - 1)];
        let name = self.name.clone();
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(move |_| name.clone())
            .start_handler(move |_| level.bind_thread());
        pool.build().unwrap_or_else(|error| panic!("expected {threads} threads to start, found: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_its_threads_and_its_level() {
        let pools = Pools::new("test");
        let levels = Level::available();
        for threads in THREADS {
            for level in 0..LEVELS {
                let found =
                    pools.run(Machine { threads, level }, || (rayon::current_num_threads(), Level::detect()));
                assert_eq!(found, (threads, levels[level.min(levels.len() - 1)]));
            }
        }
        assert_eq!(Level::detect(), levels[0]);
    }
}
