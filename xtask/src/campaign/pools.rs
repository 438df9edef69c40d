//! Thread pools shared by cases, since starting one takes longer than most cases.

use std::cell::OnceCell;

use lacuna::internals::{Level, Ranks, on_ranks};
use rayon::{ThreadPool, ThreadPoolBuilder};

use lacuna::generate::Random;

/// Numbers of threads that cases use.
const THREADS: [usize; 3] = [1, 2, 4];
/// Largest number of ranks that share a case.
const MOST_RANKS: usize = 8;
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

/// Draws a number of ranks.
pub(super) fn draw_ranks(random: &mut Random) -> usize {
    1 + random.below(MOST_RANKS)
}

/// Thread pools of a worker of the campaign, started on first use.
pub(super) struct Pools {
    /// Name of the threads.
    name: String,
    pools: [[OnceCell<ThreadPool>; LEVELS]; THREADS.len()],
    /// Pools of ranks, by level.
    ranks: [[OnceCell<ThreadPool>; MOST_RANKS]; LEVELS],
}

impl Pools {
    /// Makes pools whose threads are called `name`.
    pub(super) fn new(name: &str) -> Self {
        Pools { name: name.to_owned(), pools: Default::default(), ranks: Default::default() }
    }

    /// Runs `work` on a machine.
    pub(super) fn run<T: Send>(&self, machine: Machine, work: impl FnOnce() -> T + Send) -> T {
        let kind = THREADS.iter().position(|&threads| threads == machine.threads).unwrap_or(0);
        let level = machine.level.min(LEVELS - 1);
        self.pools[kind][level].get_or_init(|| self.start(THREADS[kind], level)).install(work)
    }

    /// Runs `work` on ranks that are threads of this process, and returns what each returns. Each rank has the vector
    /// instructions of the machine, and a pool of its own, with one thread or two in turn.
    pub(super) fn on_ranks<T: Send>(
        &self,
        ranks: usize,
        machine: Machine,
        work: impl Fn(&dyn Ranks) -> T + Sync,
    ) -> Vec<T> {
        let level = machine.level.min(LEVELS - 1);
        let pools = self.ranks[level][..ranks].iter().enumerate();
        let pools: Vec<&ThreadPool> =
            pools.map(|(rank, pool)| pool.get_or_init(|| self.start(1 + rank % 2, level))).collect();
        on_ranks(ranks, |ranks| pools[ranks.rank()].install(|| work(ranks)))
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
        let last = levels.len() - 1;
        let found = pools.on_ranks(3, Machine { threads: 4, level: last }, |ranks| {
            (ranks.rank(), ranks.size(), rayon::current_num_threads(), Level::detect())
        });
        assert_eq!(found, [(0, 3, 1, levels[last]), (1, 3, 2, levels[last]), (2, 3, 1, levels[last])]);
    }
}
