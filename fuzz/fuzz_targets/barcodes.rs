#![no_main]

#[allow(dead_code, reason = "each target calls one of the checks")]
mod check_barcodes;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    check_barcodes::barcodes(data);
});
