//! What is said on standard error.

use crate::cli::notes::Notes;
use crate::cli::notes::ProgressMode;
use crate::cli::parse;

/// How talkative the program is.
#[derive(Debug, clap::Args)]
pub(crate) struct VerbosityArguments {
    /// Print only errors and requested information to standard error
    #[arg(short, long, help_heading = "Messages", conflicts_with = "verbose")]
    quiet: bool,

    /// Print the time of each stage to standard error
    #[arg(short, long, help_heading = "Messages")]
    verbose: bool,

    /// Progress display: auto, bar, plain, json, none [default: auto]
    ///
    /// auto is a bar on a terminal and plain elsewhere; plain prints a line from time to time, json one object
    /// per line. Progress goes to standard error.
    #[arg(long, value_name = "HOW", help_heading = "Messages", default_value = "auto",
        value_parser = parse::one_of::<ProgressMode>(), hide_possible_values = true, hide_default_value = true)]
    progress: ProgressMode,
}

impl VerbosityArguments {
    /// What is said along the way.
    pub(crate) fn notes(&self) -> Notes {
        Notes { quiet: self.quiet, verbose: self.verbose, progress: self.progress }
    }
}
