//! What is left of a run that a signal ends: nothing.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Scratch;

/// Waits until something is so, for at most a minute.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited a minute for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// `lacuna rips` that waits for its input, its outputs open. Whoever runs the tests in the background may have signals ignored, and the
/// program would have them stay so.
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

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn signals_leave_no_temporary_files() {
    for (signal, number) in [("HUP", 1), ("INT", 2), ("TERM", 15)] {
        let scratch = Scratch::new();
        let mut child = waiting(&scratch);
        // Held open: at its end the run would end by itself.
        let input = child.stdin.take();
        send(signal, &child);
        // A shell gives this as 128 + the number.
        assert_eq!(child.wait().unwrap().signal(), Some(number), "{signal}");
        assert_eq!(scratch.names(), [""; 0], "{signal}");
        drop(input);
    }
}

/// What `nohup` does.
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
