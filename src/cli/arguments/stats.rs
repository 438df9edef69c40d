//! Where the statistics of a run go.

use std::path::{Path, PathBuf};

use crate::cli::parse;

/// The file of the statistics.
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArguments {
    /// Write counts and times to FILE as JSON
    #[arg(long = "stats", id = "stats", value_name = "FILE", help_heading = "Output", value_parser = parse::file())]
    file: Option<PathBuf>,
}

impl StatsArguments {
    /// The path of the file, if statistics are wanted.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.file.as_deref()
    }
}
