//! Displays of a run's progress.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::forecast::Forecast;
use crate::cli::notes::{ProgressMode, tell};

/// The position of a run.
#[derive(Debug, Clone)]
pub(super) struct Where {
    pub(super) stage: &'static str,
    pub(super) dim: Option<usize>,
    /// Units of work in the stage; 1 if they are not counted.
    pub(super) total: u64,
    /// Position within the stage in words, if it is reported so.
    pub(super) step: Option<String>,
    /// The file being processed, if reported.
    pub(super) file: Option<InFile>,
}

/// A file, with its 1-based place in a batch and the size of the batch.
#[derive(Debug, Clone)]
pub(super) struct InFile {
    pub(super) name: String,
    pub(super) place: Option<(usize, usize)>,
}

/// State of a display.
pub(super) enum Shown {
    Bar {
        bar: ProgressBar,
        is_hidden: bool,
    },
    /// Lines of text; the next is due at this second of the run.
    Lines(f64),
    /// JSON objects; the next is due at this second of the run.
    Json(f64),
    /// Nothing is displayed.
    Nowhere,
}

/// Seconds of a run before a bar appears.
const BAR_PATIENCE: f64 = 0.5;
/// Seconds of a run before its first line, so that short runs of scripts print none.
const PLAIN_PATIENCE: f64 = 10.0;
/// Growth factor of the elapsed time from one line to the next.
const PLAIN_GROWTH: f64 = 1.5;
/// Longest time between two lines, in seconds.
const PLAIN_MOST: f64 = 600.0;
/// Seconds between two objects within a stage.
const OBJECT_EVERY: f64 = 0.5;

/// A JSON object of `--progress json`, one a line. The book describes the keys.
#[derive(Debug, Serialize)]
struct Object<'a> {
    stage: &'a str,
    step: Option<&'a str>,
    dimension: Option<usize>,
    done: u64,
    total: Option<u64>,
    rate: Option<f64>,
    seconds_elapsed: f64,
    seconds_left: Option<f64>,
    overall: Option<f64>,
    file: Option<&'a str>,
    file_number: Option<usize>,
    files: Option<usize>,
}

impl Shown {
    /// The display for this run and terminal. A quiet run displays nothing unless `--progress` asks for it.
    pub(super) fn new(mode: ProgressMode, is_quiet: bool) -> Shown {
        match mode {
            ProgressMode::Auto if is_quiet => Shown::Nowhere,
            // A file, or a terminal without cursor movement, shows no bar.
            ProgressMode::Auto | ProgressMode::Bar if !ProgressDrawTarget::stderr().is_hidden() => {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
                Shown::Bar { bar, is_hidden: true }
            }
            ProgressMode::Auto | ProgressMode::Bar | ProgressMode::Plain => Shown::Lines(PLAIN_PATIENCE),
            ProgressMode::Json => Shown::Json(OBJECT_EVERY),
            ProgressMode::None => Shown::Nowhere,
        }
    }

    /// Displays the start of a stage.
    pub(super) fn begin(&mut self, now: f64, at: &Where, forecast: &Forecast) {
        match self {
            Shown::Bar { bar, .. } => {
                bar.set_style(style(at.total));
                bar.set_length(at.total);
                bar.set_position(0);
            }
            Shown::Json(next) => {
                *next = now + OBJECT_EVERY;
                tell_object(now, at, 0, forecast);
            }
            _ => {}
        }
    }

    /// Displays that `done` units of the stage are complete.
    pub(super) fn show(&mut self, now: f64, at: &Where, done: u64, forecast: &Forecast) {
        match self {
            Shown::Bar { bar, is_hidden } => {
                if now >= BAR_PATIENCE && std::mem::take(is_hidden) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                }
                bar.set_message(what(at));
                bar.set_position(done);
                let percent = part(at, done).map_or(String::new(), |percent| format!("{percent:>3} %  "));
                bar.set_prefix(percent + &tail(at, now, forecast));
                bar.tick();
            }
            Shown::Lines(next) if now >= *next => {
                *next = (now * PLAIN_GROWTH).min(now + PLAIN_MOST);
                tell(format_args!("progress: {}, {}", at.told(done), tail(at, now, forecast)));
            }
            Shown::Json(next) if now >= *next => {
                *next = now + OBJECT_EVERY;
                tell_object(now, at, done, forecast);
            }
            _ => {}
        }
    }

    /// Hides the bar while `say` writes to standard error.
    pub(super) fn aside<T>(&self, say: impl FnOnce() -> T) -> T {
        if let Shown::Bar { bar, .. } = self { bar.suspend(say) } else { say() }
    }

    /// Ends the display if it is a bar.
    pub(super) fn hide_bar(&mut self) {
        if let Shown::Bar { bar, .. } = self {
            bar.finish_and_clear();
            *self = Shown::Nowhere;
        }
    }
}

impl Where {
    /// Description of the stage and the percentage done.
    pub(super) fn told(&self, done: u64) -> String {
        let part = part(self, done).map_or(String::new(), |percent| format!(" {percent} %"));
        format!("{}{part}", what(self))
    }
}

