//! `lacuna reduce` on DIPHA's own test inputs writes DIPHA's diagrams: every line of `golden/dipha/cases.tsv`.
//! `common/shared.rs` says where the inputs are and what happens without them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::shared::{folder, table};

fn lacuna(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lacuna")).args(arguments).output().unwrap()
}

#[test]
#[ignore = "needs LACUNA_SHARED"]
fn diagrams_are_diphas() {
    let folder = folder();
    let scratch = tempfile::tempdir().unwrap();
    let found = scratch.path().join("found.diagram");
    let found = found.to_str().unwrap();
    for row in table(&folder.join("golden/dipha/cases.tsv")) {
        let [input, upper_dim, diagram] = &row[..] else { panic!("expected 3 columns: {row:?}") };
        let input = folder.join("data/dipha").join(input);
        let expected = folder.join("golden/dipha").join(diagram);
        for dualize in ["on", "off"] {
            let mut arguments = vec!["reduce", "-q", "--check", "--dualize", dualize, "-o", found];
            if upper_dim != "0" {
                arguments.extend(["--upper-dim", upper_dim]);
            }
            arguments.push(input.to_str().unwrap());
            let run = lacuna(&arguments);
            assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
            assert!(same(found, &expected), "{arguments:?}: not the diagram {diagram}");
        }
    }
}

/// Compares two files byte for byte, and as multisets by the program's own comparison.
fn same(found: &str, expected: &Path) -> bool {
    let compared = lacuna(&["compare", "-q", found, expected.to_str().unwrap()]);
    compared.status.success() && fs::read(found).unwrap() == fs::read(expected).unwrap()
}
