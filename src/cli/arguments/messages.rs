//! What is said on standard error.

use crate::cli::notes::Notes;
use crate::cli::parse;
use crate::cli::progress::ProgressMode;

/// How it is told how far the run is.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ProgressArguments {
    /// How a long run says on standard error how far it is: auto, bar, plain (a line now and then), json (an object a
    /// line), none [default: auto, a bar on a terminal and else plain]
    #[arg(long = "progress", value_name = "HOW", help_heading = "Messages", default_value = "auto",
        value_parser = parse::one_of::<ProgressMode>(), hide_possible_values = true, hide_default_value = true)]
    pub(crate) mode: ProgressMode,
}

impl ProgressArguments {
    /// What is said along the way.
    pub(crate) fn notes(&self, quiet: bool, verbose: bool) -> Notes {
        Notes { quiet, verbose, progress: self.mode }
    }
}

/// How talkative the program is.
#[derive(Debug, clap::Args)]
pub(crate) struct VerbosityArguments {
    /// Say nothing on standard error but errors and what was asked for
    #[arg(short, long, help_heading = "Messages", conflicts_with = "verbose")]
    quiet: bool,

    /// Say on standard error how long each stage took
    #[arg(short, long, help_heading = "Messages")]
    pub(crate) verbose: bool,

    #[command(flatten)]
    progress: ProgressArguments,
}

impl VerbosityArguments {
    /// What is said along the way.
    pub(crate) fn notes(&self) -> Notes {
        self.progress.notes(self.quiet, self.verbose)
    }
}

/// How talkative the program is, and whether it gives its reasons.
#[derive(Debug, clap::Args)]
pub(crate) struct MessageArguments {
    /// Say on standard error what was chosen, and why
    #[arg(long, help_heading = "Messages")]
    pub(crate) explain: bool,

    #[command(flatten)]
    verbosity: VerbosityArguments,
}

impl MessageArguments {
    /// What is said along the way.
    pub(crate) fn notes(&self) -> Notes {
        self.verbosity.notes()
    }
}
