//! `lacuna cubical`: bars in every format, messages, files.

use std::fs;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::{Scratch, data, lacuna, read};

fn cubical<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    lacuna("cubical", arguments)
}

/// The rows of data/cubical.tsv: file, arguments, expected bytes.
fn cases() -> Vec<(String, Vec<String>, Vec<u8>)> {
    let table = read(&data("cubical.tsv"));
    let case = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, arguments, expected] = fields[..] else { panic!("expected 3 fields: {line}") };
        let arguments = arguments.split(' ').map(str::to_owned).collect();
        (file.to_owned(), arguments, fs::read(data(expected)).unwrap())
    };
    let cases: Vec<_> = table.lines().skip(1).map(case).collect();
    assert!(cases.len() >= 20, "data/cubical.tsv lists {} cases", cases.len());
    cases
}

#[test]
fn every_case_of_the_example_data_gives_its_expected_output() {
    for (file, arguments, expected) in cases() {
        for extra in
            [&[][..], &["--threads", "1", "--format", "npy"], &["--threads", "4"], &["--via", "matrix"]]
        {
            let run = cubical(&arguments).args(extra).arg(data(&file)).assert().success();
            assert!(run.get_output().stdout == expected, "{file} {arguments:?} {extra:?}");
        }
    }
}

#[test]
fn nothing_is_said_that_was_not_asked_for() {
    let shell = data("cubical/shell.npy");
    let bars = "persistence intervals in dim 0:\n [1, )\npersistence intervals in dim 1:\n\
                persistence intervals in dim 2:\n [1,9)\n";
    let text = format!("7x6x5 image of u16, T-construction, sublevel sets\n{bars}");
    cubical([&shell]).assert().success().stdout(text.clone()).stderr(is_empty());
    let mut piped = cubical(["-"]);
    piped.write_stdin(fs::read(&shell).unwrap()).assert().success().stdout(text).stderr(is_empty());
}

#[test]
fn a_diagram_is_diphas_by_its_name() {
    let scratch = Scratch::new();
    let diagram = scratch.name("shell.diagram");
    cubical(["-o", &diagram]).arg(data("cubical/shell.npy")).assert().success().stdout(is_empty());
    assert_eq!(fs::read(&diagram).unwrap(), fs::read(data("expected/shell.diagram")).unwrap());
    assert_eq!(scratch.names(), ["shell.diagram"]);
}

/// Every format of the same bars, read back by `lacuna compare`.
#[test]
fn every_format_compares_as_the_same() {
    let scratch = Scratch::new();
    for image in ["waves", "levels", "shell", "noise"] {
        let file = |format: &str| scratch.name(&format!("{image}.{format}"));
        for format in ["text", "csv", "json", "npy", "dipha"] {
            let arguments = ["--output", format, "-o", &file(format)];
            cubical(arguments).arg(data(&format!("cubical/{image}.npy"))).assert().success();
        }
        for format in ["json", "npy", "dipha"] {
            lacuna("compare", ["-q", &file("csv"), &file(format)]).assert().success();
        }
        lacuna("compare", ["-q", "--tolerance", "1e-5", &file("csv"), &file("text")]).assert().success();
    }
}

#[test]
fn verbose_tells_bars_and_stages() {
    for way in ["gradient", "matrix"] {
        let arguments = ["-v", "--via", way, "--construction", "v"];
        let assert = cubical(arguments).arg(data("cubical/shell.npy")).assert().success();
        let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(text.contains("shell.npy: 7x6x5 image of u16\n"), "{text}");
        assert!(text.contains("dimension 0: 0 bars, 1 essential\ndimension 1: 0 bars"), "{text}");
        for stage in ["read", "persistence", "write", "total"] {
            let line = text.lines().find_map(|line| line.strip_prefix(stage));
            let seconds = line.and_then(|rest| rest.trim().strip_suffix(" s"));
            let seconds: f64 = seconds.unwrap_or_else(|| panic!("no {stage} in\n{text}")).parse().unwrap();
            assert!((0.0..60.0).contains(&seconds), "{stage}: {seconds}");
        }
        let stage = if way == "matrix" { "  build matrix " } else { "  gradient " };
        assert!(text.lines().any(|line| line.starts_with(stage)), "{text}");
    }
}

