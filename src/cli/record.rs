//! Statistics of a run: the JSON object of `--stats`, and the stages with their times, which `-v` and the page of
//! `--report` list too.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use lacuna::report::Report;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Version of the program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Statistics of a run or of one input, in the order in which they are known.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Keys and their values in JSON.
    fields: Vec<(Cow<'static, str>, String)>,
    stages: Vec<Stage>,
}

/// Result of `work` and the time that it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (work(), start.elapsed())
}

/// A stage with its time.
#[derive(Debug, Serialize, Deserialize)]
struct Stage {
    name: String,
    seconds: f64,
    /// Further words about it, for `-v`.
    words: String,
    /// Whether it is a key of the JSON object: `NAME_seconds`.
    is_field: bool,
}

impl Record {
    /// Statistics that begin with the version of the program.
    pub(crate) fn new() -> Self {
        let mut record = Record::default();
        record.set("version", VERSION);
        record
    }

    /// Adds a key.
    pub(crate) fn set(&mut self, key: &'static str, value: impl Serialize) -> &mut Self {
        let value = serde_json::to_string_pretty(&value).expect("keys of statistics are text");
        self.fields.push((key.into(), value));
        self
    }

    /// The value of a key, if it is there and of this type.
    pub(crate) fn get<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let (_, value) = self.fields.iter().find(|(found, _)| found == key)?;
        serde_json::from_str(value).ok()
    }

    /// Adds the statistics of several inputs.
    pub(crate) fn set_all(&mut self, key: &'static str, records: &[Record]) {
        let records: Vec<String> = records.iter().map(Record::json).collect();
        let inner = records.join(",\n").replace('\n', "\n  ");
        self.fields.push((
            key.into(),
            if records.is_empty() { "[]".to_owned() } else { format!("[\n  {inner}\n]") },
        ));
    }

    /// Adds the time of a stage, also as a key. The times of stages of one name add up.
    pub(crate) fn time(&mut self, stage: &str, took: Duration) {
        match self.stages.iter_mut().find(|before| before.name == stage) {
            Some(before) => before.seconds += took.as_secs_f64(),
            None => self.stages.push(Stage {
                name: stage.to_owned(),
                seconds: took.as_secs_f64(),
                words: String::new(),
                is_field: true,
            }),
        }
    }

    /// Runs a stage, whose time is added as [`time`](Self::time) does.
    pub(crate) fn timed<T>(&mut self, stage: &str, work: impl FnOnce() -> T) -> T {
        let (done, took) = timed(work);
        self.time(stage, took);
        done
    }

    /// Adds words about a stage to its line of `-v`.
    pub(crate) fn comment(&mut self, stage: &str, words: String) {
        self.stages
            .iter_mut()
            .filter(|found| found.name == stage)
            .for_each(|found| found.words.clone_from(&words));
    }

    /// Adds the time of a stage that is not a key, or is one within another. A part of another stage begins with a blank.
    pub(crate) fn stage(&mut self, name: impl Into<String>, seconds: f64, words: impl Into<String>) {
        self.stages.push(Stage { name: name.into(), seconds, words: words.into(), is_field: false });
    }

    /// The stages of a reduction or a gradient, as parts of another.
    pub(crate) fn parts(&mut self, stages: &[(Cow<'static, str>, f64)]) {
        stages.iter().for_each(|(stage, seconds)| self.stage(format!("  {stage}"), *seconds, ""));
    }

    /// Seconds of a stage; 0 if there was none.
    pub(crate) fn seconds(&self, stage: &str) -> f64 {
        self.stages.iter().find(|found| found.name == stage).map_or(0.0, |found| found.seconds)
    }

    /// The JSON object.
    pub(crate) fn json(&self) -> String {
        let times = self.stages.iter().filter(|stage| stage.is_field);
        let times = times.map(|stage| (format!("{}_seconds", stage.name), format!("{:?}", stage.seconds)));
        let fields = self.fields.iter().map(|(key, value)| (key.to_string(), value.clone())).chain(times);
        let lines: Vec<String> = fields.map(|(key, value)| format!("\"{key}\": {value}")).collect();
        format!("{{\n  {}\n}}", lines.join(",\n").replace('\n', "\n  "))
    }

    /// The lines of `-v`: a stage and its seconds each.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let line = |Stage { name, seconds, words, .. }: &Stage| format!("{name:<27} {seconds:>9.3} s{words}");
        self.stages.iter().map(line)
    }

    /// Adds the stages to a page, without their parts.
    pub(crate) fn describe(&self, report: &mut Report) {
        for Stage { name, seconds, .. } in self.stages.iter().filter(|stage| !stage.name.starts_with(' ')) {
            report.stage(name, *seconds);
        }
    }
}
