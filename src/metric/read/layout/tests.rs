//! Tests of the text that the layout passes to the number parser.

use super::*;
use crate::metric::read::{DistanceOptions, Place};

fn laid(text: &str) -> (String, Vec<String>) {
    let laid = numbers_only(text.as_bytes(), &mut Context::default()).unwrap();
    let text = String::from_utf8(laid.text.into_owned()).unwrap();
    let words: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    (words.join("/").trim_matches('/').to_owned(), laid.names)
}

#[test]
fn headers_and_names_of_rows() {
    for (text, numbers, names) in [
        ("x,y\n1,2\n3,4\n", "1,2/3,4", &["x", "y"][..]),
        (",x,y\n0,1,2\n1,3,4\n", "1,2/3,4", &["x", "y"]),
        (",0,1\n0,0.0,1.0\n1,1.0,0.0\n", "0.0,1.0/1.0,0.0", &["0", "1"]),
        ("\"x\" \"y\"\n\"1\" 1 2\n\"2\" 3 4\n", "1 2/3 4", &["x", "y"]),
        ("\"\",\"a b\",\"c\"\"d\"\n\"a b\",0,1\n\"c,d\",1,0\n", "0,1/1,0", &["a b", "c\"\"d"]),
        ("id;x\nP1;1\nP2;2\n", "1/2", &["x"]),
        ("index\tx\n7\t1\n9\t2\n", "1/2", &["x"]),
        ("2024-01-31,1,2\n2024-02-29,3,4\n", "1,2/3,4", &[]),
        ("city,0,1\nUlm,0,5\nBonn,5,0\n", "0,5/5,0", &["0", "1"]),
        ("Ulm,0,1,2\nBonn,1,0,1\nPrag,2,1,0\n", "0,1,2/1,0,1/2,1,0", &[]),
        (
            "who,0,1,2\na,.5,.5,1.\nb,.5,.5,2.\nc,.5,.5,3.\nd,.5,.5,4.\n",
            ".5,.5,1./.5,.5,2./.5,.5,3./.5,.5,4.",
            &["0", "1", "2"],
        ),
        ("a\nb 1\nc 2 3\n", "1/2 3", &[]),
        ("größe, höhe\n1, 2\n", "1, 2", &["größe", "höhe"]),
        ("t,x\n0,1\n1,2\n", "0,1/1,2", &["t", "x"]),
    ] {
        assert_eq!(
            laid(text),
            (numbers.to_owned(), names.iter().map(|&n| n.to_owned()).collect()),
            "{text:?}"
        );
    }
}

#[test]
fn what_is_no_header() {
    for text in [
        "nan 1\n2 3\n",
        "0x1 y\n1 2\n",
        "1 x\n2 3\n",
        "½ ½\n1 2\n",
        "a b c\n1 2 3 4 5\n",
        "a b\n",
        "inf inf\n1 2",
    ] {
        assert_eq!(laid(text).0, text.trim().replace('\n', "/"), "{text:?}");
    }
}

#[test]
fn a_first_row_with_a_name_that_counts() {
    let text = b"P1,1,2\nP2,3,4\nP3,5,6\nP4,7,8\n";
    let problem = numbers_only(text, &mut Context::default()).unwrap_err().to_string();
    assert!(problem.starts_with("line 1: ") && problem.contains("--skip-rows 0 keeps it"), "{problem}");
    for (skipped, want) in [(0, "1,2 3,4 5,6 7,8"), (1, "3,4 5,6 7,8")] {
        let options = DistanceOptions { skip_rows: Some(skipped), ..DistanceOptions::default() };
        let text =
            String::from_utf8(numbers_only(text, &mut Context::new(options)).unwrap().text.into_owned())
                .unwrap();
        assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), want);
    }
}

