//! Wrong usage and wrong input: exit code 2, nothing on standard output, and on standard error what was expected and
//! what was found.

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

use super::{NO_DEVICE, SQUARE, Scratch, rips, rips_of};

fn refuse(arguments: &[&str], fragments: &[&str]) {
    let mut assert = rips_of(SQUARE, arguments).assert().code(2).stdout(is_empty());
    for fragment in fragments {
        assert = assert.stderr(contains(*fragment));
    }
}

#[test]
fn values_out_of_range() {
    for t in ["-1", "-inf", "nan", "abc", ""] {
        refuse(&["--threshold", t], &["--threshold <T>", "expected a non-negative number or inf", "found"]);
    }
    for r in ["0.5", "-2", "nan", "inf", "x"] {
        refuse(&["--ratio", r], &["--ratio <R>", "expected a finite number, 1 or more, found", r]);
    }
    for p in ["0", "1", "4", "65535", "65537", "4294967311", "-3", "two"] {
        refuse(&["--modulus", p], &["--modulus <P>", "expected a prime below 65536, found", p]);
    }
    for n in ["0", "-1", "1.5", "many", "65536"] {
        refuse(&["--threads", n], &["--threads <N>", "expected a number of threads from 1", n]);
    }
    for k in ["-1", "abc", "1.5", "99999999999999999999999"] {
        refuse(&["--dim", k], &["--max-dim <K>", "expected a whole number, 0 or more, found", k]);
    }
}

#[test]
fn names_there_are_not() {
    refuse(&["--format", "excel"], &["--format <FORMAT>", "lower-distance", "excel"]);
    refuse(&["--output", "xml"], &["--output <FORMAT>", "text, csv, json, npy, npz", "xml"]);
    refuse(&["--backend", "tpu"], &["--backend <auto|cpu|cuda>", "auto, cpu, cuda", "tpu"]);
    refuse(&["--pair-store", "heap"], &["--pair-store <LAYER>", "implicit, sorted", "heap"]);
}

#[test]
fn devices_there_cannot_be() {
    for (option, found, expected) in [
        ("--backend <auto|cpu|cuda>", "tpu", "auto, cpu, cuda"),
        ("--devices <N,...>", "-1", "expected the number of a device, 0 or more, found -1"),
        ("--devices <N,...>", "0,x", "expected the number of a device, 0 or more, found x"),
        ("--device-memory <BYTES>", "lots", "expected a number of bytes such as 256M, found lots"),
    ] {
        for command in ["rips", "reduce"] {
            let name = option.split(' ').next().unwrap();
            let assert = super::lacuna(command, [name, found, "-"]).assert().code(2).stdout(is_empty());
            assert.stderr(contains(option).and(contains(expected)));
        }
    }
}

/// If the machine cannot do what was asked, the exit code is 1, whatever the command.
#[test]
fn a_gpu_that_is_not_there() {
    let scratch = Scratch::new();
    let pair = scratch.file("pair.txt", "0 1\n1 0\n");
    let matrix = scratch.file("matrix.dat", super::TRIANGLE);
    let image = super::data("cubical/shell.npy");
    let skeleton = scratch.name("skeleton.npy");
    for (command, file, others) in [
        ("rips", &pair, &[][..]),
        ("reduce", &matrix, &[]),
        ("cubical", &image, &[]),
        ("cubical", &image, &["--via", "matrix"]),
        ("ecc", &image, &[]),
        ("ecc", &image, &["--scales", "2"]),
        ("thin", &image, &["-o", &skeleton]),
    ] {
        let with = |option: &[&str]| {
            let mut run = super::lacuna(command, others);
            run.arg(file).args(option).env(NO_DEVICE.0, NO_DEVICE.1);
            run.assert()
        };
        for asked in [&["--backend", "cuda"][..], &["--self-check"], &["--backend", "cpu", "--self-check"]] {
            with(asked).code(1).stdout(is_empty()).stderr(contains("error: backend cuda: "));
        }
        with(&["--backend", "auto"]).success();
    }
    let into = scratch.name("into");
    let mut several = super::lacuna("ecc", ["--backend", "cuda", "-o", &into]);
    several.args([&image, &super::data("cubical/ties.npy")]).env(NO_DEVICE.0, NO_DEVICE.1);
    several.assert().code(1).stderr(contains("backend cuda: "));
}

