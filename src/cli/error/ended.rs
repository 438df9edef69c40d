//! Runs that end early on request.

use std::env;
use std::path::PathBuf;

use crate::cli::deadline::TIME_IS_UP;
use crate::cli::interruption::{Request, kept_in, requested};

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EndedEarly {
    #[error("interrupted")]
    Interrupted,
    #[error("time limit reached")]
    TimeLimit,
    #[error("{why}; the state is saved in {}; resume with the same command: {command}", directory.display())]
    Kept { why: Box<EndedEarly>, directory: PathBuf, command: String },
}

impl EndedEarly {
    /// The reason for which this run ends, and the directory of its checkpoint, if any.
    pub(crate) fn now() -> Self {
        let why = match requested() {
            Some(Request::TimeLimit) => EndedEarly::TimeLimit,
            Some(Request::Signal) | None => EndedEarly::Interrupted,
        };
        match kept_in() {
            Some(directory) => {
                let (why, directory) = (Box::new(why), directory.to_path_buf());
                EndedEarly::Kept { why, directory, command: command() }
            }
            None => why,
        }
    }

    /// Exit code of the program.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            EndedEarly::Interrupted => 3,
            EndedEarly::TimeLimit => TIME_IS_UP,
            EndedEarly::Kept { why, .. } => why.exit_code(),
        }
    }
}

/// The command line of this run, quoted for a shell.
fn command() -> String {
    let words = env::args_os().map(|word| quoted(&word.to_string_lossy()));
    words.collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a shell's command line.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("--max-dim=2"), "--max-dim=2");
        assert_eq!(quoted("my points.txt"), "'my points.txt'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
