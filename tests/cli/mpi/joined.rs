//! Processes of a machine that work as one.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::super::{Scratch, data, lacuna, read, skipped, stdout_of};
use super::{
    APART, PATIENCE, START, files, lacuna_joined, launcher, on_ranks, processes_with, started, stderr,
};

/// All commands have the answer of one process, also those whose work processes cannot share.
#[test]
fn the_first_process_of_a_machine_works_for_all() {
    let Some(launcher) = launcher() else { return };
    let [image, torus, matrix] = ["images/volume.npy", "torus.pts", "octahedron_surface.dat"].map(data);
    let [image, torus, matrix] = [&image, &torus, &matrix].map(|file| file.to_str().unwrap());
    let runs: [&[&str]; 5] = [
        &["ecc", image],
        &["cubical", image],
        &["rips", "--threshold", "1.5", torus],
        &["reduce", matrix],
        &["--version"],
    ];
    for (number, arguments) in runs.iter().enumerate() {
        let expected = stdout_of(lacuna(arguments[0], &arguments[1..]));
        let size = [2, 3, 8][number % 3];
        let mut command = lacuna_joined(&launcher, size, "100", arguments);
        let output = command.env_remove(APART.0).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        assert!(output.stdout == expected, "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

/// Threads are those of all processes that work as one; without a shared image, there is one such group.
#[test]
fn each_so_many_processes_of_a_machine_work_as_one() {
    let Some(launcher) = launcher() else { return };
    let (scratch, image) = (Scratch::new(), data("images/volume.npy"));
    let (image, stats) = (image.to_str().unwrap(), scratch.name("stats.json"));
    let expected = stdout_of(lacuna("ecc", [image]));
    for (joined, groups, threads) in [("1", 5, 2), ("2", 3, 4), ("4", 2, 8), ("5", 1, 10), ("9", 1, 10)] {
        let arguments = ["ecc", "-v", "--threads", "2", "--stats", &stats, image];
        let output = lacuna_joined(&launcher, 5, joined, &arguments).output().unwrap();
        let told = stderr(&output);
        assert!(output.status.success() && output.stdout == expected, "{joined}: {told}");
        let found: serde_json::Value = serde_json::from_str(&read(Path::new(&stats))).unwrap();
        let ranks = if groups > 1 { groups.into() } else { serde_json::Value::Null };
        assert_eq!((&found["ranks"], &found["threads"]), (&ranks, &threads.into()), "{joined}: {found}");
        let works_for = format!("process 0 works for {} of its machine", threads / 2);
        assert_eq!(told.matches(&works_for).count(), usize::from(joined != "1"), "{joined}: {told}");
    }
    let output = lacuna_joined(&launcher, 5, "4", &["cubical", image]).output().unwrap();
    assert!(stderr(&output).contains("found 2 that work by themselves"), "{}", stderr(&output));
    let output = lacuna_joined(&launcher, 2, "none", &["ecc", image]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = stderr(&output);
    assert!(told.contains("LACUNA_JOINED: expected") && told.contains("found 'none'"), "{told}");
}

/// Inputs of a batch are taken by all processes, as each can have all of an input's work.
#[test]
fn processes_of_a_machine_share_a_batch() {
    let Some(launcher) = launcher() else { return };
    let (scratch, images) = (Scratch::new(), data("cubical"));
    let [alone, shared, stats] = ["alone", "shared", "stats.json"].map(|name| scratch.name(name));
    let images = images.to_str().unwrap();
    stdout_of(lacuna("cubical", ["-q", "-o", &alone, images]));
    let arguments = ["cubical", "-q", "-o", &shared, "--stats", &stats, images];
    let output = lacuna_joined(&launcher, 3, "3", &arguments).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(files(&shared), files(&alone));
    let found: serde_json::Value = serde_json::from_str(&read(Path::new(&stats))).unwrap();
    assert_eq!(found["ranks"], 3, "{found}");

    // One process has the state of all inputs.
    let kept = scratch.name("kept");
    let arguments = ["cubical", "-q", "-o", &shared, "--stats", &stats, "--checkpoint", &kept, images];
    let output = lacuna_joined(&launcher, 3, "3", &arguments).output().unwrap();
    assert!(output.status.success() && !Path::new(&kept).exists(), "{}", stderr(&output));
    assert_eq!(files(&shared), files(&alone));
    let found: serde_json::Value = serde_json::from_str(&read(Path::new(&stats))).unwrap();
    assert_eq!(found["ranks"], serde_json::Value::Null, "{found}");
}

/// A failure of the process that works, and its time limit, are those of all.
#[test]
fn the_process_that_works_ends_all() {
    let Some(launcher) = launcher() else { return };
    let torus = data("torus.pts");
    let torus = torus.to_str().unwrap();
    let endless =
        ["rips", "--max-dim", "9", "--threshold", "inf", "--collapse", "off", "--time-limit", "1s", torus];
    for (arguments, message, code) in [
        (&["reduce", "no such file.dat"][..], "no such file.dat: ", 2),
        (&["cubical", torus], "error: ", 2),
        (&endless, "the time is up", 4),
    ] {
        let start = Instant::now();
        let output = lacuna_joined(&launcher, 3, "3", arguments).output().unwrap();
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        assert_eq!(told.matches(message).count(), 1, "{arguments:?}: {told}");
        assert!(start.elapsed() < START);
    }
}

/// A signal to all processes saves the state of the one that works; one that is killed ends all. The others sleep.
#[cfg(target_os = "linux")]
#[test]
#[allow(unsafe_code)]
fn processes_that_wait_sleep_until_the_end() {
    let Some(launcher) = launcher() else { return };
    let scratch = Scratch::new();
    let points: String = (0..3000u64).map(|k| format!("{} {}\n", k * k % 8191, k * k * k % 8191)).collect();
    let points = scratch.file("points.pts", points).to_str().unwrap().to_owned();
    let kept = scratch.name("kept");
    let arguments =
        ["rips", "--max-dim", "4", "--threshold", "inf", "--collapse", "off", "--checkpoint", &kept, &points];
    for (signalled, signal) in [(0..3, libc::SIGTERM), (1..2, libc::SIGKILL), (0..1, libc::SIGKILL)] {
        let mut command = lacuna_joined(&launcher, 3, "3", &arguments);
        let running = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        // The state is saved for the first time when dimension 0 is done.
        let is_saved = || Path::new(&kept).is_dir() && fs::read_dir(&kept).unwrap().count() > 1;
        let processes = started(3, &kept, is_saved);
        let before: Vec<u64> = processes.iter().map(|&process| ticks(process)).collect();
        thread::sleep(Duration::from_millis(500));
        let after = processes.iter().map(|&process| ticks(process));
        let mut used: Vec<u64> = after.zip(before).map(|(after, before)| after - before).collect();
        used.sort_unstable();
        // Of 50 ticks in this time.
        assert!(used[1] <= 10 && used[2] > used[1], "{used:?}");
        for &process in &processes[signalled.clone()] {
            // SAFETY: sends a signal to a process that this test has started.
            assert_eq!(unsafe { libc::kill(process, signal) }, 0);
        }
        let sent = Instant::now();
        while !processes_with(&kept).is_empty() {
            assert!(sent.elapsed() < PATIENCE, "some go on after {signal} to {signalled:?}");
            thread::sleep(Duration::from_millis(10));
        }
        let output = running.wait_with_output().unwrap();
        assert!(!output.status.success(), "{}", stderr(&output));
        if signal == libc::SIGTERM {
            assert_eq!(stderr(&output).matches("interrupted: what is done is being kept").count(), 1);
            assert!(fs::read_dir(&kept).unwrap().count() > 1);
        }
    }
}

/// Hundredths of a second for which a process has had a core.
#[cfg(target_os = "linux")]
fn ticks(process: i32) -> u64 {
    let told = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let (_, after_name) = told.rsplit_once(')').unwrap();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    [fields[11], fields[12]].iter().map(|field| field.parse::<u64>().unwrap()).sum()
}

/// The library is found beside the launcher, which is the parent process.
#[cfg(target_os = "linux")]
#[test]
fn a_launcher_need_not_be_on_the_path() {
    let Some(launcher) = launcher() else { return };
    let image = data("images/plane.npy");
    let image = image.to_str().unwrap();
    let mut command = lacuna_joined(&launcher, 2, "2", &["ecc", "-v", image]);
    let output = command.env("PATH", "/usr/bin:/bin").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("process 0 works for 2 of its machine"), "{}", stderr(&output));
    assert_eq!(output.stdout, stdout_of(lacuna("ecc", [image])));
}

/// Processes in containers, each with limits of its own, work by themselves, and process 0 says so.
#[cfg(target_os = "linux")]
#[test]
fn processes_in_containers_work_by_themselves() {
    let Some(launcher) = launcher() else { return };
    if !Command::new("unshare").args(["-C", "true"]).status().is_ok_and(|status| status.success()) {
        return skipped("unshare -C, which starts a program with limits of its own, is not allowed");
    }
    let (scratch, image) = (Scratch::new(), data("images/volume.npy"));
    let (image, stats) = (image.to_str().unwrap(), scratch.name("stats.json"));
    let mut command = on_ranks(&launcher, 3, Path::new("unshare"));
    command.args(["-C", env!("CARGO_BIN_EXE_lacuna"), "ecc", "--stats", &stats, image]);
    let output = command.output().unwrap();
    let told = stderr(&output);
    assert!(output.status.success() && output.stdout == stdout_of(lacuna("ecc", [image])), "{told}");
    assert_eq!(told.matches("processes of a machine work by themselves").count(), 1, "{told}");
    let found: serde_json::Value = serde_json::from_str(&read(Path::new(&stats))).unwrap();
    assert_eq!(found["ranks"], 3, "{found}");
}