#[test]
fn options_there_are_not_and_options_without_a_value() {
    refuse(&["--bogus"], &["unexpected argument '--bogus'"]);
    refuse(&["--verbose", "--quiet"], &["cannot be used with"]);
    rips(["-", "--dim"]).assert().code(2).stdout(is_empty()).stderr(contains("a value is required"));
    rips(["one", "two"])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("expected a directory for the results"));
    rips::<&str>([]).assert().code(2).stdout(is_empty()).stderr(contains("<FILE>"));
}

#[test]
fn a_file_that_cannot_be_read() {
    let scratch = Scratch::new();
    let missing = scratch.path("missing.txt");
    for command in ["rips", "reduce"] {
        let refused =
            |file: &std::path::Path| super::lacuna(command, [file]).assert().code(2).stdout(is_empty());
        refused(&missing).stderr(contains("error: ").and(contains("missing.txt: ")));
        refused(scratch.0.path()).stderr(contains("error: "));
    }
}

#[test]
fn a_file_that_is_not_what_it_should_be() {
    let scratch = Scratch::new();
    let cases = [
        ("distance", "", "expected"),
        ("distance", "0 1\n1 nan\n", "line 2"),
        ("distance", "0 1\n-1 0\n", "line 2"),
        ("distance", "0 1 2\n1 0\n2 1 0\n", "line 2"),
        ("distance", "0 1\nx 0\n", "line 2, entry 1: expected a number, found \"x\""),
        ("lower-distance", "1\n2 inf nan\n", "line 2"),
        ("point-cloud", "1 2\n3\n", "line 2"),
        ("sparse", "0 1 1\n1 0 2\n", "line 2"),
        ("sparse", "0 1 1\n-1 0 2\n", "line 2"),
        ("binary", "abc", "expected"),
        ("dipha", "abcdefgh", "byte 0"),
        ("npy", "abcdefgh", "byte 0"),
    ];
    for (format, content, fragment) in cases {
        let file = scratch.file("bad.txt", content);
        let assert = rips(["--format".as_ref(), format.as_ref(), file.as_os_str()])
            .assert()
            .code(2)
            .stdout(is_empty());
        assert.stderr(contains(fragment).and(contains("error: ")).and(contains("bad.txt")));
    }
}

/// Common spellings are accepted.
#[test]
fn names_in_either_case_and_a_device_by_its_other_name() {
    rips_of(SQUARE, &["--backend", "CPU", "--pair-store", "Sorted", "--output", "Csv"]).assert().success();
    let image = super::data("cubical/shell.npy");
    super::lacuna("cubical", ["--construction", "V", image.to_str().unwrap()]).assert().success();
    for gpu in ["gpu", "GPU", "cuda"] {
        let run = rips_of("0 1\n1 0\n", &["--backend", gpu]).output().unwrap();
        // With a GPU, the run succeeds.
        assert!(matches!(run.status.code(), Some(0 | 1)), "{gpu}: {}", String::from_utf8_lossy(&run.stderr));
    }
    refuse(&["--backend", "cudda"], &["a similar value exists: 'cuda'"]);
}

