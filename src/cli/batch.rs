//! Several inputs of one command: each has its answer in a directory, and one that fails does not stop the others.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use lacuna::progress::{Cost, Expected, Progress};
use serde::Serialize;

use super::directory::files_of;
use super::error::{Blame, CliError, Fault, PathError, UsageError, report};
use super::naming::{OutputFormat, extension_of, format_or};
use super::notes::{Notes, counted};
use super::outputs::{Inputs, differ};
use super::progress::Meter;
use super::sink::{Content, Sink};

/// An input, and the file of its answer.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) input: PathBuf,
    /// What files of it are called in a directory, without their extension.
    pub(crate) name: OsString,
    /// Which of the inputs in this file, 0-based, where it holds several.
    pub(crate) number: Option<usize>,
    /// The file of the answer; standard output when `None`.
    pub(crate) output: Option<PathBuf>,
    /// Which of the tasks of a batch this is, 1-based, and how many there are.
    pub(crate) place: Option<(usize, usize)>,
}

/// The inputs of a run, and where their answers go.
#[derive(Debug)]
pub(crate) struct Tasks {
    pub(crate) tasks: Vec<Task>,
    /// Whether several inputs, or a directory, were named: then an input that fails does not stop the others.
    pub(crate) is_batch: bool,
    /// The files that are read, which must not be written.
    pub(crate) inputs: Inputs,
    notes: Notes,
}

/// The inputs in words, for the error that their answers have no directory.
fn what_there_is(inputs: &[(PathBuf, Option<usize>)]) -> String {
    match inputs {
        [(file, Some(_)), ..] if inputs.iter().all(|(other, _)| other == file) => {
            format!("{}, an array of three axes, holds {}", file.display(), counted(inputs.len(), "input"))
        }
        _ => format!("there are {}", counted(inputs.len(), "input")),
    }
}

/// How many inputs the file at a path holds, if it may hold several; a file that cannot be looked at holds one, whose reader says what is wrong.
pub(crate) type Count<'a> = &'a dyn Fn(&Path) -> Option<usize>;

impl Tasks {
    /// A task for each of `inputs`, of a directory for each of its files, and the format of all answers. Answers go to `output`, a
    /// directory if there are several. It is made if it is not there.
    pub(crate) fn plan<F: OutputFormat>(
        inputs: &[PathBuf],
        output: Option<&Path>,
        format: Option<F>,
        default: F,
        notes: Notes,
    ) -> Result<(Tasks, F), CliError> {
        Tasks::plan_counted(inputs, output, format, default, notes, &|_| None)
    }

    /// Like [`plan`](Tasks::plan), of files of which each may hold several inputs.
    pub(crate) fn plan_counted<F: OutputFormat>(
        inputs: &[PathBuf],
        output: Option<&Path>,
        format: Option<F>,
        default: F,
        notes: Notes,
        count: Count<'_>,
    ) -> Result<(Tasks, F), CliError> {
        let has_several = inputs.len() > 1 || inputs[0].is_dir();
        let inputs = listed(inputs, notes)?;
        let spared = Inputs::of(&inputs);
        let inputs = numbered(inputs, count);
        let is_batch = has_several || inputs.iter().any(|(_, number)| number.is_some());
        let into = output.filter(|path| is_batch || path.is_dir());
        let format = format_or(default, format, output.filter(|_| into.is_none()))?;
        let mut tasks = match into {
            Some(into) => {
                if !into.is_dir() {
                    let failed = |source| PathError::Open { path: into.to_path_buf(), source };
                    fs::create_dir(into).map_err(failed)?;
                }
                beside_each_other(inputs, into, &extension_of(format))?
            }
            None if is_batch => {
                return Err(UsageError::NeedsDirectory { found: what_there_is(&inputs) }.into());
            }
            None => {
                let task = |(input, number): (PathBuf, Option<usize>)| {
                    let (name, output) = (name_of(&input), output.map(Path::to_path_buf));
                    Task { input, name, number, output, place: None }
                };
                inputs.into_iter().map(task).collect()
            }
        };
        let count = tasks.len();
        (1..).zip(&mut tasks).for_each(|(place, task)| task.place = is_batch.then_some((place, count)));
        Ok((Tasks { tasks, is_batch, inputs: spared, notes }, format))
    }

