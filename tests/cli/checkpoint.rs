//! Runs that are killed, interrupted, out of time or out of disk space, and then resume from their checkpoint.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::Scratch;

/// Pseudo-random numbers.
pub(super) fn random(count: usize, seed: u64) -> impl Iterator<Item = u32> {
    let mut state = seed;
    (0..count).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as u32
    })
}

/// A command on files in a folder, with its expected answer.
pub(super) struct Run {
    pub(super) scratch: Scratch,
    arguments: Vec<String>,
    pub(super) expected: String,
}

impl Run {
    /// Makes the run of these arguments on these files.
    pub(super) fn new(arguments: &str, files: &[(&str, Vec<u8>)]) -> Run {
        let run = Run::without_answer(arguments, files);
        Run { expected: run.answer(), ..run }
    }

    fn without_answer(arguments: &str, files: &[(&str, Vec<u8>)]) -> Run {
        let scratch = Scratch::new();
        for (name, content) in files {
            fs::write(scratch.name(name), content).unwrap();
        }
        let arguments = arguments.split_whitespace().map(str::to_owned).collect();
        Run { scratch, arguments, expected: String::new() }
    }

    fn answer(&self) -> String {
        let output = self.command(&[]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    }

    /// The command with options. Signals are reset, since tests that run in the background may inherit ignored ones.
    pub(super) fn command(&self, options: &[&str]) -> Command {
        let mut run = Command::new("env");
        run.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_lacuna")]).args(&self.arguments);
        run.args(options).current_dir(self.scratch.name(""));
        run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        run
    }

    pub(super) fn directory(&self) -> String {
        self.scratch.name("kept")
    }

    /// The run with a checkpoint.
    pub(super) fn kept(&self, options: &[&str]) -> Command {
        self.command(&[&["--checkpoint", "kept", "--every", "1ms"], options].concat())
    }

    /// The run that saves at every opportunity, so that it takes long even on a fast machine.
    pub(super) fn kept_always(&self) -> Command {
        self.command(&["--checkpoint", "kept", "--every", "0s"])
    }

    /// The files of the checkpoint: names and inodes.
    fn files(&self) -> Vec<(String, u64)> {
        let entries = fs::read_dir(self.directory()).into_iter().flatten().flatten();
        // A file may be replaced meanwhile.
        let files = entries.filter_map(|entry| {
            Some((entry.file_name().to_string_lossy().into_owned(), entry.metadata().ok()?.ino()))
        });
        files.filter(|(name, _)| name.ends_with(".lac")).collect()
    }

    /// The saved parts: names and inodes.
    pub(super) fn pieces(&self) -> Vec<(String, u64)> {
        self.files().into_iter().filter(|(name, _)| name != "run.lac").collect()
    }

    /// Whether a part of this name is saved.
    pub(super) fn keeps(&self, name: &str) -> bool {
        self.pieces().iter().any(|(piece, _)| piece == name)
    }

    /// Waits, at most some minutes, for a file of the checkpoint; false if the run ended before.
    fn waits_for(&self, child: &mut Child, is_it: impl Fn(&(String, u64)) -> bool) -> bool {
        let start = Instant::now();
        while !self.files().iter().any(&is_it) {
            assert!(
                start.elapsed() < Duration::from_secs(300),
                "{:?} has saved only {:?}",
                self.arguments,
                self.files()
            );
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        true
    }

    /// Starts the run and kills it `moment` after it has saved a part whose name contains `piece`. True if it was
    /// killed. It saves at every opportunity, so it takes long enough on a machine of any speed.
    pub(super) fn is_killed(&self, piece: &str, moment: Duration, output: Stdio) -> bool {
        let before = self.files();
        let mut child = self.kept_always().stdout(output).spawn().unwrap();
        let is_new = |found: &(String, u64)| found.0.contains(piece) && !before.contains(found);
        if !self.waits_for(&mut child, is_new) {
            return false;
        }
        std::thread::sleep(moment);
        child.kill().unwrap();
        child.wait().unwrap().signal() == Some(9)
    }

    /// Kills the run as soon as it has saved a part whose name contains `piece`. A long answer goes to a pipe that is
    /// not read, which keeps the run from ending; a run with a short answer that ends too soon is repeated.
    pub(super) fn leaves(&self, piece: &str) {
        let is_left = |_| self.is_killed(piece, Duration::ZERO, Stdio::piped());
        assert!((0..100).any(is_left), "{:?} is too short", self.arguments);
    }

    /// Kills the run, and then each resumed one a little later, unless it ends before; the answer is the same.
    pub(super) fn is_killed_and_goes_on(&self, piece: &str) {
        self.leaves(piece);
        for moment in [1, 3, 7, 12] {
            self.is_killed(piece, Duration::from_millis(moment), Stdio::null());
            // A run that is killed after its last file is removed leaves an empty directory, which the next run would
            // take for the user's.
            let _ = fs::remove_dir(self.directory());
        }
        self.goes_on();
    }

    /// Runs to the end, which leaves no files, and returns the messages.
    pub(super) fn goes_on(&self) -> String {
        let output = self.kept(&[]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout), self.expected, "{:?}", self.arguments);
        assert!(!fs::exists(self.directory()).unwrap());
        text(&output.stderr)
    }
}

/// Points whose barcode takes about a second.
const LONG: &str = "random.lower_distance_matrix";

/// The barcode of these points, computed once for all tests.
static EXPECTED: OnceLock<String> = OnceLock::new();

/// The run on these points.
fn long() -> Run {
    let mut numbers = random(110 * 109 / 2, 1).map(|x| f64::from(x) / f64::from(1_u32 << 24));
    let rows: Vec<String> = (0..110)
        .map(|i| numbers.by_ref().take(i).map(|x| x.to_string()).collect::<Vec<_>>().join(","))
        .collect();
    let arguments = format!("rips --max-dim 2 --threads 2 --backend cpu {LONG}");
    let run = Run::without_answer(&arguments, &[(LONG, rows.join("\n").into_bytes())]);
    Run { expected: EXPECTED.get_or_init(|| run.answer()).clone(), ..run }
}

/// Resumes from the checkpoint and runs to the end.
fn resumes(run: &Run) {
    let said = run.goes_on();
    assert!(said.contains("resumes from kept"), "{said}");
}

/// The last part that the run saves.
const LAST: &str = "reduction-2.lac";

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(super) fn refused(output: &Output, says: &str) {
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains(says), "{error}");
    assert_eq!(text(&output.stdout), "");
}

