//! Every committed fuzz input, run without a fuzzer.

use std::fs;
use std::path::Path;

use lacuna::backend::{Backend, BackendRequest, Choice};
use lacuna::compare::read::BarcodeFormat;

#[path = "../../fuzz/fuzz_targets/check_barcodes.rs"]
mod check_barcodes;
#[path = "../../fuzz/fuzz_targets/check_computations.rs"]
mod check_computations;
#[path = "../../fuzz/fuzz_targets/check.rs"]
mod check_distances;
#[path = "../../fuzz/fuzz_targets/check_images.rs"]
mod check_images;
#[path = "../../fuzz/fuzz_targets/check_snapshots.rs"]
mod check_snapshots;

use check_computations::{Computed, computations};

/// The inputs of a fuzz target.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let files = fs::read_dir(folder).expect("the corpus is committed");
    files.map(|file| fs::read(file.unwrap().path()).unwrap()).collect()
}

/// Checks that at least five inputs of a target can be read.
fn some_are_read<T>(target: &str, check: fn(&[u8]) -> Option<T>) {
    let inputs = corpus(target);
    let read = inputs.iter().filter(|input| check(input).is_some()).count();
    assert!(read >= 5, "{target}: only {read} of {} inputs could be read", inputs.len());
}

#[test]
fn distances() {
    some_are_read("text_formats", check_distances::text_formats);
    some_are_read("binary_formats", check_distances::binary_formats);
    some_are_read("detect", check_distances::detect);
}

#[test]
fn images() {
    some_are_read("image_formats", check_images::image_formats);
    some_are_read("image_detect", check_images::image_detect);
}

#[test]
fn barcodes() {
    let inputs = corpus("barcodes");
    let read: Vec<BarcodeFormat> = inputs
        .iter()
        .filter_map(|input| check_barcodes::barcodes(input))
        .map(|loaded| loaded.format)
        .collect();
    for format in BarcodeFormat::ALL {
        assert!(read.contains(&format), "no input in {format}");
    }
    assert!(read.len() < inputs.len(), "no input that is refused");
}

/// Nothing at all, complete, truncated and damaged snapshots, and payloads that claim more than exists.
#[test]
fn snapshots() {
    let read: Vec<bool> = corpus("snapshots").iter().map(|input| check_snapshots::snapshots(input)).collect();
    assert!(!check_snapshots::snapshots(&[]), "no snapshot is empty");
    assert!(read.contains(&true) && read.contains(&false), "{read:?}");
}

/// Whole computations.
fn computations_agree(devices: Option<&Backend>) {
    let inputs = corpus("computations");
    let computed: Vec<Computed> = inputs.iter().filter_map(|input| computations(input, devices)).collect();
    for kind in Computed::ALL {
        let count = computed.iter().filter(|&&computed| computed == kind).count();
        assert!(count >= 3, "{kind:?}: only {count} inputs");
    }
}

#[test]
fn whole_computations() {
    computations_agree(None);
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_computes_the_corpus() {
    let request = BackendRequest { choice: Choice::Cuda, ..BackendRequest::default() };
    computations_agree(Some(&Backend::new(request)));
}
