//! Messages on standard error.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{IsTerminal, Write};
use std::time::Duration;

use clap::builder::Styles;
use clap::builder::styling::{AnsiColor, Style};
use lacuna::rips::edge_collapse::CollapseFigures;
use lacuna::rips::{DimensionStats, Plan, Stats};

use super::progress::{Display, ProgressMode};

/// How much is said on standard error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Notes {
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) progress: ProgressMode,
}

impl Notes {
    /// Prints a line, unless quiet.
    pub(crate) fn note(self, line: impl fmt::Display) {
        if !self.quiet {
            tell(line);
        }
    }

    /// Prints a line that begins with "warning:", unless quiet.
    pub(crate) fn warn(self, line: impl fmt::Display) {
        if !self.quiet {
            tell_as("warning", AnsiColor::Yellow.on_default().bold(), line);
        }
    }

    /// Warns of dimensions of an input whose computation was cut short, if `are_used` says that they matter.
    pub(crate) fn warn_of_unfinished(self, name: &str, dims: &BTreeSet<u32>, are_used: impl Fn(u32) -> bool) {
        for dim in dims.iter().copied().filter(|&dim| are_used(dim)) {
            self.warn(format_args!("{name}: dimension {dim} is unfinished: its run was ended before"));
        }
    }

    /// How progress is displayed.
    pub(crate) fn progress(self) -> Display {
        self.progress.display(self.quiet)
    }

    /// Prints the lines of `-v`: whether the dimension was cut, and the time of each stage.
    pub(crate) fn timings(self, plan: &Plan, stats: &Stats, times: &Times) {
        if !self.verbose {
            return;
        }
        if plan.max_dim < plan.asked_dim {
            let Plan { points, max_dim, asked_dim, .. } = plan;
            tell(format_args!(
                "dimension {asked_dim} asked, {max_dim} computed: {points} points have no more"
            ));
        }
        tell(timing_line("read", times.read.as_secs_f64()));
        tell(timing_line("rank", stats.rank_seconds));
        if let Some(collapse) = &stats.collapse {
            let CollapseFigures { before, after, .. } = collapse.figures;
            let line = timing_line("collapse", collapse.seconds);
            tell(format_args!("{line}, {after} of {} left", counted(before, "edge")));
            if let Some(dim) = collapse.ordered {
                tell(format_args!("{}, to dimension {dim}", timing_line("order", collapse.order_seconds)));
            }
        }
        tell(timing_line("dimension 0", stats.components_seconds));
        for d in &stats.dimensions {
            stages_of(d).for_each(|(stage, seconds)| tell(timing_line(&stage, seconds)));
        }
        tell(timing_line("write", times.write.as_secs_f64()));
        tell(timing_line("total", times.total.as_secs_f64()));
    }
}

/// Times of the stages around the computation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) read: Duration,
    pub(crate) write: Duration,
    pub(crate) total: Duration,
}

impl Times {
    /// The stages of a run with their seconds.
    pub(crate) fn stages(&self, stats: &Stats) -> Vec<(String, f64)> {
        let mut stages =
            vec![("read".to_owned(), self.read.as_secs_f64()), ("rank".to_owned(), stats.rank_seconds)];
        if let Some(collapse) = &stats.collapse {
            stages.push(("collapse".to_owned(), collapse.seconds + collapse.order_seconds));
        }
        stages.push(("dimension 0".to_owned(), stats.components_seconds));
        for d in &stats.dimensions {
            stages.extend(stages_of(d));
        }
        stages.push(("write".to_owned(), self.write.as_secs_f64()));
        stages.push(("total".to_owned(), self.total.as_secs_f64()));
        stages
    }
}

/// The stages of a dimension with their seconds, including those of representatives where there are any.
fn stages_of(stats: &DimensionStats) -> impl Iterator<Item = (String, f64)> {
    let dim = stats.dim;
    let always = [("assembly", stats.assembly_seconds), ("reduction", stats.reduction_seconds)];
    let wanted =
        [("representatives", stats.representatives_seconds), ("tightening", stats.tightening_seconds)];
    let wanted = wanted.into_iter().filter(|&(_, seconds)| seconds > 0.0);
    always
        .into_iter()
        .chain(wanted)
        .map(move |(stage, seconds)| (format!("dimension {dim} {stage}"), seconds))
}

/// A line with a stage and its seconds.
pub(crate) fn timing_line(stage: &str, seconds: f64) -> String {
    format!("{stage:<27} {seconds:>9.3} s")
}

/// A count with its noun, whose plural is regular: `1 bar`, `2 bars`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Prefix of a line printed by another thread while a progress bar may be shown: clears the line of a terminal.
pub(crate) fn over_a_bar() -> &'static str {
    if std::io::stderr().is_terminal() { "\r\x1b[2K" } else { "" }
}

/// Prints a line, even if quiet. A closed standard error is not a failure.
pub(crate) fn tell(line: impl fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{}", printable(&line.to_string()));
}

/// Escapes control characters other than tab and line feed: a file's name or content could otherwise send commands to
/// the terminal.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_order = |letter: char| letter.is_control() && !matches!(letter, '\t' | '\n');
    if !text.contains(is_order) {
        return Cow::Borrowed(text);
    }
    let escaped =
        |letter: char| if is_order(letter) { letter.escape_default().to_string() } else { letter.into() };
    Cow::Owned(text.chars().map(escaped).collect())
}

/// Prints a line that begins with "error:", in the colour of clap's errors.
pub(crate) fn tell_error(line: impl fmt::Display) {
    tell_as("error", *Styles::styled().get_error(), line);
}

/// Prints a line that begins with a styled word. Colours follow the same rules as clap's messages: only on a terminal,
/// unless the environment says otherwise (`NO_COLOR`, `CLICOLOR`, `TERM`).
fn tell_as(word: &str, style: Style, line: impl fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{style}{word}:{style:#} {}", printable(&line.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_to_a_terminal_are_escaped() {
        assert_eq!(printable("a\tb\nµ"), "a\tb\nµ");
        assert_eq!(printable("\x1b[2Jx\r\u{9b}"), "\\u{1b}[2Jx\\r\\u{9b}");
    }
}