    /// The task of a run on one file.
    pub(crate) fn only(&self) -> Option<&Task> {
        self.tasks.first().filter(|_| !self.is_batch)
    }

    /// Opens the file of the statistics, if they are wanted. It is none of the inputs.
    pub(crate) fn open_stats(&self, path: Option<&Path>) -> Result<Option<Sink>, CliError> {
        self.inputs.spare(path)?;
        Ok(path.map(|path| Sink::open(Some(path), Content::Text)).transpose()?)
    }

    /// Opens the file of a task's answer. It is none of the inputs and not that of the statistics.
    pub(crate) fn open_answer(
        &self,
        task: &Task,
        content: Content,
        stats: Option<&Sink>,
    ) -> Result<Sink, CliError> {
        self.inputs.spare(task.output.as_deref())?;
        let answer = Sink::open(task.output.as_deref(), content)?;
        differ(&answer, stats, "the answer and the statistics")?;
        Ok(answer)
    }

    /// Runs the tasks one after another. In a batch, a failure that concerns one input is reported, and the next task runs.
    pub(crate) fn run<T>(
        &self,
        mut run: impl FnMut(&Task) -> Result<T, CliError>,
    ) -> Result<Ran<T>, CliError> {
        let mut ran = Ran::new(self.tasks.len());
        for task in &self.tasks {
            ran.take(run(task), self.is_batch)?;
        }
        Ok(ran)
    }

    /// Runs the tasks side by side, one on each of `workers` threads. `worker` makes what a thread works with, `run` does a task with it, and
    /// `then` is told of each outcome by the calling thread, in the order of the tasks. Otherwise as [`run`](Tasks::run).
    ///
    /// What `run` calls takes its thread for the only one of its pool: tasks are too small to be shared out.
    pub(crate) fn run_side_by_side<W, A: Send, T>(
        &self,
        workers: usize,
        worker: &(dyn Fn() -> W + Sync),
        run: &(dyn Fn(&mut W, &Task) -> Result<A, CliError> + Sync),
        mut then: impl FnMut(&Task, Result<A, CliError>) -> Result<T, CliError>,
    ) -> Result<Ran<T>, CliError> {
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let meter = Meter::new(self.notes.progress());
        meter.expect(&[Expected { stage: "files", dim: None, cost: Cost::Known(1.0) }]);
        meter.begin("files", None, self.tasks.len() as u64);
        let (sender, outcomes) = mpsc::channel();
        let work = |sender: Sender<(usize, Result<A, CliError>)>| {
            // Kept as long as the thread works. Where there is no such pool, tasks are shared out after all, which is slower.
            let _alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            let mut worker = worker();
            while !is_over.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = self.tasks.get(number) else { return };
                if sender.send((number, run(&mut worker, task))).is_err() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..workers {
                let (work, sender) = (&work, sender.clone());
                // Fewer threads than wanted do as well.
                if thread::Builder::new().spawn_scoped(scope, move || work(sender)).is_err() {
                    break;
                }
            }
            drop(sender);
            let mut ran = Ran::new(self.tasks.len());
            let mut early = BTreeMap::new();
            let mut told = 0;
            for (number, outcome) in &outcomes {
                early.insert(number, outcome);
                meter.advance(1);
                while let Some(outcome) = early.remove(&told) {
                    let taken = meter.aside(|| ran.take(then(&self.tasks[told], outcome), self.is_batch));
                    told += 1;
                    if let Err(error) = taken {
                        is_over.store(true, Ordering::Relaxed);
                        return Err(error);
                    }
                }
            }
            // Only if not a single thread could be started.
            for task in &self.tasks[told..] {
                ran.take(then(task, run(&mut worker(), task)), self.is_batch)?;
            }
            Ok(ran)
        })
    }
}

/// The outcome of all tasks.
#[derive(Debug)]
pub(crate) struct Ran<T> {
    /// What was found in the inputs that did not fail, in their order.
    pub(crate) found: Vec<T>,
    /// The number of inputs that failed.
    pub(crate) failed: usize,
    all: usize,
    /// Whose fault the failures are: the machine's if at least one of them is.
    fault: Fault,
}

