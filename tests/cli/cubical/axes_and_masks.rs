//! `--periodic` and `--mask`: axes that close up, and a part of an image.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::super::{Scratch, data, read};
use super::{bars, cubical, nifti, npy};

/// A ring of ones around a nine, and a column of fours beside it.
const RING_AND_COLUMN: [[u8; 4]; 3] = [[1, 1, 1, 4], [1, 9, 1, 4], [1, 1, 1, 4]];

fn ring_and_column(scratch: &Scratch) -> String {
    let image = npy([3, 4], false, |row, column| RING_AND_COLUMN[row][column]);
    scratch.file("ring.npy", image).to_str().unwrap().to_owned()
}

#[test]
fn axes_that_close_up() {
    let scratch = Scratch::new();
    let image = ring_and_column(&scratch);
    let csv = |options: &str| bars(&image, &format!("-q --output csv {options}"));
    // The rim of the band of ones has two parts, which are joined by the column of fours.
    let torus = "dim,birth,death\n0,1,inf\n1,1,inf\n1,1,4\n1,4,inf\n2,9,inf\n";
    assert_eq!(csv("--periodic x,y"), torus);
    // Around the nine goes a loop that can be filled, and along the columns of ones one that cannot.
    assert_eq!(csv("--periodic x"), "dim,birth,death\n0,1,inf\n1,1,inf\n1,1,9\n");
    assert_eq!(csv("--periodic y"), "dim,birth,death\n0,1,inf\n1,1,9\n1,4,inf\n");
    assert_eq!(csv("--periodic x,y --max-dim 1"), torus.replace("2,9,inf\n", ""));
    for options in ["x", "y", "x,y", "y,x,x"] {
        for construction in ["t", "v --superlevel"] {
            let options = format!("--periodic {options} --construction {construction}");
            for other in ["--via matrix", "--threads 1", "--verify"] {
                assert_eq!(csv(&format!("{options} {other}")), csv(&options), "{options}");
            }
        }
    }
    let text = bars(&image, "-q --periodic y,x");
    let head = "3x4 image of u8, T-construction, sublevel sets, periodic along axes 0, 1\n";
    assert!(text.starts_with(head), "{text}");
    let text = bars(&image, "-q --periodic y");
    assert!(text.starts_with(&head.replace("axes 0, 1", "axis 1")), "{text}");
    let json = |options: &str| -> Value {
        serde_json::from_str(&bars(&image, &format!("-q --output json {options}"))).unwrap()
    };
    assert_eq!(json("--periodic x,y")["periodic"], serde_json::json!([0, 1]));
    assert_eq!(json("")["periodic"], Value::Null);
    let stats = scratch.name("stats.json");
    cubical(["-q", "--periodic", "x", "--stats", &stats, &image]).assert().success();
    let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
    assert_eq!((&stats["periodic"], &stats["mask"]), (&serde_json::json!([0]), &Value::Null));
}

#[test]
fn axes_that_do_not_close_up() {
    let scratch = Scratch::new();
    let image = ring_and_column(&scratch);
    let thick = data("cubical/shell.npy");
    let line = scratch.file("line.npy", npy([1, 5], false, |_, column| column as u8));
    for (arguments, image, message) in [
        ("--periodic v", image.as_ref(), "--periodic"),
        (
            "--periodic z",
            image.as_ref(),
            "ring.npy: periodic axis 2: expected an axis of two voxels or more, found shape 3x4",
        ),
        (
            "--periodic x",
            line.as_path(),
            "line.npy: periodic axis 0: expected an axis of two voxels or more, found shape 1x5",
        ),
        (
            "--periodic z --via matrix",
            image.as_ref(),
            "ring.npy: periodic axis 2: expected an axis of two voxels or more",
        ),
        ("--periodic x,y --verify --max-dim 1", image.as_ref(), "--verify: "),
        (
            "--periodic x,y --verify --max-dim 1",
            image.as_ref(),
            "expected the bars of dimensions 0 to 2, found",
        ),
        (
            "--periodic y --representatives cycles --output json --via gradient",
            image.as_ref(),
            "expected matrix, which finds cycles of images of four axes or with periodic ones, found gradient",
        ),
        ("--periodic x --thin", image.as_ref(), "cannot be used with"),
        ("--mask m.npy --thin", thick.as_path(), "cannot be used with"),
    ] {
        let run = cubical(arguments.split(' ')).arg(image).assert().code(2).stdout(is_empty());
        run.stderr(contains(message).and(contains("panicked").not()));
    }
}

