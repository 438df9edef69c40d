//! Text output: identical to Ripser 1.2.1 (for other coefficients, its coefficient build) on the same input.

use super::{SQUARE, SQUARE_TEXT, Scratch, rips, rips_of};

const POINTS: &str = "0 0\n1 0\n1 1\n0 1\n0.5 2.25\n";

const OCTAHEDRON: &str = "1 0 0\n-1 0 0\n0 1.1 0\n0 -1.1 0\n0 0 1.2\n0 0 -1.2\n";

fn expect(input: &str, arguments: &[&str], text: &str) {
    rips_of(input, arguments).assert().success().stdout(text.to_string());
}

#[test]
fn a_matrix_at_its_enclosing_radius() {
    expect(SQUARE, &["--format", "distance"], SQUARE_TEXT);
}

#[test]
fn a_matrix_with_a_threshold() {
    let text = "\
value range: [1,2]
sparse distance matrix with 4 points and 3/6 entries
persistence intervals in dim 0:
 [0,1)
 [0,1)
 [0,1.25)
 [0, )
persistence intervals in dim 1:
";
    expect(SQUARE, &["--format", "distance", "--threshold", "1.25"], text);
}

#[test]
fn a_matrix_below_its_least_distance() {
    let text = "\
value range: [1,2]
sparse distance matrix with 4 points and 0/6 entries
persistence intervals in dim 0:
 [0, )
 [0, )
 [0, )
 [0, )
persistence intervals in dim 1:
persistence intervals in dim 2:
";
    expect(SQUARE, &["--threshold", "0.5", "--dim", "2"], text);
}

#[test]
fn a_matrix_whole() {
    let sparse = "sparse distance matrix with 4 points and 6/6 entries";
    let dense = "distance matrix with 4 points, using threshold at enclosing radius 2";
    expect(SQUARE, &["--threshold", "inf"], &SQUARE_TEXT.replace(dense, sparse));
}

#[test]
fn a_lower_triangle_in_more_dimensions_than_there_are() {
    let text = format!("{SQUARE_TEXT}persistence intervals in dim 2:\n");
    expect("1\n2 1.25\n1.5 2 1\n", &["--format", "lower-distance", "--dim", "7"], &text);
    expect("1\n2 1.25\n1.5 2 1\n", &["--format", "lower", "--dim", &usize::MAX.to_string()], &text);
}

#[test]
fn points_at_their_enclosing_radius() {
    let text = "\
point cloud with 5 points in dimension 2
value range: [1,2.30489]
distance matrix with 5 points, using threshold at enclosing radius 1.41421
persistence intervals in dim 0:
 [0,1)
 [0,1)
 [0,1)
 [0,1.34629)
 [0, )
persistence intervals in dim 1:
 [1,1.41421)
";
    expect(POINTS, &["--format", "point-cloud"], text);
}

#[test]
fn points_with_a_finite_threshold_have_one_header_line() {
    let text = "\
point cloud with 5 points in dimension 2
persistence intervals in dim 0:
 [0,1)
 [0,1)
 [0,1)
 [0, )
 [0, )
persistence intervals in dim 1:
 [1, )
";
    expect(POINTS, &["--format", "point-cloud", "--threshold", "1.3"], text);
}

#[test]
fn points_whole() {
    let text = "\
point cloud with 5 points in dimension 2
value range: [1,2.30489]
sparse distance matrix with 5 points and 10/10 entries
persistence intervals in dim 0:
 [0,1)
 [0,1)
 [0,1)
 [0,1.34629)
 [0, )
persistence intervals in dim 1:
 [1,1.41421)
";
    expect(POINTS, &["--format", "point-cloud", "--threshold", "inf"], text);
}

const EDGES: &str = "0 1 1\n1 2 0.5\n2 3 1.25\n3 0 1\n4 5 1e-05\n";

#[test]
fn a_list_of_edges() {
    let text = "\
sparse distance matrix with 6 points and 5/15 entries
persistence intervals in dim 0:
 [0,1e-05)
 [0,0.5)
 [0,1)
 [0,1)
 [0, )
 [0, )
persistence intervals in dim 1:
 [1.25, )
persistence intervals in dim 2:
";
    expect(EDGES, &["--format", "sparse", "--dim", "2"], text);
}

/// Ripser counts and keeps the longer edge.
#[test]
fn a_list_of_edges_is_cut_at_the_threshold() {
    let text = "\
sparse distance matrix with 6 points and 4/15 entries
persistence intervals in dim 0:
 [0,1e-05)
 [0,0.5)
 [0,1)
 [0,1)
 [0, )
 [0, )
persistence intervals in dim 1:
";
    expect(EDGES, &["--format", "sparse", "--threshold", "1"], text);
}

