//! Every input format: valid inputs, and refusals with their messages.

use lacuna::metric::read::{DistanceFormat, Input, Loaded, ReadError, read_bytes, read_path};
use lacuna::metric::{DistanceMatrix, PointCloud, SparseDistances};
use phat_formats::dipha;

mod tables;

fn load(name: &str, bytes: &[u8], format: Option<DistanceFormat>) -> Loaded {
    read_bytes(name, bytes, format).unwrap_or_else(|error| panic!("{name}, {format:?}: {error}"))
}

fn input(bytes: &[u8], format: DistanceFormat) -> Input {
    load("input", bytes, Some(format)).input
}

fn matrix(lower: &[f32]) -> Input {
    DistanceMatrix::from_lower(lower.to_vec()).unwrap().into()
}

fn points(dimension: usize, coordinates: &[f32]) -> Input {
    PointCloud::new(dimension, coordinates.to_vec()).unwrap().into()
}

fn edges(n: usize, triplets: &[(u32, u32, f32)]) -> Input {
    SparseDistances::new(n, triplets.iter().copied()).unwrap().into()
}

/// Checks that reading fails with a message that begins with the file's name and contains every fragment.
fn refuse(bytes: &[u8], format: Option<DistanceFormat>, fragments: &[&str]) {
    refuse_named("bad.txt", bytes, format, fragments);
}

fn refuse_named(name: &str, bytes: &[u8], format: Option<DistanceFormat>, fragments: &[&str]) {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
    match read_bytes(name, bytes, format) {
        Ok(loaded) => panic!("{shown:?} as {format:?} was read: {loaded:?}"),
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with(&format!("{name}: ")), "{message}");
            for fragment in fragments.iter().chain(&["expected ", "found "]) {
                assert!(message.contains(fragment), "{shown:?} as {format:?}: no {fragment:?} in: {message}");
            }
        }
    }
}

fn dipha_words(integers: &[i64], doubles: &[f64]) -> Vec<u8> {
    let doubles = doubles.iter().flat_map(|x| x.to_le_bytes());
    integers.iter().flat_map(|x| x.to_le_bytes()).chain(doubles).collect()
}

fn dipha_dense(n: usize, entries: &[f64]) -> Vec<u8> {
    let mut file = Vec::new();
    dipha::write_distance_matrix(&mut file, n, |i, j| entries[i * n + j]).unwrap();
    file
}

fn dipha_sparse(rows: &[Vec<(usize, f64)>]) -> Vec<u8> {
    let mut file = Vec::new();
    dipha::write_sparse_distance_matrix(&mut file, rows).unwrap();
    file
}

fn npy_header(header: &str) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file
}

/// A `.npy` file with the given dtype, order and shape.
fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut file =
        npy_header(&format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n"));
    file.extend(data);
    file
}