/// Makes a gray PNG file of bytes.
fn png(rows: &[[u8; 4]; 3]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 4, 3);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(rows.as_flattened()).unwrap();
    file
}

#[test]
fn the_part_of_an_image_inside_a_mask() {
    let scratch = Scratch::new();
    let image = ring_and_column(&scratch);
    // Without the nine and the fours in two of three rows.
    let inside = [[1, 1, 1, 0], [1, 0, 1, 7], [1, 1, 1, 0]];
    let voxel = |row: usize, column: usize| inside[row][column];
    let transposed: Vec<u8> = (0..12).map(|place| inside[place % 3][place / 3]).collect();
    for (name, content) in [
        ("c.npy", npy([3, 4], false, voxel)),
        ("f.npy", npy([3, 4], true, voxel)),
        ("mask.png", png(&inside)),
        ("mask.nii", nifti([3, 4, 1, 1], &transposed)),
    ] {
        let mask = scratch.file(name, content);
        let csv =
            |options: &str| bars(&image, &format!("-q --output csv --mask {} {options}", mask.display()));
        if name == "mask.nii" {
            // It has four axes, the image two.
            let refused = cubical(["--mask".as_ref(), mask.as_os_str(), image.as_ref()]).assert().code(2);
            let expected = "ring.npy: mask: expected one of shape 3x4, like the image, found shape 3x4x1x1";
            refused.stdout(is_empty()).stderr(contains(expected));
            continue;
        }
        assert_eq!(csv(""), "dim,birth,death\n0,1,inf\n1,1,inf\n", "{name}");
        assert_eq!(csv("--threshold 0"), "dim,birth,death\n", "{name}");
        // The four in the middle row joins the ends of that row.
        assert_eq!(csv("--periodic y"), "dim,birth,death\n0,1,inf\n1,1,inf\n1,4,inf\n", "{name}");
        assert_eq!(csv("--superlevel"), "dim,birth,death\n0,4,-inf\n1,1,-inf\n", "{name}");
        for options in
            ["--construction v", "--construction t", "--superlevel", "--max-dim 0", "--periodic x,y"]
        {
            assert_eq!(csv(&format!("{options} --via matrix")), csv(options), "{name} {options}");
            if !options.contains("periodic") && !options.contains("max-dim") {
                assert_eq!(csv(&format!("{options} --verify")), csv(options), "{name} {options}");
            }
        }
    }
    let none = scratch.file("none.npy", npy([3, 4], false, |_, _| 0)).to_str().unwrap().to_owned();
    assert_eq!(bars(&image, &format!("-q --output csv --mask {none}")), "dim,birth,death\n");
    let volume = scratch.file("volume.nii", nifti([3, 4, 1, 1], RING_AND_COLUMN.as_flattened()));
    let mask = scratch.name("mask.nii");
    cubical(["-q", "--verify", "--mask", &mask]).arg(volume).assert().success();
    let stats = scratch.name("stats.json");
    cubical(["-q", "--mask", &none, "--stats", &stats, &image]).assert().success();
    let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
    assert_eq!((&stats["mask"], &stats["essential"]), (&none.into(), &serde_json::json!([0, 0])));
}

