//! Threads that share work of which each takes the next part.

use std::io;
use std::thread::{Builder, Scope};

use crate::memory::budget::settle;

/// Starts a thread for each of `works`. Where the system has no room for all of them, those that did start do the work: whoever uses this hands
/// out the parts one by one, so that any number of threads finds the same.
///
/// # Errors
/// Not one thread starts.
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