fn le32(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn le64(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

const SQUARE: &[u8] = b"0 1 2\n1 0 3\n2 3 0\n";

#[test]
fn one_matrix_in_every_format() {
    let entries = [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0];
    let want = matrix(&[1.0, 2.0, 3.0]);
    let binary = le32(&[1.0, 2.0, 3.0]);
    let dipha = dipha_dense(3, &entries);
    for (format, bytes) in [
        (DistanceFormat::Distance, SQUARE),
        (DistanceFormat::LowerDistance, b"1\n2 3\n"),
        (DistanceFormat::LowerDistance, b"\n1,\n2,3"),
        (DistanceFormat::LowerDistance, b"1 2 3"),
        (DistanceFormat::UpperDistance, b"1 2\n3\n"),
        (DistanceFormat::UpperDistance, b"1\n2\n3\n"),
        (DistanceFormat::Binary, &binary),
        (DistanceFormat::Dipha, &dipha),
    ] {
        assert_eq!(input(bytes, format), want, "{format}");
    }
}

#[test]
fn layouts_that_text_may_have() {
    let want = matrix(&[1.0, 2.0, 3.0]);
    for text in [
        "0,1,2\n1,0,3\n2,3,0",
        "0;1;2\r\n1;0;3\r\n2;3;0\r\n",
        "\u{feff}0\t1\t2\n1\t0\t3\n2\t3\t0\n\n",
        "# a comment\n 0 , 1 , 2 ,\n\n1:0:3\n  # another\n2|3|0",
        "0 1e0 +2.0\n1. 0 30e-1\n.2e1 3 -0\n",
    ] {
        assert_eq!(input(text.as_bytes(), DistanceFormat::Distance), want, "{text:?}");
        assert_eq!(load("x", text.as_bytes(), None).input, want, "{text:?}");
    }
}

#[test]
fn infinity_is_a_distance_and_the_lower_triangle_counts() {
    assert_eq!(input(b"0 inf\nInfinity 0\n", DistanceFormat::Distance), matrix(&[f32::INFINITY]));
    assert_eq!(input(b"inf 1 2", DistanceFormat::LowerDistance), matrix(&[f32::INFINITY, 1.0, 2.0]));
    assert_eq!(input(b"0 1.000001\n1 0\n", DistanceFormat::Distance), matrix(&[1.0]));
    assert_eq!(input(b"-0.0", DistanceFormat::LowerDistance), matrix(&[0.0]));
    assert_eq!(input(b"0 1 inf\n1 2 3\n", DistanceFormat::Sparse), edges(3, &[(1, 2, 3.0)]));
}

#[test]
fn one_point_is_a_cloud_and_a_matrix() {
    assert_eq!(input(b"0 0\n", DistanceFormat::PointCloud), points(2, &[0.0, 0.0]));
    assert_eq!(input(b"0", DistanceFormat::Distance), matrix(&[]));
    assert_eq!(input(&dipha_dense(1, &[0.0]), DistanceFormat::Dipha), matrix(&[]));
    assert_eq!(input(&dipha_sparse(&[vec![]]), DistanceFormat::Dipha), edges(1, &[]));
    assert_eq!(
        input(&npy("<f4", false, "(1, 2)", &le32(&[1.0, 2.0])), DistanceFormat::Npy),
        points(2, &[1.0, 2.0])
    );
}

#[test]
fn points_and_edges() {
    let cloud = points(2, &[1.0, -2.0, 3.5, 4.0]);
    assert_eq!(input(b"1 -2\n\n# comment\n3.5,4,\n", DistanceFormat::PointCloud), cloud);
    let graph = edges(4, &[(1, 0, 0.5), (3, 1, 2.0)]);
    assert_eq!(input(b"# i j d\n0 1 0.5\n\n3,1,2\n", DistanceFormat::Sparse), graph);
    // Both directions of a pair, as in a symmetric matrix; the one below the diagonal is used.
    let both = b"1 3 2.0001\n0 1 0.5\n3 1 2\n1 0 0.5\n";
    assert_eq!(input(both, DistanceFormat::Sparse), graph);
    let notes = load("x", both, Some(DistanceFormat::Sparse)).notes;
    assert!(notes.len() == 1 && notes[0].contains("1 pair of points has two distances"), "{notes:?}");
    // A loop is ignored including its point numbers, as in Ripser.
    assert_eq!(input(b"0 1 0.5\n9 9 1\n3 1 2\n", DistanceFormat::Sparse), graph);
}

#[test]
fn dipha_sparse_in_one_direction_or_both() {
    let graph = edges(4, &[(2, 0, 0.5), (3, 0, 1.5)]);
    let one = dipha_sparse(&[vec![(2, 0.5), (3, 1.5)], vec![], vec![], vec![]]);
    let both =
        dipha_sparse(&[vec![(0, 0.0), (3, 1.500001), (2, 0.5)], vec![], vec![(0, 0.5)], vec![(0, 1.5)]]);
    assert_eq!(input(&one, DistanceFormat::Dipha), graph);
    assert_eq!(input(&both, DistanceFormat::Dipha), graph);
}

#[test]
fn npy_orders_types_and_shapes() {
    let square = [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0];
    let double = Input::Double(DistanceMatrix::from_lower(vec![1.0f64, 2.0, 3.0]).unwrap().into());
    assert_eq!(input(&npy("<f8", false, "(3, 3)", &le64(&square)), DistanceFormat::Npy), double);
    assert_eq!(input(&npy("<f8", true, "(3, 3)", &le64(&square)), DistanceFormat::Npy), double);
    let big: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_be_bytes()).collect();
    assert_eq!(
        input(&npy(">f4", false, "(2, 3)", &big), DistanceFormat::Npy),
        points(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    );
    assert_eq!(
        input(&npy(">f4", true, "(2, 3)", &big), DistanceFormat::Npy),
        points(3, &[1.0, 3.0, 5.0, 2.0, 4.0, 6.0])
    );
    let want = points(2, &[1.0, 2.0]);
    assert_eq!(input(&npy("|u1", false, "(1, 2)", &[1, 2]), DistanceFormat::Npy), want);
    assert_eq!(input(&npy("|i1", false, "(1, 2)", &[1, 2]), DistanceFormat::Npy), want);
    let double = Input::Double(PointCloud::new(2, vec![1.0, 2.0]).unwrap().into());
    for (descr, size) in [("<i2", 2), ("<u2", 2), ("<i4", 4), ("<u4", 4), ("<i8", 8), ("<u8", 8)] {
        let mut data = vec![0u8; 2 * size];
        (data[0], data[size]) = (1, 2);
        let want = if size > 2 { &double } else { &want };
        assert_eq!(input(&npy(descr, false, "(1, 2)", &data), DistanceFormat::Npy), *want, "{descr}");
    }
    assert_eq!(input(&npy(">f2", false, "(1, 2)", &[0x3c, 0, 0x40, 0]), DistanceFormat::Npy), want);
    assert_eq!(input(&npy("|b1", false, "(1, 2)", &[1, 0]), DistanceFormat::Npy), points(2, &[1.0, 0.0]));
}

/// Integers keep their digits: single precision does not distinguish 16777216 from 16777217, nor double precision 2^53
/// from 2^53 + 1.
#[test]
fn whole_numbers_keep_their_digits() {
    let far = 16_777_217i64;
    let rows = [0, far - 1, far, far - 1, 0, 7, far, 7, 0];
    let data = |size: usize| rows.iter().flat_map(|x| x.to_le_bytes()[..size].to_vec()).collect::<Vec<_>>();
    let want = DistanceMatrix::from_lower(vec![(far - 1) as f64, far as f64, 7.0]).unwrap();
    for (descr, size) in [("<i4", 4), ("<u4", 4), ("<i8", 8), ("<u8", 8)] {
        let loaded = load("x", &npy(descr, false, "(3, 3)", &data(size)), None);
        assert_eq!((loaded.input, loaded.notes), (Input::Double(want.clone().into()), vec![]), "{descr}");
    }
    let past: Vec<u8> = [0, (1i64 << 53) + 1].iter().flat_map(|x| x.to_le_bytes()).collect();
    let loaded = load("x", &npy("<i8", false, "(1, 2)", &past), None);
    assert_eq!(loaded.notes, ["1 whole number past 2^53 is rounded to double precision"]);
    let loaded = load("x", b"0 16777216 16777217\n16777216 0 7\n16777217 7 0\n", None);
    assert_eq!(loaded.input, matrix(&[16_777_216.0, 16_777_216.0, 7.0]), "as Ripser");
    assert!(loaded.notes[0].starts_with("2 whole numbers are rounded to single precision"));
}

#[test]
fn a_given_format_settles_what_an_array_holds() {
    let identity = npy("<f4", false, "(3, 3)", &le32(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]));
    refuse(&identity, None, &["0", "row 0, column 0", "--format point-cloud"]);
    refuse(&identity, Some(DistanceFormat::Npy), &["--format point-cloud"]);
    refuse(&identity, Some(DistanceFormat::Distance), &["0 on the diagonal", "found 1"]);
    let cloud = input(&identity, DistanceFormat::PointCloud);
    assert_eq!(cloud, points(3, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]));
}

