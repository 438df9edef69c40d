//! A choice of a plan, and the reason for it.

/// A choice, and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What was chosen.
    pub what: &'static str,
    /// The choice.
    pub choice: String,
    /// Why.
    pub why: String,
}
