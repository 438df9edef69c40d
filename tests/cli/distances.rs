//! Input of `lacuna rips`: messages about tables, and the options that interpret them.

use predicates::prelude::*;
use predicates::str::contains;

use super::{SQUARE, SQUARE_TEXT, Scratch, packed, rips, rips_of, text_of};

/// [`SQUARE`] as pandas writes it.
const LABELLED: &str = ",a,b,c,d\na,0,1,2,1.5\nb,1,0,1.25,2\nc,2,1.25,0,1\nd,1.5,2,1,0\n";

#[test]
fn what_is_left_out_of_a_table_is_said() {
    let said = contains("standard input: distance (")
        .and(contains("standard input: line 1 is left out: a header\n"))
        .and(contains("standard input: column 1 is left out: names of rows\n"));
    rips_of(LABELLED, &[]).assert().success().stdout(SQUARE_TEXT).stderr(said);
    rips_of(LABELLED, &["-q"]).assert().success().stdout(SQUARE_TEXT).stderr("");
    rips_of(LABELLED, &["--format", "distance"]).assert().success().stdout(SQUARE_TEXT);
    rips_of(LABELLED, &["--skip-rows", "1", "--columns", "2-5"]).assert().success().stdout(SQUARE_TEXT);
}

#[test]
fn compressed_files_and_streams() {
    let packed = packed(SQUARE.as_bytes());
    let scratch = Scratch::new();
    rips([scratch.file("square.dist.gz", &packed)]).assert().success().stdout(SQUARE_TEXT);
    let mut stream = rips(["--format", "distance", "-"]);
    stream.write_stdin(packed.clone()).assert().success().stdout(SQUARE_TEXT);
    let cut = scratch.file("cut.gz", &packed[..packed.len() - 12]);
    rips([cut]).assert().code(2).stderr(contains("cut.gz: expected a sound gzip file"));
}

#[test]
fn two_readings_are_an_error_that_an_option_decides() {
    let condensed = "1\n2\n1.5\n1.25\n2\n1\n";
    let choice = contains("--format condensed").and(contains("--format point-cloud"));
    rips_of(condensed, &[]).assert().code(2).stderr(choice);
    rips_of(condensed, &["--format", "condensed"]).assert().success().stdout(SQUARE_TEXT);
    let commas = "0 1 2 1,5\n1 0 1,25 2\n2 1,25 0 1\n1,5 2 1 0\n";
    rips_of(commas, &[]).assert().code(2).stderr(contains("--decimal comma or --decimal point decides"));
    rips_of(commas, &["--decimal", "comma"]).assert().success().stdout(SQUARE_TEXT);
    rips_of(&commas.replace(' ', ";"), &[]).assert().success().stdout(SQUARE_TEXT);
}

#[test]
fn rounding_is_said_and_more_is_refused() {
    let rounded = SQUARE.replacen("0 1 2", "-1e-16 1.0000002 2", 1);
    let said = contains("1 pair of points has two distances").and(contains("not 0 on the diagonal"));
    rips_of(&rounded, &[]).assert().success().stdout(SQUARE_TEXT).stderr(said);
    let asymmetric = SQUARE.replacen("0 1 2", "0 1.1 2", 1);
    rips_of(&asymmetric, &[]).assert().code(2).stderr(contains("--symmetrize lower, upper"));
    let lower = ["--symmetrize", "lower"];
    rips_of(&asymmetric, &lower).assert().success().stdout(SQUARE_TEXT);
}

#[test]
fn values_of_options_that_make_no_sense() {
    for arguments in [
        ["--columns", "3-1"],
        ["--columns", "0"],
        ["--skip-rows", "-1"],
        ["--decimal", "semicolon"],
        ["--symmetrize", "both"],
        ["--key", "a"],
    ] {
        rips_of(SQUARE, &arguments).assert().code(2).stdout("").stderr(contains(arguments[0]));
    }
}

