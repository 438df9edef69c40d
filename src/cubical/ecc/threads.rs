//! Starts threads that share work.

use std::io;
use std::thread::{Builder, Scope};

use crate::memory::budget::settle;

/// Starts a thread for each of `works`. If the system cannot start all of them, those that started do the work: callers
/// hand out parts one by one, so any number of threads gives the same result.
///
/// # Errors
/// No thread could be started.
pub(super) fn start<'scope, W: FnOnce() + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    works: impl Iterator<Item = W>,
) -> io::Result<()> {
    for (started, work) in works.enumerate() {
        let work = || {
            work();
            settle();
        };
        match Builder::new().spawn_scoped(scope, work) {
            Ok(_) => {}
            Err(error) if started == 0 => return Err(error),
            Err(_) => break,
        }
    }
    Ok(())
}
