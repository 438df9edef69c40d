//! `lacuna ecc`: curves in every format, many images, little memory, messages.

use std::fs::{self, File};

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::{Scratch, data, lacuna, read, skipped, stdout_of, text_of, wide};

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
    let npy = stdout_of(ring(&["--output", "npy"]));
    let rows: Vec<f64> = npyz::NpyFile::new(npy.as_slice()).unwrap().into_vec().unwrap();
    assert_eq!(rows, [1.0, 0.0, 0.0, 5.0, 1.0, 1.0]);
}

#[test]
fn axes_that_close_up() {
    // The five fills a hole of a cylinder or a torus.
    for axes in ["x", "y", "x,y"] {
        ring(&["--periodic", axes]).assert().success().stdout("value,vcec,ecc\n1,-1,-1\n5,1,0\n");
    }
    let bins = ["--periodic", "y,x", "--bins", "2", "--output", "json"];
    let json = "\"superlevel\":false,\"periodic\":[0,1],\"rows\":[\n[3,-1,-1],\n[5,1,0]\n]}\n";
    ring(&bins).assert().success().stdout(contains(json));
    for (arguments, message) in [
        (
            &["--periodic", "z"][..],
            "periodic axis 2: expected an axis of two voxels or more, found shape 3x3",
        ),
        (&["--periodic", "x", "--scales", "2"], "cannot be used with"),
    ] {
        ring(arguments).assert().code(2).stdout(is_empty()).stderr(contains(message));
    }
}

#[test]
fn threads_memory_and_files_do_not_show() {
    let scratch = Scratch::new();
    let voxels: Vec<u8> =
        (0..200 * 150 * 70_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 27) as u8).collect();
    let image = scratch.file("noise.raw", &voxels);
    let curve = |arguments: &[&str]| text_of(ecc(bytes("200,150,70")).args(arguments).arg(&image));
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
    // A sparse file of 1.2 GB, more than fifty times the limit, which takes no disk space.
    let image = scratch.path("zeros.raw");
    File::create(&image).unwrap().set_len(1 << 20 << 10 | 128 << 20).unwrap();
    let stats = scratch.name("stats.json");
    let limit = 22 << 20;
    let mut run = ecc(bytes("4608,512,512"));
    // A GPU's driver has memory of its own.
    run.args(["--memory", "22M", "--threads", "2", "--backend", "cpu", "--stats", &stats]).arg(&image);
    run.assert().success().stdout("value,vcec,ecc\n0,1,1\n");
    let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
    assert_eq!(stats["voxels"], 1152 << 20);
    match stats["peak_memory"].as_u64() {
        Some(peak) => assert!(peak <= limit, "{peak} bytes in use, {limit} allowed"),
        None => skipped("this system does not tell how much memory was in use"),
    }
}

#[test]
fn too_little_memory_says_what_it_takes() {
    let error =
        contains("expected at least").and(contains("bytes of memory for an image of 3x3 voxels, found 1024"));
    ring(&["--memory", "1K"]).assert().code(1).stdout(is_empty()).stderr(error);
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
    let error = contains("b.raw").and(contains("error: 1 of 3 inputs have no result"));
    run.assert().code(2).stdout(is_empty()).stderr(error);
    assert_eq!(read(&curves.join("a.raw.csv")), "value,vcec,ecc\n1,0,0\n5,1,1\n");
    assert_eq!(read(&curves.join("c.raw.csv")), "value,vcec,ecc\n7,1,1\n");
    assert!(!curves.join("b.raw.csv").exists());
    let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
    assert_eq!((&stats["failed"], stats["images"].as_array().unwrap().len()), (&1.into(), 2));
}

/// Small images are processed in parallel, one a thread: curves, messages and statistics are the same as one after
/// another.
#[test]
fn many_small_images_on_any_number_of_threads() {
    let scratch = Scratch::new();
    let images = scratch.path("images");
    fs::create_dir(&images).unwrap();
    for k in 0..40_usize {
        // The 13th and the 31st are too short.
        let length = if k % 18 == 13 { 4 } else { 9 };
        let voxels: Vec<u8> = (0..length).map(|place| ((k + 1) * (place * place + 3) % 17) as u8).collect();
        fs::write(images.join(format!("{k:02}.raw")), voxels).unwrap();
    }
    let run = |threads: &str, memory: &str| {
        let (curves, stats) =
            (scratch.path(&format!("curves {threads} {memory}")), scratch.name("stats.json"));
        let mut run = ecc(bytes("3,3"));
        run.arg(&images).arg("-o").arg(&curves).args(["--stats", &stats, "--threads", threads]);
        let failed = run.args(["--memory", memory]).assert().code(2).stdout(is_empty());
        let said = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
        let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
        let files: Vec<Value> =
            stats["images"].as_array().unwrap().iter().map(|image| image["file"].clone()).collect();
        let rows: Vec<Option<String>> =
            (0..40).map(|k| fs::read_to_string(curves.join(format!("{k:02}.raw.csv"))).ok()).collect();
        (said, files, rows)
    };
    let one = run("1", "512M");
    assert_eq!((one.1.len(), one.2.iter().flatten().count()), (38, 38));
    let places = ["13.raw", "31.raw", "2 of 40 inputs"].map(|text| one.0.find(text));
    assert!(places[0].is_some() && places.is_sorted(), "{}", one.0);
    for (threads, memory) in [("2", "512M"), ("4", "512M"), ("16", "512M"), ("16", "48M")] {
        assert!(run(threads, memory) == one, "{threads} threads, {memory}");
    }
}

