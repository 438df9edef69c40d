//! Weighted filtrations: births on the diagonal of matrices and lists of edges, and by the distance to a measure.

use predicates::str::contains;

use super::{SQUARE, SQUARE_TEXT, Scratch, doubles, npy, rips, rips_of};

/// Three points that are born at 0.5, 1 and 2.5.
const BORN: &str = "0.5 2 3\n2 1 4\n3 4 2.5\n";

const BORN_TEXT: &str = "\
value range: [2,4]
distance matrix with 3 points, using threshold at enclosing radius 3
persistence intervals in dim 0:
 [1,2)
 [2.5,3)
 [0.5, )
persistence intervals in dim 1:
";

const DIAGONAL: [&str; 2] = ["--weights", "diagonal"];

#[test]
fn a_diagonal_is_births_only_if_it_is_said_so() {
    rips_of(BORN, &["--format", "distance"]).assert().code(2).stderr(contains("expected 0 on the diagonal"));
    rips_of(BORN, &DIAGONAL).assert().success().stdout(BORN_TEXT);
    rips_of(SQUARE, &DIAGONAL).assert().success().stdout(SQUARE_TEXT);
}

#[test]
fn births_in_every_format_that_has_a_diagonal() {
    let scratch = Scratch::new();
    let bars = "dim,birth,death\n0,1.0,2.0\n0,2.5,3.0\n0,0.5,inf\n";
    let csv = |path: &std::path::Path| {
        rips(DIAGONAL).args(["--output", "csv"]).arg(path).assert().success().stdout(bars);
    };
    csv(&scratch.file("born.dist", BORN.as_bytes()));
    csv(&scratch.file("born.edges", b"0 0 0.5\n0 1 2\n1 1 1\n2 0 3\n2 1 4\n2 2 2.5\n"));
    let market = "%%MatrixMarket matrix coordinate real symmetric\n3 3 6\n1 1 0.5\n2 1 2\n2 2 1\n3 1 3\n3 2 4\n3 3 2.5\n";
    csv(&scratch.file("born.mtx", market.as_bytes()));
    let dense = "%%MatrixMarket matrix array real general\n3 3\n0.5\n2\n3\n2\n1\n4\n3\n4\n2.5\n";
    csv(&scratch.file("dense.mtx", dense.as_bytes()));
    let numbers = [0.5f64, 2.0, 3.0, 2.0, 1.0, 4.0, 3.0, 4.0, 2.5];
    let little = |words: &[i64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let dipha = [little(&[8_067_171_840, 7, 3]), doubles(&numbers)].concat();
    csv(&scratch.file("born.dipha", &dipha));
    let sparse = [little(&[8_067_171_840, 8, 3, 3, 3, 3, 0, 1, 2, 0, 1, 2, 0, 1, 2]), doubles(&numbers)];
    csv(&scratch.file("sparse.dipha", sparse.concat()));
    csv(&scratch.file("born.npy", npy("<f8", false, "(3, 3)", &doubles(&numbers))));
}

#[test]
fn what_cannot_be_births() {
    for (input, options, expected) in [
        ("0.5 2 3\n2 1 4\n3 4 3.5\n", &[][..], "expected at least the birth of point 2, 3.5, found \"3\""),
        ("0.5 2 3\n2 -1 4\n3 4 2.5\n", &[], "expected a birth, a non-negative number or inf, found \"-1\""),
        (
            "0 1 2\n1 1 2.5\n",
            &["--format", "sparse"],
            "line 1: expected at least the birth of point 1, 2.5, found 2",
        ),
        ("0 1 2\n1 1 1\n1 1 1\n", &["--format", "sparse"], "line 3: expected every pair of points once"),
        ("0 1 2\n1 1 -1\n", &["--format", "sparse"], "expected a birth"),
        ("0 1 2\n1 0 2\n1 1 2\n", &[], "--format distance or --format sparse says which"),
        ("0 1 2 4\n1 0 2 4\n", &[], "expected a square matrix with births on its diagonal, or lines of"),
        ("1\n2 3\n", &["--format", "lower-distance"], "found the distances on one side of the diagonal"),
        ("1 2\n2 3\n", &["--format", "point-cloud"], "which --weights diagonal is for, found points"),
    ] {
        let refused = rips_of(input, &[&DIAGONAL[..], options].concat()).assert().code(2).stdout("");
        let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(said.contains(expected), "{input}: {said}");
    }
}

#[test]
fn edges_that_are_early_by_rounding() {
    let said = contains("1 edge was born before a point by rounding, and now with it");
    rips_of("0 1 2\n1 1 2.0001\n", &["--weights", "diagonal", "--format", "sparse"])
        .assert()
        .success()
        .stdout(contains(" [0, )\n"))
        .stderr(said);
}

/// Four points on a line, each near the next. Weights by hand: w = 2 √((d₁² + d₂²)/3).
#[test]
fn distances_to_a_measure() {
    let line = "0\n1\n2\n3\n";
    let dtm = ["--format", "point-cloud", "--weights", "dtm", "--dtm-neighbors", "2", "--dtm-p", "inf"];
    let [ends, middle] = [5.0f64, 2.0].map(|sum| 2.0 * (sum / 3.0).sqrt());
    let bars = rips_of(line, &[&dtm[..], &["--output", "csv"]].concat()).assert().success();
    let text = String::from_utf8_lossy(&bars.get_output().stdout).into_owned();
    // All edges between neighbours are born with a point, so one component is left, born with the points in the middle.
    assert_eq!(text, format!("dim,birth,death\n0,{},inf\n", f64::from(middle as f32)), "{ends}");
    for (options, expected) in [
        (
            &["--weights", "dtm", "--dtm-neighbors", "4"][..],
            "takes 4 neighbours of each point, point 0 has 3",
        ),
        (&["--dtm-r", "2"], "--dtm-r applies only to --weights dtm"),
        (&["--weights", "dtm", "--dtm-r", "0"], "expected a finite number above 0, found 0"),
        (&["--weights", "dtm", "--dtm-p", "3"], "--dtm-p"),
        (&["--weights", "dtm", "--dtm-neighbors", "0"], "expected a whole number, 1 or more, found 0"),
        (&["--weights", "mass"], "--weights"),
    ] {
        rips_of(line, &[&["--format", "point-cloud"], options].concat())
            .assert()
            .code(2)
            .stderr(contains(expected));
    }
}
