//! How much memory a run may take.

use lacuna::memory;

use crate::cli::parse::{self, OrAuto};

/// The limit of memory.
#[derive(Debug, clap::Args)]
pub(crate) struct MemoryArguments {
    /// Bytes of memory to use at most, as 500M or 8G; auto is what the machine, its control groups and ulimit leave
    ///
    /// A run that cannot fit says so before it begins; one that grows past the limit ends with an error.
    #[arg(long, value_name = "LIMIT", help_heading = "Computation", default_value = "auto",
        value_parser = parse::bytes_or_auto(), allow_hyphen_values = true)]
    memory: OrAuto<u64>,
}

impl MemoryArguments {
    /// The limit, if one was given.
    pub(crate) fn given(&self) -> Option<u64> {
        self.memory.0
    }

    /// Holds the program to the limit from now on, if one of `least` bytes or more was given.
    pub(crate) fn hold(&self, least: u64) {
        if let Some(bytes) = self.given().filter(|&bytes| bytes >= least) {
            memory::limit(bytes);
        }
    }
}
