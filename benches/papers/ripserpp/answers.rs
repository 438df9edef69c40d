//! Runs of the program on the data sets, each compared with the answer before it counts.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lacuna::internals::Gpu;
use lacuna::rips::{DimensionStats, Stats};
use serde::Deserialize;
use tempfile::TempDir;

use super::sets::{self, Set};
use crate::{Failure, Run, process};

/// Number of measured runs, of which the median counts.
const RUNS: usize = 3;

/// The backend for the data-parallel stages.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Machine {
    Auto,
    Cuda,
    Cpu,
    /// The processor with one thread, like Ripser.
    OneThread,
}

/// The configuration of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Way {
    pub machine: Machine,
    /// Whether apparent pairs are stored, sorted, as in the paper.
    pub is_sorted: bool,
    /// Whether the filtration is the paper's, without enclosing radius and edge collapse.
    pub is_whole: bool,
}

impl Way {
    /// The paper's filtration, with no apparent pairs stored.
    pub fn on(machine: Machine) -> Way {
        Way { machine, is_sorted: false, is_whole: true }
    }

    /// The paper's filtration, with apparent pairs stored.
    pub fn sorted(machine: Machine) -> Way {
        Way { is_sorted: true, ..Way::on(machine) }
    }

    /// Whether a run takes so long that there is only one.
    fn is_slow(self) -> bool {
        self.machine == Machine::OneThread || self.is_sorted && self.machine != Machine::Cuda
    }
}

/// A run that gave the right answer.
pub struct Answer {
    /// Seconds from the program's start to its exit.
    pub seconds: f64,
    /// Peak memory in bytes.
    pub peak: u64,
    /// The backend that the program used, `cpu` or `cuda`.
    pub backend: String,
    /// Seconds to read the file.
    pub read_seconds: f64,
    pub stats: Stats,
}

impl Answer {
    /// The sum over all dimensions.
    pub fn sum(&self, figure: impl Fn(&DimensionStats) -> f64) -> f64 {
        self.stats.dimensions.iter().map(figure).sum()
    }

    /// Numbers of apparent, shortcut, emergent and all pairs; the paper's last column includes essential classes.
    pub fn counts(&self) -> [u64; 4] {
        let sum = |count: fn(&DimensionStats) -> u64| self.stats.dimensions.iter().map(count).sum();
        [sum(|d| d.apparent), sum(|d| d.shortcut), sum(|d| d.emergent), sum(|d| d.pairs + d.essential)]
    }

    /// The parts of the time, in words.
    pub fn parts(&self) -> String {
        let ranked = match &self.backend[..] {
            "cuda" => "until the device is open and the distances ranked",
            _ => "ranking",
        };
        format!(
            "of {}: reading {}, {ranked} {}, construction {}, reduction {}",
            short(self.seconds),
            short(self.read_seconds),
            short(self.stats.rank_seconds),
            short(self.sum(|d| d.assembly_seconds)),
            short(self.sum(|d| d.reduction_seconds))
        )
    }
}

/// A number of seconds in words.
pub fn short(seconds: f64) -> String {
    if seconds < 0.1 { format!("{:.1} ms", 1e3 * seconds) } else { format!("{seconds:.2} s") }
}

/// All runs of one configuration on one set.
pub struct Measured {
    /// The runs that count.
    pub answers: Vec<Answer>,
    /// The greatest decrease of the device's free memory, if a device was used; from a run that does not count for
    /// time if there is one.
    pub device_memory: Option<u64>,
}

impl Measured {
    /// The run of the median time.
    pub fn typical(&self) -> &Answer {
        let mut answers: Vec<&Answer> = self.answers.iter().collect();
        answers.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        answers[answers.len() / 2]
    }

    /// The median of a measurement.
    pub fn median(&self, figure: impl Fn(&Answer) -> f64) -> f64 {
        let mut figures: Vec<f64> = self.answers.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    }
}

/// All runs of the program so far.
pub struct Answers<'a> {
    run: &'a Run,
    program: PathBuf,
    scratch: PathBuf,
    /// The temporary folder, if one was created for the run.
    _made: Option<TempDir>,
    pub sets: Vec<Set>,
    /// A device, if there is one.
    pub device: Option<Gpu>,
    measured: HashMap<(usize, Way), Measured>,
    /// The counts of sets for which no other source exists.
    counts: HashMap<usize, [u64; 4]>,
}

impl<'a> Answers<'a> {
    /// Finds the program, the sets, and a device.
    pub fn new(run: &'a Run) -> Result<Self, Failure> {
        let made = if run.scratch.is_some() { None } else { Some(tempfile::tempdir()?) };
        let own = made.as_ref().map(|made| made.path().to_owned());
        let scratch = run.scratch.clone().or(own).ok_or("no folder for outputs")?;
        fs::create_dir_all(&scratch)?;
        let device = Gpu::open(0, None);
        if let Err(error) = &device {
            eprintln!("Ripser++: the processor alone: {error}");
        }
        Ok(Answers {
            run,
            program: process::lacuna()?,
            sets: sets::all(run, &scratch)?,
            scratch,
            _made: made,
            device: device.ok(),
            measured: HashMap::new(),
            counts: HashMap::new(),
        })
    }