impl<T> Ran<T> {
    /// Nothing yet, of so many tasks.
    fn new(all: usize) -> Self {
        Ran { found: Vec::new(), failed: 0, all, fault: Fault::Input }
    }

    /// Takes in the outcome of a task. In a batch, a failure that concerns one input is reported.
    ///
    /// # Errors
    /// The failure of a task after which no other is to run.
    fn take(&mut self, outcome: Result<T, CliError>, is_batch: bool) -> Result<(), CliError> {
        match outcome {
            Ok(found) => self.found.push(found),
            Err(error) if is_batch && error.concerns_one_input() => {
                report(&error);
                self.failed += 1;
                if let CliError::Machine(_) = error {
                    self.fault = Fault::Machine;
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Whether some failed.
    pub(crate) fn has_failures(&self) -> bool {
        self.failed > 0
    }

    /// # Errors
    /// [`Unanswered`]: some failed.
    pub(crate) fn verdict(&self) -> Result<(), CliError> {
        match *self {
            Ran { failed: 0, .. } => Ok(()),
            Ran { failed, all, fault, .. } => Err(Unanswered { failed, all, fault }.into()),
        }
    }
}

/// Writes the statistics, if there is a file for them, and puts that in its place.
pub(crate) fn tell_stats(stats: Option<Sink>, record: &impl Serialize) -> Result<(), CliError> {
    let Some(mut stats) = stats else { return Ok(()) };
    stats.fill_json(record)?;
    stats.commit()
}

/// Some inputs of a batch have no answer.
#[derive(Debug, thiserror::Error)]
#[error("{failed} of {all} inputs have no result")]
struct Unanswered {
    failed: usize,
    all: usize,
    fault: Fault,
}

impl Blame for Unanswered {
    fn fault(&self) -> Fault {
        self.fault
    }
}

/// The inputs, directories replaced by their files.
fn listed(inputs: &[PathBuf], notes: Notes) -> Result<Vec<PathBuf>, CliError> {
    let mut all = Vec::new();
    for path in inputs {
        if path.is_dir() { all.extend(files_of(path, notes)?) } else { all.push(path.clone()) }
    }
    if all.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(UsageError::TwiceStandardInput.into());
    }
    Ok(all)
}

/// The inputs in these files, and their numbers where a file holds several.
fn numbered(files: Vec<PathBuf>, count: Count<'_>) -> Vec<(PathBuf, Option<usize>)> {
    let inputs = files.into_iter().flat_map(|file| {
        let numbers = match count(&file) {
            None => vec![None],
            Some(count) => (0..count).map(Some).collect(),
        };
        numbers.into_iter().map(move |number| (file.clone(), number))
    });
    inputs.collect()
}

/// A task for each input, whose answer is a file of its name, and its number if it has one, in the directory `into`.
fn beside_each_other(
    inputs: Vec<(PathBuf, Option<usize>)>,
    into: &Path,
    extension: &str,
) -> Result<Vec<Task>, UsageError> {
    let mut taken = HashSet::new();
    // As many digits for all numbers, so that names are in the order of the inputs.
    let greatest = inputs.iter().filter_map(|(_, number)| *number).max().unwrap_or(0);
    let digits = greatest.to_string().len();
    let task = |(input, number): (PathBuf, Option<usize>)| {
        let mut name = name_of(&input);
        if let Some(number) = number {
            name.push(format!(".{number:0digits$}"));
        }
        let mut file = name.clone();
        file.push(".");
        file.push(extension);
        let output = into.join(file);
        if !taken.insert(output.clone()) {
            return Err(UsageError::SameOutput { input, output });
        }
        Ok(Task { input, name, number, output: Some(output), place: None })
    };
    inputs.into_iter().map(task).collect()
}

/// The name of an input: standard input has none. A path without one cannot be read either, and its reader says so.
fn name_of(input: &Path) -> OsString {
    match input.file_name() {
        Some(name) if input != Path::new("-") => name.to_owned(),
        _ => "stdin".into(),
    }
}
