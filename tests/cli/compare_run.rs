//! `lacuna compare --run`: results of other programs on the same inputs, where they are installed.
//!
//! `LACUNA_PYTHON` names a Python with the modules (default `python3`); `LACUNA_RIPSER`, `LACUNA_RIPSERPP`,
//! `LACUNA_PHAT` and `LACUNA_DIPHA` name the programs (default: on the PATH). Missing ones are reported.

use std::env;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

use super::{Scratch, data, lacuna, skipped, triangle_words};

/// Runs the comparison with a reference. If it is not installed, reports that and returns `None`.
fn compared(reference: &str, options: &[&str], input: &Path) -> Option<String> {
    let mut command = lacuna("compare", ["--run", reference]);
    let variable = format!("LACUNA_{}", reference.to_uppercase());
    if let Some(program) = env::var_os(&variable) {
        command.arg("--program").arg(program);
    }
    let is_module = matches!(reference, "giotto-ph" | "gudhi" | "cripser");
    if let Some(python) = env::var_os("LACUNA_PYTHON").filter(|_| is_module) {
        command.arg("--python").arg(python);
    }
    let output = command.args(options).arg(input).output().unwrap();
    let [said, wrong] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    if output.status.code() == Some(2) && wrong.contains("found none") {
        skipped(&format!("{reference} is not installed: {}", wrong.trim()));
        return None;
    }
    assert!(output.status.success(), "{reference} {}: {said}{wrong}", input.display());
    assert!(said.contains("\nsame: ") && said.contains("lacuna "), "{said}");
    Some(said)
}

#[test]
fn distances() {
    for reference in ["ripser", "ripserpp", "giotto-ph", "gudhi", "dipha"] {
        for (input, options) in [
            ("circle.pts", &[][..]),
            ("klein_bottle.lower", &["--max-dim", "2"]),
            ("grid.upper", &["--threshold", "3"]),
            ("octahedron.sparse", &["--max-dim", "2"]),
            ("two_cycles.sparse", &["--threshold", "1.9"]),
            // Its barcode depends on the field.
            ("klein_bottle.lower", &["--max-dim", "2", "--modulus", "3"]),
        ] {
            let has_fields = ["giotto-ph", "gudhi"].contains(&reference);
            let is_known = match options.first() {
                Some(&"--threshold") => reference != "dipha",
                _ => has_fields || !options.contains(&"--modulus"),
            };
            if !is_known {
                continue;
            }
            if compared(reference, options, &data(input)).is_none() {
                break;
            }
        }
    }
}

#[test]
fn images() {
    for reference in ["gudhi", "cripser", "dipha", "phat"] {
        for (input, construction) in [("levels", "t"), ("levels", "v"), ("shell", "t"), ("noise", "v")] {
            if reference == "dipha" && construction == "t" {
                continue;
            }
            let options = ["--construction", construction, "--from", "image"];
            let Some(said) = compared(reference, &options, &data(&format!("cubical/{input}.npy"))) else {
                break;
            };
            let computes = ["gudhi", "cripser"].contains(&reference);
            assert_eq!(said.contains(" s of it the computation"), computes, "{said}");
        }
    }
}

#[test]
fn matrices() {
    for reference in ["phat", "dipha"] {
        compared(reference, &[], &data("torus_surface.bin"));
        compared(reference, &[], &data("octahedron_height.complex"));
    }
}

#[test]
fn what_is_not_installed_is_an_error_that_says_how() {
    let circle = data("circle.pts");
    let run = |options: &[&str]| {
        let mut command = lacuna("compare", options);
        command.arg(&circle).env("PATH", "");
        command
    };
    run(&["--run", "ripser"]).assert().code(2).stderr(contains(
        "ripser: expected a program ripser on the PATH, or --program, found none; it is built from",
    ));
    run(&["--run", "gudhi", "--python", "/no/python"]).assert().code(2).stderr(contains("pip install gudhi"));
    run(&["--run", "cripser"]).assert().code(2).stderr(contains("expected a file of kind image"));
    run(&["--run", "mug"]).assert().code(2).stderr(contains("giotto-ph"));
    let piped = lacuna("compare", ["--run", "ripser", "-"]).write_stdin("0 1\n1 0\n").assert().code(2);
    piped.stderr(contains("expected a file, which both programs can read"));
    run(&[]).assert().code(2).stderr(contains("<B>"));
    run(&["--python", "python3"]).assert().code(2);
    let array = data("cubical/levels.npy");
    lacuna("compare", ["--run", "gudhi"]).arg(array).assert().code(2).stderr(contains("choose with --from"));
}