    /// Number of threads of the processor.
    pub fn threads(&self) -> usize {
        self.run.threads
    }

    /// The available backends, the device first.
    pub fn machines(&self) -> Vec<(Machine, &'static str)> {
        let device = self.device.is_some().then_some((Machine::Cuda, "cuda"));
        device.into_iter().chain([(Machine::Cpu, "cpu")]).collect()
    }

    /// The runs of a set in a configuration, which happen on the first request.
    ///
    /// # Errors
    /// A run failed, or gave a wrong answer.
    pub fn of(&mut self, set: usize, way: Way) -> Result<&Measured, Failure> {
        if !self.measured.contains_key(&(set, way)) {
            let is_once = self.run.small || way.is_slow();
            let mut seen = None;
            if way.machine == Machine::Cuda
                && let Some(gpu) = self.device.clone()
            {
                let (answer, fallen) = watched(&gpu, || self.once(set, way))?;
                answer?;
                seen = Some(fallen);
            }
            let runs = if is_once { 1 } else { RUNS };
            let answers = (0..runs).map(|_| self.once(set, way)).collect::<Result<_, _>>()?;
            self.measured.insert((set, way), Measured { answers, device_memory: seen });
        }
        Ok(&self.measured[&(set, way)])
    }

    /// Runs once, and compares the result with the answer.
    fn once(&mut self, number: usize, way: Way) -> Result<Answer, Failure> {
        let set = &self.sets[number];
        let record = self.scratch.join("stats.json");
        let (backend, threads) = match way.machine {
            Machine::Auto => ("auto", self.run.threads),
            Machine::Cuda => ("cuda", self.run.threads),
            Machine::Cpu => ("cpu", self.run.threads),
            Machine::OneThread => ("cpu", 1),
        };
        let mut words: Vec<OsString> = vec!["rips".into(), set.path.clone().into()];
        let mut option = |name: &str, value: OsString| words.extend([name.into(), value]);
        option("--format", set.format.into());
        option("--max-dim", set.max_dim.to_string().into());
        option("--backend", backend.into());
        option("--threads", threads.to_string().into());
        option("--stats", record.clone().into());
        if way.is_whole || set.threshold.is_finite() {
            option("--threshold", set.threshold.to_string().into());
        }
        if way.is_whole {
            option("--collapse", "off".into());
        }
        if way.is_sorted {
            option("--pair-store", "sorted".into());
        }
        let ran = process::run(&self.program, &words, &self.scratch)?;
        set.check(&ran.stdout)?;
        let said = fs::read(&record)?;
        let Record { backend, read_seconds } = serde_json::from_slice(&said)?;
        let stats = serde_json::from_slice(&said)?;
        let answer = Answer { seconds: ran.time.as_secs_f64(), peak: ran.peak, backend, read_seconds, stats };
        if way.machine == Machine::Cuda && answer.backend != "cuda" {
            return Err(format!("{}: asked for cuda, ran on {}", set.name, answer.backend).into());
        }
        if way.is_whole {
            let expected = set.counts().or_else(|| self.counts.get(&number).copied());
            let (name, counts) = (set.name, answer.counts());
            if let Some(expected) = expected.filter(|&expected| expected != counts) {
                return Err(format!("{name}: expected the counts {expected:?}, found {counts:?}").into());
            }
            self.counts.insert(number, counts);
        }
        Ok(answer)
    }
}

/// The part of the program's `--stats` that is not in [`Stats`].
#[derive(Deserialize)]
struct Record {
    backend: String,
    read_seconds: f64,
}

/// Runs some work and measures the greatest decrease of a device's free memory. The device is queried every
/// millisecond.
fn watched<T>(gpu: &Gpu, work: impl FnOnce() -> T) -> Result<(T, u64), Failure> {
    settle(gpu)?;
    let (before, is_done) = (gpu.available()?, AtomicBool::new(false));
    let watch = || -> Result<u64, Failure> {
        let mut least = before;
        while !is_done.load(Ordering::Relaxed) {
            least = least.min(gpu.available()?);
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(before - least)
    };
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| watch().map_err(|error| error.to_string()));
        let done = work();
        is_done.store(true, Ordering::Relaxed);
        let fallen = watching.join().map_err(|_| "the thread that watches the device's memory broke")??;
        Ok((done, fallen))
    })
}

/// Waits until the free memory of a device is stable: the memory of a process is freed a little after its exit.
fn settle(gpu: &Gpu) -> Result<(), Failure> {
    let started = Instant::now();
    let mut free = gpu.available()?;
    while started.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(100));
        let now = gpu.available()?;
        if now == free {
            break;
        }
        free = now;
    }
    Ok(())
}
