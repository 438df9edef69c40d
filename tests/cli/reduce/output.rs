//! Output formats of pairs. That files are replaced as a whole or not at all is tested in files.rs.

use std::fs;

use predicates::str::is_empty;

use super::super::{Scratch, TRIANGLE, TRIANGLE_PAIRS, data, read, stdout_of, words};
use super::{reduce, reduce_of};

fn stdout(arguments: &[&str]) -> Vec<u8> {
    stdout_of(reduce_of(TRIANGLE, arguments))
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