#[test]
fn formats_are_detected() {
    let dense = dipha_dense(2, &[0.0, 1.0, 1.0, 0.0]);
    let array = npy("<f8", false, "(1, 1)", &le64(&[1.0]));
    let binary = le32(&[1.0, 2.0, 3.0]);
    for (name, bytes, format) in [
        ("x", SQUARE, DistanceFormat::Distance),
        ("x.csv", b"0,5\n5,0", DistanceFormat::Distance),
        ("x", b"0", DistanceFormat::Distance),
        ("x", b"\n1\n2 3\n", DistanceFormat::LowerDistance),
        ("x", b"5", DistanceFormat::LowerDistance),
        ("x", b"1 2\n3\n", DistanceFormat::UpperDistance),
        ("x", b"0 0\n3 4\n", DistanceFormat::PointCloud),
        ("x", b"0 0\n", DistanceFormat::PointCloud),
        ("x", b"1\n2\n3\n4\n", DistanceFormat::PointCloud),
        ("x", b"1\n2\n-3\n", DistanceFormat::PointCloud),
        ("x", b"1 2 3\n4 5 6\n", DistanceFormat::PointCloud),
        ("x", b"0 0 0\n0 0 1\n", DistanceFormat::PointCloud),
        ("x", b"0.5 1 2\n1 2 0.5\n", DistanceFormat::PointCloud),
        ("x", b"0 1 1\n1 2 1\n2 0 1\n3 0 1\n", DistanceFormat::Sparse),
        ("x", b"0 5 0.5\n1 2 1\n", DistanceFormat::Sparse),
        ("x.sparse", b"1 2 3\n4 5 6\n", DistanceFormat::Sparse),
        ("x.pts", SQUARE, DistanceFormat::PointCloud),
        ("x.lower_distance_matrix", b"1\n2\n3\n", DistanceFormat::LowerDistance),
        ("x.upper", b"1 2 3\n", DistanceFormat::UpperDistance),
        ("x.dist", b"1\n2 3\n", DistanceFormat::LowerDistance),
        ("x", &dense, DistanceFormat::Dipha),
        ("x", &array, DistanceFormat::Npy),
        ("x.bin", &binary, DistanceFormat::Binary),
    ] {
        let loaded = load(name, bytes, None);
        assert_eq!(loaded.format, format, "{name}: {:?}", loaded.detection);
        assert!(loaded.detection.is_some_and(|why| !why.is_empty()));
        assert_eq!(load(name, bytes, Some(format)).detection, None);
    }
}