#[test]
fn explain_gives_the_plan() {
    let explained = |arguments: &[&str]| {
        let assert = cubical(arguments).arg("--explain").arg(data("cubical/ties.npy")).assert().success();
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    let text = explained(&["--threads", "3"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("via           gradient: "), "{text}");
    assert!(lines[1].starts_with("backend       cpu: "), "{text}");
    assert_eq!(lines[2], "threads       3: as asked");
    let text = explained(&["--via", "matrix", "--backend", "cpu"]);
    assert!(text.contains("algorithm     sieve: ") && text.contains("backend       cpu: as asked"), "{text}");
    assert!(text.contains("solved        dimension 1: union-find"), "{text}");
}

#[test]
fn stats_are_json() {
    let scratch = Scratch::new();
    let stats = scratch.name("stats.json");
    let run = |via: &str| -> Value {
        let arguments = ["--stats", &stats, "--via", via, "--threads", "2", "--threshold", "6"];
        cubical(arguments).arg(data("cubical/shell.npy")).assert().success();
        serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap()
    };
    let object = run("gradient");
    assert_eq!((&object["version"], &object["voxels"]), (&env!("CARGO_PKG_VERSION").into(), &"u16".into()));
    assert_eq!((&object["shape"], &object["threshold"]), (&serde_json::json!([7, 6, 5]), &6.0.into()));
    assert_eq!((&object["construction"], &object["superlevel"]), (&"T".into(), &false.into()));
    assert_eq!((&object["via"], &object["backend"]), (&"gradient".into(), &"cpu".into()));
    // The cavity is not filled before 9.
    assert_eq!(object["essential"], serde_json::json!([1, 0, 1]));
    assert_eq!(object["finite"], serde_json::json!([0, 0, 0]));
    assert_eq!((&object["threads"], object.get("matrix")), (&2.into(), None));
    assert!(object["figures"]["stages"].is_array(), "{object}");
    for key in ["read_seconds", "persistence_seconds", "write_seconds", "total_seconds"] {
        assert!(object[key].as_f64().is_some_and(|s| s >= 0.0), "{key}: {}", object[key]);
    }
    let matrix = &run("matrix")["matrix"];
    assert_eq!((&matrix["cells"], &matrix["index_bits"]), (&(15 * 13 * 11).into(), &32.into()));
    assert!(matrix["figures"]["stages"].is_array() && matrix["entries"].is_u64(), "{matrix}");
}

#[test]
fn what_cannot_be_asked_for() {
    let shell = data("cubical/shell.npy");
    for (arguments, message) in [
        (&["--construction", "x"][..], "--construction"),
        (&["--via", "magic"], "--via"),
        (&["--max-dim", "-1"], "expected a whole number, 0 or more, found -1"),
        (&["--threshold", "nan"], "expected a number, found nan"),
        (&["--output", "phat-ascii"], "--output"),
        (&["--stats", "-"], "expected the path of a file"),
    ] {
        let assert = cubical(arguments).arg(&shell).assert().code(2).stdout(is_empty());
        assert.stderr(contains(message));
    }
    let matrix = data("torus_surface.bin");
    cubical([&matrix])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("torus_surface.bin: byte 0: expected"));
    cubical(["no-such-image.npy"]).assert().code(2).stderr(contains("no-such-image.npy"));
}

#[test]
fn an_existing_file_is_replaced_on_success_and_kept_on_failure() {
    let scratch = Scratch::new();
    let bars = scratch.file("bars.csv", "precious");
    let image = scratch.file("image.npy", b"\x93NUMPY");
    cubical(["-o".as_ref(), bars.as_os_str(), image.as_os_str()]).assert().code(2);
    assert_eq!(read(&bars), "precious");
    let shell = data("cubical/shell.npy");
    let arguments = ["--output".as_ref(), "csv".as_ref(), "-o".as_ref(), bars.as_os_str(), shell.as_os_str()];
    cubical(arguments).assert().success().stdout(is_empty());
    assert_eq!(read(&bars), "dim,birth,death\n0,1,inf\n2,1,9\n");
    assert_eq!(scratch.names(), ["bars.csv", "image.npy"]);
}

#[test]
fn help_names_every_option_with_its_value_and_the_exit_codes() {
    let options = [
        "<IMAGE>",
        "--format <FORMAT>",
        "--construction <WHICH>",
        "--superlevel",
        "--max-dim <K>",
        "--threshold <X>",
        "--via <WAY>",
        "--threads <N>",
        "--backend <BACKEND>",
        "--output <FORMAT>",
        "-o, --output-file <FILE>",
        "--stats <FILE>",
        "--explain",
        "--quiet",
        "--verbose",
        "cripser",
        "dipha",
        "Examples:",
        "Exit codes:",
    ];
    let assert = cubical(["--help"]).assert().success().stderr(is_empty());
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    for option in options {
        assert!(text.contains(option), "no {option} in\n{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure_of_the_run() {
    let refused = contains("error: cannot write /dev/full: ");
    cubical(["-o", "/dev/full"])
        .arg(data("cubical/shell.npy"))
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(refused.and(contains("panicked").not()));
}
