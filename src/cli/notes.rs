//! Messages on standard error.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{IsTerminal, Write};

use clap::ValueEnum;
use clap::builder::Styles;
use clap::builder::styling::{AnsiColor, Style};

use super::{parse, ranks};

/// Choices of `--progress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ProgressMode {
    /// A bar on a terminal, else lines.
    #[default]
    Auto,
    /// A bar, also of a run that is to be quiet; lines where no bar can be shown.
    Bar,
    /// A line now and then.
    Plain,
    /// Objects, one a line.
    Json,
    /// Nothing.
    None,
}

/// How much is said on standard error.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Notes {
    /// Print only errors and requested information to standard error
    #[arg(short, long, help_heading = "Messages", conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Print the time of each stage to standard error
    #[arg(short, long, help_heading = "Messages")]
    pub(crate) verbose: bool,

    /// Progress display: auto, bar, plain, json, none [default: auto]
    ///
    /// auto is a bar on a terminal and plain elsewhere; plain prints a line from time to time, json one object
    /// per line. Progress goes to standard error.
    #[arg(long, value_name = "HOW", help_heading = "Messages", default_value = "auto",
        value_parser = parse::one_of::<ProgressMode>(), hide_possible_values = true, hide_default_value = true)]
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
        if !self.quiet && ranks::is_root() {
            tell_as("warning", AnsiColor::Yellow.on_default().bold(), line);
        }
    }

    /// Warns of dimensions of an input whose computation was cut short, if `are_used` says that they matter.
    pub(crate) fn warn_of_unfinished(self, name: &str, dims: &BTreeSet<u32>, are_used: impl Fn(u32) -> bool) {
        for dim in dims.iter().copied().filter(|&dim| are_used(dim)) {
            self.warn(format_args!("{name}: dimension {dim} is unfinished: its run was ended before"));
        }
    }
}

/// A count with its noun, whose plural is regular: `1 bar`, `2 bars`, `2 entries`, `2 branches`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if count == 1 => format!("1 {what}"),
        Some(stem) => format!("{count} {stem}ies"),
        None if what.ends_with("ch") => format!("{count} {what}es"),
        None => format!("{count} {what}s"),
    }
}

/// Prefix of a line printed by another thread while a progress bar may be shown: clears the line of a terminal.
pub(crate) fn over_a_bar() -> &'static str {
    if std::io::stderr().is_terminal() { "\r\x1b[2K" } else { "" }
}

/// Prints a line, even if quiet, on rank 0. A closed standard error is not a failure.
pub(crate) fn tell(line: impl fmt::Display) {
    if !ranks::is_root() {
        return;
    }
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
    let line = format!("{style}{word}:{style:#} {}\n", printable(&line.to_string()));
    let _ = anstream::stderr().write_all(line.as_bytes());
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
