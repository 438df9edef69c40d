//! An error of the library as the program tells it.

use std::error::Error;
use std::fmt;

use super::blame::Blame;

/// An error of the library, and the file or the options that it is about where it does not name them itself.
#[derive(Debug)]
pub(crate) struct Failure {
    context: Option<String>,
    error: Box<dyn Error + Send + Sync>,
    /// Whether another input of the same run may still have an answer.
    pub(super) concerns_one_input: bool,
}

impl Failure {
    pub(super) fn new(context: Option<String>, error: impl Blame) -> Failure {
        let concerns_one_input = error.concerns_one_input();
        Failure { context, error: Box::new(error), concerns_one_input }
    }

    /// A failure that is told as `error` is.
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