/// A different result is distinguished from a failure of the program.
#[cfg(unix)]
#[test]
fn a_reference_that_disagrees() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let script = |name: &str, text: &str| {
        let path = scratch.file(name, format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let compare = |program: &Path, reference: &str, input: &Path| -> Command {
        let mut command = lacuna("compare", ["--run", reference, "--program"]);
        command.arg(program).arg(input);
        command
    };
    let wrong = script("wrong", "printf 'persistence intervals in dim 0:\\n [0,1)\\n [0, )\\n'");
    let square = scratch.file("square.dist", super::SQUARE);
    compare(&wrong, "ripser", &square).assert().code(1).stdout(
        contains("only in lacuna")
            .and(contains("different: 5 in lacuna"))
            .and(contains("--format lower-distance --dim 1")),
    );
    let fails = script("fails", "echo no memory >&2; exit 3");
    compare(&fails, "ripser", &square).assert().code(2).stderr(contains("no memory"));
    // PHAT's pairs of the triangle, from a script that receives PHAT's binary file.
    let pairs = scratch.file("pairs.bin", super::words(&[3, 1, 3, 2, 4, 5, 6]));
    let right = script("right", &format!("cp {} \"$3\"", pairs.display()));
    let matrix = scratch.file("triangle.bin", triangle_words());
    compare(&right, "phat", &matrix).assert().code(0).stdout(contains("same: 3 in lacuna"));
}

/// The reference receives a path that is not mistaken for an option, and a dimension that it can parse.
#[cfg(unix)]
#[test]
fn a_file_that_is_called_as_an_option_and_a_great_dimension() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let given = scratch.name("given");
    let program = scratch.file("program", format!("#!/bin/sh\necho \"$@\" > {given}\nexit 3\n"));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    scratch.file("-x", super::SQUARE);
    for (reference, dimension) in [("ripser", "--dim 2"), ("dipha", "--upper_dim 2147483647 /")] {
        let max_dim = if reference == "dipha" { "18446744073709551615" } else { "2" };
        let mut command =
            lacuna("compare", ["--run", reference, "--from", "distances", "--max-dim", max_dim]);
        command.arg("--program").arg(&program).args(["--", "-x"]).current_dir(scratch.path(""));
        command.env("TMPDIR", ".").assert().code(2).stderr(contains("expected an answer"));
        let given = super::read(given.as_ref());
        assert!(given.contains(dimension) && given.contains(" /"), "{given}");
        // The random name of a folder may contain "-x".
        assert!(given.split_whitespace().all(|word| !word.ends_with("-x")), "{given}");
    }
}

#[test]
fn options_that_a_reference_does_not_heed_are_refused() {
    let points = data("octahedron.pts");
    let refused = |options: &[&str], expected: &str| {
        lacuna("compare", options).arg(&points).assert().code(2).stderr(contains(expected));
    };
    refused(
        &["--run", "gudhi", "--program", "gudhi"],
        "--program applies only to references that are programs",
    );
    refused(&["--run", "ripser", "--python", "python3"], "--python applies only to a module of Python");
    refused(&["--run", "ripser", "--construction", "v"], "--construction applies only to an image");
    refused(
        &["--run", "dipha", "--from", "distances", "--threshold", "1"],
        "--threshold applies only to ripser",
    );
    refused(
        &["--run", "cripser", "--from", "image", "--threshold", "1"],
        "--threshold applies only to distances",
    );
    refused(
        &["--run", "phat", "--from", "matrix", "--max-dim", "1"],
        "--max-dim applies only to any reference but phat",
    );
    refused(&["--run", "dipha", "--from", "image", "--construction", "t"], "expected --construction v");
    refused(&["--run", "ripserpp", "--modulus", "3"], "--modulus applies only to ripser, giotto-ph or gudhi");
    refused(&["--run", "gudhi", "--from", "image", "--modulus", "3"], "--modulus applies only to distances");
    refused(&["--run", "gudhi", "--modulus", "4"], "expected a prime");
    refused(&["--run", "ripser", "--format-a", "csv"], "cannot be used with");
}
