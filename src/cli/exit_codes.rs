//! The exit codes of each group of commands, as their help explains them.

const SUCCESS: &str = "  0  success, also if the reader of standard output leaves early";
const SYSTEM: &str = "  1  the system failed: full disk, too little memory, no threads, no GPU";
const VERIFIED: &str = "     cubical --verify: the bars contradict the Euler characteristic curve";
const INPUT: &str = "  2  invalid option or input, or an output that cannot be opened";
const ONE_OF_SEVERAL: &str = "  2  invalid option or input, or an output that cannot be opened; of several\n     \
     inputs, some have no result";
const STOPPED: &str = "  3  a signal ended a run with --checkpoint; the same command resumes it";
const TIME: &str = "  4  --time-limit was reached; incomplete output is discarded";
const TIME_OF_STAGES: &str =
    "  4  --time-limit was reached; the results of finished parts, if any, are output";

/// Exit codes of commands without limits.
pub(crate) const PLAIN: &[&str] = &[SUCCESS, SYSTEM, INPUT];

/// Exit codes of commands with a time limit.
pub(crate) const LIMITED: &[&str] = &[SUCCESS, SYSTEM, INPUT, TIME];

/// Exit codes of commands that save checkpoints.
pub(crate) const RESUMABLE: &[&str] = &[SUCCESS, SYSTEM, INPUT, STOPPED, TIME];

/// Exit codes of commands that save checkpoints and take several inputs.
pub(crate) const BATCH: &[&str] = &[SUCCESS, SYSTEM, ONE_OF_SEVERAL, STOPPED, TIME_OF_STAGES];

/// Exit codes of `lacuna cubical`.
pub(crate) const CUBICAL: &[&str] = &[SUCCESS, SYSTEM, VERIFIED, ONE_OF_SEVERAL, STOPPED, TIME_OF_STAGES];

/// Exit codes of `lacuna thin`.
pub(crate) const THIN: &[&str] =
    &[SUCCESS, SYSTEM, "     with --verify: the topology differs; the skeleton is written", INPUT, TIME];

/// Exit codes of `lacuna compare`.
pub(crate) const COMPARE: &[&str] = &[
    "  0  the files hold the same",
    "  1  the files differ",
    "  2  invalid option or input, or a failure of the system",
    TIME,
];

/// Exit codes of the whole program.
pub(crate) const ALL: &[&str] = &[
    SUCCESS,
    SYSTEM,
    "     compare: the files differ; thin --verify: the topology differs",
    VERIFIED,
    ONE_OF_SEVERAL,
    STOPPED,
    TIME_OF_STAGES,
];

/// Exit codes as a section of the help.
pub(crate) fn section(codes: &[&str]) -> String {
    format!("Exit codes:\n{}", codes.join("\n"))
}
