//! `lacuna inspect`: the contents of snapshots and checkpoints.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lacuna::snapshot::{self, RUN, Snapshot, VERSION};
use serde::Serialize;

use super::directory::listed;
use super::error::{Result, usage};
use super::notes::printable;
use super::sink::{Content, Sink};
use super::{exit_codes, help};

/// Show the contents of snapshots (*.lac) and checkpoints
///
/// Prints kind, version, run, options and progress of each snapshot. Files are read whole and their
/// checksums are verified. A checkpoint may be inspected while its run goes on.
#[derive(Debug, clap::Args)]
#[command(help_template = help::template(EXAMPLES), after_help = help::MORE,
    after_long_help = help::after(EXAMPLES, exit_codes::PLAIN))]
pub(crate) struct Arguments {
    /// Snapshots (*.lac) and checkpoint directories
    #[arg(value_name = "FILE|DIR", required = true)]
    paths: Vec<PathBuf>,

    /// Write a JSON array with one object per snapshot
    #[arg(long, help_heading = "Output")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  lacuna inspect run/
  lacuna inspect --json run/*.lac";

/// The description of a snapshot.
#[derive(Debug, Serialize)]
struct Said {
    file: String,
    kind: String,
    version: u64,
    bytes: usize,
    checksum: String,
    facts: serde_json::Map<String, serde_json::Value>,
}

impl Said {
    fn of(snapshot: Snapshot) -> Said {
        let facts = snapshot.facts.into_iter().map(|(name, value)| (name, value.into()));
        Said {
            file: snapshot.path.display().to_string(),
            kind: snapshot.kind,
            version: VERSION,
            bytes: snapshot.bytes.len(),
            checksum: format!("{:032x}", snapshot.checksum),
            facts: facts.collect(),
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut files = Vec::new();
    for path in &arguments.paths {
        if path.is_dir() { files.extend(snapshots_of(path)?) } else { files.push(path.clone()) }
    }
    let mut said = Vec::new();
    for file in files {
        // One snapshot at a time is held in memory.
        said.push(Said::of(snapshot::read(&file)?));
    }
    // The manifest of the run comes first, then the saved stages.
    said.sort_by_key(|snapshot| snapshot.kind != RUN);
    Sink::open(None, Content::Text)?.fill(|out| {
        if arguments.json {
            serde_json::to_writer_pretty(&mut *out, &said)?;
            return writeln!(out);
        }
        said.iter().try_for_each(|snapshot| describe(snapshot, out))
    })
}

/// The snapshots in a directory, by name.
fn snapshots_of(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = listed(directory)?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "lac"));
    if paths.is_empty() {
        let directory = directory.display();
        return Err(usage(format_args!(
            "{directory}: expected a directory with snapshots (*.lac), found none"
        )));
    }
    Ok(paths)
}

/// Describes a snapshot in lines of text. Its facts come from the file and are escaped for the terminal.
fn describe(snapshot: &Said, out: &mut dyn Write) -> io::Result<()> {
    let Said { file, kind, version, bytes, .. } = snapshot;
    writeln!(out, "{}: {kind}, version {version}, {bytes} bytes, whole", printable(file))?;
    for (name, value) in &snapshot.facts {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        writeln!(out, "  {}: {}", printable(name), printable(&value))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_gives_a_terminal_no_orders() {
        let facts = [("na\u{1b}me", "\u{1b}]0;title\u{7}"), ("plain", "1\n2")];
        let facts = facts.map(|(name, value)| (name.to_owned(), value.into()));
        let said = Said {
            file: "\u{1b}[31m.lac".to_owned(),
            kind: "manifest".to_owned(),
            version: 1,
            bytes: 2,
            checksum: String::new(),
            facts: facts.into_iter().collect(),
        };
        let mut out = Vec::new();
        describe(&said, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{text}");
        assert!(
            text.contains("\\u{1b}[31m.lac: manifest") && text.contains("  na\\u{1b}me: \\u{1b}]0;title"),
            "{text}"
        );
    }
}
