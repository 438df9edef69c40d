//! `lacuna completions`: what a shell needs to complete commands, options and choices; and the manual pages, which `cargo xtask man` asks for.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap_complete::Shell;

use super::Cli;
use super::error::{CliError, PathError};
use super::parse;
use super::sink::{Content, Sink};

/// Completions of commands, options and choices for a shell
///
/// bash: lacuna completions bash > ~/.local/share/bash-completion/completions/lacuna
/// zsh:  lacuna completions zsh > "${fpath[1]}/_lacuna"
/// fish: lacuna completions fish > ~/.config/fish/completions/lacuna.fish
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL", value_parser = parse::one_of::<Shell>())]
    shell: Shell,
}

/// Writes the completions to standard output.
pub(crate) fn run(arguments: &Arguments) -> Result<(), CliError> {
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
pub(crate) fn write_manual(arguments: &ManualArguments) -> Result<(), CliError> {
    let directory = &arguments.directory;
    let failed = |path: &Path, source| PathError::Open { path: path.to_path_buf(), source };
    std::fs::create_dir_all(directory).map_err(|source| failed(directory, source))?;
    let mut command = Cli::command();
    command.build();
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    let pages = shown.filter(|command| command.get_name() != "help").map(|sub| {
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
    std::fs::File::create(path)?.write_all(&page)
}