/// The barcode of a square with a diagonal is that of its vertices in every format.
#[test]
fn meshes_and_molecules_are_read_as_their_points() {
    let scratch = Scratch::new();
    let points = ["0 0 0", "1 0 0", "1 1 0", "0 1.25 0"];
    let lines = |prefix: &str| points.map(|point| format!("{prefix}{point}\n")).concat();
    let want = rips([scratch.file("square.pts", lines(""))]).output().unwrap();
    assert!(want.status.success());
    let ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        element face 2\nproperty list uchar int vertex_indices\nend_header\n";
    for (name, text) in [
        ("square.off", format!("OFF\n4 2 0\n{}3 0 1 2\n3 0 2 3\n", lines(""))),
        ("off.txt", format!("OFF 4 2 0\n{}3 0 1 2\n3 0 2 3\n", lines(""))),
        ("square.obj", format!("# a square\n{}f 1 2 3\nf 1 3 4\n", lines("v "))),
        ("obj", format!("o square\n{}f 1 2 3\nf 1 3 4\n", lines("v "))),
        ("square.ply", format!("{ply}{}3 0 1 2\n3 0 2 3\n", lines(""))),
        ("square.xyz", format!("4\nfour atoms\n{}", lines("C "))),
        ("plain.xyz", lines("")),
    ] {
        let file = scratch.file(name, text);
        let run = rips([&file]).assert().success().stdout(want.stdout.clone());
        let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(!said.contains("names of rows"), "{name}: {said}");
        assert_eq!(said.contains("left out"), !name.contains("xyz"), "{name}: {said}");
    }
    let broken = scratch.file("broken.obj", "v 0 0\n");
    rips([&broken])
        .assert()
        .code(2)
        .stderr(contains("broken.obj: line 1, entry 4: expected a finite coordinate"));
    let columns = rips(["--columns", "1-2"]).arg(scratch.path("square.off")).assert().code(2);
    columns.stderr(contains("a table of text, which --columns is for, found a file of format off"));
}

#[test]
fn shortest_paths_of_graphs() {
    let scratch = Scratch::new();
    // A cycle of six edges and a separate edge: as distances, and as an unweighted graph.
    let cycle = "0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n6 7\n";
    let graph = scratch.file("cycle.txt", cycle);
    let ambiguous = rips([&graph]).assert().code(2);
    ambiguous.stderr(contains("edges of a graph or points in the plane").and(contains("--format edges")));
    let edges = rips(["--format", "edges", "--output", "csv"]).arg(&graph).assert().success();
    edges.stdout(contains("1,1.0,inf\n"));
    let options = ["--format", "edges", "--shortest-paths", "--output", "csv"];
    let bars = text_of(rips(options).arg(&graph));
    // Six edges of length 1 leave two components, and the cycle is filled at 2, where three of its points are pairwise
    // adjacent.
    assert_eq!(bars.lines().filter(|line| *line == "0,0.0,1.0").count(), 6, "{bars}");
    assert_eq!(bars.lines().filter(|line| *line == "0,0.0,inf").count(), 2, "{bars}");
    assert_eq!(bars.lines().filter(|line| line.starts_with("1,")).collect::<Vec<_>>(), ["1,1.0,2.0"]);
    let points = rips(["--format", "point-cloud", "--shortest-paths"]).arg(&graph).assert().code(2);
    points.stderr(contains("expected a graph, as a list of edges or a sparse matrix, found points"));
    let mixed = scratch.file("mixed.edges", "0 1\n1 2 3\n");
    rips([&mixed])
        .assert()
        .code(2)
        .stderr(contains("line 2: expected 2 entries as in line 1, found 3 entries"));
    let births = rips(["--weights", "diagonal", "--format", "edges"]).arg(&graph).assert().code(2);
    births.stderr(contains("expected lines of two point ids and a birth"));
}

#[test]
fn boundary_matrices_are_for_reduce() {
    let scratch = Scratch::new();
    let text = scratch.file("triangle.dat", "0\n0\n0\n1 0 1\n1 0 2\n1 1 2\n2 3 4 5\n");
    let binary = scratch.file("triangle.bin", super::triangle_words());
    for file in [text, binary, super::data("triangle.complex")] {
        if file.exists() {
            rips([&file]).assert().code(2).stderr(contains("lacuna reduce reads"));
        }
    }
}

#[test]
fn names_give_a_terminal_no_orders() {
    let run = rips(["/nowhere/\u{1b}[2Jx"]).assert().code(2);
    run.stderr(contains("\\u{1b}[2Jx").and(contains("\u{1b}").not()));
}
