//! Whole computations. With `LACUNA_FUZZ_BACKEND=cuda` a device computes them too.

#![no_main]

use std::sync::OnceLock;

use lacuna::backend::{Backend, BackendRequest, Choice};

mod check_computations;

/// The devices that the environment asks for.
fn devices() -> Option<&'static Backend> {
    static DEVICES: OnceLock<Option<Backend>> = OnceLock::new();
    let asked = || match std::env::var("LACUNA_FUZZ_BACKEND").as_deref() {
        Err(_) | Ok("cpu") => None,
        Ok("cuda") => {
            Some(Backend::new(BackendRequest { choice: Choice::Cuda, ..BackendRequest::default() }))
        }
        Ok(other) => panic!("LACUNA_FUZZ_BACKEND: expected cpu or cuda, found {other}"),
    };
    DEVICES.get_or_init(asked).as_ref()
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    check_computations::computations(data, devices());
});
