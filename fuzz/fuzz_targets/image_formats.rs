#![no_main]

#[allow(dead_code, reason = "each target calls one of the checks")]
mod check_images;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    check_images::image_formats(data);
});
