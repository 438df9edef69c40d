//! The commands of README.md, as they are written: each succeeds in a copy of what it reads, prints what the README quotes, and leaves no
//! file beside it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The command of the examples, which is the program that is tested here.
const LACUNA: &str = "cargo run --release -- ";

/// What is no run of the program: `.ci/run` does the first and the last, and any build does the second.
const OTHERS: [&str; 3] =
    ["cargo test --release --workspace", "cargo install --path .", "pip install ./python"];

/// A fenced block: its language and its lines.
struct Block {
    language: String,
    lines: Vec<String>,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some(Block { language: language.to_owned(), lines: Vec::new() }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.lines.push(line.to_owned()),
            (None, None) => (),
        }
    }
    blocks
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder like a clone that has been built: the data, and `target/`.
fn clone() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("data"), &folder.path().join("data"));
    fs::create_dir(folder.path().join("target")).unwrap();
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to)
        } else {
            fs::copy(entry.path(), to).map(|_| ()).unwrap()
        }
    }
}

/// Runs `lacuna ARGUMENTS`, words without quotes, in a folder.
fn run(arguments: &str, folder: &Path) -> Output {
    let words = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_lacuna")).args(words).current_dir(folder).output().unwrap()
}

/// Whether lines are what is quoted, in which `…` stands for any lines.
fn is_quoted(quoted: &[String], lines: &[&str]) -> bool {
    match quoted.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=lines.len()).any(|k| is_quoted(rest, &lines[k..]))
        }
        Some((first, rest)) => {
            lines.first().is_some_and(|line| line == first) && is_quoted(rest, &lines[1..])
        }
    }
}

#[test]
fn every_command_runs_as_written_and_says_what_is_quoted() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let blocks = blocks(&text);
    let clone = clone();
    let mut quotes = 0;
    for (k, block) in blocks.iter().enumerate().filter(|(_, block)| block.language == "sh") {
        for line in &block.lines {
            let Some(arguments) = line.strip_prefix(LACUNA) else {
                assert!(OTHERS.contains(&line.as_str()), "README.md: nothing tests the command {line}");
                continue;
            };
            let output = run(arguments, clone.path());
            let said =
                [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            assert!(output.status.success(), "{line}: {}", said[1]);
            if let Some(quoted) = blocks.get(k + 1).filter(|block| block.language == "text") {
                let is_said =
                    said.iter().any(|said| is_quoted(&quoted.lines, &said.lines().collect::<Vec<_>>()));
                assert!(
                    is_said,
                    "{line}\nis quoted as\n{}\nand says\n{}{}",
                    quoted.lines.join("\n"),
                    said[0],
                    said[1]
                );
                quotes += 1;
            }
        }
    }
    assert!(quotes >= 6, "{quotes} answers are quoted");
    let mut left: Vec<_> =
        fs::read_dir(clone.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["data", "target"], "examples leave files in the tree");
}

#[test]
fn quotes_may_leave_lines_out() {
    let quoted = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(is_quoted(&quoted("a\n…\nc"), &["a", "b", "b", "c"]));
    assert!(is_quoted(&quoted("a\n…"), &["a"]));
    assert!(!is_quoted(&quoted("a"), &["a", "b"]) && !is_quoted(&quoted("a\n…\nc"), &["a", "b"]));
}
