//! What is said on standard error.

use crate::cli::notes::Notes;

/// How talkative the program is.
#[derive(Debug, clap::Args)]
pub(crate) struct VerbosityArguments {
    /// Say nothing on standard error but errors and what was asked for
    #[arg(short, long, help_heading = "Messages", conflicts_with = "verbose")]
    quiet: bool,

    /// Say on standard error how long each stage took
    #[arg(short, long, help_heading = "Messages")]
    pub(crate) verbose: bool,
}

impl VerbosityArguments {
    /// What is said along the way.
    pub(crate) fn notes(&self) -> Notes {
        Notes { quiet: self.quiet, verbose: self.verbose }
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