#[test]
fn cycles_stay_inside_a_mask() {
    let scratch = Scratch::new();
    let image = ring_and_column(&scratch);
    let mask = scratch.file("mask.npy", npy([3, 4], true, |_, column| u8::from(column < 3)));
    let arguments =
        ["-q", "--construction", "v", "--representatives", "cycles", "--output", "json", "--mask"];
    let run = cubical(arguments).args([mask.as_os_str(), image.as_ref()]).assert().success();
    let answer: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    let loops: Vec<&Value> =
        answer["representatives"].as_array().unwrap().iter().filter(|cycle| cycle["dim"] == 1).collect();
    assert_eq!(loops.len(), 1);
    let voxels = loops[0]["voxels"].as_array().unwrap();
    assert!(voxels.len() == 8 && voxels.iter().all(|voxel| voxel[1] != 3), "{answer}");
}

#[test]
fn masks_that_do_not_suit_their_image() {
    let scratch = Scratch::new();
    let image = ring_and_column(&scratch);
    let turned = scratch.file("turned.npy", npy([4, 3], false, |_, _| 1)).to_str().unwrap().to_owned();
    let text = scratch.file("mask.npy", "no image").to_str().unwrap().to_owned();
    let absent = scratch.name("absent.npy");
    let holed = super::super::npy("<f8", false, "(3, 4)", &super::super::doubles(&[f64::NAN; 12]));
    let holed = scratch.file("holed.npy", holed).to_str().unwrap().to_owned();
    for (mask, message) in [
        (&turned, "ring.npy: mask: expected one of shape 3x4, like the image, found shape 4x3"),
        (&text, "mask.npy: "),
        (&absent, "absent.npy: "),
        (&holed, "holed.npy: voxel (0, 0): expected a number, found NaN"),
    ] {
        for way in ["gradient", "matrix"] {
            let run = cubical(["--via", way, "--mask", mask, &image]).assert().code(2).stdout(is_empty());
            run.stderr(contains(message).and(contains("panicked").not()));
        }
    }
}

#[test]
fn a_batch_has_one_mask() {
    let scratch = Scratch::new();
    let image = ring_and_column(&scratch);
    let other = scratch.file("other.npy", npy([3, 3], false, |_, _| 1)).to_str().unwrap().to_owned();
    let mask = scratch.file("mask.npy", npy([3, 4], false, |row, _| u8::from(row != 1)));
    let (mask, out) = (mask.to_str().unwrap().to_owned(), scratch.name("bars"));
    let run = cubical(["--output", "csv", "-o", &out, "--mask", &mask, &image, &other]).assert().code(2);
    run.stderr(contains("other.npy: mask: expected one of shape 3x3, like the image, found shape 3x4"));
    let found = read(&scratch.path("bars/ring.npy.csv"));
    assert_eq!(found, "dim,birth,death\n0,1,inf\n0,1,inf\n");
}

#[test]
fn a_checkpoint_knows_axes_and_mask() {
    let scratch = Scratch::new();
    let image = ring_and_column(&scratch);
    let bad = scratch.file("bad.npy", b"\x93NUMPY").to_str().unwrap().to_owned();
    let mask = scratch.file("mask.npy", npy([3, 4], false, |_, _| 1)).to_str().unwrap().to_owned();
    let (out, kept) = (scratch.name("bars"), scratch.name("kept"));
    let run = |more: &[&str]| {
        let arguments = ["--checkpoint", &kept, "-o", &out, &image, &bad];
        cubical(arguments).args(more).assert()
    };
    run(&["--mask", &mask, "--periodic", "x"]).code(2).stderr(contains("1 of 2 inputs have no result"));
    run(&["--mask", &mask]).code(2).stderr(contains("--periodic"));
    run(&["--periodic", "x"]).code(2).stderr(contains("--mask"));
    scratch.file("bad.npy", npy([3, 4], false, |_, column| column as u8));
    let same = ["--mask", &mask, "--periodic", "x"];
    scratch.file("mask.npy", npy([3, 4], false, |_, _| 2));
    run(&same).code(2).stderr(contains("mask was 140 bytes, checksum "));
    scratch.file("mask.npy", npy([3, 4], false, |_, _| 1));
    run(&same).success().stderr(contains("1 of 2 inputs already have results"));
}