#[test]
fn nothing_is_read_from_nothing() {
    for format in DistanceFormat::ALL.map(Some).into_iter().chain([None]) {
        let fragments: &[&str] = match format {
            Some(DistanceFormat::Npy) => &["magic bytes"],
            Some(DistanceFormat::Npz) => &["a zip archive"],
            Some(DistanceFormat::MatrixMarket) => &["line 1", "%%MatrixMarket"],
            _ => &["at least one", "an empty file"],
        };
        refuse(b"", format, fragments);
    }
    for format in [
        DistanceFormat::Distance,
        DistanceFormat::LowerDistance,
        DistanceFormat::UpperDistance,
        DistanceFormat::PointCloud,
    ] {
        refuse(b"\n \n# only a comment\n", Some(format), &["at least one point", "no number"]);
    }
    refuse(b"\n", Some(DistanceFormat::Sparse), &["at least one edge"]);
    refuse(b"5 5 1\n", Some(DistanceFormat::Sparse), &["at least one edge"]);
    refuse(b"\n", None, &["at least one point", "no number"]);
    refuse(&dipha_dense(0, &[]), Some(DistanceFormat::Dipha), &["byte 16", "at least one point"]);
    refuse(&npy("<f4", false, "(0, 3)", &[]), None, &["at least one point", "[0, 3]"]);
}

/// Texts that Ripser misreads, or that make it crash, are rejected in every text format.
#[test]
fn text_where_a_number_belongs() {
    use DistanceFormat::{Distance, LowerDistance, PointCloud, UpperDistance};
    for format in [Some(Distance), Some(LowerDistance), Some(UpperDistance), Some(PointCloud), None] {
        refuse(b"the x y z\n0 1 2\n", format, &["line 1, entry 1", "a number", "\"the\"", "--skip-rows"]);
        refuse(b"0 1\n1 zero\n", format, &["line 2, entry 2", "a number", "\"zero\""]);
        refuse(b"0 1\n1 nan\n", format, &["line 2, entry 2", "a number", "\"nan\""]);
        refuse(b"0 1\n1 1e39\n", format, &["line 2, entry 2", "single precision", "\"1e39\""]);
        refuse(b"0 1\n1 -1e39\n", format, &["line 2, entry 2", "single precision", "\"-1e39\""]);
        refuse(b"0 1\n\n1,,0\n", format, &["line 3, entry 2", "\",\""]);
        refuse(b"0 1\n1 2-3\n", format, &["line 2, entry 2", "\"2-3\""]);
        refuse(b"[[0, 1], [1, 0]]", format, &["line 1, entry 1", "\"[[0\""]);
        refuse("0 1\n1 ½\n".as_bytes(), format, &["line 2, entry 2", "\"½\""]);
    }
    let long = [b"1 ".as_slice(), &[b'x'; 5000]].concat();
    let message = read_bytes("f", &long, Some(Distance)).unwrap_err().to_string();
    assert!(message.len() < 200 && message.contains("xxx…"), "{message}");
}

