#![no_main]

mod check_computations;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    check_computations::computations(data);
});
