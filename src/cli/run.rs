//! The run of a command whose state can be saved, on one input or on a batch: its outputs, its checkpoint, and the loop
//! over its inputs.

use std::collections::BTreeMap;
use std::fs;
use std::iter;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Instant;

use clap::ArgMatches;
use hashbrown::HashMap;
use lacuna::internals::{Alone, Portions};
use lacuna::plot::{PlotKind, Series};
use lacuna::progress::{Cost, Expected, Progress};
use lacuna::snapshot::{Fingerprint, Part};
use rayon::ThreadPool;

use super::arguments::bars::Drawing;
use super::arguments::picture::PictureFileArguments;
use super::arguments::run::RunArguments;
use super::batch::{Task, Tasks};
use super::error::{CliError, Result, ended, usage};
use super::frame::{Done, Frame, InBatch, Message, tell_detected};
use super::input_identity;
use super::locked;
use super::long_run::{LongRun, fingerprint};
use super::notes::{Notes, counted, tell};
use super::outputs::{Files, Outputs};
use super::pictures::Pictures;
use super::progress::Meter;
use super::ranks::{self, ranks};
use super::record::Record;
use super::sink::{Content, Sink};
use super::threads::{by_variable, work_alone};

/// Settings of a command's runs.
pub(crate) struct Setup<'a> {
    pub(crate) command: &'static str,
    /// The command's word for its inputs, in the plural.
    pub(crate) inputs: &'static str,
    /// The options as they were given.
    pub(crate) given: &'a ArgMatches,
    pub(crate) arguments: &'a RunArguments,
    pub(crate) picture: &'a PictureFileArguments,
    pub(crate) plot_kind: PlotKind,
    /// Content of the answers.
    pub(crate) content: Content,
    /// The drawing of cycles, if requested.
    pub(crate) drawing: Option<Drawing<'a>>,
    /// The mask of all inputs, if there is one. A checkpoint knows it by its content.
    pub(crate) mask: Option<&'a Path>,
    /// Whether an input may be processed by one thread, if it turns out to be light.
    pub(crate) may_be_light: bool,
    /// Whether several ranks share a single input.
    pub(crate) is_shared: bool,
    /// Whether each rank may have a device for it.
    pub(crate) is_for_devices: bool,
    /// Whether rank 0 alone has the state of an input that ranks share, so that it can be saved.
    pub(crate) is_kept_by_root: bool,
    /// Whether inputs are streamed: in a batch, the state of an input is saved too, and the statistics of one input are
    /// those of a batch of one.
    pub(crate) is_streamed: bool,
}

impl<'a> Setup<'a> {
    /// Settings that most runs have in common: text without drawings, of inputs that are neither light nor streamed.
    pub(crate) fn new(
        command: &'static str,
        given: &'a ArgMatches,
        arguments: &'a RunArguments,
        picture: &'a PictureFileArguments,
    ) -> Self {
        Setup {
            command,
            inputs: "inputs",
            given,
            arguments,
            picture,
            plot_kind: PlotKind::Ecc,
            content: Content::Text,
            drawing: None,
            mask: None,
            may_be_light: false,
            is_shared: false,
            is_for_devices: false,
            is_kept_by_root: false,
            is_streamed: false,
        }
    }
}

/// A run, ready to work on its inputs.
pub(crate) struct Run<'a> {
    pub(crate) tasks: Tasks,
    setup: Setup<'a>,
    notes: Notes,
    start: Instant,
    /// Statistics of the whole run, if they are not those of its only input.
    stats: Option<Sink>,
    pictures: Pictures<'a>,
    long: LongRun,
    /// The formats of inputs that have been reported.
    detected: Mutex<Vec<String>>,
    /// The pool of the current thread alone, if the only input may be light.
    alone: Option<ThreadPool>,
}

/// The work on an input.
pub(crate) type Work<'w> = Box<dyn FnMut(&Run<'_>, &Task, &mut Frame<'_>) -> Result<()> + 'w>;