#[test]
fn ratio_leaves_out_short_bars_above_dimension_zero() {
    let head = "\
point cloud with 6 points in dimension 3
value range: [1.48661,2.4]
distance matrix with 6 points, using threshold at enclosing radius 2
persistence intervals in dim 0:
 [0,1.48661)
 [0,1.48661)
 [0,1.48661)
 [0,1.56205)
 [0,1.56205)
 [0, )
persistence intervals in dim 1:
";
    let tail = "persistence intervals in dim 2:\n [1.62788,2)\n";
    let (short, long) = (" [1.56205,1.62788)\n", " [1.48661,1.62788)\n");
    for (ratio, between) in
        [("1", format!("{short}{short}{long}")), ("1.09", long.to_string()), ("1.2", String::new())]
    {
        let arguments = ["--format", "point-cloud", "--dim", "2", "--ratio", ratio];
        expect(OCTAHEDRON, &arguments, &format!("{head}{between}{tail}"));
    }
}

/// The flag complex of the barycentric subdivision of the 6-vertex projective plane, all edges of length 1.
fn projective_plane() -> String {
    const TRIANGLES: [u8; 10] = [0o07, 0o15, 0o31, 0o61, 0o43, 0o26, 0o54, 0o32, 0o64, 0o52];
    let faces = |size| (1u8..64).filter(move |s| s.count_ones() == size);
    let simplices: Vec<u8> = faces(1).chain(faces(2)).chain(TRIANGLES).collect();
    let row = |i: usize| {
        let distance = |j: &u8| if simplices[i] & j == *j { "1" } else { "2" };
        simplices[..i].iter().map(distance).collect::<Vec<_>>().join(" ")
    };
    (1..simplices.len()).map(|i| row(i) + "\n").collect()
}

#[test]
fn the_projective_plane_tells_coefficients_apart() {
    let zeroth = format!("persistence intervals in dim 0:\n{} [0, )\n", " [0,1)\n".repeat(30));
    let header = "value range: [1,2]\nsparse distance matrix with 31 points and 90/465 entries\n";
    for (modulus, class) in [("2", " [1, )\n"), ("3", ""), ("65521", "")] {
        let higher =
            format!("persistence intervals in dim 1:\n{class}persistence intervals in dim 2:\n{class}");
        let arguments = ["--format", "lower", "--dim", "2", "--threshold", "1", "--modulus", modulus];
        expect(&projective_plane(), &arguments, &format!("{header}{zeroth}{higher}"));
    }
}

/// Ripser crashes on one point.
#[test]
fn one_point_is_one_essential_bar() {
    let text = "\
point cloud with 1 points in dimension 2
value range: [0,0]
distance matrix with 1 points, using threshold at enclosing radius 0
persistence intervals in dim 0:
 [0, )
";
    expect("3 4\n", &["--format", "point-cloud"], text);
}

/// 0.6 in single precision is above 0.6 in double: both sides are compared in single precision.
#[test]
fn a_threshold_takes_in_the_distance_of_the_same_name() {
    let text = "\
value range: [0.6,0.6]
sparse distance matrix with 2 points and 1/1 entries
persistence intervals in dim 0:
 [0,0.6)
 [0, )
";
    expect("0 0.6\n0.6 0\n", &["--format", "distance", "--threshold", "0.6"], text);
}

#[test]
fn threads_pair_store_and_collapse_change_nothing() {
    for threads in ["1", "2", "4"] {
        for layer in ["implicit", "sorted"] {
            for collapse in ["off", "on", "auto"] {
                let options =
                    ["--threads", threads, "--pair-store", layer, "--backend", "cpu", "--collapse", collapse];
                expect(SQUARE, &options, SQUARE_TEXT);
            }
        }
    }
}

/// A cycle of four points at distance 1 whose diagonals are slightly longer, in double precision.
#[test]
fn bars_of_doubles_are_written_so_that_birth_and_death_differ() {
    let scratch = Scratch::new();
    for (side, diagonal, bar) in [
        (1.0, 1.000000001, " [1,1.000000001)\n"),
        (1e-50, 1.000000001e-50, " [1e-50,1.000000001e-50)\n"),
        (1e39, 1.000000001e39, " [1e+39,1.000000001e+39)\n"),
    ] {
        let distance = |steps: usize| [0.0, side, diagonal, side][steps % 4];
        let numbers: Vec<f64> = (0..16).map(|k| distance(4 + k / 4 - k % 4)).collect();
        let mut file = Vec::new();
        let rows = numbers.chunks(4).map(|row| Ok(<[f64; 4]>::try_from(row).unwrap()));
        lacuna::output::npy::write_rows(&[4, 4], rows, &mut file).unwrap();
        let file = scratch.file("cycle.npy", file);
        // At a ratio of 1, and at one below that of the bar.
        for arguments in [&[][..], &["--ratio", "1.0000000001"]] {
            let found =
                rips(arguments).args(["--format", "npy", "--threshold", "inf"]).arg(&file).output().unwrap();
            let text = String::from_utf8(found.stdout).unwrap();
            assert!(text.ends_with(&format!("persistence intervals in dim 1:\n{bar}")), "{text}");
        }
        let longer = rips(["--ratio", "1.00000001", "--threshold", "inf"]).arg(&file).output().unwrap();
        assert!(longer.stdout.ends_with(b"persistence intervals in dim 1:\n"));
    }
}
