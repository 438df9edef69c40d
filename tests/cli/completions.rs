//! `lacuna completions`, and the manual pages.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use super::{Scratch, lacuna, skipped, stdout_of, text_of};

/// The commands that `lacuna --help` lists.
fn commands() -> Vec<String> {
    let help = text_of(assert_cmd::Command::new(env!("CARGO_BIN_EXE_lacuna")).arg("--help"));
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn completions_of_each_shell_name_each_command() {
    let commands = commands();
    assert!(commands.len() > 8 && commands.contains(&"completions".to_owned()), "{commands:?}");
    assert!(!commands.contains(&"manual".to_owned()));
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let text = text_of(lacuna("completions", [shell]));
        for command in commands.iter().filter(|command| *command != "help") {
            assert!(text.contains(command), "{shell}: {command}");
        }
        assert!(text.contains("max-dim") && text.contains("superlevel"), "{shell}");
    }
    lacuna("completions", ["cmd"]).assert().code(2);
}

/// Each installed shell parses its completions; missing shells are reported.
#[test]
fn shells_accept_their_completions() {
    for (shell, program, arguments) in
        [("bash", "bash", &["-n"][..]), ("zsh", "zsh", &["-n"]), ("fish", "fish", &["--no-execute"])]
    {
        let text = stdout_of(lacuna("completions", [shell]));
        let scratch = Scratch::new();
        let file = scratch.file("completions", &text);
        match Command::new(program).args(arguments).arg(&file).output() {
            Ok(done) => assert!(done.status.success(), "{shell}: {}", String::from_utf8_lossy(&done.stderr)),
            Err(_) => skipped(&format!("{program} is not installed")),
        }
    }
    // Bash completes `lacuna con`.
    let text = stdout_of(lacuna("completions", ["bash"]));
    let script =
        "COMP_WORDS=(lacuna con); COMP_CWORD=1; _lacuna lacuna con lacuna; echo \"${COMPREPLY[@]}\"\n";
    let bash = Command::new("bash").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut bash) = bash else { return };
    bash.stdin.take().unwrap().write_all(&[&text[..], script.as_bytes()].concat()).unwrap();
    let done = bash.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stdout), "convert\n");
}

#[test]
fn a_manual_page_for_each_command() {
    let scratch = Scratch::new();
    let directory = scratch.path("man");
    lacuna("manual", [&directory]).assert().success();
    for command in commands().iter().filter(|command| *command != "help") {
        let page = fs::read_to_string(directory.join(format!("lacuna-{command}.1"))).unwrap();
        assert!(page.contains(".TH") && page.contains(".SH SYNOPSIS"), "{command}");
        assert!(page.contains(&format!("lacuna {}", command.replace('-', "\\-"))), "{command}: {page}");
    }
    let main = fs::read_to_string(directory.join("lacuna.1")).unwrap();
    assert!(main.contains("lacuna\\-rips(1)"), "{main}");
    for line in main.lines().filter(|line| line.starts_with("lacuna\\-") && line.ends_with("(1)")) {
        let page = line.replace('\\', "").replace("(1)", ".1");
        assert!(directory.join(&page).exists(), "{page}");
    }
    let rips = fs::read_to_string(directory.join("lacuna-rips.1")).unwrap();
    // A table keeps its lines, and the text after the options has headings of its own.
    let table = rips.find(".nf\nlower\\-distance").expect("a table of formats");
    assert!(rips[table..].find("\n.fi\n").is_some_and(|end| rips[table..table + end].lines().count() > 10));
    assert!(!rips.contains(".SH EXTRA"), "{rips}");
    assert!(
        rips.contains(".SH EXAMPLES\n.nf\n  lacuna rips") && rips.contains(".SH EXIT CODES\n.nf\n"),
        "{rips}"
    );
    assert_eq!(rips.matches("\n.nf\n").count(), rips.matches("\n.fi\n").count());
}
