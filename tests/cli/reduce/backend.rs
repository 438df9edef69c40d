//! The device that scans: options, `--explain`, errors, and equal pairs.

use std::fs;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::super::{NO_DEVICE, Scratch, TRIANGLE, TRIANGLE_PAIRS, data, read};
use super::{reduce, reduce_of};

#[test]
fn the_estimates_are_explained() {
    let assert = reduce_of(TRIANGLE, &["--explain", "-q"]).assert().success().stdout(TRIANGLE_PAIRS);
    let figures = "9 entries in 7 columns to scan: less than 0.1 ms on the processor, 5.0 ms on a GPU";
    assert.stderr(contains(format!("backend       cpu: {figures} after 0.35 s to open it\n")));
    let assert = reduce_of(TRIANGLE, &["--explain", "-q", "--backend", "cpu"]).assert().success();
    assert.stdout(TRIANGLE_PAIRS).stderr(contains("backend       cpu: as asked\n"));
    let assert = reduce_of(TRIANGLE, &["--explain", "-q", "--algorithm", "twist"]).assert().success();
    assert.stderr(contains("backend       cpu: twist has no scan, which is what a GPU could do\n"));
}

#[test]
fn the_machine_is_among_the_statistics() {
    let scratch = Scratch::new();
    let stats = scratch.path("stats.json");
    reduce_of(TRIANGLE, &["--stats", stats.to_str().unwrap()]).assert().success();
    let object: Value = serde_json::from_str(&read(&stats)).unwrap();
    assert_eq!((&object["backend"], &object["device_memory"]), (&"cpu".into(), &0.into()));
}

#[test]
fn a_gpu_can_only_scan() {
    for algorithm in ["ss-plus", "spectral-sequence", "twist", "standard", "row", "chunk", "lock-free"] {
        for gpu in [&["--backend", "cuda"][..], &["--self-check"]] {
            let assert = reduce_of(TRIANGLE, &["--algorithm", algorithm]).args(gpu).assert().code(2);
            let found = format!("(sieve, hypha, hypha-twist), found {algorithm}\n");
            assert
                .stdout(is_empty())
                .stderr(contains("--algorithm: expected one with a scan").and(contains(found)));
        }
        reduce_of(TRIANGLE, &["--algorithm", algorithm, "--backend", "auto"]).assert().success();
    }
}

#[test]
fn a_gpu_that_is_not_there() {
    let without = |gpu: &[&str]| {
        let mut run = reduce_of(TRIANGLE, gpu);
        run.env(NO_DEVICE.0, NO_DEVICE.1).assert()
    };
    for gpu in [&["--backend", "cuda"][..], &["--self-check"], &["--backend", "cpu", "--self-check"]] {
        without(gpu).code(1).stdout(is_empty()).stderr(contains("error: backend cuda: "));
    }
    without(&["--backend", "auto"]).success().stdout(TRIANGLE_PAIRS);
}

/// A run that fails writes nothing.
#[test]
fn a_gpu_that_is_not_there_leaves_no_file() {
    let scratch = Scratch::new();
    let pairs = scratch.path("pairs");
    let mut run = reduce_of(TRIANGLE, &["--backend", "cuda", "-o", pairs.to_str().unwrap()]);
    run.env(NO_DEVICE.0, NO_DEVICE.1).assert().code(1);
    assert!(scratch.names().is_empty());
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_pairs_are_the_processors() {
    let expected = fs::read(data("expected/torus_surface_pairs.bin")).unwrap();
    for algorithm in ["auto", "sieve", "hypha", "hypha-twist"] {
        for dualize in ["auto", "on", "off"] {
            for gpu in
                [&["--backend", "cuda"][..], &["--self-check"], &["--self-check", "--device-memory", "1M"]]
            {
                let run = reduce(["--output", "phat-binary", "--algorithm", algorithm, "--dualize", dualize])
                    .args(gpu)
                    .args(["--explain", "-q"])
                    .arg(data("torus_surface.bin"))
                    .assert()
                    .success()
                    .stderr(contains("backend       cuda: as asked; device 0 ("));
                assert!(run.get_output().stdout == expected, "{algorithm}, dualize {dualize}, {gpu:?}");
            }
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_memory_that_does_not_do() {
    let file = data("torus_surface.bin");
    let run = reduce(["--backend", "cuda", "--device-memory", "1K"]).arg(file).assert().code(1);
    run.stdout(is_empty()).stderr(contains("216 bytes of device memory wanted, 160 available"));
}
