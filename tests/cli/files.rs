//! Output files and pipes: replaced as a whole or not at all.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

use super::{SQUARE, SQUARE_TEXT, Scratch, TRIANGLE, TRIANGLE_PAIRS, lacuna, read, rips, rips_of, run_of};

/// Commands with an input, one that they refuse, and the answer. The outputs of all commands are opened, filled and
/// committed by the same code.
const COMMANDS: [(&str, &str, &str, &str); 2] =
    [("rips", SQUARE, "0 1\nx 0\n", SQUARE_TEXT), ("reduce", TRIANGLE, "0\n1 7\n", TRIANGLE_PAIRS)];

#[test]
fn bars_and_statistics_go_to_their_files() {
    let scratch = Scratch::new();
    let input = scratch.file("square.txt", SQUARE);
    let (bars, stats) = (scratch.path("bars.txt"), scratch.path("stats.json"));
    let arguments = [input.as_path(), "-o".as_ref(), &bars, "--stats".as_ref(), &stats];
    rips(arguments).assert().success().stdout(is_empty());
    assert_eq!(read(&bars), SQUARE_TEXT);
    assert!(read(&stats).contains("\"dimensions\""));
    assert_eq!(scratch.names(), ["bars.txt", "square.txt", "stats.json"]);
}

#[test]
fn a_name_in_the_working_directory_will_do() {
    let scratch = Scratch::new();
    rips_of(SQUARE, &["-o", "bars.txt"]).current_dir(scratch.0.path()).assert().success();
    assert_eq!(scratch.names(), ["bars.txt"]);
}

#[test]
fn a_dash_is_standard_output() {
    rips_of(SQUARE, &["-o", "-"]).assert().success().stdout(SQUARE_TEXT);
}

#[test]
fn an_existing_file_is_replaced_on_success_and_kept_on_failure() {
    for (command, input, refused, expected) in COMMANDS {
        let scratch = Scratch::new();
        let answer = scratch.file("answer", "precious");
        let stats = scratch.file("stats.json", "priceless");
        let arguments = ["-o", answer.to_str().unwrap(), "--stats", stats.to_str().unwrap()];
        run_of(command, refused, &arguments).assert().code(2);
        assert_eq!((read(&answer).as_str(), read(&stats).as_str()), ("precious", "priceless"));
        assert_eq!(scratch.names(), ["answer", "stats.json"]);
        run_of(command, input, &arguments).assert().success().stdout(is_empty());
        assert_eq!(read(&answer), expected);
        assert!(read(&stats).starts_with('{'));
        assert_eq!(scratch.names(), ["answer", "stats.json"]);
    }
}

#[test]
fn a_path_that_cannot_be_written_is_refused_before_the_input_is_read() {
    let scratch = Scratch::new();
    let (nowhere, directory) = (scratch.path("missing/answer"), scratch.0.path());
    for (command, option, path) in [
        ("rips", "-o", nowhere.as_path()),
        ("rips", "--stats", &nowhere),
        ("rips", "--stats", directory),
        ("reduce", "-o", &nowhere),
        // Only commands of several inputs put answers into a directory.
        ("reduce", "-o", directory),
        ("reduce", "--stats", &nowhere),
        ("reduce", "--stats", directory),
    ] {
        let arguments = ["no-such-input".as_ref(), option.as_ref(), path.as_os_str()];
        let assert = lacuna(command, arguments).assert().code(2).stdout(is_empty());
        let named = contains(format!("error: {}: expected a path that can be written", path.display()));
        assert.stderr(named.and(contains("no-such-input").not()));
    }
}

#[test]
fn the_same_file_twice_is_refused() {
    let scratch = Scratch::new();
    let (file, same) = (scratch.path("both"), scratch.0.path().join("./both"));
    for (command, input, ..) in COMMANDS {
        for stats in [&file, &same] {
            let arguments = ["-o", file.to_str().unwrap(), "--stats", stats.to_str().unwrap()];
            let assert = run_of(command, input, &arguments).assert().code(2).stdout(is_empty());
            assert.stderr(contains("expected different files"));
        }
    }
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn statistics_do_not_mix_with_the_bars() {
    rips_of(SQUARE, &["--stats", "-"]).assert().code(2).stdout(is_empty()).stderr(contains("--stats"));
}

/// The reader of standard output leaves before the program writes.
#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(["rips", "--quiet", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(SQUARE.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &std::path::Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn permissions_are_those_of_the_file_replaced_or_of_any_new_file() {
        let scratch = Scratch::new();
        let (old, any) = (scratch.file("old", ""), scratch.file("any", ""));
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
        let new = scratch.path("new");
        for path in [&old, &new] {
            rips_of(SQUARE, &["-o", path.to_str().unwrap()]).assert().success();
        }
        assert_eq!((mode(&old), mode(&new)), (0o640, mode(&any)));
    }

    #[test]
    fn a_link_stays_and_its_file_is_replaced() {
        let scratch = Scratch::new();
        let (file, link) = (scratch.file("file", "old"), scratch.path("link"));
        symlink("file", &link).unwrap();
        rips_of(SQUARE, &["-o", link.to_str().unwrap()]).assert().success();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(read(&file), SQUARE_TEXT);
    }
}

#[cfg(target_os = "linux")]
mod full_disk {
    use super::*;

    #[test]
    fn is_a_failure_of_the_run() {
        for (command, input, ..) in COMMANDS {
            let assert = run_of(command, input, &["-o", "/dev/full"]).assert().code(1).stdout(is_empty());
            assert.stderr(contains("error: cannot write /dev/full: "));
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_lacuna"))
            .args(["rips", "--quiet", "-"])
            .stdin(Stdio::piped())
            .stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(SQUARE.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stderr.starts_with(b"error: cannot write standard output: "));
    }

    #[test]
    fn of_the_statistics_keeps_the_answer_that_was_there() {
        for (command, input, ..) in COMMANDS {
            let scratch = Scratch::new();
            let answer = scratch.file("answer", "precious");
            let arguments = ["-o", answer.to_str().unwrap(), "--stats", "/dev/full"];
            run_of(command, input, &arguments).assert().code(1).stderr(contains("/dev/full"));
            assert_eq!(read(&answer), "precious");
            assert_eq!(scratch.names(), ["answer"]);
        }
    }

    #[test]
    fn devices_are_written_not_replaced() {
        rips_of(SQUARE, &["-o", "/dev/null"]).assert().success().stdout(is_empty());
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        rips_of(SQUARE, &["-o", "/dev/stdout"]).assert().success().stdout(SQUARE_TEXT);
    }
}
