//! One choice of a plan and the reason for it, as `--explain` prints them.

/// One choice of a plan and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The thing that was chosen, such as the algorithm.
    pub what: &'static str,
    /// The choice.
    pub choice: String,
    /// The reason for the choice.
    pub why: String,
}