/// Description of the stage.
fn what(at: &Where) -> String {
    let mut what = match &at.file {
        Some(InFile { name, place: Some((number, of)) }) => format!("{name} ({number} of {of}), "),
        Some(InFile { name, place: None }) => format!("{name}, "),
        None => String::new(),
    };
    if let Some(dim) = at.dim {
        what += &format!("dimension {dim}, ");
    }
    what += at.stage;
    if let Some(step) = &at.step {
        what += &format!(", {step}");
    }
    what
}

/// Completed percentage of the stage, 0 to 99, if units are counted. 100 is never shown, since the stage is still
/// running.
fn part(at: &Where, done: u64) -> Option<u32> {
    // From 0 to 99.
    (at.total > 1).then(|| (100.0 * done as f64 / at.total as f64).clamp(0.0, 99.0) as u32)
}

/// Rate, elapsed time and remaining time.
fn tail(at: &Where, now: f64, forecast: &Forecast) -> String {
    let rate = forecast.rate().filter(|&rate| at.total > 1 && rate > 0.0);
    let rate = rate.map_or(String::new(), |rate| format!("{}/s, ", short(rate)));
    let left = forecast.left(now).map_or("ETA unknown".to_owned(), |left| format!("{} left", clock(left)));
    format!("{rate}{} elapsed, {left}", clock(now))
}

/// Formats a number in at most four characters and a unit letter.
fn short(number: f64) -> String {
    let units = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")];
    match units.into_iter().find(|&(unit, _)| number >= unit) {
        Some((unit, letter)) if number < 10.0 * unit => format!("{:.1}{letter}", number / unit),
        Some((unit, letter)) => format!("{:.0}{letter}", number / unit),
        None if number < 10.0 => format!("{number:.1}"),
        None => format!("{number:.0}"),
    }
}

/// Formats seconds as minutes and seconds, with hours if there are any.
fn clock(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

fn tell_object(now: f64, at: &Where, done: u64, forecast: &Forecast) {
    let left = forecast.left(now);
    let is_counted = at.total > 1;
    let file = at.file.as_ref();
    let place = file.and_then(|file| file.place);
    let object = Object {
        stage: at.stage,
        step: at.step.as_deref(),
        dimension: at.dim,
        done: if is_counted { done } else { 0 },
        total: is_counted.then_some(at.total),
        rate: forecast.rate(),
        seconds_elapsed: now,
        seconds_left: left,
        overall: left.map(|left| now / (now + left).max(f64::MIN_POSITIVE)),
        file: file.map(|file| file.name.as_str()),
        file_number: place.map(|place| place.0),
        files: place.map(|place| place.1),
    };
    // Serialising such an object does not fail.
    if let Ok(line) = serde_json::to_string(&object) {
        tell(line);
    }
}

/// Templates of the bar, for stages with and without counted units.
const COUNTED: &str = "{msg:32} [{bar:32}] {prefix}";
const UNCOUNTED: &str = "{msg:32} {spinner}  {prefix}";

fn style(total: u64) -> ProgressStyle {
    let template = if total > 1 { COUNTED } else { UNCOUNTED };
    // Both templates are valid, as a test checks.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_templates_are_valid() {
        for template in [COUNTED, UNCOUNTED] {
            assert!(ProgressStyle::with_template(template).is_ok());
        }
    }

    #[test]
    fn numbers_and_times_are_short() {
        let numbers = [0.25, 7.0, 12.4, 999.0, 1234.0, 45_678.0, 2.5e6, 7e9, 12e12].map(short);
        assert_eq!(numbers, ["0.2", "7.0", "12", "999", "1.2 k", "46 k", "2.5 M", "7.0 G", "12 T"]);
        assert_eq!(
            [0.4, 59.6, 61.0, 3599.0, 7384.0].map(clock),
            ["0:00", "1:00", "1:01", "59:59", "2:03:04"]
        );
    }

    #[test]
    fn a_line_says_the_stage_and_that_nothing_is_known() {
        let mut at = Where { stage: "assembly", dim: Some(2), total: 200, step: None, file: None };
        assert_eq!(what(&at), "dimension 2, assembly");
        assert_eq!(part(&at, 50), Some(25));
        // Never 100 before the stage is over, not even by rounding.
        assert_eq!([1, 198, 199, 200, 300].map(|done| part(&at, done)), [0, 99, 99, 99, 99].map(Some));
        assert_eq!(tail(&at, 75.0, &Forecast::default()), "1:15 elapsed, ETA unknown");
        at.file = Some(InFile { name: "a.nii".to_owned(), place: Some((2, 5)) });
        at = Where { stage: "thinning", dim: None, total: 1, step: Some("iteration 7".to_owned()), ..at };
        assert_eq!(what(&at), "a.nii (2 of 5), thinning, iteration 7");
        assert_eq!(part(&at, 0), None);
    }

    #[test]
    fn nothing_is_shown_by_a_quiet_run_unless_asked_for() {
        assert!(matches!(Shown::new(ProgressMode::Auto, true), Shown::Nowhere));
        assert!(matches!(Shown::new(ProgressMode::Json, true), Shown::Json { .. }));
        assert!(matches!(Shown::new(ProgressMode::Plain, false), Shown::Lines { .. }));
        assert!(matches!(Shown::new(ProgressMode::None, false), Shown::Nowhere));
    }
}
