//! Runs of the program on the data sets, each compared with the answer before anything of it counts.

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

/// Measured runs of which the median counts.
const RUNS: usize = 3;

/// What runs the program's regular work.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Machine {
    Auto,
    Cuda,
    Cpu,
    /// The processor with one thread, as Ripser has.
    OneThread,
}

/// How the program is run.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Way {
    pub machine: Machine,
    /// Whether apparent pairs are kept, sorted, as the paper does.
    pub is_sorted: bool,
    /// Whether the filtration is the paper's: no enclosing radius, and no edge collapse.
    pub is_whole: bool,
}

impl Way {
    /// The paper's filtration, nothing kept of the apparent pairs.
    pub fn on(machine: Machine) -> Way {
        Way { machine, is_sorted: false, is_whole: true }
    }

    /// The same, apparent pairs kept.
    pub fn sorted(machine: Machine) -> Way {
        Way { is_sorted: true, ..Way::on(machine) }
    }

    /// Whether it takes so long that it is run once.
    fn is_slow(self) -> bool {
        self.machine == Machine::OneThread || self.is_sorted && self.machine != Machine::Cuda
    }
}

/// A run that gave the right answer.
pub struct Answer {
    /// Seconds from the program's start to its exit.
    pub seconds: f64,
    /// Bytes of memory at its peak.
    pub peak: u64,
    /// `cpu` or `cuda`, whichever the program took.
    pub backend: String,
    /// Seconds of reading the file.
    pub read_seconds: f64,
    pub stats: Stats,
}

impl Answer {
    /// Sums over the dimensions.
    pub fn sum(&self, figure: impl Fn(&DimensionStats) -> f64) -> f64 {
        self.stats.dimensions.iter().map(figure).sum()
    }

    /// Apparent, shortcut, emergent and all pairs; the paper's last column counts essential classes too.
    pub fn counts(&self) -> [u64; 4] {
        let sum = |count: fn(&DimensionStats) -> u64| self.stats.dimensions.iter().map(count).sum();
        [sum(|d| d.apparent), sum(|d| d.shortcut), sum(|d| d.emergent), sum(|d| d.pairs + d.essential)]
    }

    /// What the time went to.
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

/// All runs of one way on one set.
pub struct Measured {
    /// The runs that count.
    pub answers: Vec<Answer>,
    /// How far the free memory of the device fell, if one was used: seen in a run that does not count where there is one.
    pub device_memory: Option<u64>,
}

impl Measured {
    /// The run of the median time.
    pub fn typical(&self) -> &Answer {
        let mut answers: Vec<&Answer> = self.answers.iter().collect();
        answers.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        answers[answers.len() / 2]
    }

    /// The median of a figure.
    pub fn median(&self, figure: impl Fn(&Answer) -> f64) -> f64 {
        let mut figures: Vec<f64> = self.answers.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    }
}

/// Whatever the program was run on so far.
pub struct Answers<'a> {
    run: &'a Run,
    program: PathBuf,
    scratch: PathBuf,
    /// Deletes a folder that was made for the run.
    _made: Option<TempDir>,
    pub sets: Vec<Set>,
    /// A device, if there is one.
    pub device: Option<Gpu>,
    measured: HashMap<(usize, Way), Measured>,
    /// The counts of sets of which nobody else says them.
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

    /// Threads of the processor.
    pub fn threads(&self) -> usize {
        self.run.threads
    }

    /// The machines that there are, the device first.
    pub fn machines(&self) -> Vec<(Machine, &'static str)> {
        let device = self.device.is_some().then_some((Machine::Cuda, "cuda"));
        device.into_iter().chain([(Machine::Cpu, "cpu")]).collect()
    }

    /// The runs of a set in some way; they are made when they are asked for first.
    ///
    /// # Errors
    /// A run fails, or gives a wrong answer.
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

    /// One run, compared with the answer.
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

/// What the program says of itself with `--stats`, besides the figures of [`Stats`].
#[derive(Deserialize)]
struct Record {
    backend: String,
    read_seconds: f64,
}

/// Does some work, and says how far the free memory of a device fell meanwhile. The device is asked every millisecond.
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

/// Waits until the free memory of a device stays what it is: what a process held comes back a little after its end.
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