#[test]
fn numbers_that_are_no_distances() {
    for format in [DistanceFormat::LowerDistance, DistanceFormat::UpperDistance] {
        refuse(b"1\n2 -3\n", Some(format), &["line 2, entry 2", "non-negative", "\"-3\""]);
        refuse(b"1\n2 -inf\n", Some(format), &["line 2, entry 2", "non-negative", "\"-inf\""]);
    }
    refuse(b"0 -1\n-1 0\n", Some(DistanceFormat::Distance), &["line 2, entry 1", "non-negative", "\"-1\""]);
    refuse(b"0 -1\n1 0\n", Some(DistanceFormat::Distance), &["line 1, entry 2", "non-negative", "\"-1\""]);
    refuse(b"1 2\n3 inf\n", Some(DistanceFormat::PointCloud), &["line 2, entry 2", "finite", "\"inf\""]);
    refuse(b"0 1 -2\n", Some(DistanceFormat::Sparse), &["line 1, entry 3", "non-negative", "\"-2\""]);
}

#[test]
fn squares_that_are_no_distance_matrices() {
    let distance = Some(DistanceFormat::Distance);
    refuse(b"0 1\n1 0.5\n", distance, &["line 2, entry 2", "0 on the diagonal", "\"0.5\""]);
    refuse(b"0 1\n2 0\n", distance, &["line 2, entry 1", "line 1, entry 2: \"1\"", "\"2\"", "not symmetric"]);
    refuse(b"0 inf\n2 0\n", distance, &["line 2, entry 1", "\"inf\"", "not symmetric"]);
    refuse(b"0 1 2\n1 0\n2 3 0\n", distance, &["line 2", "3 entries as in line 1", "2 entries"]);
    refuse(b"0 1 2\n1 0 3\n", distance, &["3 rows of 3 entries", "2 rows"]);
    refuse(b"0 1\n1 0\n2 2\n", distance, &["2 rows of 2 entries", "3 rows"]);
    refuse(b"1\n2 3\n", distance, &["line 2", "--format lower-distance"]);
    refuse(b"1 2\n3\n", distance, &["line 2", "--format upper-distance"]);
    refuse(b"0 1\n2 0\n", None, &["not symmetric", "taken for distance", "--format"]);
    refuse_named("x.dist", b"1 2\n2 1\n", None, &["line 1, entry 1", "0 on the diagonal", "ends in .dist"]);
}

#[test]
fn counts_that_are_no_triangles() {
    for format in [DistanceFormat::LowerDistance, DistanceFormat::UpperDistance] {
        refuse(b"1 2", Some(format), &["n(n-1)/2", "1 for 2 points, 3 for 3", "2 entries"]);
        refuse(SQUARE, Some(format), &["square matrix", "--format distance"]);
    }
    refuse(b"1\n2 3\n4 5\n", Some(DistanceFormat::LowerDistance), &["5 entries", "line 3, with 2 entries"]);
    refuse(
        b"1 2 3\n4 5\n6 7\n",
        Some(DistanceFormat::UpperDistance),
        &["7 entries", "line 3, with 2 entries"],
    );
    refuse(&le32(&[1.0, 2.0]), Some(DistanceFormat::Binary), &["n(n-1)/2", "2 entries"]);
}

#[test]
fn ragged_points() {
    for format in [Some(DistanceFormat::PointCloud), None] {
        refuse(b"1 2\n3 4\n5\n", format, &["line 3", "2 entries as in line 1", "1 entry"]);
    }
    refuse(
        b"1\n2 3\n4 5\n",
        None,
        &["line 2", "1 entry as in line 1", "2 entries", "--format lower-distance"],
    );
}

