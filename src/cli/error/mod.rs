//! Errors of the program, grouped by whose fault they are. The group determines the exit code.
//!
//! | group | exit code |
//! |---|---|
//! | [`UsageError`]: the command line | 2 |
//! | [`PathError`]: the path of an input or an output | 2 |
//! | a failure of an input, as the library tells it | 2 |
//! | [`MachineError`] | 1 |
//! | [`EndedEarly`]: a signal or a limit of time | 3 or 4 |
//!
//! An error of the library is put into its group by [`Blame`] when it becomes a [`CliError`].

mod blame;
mod ended;
mod failure;
mod groups;
mod machine;
mod paths;
mod report;
mod usage;

pub(crate) use blame::{Blame, Fault};
pub(crate) use ended::EndedEarly;
pub(crate) use groups::CliError;
pub(crate) use machine::MachineError;
pub(crate) use paths::PathError;
pub(crate) use report::{fail, report};
pub(crate) use usage::UsageError;

#[cfg(test)]
mod tests;
