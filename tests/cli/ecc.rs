//! `lacuna ecc`: curves in every format, many images, little memory, messages.

use std::fs::{self, File};

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::{Scratch, data, lacuna, read};

fn ecc<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    lacuna("ecc", arguments)
}

/// Options for an image of bytes without a header.
fn bytes(shape: &str) -> [&str; 4] {
    ["--shape", shape, "--dtype", "u8"]
}

/// A ring of ones around a five.
const RING: [u8; 9] = [1, 1, 1, 1, 5, 1, 1, 1, 1];

fn ring(arguments: &[&str]) -> Command {
    let mut command = ecc(bytes("3,3"));
    command.args(arguments).arg("-").write_stdin(RING);
    command
}

#[test]
fn rows_are_value_change_and_characteristic() {
    ring(&[]).assert().success().stdout("value,vcec,ecc\n1,0,0\n5,1,1\n").stderr(is_empty());
    ring(&["--superlevel"]).assert().success().stdout("value,vcec,ecc\n5,1,1\n1,0,1\n");
    ring(&["--bins", "2"]).assert().success().stdout("value,vcec,ecc\n3,0,0\n5,1,1\n");
    ring(&["--bins", "2", "--range", "0,4", "--construction", "v"])
        .assert()
        .success()
        .stdout("value,vcec,ecc\n2,0,0\n4,0,0\n");
    let json = "{\"shape\":[3,3],\"voxels\":\"u8\",\"construction\":\"T\",\"superlevel\":false,\"rows\":[\n\
                [1,0,0],\n[5,1,1]\n]}\n";
    ring(&["--output", "json"]).assert().success().stdout(json);
    let npy = ring(&["--output", "npy"]).assert().success().get_output().stdout.clone();
    let rows: Vec<f64> = npyz::NpyFile::new(npy.as_slice()).unwrap().into_vec().unwrap();
    assert_eq!(rows, [1.0, 0.0, 0.0, 5.0, 1.0, 1.0]);
}

#[test]
fn threads_memory_and_files_do_not_show() {
    let scratch = Scratch::new();
    let voxels: Vec<u8> =
        (0..200 * 150 * 70_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 27) as u8).collect();
    let image = scratch.file("noise.raw", &voxels);
    let curve = |arguments: &[&str]| {
        let run = ecc(bytes("200,150,70")).args(arguments).arg(&image).assert().success();
        String::from_utf8(run.get_output().stdout.clone()).unwrap()
    };
    let expected = curve(&["--threads", "1"]);
    assert_eq!(expected.lines().count(), 33);
    assert!(expected.ends_with(",1\n"), "a block of voxels has no holes");
    assert_eq!(curve(&["--threads", "3"]), expected);
    assert_eq!(curve(&["--memory", "18M", "--threads", "2"]), expected);
    let piped = ecc(bytes("200,150,70")).arg("-").write_stdin(voxels).assert().success();
    assert_eq!(piped.get_output().stdout, expected.as_bytes());
}

#[test]
fn memory_is_for_everything_and_does_not_grow_with_the_image() {
    let scratch = Scratch::new();
    // A hole of 1.2 GB, more than fifty times the limit, that takes no room on the disk.
    let image = scratch.path("zeros.raw");
    File::create(&image).unwrap().set_len(1 << 20 << 10 | 128 << 20).unwrap();
    let stats = scratch.name("stats.json");
    let limit = 22 << 20;
    let mut run = ecc(bytes("4608,512,512"));
    run.args(["--memory", "22M", "--threads", "2", "--stats", &stats]).arg(&image);
    run.assert().success().stdout("value,vcec,ecc\n0,1,1\n");
    let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
    assert_eq!(stats["voxels"], 1152 << 20);
    match stats["peak_memory"].as_u64() {
        Some(peak) => assert!(peak <= limit, "{peak} bytes in use, {limit} allowed"),
        None => eprintln!("skipped: this system does not tell how much memory was in use"),
    }
}

#[test]
fn too_little_memory_says_what_it_takes() {
    let error =
        contains("expected at least").and(contains("bytes of memory for an image of 3x3 voxels, found 1024"));
    ring(&["--memory", "1K"]).assert().code(2).stdout(is_empty()).stderr(error);
}

