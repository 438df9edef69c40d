//! The groups of errors and their exit codes.

use std::io;

use lacuna::cubical::value::Inexact;

use super::blame::{Blame, Fault};
use super::ended::EndedEarly;
use super::failure::Failure;
use super::machine::MachineError;
use super::paths::PathError;
use super::usage::UsageError;

/// Error of the program, by group.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Input(Failure),
    #[error(transparent)]
    Machine(#[from] MachineError),
    #[error(transparent)]
    Ended(#[from] EndedEarly),
}

impl CliError {
    /// Exit code of the program.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            CliError::Machine(_) => 1,
            CliError::Usage(_) | CliError::Path(_) | CliError::Input(_) => 2,
            CliError::Ended(ended) => ended.exit_code(),
        }
    }

    /// An error of the library, prefixed with the file or option that it concerns.
    pub(crate) fn about(context: impl Into<String>, error: impl Blame) -> CliError {
        CliError::library(Some(context.into()), error)
    }

    fn library(context: Option<String>, error: impl Blame) -> CliError {
        let fault = error.fault();
        let failure = Failure::new(context, error);
        match fault {
            Fault::Input => CliError::Input(failure),
            Fault::Machine => MachineError::Failure(failure).into(),
            Fault::Nobody => EndedEarly::now().into(),
        }
    }

    /// An error of writing to `target`.
    pub(crate) fn write(target: String, source: io::Error) -> CliError {
        let is_inexact = source.get_ref().is_some_and(|error| error.is::<Inexact>());
        let error = MachineError::Write { target, source };
        // A value that does not fit the output format is a fault of the input, not of the disk.
        if is_inexact { CliError::Input(Failure::told_as(error.into())) } else { error.into() }
    }

    /// Turns any error into one of the input. `compare` reports all its errors this way, since exit code 1, that of the
    /// machine's faults, says there that the files differ.
    pub(crate) fn into_input_error(self) -> CliError {
        CliError::Input(Failure::told_as(self.into()))
    }

    /// Whether other inputs of the same run may still succeed.
    pub(crate) fn concerns_one_input(&self) -> bool {
        match self {
            CliError::Usage(_) | CliError::Ended(_) => false,
            CliError::Path(error) => error.concerns_one_input(),
            CliError::Input(failure) | CliError::Machine(MachineError::Failure(failure)) => {
                failure.concerns_one_input
            }
            CliError::Machine(
                MachineError::Write { .. }
                | MachineError::Threads { .. }
                | MachineError::Clock { .. }
                | MachineError::Spill { .. },
            ) => false,
        }
    }
}

impl<E: Blame> From<E> for CliError {
    fn from(error: E) -> CliError {
        CliError::library(None, error)
    }
}
