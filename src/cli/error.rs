//! Errors of the program: an exit code and a line on standard error.

use std::error::Error;
use std::fmt::{self, Display};
use std::io;
use std::path::Path;
use std::process::ExitCode;

use lacuna::cubical::value::Inexact;
use lacuna::plot::PlotError;
use lacuna::snapshot::SnapshotError;
use lacuna::{Classified, ErrorKind};

use super::notes::{tell, tell_error};
use super::ranks;
use super::stop_request::{Request, kept_in, requested};

/// Exit code of a failure of the system.
const SYSTEM: u8 = 1;

/// Exit code of wrong usage or wrong input.
const INPUT: u8 = 2;

/// Exit code of a run with a checkpoint that a signal ended.
const INTERRUPTED: u8 = 3;

/// Exit code of a run whose time is up.
pub(crate) const TIME_IS_UP: u8 = 4;

/// The reason for which the program fails or ends early.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) exit_code: u8,
    /// The message, with its causes.
    message: String,
    /// Whether no other input of the same run can succeed.
    ends_batch: bool,
}

/// The outcome of a part of the program.
pub(crate) type Result<T, E = CliError> = std::result::Result<T, E>;

/// Wrong usage, which no other input of the same run can mend.
pub(crate) fn usage(message: impl Display) -> CliError {
    CliError { exit_code: INPUT, message: message.to_string(), ends_batch: true }
}

/// An option that is given although it does not apply.
pub(crate) fn only_of(option: &str, expected: impl Display, found: impl Display) -> CliError {
    usage(format_args!("{option} applies only to {expected}, not to {found}"))
}

/// Cycles that were requested in a format without room for them.
pub(crate) fn no_room_for_cycles(found: impl Display) -> CliError {
    usage(format_args!(
        "--representatives: expected --output json or npz, which can hold cycles, found {found}"
    ))
}

/// Rejects the first option that is given in vain: its name, whether it is, and to what it applies instead of `found`.
pub(crate) fn check_options(found: impl Display, options: &[(&str, bool, &str)]) -> Result<()> {
    match options.iter().find(|(_, is_in_vain, _)| *is_in_vain) {
        Some((option, _, expected)) => Err(only_of(option, expected, found)),
        None => Ok(()),
    }
}

/// Standard input named more than once.
pub(crate) fn twice_standard_input() -> CliError {
    usage("expected different files, found standard input twice")
}

/// A run that was asked to end, with the directory of its checkpoint, if any.
pub(crate) fn ended() -> CliError {
    let (exit_code, why) = match requested() {
        Some(Request::TimeLimit) => (TIME_IS_UP, "time limit reached"),
        Some(Request::Signal) | None => (INTERRUPTED, "interrupted"),
    };
    let saved = |directory: &Path| {
        let words = std::env::args_os().map(|word| quoted(&word.to_string_lossy()));
        let command = words.collect::<Vec<_>>().join(" ");
        format!("; the state is saved in {}; resume with the same command: {command}", directory.display())
    };
    let message = format!("{why}{}", kept_in().map(saved).unwrap_or_default());
    CliError { exit_code, message, ends_batch: true }
}

impl CliError {
    /// An error of the library about the file or option `context`, which it does not name itself.
    pub(crate) fn about<E: Classified + 'static>(context: impl Display, error: E) -> CliError {
        let message = with_causes(context.to_string(), Some(&error));
        CliError::from(error).saying(message)
    }

    /// Replaces the message, unless the run was asked to end.
    pub(crate) fn saying(self, message: String) -> CliError {
        if self.is_end() { self } else { CliError { message, ..self } }
    }

    /// An error of this input, or of its outputs.
    pub(crate) fn input(message: impl Display) -> CliError {
        CliError { ends_batch: false, ..usage(message) }
    }

    /// An error of the path of this input, or of an output, with the cause that the system names.
    pub(crate) fn path(path: &Path, expected: &str, source: &io::Error) -> CliError {
        CliError::input(with_causes(format!("{}: expected {expected}", path.display()), Some(source)))
    }

    /// An output that cannot be opened.
    pub(crate) fn unwritable(path: &Path, source: &io::Error) -> CliError {
        CliError::path(path, "a path that can be written", source)
    }

    /// A directory that cannot be listed.
    pub(crate) fn unlistable(path: &Path, source: &io::Error) -> CliError {
        CliError { ends_batch: true, ..CliError::path(path, "a directory that can be listed", source) }
    }

    /// A failure of the system.
    pub(crate) fn system(message: impl Display, source: &(dyn Error + 'static)) -> CliError {
        let message = with_causes(message.to_string(), Some(source));
        CliError { exit_code: SYSTEM, message, ends_batch: true }
    }

    /// Result could not be written. Of inexact values the input is the cause.
    pub(crate) fn write(target: impl Display, source: &io::Error) -> CliError {
        let is_inexact = source.get_ref().is_some_and(|error| error.is::<Inexact>());
        let error = CliError::system(format_args!("cannot write {target}"), source);
        if is_inexact { error.into_input_error() } else { error }
    }

    /// Some inputs have no result.
    pub(crate) fn unanswered(failed: usize, all: usize, is_of_system: bool) -> CliError {
        let error = usage(format_args!("{failed} of {all} inputs have no result"));
        CliError { exit_code: if is_of_system { SYSTEM } else { INPUT }, ..error }
    }

    /// Replaces the exit code by that of a wrong input.
    pub(crate) fn into_input_error(self) -> CliError {
        CliError { exit_code: INPUT, ..self }
    }

    /// Whether the system failed.
    pub(crate) fn is_of_system(&self) -> bool {
        self.exit_code == SYSTEM
    }

    /// Whether the run was asked to end.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self.exit_code, INTERRUPTED | TIME_IS_UP)
    }

    /// Whether other inputs of the same run may still succeed.
    pub(crate) fn concerns_one_input(&self) -> bool {
        !self.ends_batch
    }

    /// Prints the error.
    pub(crate) fn report(&self) {
        if self.is_end() { tell(self) } else { tell_error(self) }
    }

    /// Prints the error and returns the exit code of the program; of several ranks, ends all with it.
    pub(crate) fn fail(&self) -> ExitCode {
        ranks::let_lower_ranks_fail();
        self.report();
        ranks::abort(self.exit_code);
        ExitCode::from(self.exit_code)
    }
}

