//! Images of four axes.

use predicates::prelude::*;
use predicates::str::contains;

use serde_json::json;

use super::{Scratch, json_of, lacuna, npy, text_of};

/// A shell around its middle: 3 × 3 × 3 × 3 voxels of 1, and a 9.
fn shell(scratch: &Scratch) -> String {
    let voxels: Vec<u8> = (0..81).map(|place| if place == 40 { 9 } else { 1 }).collect();
    let file = scratch.file("shell.npy", npy("|u1", false, "(3, 3, 3, 3)", &voxels));
    file.to_str().unwrap().to_owned()
}

#[test]
fn bars_and_curves_are_those_of_a_shell() {
    let scratch = Scratch::new();
    let image = shell(&scratch);
    for construction in ["t", "v"] {
        let found = text_of(lacuna(
            "cubical",
            ["--frame", "all", "--construction", construction, "--verify", "--output", "csv", &image],
        ));
        assert_eq!(found, "dim,birth,death\n0,1,inf\n3,1,9\n", "{construction}");
        let found = text_of(lacuna("ecc", ["-q", "--frame", "all", "--construction", construction, &image]));
        assert_eq!(found, "value,vcec,ecc\n1,0,0\n9,1,1\n", "{construction}");
    }
    let found =
        text_of(lacuna("cubical", ["--frame", "all", "--output", "cripser", "--max-dim", "3", &image]));
    let rows: Vec<&str> = found.lines().collect();
    assert_eq!(rows[1], "3,1,9,2,1,1,1,1,1,1,1");
    // Closed up along all axes it is a torus of four, whose last class is that of the 9.
    let found =
        text_of(lacuna("cubical", ["--frame", "all", "--periodic", "x,y,z,w", "--output", "csv", &image]));
    let count = |dim: &str| found.lines().filter(|line| line.starts_with(dim)).count();
    assert_eq!(["0,", "1,", "2,", "3,", "4,"].map(count), [1, 4, 6, 4, 1], "{found}");
}

#[test]
fn the_cycle_of_a_shell_is_around_its_middle() {
    let scratch = Scratch::new();
    let image = shell(&scratch);
    for (construction, cells, voxels) in [("t", 8, 8), ("v", 64, 80)] {
        let options = ["--frame", "all", "--representatives", "cycles", "--only", "3:0", "--output", "json"];
        let found = json_of(lacuna("cubical", options).args(["--construction", construction, &image]));
        let found = &found["representatives"][0];
        let [cycle, around] = ["cycle", "voxels"].map(|key| found[key].as_array().unwrap());
        assert_eq!((cycle.len(), around.len()), (cells, voxels), "{construction}");
        assert!(cycle.iter().chain(around).all(|at| at.as_array().unwrap().len() == 4));
        assert!(!around.contains(&json!([1, 1, 1, 1])));
    }
}

#[test]
fn a_mask_has_four_axes_too() {
    let scratch = Scratch::new();
    let image = shell(&scratch);
    let inside: Vec<u8> = (0..81).map(|place| u8::from(place != 40)).collect();
    let mask = scratch.file("mask.npy", npy("|u1", false, "(3, 3, 3, 3)", &inside));
    let mask = mask.to_str().unwrap();
    let found = text_of(lacuna("cubical", ["--frame", "all", "--mask", mask, "--output", "csv", &image]));
    assert_eq!(found, "dim,birth,death\n0,1,inf\n3,1,inf\n");
}

#[test]
fn what_takes_three_axes_says_so() {
    let scratch = Scratch::new();
    let image = shell(&scratch);
    let of_three = "1 to 3 axes of more than one voxel";
    lacuna("cubical", [&image])
        .assert()
        .code(2)
        .stderr(contains(format!("{of_three}, or 4 with --frame all")));
    let [thinned, drawing] = ["thinned.npy", "shells.vtk"].map(|name| scratch.name(name));
    for (command, options, place) in [
        ("cubical", vec!["--geometry", &drawing], "--geometry"),
        ("cubical", vec!["--thin"], "--thin"),
        ("ecc", vec!["--scales", "2"], "shell.npy"),
        ("ect", vec!["--directions", "8"], "shell.npy"),
        ("thin", vec!["-o", &thinned], "shell.npy"),
    ] {
        let run = lacuna(command, options.iter().copied().chain(["--frame", "all", &image])).assert();
        run.code(2).stderr(contains(place).and(contains(format!("expected {of_three}, found shape"))));
    }
}
