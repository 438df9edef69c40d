//! The program's text output on real inputs equals that of Ripser 1.2.1 byte for byte: every line of `cases.tsv`.
//! `common/shared.rs` says where the inputs are and what happens without them.

use std::fs;

use crate::common::shared::{Case, cases, folder, lacuna_rips};

/// Inputs that take seconds and not milliseconds; they run separately so that the others finish quickly.
const LARGE: [&str; 10] = [
    "torus3_500",
    "rand3_2000",
    "o3_1024",
    "sphere_3_192",
    "dragon1000",
    "o3_4096",
    "HIV",
    "celegans",
    "vicsek300",
    "radius_1500",
];

#[test]
#[ignore = "needs LACUNA_SHARED"]
fn golden_small() {
    compare(|name| !LARGE.contains(&name));
}

#[test]
#[ignore = "needs LACUNA_SHARED"]
fn golden_large() {
    compare(|name| LARGE.contains(&name));
}

/// With edge collapse: the bars and their order are the same.
#[test]
#[ignore = "needs LACUNA_SHARED"]
fn golden_collapsed() {
    compare_with(&["--collapse", "on", "--threads", "4"], |_| true);
}

/// Without edge collapse.
#[test]
#[ignore = "needs LACUNA_SHARED"]
fn golden_whole() {
    compare_with(&["--collapse", "off", "--threads", "1"], |_| true);
}

/// Ripser crashes on one point; the right answer is one essential bar.
#[test]
#[ignore = "needs LACUNA_SHARED"]
fn golden_one_point() {
    let folder = folder();
    let output =
        lacuna_rips(&["--format", "point-cloud", "--dim", "1"], &folder.join("data/rips/one_point.pts"));
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bars: Vec<&str> = stdout.lines().filter(|line| line.starts_with(" [")).collect();
    assert_eq!(bars, [" [0, )"], "{stdout}");
    assert!(stdout.contains("persistence intervals in dim 0:\n [0, )\n"), "{stdout}");
}

/// Runs the cases with wanted names and reports all that differ.
fn compare(wanted: impl Fn(&str) -> bool) {
    compare_with(&[], wanted);
}

/// Like [`compare`], with additional options.
fn compare_with(options: &[&str], wanted: impl Fn(&str) -> bool) {
    let folder = folder();
    let cases: Vec<Case> = cases(&folder).into_iter().filter(|case| wanted(&case.name)).collect();
    assert!(!cases.is_empty(), "no such case in cases.tsv");
    let differing: Vec<String> = cases.iter().filter_map(|case| difference(case, options)).collect();
    assert!(differing.is_empty(), "{} of {} cases:\n{}", differing.len(), cases.len(), differing.join("\n"));
}

/// Describes the difference of a case, if any.
fn difference(case: &Case, options: &[&str]) -> Option<String> {
    let of_case = ["--format", &case.format].into_iter().chain(case.arguments.iter().map(String::as_str));
    let arguments: Vec<&str> = of_case.chain(options.iter().copied()).collect();
    let output = lacuna_rips(&arguments, &case.file);
    let golden = fs::read(&case.golden).unwrap_or_else(|error| panic!("{}: {error}", case.golden.display()));
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Some(format!("{}: {}: {}", case.name, output.status, stderr.trim()));
    }
    (output.stdout != golden).then(|| format!("{}: {}", case.name, first_difference(&output.stdout, &golden)))
}

/// Describes the first line in which two texts differ.
fn first_difference(found: &[u8], expected: &[u8]) -> String {
    let lines = |text: &[u8]| -> Vec<String> {
        text.split(|&byte| byte == b'\n').map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    };
    let (found, expected) = (lines(found), lines(expected));
    let same = found.iter().zip(&expected).take_while(|(a, b)| a == b).count();
    let show = |lines: &[String]| lines.get(same).map_or("the end".to_owned(), |line| format!("{line:?}"));
    format!("line {}: expected {}, found {}", same + 1, show(&expected), show(&found))
}

#[test]
fn the_first_difference_is_named() {
    assert_eq!(first_difference(b"a\nb\n", b"a\nc\n"), "line 2: expected \"c\", found \"b\"");
    assert_eq!(first_difference(b"a\n", b"a"), "line 2: expected the end, found \"\"");
    assert_eq!(first_difference(b"", b"a\nb"), "line 1: expected \"a\", found \"\"");
}
