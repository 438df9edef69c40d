//! How much memory a run may take.

#[cfg(not(all(feature = "huge-pages", target_os = "linux")))]
use std::io;
use std::path::PathBuf;

use lacuna::memory;

use crate::cli::error::{CliError, Result};
use crate::cli::parse::{self, OrAuto};

/// The limit of memory.
#[derive(Debug, clap::Args)]
pub(crate) struct MemoryArguments {
    /// Memory limit, such as 500M or 8G
    ///
    /// auto is what the machine, its control groups and ulimit allow. A run that cannot fit is refused before
    /// it begins; one that grows past the limit ends with an error.
    #[arg(long, value_name = "LIMIT", help_heading = "Computation", default_value = "auto",
        value_parser = parse::bytes_or_auto(), allow_hyphen_values = true)]
    memory: OrAuto<u64>,

    /// Spill memory beyond the limit to a temporary file in DIR
    ///
    /// DIR has to be on a disk; the run takes longer. The file has no name, and is removed however the run
    /// ends.
    #[arg(long, value_name = "DIR", help_heading = "Computation")]
    spill: Option<PathBuf>,
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

    /// Has what finds no room lie in a file from now on, if that is asked for.
    pub(crate) fn open_spill(&self) -> Result<()> {
        let Some(directory) = &self.spill else { return Ok(()) };
        #[cfg(all(feature = "huge-pages", target_os = "linux"))]
        let opened = crate::allocator::spill::open(directory);
        #[cfg(not(all(feature = "huge-pages", target_os = "linux")))]
        let opened = Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this build of the program cannot, which takes Linux",
        ));
        let what = format_args!("--spill {}: cannot keep memory there", directory.display());
        opened.map_err(|source| CliError::system(what, &source))
    }
}