#[test]
fn edge_lists() {
    let sparse = Some(DistanceFormat::Sparse);
    refuse(b"0 1 1\n-1 2 1\n", sparse, &["line 2, entry 1", "a point id", "\"-1\""]);
    refuse(b"0 1.5 1\n", sparse, &["line 1, entry 2", "a point id", "\"1.5\""]);
    refuse(b"0 16777216 1\n", sparse, &["line 1, entry 2", "16777215", "\"16777216\""]);
    refuse(b"99999999999999999999 0 1\n", sparse, &["line 1, entry 1", "a point id"]);
    assert_eq!(
        input(b"0 1\n# no length\n2 1 # one\n", DistanceFormat::Sparse),
        edges(3, &[(0, 1, 1.0), (1, 2, 1.0)])
    );
    refuse(b"0 1 \n1 2 3\n", sparse, &["line 2", "2 entries as in line 1", "3 entries"]);
    refuse(b"0 1 2\n\n1 2\n", sparse, &["line 3", "3 entries as in line 1", "2 entries"]);
    refuse(b"0 1\n1 0\n0 1\n", sparse, &["line 3", "line 1", "points 1 and 0 again"]);
    refuse(b"0 1 2 3\n", sparse, &["line 1, entry 4", "the end of the line", "\"3\""]);
    refuse(b"0 1 x\n", sparse, &["line 1, entry 3", "a number", "\"x\""]);
    refuse(b"0 1 nan\n", sparse, &["line 1, entry 3", "a number", "\"nan\""]);
    refuse(b"0 1 1e99\n", sparse, &["line 1, entry 3", "single precision"]);
    refuse(b"edges i j d\n0 1 1\n", sparse, &["line 1, entry 1", "a point id", "\"edges\""]);
    refuse(b"0 1 1\n\n0 2 1\n0 1 1\n", sparse, &["line 4", "line 1", "points 1 and 0 again"]);
    refuse(b"0 1 1\n1 0 1\n2 0 1\n1 0 1\n", sparse, &["line 4", "line 2", "points 1 and 0 again"]);
    refuse(b"0 1 1\n\n1 0 2\n", sparse, &["line 3", "line 1: 1", "found 2", "--symmetrize"]);
    refuse(b"1 0 inf\n0 1 1\n", sparse, &["line 2", "line 1: inf", "found 1", "--symmetrize"]);
    refuse(b"0 1 inf\n0 1 1\n", sparse, &["line 2", "line 1", "again"]);
}

#[test]
fn an_array_is_no_list_of_edges() {
    let data: Vec<u8> = [0.0f32, 1.0, 0.5].into_iter().flat_map(f32::to_le_bytes).collect();
    let array = npy("<f4", false, "(1, 3)", &data);
    refuse(&array, Some(DistanceFormat::Sparse), &["that an array can hold", "the format sparse"]);
}

#[test]
fn two_columns_of_whole_numbers_may_be_a_graph() {
    for text in
        ["0 1\n1 2\n2 0\n", "1 2\n2 3\n1 3\n3 4\n", "10 20\n20 30\n10 30\n", "from,to\n2,0\n0,1\n1,2\n"]
    {
        refuse(
            text.as_bytes(),
            None,
            &["edges of a graph or points in the plane", "--format edges", "point-cloud"],
        );
    }
    // A loop, repeated points, mostly distinct numbers, fractions, names of coordinates.
    for text in [
        "0 0\n0 1\n1 1\n",
        "3 1\n1 2\n2 3\n3 1\n",
        "1 2\n3 4\n5 6\n",
        "1 2\n5 9\n30 41\n",
        "2 0.5\n0 1\n1 2\n",
        "x y\n2 1\n0 2\n1 0\n",
    ] {
        assert_eq!(load("x", text.as_bytes(), None).format, DistanceFormat::PointCloud, "{text}");
    }
}

#[test]
fn binary_files() {
    let binary = Some(DistanceFormat::Binary);
    let mut cut = le32(&[1.0, 2.0, 3.0]);
    cut.truncate(10);
    refuse(&cut, binary, &["byte 8", "entries of 4 bytes", "2 more"]);
    refuse(&le32(&[1.0, f32::NAN, 3.0]), binary, &["byte 4", "non-negative", "NaN"]);
    refuse(&le32(&[1.0, 2.0, -3.0]), binary, &["byte 8", "non-negative", "-3"]);
    refuse(&le32(&[1.0]), None, &["byte 0", "other binary data", "binary, npy"]);
    refuse(SQUARE, binary, &["byte 16", "entries of 4 bytes"]);
}