#[test]
fn misuse() {
    let scratch = Scratch::new();
    let image = scratch.name("a.npy");
    let twice = [scratch.name("a.npy"), scratch.name("b/../a.npy")];
    ecc([&image, &image]).assert().code(2).stderr(contains("expected a directory for the results"));
    let into = scratch.name("into");
    ecc(&twice).args(["-o", &into]).assert().code(2).stderr(contains("expected one input for each output"));
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

/// Standard output of `lacuna ecc`.
fn curve(image: &str, options: &str) -> String {
    text_of(ecc(options.split_whitespace().chain([image])))
}

#[test]
fn integers_of_64_bits_are_rows_of_all_digits() {
    let scratch = Scratch::new();
    let steps = [0, 0, 0, 0, 2, 0, 0, 0, 0_u8];
    let image = wide(&scratch, steps.map(|step| (u64::MAX - 3 + u64::from(step)).to_le_bytes()));
    let options = "--shape 3,3 --dtype u64";
    let rows = "18446744073709551612,0,0\n18446744073709551614,1,1\n";
    assert_eq!(curve(&image, options), format!("value,vcec,ecc\n{rows}"));
    let json = curve(&image, &format!("{options} --output json"));
    assert!(json.contains("\n[18446744073709551612,0,0],\n[18446744073709551614,1,1]\n"), "{json}");
    let rows = "18446744073709551613,0,0\n18446744073709551614,1,1\n";
    assert_eq!(curve(&image, &format!("{options} --bins 2")), format!("value,vcec,ecc\n{rows}"));
    let bins = "--bins 2 --range 18446744073709551611,18446744073709551613";
    let rows = "18446744073709551612,0,0\n18446744073709551613,0,0\n";
    assert_eq!(curve(&image, &format!("{options} {bins}")), format!("value,vcec,ecc\n{rows}"));
    let error =
        "expected values that doubles hold exactly, found the integer 18446744073709551612; csv and json";
    let npy = options.split(' ').chain(["--output", "npy", &image]);
    ecc(npy).assert().code(2).stderr(contains(error));
    // Doubles hold these.
    let image = wide(&scratch, [i64::MIN, 0, 1 << 60].map(i64::to_le_bytes));
    ecc(["--shape", "1,3", "--dtype", "i64", "--output", "npy", &image]).assert().success();
    let signed = wide(&scratch, steps.map(|step| (i64::MIN + 1 + i64::from(step)).to_le_bytes()));
    let rows = "-9223372036854775805,1,1\n-9223372036854775807,0,1\n";
    assert_eq!(curve(&signed, "--superlevel --shape 3,3 --dtype i64"), format!("value,vcec,ecc\n{rows}"));
}

#[test]
fn bins_lie_over_finite_voxels() {
    let scratch = Scratch::new();
    let inf = f64::INFINITY;
    let image = wide(&scratch, [-inf, 3.0, 0.0, inf, 2.0].map(f64::to_le_bytes));
    let options = "--shape 5 --dtype f64 --bins 3";
    assert_eq!(curve(&image, options), "value,vcec,ecc\n1,2,2\n2,1,3\n3,-1,2\n");
    assert_eq!(
        curve(&image, &format!("{options} --superlevel --construction v")),
        "value,vcec,ecc\n2,2,2\n1,0,2\n0,-1,1\n"
    );
    let json = curve(&image, "--shape 5 --dtype f64 --output json");
    assert!(
        json.contains("\n[\"-inf\",1,1],\n[0.0,1,2],") || json.contains("\n[\"-inf\",1,1],\n[0,1,2],"),
        "{json}"
    );
    assert!(json.contains("\n[\"inf\","), "{json}");
    let wide_range = wide(&scratch, [-1e308, 0.0, 1e308, 1e308].map(f64::to_le_bytes));
    let rows = "-5e+307,1,1\n0,0,1\n5e+307,0,1\n1e+308,0,1\n";
    assert_eq!(curve(&wide_range, "--shape 4 --dtype f64 --bins 4"), format!("value,vcec,ecc\n{rows}"));
    assert_eq!(
        curve(&wide_range, "--shape 4 --dtype f64 --bins 4 --range=-1e308,1e308"),
        format!("value,vcec,ecc\n{rows}")
    );
    let none = wide(&scratch, [inf, inf].map(f64::to_le_bytes));
    ecc(["--shape", "2", "--dtype", "f64", "--bins", "3", &none])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("found only infinite voxels (--range)"));
    let rows = "value,vcec,ecc\n3,0,0\n3,0,0\n";
    assert_eq!(curve(&none, "--shape 2 --dtype f64 --bins 2 --range 3,3"), rows);
}

