//! The commands of README.md and of the book in docs/ as written: each succeeds in a copy of its inputs and prints
//! what is quoted. Those of the README create no other files, and pictures of the book are those that its commands
//! draw. Links lead to existing targets.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The command of the examples, which is replaced by the program under test.
const LACUNA: &str = "cargo run --release -- ";

/// Commands that do not run the program: `.ci/run` runs the first and the last, and any build does the second.
const OTHERS: [&str; 3] = ["cargo test --release", "cargo install --path . --locked", "pip install ./python"];

/// A fenced code block: its language and its lines.
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

/// A folder like a clone after a build: the data, and `target/`.
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

/// Runs `lacuna ARGUMENTS` in a folder; arguments are words without quotes.
fn run(arguments: &str, folder: &Path) -> Output {
    let words = arguments.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_lacuna")).args(words).current_dir(folder).output().unwrap()
}

/// Whether lines match a quotation, in which `…` stands for any lines.
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
    assert!(quotes >= 2, "{quotes} answers are quoted");
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

/// The pages of the book with their paths in docs/src/.
fn pages() -> Vec<(String, String)> {
    fn collect(folder: &Path, source: &Path, pages: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                collect(&entry, source, pages);
            } else if entry.extension().is_some_and(|extension| extension == "md") {
                let name = entry.strip_prefix(source).unwrap().to_str().unwrap().to_owned();
                pages.push((name, fs::read_to_string(&entry).unwrap()));
            }
        }
    }
    let (source, mut pages) = (root().join("docs/src"), Vec::new());
    collect(&source, &source, &mut pages);
    pages.sort();
    pages
}

/// Runs the commands of a block in a shell that stops at the first failure and finds the program by name.
#[cfg(unix)]
fn run_block(lines: &[String], folder: &Path) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_lacuna")).parent().unwrap();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(program.to_path_buf()).chain(std::env::split_paths(&paths));
    let paths = std::env::join_paths(paths).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", &lines.join("\n")]).current_dir(folder).env("PATH", paths);
    // Output must not depend on the language of the terminal.
    shell.env("LC_ALL", "C").output().unwrap()
}

/// The blocks of a page run one after another in a folder of its own with the data. A picture that they draw is the
/// page's picture of that name.
#[cfg(unix)]
#[test]
fn every_command_of_the_book_runs_and_says_what_is_quoted() {
    let (mut commands, mut quotes, mut pictures) = (0, 0, 0);
    for (page, text) in pages() {
        let clone = clone();
        let blocks = blocks(&text);
        for (k, block) in blocks.iter().enumerate().filter(|(_, block)| block.language == "sh") {
            let output = run_block(&block.lines, clone.path());
            let said =
                [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let command = block.lines.join("\n");
            assert!(output.status.success(), "{page}: {command}: {}", said[1]);
            commands += 1;
            let Some(quoted) = blocks.get(k + 1).filter(|block| block.language == "text") else { continue };
            let is_said = said.iter().any(|said| is_quoted(&quoted.lines, &said.lines().collect::<Vec<_>>()));
            let quoted = quoted.lines.join("\n");
            assert!(is_said, "{page}: {command}\nis quoted as\n{quoted}\nand says\n{}{}", said[0], said[1]);
            quotes += 1;
        }
        let folder = root().join("docs/src").join(&page);
        for picture in links(&text).iter().filter(|link| link.ends_with(".svg")) {
            let shown = fs::read_to_string(folder.with_file_name(picture)).unwrap();
            let drawn = fs::read_to_string(clone.path().join(picture))
                .unwrap_or_else(|error| panic!("{page}: no command draws {picture}: {error}"));
            assert!(
                shown == drawn,
                "{page}: its commands draw another {picture}: put theirs beside the page"
            );
            pictures += 1;
        }
    }
    assert!(
        commands > 50 && quotes > 40 && pictures > 2,
        "{commands} commands, {quotes} quotes, {pictures} pictures"
    );
}

/// The links of a page: the texts between `](` and `)`.
fn links(text: &str) -> Vec<String> {
    let starts = text.match_indices("](").map(|(at, _)| at + 2);
    starts.filter_map(|at| Some(text[at..].split_once(')')?.0.to_owned())).collect()
}

/// The anchor that mdBook and GitHub make of a heading: letters and digits in lower case, blanks as hyphens, and no
/// punctuation except hyphens and underscores.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Checks that the links of a file, given by its path in the repository, lead to files, and their anchors to headings.
fn check_links(file: &Path, text: &str) {
    for link in links(text).iter().filter(|link| !link.contains("://")) {
        let (path, place) =
            link.split_once('#').map_or((link.as_str(), None), |(path, place)| (path, Some(place)));
        let target =
            root().join(if path.is_empty() { file.to_path_buf() } else { file.with_file_name(path) });
        // A page of the book has no folders to lead to.
        let is_there = if file.starts_with("docs") { target.is_file() } else { target.exists() };
        assert!(is_there, "{}: {link}", file.display());
        let Some(place) = place else { continue };
        let text = fs::read_to_string(&target).unwrap();
        let mut headings = text.lines().filter(|line| line.starts_with('#'));
        assert!(
            headings.any(|line| anchor(line.trim_start_matches('#').trim()) == place),
            "{}: {link}: no heading has this anchor",
            file.display()
        );
    }
}

#[test]
fn links_lead_somewhere_and_every_page_of_the_book_is_in_its_summary() {
    check_links(Path::new("README.md"), &fs::read_to_string(root().join("README.md")).unwrap());
    let pages = pages();
    let mut listed = Vec::new();
    for (page, text) in &pages {
        check_links(&Path::new("docs/src").join(page), text);
        if page == "SUMMARY.md" {
            listed = links(text);
        }
    }
    listed.sort();
    let mut there: Vec<&String> =
        pages.iter().map(|(page, _)| page).filter(|page| *page != "SUMMARY.md").collect();
    there.sort();
    assert_eq!(listed.iter().collect::<Vec<_>>(), there);
}

/// Every command that the program lists has a page.
#[test]
fn every_command_has_its_page() {
    let help = Command::new(env!("CARGO_BIN_EXE_lacuna")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let headings: Vec<String> = pages()
        .iter()
        .filter(|(page, _)| page.starts_with("commands/"))
        .map(|(_, text)| text.lines().next().unwrap_or_default().to_owned())
        .collect();
    let mut count = 0;
    for command in listed.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        let heading = format!("lacuna {command}");
        assert!(headings.iter().any(|found| found.contains(&heading)), "no page for {heading}");
        count += 1;
    }
    assert!(count > 8);
}