#[test]
fn dipha_files() {
    let dipha = Some(DistanceFormat::Dipha);
    let sound = dipha_dense(2, &[0.0, 1.0, 1.0, 0.0]);
    for length in 1..sound.len() {
        let at = format!("byte {length}: ");
        refuse(&sound[..length], dipha, &[at.as_str(), "the end of the file"]);
    }
    refuse(&[sound.as_slice(), b"x"].concat(), dipha, &["byte 56", "the end of the file", "1 more"]);
    refuse(b"0 1\n1 0\n12345678", dipha, &["byte 0", "8067171840"]);
    refuse_named("x.dipha", b"0 1\n1 0\n", None, &["byte 0", "magic number", "ends in .dipha"]);
    refuse(
        &dipha_words(&[dipha::MAGIC, 1], &[]),
        dipha,
        &["byte 8", "7 (distance matrix)", "1 (image data)"],
    );
    refuse(&dipha_words(&[dipha::MAGIC, 99], &[]), dipha, &["byte 8", "file type", "99"]);
    for n in [-1, i64::MAX, 1 << 32] {
        refuse(&dipha_words(&[dipha::MAGIC, 7, n], &[]), dipha, &["byte "]);
        refuse(&dipha_words(&[dipha::MAGIC, 8, n], &[]), dipha, &["byte "]);
    }
    let dense = |entries: [f64; 4], fragments: &[&str]| refuse(&dipha_dense(2, &entries), dipha, fragments);
    dense([1.0, 1.0, 1.0, 0.0], &["byte 24", "0 on the diagonal", "found 1"]);
    dense([0.0, 1.0, 2.0, 0.0], &["byte 40", "byte 32: 1", "found 2", "not symmetric"]);
    dense([0.0, f64::NAN, f64::NAN, 0.0], &["byte 40", "non-negative", "NaN"]);
    dense([0.0, -1.0, -1.0, 0.0], &["byte 40", "non-negative", "found -1"]);
    dense([0.0, 1e39, 1e39, 0.0], &["byte 40", "single precision"]);
    assert_eq!(
        input(&dipha_dense(2, &[0.0, f64::INFINITY, f64::INFINITY, 0.0]), DistanceFormat::Dipha),
        matrix(&[f32::INFINITY])
    );
}

#[test]
fn dipha_sparse_files() {
    let sparse = |rows: &[Vec<(usize, f64)>], fragments: &[&str]| {
        refuse(&dipha_sparse(rows), Some(DistanceFormat::Dipha), fragments);
    };
    // For two points, the neighbours start at byte 40, and the distances of two entries at byte 56.
    sparse(&[vec![(1, 1.0)], vec![(0, 2.0)]], &["byte 64", "byte 56: 1", "found 2", "not symmetric"]);
    sparse(&[vec![(1, 1.0), (1, 1.0)], vec![]], &["byte 64", "once", "byte 56", "points 1 and 0 again"]);
    sparse(&[vec![(1, -1.0)], vec![]], &["byte 48", "non-negative", "found -1"]);
    sparse(&[vec![(1, f64::NAN)], vec![]], &["byte 48", "non-negative", "NaN"]);
    sparse(&[vec![(1, 1e300)], vec![]], &["byte 48", "single precision"]);
    sparse(&[vec![(0, 1.0)], vec![]], &["byte 48", "0 on the diagonal", "found 1"]);
    sparse(&[vec![(2, 1.0)], vec![]], &["byte 40", "below 2", "found 2"]);
}

