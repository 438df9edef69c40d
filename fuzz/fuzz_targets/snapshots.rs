#![no_main]

mod check_snapshots;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    check_snapshots::snapshots(data);
});
