//! An error of the library, as the program reports it.

use std::error::Error;
use std::fmt;

use super::blame::Blame;

/// An error of the library, with the file or option that it concerns if it does not name it itself.
#[derive(Debug)]
pub(crate) struct Failure {
    context: Option<String>,
    error: Box<dyn Error + Send + Sync>,
    /// Whether other inputs of the same run may still succeed.
    pub(super) concerns_one_input: bool,
}

impl Failure {
    pub(super) fn new(context: Option<String>, error: impl Blame) -> Failure {
        let concerns_one_input = error.concerns_one_input();
        Failure { context, error: Box::new(error), concerns_one_input }
    }

    /// A failure reported with the words of `error`.
    pub(super) fn told_as(error: Box<dyn Error + Send + Sync>) -> Failure {
        Failure { context: None, error, concerns_one_input: false }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.context {
            Some(context) => f.write_str(context),
            None => self.error.fmt(f),
        }
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self.context {
            Some(_) => Some(&*self.error),
            None => self.error.source(),
        }
    }
}
