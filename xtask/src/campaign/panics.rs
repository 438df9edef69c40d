//! Captures the panics of each worker instead of printing them: a panic is a failure of a case, not of the campaign.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

/// Location of the last panic of each worker, by thread name.
static PLACES: Mutex<Option<HashMap<String, String>>> = Mutex::new(None);

/// From now on, panics of worker threads are not printed.
pub(super) fn silence() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let thread = std::thread::current();
        match (thread.name(), info.location()) {
            (Some(name), Some(place)) if name.starts_with(WORKER) => {
                let mut places = PLACES.lock().unwrap_or_else(|broken| broken.into_inner());
                places.get_or_insert_default().insert(name.to_owned(), place.to_string());
            }
            _ => usual(info),
        }
    }));
}

/// Prefix of the names of worker threads.
pub(super) const WORKER: &str = "campaign worker";

/// Runs `work`; a panic becomes a failure with its location.
pub(super) fn caught(work: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        let mut places = PLACES.lock().unwrap_or_else(|broken| broken.into_inner());
        let place = places.as_mut().and_then(|places| places.remove(&name)).unwrap_or_default();
        Err(format!("panic at {place}: {}", message(&*payload)))
    })
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure() {
        assert_eq!(caught(|| Ok(())), Ok(()));
        let found = caught(|| panic!("no {}", "way")).unwrap_err();
        assert!(found.starts_with("panic at ") && found.ends_with(": no way"), "{found}");
    }
}
