//! Tests of number parsing, and of the places of errors.

use super::*;
use crate::input::Place;

fn values(text: &str) -> Vec<f32> {
    Table::parse(text.as_bytes()).unwrap().values
}

#[test]
fn every_separator_and_line_ending() {
    let want = vec![1.0, 2.0, 3.5];
    for text in [
        "1 2 3.5",
        "1,2,3.5",
        "1;2;3.5\n",
        "1\t2\t3.5 \r\n",
        " 1 , 2 ,\n\n3.5,",
        "1|2:3.5",
        "+1 2. 35e-1",
        "% MATLAB\n1 2 # two\n3.5 #",
    ] {
        assert_eq!(values(text), want, "{text:?}");
    }
}

#[test]
fn rounding_is_that_of_the_standard_library() {
    for text in [
        "0",
        "007",
        "9999999",
        "99999999",
        "12e3",
        "5.",
        "0.1",
        "16777217",
        "1.00000017881393432617187499",
        "1.17549435e-38",
        "1e-45",
        "7e-46",
        "3.4028235e38",
    ] {
        assert_eq!(values(text), [text.parse::<f32>().unwrap()], "{text}");
    }
}

#[test]
fn faults_are_found_at_their_line_and_entry() {
    for (text, line, entry, found) in [
        ("1 2\n3 x 4", 2, 2, "\"x\""),
        ("1,,2", 1, 2, "\",\""),
        ("1\n\n# c\n1-2", 4, 1, "\"1-2\""),
        ("1 nan", 1, 2, "\"nan\""),
        ("1 2e99", 1, 2, "\"2e99\""),
        ("1 -", 1, 2, "\"-\""),
        ("0x10", 1, 1, "\"0x10\""),
    ] {
        let problem = Table::parse(text.as_bytes()).unwrap_err();
        assert_eq!(problem.place, Place::Entry { line, entry }, "{text:?}");
        assert_eq!(problem.found, found, "{text:?}");
    }
}

#[test]
fn pieces_meet_at_line_ends_and_cover_the_text() {
    let text: String = (0..100).map(|k| format!("{k} {}\n", k * k)).collect();
    for count in 1..40 {
        let ranges = pieces(text.as_bytes(), count);
        assert_eq!((ranges[0].start, ranges[count - 1].end), (0, text.len()));
        for pair in ranges.windows(2) {
            assert_eq!(pair[0].end, pair[1].start);
            assert!(pair[0].end == text.len() || text.as_bytes()[pair[0].end - 1] == b'\n');
        }
        let tables = ranges.into_iter().map(|r| Table::parse_piece(text.as_bytes(), r).unwrap()).collect();
        let table = Table::join(tables);
        assert_eq!(table.width(), Some(2));
        assert_eq!(table.values[198..], [99.0, 9801.0]);
    }
}

#[test]
fn an_entry_is_located_again() {
    let text = b"# head\n1 2\n\n3,4\n";
    assert_eq!(places::locate(text, 3), (Place::Entry { line: 4, entry: 2 }, &b"4"[..]));
    assert_eq!(row_line(text, 1), 4);
}