/// The option has the same name in all commands; Ripser's and DIPHA's names are accepted.
#[test]
fn the_highest_dimension_is_max_dim_everywhere() {
    let answer = |subcommand: &str, arguments: &[&str], file: &str| {
        let file = super::data(file);
        let mut run = super::lacuna(subcommand, arguments);
        run.arg(file).assert().success().get_output().stdout.clone()
    };
    for (subcommand, file, other) in
        [("rips", "circle.pts", ["--dim", "0"]), ("reduce", "octahedron.dipha", ["--upper-dim", "1"])]
    {
        let same = answer(subcommand, &["--max-dim", "0"], file);
        assert!(same == answer(subcommand, &other, file), "{subcommand}");
        assert!(same != answer(subcommand, &["--max-dim", "2"], file), "{subcommand}");
    }
    answer("cubical", &["--max-dim", "0"], "cubical/shell.npy");
    let cells = |option: [&str; 2]| {
        let image = super::data("cubical/shell.npy");
        let mut run = super::lacuna("convert", option);
        run.args(["--output", "phat-ascii"])
            .arg(image)
            .arg("-")
            .assert()
            .success()
            .get_output()
            .stdout
            .clone()
    };
    assert!(cells(["--max-dim", "0"]) == cells(["--upper-dim", "1"]));
}

/// The distance matrix of these points would be twice as large as the available memory.
#[cfg(target_os = "linux")]
#[test]
fn more_points_than_memory_has_room_for_are_refused_at_once() {
    let available = lacuna::internals::available().expect("Linux tells how much memory there is");
    let points = (available as f64).sqrt() as usize;
    let scratch = Scratch::new();
    let lines: String = (0..points).map(|k| format!("{k}\n")).collect();
    let file = scratch.file("line.pts", lines);
    for arguments in [&[][..], &["--threshold", "inf"]] {
        let mut command = rips(arguments);
        command.args(["--format", "point-cloud"]).arg(&file).timeout(std::time::Duration::from_secs(300));
        let refused = command.assert().code(1).stdout("");
        refused.stderr(contains(format!("memory: {points} points")).and(contains("--threshold")));
    }
}

/// A refusal of memory is an error, known beforehand (2) or found during the run (1), and never an abort.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_is_refused_is_an_error() {
    let scratch = Scratch::new();
    let lines: String = (0..9000).map(|k| format!("{} {}\n", k % 97, k * k % 101)).collect();
    let file = scratch.file("plane.pts", lines);
    // All distances, and those of near points only.
    let near: &[&str] = &["--threshold", "17"];
    for (kilobytes, threshold) in [(300_000, &[][..]), (400_000, &[]), (130_000, near), (200_000, near)] {
        let script = "ulimit -v $0 && exec \"$@\"";
        let mut command = Command::new("sh");
        command.args([
            "-c",
            script,
            &kilobytes.to_string(),
            env!("CARGO_BIN_EXE_lacuna"),
            "rips",
            "--threads",
            "1",
        ]);
        let output = command.args(threshold).arg(&file).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{kilobytes} kB: {:?}, {stderr}", output.status);
        assert!(stderr.contains("memory") && stderr.contains("MB"), "{kilobytes} kB: {stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_that_thinning_is_refused_is_an_error() {
    let scratch = Scratch::new();
    let image = scratch.path("zeros.raw");
    let (file, out) = (image.display(), scratch.name("out.png"));
    // In a plane one pixel wide, the bits take far more memory than the voxels.
    // An image of one value is not thinned.
    std::fs::write(&image, [1]).unwrap();
    std::fs::File::options().write(true).open(&image).unwrap().set_len(30_000_000).unwrap();
    for command in [format!("thin -o {out}"), "cubical --thin".to_owned()] {
        let program = env!("CARGO_BIN_EXE_lacuna");
        let run = format!("{program} {command} --threads 1 --shape 30000000,1 --dtype u8 {file}");
        let script = format!("ulimit -v 300000; exec {run}");
        let said = contains("memory: ").and(contains("panicked").not());
        let mut sh = Command::new("sh");
        sh.args(["-c", &script]).assert().code(1).stdout(is_empty()).stderr(said);
    }
}
