//! Files left by a run that a signal ends: none, or those that the next run removes.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Scratch;
use super::checkpoint::send;

/// Waits, at most some minutes, until a condition holds.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(300), "waited for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A run of `lacuna rips` that waits for its input with its outputs open. Signals are reset, since tests that run in
/// the background may inherit ignored ones, which the program leaves ignored.
fn waiting(scratch: &Scratch) -> Child {
    let mut run = Command::new("env");
    run.args([
        "--default-signal=HUP,INT,TERM",
        env!("CARGO_BIN_EXE_lacuna"),
        "rips",
        "-",
        "-o",
        &scratch.name("bars.txt"),
    ]);
    run.args(["--stats", &scratch.name("stats.json")]);
    run.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = run.spawn().unwrap();
    wait_until("temporary files", || scratch.names().len() == 2);
    child
}

#[test]
fn signals_leave_no_temporary_files() {
    for (signal, number) in [("HUP", 1), ("INT", 2), ("TERM", 15)] {
        let scratch = Scratch::new();
        let mut child = waiting(&scratch);
        // Held open: the end of the input would end the run.
        let input = child.stdin.take();
        send(signal, &child);
        // A shell reports this as 128 + the number.
        assert_eq!(child.wait().unwrap().signal(), Some(number), "{signal}");
        assert_eq!(scratch.names(), [""; 0], "{signal}");
        drop(input);
    }
}

/// Signals are ignored as under `nohup`.
#[test]
fn a_signal_that_is_ignored_stays_so() {
    let scratch = Scratch::new();
    let script = "trap '' HUP; exec \"$0\" \"$@\"";
    let mut run = Command::new("sh");
    run.args(["-c", script, env!("CARGO_BIN_EXE_lacuna"), "rips", "-", "-o", &scratch.name("bars.txt")]);
    run.arg0("sh").stdin(Stdio::piped()).stderr(Stdio::null());
    let mut child = run.spawn().unwrap();
    wait_until("a temporary file", || scratch.names().len() == 1);
    send("HUP", &child);
    std::thread::sleep(Duration::from_millis(50));
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), super::SQUARE.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(scratch.names(), ["bars.txt"]);
}

/// A killed run leaves its files to the next run in the same folder, which removes no file of a running program.
#[test]
fn what_a_killed_run_leaves_the_next_one_removes() {
    let scratch = Scratch::new();
    let mut killed = waiting(&scratch);
    killed.kill().unwrap();
    assert_eq!(killed.wait().unwrap().signal(), Some(9));
    let left = scratch.names();
    assert_eq!(left.len(), 2, "{left:?}");

    let mut living = Command::new(env!("CARGO_BIN_EXE_lacuna"));
    living.args(["rips", "-", "-o", &scratch.name("living.txt")]).stdin(Stdio::piped()).stderr(Stdio::null());
    let mut living = living.spawn().unwrap();
    wait_until("the first run's files to go", || {
        let names = scratch.names();
        names.len() == 1 && !left.contains(&names[0])
    });
    let held = scratch.names();

    scratch.file("square.dist", super::SQUARE);
    let run = |output: &str| {
        let mut run = Command::new(env!("CARGO_BIN_EXE_lacuna"));
        run.args(["rips", &scratch.name("square.dist"), "-q", "-o", &scratch.name(output)]);
        assert!(run.status().unwrap().success());
    };
    run("other.txt");
    assert_eq!(scratch.names(), [&held[0], "other.txt", "square.dist"]);

    std::io::Write::write_all(&mut living.stdin.take().unwrap(), super::SQUARE.as_bytes()).unwrap();
    assert!(living.wait().unwrap().success());
    assert_eq!(scratch.names(), ["living.txt", "other.txt", "square.dist"]);
}

/// Likewise for the folder in which another program runs.
#[test]
fn a_folder_of_a_killed_run_goes_with_the_next() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let folder = scratch.path("temporary");
    std::fs::create_dir(&folder).unwrap();
    let input = scratch.file("triangle.phat", super::TRIANGLE);
    let program = |name: &str, script: &str| {
        let path = scratch.file(name, format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path
    };
    let started = scratch.path("started");
    let waits = program("waits", &format!("touch {}; exec sleep 2", started.display()));
    let compare = |program: &std::path::Path| {
        let mut run = Command::new(env!("CARGO_BIN_EXE_lacuna"));
        run.args(["compare", "--run", "phat", "--from", "matrix", "--program"]).arg(program).arg(&input);
        run.env("TMPDIR", &folder).stdout(Stdio::null()).stderr(Stdio::null());
        run.spawn().unwrap()
    };
    let left = || std::fs::read_dir(&folder).unwrap().count();
    let mut killed = compare(&waits);
    wait_until("the other program to start", || started.exists());
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(left(), 1, "a folder");
    compare(&program("fails", "exit 1")).wait().unwrap();
    assert_eq!(left(), 0);
}