#[test]
fn npy_files() {
    let array = |descr, shape, data: &[u8], fragments: &[&str]| {
        refuse(&npy(descr, false, shape, data), None, fragments)
    };
    array("<f4", "(2, 2)", &[0; 15], &["2 × 2 elements of 4 bytes", "15 bytes"]);
    array("<f4", "(2, 2)", &[0; 17], &["2 × 2 elements of 4 bytes", "17 bytes"]);
    array("<f4", "(4,)", &[0; 16], &["2 dimensions", "1 of shape [4]"]);
    array("<f4", "()", &[0; 4], &["2 dimensions"]);
    array("<f4", "(1, 2, 2)", &[0; 16], &["2 dimensions"]);
    array("<c8", "(1, 1)", &[0; 8], &["dtype f2", "<c8", "numpy.abs"]);
    array("<f16", "(1, 2)", &[0; 32], &["dtype f2", "<f16", "a.astype(float)"]);
    array("|O", "(1, 2)", &[0; 16], &["dtype f2", "|O"]);
    array("<f4", "(4294967296, 4294967296)", &[0; 4], &["4294967296 × 4294967296", "4 bytes"]);
    array("<f4", "(999999999, 999999999)", &[0; 4], &["999999999 × 999999999", "4 bytes"]);
    array("<f4", "(-1, 2)", &[0; 4], &["byte 8", "a header"]);
    array("<f4", "(0xffffffffffff, 0xffffffffffff)", &[0; 4], &["byte 8", "a header"]);
    array("<f4", "((((((((1", &[0; 4], &["byte 8", "a header"]);
    array("<f4", "(1, 2)", &le32(&[1.0, f32::INFINITY]), &["finite", "inf in row 0, column 1"]);
    array(
        "<f8",
        "(2, 2)",
        &le64(&[0.0, 1.0, 2.0, 0.0]),
        &["1 in row 0, column 1", "2 in row 1, column 0", "point-cloud", "--symmetrize"],
    );
    array("<f8", "(2, 2)", &le64(&[0.0, f64::NAN, 2.0, 0.0]), &["non-negative", "NaN in row 0, column 1"]);
    refuse(
        &npy("<f4", false, "(1, 2)", &le32(&[1.0, 2.0])),
        Some(DistanceFormat::Distance),
        &["a square array", "1 × 2"],
    );
    refuse(b"\x93NUMPY", None, &["byte 6", "a header", "the end of the file"]);
    refuse(b"\x93NUMPY\x07\x00ab", None, &["byte 6", "version", "7.0"]);
    refuse(b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}", None, &["byte 8", "header length", "4294967295"]);
    refuse(&npy_header(&"(".repeat(9000)), None, &["byte 8", "a header"]);
    refuse(&npy_header("{'descr': '<f4'}"), None, &["byte 8", "a header"]);
    refuse(SQUARE, Some(DistanceFormat::Npy), &["byte 0", "magic bytes"]);
}

#[test]
fn a_diagonal_that_does_not_belong() {
    refuse(b"0\n1 0\n2 3 0\n", None, &["one side of the diagonal", "ends with 0", "--format lower-distance"]);
    refuse(
        b"0 1 2\n0 3\n0\n",
        None,
        &["one side of the diagonal", "begins with 0", "--format upper-distance"],
    );
    assert_eq!(input(b"0\n1 0\n", DistanceFormat::LowerDistance), matrix(&[0.0, 1.0, 0.0]));
    refuse(
        b"1 0.5 0\n0.5 1 0\n0 0 1\n",
        None,
        &["line 1, entry 1", "0 on the diagonal", "--format point-cloud"],
    );
}

#[test]
fn pieces_read_in_parallel_are_one_file() {
    let n = 700;
    let rows = |spoilt: Option<usize>| -> String {
        let entry = |i: usize, j: usize| {
            if spoilt == Some(i) && j == 3 { "oops".into() } else { i.abs_diff(j).to_string() }
        };
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect::<Vec<_>>().join(" ") + "\n").collect()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    let text = rows(None);
    assert!(text.len() > 1 << 20, "long enough for four pieces");
    let parallel = pool.install(|| input(text.as_bytes(), DistanceFormat::Distance));
    let want = DistanceMatrix::from_fn(n, |i, j| (i - j) as f32).unwrap();
    assert_eq!(parallel, want.into());
    for line in [0, 300, 699] {
        let place = format!("line {}, entry 4: ", line + 1);
        pool.install(|| refuse(rows(Some(line)).as_bytes(), None, &[place.as_str(), "\"oops\""]));
    }
}

#[test]
fn files_are_opened_by_path() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("square.txt");
    std::fs::write(&path, SQUARE).unwrap();
    assert_eq!(read_path(&path, None).unwrap().input, matrix(&[1.0, 2.0, 3.0]));
    let missing = read_path(&directory.path().join("missing"), None).unwrap_err();
    assert!(matches!(&missing, ReadError::Io { file, .. } if file.ends_with("missing")), "{missing}");
    assert!(read_path(directory.path(), None).is_err());
}
