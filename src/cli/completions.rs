//! `lacuna completions`: shell completions; and the manual pages that `cargo xtask man` writes.

use std::io;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap_complete::Shell;

use super::Cli;
use super::error::{CliError, Result};
use super::parse;
use super::sink::{Content, Sink};

/// Print shell completions
///
/// bash: lacuna completions bash > ~/.local/share/bash-completion/completions/lacuna
/// zsh:  lacuna completions zsh > "${fpath[1]}/_lacuna"
/// fish: lacuna completions fish > ~/.config/fish/completions/lacuna.fish
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// Shell
    #[arg(value_name = "SHELL", value_parser = parse::one_of::<Shell>())]
    shell: Shell,
}

/// Writes the completions to standard output.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut completions = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "lacuna", &mut completions);
    Sink::open(None, Content::Text)?.fill(|out| out.write_all(&completions))
}

/// The manual pages, a page a command
#[derive(Debug, clap::Args)]
pub(crate) struct ManualArguments {
    /// Directory to write them to
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Writes `lacuna.1` and a page for each command into the directory.
pub(crate) fn write_manual(arguments: &ManualArguments) -> Result<()> {
    let directory = &arguments.directory;
    let failed = |path: &Path, source| CliError::unwritable(path, &source);
    std::fs::create_dir_all(directory).map_err(|source| failed(directory, source))?;
    // `lacuna help` has no page.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    let pages = shown.map(|sub| {
        let name = format!("lacuna-{}", sub.get_name());
        let usage = format!("lacuna {}", sub.get_name());
        (name, sub.clone().bin_name(usage))
    });
    let pages: Vec<_> = pages.chain([("lacuna".to_owned(), command.clone())]).collect();
    for (name, command) in pages {
        let path = directory.join(format!("{name}.1"));
        page(command, &name, &path).map_err(|source| failed(&path, source))?;
    }
    Ok(())
}

fn page(command: clap::Command, name: &str, path: &Path) -> io::Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.display_name(name.to_owned()))
        .title(name)
        .manual("Lacuna")
        .render(&mut page)?;
    let page = String::from_utf8(page).map_err(io::Error::other)?;
    std::fs::write(path, laid_out(&page))
}

/// Rewrites a page so that tables keep the layout of the help instead of being filled as paragraphs, and the closing
/// text becomes sections of its own.
fn laid_out(page: &str) -> String {
    let mut laid_out = String::new();
    let mut is_extra = false;
    let lines: Vec<&str> = page.lines().collect();
    for part in lines.chunk_by(|a, b| is_text(a) && is_text(b)) {
        match part[0] {
            ".SH EXTRA" => is_extra = true,
            // Consecutive sections have no blank line between them.
            "" if is_extra => {}
            first if first.starts_with('.') => {
                is_extra &= !first.starts_with(".SH");
                push(&mut laid_out, part);
            }
            first => {
                let heading = first.strip_suffix(':').filter(|_| is_extra && !first.starts_with(' '));
                if let Some(heading) = heading {
                    laid_out += &format!(".SH {}\n", heading.to_uppercase());
                }
                let part = if heading.is_some() { &part[1..] } else { part };
                if heading.is_some() || part.iter().any(|line| is_of_table(line)) {
                    laid_out += ".nf\n";
                    push(&mut laid_out, part);
                    laid_out += ".fi\n";
                } else {
                    push(&mut laid_out, part);
                }
            }
        }
    }
    laid_out
}

fn push(page: &mut String, lines: &[&str]) {
    page.extend(lines.iter().flat_map(|line| [line, "\n"]));
}

/// Whether a line is neither blank nor a roff request.
fn is_text(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('.')
}

/// Whether a line belongs to a table: it is indented, or columns are separated by several blanks.
fn is_of_table(line: &str) -> bool {
    line.starts_with(' ') || line.trim_end().contains("  ")
}
