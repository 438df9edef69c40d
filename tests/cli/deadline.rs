//! Time limits of runs whose answer is all or nothing, and of runs whose input never comes. They end, and leave
//! nothing.

use std::fs;
use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::Scratch;
use super::checkpoint::text;

/// Runs a command whose input never comes; returns its output and duration.
fn waiting(arguments: &[&str], prepare: impl FnOnce(&mut Command)) -> (Output, Duration) {
    let mut run = Command::new(env!("CARGO_BIN_EXE_lacuna"));
    run.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    prepare(&mut run);
    let start = Instant::now();
    let mut child = run.spawn().unwrap();
    // Held open, so that the input does not end.
    let input = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(input);
    (output, start.elapsed())
}

/// Runs a command as [`waiting`] does, doubling the time limit until it ends at the stage `says`, which a busy machine
/// may not reach sooner.
fn ended_at(says: &str, run: impl Fn(&str) -> (Output, Duration)) {
    for milliseconds in (0..10).map(|doublings| 100 << doublings) {
        let (output, took) = run(&format!("{milliseconds}ms"));
        assert!(took >= Duration::from_millis(milliseconds), "{took:?}");
        if text(&output.stderr).contains(says) || milliseconds == 100 << 9 {
            return is_ended(&output, says);
        }
        assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    }
}

fn is_ended(output: &Output, says: &str) {
    let error = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(4), String::new()), "{error}");
    assert!(error.contains(&format!("time limit reached{says}; no result is written")), "{error}");
}

#[test]
fn commands_end_wherever_they_are() {
    let scratch = Scratch::new();
    let answer = scratch.name("answer.npy");
    let bars = scratch.file("bars.csv", "dim,birth,death\n0,0,inf\n");
    let bars = bars.to_str().unwrap();
    let commands: [(&[&str], &str); 8] = [
        (&["thin", "-", "-o", &answer], ": reading"),
        (&["plot", "-", "-o", &scratch.name("picture.svg")], ": reading"),
        (&["vectorize", "-", "-o", &answer], ": reading"),
        (&["distance", bars, "-"], ": reading"),
        (&["compare", bars, "-"], ": reading"),
        (&["convert", "-", &answer, "--from", "distances"], ": reading"),
        (&["convert", "-", &answer, "--from", "image"], ": reading"),
        (&["generate", "field", "--shape", "400,400,400", "-o", &answer], ": drawing"),
    ];
    for (arguments, says) in commands {
        // Its input never comes, so it ends only if it does not wait.
        ended_at(says, |limit| waiting(&[arguments, &["--time-limit", limit]].concat(), |_| ()));
        assert_eq!(scratch.names(), ["bars.csv"], "{arguments:?}");
    }
    // A limit that is never reached.
    let (output, _) =
        waiting(&["plot", bars, "-o", &answer, "--output", "svg", "--time-limit", "1h"], |_| ());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(scratch.names(), ["answer.npy", "bars.csv"]);
}

#[test]
fn an_input_that_never_comes_is_not_waited_for() {
    let scratch = Scratch::new();
    let answer = scratch.name("answer");
    let image = ["-", "--shape", "200,100,100", "--dtype", "u8"];
    let commands = [("rips", &["-"][..]), ("reduce", &["-"]), ("cubical", &image), ("ecc", &image)];
    for (command, input) in commands {
        let options = [command, "-o", &answer, "--time-limit", "100ms"];
        let (output, took) = waiting(&[&options[..], input].concat(), |_| ());
        let error = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(4), String::new()), "{error}");
        assert!(error.ends_with("time limit reached\n"), "{error}");
        // Its input never comes, so it ends only if it does not wait.
        assert!(took >= Duration::from_millis(100), "{command:?}: {took:?}");
        assert_eq!(scratch.names(), [""; 0], "{command:?}");
    }
}

#[test]
fn what_is_counted_is_told() {
    let scratch = Scratch::new();
    let files: Vec<String> = (0..40_u64)
        .map(|file| {
            let mut bars = "dim,birth,death\n".to_owned();
            for bar in 0..1000_u64 {
                let mixed = (file * 1000 + bar + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
                bars += &format!("1,{},{}\n", mixed % 1000, mixed % 1000 + 1 + mixed / 1000 % 1000);
            }
            scratch.file(&format!("{file:02}.csv"), bars).display().to_string()
        })
        .collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let answer = scratch.name("distances.npy");
    let options =
        ["distance", "--matrix", "--dim", "1", "--kind", "wasserstein", "--order", "2", "-o", &answer];
    // The limit is doubled until the run gets to this stage.
    let matching = "time limit reached: dimension 1, matching ";
    let error = (0..10).map(|doublings| format!("{}ms", 200 << doublings)).find_map(|limit| {
        let (output, _) = waiting(&[&options[..], &files, &["--time-limit", &limit]].concat(), |_| ());
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{error}");
        error.contains(matching).then_some(error)
    });
    let error = error.expect("it comes to the matching");
    let (_, part) = error.split_once(matching).unwrap();
    let (part, rest) = part.split_once(" %").unwrap();
    assert!(
        (0..=100).contains(&part.parse::<u32>().unwrap()) && rest == "; no result is written\n",
        "{error}"
    );
    assert!(!fs::exists(&answer).unwrap());
}

/// Output to a pipe that has begun is completed.
#[test]
fn no_pipe_has_half_of_an_answer() {
    let whole = super::lacuna("generate", ["torus", "--points", "100000"]).output().unwrap().stdout;
    let mut run = Command::new(env!("CARGO_BIN_EXE_lacuna"));
    run.args(["generate", "torus", "--points", "100000", "--time-limit", "2s"]);
    let mut child = run.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut pipe = child.stdout.take().unwrap();
    let mut found = vec![0];
    let is_begun = pipe.read(&mut found).unwrap() == 1;
    std::thread::sleep(Duration::from_millis(2500));
    pipe.read_to_end(&mut found).unwrap();
    let code = child.wait().unwrap().code();
    if is_begun {
        assert_eq!(code, Some(0));
        assert!(found == whole);
    } else {
        // On a busy machine, nothing was written.
        assert_eq!((code, found.len()), (Some(4), 1));
    }
}

#[test]
fn another_program_ends_too() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let folder = scratch.path("temporary");
    fs::create_dir(&folder).unwrap();
    let input = scratch.file("triangle.phat", super::TRIANGLE);
    let started = scratch.path("started");
    let script = format!("#!/bin/sh\necho $$ > {}\nexec sleep 600\n", started.display());
    let program = scratch.file("waits", script);
    fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let [program, input] = [&program, &input].map(|path| path.to_str().unwrap());
    // The limit is doubled until the other program has been started.
    let says = ": running both programs";
    for seconds in (0..6).map(|doublings| 1 << doublings) {
        let limit = format!("{seconds}s");
        let options = ["compare", "--run", "phat", "--from", "matrix", "--program", program, input];
        let (output, took) = waiting(&[&options[..], &["--time-limit", &limit]].concat(), |run| {
            run.env("TMPDIR", &folder);
        });
        assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
        if started.exists() {
            is_ended(&output, says);
            // The other program would have taken ten minutes.
            assert!(took < Duration::from_secs(300), "{took:?}");
            break;
        }
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    let id = fs::read_to_string(started).unwrap();
    // The process is gone, or a zombie that has not been waited for.
    let state = fs::read_to_string(format!("/proc/{}/stat", id.trim()));
    assert!(state.is_err() || state.is_ok_and(|state| state.contains(" Z ")));
}