/// Makes the work of each of a number of threads that work side by side; of a single one that has all threads.
pub(crate) type Worker<'w> = &'w (dyn Fn(usize) -> Work<'w> + Sync);

/// Largest input, in bytes, that is processed by a single thread.
pub(crate) const SMALL: u64 = 256 << 10;

impl<'a> Run<'a> {
    /// Opens the outputs of the whole run and its checkpoint, leaves out the inputs that already have answers, and
    /// starts the threads.
    pub(crate) fn open(start: Instant, tasks: Tasks, setup: Setup<'a>) -> Result<Self> {
        let (arguments, is_batch) = (setup.arguments, tasks.is_batch);
        let notes = arguments.report.notes;
        if setup.drawing.is_some() && is_batch {
            return Err(usage("--geometry: expected one input, found several"));
        }
        let is_kept = arguments.checkpoint.is_asked_for();
        ranks::agree(&tasks.tasks)?;
        // Each process has inputs of a batch, unless one has the state of all, or may have a device for a part of one.
        let has_each_its_own = if is_batch { !is_kept } else { setup.is_for_devices };
        if !has_each_its_own {
            ranks::join(Some(notes))?;
        }
        if ranks::are_several() && !is_batch && !setup.is_shared {
            return Err(ranks::not_shared());
        }
        if ranks::are_several() && is_kept && (is_batch || !setup.is_kept_by_root) {
            return Err(usage(
                "--checkpoint: expected one process, found several, whose state cannot be saved yet",
            ));
        }
        let stats = arguments.report.stats.as_deref().filter(|_| is_batch || setup.is_streamed);
        tasks.inputs.spare(stats)?;
        let stats = stats.filter(|_| ranks::is_root());
        let stats = stats.map(|path| Sink::open(Some(path), Content::Text)).transpose()?;
        let file = stats.as_ref().and_then(Sink::file);
        let pictures = Pictures::open(setup.picture, setup.plot_kind, &tasks, file)?;
        if (is_kept || ranks::are_several()) && pictures.are_together() {
            let who = if is_kept { "--checkpoint" } else { "several processes" };
            return Err(usage(format_args!(
                "{who}: expected a directory for --plot, with one picture per input, found a file for one \
                 picture of all"
            )));
        }
        let of_batch = if is_batch { format!(" of several {}", setup.inputs) } else { String::new() };
        let known = match is_kept {
            true => fingerprint(setup.command, &of_batch, setup.given),
            false => Fingerprint::new(setup.command),
        };
        let known = match setup.mask.filter(|_| is_kept) {
            Some(mask) => known.with("mask", input_identity::of_bytes(mask)?),
            None => known,
        };
        let long = LongRun::open(&arguments.checkpoint, known, notes)?;
        let detected = Mutex::default();
        let mut run = Run { tasks, setup, notes, start, stats, pictures, long, detected, alone: None };
        if is_batch {
            run.long.begin(None)?;
            run.long.leave_out(&mut run.tasks)?;
        }
        let is_told = arguments.machine.threads.are_asked_for() || by_variable().is_some();
        if run.setup.may_be_light && !ranks::are_several() && !is_batch && !is_told && run.are_small(SMALL) {
            run.alone = Some(work_alone()?);
        } else {
            arguments.machine.threads.start(notes)?;
        }
        Ok(run)
    }

    /// Compares the only input with that of the checkpoint, if there is one. The inputs of a batch are known one by
    /// one.
    pub(crate) fn begin(&self, identity: &dyn Fn() -> Result<String>) -> Result<()> {
        if self.tasks.is_batch { Ok(()) } else { self.long.begin(Some(identity)) }
    }

    /// Whether the current thread works on the only input, and others are started if there turns out to be much to do.
    pub(crate) fn is_light(&self) -> bool {
        self.alone.is_some()
    }

    /// Whether all inputs are files of at most `small` bytes an input, and none is for a device.
    fn are_small(&self, small: u64) -> bool {
        let mut inputs_of: HashMap<&Path, u64> = HashMap::new();
        self.tasks.tasks.iter().for_each(|task| *inputs_of.entry(&task.input).or_default() += 1);
        let is_small = |(file, inputs): (&&Path, &u64)| {
            fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() / inputs <= small)
        };
        !self.setup.arguments.machine.insist_on_gpu() && inputs_of.iter().all(is_small)
    }

    /// Number of inputs for each rank, which takes them as it gets ready.
    pub(crate) fn share(&self) -> usize {
        self.tasks.tasks.len().div_ceil(ranks().size())
    }

    /// Number of inputs to process side by side, one a thread: more than one only if all have at most `small` bytes.
    pub(crate) fn workers(&self, small: u64) -> usize {
        if self.are_small(small) { rayon::current_num_threads().min(self.share()) } else { 1 }
    }

    /// Works on all inputs, `workers` side by side if there are more than one, and writes the statistics, to which
    /// `sum` adds. In a batch, a failure that concerns one input is reported, and the others go on.
    ///
    /// # Errors
    /// At least one input failed, or the run was asked to end.
    pub(crate) fn each(
        self,
        workers: usize,
        worker: Worker<'_>,
        sum: impl FnOnce(&mut Record, &[Record]),
    ) -> Result<()> {
        let (mut ran, mut done) = (Ran::default(), Ok(()));
        // An input that is alone is all ranks'.
        let processes = if self.tasks.is_batch { ranks() } else { &Alone };
        processes.deal(&mut |take| {
            let portions = Portions::new(self.tasks.tasks.len(), processes.size(), take);
            done = if workers > 1 {
                self.side_by_side(workers, worker, &portions, &mut ran)
            } else {
                self.one_by_one(&mut worker(1), &portions, &mut ran)
            };
            if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if (done.is_err() || ran.failed() > 0) && self.tasks.is_batch {
            self.long.save();
        }
        done?;
        let ran = if self.tasks.is_batch { ran.of_all()? } else { ran };
        // What follows is said and written once.
        if ranks::is_root() { self.finish(ran, sum) } else { Ok(()) }
    }

    /// Works on an input, with all threads if `is_alone`, and commits its outputs.
    fn one(&self, task: &Task, work: &mut Work<'_>, is_alone: bool) -> Result<Done> {
        let is_batch = self.tasks.is_batch;
        let start = if is_batch { Instant::now() } else { self.start };
        let (picture, page) = self.pictures.of(task);
        let files = Files {
            answer: task.output.as_deref(),
            content: self.setup.content,
            stats: self.setup.arguments.report.stats.as_deref().filter(|_| self.stats.is_none()),
            stats_of_run: self.stats.as_ref().and_then(Sink::file),
            drawing: self.setup.drawing,
            graph: None,
            picture,
            page,
        };
        // Of an input that ranks share, rank 0 writes the answer.
        let files = if is_batch || ranks::is_root() { files } else { Files::default() };
        let outputs = Outputs::open(files, &self.tasks.inputs)?;
        let (name, path) = (task.label(), task.input.display().to_string());
        let file = if task.number.is_some() { name.clone() } else { path };
        let meter = if is_alone { Meter::new(self.notes) } else { Meter::silent() };
        let mut frame = Frame::of(start, name, file, outputs, self.notes, meter);
        let (checkpoint, part);
        if !is_batch {
            frame.checkpoint = self.long.checkpoint();
        } else if self.setup.is_streamed
            && is_alone
            && let Some(known) = self.long.prefix(task)
        {
            part = known;
            checkpoint = Part { checkpoint: self.long.checkpoint(), prefix: &part };
            frame.checkpoint = &checkpoint;
        }
        if is_batch || self.setup.is_streamed {
            frame.meter.file(frame.name.clone(), task.place);
        }
        if is_batch {
            let (detected, messages) = (&self.detected, (!is_alone).then(Vec::new));
            let keeps_series = self.pictures.are_together();
            frame.batch = Some(InBatch { detected, messages, keeps_series });
        }
        let before = self.long.before(task);
        work(self, task, &mut frame)?;
        let is_unfinished = frame.is_unfinished;
        let done = frame.finish()?;
        if is_unfinished {
            return Err(ended());
        }
        if self.tasks.is_batch {
            self.long.take(task, before);
        }
        Ok(done)
    }

    /// Adds the outcome of the input with this number. In a batch, a failure that concerns one input is reported.
    ///
    /// # Errors
    /// The failure of an input that ends the whole run.
    fn take(&self, ran: &mut Ran, number: usize, outcome: Result<Done>) -> Result<()> {
        match outcome {
            Ok(Done { record, messages, series }) => {
                for message in messages {
                    match message {
                        Message::Line(line) => tell(line),
                        Message::Detected(name, found) => {
                            tell_detected(self.notes, &self.detected, &name, found);
                        }
                    }
                }
                ran.records.push((number, Some(record)));
                ran.series.extend(series);
            }
            Err(error) if self.tasks.is_batch && error.concerns_one_input() => {
                error.report();
                ran.records.push((number, None));
                ran.is_of_system |= error.is_of_system();
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Works on the inputs that are left, one after the other.
    fn one_by_one(&self, work: &mut Work<'_>, portions: &Portions<'_>, ran: &mut Ran) -> Result<()> {
        iter::from_fn(|| portions.next())
            .try_for_each(|number| self.take(ran, number, self.one(&self.tasks.tasks[number], work, true)))
    }

    /// Works on inputs in parallel, on one with each of `workers` threads. Outcomes are taken in the order of the
    /// inputs.
    ///
    /// Within the work, rayon sees a pool of the current thread only: the inputs are too small to be split.
    fn side_by_side(
        &self,
        workers: usize,
        worker: Worker<'_>,
        portions: &Portions<'_>,
        ran: &mut Ran,
    ) -> Result<()> {
        let (tasks, begun, is_over) = (&self.tasks.tasks, Mutex::new(0), AtomicBool::new(false));
        // How many have begun before, and the next.
        let next = || {
            let mut begun = locked(&begun);
            let number = portions.next()?;
            *begun += 1;
            Some((*begun - 1, number))
        };
        let meter = Meter::new(self.notes);
        meter.expect(&[Expected::of("files", Cost::Known(1.0))]);
        meter.begin("files", None, self.share() as u64);
        let (sender, outcomes) = mpsc::channel();
        let work = |sender: Sender<(usize, usize, Result<Done>)>| {
            // The pool lives as long as the worker. If it cannot be made, inputs are split after all, which is slower
            // but correct.
            let _alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            let mut work = worker(workers);
            while !is_over.load(Ordering::Relaxed) {
                let Some((place, number)) = next() else { return };
                if sender.send((place, number, self.one(&tasks[number], &mut work, false))).is_err() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..workers {
                let (work, sender) = (&work, sender.clone());
                // Fewer threads than requested are enough.
                if thread::Builder::new().spawn_scoped(scope, move || work(sender)).is_err() {
                    break;
                }
            }
            drop(sender);
            let mut with_all = worker(1);
            let (mut early, mut told) = (BTreeMap::new(), 0);
            for (place, number, outcome) in &outcomes {
                early.insert(place, (number, outcome));
                meter.advance(1);
                while let Some((number, outcome)) = early.remove(&told) {
                    let taken = meter.aside(|| {
                        // It may have failed for its small share of memory: retry with all of it.
                        let is_of_share = |e: &CliError| e.is_of_system() && e.concerns_one_input();
                        let outcome = match outcome {
                            Err(error) if is_of_share(&error) => {
                                self.one(&tasks[number], &mut with_all, true)
                            }
                            outcome => outcome,
                        };
                        self.take(ran, number, outcome)
                    });
                    told += 1;
                    if let Err(error) = taken {
                        is_over.store(true, Ordering::Relaxed);
                        return Err(error);
                    }
                }
            }
            // Reached only if no thread could be started.
            self.one_by_one(&mut with_all, portions, ran)
        })
    }

    /// Ends a run: commits the picture of all inputs and the statistics, and removes the checkpoint.
    fn finish(self, ran: Ran, sum: impl FnOnce(&mut Record, &[Record])) -> Result<()> {
        let Run { tasks, setup, notes, start, stats, pictures, long, .. } = self;
        pictures.finish(&ran.series)?;
        let failed = ran.failed();
        let records: Vec<Record> = ran.records.into_iter().filter_map(|(_, record)| record).collect();
        let mut record = Record::new();
        ranks::fill(&mut record);
        record.set_all(setup.inputs, &records);
        record.set("failed", failed);
        sum(&mut record, &records);
        record.time("total", start.elapsed());
        if notes.verbose && tasks.is_batch {
            tell(counted(records.len(), setup.inputs.trim_end_matches('s')));
            record.lines().for_each(tell);
        }
        if let Some(mut stats) = stats {
            stats.fill(|out| writeln!(out, "{}", record.json()))?;
            stats.commit()?;
        }
        if failed > 0 {
            return Err(CliError::unanswered(failed, tasks.tasks.len(), ran.is_of_system));
        }
        long.finish();
        Ok(())
    }
}

/// The outcomes of the inputs so far.
#[derive(Default)]
struct Ran {
    /// Number and statistics of each input, in their order; `None` of those that failed.
    records: Vec<(usize, Option<Record>)>,
    series: Vec<Series>,
    /// Whether the system is the cause of at least one failure.
    is_of_system: bool,
}

impl Ran {
    /// The number of inputs that failed.
    fn failed(&self) -> usize {
        self.records.iter().filter(|(_, record)| record.is_none()).count()
    }

    /// The outcomes of all ranks for a batch. Ranks other than 0 are left without.
    fn of_all(self) -> Result<Ran> {
        if !ranks::are_several() {
            return Ok(self);
        }
        let sent =
            serde_json::to_vec(&(self.records, self.is_of_system)).expect("statistics are text and numbers");
        let what = "cannot gather the statistics of all ranks";
        let mut all = Ran::default();
        for told in ranks().gather(sent).map_err(|error| CliError::system(what, &error))? {
            if ranks::is_root() {
                let told = serde_json::from_slice::<(Vec<_>, bool)>(&told);
                let (records, is_of_system) = told.map_err(|error| CliError::system(what, &error))?;
                all.records.extend(records);
                all.is_of_system |= is_of_system;
            }
        }
        all.records.sort_by_key(|(number, _)| *number);
        Ok(all)
    }
}
