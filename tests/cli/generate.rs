//! `lacuna generate`: inputs by seed, whose barcodes match their shapes.

use std::fs;

use predicates::str::{contains, is_empty};

use super::{Scratch, lacuna};

#[test]
fn a_seed_is_the_same_file_and_another_is_another() {
    let scratch = Scratch::new();
    let file = |options: &[&str], name: &str| {
        let out = scratch.path(name);
        lacuna("generate", options).arg("-q").arg("-o").arg(&out).assert().success().stderr(is_empty());
        fs::read(out).unwrap()
    };
    for space in
        ["circle", "sphere", "torus", "klein-bottle", "projective-plane", "swiss-roll", "clustered", "cube"]
    {
        let options = [space, "--points", "50", "--noise", "0.1", "--seed"];
        let of_seed = |seed| file(&[&options[..], &[seed]].concat(), "points.npy");
        assert!(of_seed("1") == of_seed("1") && of_seed("1") != of_seed("2"), "{space}");
    }
    for scene in ["noise", "field", "blobs", "vessels"] {
        for threads in ["1", "2"] {
            let options = [scene, "--shape", "20,30,10", "--threads", threads, "--seed"];
            let of_seed = |seed| file(&[&options[..], &[seed]].concat(), "image.npy");
            let one = file(&[scene, "--shape", "20,30,10", "--seed", "1"], "one.npy");
            assert!(of_seed("1") == one && one != of_seed("2"), "{scene}");
        }
    }
}

#[test]
fn points_are_read_by_rips_and_images_by_cubical() {
    let scratch = Scratch::new();
    let points = lacuna("generate", ["circle", "--points", "60", "--seed", "3"]).assert().success();
    let points = points.stderr("60 points in R^2\n").get_output().stdout.clone();
    let mut rips = lacuna("rips", ["-q", "--format", "point-cloud", "--ratio", "2", "--output", "csv", "-"]);
    let text = rips.write_stdin(points).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("1,")).count(), 1, "{text}");
    let image = scratch.path("blobs.png");
    let blobs = ["blobs", "--shape", "64,64", "--scale", "5", "--seed", "2", "-o"];
    lacuna("generate", blobs).arg(&image).assert().success().stderr("64x64 image of u8\n");
    lacuna("cubical", ["-q"]).arg(&image).assert().success().stdout(contains("[0, )"));
    // Distances of the points, in any format of distances.
    let out = scratch.path("torus.lower");
    lacuna("generate", ["torus", "--points", "10", "-o"]).arg(&out).assert().success();
    assert_eq!(fs::read_to_string(out).unwrap().lines().count(), 9);
}

#[test]
fn what_does_not_go_together() {
    for (arguments, message) in [
        (&["torus"][..], "torus: expected --points, found none"),
        (&["noise"], "noise: expected --shape, found none"),
        (&["torus", "--points", "5", "--shape", "3"], "--shape applies only to an image, not to torus"),
        (
            &["torus", "--points", "5", "--dimension", "3"],
            "--dimension applies only to sphere, cube or clustered",
        ),
        (&["noise", "--shape", "5", "--points", "3"], "--points applies only to points"),
        (&["field", "--shape", "5", "--density", "0.5"], "--density applies only to blobs or vessels"),
        (&["circle", "--points", "0"], "points: expected a number from 1 to 4294967295, found 0"),
        (
            &["circle", "--points", "3", "--noise", "-1"],
            "noise: expected a finite number from 0 on, found -1",
        ),
        (&["circle", "--points", "3", "--output", "png"], "--output png: expected a format of points"),
        (&["noise", "--shape", "3,3,3", "--output", "png"], "format png: expected"),
        (&["mug", "--points", "3"], "klein-bottle"),
    ] {
        lacuna("generate", arguments).assert().code(2).stderr(contains(message));
    }
}

#[test]
fn sizes_that_no_machine_counts_are_refused() {
    let most = usize::MAX.to_string();
    for (options, expected) in [
        (&["circle", "--points", &most][..], "points: expected a number from 1 to 4294967295"),
        (
            &["clustered", "--points", "2", "--clusters", &most],
            "clusters: expected a number from 1 to 4294967295",
        ),
        (&["field", "--shape", "5,5", "--scale", "1e300"], "scale: expected a number from 0 to 1000000"),
    ] {
        lacuna("generate", options).assert().code(2).stderr(contains(expected));
    }
}

/// Refused with any limit, slightly or far below what the generation needs.
#[cfg(target_os = "linux")]
#[test]
fn what_does_not_fit_into_memory_is_refused() {
    let scratch = Scratch::new();
    let out = scratch.name("out.npy");
    for drawn in [
        "torus --points 8000000",
        "cube --dimension 20 --points 1000000",
        "noise --shape 500,500,200",
        "field --shape 500,500,100 --scale 1",
        "blobs --shape 500,500,100 --scale 0.1",
        "vessels --shape 500,500,500",
    ] {
        for kilobytes in [80_000, 130_000, 170_000, 200_000, 240_000] {
            let program = env!("CARGO_BIN_EXE_lacuna");
            let run = format!("{program} generate {drawn} --threads 1 -q -o {out}");
            let output = std::process::Command::new("sh")
                .args(["-c", &format!("ulimit -v {kilobytes}; exec {run}")])
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            let is_refused = matches!(output.status.code(), Some(1 | 2)) && said.contains("out of memory");
            assert!(output.status.success() || is_refused, "{drawn}, {kilobytes} kB: {output:?}");
        }
    }
}
