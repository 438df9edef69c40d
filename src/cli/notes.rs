//! What is said on standard error along the way.

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

/// How talkative the program is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Notes {
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) progress: ProgressMode,
}

impl Notes {
    /// Says a line, unless told to be quiet.
    pub(crate) fn note(self, line: impl fmt::Display) {
        if !self.quiet {
            tell(line);
        }
    }

    /// Says a line that begins with "warning:", unless told to be quiet.
    pub(crate) fn warn(self, line: impl fmt::Display) {
        if !self.quiet {
            tell_as("warning", AnsiColor::Yellow.on_default().bold(), line);
        }
    }

    /// Warns of dimensions that the run of an input was to find and did not, of those that `are_used`.
    pub(crate) fn warn_of_unfinished(self, name: &str, dims: &BTreeSet<u32>, are_used: impl Fn(u32) -> bool) {
        for dim in dims.iter().copied().filter(|&dim| are_used(dim)) {
            self.warn(format_args!("{name}: dimension {dim} is unfinished: its run was ended before"));
        }
    }

    /// How it is shown how far the run is.
    pub(crate) fn progress(self) -> Display {
        self.progress.display(self.quiet)
    }

    /// Says the lines of `-v`: whether the dimension was cut, and how long each stage took.
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

/// How long the stages around the computation took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) read: Duration,
    pub(crate) write: Duration,
    pub(crate) total: Duration,
}

impl Times {
    /// The stages of a run, and their seconds.
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

/// The stages of a dimension, and their seconds: those of representatives where there are any.
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

/// A stage and how long it took.
pub(crate) fn timing_line(stage: &str, seconds: f64) -> String {
    format!("{stage:<27} {seconds:>9.3} s")
}

/// A count with its noun, whose plural is regular: `1 bar`, `2 bars`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// What a line begins with that another thread writes while a bar may be shown: a terminal's line is cleared.
pub(crate) fn over_a_bar() -> &'static str {
    if std::io::stderr().is_terminal() { "\r\x1b[2K" } else { "" }
}

/// Says a line whatever was asked: a closed standard error is no reason to fail.
pub(crate) fn tell(line: impl fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{}", printable(&line.to_string()));
}

/// A text as a terminal may show it: control characters, which could be orders to the terminal in the name or content of a file, are
/// escaped, but for tabs and line feeds.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_order = |letter: char| letter.is_control() && !matches!(letter, '\t' | '\n');
    if !text.contains(is_order) {
        return Cow::Borrowed(text);
    }
    let escaped =
        |letter: char| if is_order(letter) { letter.escape_default().to_string() } else { letter.into() };
    Cow::Owned(text.chars().map(escaped).collect())
}

/// Says a line that begins with "error:", in the colour that clap's errors have.
pub(crate) fn tell_error(line: impl fmt::Display) {
    tell_as("error", *Styles::styled().get_error(), line);
}

/// Says a line that begins with a word of some style. Whether there are colours is decided as for clap's messages: on a terminal, unless
/// the environment says otherwise (`NO_COLOR`, `CLICOLOR`, `TERM`).
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
