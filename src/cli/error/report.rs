//! Prints errors.

use std::error::Error;
use std::process::ExitCode;

use super::groups::CliError;
use crate::cli::notes::{tell, tell_error};

/// Reports an error and returns its exit code.
pub(crate) fn fail(error: &CliError) -> ExitCode {
    match error {
        // An end on request is not an error.
        CliError::Ended(ended) => tell(ended),
        _ => report(error),
    }
    ExitCode::from(error.exit_code())
}

/// Prints an error and its sources in one line on standard error.
pub(crate) fn report(error: &dyn Error) {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        // Some errors already name their source.
        if !line.ends_with(&said) {
            line.push_str(&format!(": {said}"));
        }
        source = cause.source();
    }
    tell_error(line);
}
