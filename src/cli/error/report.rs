//! How an error is told.

use std::error::Error;
use std::process::ExitCode;

use super::groups::CliError;
use crate::cli::notes::{tell, tell_error};

/// Reports an error. The exit code for it.
pub(crate) fn fail(error: &CliError) -> ExitCode {
    match error {
        // What was asked for is no error.
        CliError::Ended(ended) => tell(ended),
        _ => report(error),
    }
    ExitCode::from(error.exit_code())
}

/// Says what went wrong, and what was behind it, in one line on standard error.
pub(crate) fn report(error: &dyn Error) {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        // Some errors name their cause themselves.
        if !line.ends_with(&said) {
            line.push_str(&format!(": {said}"));
        }
        source = cause.source();
    }
    tell_error(line);
}