#[test]
fn a_directory_without_files_is_an_error() {
    let scratch = Scratch::new();
    let (images, curves) = (scratch.path("images"), scratch.path("curves"));
    fs::create_dir(&images).unwrap();
    let run = || {
        let mut run = ecc(bytes("3,3"));
        run.arg(&images).arg("-o").arg(&curves);
        run.assert()
    };
    let message = "images: expected a directory with files to read, found no regular, non-hidden files";
    run().code(2).stdout(is_empty()).stderr(contains(message));
    fs::create_dir(images.join("deeper")).unwrap();
    fs::write(images.join(".hidden"), RING).unwrap();
    run().code(2).stderr(contains(message));
}

#[cfg(unix)]
#[test]
fn pipes_are_left_out_of_directories_and_read_by_their_names() {
    use std::time::Duration;
    let scratch = Scratch::new();
    let (images, curves) = (scratch.path("images"), scratch.path("curves"));
    fs::create_dir(&images).unwrap();
    let pipe = images.join("pipe.raw");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let of_directory = || {
        let mut run = ecc(bytes("3,3"));
        run.arg(&images).arg("-o").arg(&curves).timeout(Duration::from_secs(300));
        run.assert()
    };
    let left_out = "pipe.raw: skipped: not a regular file\n";
    of_directory().code(2).stderr(contains(left_out).and(contains("expected a directory with files")));
    fs::write(images.join("ring.raw"), RING).unwrap();
    of_directory().success().stderr(predicates::str::ends_with(left_out));
    assert!(curves.join("ring.raw.csv").exists() && !curves.join("pipe.raw.csv").exists());
    let writer = |path: std::path::PathBuf, voxels: Vec<u8>| {
        std::thread::spawn(move || fs::write(path, voxels).unwrap())
    };
    let writing = writer(pipe.clone(), RING.to_vec());
    let mut run = ecc(bytes("3,3"));
    run.arg(&pipe)
        .timeout(Duration::from_secs(300))
        .assert()
        .success()
        .stdout("value,vcec,ecc\n1,0,0\n5,1,1\n");
    writing.join().unwrap();
    // A pipe cannot be read twice.
    let floats = [0.5_f32, 1.5].iter().flat_map(|voxel| voxel.to_le_bytes()).collect();
    let writing = writer(pipe.clone(), floats);
    let mut run = ecc(["--shape", "2", "--dtype", "f32", "--bins", "2"]);
    let message = "pipe.raw: expected the range of the bins of f32 voxels beforehand, found none (--range)";
    run.arg(&pipe).timeout(Duration::from_secs(300)).assert().code(2).stderr(contains(message));
    writing.join().unwrap();
}

/// More distinct values than fit in memory, sequentially from a pipe and at random from a file.
#[test]
fn rows_that_are_too_many_for_memory_are_kept_in_files() {
    let scratch = Scratch::new();
    let voxels: Vec<u8> = (0..1_500_000_u64)
        .flat_map(|k| f64::from_bits((k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8) | 1 << 58).to_le_bytes())
        .collect();
    let image = scratch.file("noise.raw", &voxels);
    let temporary = scratch.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let options = ["--shape", "1500,1000", "--dtype", "f64", "--threads", "2"];
    let stats = scratch.name("stats.json");
    let in_memory = stdout_of(ecc(options).arg(&image));
    let little = |format: &str| {
        let out = scratch.name(&format!("curve.{format}"));
        let mut run = ecc(options);
        run.args(["--memory", "48M", "--stats", &stats, "-o", &out, "-v", "--output", format]);
        run.arg("--temp-dir").arg(&temporary).arg(&image);
        run.assert().success().stderr(contains("1500000 rows\nrows beyond the memory limit"));
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
        let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
        assert_eq!(stats["images"][0]["rows"], 1_500_000);
        if let Some(peak) = stats["peak_memory"].as_u64() {
            assert!(peak <= 48 << 20, "{peak} bytes in use");
        }
        fs::read(&out).unwrap()
    };
    assert!(little("csv") == in_memory);
    let npy = little("npy");
    let array = npyz::NpyFile::new(npy.as_slice()).unwrap();
    assert_eq!(array.shape(), [1_500_000, 3]);
    assert_eq!(array.into_vec::<f64>().unwrap().len(), 4_500_000);
    let mut piped = ecc(options);
    piped.args(["--memory", "48M", "-"]).write_stdin(voxels);
    assert!(piped.assert().success().get_output().stdout == in_memory);
    let mut nowhere = ecc(options);
    nowhere.args(["--memory", "48M", "--temp-dir", "no such directory"]).arg(&image);
    nowhere.assert().code(1).stdout(is_empty()).stderr(contains("no such directory: cannot keep rows"));
}