#[test]
fn decimal_commas() {
    for (text, numbers) in [
        ("1;2,5\n3,25;4\n", "1;2.5/3.25;4"),
        ("1\t2,5\n,5\t-4e3\n", "1 2.5/.5 -4e3"),
        ("\"1,5\",\"2\"\n\"3\",\"4,25\"\n", "1.5 , 2/3 , 4.25"),
        ("a;b\n1,5;2\n", "1.5;2"),
        ("1,2,3;4,5,6\n", "1,2,3;4,5,6"),
        ("1, 2, 3\n4, 5, 6\n", "1, 2, 3/4, 5, 6"),
        ("1,\t2,\t3\n", "1, 2, 3"),
    ] {
        assert_eq!(laid(text).0, numbers, "{text:?}");
    }
    for text in ["1,5 2,5\n3 4,5\n", "1.5;2,5\n", "0,05\n0,1\n1,25\n"] {
        let problem = numbers_only(text.as_bytes(), &mut Context::default()).unwrap_err().to_string();
        assert!(problem.contains("--decimal comma or --decimal point"), "{text:?}: {problem}");
    }
    for text in ["\"1,234\",\"5,678\"\n\"900\",\"-1,100\"\n", "a;b\n1,234;5\n", "12,345\t2\n3\t1,500\n"] {
        let problem = numbers_only(text.as_bytes(), &mut Context::default()).unwrap_err().to_string();
        assert!(
            problem.contains("group thousands") && problem.contains("--decimal comma"),
            "{text:?}: {problem}"
        );
    }
    for (text, numbers) in [
        ("\"1,234\",\"5,67\"\n", "1.234 , 5.67"),
        ("\"1,234\",\"0,678\"\n", "1.234 , 0.678"),
        ("1,234;1234,567\n", "1.234;1234.567"),
        ("1,2345;1,234\n", "1.2345;1.234"),
    ] {
        assert_eq!(laid(text).0, numbers, "{text:?}");
    }
    let comma = DistanceOptions { decimal: Some(Decimal::Comma), ..DistanceOptions::default() };
    let laid = numbers_only(b"1,5 2,5\n", &mut Context::new(comma.clone())).unwrap();
    assert_eq!(&laid.text[..], b"1.5 2.5\n");
    let laid = numbers_only(b"1,234;5,678\n", &mut Context::new(comma.clone())).unwrap();
    assert_eq!(&laid.text[..], b"1.234;5.678\n");
    let problem = numbers_only(b"1,5 2.5\n", &mut Context::new(comma.clone())).unwrap_err();
    assert!(problem.to_string().starts_with("line 1, entry 2: expected a number with a decimal comma"));
}

#[test]
fn lines_and_columns_that_are_asked_for() {
    let read = |text: &str, skip_rows, columns: &str| {
        let columns = Some(columns).filter(|c| !c.is_empty()).map(|c| c.parse().unwrap());
        let options = DistanceOptions { skip_rows, columns, ..DistanceOptions::default() };
        let laid = numbers_only(text.as_bytes(), &mut Context::new(options));
        laid.map(|laid| String::from_utf8(laid.text.into_owned()).unwrap())
            .map_err(|problem| problem.to_string())
    };
    assert_eq!(read("a b\n1 2\n", Some(1), "").unwrap(), "   \n1 2\n");
    assert_eq!(read("5,x,6,7\n1,y,2,3\n", None, "1,3-").unwrap(), "5,  6,7\n1,  2,3\n");
    assert_eq!(read("w x y z\n5 x 6 7\n", None, "3-4").unwrap().trim(), "6 7");
    assert!(read("1 2\n", None, "3").unwrap_err().starts_with("line 1: expected column 3"));
    assert!(read("1 2\n3\n", None, "1-2").unwrap_err().starts_with("line 2: expected column 2"));
}

#[test]
fn a_row_without_a_name() {
    let text: String =
        (0..100).map(|k| if k == 80 { "1 2\n".into() } else { format!("p{k} 7 2\n") }).collect();
    let problem = numbers_only(text.as_bytes(), &mut Context::default()).unwrap_err();
    assert_eq!(problem.place, Place::Entry { line: 81, entry: 1 });
}
