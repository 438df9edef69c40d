//! Choices by their names.

use std::fmt::Display;
use std::sync::LazyLock;

use lacuna::backend::{Backend, Choice};
use lacuna::cubical::Value;
use lacuna::diagram::BarSelection;

use crate::error::Failure;

/// The backend of the process, which keeps its devices open: they are opened by the first call that uses them.
static DEVICES: LazyLock<Backend> = LazyLock::new(Backend::default);

/// Finds a choice by its name, ignoring case.
///
/// # Errors
/// There is no such choice; `what` names the option.
pub(crate) fn choice<T: Copy>(
    what: &str,
    choices: &[(impl AsRef<str>, T)],
    found: &str,
) -> Result<T, Failure> {
    let named = choices.iter().find(|(name, _)| name.as_ref().eq_ignore_ascii_case(found));
    named.map(|&(_, choice)| choice).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| name.as_ref()).collect();
        Failure::Value(format!("{what}: expected one of {}, found {found:?}", names.join(", ")))
    })
}

/// Finds a choice by the name that the library gives it.
///
/// # Errors
/// Those of [`choice`].
pub(crate) fn named<T: Copy + Display>(what: &str, choices: &[T], found: &str) -> Result<T, Failure> {
    let choices: Vec<(String, T)> = choices.iter().map(|&choice| (choice.to_string(), choice)).collect();
    choice(what, &choices, found)
}

/// The backend with the given name.
///
/// # Errors
/// There is no such backend.
pub(crate) fn backend(name: &str) -> Result<Backend, Failure> {
    let choices = [("auto", Choice::Auto), ("cpu", Choice::Cpu), ("cuda", Choice::Cuda)];
    Ok(DEVICES.choosing(choice("backend", &choices, name)?))
}

/// The bars of which representatives are wanted: those that are named, the longest, or those of a persistence.
///
/// # Errors
/// They are chosen in several ways.
pub(crate) fn bars(
    only: Option<Vec<(usize, usize)>>,
    longest: Option<usize>,
    min_persistence: Option<Value>,
) -> Result<BarSelection, Failure> {
    match (only, longest, min_persistence) {
        (None, None, None) => Ok(BarSelection::All),
        (Some(bars), None, None) => Ok(BarSelection::Named(bars)),
        (None, Some(count), None) => Ok(BarSelection::Longest(count)),
        (None, None, Some(least)) => Ok(BarSelection::Persistence(least)),
        _ => Err(Failure::Value(
            "expected one of only, longest and min_persistence at most, found several".into(),
        )),
    }
}
