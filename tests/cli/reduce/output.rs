//! Output files of pairs, replaced as a whole or not at all.

use std::fs;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

use super::super::{Scratch, TRIANGLE, TRIANGLE_PAIRS, data, read, words};
use super::{reduce, reduce_of};

fn stdout(arguments: &[&str]) -> Vec<u8> {
    reduce_of(TRIANGLE, arguments).assert().success().get_output().stdout.clone()
}

#[test]
fn every_format_of_the_triangle() {
    assert_eq!(stdout(&[]), TRIANGLE_PAIRS.as_bytes());
    assert_eq!(stdout(&["--output", "phat-binary"]), words(&[3, 1, 3, 2, 4, 5, 6]));
    let csv = "dim,birth,death\n0,1,3\n0,2,4\n1,5,6\n0,0,inf\n";
    assert_eq!(stdout(&["--output", "csv"]), csv.as_bytes());
    let json = "{\"cells\":7,\"pairs\":[\n[1,3],\n[2,4],\n[5,6]\n],\"essential\":[0]}\n";
    assert_eq!(stdout(&["--output", "json"]), json.as_bytes());
    let points = phat_formats::dipha::read_diagram(&stdout(&["--output", "dipha"])).unwrap();
    let points: Vec<_> = points.iter().map(|p| (p.dim, p.birth, p.death, p.essential)).collect();
    assert_eq!(
        points,
        [(0, 0.0, 6.0, true), (0, 1.0, 3.0, false), (0, 2.0, 4.0, false), (1, 5.0, 6.0, false)]
    );
}

#[test]
fn values_by_default_and_diagrams_by_name() {
    let scratch = Scratch::new();
    let diagram = scratch.name("octahedron.diagram");
    let input = data("octahedron_height.complex");
    reduce(["-q".as_ref(), input.as_os_str()])
        .assert()
        .success()
        .stdout(read(&data("expected/octahedron_height.csv")));
    reduce(["-q", "-o", &diagram]).arg(&input).assert().success().stdout(is_empty());
    assert_eq!(fs::read(diagram).unwrap(), fs::read(data("expected/octahedron_height.diagram")).unwrap());
    let cells = reduce(["-q", "--output", "phat-ascii"]).arg(&input).assert().success();
    assert_eq!(cells.get_output().stdout.iter().filter(|&&byte| byte == b'\n').count(), 1 + 12);
}

#[test]
fn an_existing_file_is_replaced_on_success_and_kept_on_failure() {
    let scratch = Scratch::new();
    let pairs = scratch.file("pairs.dat", "precious");
    let stats = scratch.file("stats.json", "priceless");
    let arguments = ["-o", pairs.to_str().unwrap(), "--stats", stats.to_str().unwrap()];
    reduce_of("0\n1 7\n", &arguments).assert().code(2);
    assert_eq!((read(&pairs).as_str(), read(&stats).as_str()), ("precious", "priceless"));
    assert_eq!(scratch.names(), ["pairs.dat", "stats.json"]);
    reduce_of(TRIANGLE, &arguments).assert().success().stdout(is_empty());
    assert_eq!(read(&pairs), TRIANGLE_PAIRS);
    assert!(read(&stats).starts_with('{'));
    assert_eq!(scratch.names(), ["pairs.dat", "stats.json"]);
}

#[test]
fn a_path_that_cannot_be_written_is_refused_before_the_input_is_read() {
    let scratch = Scratch::new();
    let nowhere = scratch.path("missing/pairs.dat");
    for option in ["-o", "--stats"] {
        for path in [nowhere.as_path(), scratch.0.path()] {
            let arguments = ["no-such-input".as_ref(), option.as_ref(), path.as_os_str()];
            let assert = reduce(arguments).assert().code(2).stdout(is_empty());
            let named = contains(format!("error: {}: expected a path that can be written", path.display()));
            assert.stderr(named.and(contains("no-such-input").not()));
        }
    }
}

#[test]
fn the_same_file_twice_is_refused() {
    let scratch = Scratch::new();
    let both = scratch.name("both");
    let assert = reduce_of(TRIANGLE, &["-o", &both, "--stats", &both]).assert().code(2);
    assert.stdout(is_empty()).stderr(contains("expected different files"));
    assert_eq!(scratch.names(), [""; 0]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure_of_the_run() {
    let refused = contains("error: cannot write /dev/full: ");
    reduce_of(TRIANGLE, &["-o", "/dev/full"]).assert().code(1).stdout(is_empty()).stderr(refused);
    let scratch = Scratch::new();
    let pairs = scratch.file("pairs.dat", "precious");
    let arguments = ["-o", pairs.to_str().unwrap(), "--stats", "/dev/full"];
    reduce_of(TRIANGLE, &arguments).assert().code(1).stderr(contains("/dev/full"));
    assert_eq!(read(&pairs), "precious");
}

/// A pipe has no length and no random access.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_read_like_a_file() {
    let mut command = reduce(["-q", "/dev/stdin"]);
    command.write_stdin(super::triangle_words()).assert().success().stdout(TRIANGLE_PAIRS);
}

/// All formats of the same pairs compare as equal by `lacuna compare`.
#[test]
fn every_format_compares_as_the_same() {
    let scratch = Scratch::new();
    let write = |input: &str, format: &str| {
        let file = scratch.name(&format!("{input}.{format}"));
        reduce(["-q", "--output", format, "-o", &file]).arg(data(input)).assert().success();
        file
    };
    let compare = |a: &String, b: &String| super::super::lacuna("compare", ["-q", a, b]).assert();
    let [torus, rings] = ["torus_surface.bin", "rings.complex"];
    let text = write(torus, "phat-ascii");
    for format in ["phat-binary", "json", "npz"] {
        compare(&text, &write(torus, format)).success();
    }
    compare(&write(torus, "csv"), &write(torus, "csv")).success();
    let bars = write(rings, "csv");
    for format in ["json", "dipha", "npz"] {
        compare(&bars, &write(rings, format)).success();
    }
    compare(&text, &write("octahedron_surface.bin", "phat-ascii")).code(1);
}