pub(super) fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn a_run_that_is_killed_again_and_again_has_the_same_answer() {
    let long = long();
    let mut kills = 0;
    // Parts of an earlier run are present at once in the next.
    for piece in ["run.lac", "collapse.lac", "dimension-1.lac", "residue-2.lac", LAST] {
        let mut child = long.kept_always().spawn().unwrap();
        let is_there = long.waits_for(&mut child, |(name, _)| name.ends_with(piece));
        // Some time within the next 20 milliseconds.
        std::thread::sleep(Duration::from_micros(u64::from(child.id()) * 7919 % 20_000));
        child.kill().unwrap();
        kills += usize::from(child.wait().unwrap().signal() == Some(9) && is_there);
    }
    assert!(kills > 0);
    long.leaves(LAST);
    // A file that was being written when a run was killed.
    fs::write(format!("{}/0123-residue-2.lac.part", long.directory()), "half").unwrap();
    resumes(&long);
}

#[test]
fn another_run_is_refused_and_told_why() {
    let long = long();
    long.leaves(LAST);
    let mut other = long.kept(&["--modulus", "3"]);
    refused(
        &other.output().unwrap(),
        "expected the checkpoint of this run, found that of another: --modulus was 2, is 3;",
    );
    let matrix = long.scratch.name(LONG);
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
    let long = long();
    long.leaves(LAST);
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
    resumes(&long);
    refused(&inspect(&[&long.scratch.name(LONG)]), "expected a snapshot of Lacuna");
    refused(&inspect(&[&long.scratch.name("")]), "expected a directory with snapshots (*.lac), found none");
}

/// A run with a checkpoint that waits for the rest of its input: it holds the lock and handles signals.
fn reading(long: &Run) -> (Child, impl Write) {
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
    let long = long();
    let (mut first, _input) = reading(&long);
    refused(&long.kept(&[]).output().unwrap(), "kept: another run keeps its checkpoint there");
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(long.kept(&[]).output().unwrap().status.success());
}

#[test]
fn a_signal_a_second_later_ends_a_run_at_once_and_one_that_comes_with_the_first_does_not() {
    let long = long();
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
    let long = long();
    for signal in ["INT", "TERM"] {
        let _ = fs::remove_dir_all(long.directory());
        let mut child = long.kept_always().spawn().unwrap();
        assert!(long.waits_for(&mut child, |(name, _)| name.ends_with("residue-2.lac")));
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
    resumes(&long);
}

#[test]
fn what_is_done_when_the_time_is_up_is_the_answer() {
    let long = long();
    let mut codes = Vec::new();
    // The first limit ends the run before anything is done, the last is never reached.
    for (time, every) in [("1ms", "0s"), ("200ms", "1ms"), ("400ms", "1ms"), ("1h", "1ms")] {
        let stats = long.scratch.name("stats.json");
        let options = ["--checkpoint", "kept", "--every", every, "--time-limit", time, "--stats", &stats];
        let output = long.command(&options).output().unwrap();
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
    let long = long();
    long.leaves(LAST);
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
    run.args(["--checkpoint", "other", "--every", "1ms", &long.scratch.name(LONG)]);
    let output = run.arg0("bash").current_dir(long.scratch.name("")).output().unwrap();
    let error = text(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert_eq!(text(&output.stdout), long.expected);
    assert_eq!(error.matches("warning:").count(), 1, "{error}");
    assert!(
        error.contains("cannot write the snapshot") && error.contains("the state saved before stays"),
        "{error}"
    );
    resumes(&long);
    // The directory cannot be created.
    fs::write(long.directory(), "a file").unwrap();
    refused(&long.kept(&[]).output().unwrap(), "kept: cannot make the directory of the checkpoint");
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let long = long();
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
