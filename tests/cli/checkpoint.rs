//! Runs that are killed, interrupted, out of time or out of disk space, and then resume from their checkpoint.

use std::fs;
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::Scratch;

/// The expected barcode, computed once for all tests.
static EXPECTED: OnceLock<String> = OnceLock::new();

/// A folder with points whose barcode takes about a second, and that barcode.
struct Long {
    scratch: Scratch,
    expected: String,
}

impl Long {
    fn new() -> Long {
        let scratch = Scratch::new();
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from((state >> 40) as u32) / f64::from(1_u32 << 24)
        };
        let rows: Vec<String> =
            (0..110).map(|i| (0..i).map(|_| random().to_string()).collect::<Vec<_>>().join(",")).collect();
        fs::write(scratch.name("random.lower_distance_matrix"), rows.join("\n")).unwrap();
        let long = Long { scratch, expected: String::new() };
        let compute = || {
            let whole = long.command(&[]).output().unwrap();
            assert!(whole.status.success());
            text(&whole.stdout)
        };
        Long { expected: EXPECTED.get_or_init(compute).clone(), ..long }
    }

    /// The run with additional options. Signals are reset, since tests that run in the background may inherit ignored
    /// ones.
    fn command(&self, options: &[&str]) -> Command {
        let mut run = Command::new("env");
        run.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_lacuna"), "rips", "--max-dim", "2"]);
        run.args(["--threads", "2", "--backend", "cpu"]).args(options);
        run.arg(self.scratch.name("random.lower_distance_matrix"));
        run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        run
    }

    fn directory(&self) -> String {
        self.scratch.name("kept")
    }

    /// The run with a checkpoint.
    fn kept(&self, options: &[&str]) -> Command {
        let mut all = vec!["--checkpoint", "kept"];
        if !options.contains(&"--every") {
            all.extend(["--every", "1ms"]);
        }
        all.extend(options);
        let mut run = self.command(&all);
        run.current_dir(self.scratch.name(""));
        run
    }

    /// The run that saves at every opportunity, so that it takes long even on a fast machine.
    fn kept_always(&self) -> Command {
        self.kept(&["--every", "0s"])
    }

    /// Waits, at most some minutes, for a file with this ending; false if the run ended before.
    fn wait_for(&self, piece: &str, child: &mut Child) -> bool {
        let start = Instant::now();
        loop {
            let names = fs::read_dir(self.directory()).into_iter().flatten().flatten();
            if names.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().ends_with(piece)) {
                return true;
            }
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            assert!(start.elapsed() < Duration::from_secs(300), "waited for {piece}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Leaves the checkpoint of a run that was killed in the middle of a dimension.
    fn leave_checkpoint(&self) {
        for _ in 0..100 {
            let mut child = self.kept_always().spawn().unwrap();
            let is_there = self.wait_for("reduction-2.lac", &mut child);
            child.kill().unwrap();
            if child.wait().unwrap().signal() == Some(9) && is_there {
                return;
            }
        }
        panic!("the run is too short");
    }

    /// Resumes from the checkpoint and runs to the end, which leaves no files.
    fn goes_on(&self) {
        let output = self.kept(&[]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout), self.expected);
        assert!(text(&output.stderr).contains("resumes from kept"), "{}", text(&output.stderr));
        assert!(!fs::exists(self.directory()).unwrap());
    }
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(super) fn refused(output: &Output, says: &str) {
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains(says), "{error}");
    assert_eq!(text(&output.stdout), "");
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_run_that_is_killed_again_and_again_has_the_same_answer() {
    let long = Long::new();
    let mut kills = 0;
    // Parts of an earlier run are present at once in the next.
    for piece in ["run.lac", "collapse.lac", "dimension-1.lac", "residue-2.lac", "reduction-2.lac"] {
        let mut child = long.kept_always().spawn().unwrap();
        let is_there = long.wait_for(piece, &mut child);
        // Some time within the next 20 milliseconds.
        std::thread::sleep(Duration::from_micros(u64::from(child.id()) * 7919 % 20_000));
        child.kill().unwrap();
        kills += usize::from(child.wait().unwrap().signal() == Some(9) && is_there);
    }
    assert!(kills > 0);
    long.leave_checkpoint();
    // A file that was being written when a run was killed.
    fs::write(format!("{}/0123-residue-2.lac.part", long.directory()), "half").unwrap();
    long.goes_on();
}

#[test]
fn another_run_is_refused_and_told_why() {
    let long = Long::new();
    long.leave_checkpoint();
    let mut other = long.kept(&["--modulus", "3"]);
    refused(
        &other.output().unwrap(),
        "expected the checkpoint of this run, found that of another: --modulus was 2, is 3;",
    );
    let matrix = long.scratch.name("random.lower_distance_matrix");
    let before = fs::read_to_string(&matrix).unwrap();
    fs::write(&matrix, before.replacen("0.", "1.", 1)).unwrap();
    refused(
        &long.kept(&[]).output().unwrap(),
        "input was the distances of 110 points of single precision with checksum",
    );
    fs::write(&matrix, before).unwrap();
    // Options that affect only the method and the place of the answer may change.
    let answer = long.scratch.name("bars.txt");
    let output = long.kept(&["--pair-store", "sorted", "-o", &answer]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(answer).unwrap(), long.expected);
}

#[test]
fn a_checkpoint_that_is_damaged_is_refused_and_inspected() {
    let long = Long::new();
    long.leave_checkpoint();
    let inspect = |options: &[&str]| super::lacuna("inspect", options).output().unwrap();
    let said = inspect(&[&long.directory()]);
    assert!(said.status.success());
    let lines = text(&said.stdout);
    assert!(lines.contains("/run.lac: run, version 1, ") && lines.contains("\n  --max-dim: 2\n"), "{lines}");
    assert!(lines.contains(": dimension of distances, version 1"), "{lines}");
    assert!(lines.contains(": reduced columns of distances, version 1"), "{lines}");
    let said: serde_json::Value =
        serde_json::from_slice(&inspect(&["--json", &long.directory()]).stdout).unwrap();
    assert_eq!((&said[0]["kind"], &said[0]["facts"]["command"]), (&"run".into(), &"rips".into()));
    let mut names = fs::read_dir(long.directory()).unwrap().map(|entry| entry.unwrap().path());
    let piece = names.find(|path| path.to_string_lossy().ends_with("residue-2.lac")).unwrap();
    let whole = fs::read(&piece).unwrap();
    let mut damaged = whole.clone();
    damaged[200] ^= 4;
    fs::write(&piece, damaged).unwrap();
    refused(&long.kept(&[]).output().unwrap(), "the file is damaged");
    refused(&inspect(&[&long.directory()]), "the file is damaged");
    fs::write(&piece, &whole[..whole.len() - 1]).unwrap();
    refused(&long.kept(&[]).output().unwrap(), "the file is cut");
    fs::write(&piece, whole).unwrap();
    long.goes_on();
    refused(&inspect(&[&long.scratch.name("random.lower_distance_matrix")]), "expected a snapshot of Lacuna");
    refused(&inspect(&[&long.scratch.name("")]), "expected a directory with snapshots (*.lac), found none");
}

/// A run with a checkpoint that waits for the rest of its input: it holds the lock and handles signals.
fn reading(long: &Long) -> (Child, impl Write) {
    let mut run = Command::new("env");
    run.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_lacuna"), "rips", "-"]);
    run.args(["--checkpoint", &long.directory()]).stdin(Stdio::piped()).stderr(Stdio::null());
    let mut run = run.stdout(Stdio::null()).spawn().unwrap();
    let mut input = run.stdin.take().unwrap();
    // More than a pipe holds: the write returns once part of it has been read.
    input.write_all(&vec![b'\n'; 4 << 20]).unwrap();
    (run, input)
}

#[test]
fn one_run_has_a_directory_at_a_time() {
    let long = Long::new();
    let (mut first, _input) = reading(&long);
    refused(&long.kept(&[]).output().unwrap(), "kept: another run keeps its checkpoint there");
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(long.kept(&[]).output().unwrap().status.success());
}

#[test]
fn a_signal_a_second_later_ends_a_run_at_once_and_one_that_comes_with_the_first_does_not() {
    let long = Long::new();
    // Two signals in quick succession, as from `timeout`, count as one: the run waits for its input. On a very busy
    // machine they may arrive a second apart.
    let waits = || {
        let (mut run, input) = reading(&long);
        let first = Instant::now();
        send("TERM", &run);
        send("TERM", &run);
        while first.elapsed() < Duration::from_millis(1100) {
            if run.try_wait().unwrap().is_some() {
                assert!(
                    first.elapsed() >= Duration::from_secs(1),
                    "ended {:?} after the first",
                    first.elapsed()
                );
                return None;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        run.try_wait().unwrap().is_none().then_some((run, input))
    };
    let (mut run, _input) = (0..20).find_map(|_| waits()).expect("signals are heard together");
    // The first may be handled late, so signals are sent until one ends the run.
    let mut status = None;
    while status.is_none() {
        send("TERM", &run);
        std::thread::sleep(Duration::from_millis(100));
        status = run.try_wait().unwrap();
    }
    assert_eq!(status.unwrap().signal(), Some(15));
    assert!(long.kept(&[]).output().unwrap().status.success());
}

#[test]
fn a_signal_has_the_run_keep_what_it_has_and_say_how_it_goes_on() {
    let long = Long::new();
    for signal in ["INT", "TERM"] {
        let _ = fs::remove_dir_all(long.directory());
        let mut child = long.kept_always().spawn().unwrap();
        assert!(long.wait_for("residue-2.lac", &mut child));
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        let error = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(3), String::new()), "{error}");
        assert!(
            error.contains("interrupted; the state is saved in kept; resume with the same command"),
            "{error}"
        );
        assert!(error.contains("lacuna rips --max-dim 2") && error.contains("--checkpoint kept"), "{error}");
    }
    long.goes_on();
}

#[test]
fn what_is_done_when_the_time_is_up_is_the_answer() {
    let long = Long::new();
    let mut codes = Vec::new();
    // The first limit ends the run before anything is done, the last is never reached.
    for (time, every) in [("1ms", "0s"), ("200ms", "1ms"), ("400ms", "1ms"), ("1h", "1ms")] {
        let stats = long.scratch.name("stats.json");
        let options = ["--every", every, "--time-limit", time, "--stats", &stats];
        let output = long.kept(&options).output().unwrap();
        let (error, code) = (text(&output.stderr), output.status.code().unwrap());
        assert!(long.expected.starts_with(&text(&output.stdout)), "{}", text(&output.stdout));
        match code {
            0 => assert_eq!(text(&output.stdout), long.expected),
            _ => assert!(code == 4 && error.contains("time limit reached; the state is saved"), "{error}"),
        }
        if !output.stdout.is_empty() {
            let stats: serde_json::Value =
                serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap();
            assert_eq!(stats["unfinished"].is_null(), code == 0);
            assert_eq!(
                error.contains("the time is up: the bars are those of the dimensions below"),
                code == 4
            );
        }
        codes.push(code);
    }
    assert_eq!((codes[0], codes[3]), (4, 0));
    // JSON states it as well.
    let _ = fs::remove_dir_all(long.directory());
    for time in ["100ms", "250ms", "500ms", "1h"] {
        let output = long.command(&["--output", "json", "--time-limit", time]).output().unwrap();
        if output.stdout.is_empty() {
            assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
            continue;
        }
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let done = object["max_dim"].as_u64().unwrap();
        let unfinished: Vec<u64> = (done + 1..=2).collect();
        assert_eq!(output.status.code(), Some(if unfinished.is_empty() { 0 } else { 4 }));
        match &unfinished[..] {
            [] => assert_eq!(object["unfinished"], serde_json::Value::Null),
            unfinished => assert_eq!(object["unfinished"], serde_json::json!(unfinished)),
        }
    }
}

#[test]
fn a_disk_that_is_full_is_told_once_and_nothing_is_lost() {
    let long = Long::new();
    long.leave_checkpoint();
    // Files are limited to 2 KiB: the manifest is saved, the state is not.
    let mut run = Command::new("bash");
    run.args([
        "-c",
        "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\"",
        env!("CARGO_BIN_EXE_lacuna"),
        "rips",
        "--max-dim",
        "2",
    ]);
    run.args(["--checkpoint", "other", "--every", "1ms", &long.scratch.name("random.lower_distance_matrix")]);
    let output = run.arg0("bash").current_dir(long.scratch.name("")).output().unwrap();
    let error = text(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert_eq!(text(&output.stdout), long.expected);
    assert_eq!(error.matches("warning:").count(), 1, "{error}");
    assert!(
        error.contains("cannot write the snapshot") && error.contains("the state saved before stays"),
        "{error}"
    );
    long.goes_on();
    // The directory cannot be created.
    fs::write(long.directory(), "a file").unwrap();
    refused(&long.kept(&[]).output().unwrap(), "kept: cannot make the directory of the checkpoint");
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let long = Long::new();
    // The input cannot be read: no run has begun, and nothing is left.
    let mut absent = super::lacuna("rips", ["absent.dist", "--checkpoint", &long.directory()]);
    refused(&absent.output().unwrap(), "absent.dist");
    let mut absent = super::lacuna("reduce", ["absent.bin", "--checkpoint", &long.directory()]);
    refused(&absent.output().unwrap(), "absent.bin");
    assert!(!fs::exists(long.directory()).unwrap());
    let cycles = long.kept(&["--representatives", "cycles", "--output", "json"]).output().unwrap();
    refused(&cycles, "--checkpoint: expected a run without --representatives");
    let usage = super::lacuna("rips", ["--every", "1s", "x"]).output().unwrap();
    assert!(text(&usage.stderr).contains("--checkpoint"));
    let usage = super::lacuna("rips", ["--time-limit", "soon", "x"]).output().unwrap();
    assert!(text(&usage.stderr).contains("expected a time such as 90s, 15min or 2h 30m, found soon"));
}
