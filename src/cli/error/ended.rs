//! Runs that end early because they were asked to.

use std::path::PathBuf;

use crate::cli::deadline::TIME_IS_UP;
use crate::cli::interruption::{Request, requested};

/// How a run ended that was asked to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EndedEarly {
    #[error("interrupted")]
    Interrupted,
    #[error("time limit reached")]
    TimeLimit,
    #[error("{why}; what is done is kept in {}, and the same command goes on with it: {command}", directory.display())]
    Kept { why: Box<EndedEarly>, directory: PathBuf, command: String },
}

impl EndedEarly {
    /// How this run ended.
    pub(crate) fn now() -> Self {
        match requested() {
            Some(Request::TimeLimit) => EndedEarly::TimeLimit,
            Some(Request::Signal) | None => EndedEarly::Interrupted,
        }
    }

    /// What the program answers with.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            EndedEarly::Interrupted => 3,
            EndedEarly::TimeLimit => TIME_IS_UP,
            EndedEarly::Kept { why, .. } => why.exit_code(),
        }
    }
}