#[test]
fn floats_are_read_twice_for_their_range() {
    let scratch = Scratch::new();
    let voxels: Vec<u8> = [0.5_f32, -1.0, 3.0, 2.0].iter().flat_map(|voxel| voxel.to_le_bytes()).collect();
    let image = scratch.file("four.raw", &voxels);
    let options = ["--shape", "4", "--dtype", "f32", "--bins", "2"];
    ecc(options).arg(&image).assert().success().stdout("value,vcec,ecc\n1,1,1\n3,0,1\n");
    let mut piped = ecc(options);
    let error = "error: standard input: expected the range of the bins of f32 voxels beforehand, found none (--range)\n";
    piped.arg("-").write_stdin(voxels).assert().code(2).stdout(is_empty()).stderr(error);
}

#[test]
fn a_truncated_image_has_no_curve() {
    let scratch = Scratch::new();
    let (image, curve) = (scratch.file("cut.raw", [1; 1000]), scratch.name("cut.csv"));
    let mut run = ecc(bytes("10,10,11"));
    run.arg(&image).args(["-o", &curve]).assert().code(2).stdout(is_empty()).stderr(contains("cut.raw"));
    assert_eq!(scratch.names(), ["cut.raw"]);
    let mut piped = ecc(bytes("10,10,11"));
    piped
        .arg("-")
        .write_stdin([1; 1000])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("standard input"));
}

#[test]
fn a_directory_of_images_and_one_that_fails() {
    let scratch = Scratch::new();
    let images = scratch.path("images");
    fs::create_dir(&images).unwrap();
    for (name, content) in [("a.raw", &RING[..]), ("b.raw", &RING[..4]), ("c.raw", &[7; 9]), (".hidden", &[])]
    {
        fs::write(images.join(name), content).unwrap();
    }
    let (curves, stats) = (scratch.path("curves"), scratch.name("stats.json"));
    let mut run = ecc(bytes("3,3"));
    run.arg(&images).arg("-o").arg(&curves).args(["--stats", &stats]);
    let error = contains("b.raw").and(contains("error: 1 of 3 inputs have no answer"));
    run.assert().code(2).stdout(is_empty()).stderr(error);
    assert_eq!(read(&curves.join("a.raw.csv")), "value,vcec,ecc\n1,0,0\n5,1,1\n");
    assert_eq!(read(&curves.join("c.raw.csv")), "value,vcec,ecc\n7,1,1\n");
    assert!(!curves.join("b.raw.csv").exists());
    let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
    assert_eq!((&stats["failed"], stats["images"].as_array().unwrap().len()), (&1.into(), 2));
}

#[test]
fn misuse() {
    let scratch = Scratch::new();
    let image = scratch.name("a.npy");
    let twice = [scratch.name("a.npy"), scratch.name("b/../a.npy")];
    ecc([&image, &image]).assert().code(2).stderr(contains("expected a directory for the answers"));
    let into = scratch.name("into");
    ecc(&twice).args(["-o", &into]).assert().code(2).stderr(contains("expected one input for each answer"));
    ecc(["--range", "0,1", &image]).assert().code(2).stderr(contains("--bins"));
    ecc(["--bins", "0", &image]).assert().code(2).stderr(contains("from 1 to"));
    ecc(["--memory", "x", &image]).assert().code(2).stderr(contains("such as 256M"));
    ecc(["--sigma", "2", &image]).assert().code(2).stderr(contains("--scales"));
    ecc(["--scales", "2", "--taps", "4", &image])
        .assert()
        .code(2)
        .stderr(contains("odd number of taps, found 4"));
    ecc(["--scales", "2", "--sigma", "0", &image])
        .assert()
        .code(2)
        .stderr(contains("standard deviation, found 0"));
    ecc(["-", "-", "-o", &into]).assert().code(2).stderr(contains("standard input twice"));
}

#[test]
fn what_was_chosen_is_told_when_asked_for() {
    ring(&["--explain", "-v"]).assert().success().stderr(
        contains("backend       cpu: ").and(contains("vectors")).and(contains("3x3 image of u8, 2 rows")),
    );
    ecc([data("no such file")]).assert().code(2).stderr(contains("no such file"));
}