impl Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: Classified + 'static> From<E> for CliError {
    #[warn(clippy::wildcard_enum_match_arm, reason = "a new kind has to be given its exit code here")]
    fn from(error: E) -> CliError {
        let exit_code = match error.error_kind() {
            ErrorKind::Interrupted => return ended(),
            ErrorKind::Input | ErrorKind::File(_) => INPUT,
            ErrorKind::Memory | ErrorKind::System | ErrorKind::Device => SYSTEM,
            // The library may add kinds.
            _ => SYSTEM,
        };
        let any: &dyn std::any::Any = &error;
        let is_of_run = any.is::<SnapshotError>() || any.is::<PlotError>();
        let ends_batch = is_of_run || error.error_kind() == ErrorKind::Device;
        CliError { exit_code, message: with_causes(error.to_string(), error.source()), ends_batch }
    }
}

/// A message followed by its causes, except those that it already ends with.
pub(crate) fn with_causes(mut message: String, mut cause: Option<&(dyn Error + 'static)>) -> String {
    while let Some(error) = cause {
        let said = error.to_string();
        if !message.ends_with(&said) {
            message = format!("{message}: {said}");
        }
        cause = error.source();
    }
    message
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
    use lacuna::backend::BackendError;
    use lacuna::backend::CudaError;
    use lacuna::cubical::ecc::{EccError, MachineError as CurveError};
    use lacuna::cubical::persistence::MachineError as DeviceOrProcessorError;
    use lacuna::cubical::persistence::via_matrix::ViaMatrixError;
    use lacuna::cubical::thinning::MachineError as ThinError;
    use lacuna::cubical::thinning::two_valued::TwoValuedError;
    use lacuna::matrix::leftmost_ones::ScanError;
    use lacuna::rips::RipsError;

    use super::*;
    use crate::cli::ecc::no_curve;

    fn curve(error: CurveError) -> CliError {
        no_curve("", error)
    }

    /// A missing device is the machine's fault, whichever command asks for it.
    #[test]
    fn a_missing_device_is_the_machine_s_fault_everywhere() {
        let backend = || BackendError::Cuda(CudaError::NoDriver);
        let errors: [CliError; 10] = [
            backend().into(),
            RipsError::Backend(backend()).into(),
            ScanError::Backend(backend()).into(),
            DeviceOrProcessorError::Backend(backend()).into(),
            DeviceOrProcessorError::Device(CudaError::NoDevice).into(),
            ViaMatrixError::Scan(ScanError::Backend(backend())).into(),
            ThinError::Backend(backend()).into(),
            CliError::about("file", TwoValuedError::Thin(ThinError::Backend(backend()))),
            curve(CurveError::Backend(backend())),
            curve(CurveError::Device(CudaError::NoDriver)),
        ];
        for error in errors {
            assert_eq!(error.exit_code, 1, "{error:?}");
        }
        let wrong: [CliError; 3] = [
            RipsError::TooManyEdges(4).into(),
            curve(EccError::ReadOnce.into()),
            usage("there are 2 inputs"),
        ];
        assert!(wrong.iter().all(|error| error.exit_code == 2));
    }

    /// A batch continues after a bad file, but not after an error that concerns all inputs.
    #[test]
    fn a_missing_device_ends_a_batch_and_a_bad_file_does_not() {
        let missing = || BackendError::Cuda(CudaError::NoDriver);
        let (rips, curve) = (RipsError::Backend(missing()), curve(CurveError::Backend(missing())));
        assert!(!CliError::from(rips).concerns_one_input() && !curve.concerns_one_input());
        assert!(CliError::from(RipsError::TooManyDistances).concerns_one_input());
        assert!(CliError::input("out").concerns_one_input() && !usage("out").concerns_one_input());
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("--max-dim=2"), "--max-dim=2");
        assert_eq!(quoted("my points.txt"), "'my points.txt'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
