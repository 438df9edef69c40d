#![no_main]

#[allow(dead_code, reason = "each target calls one of the checks")]
mod check_formats;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    check_formats::phat_matrix(data);
});
