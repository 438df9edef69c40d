//! Several processes that a launcher of MPI starts: the same bytes as one process, one message, and one end of all.
//!
//! The launcher is `LACUNA_TEST_MPIEXEC` or the first `mpiexec` of the path; without one, tests are reported as
//! skipped.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Scratch, data, lacuna, read, skipped, stdout_of, text_of};

mod exchanges;
mod joined;

/// Numbers of processes.
const SIZES: [usize; 5] = [1, 2, 3, 4, 8];

/// Longest time until all processes have ended after one has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes by which a process tells another on which machine it is: the length of the message, and what Linux calls it.
const MACHINE: u64 = 16 + 37;

/// The number of processes of a machine that work as one: each works by itself, as if it had a machine of its own.
const APART: (&str, &str) = ("LACUNA_JOINED", "1");

/// Longest time until all processes have started, beside other tests.
const START: Duration = Duration::from_secs(60);

/// Waiting ranks keep a core busy each, so that one test after the other starts some.
static TURN: Mutex<()> = Mutex::new(());

/// The launcher of MPI, for one test at a time.
struct Launcher {
    path: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

/// The launcher, if there is one.
fn launcher() -> Option<Launcher> {
    let named = env::var_os("LACUNA_TEST_MPIEXEC").map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let found = || env::split_paths(&path).map(|folder| folder.join("mpiexec")).find(|file| file.is_file());
    let launcher = named.or_else(found);
    if launcher.is_none() {
        skipped("no mpiexec is on the path, nor named by LACUNA_TEST_MPIEXEC");
    }
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    launcher.map(|path| Launcher { path, _turn: turn })
}

/// A command that starts `size` processes of a program, also where there are fewer cores. The folder of the launcher
/// comes first on the path, as after loading a module of MPI.
fn on_ranks(launcher: &Launcher, size: usize, program: &Path) -> Command {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = launcher.path.parent().map(Path::to_path_buf).into_iter().chain(env::split_paths(&path));
    let path: OsString = env::join_paths(folders).unwrap();
    let mut command = Command::new(&launcher.path);
    command.env("PATH", path).args(["-n", &size.to_string()]).arg(program);
    // Open MPI asks for this where there are fewer cores, and where tests run as root.
    command
        .env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    // Without what it would use between machines, Open MPI starts in a seventh of the time.
    command.env("OMPI_MCA_btl", "self,sm");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.stdin(Stdio::null());
    command
}

/// A command that runs `lacuna` on `size` ranks that share their work.
fn lacuna_on(launcher: &Launcher, size: usize, arguments: &[&str]) -> Command {
    lacuna_joined(launcher, size, APART.1, arguments)
}

/// A command that runs `lacuna` on `size` processes, of which each `joined` work as one.
fn lacuna_joined(launcher: &Launcher, size: usize, joined: &str, arguments: &[&str]) -> Command {
    let mut command = on_ranks(launcher, size, Path::new(env!("CARGO_BIN_EXE_lacuna")));
    command.args(arguments).env(APART.0, joined);
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts that ranks write what one process writes to standard output.
fn same_on(launcher: &Launcher, sizes: &[usize], arguments: &[&str]) {
    let expected = stdout_of(lacuna(arguments[0], &arguments[1..]));
    for &size in sizes {
        let output = lacuna_on(launcher, size, arguments).output().unwrap();
        assert!(output.status.success(), "{size} {arguments:?}: {}", stderr(&output));
        assert!(
            output.stdout == expected,
            "{size} {arguments:?}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

/// Images without a pattern, whose number of distinct values is that of their voxels for wide types.
fn noise(scratch: &Scratch, name: &str, bytes: usize) -> String {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let words = (0..bytes / 8).flat_map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Neither infinite nor NaN as floats of 32 or 64 bits.
        (state & 0xbfff_ffff_bfff_ffff).to_le_bytes()
    });
    scratch.file(name, words.collect::<Vec<u8>>()).to_str().unwrap().to_owned()
}

#[test]
fn ranks_share_an_image_of_every_format() {
    let Some(launcher) = launcher() else { return };
    let table = read(&data("images.tsv"));
    for (number, line) in table.lines().skip(1).enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let (file, kind) = (data(fields[0]), fields[1]);
        let mut arguments = vec!["ecc", "--format", kind, file.to_str().unwrap()];
        arguments.extend(fields[2].split_whitespace());
        // Every format with two of the sizes.
        same_on(&launcher, &[SIZES[number % 5], SIZES[(number + 2) % 5]], &arguments);
    }
}

#[test]
fn ranks_share_voxels_of_every_width() {
    let Some(launcher) = launcher() else { return };
    let scratch = Scratch::new();
    let name = noise(&scratch, "noise.raw", 40 * 30 * 32 * 8);
    let shapes =
        [("u8", "320,30,32"), ("u16", "160,30,32"), ("f32", "80,30,32"), ("i64", "38400"), ("f64", "40,960")];
    for (dtype, shape) in shapes {
        let image = ["ecc", &name, "--format", "raw", "--dtype", dtype, "--shape", shape];
        same_on(&launcher, &SIZES, &image);
        same_on(
            &launcher,
            &[3],
            &[&image[..], &["--bins", "7", "--superlevel", "--construction", "v"]].concat(),
        );
    }
    // Rows of distinct values beyond the limit go to files on every rank, and again where they meet.
    let name = noise(&scratch, "more.raw", 100 * 100 * 200 * 4);
    let image =
        ["ecc", &name, "--format", "raw", "--dtype", "f32", "--shape", "100,100,200", "--memory", "40M"];
    same_on(&launcher, &[3], &[&image[..], &["--threads", "2"]].concat());
}

#[test]
fn rank_0_alone_reads_what_cannot_be_shared() {
    let Some(launcher) = launcher() else { return };
    let image = data("images/volume.nii.gz");
    let output = lacuna_on(&launcher, 3, &["ecc", "--explain", image.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.stdout, stdout_of(lacuna("ecc", [&image])));
    let told = stderr(&output);
    assert_eq!(
        told.matches("by rank 0 alone, as the image can be read only from its first voxel").count(),
        1,
        "{told}"
    );

    let image = data("images/plane.npy");
    same_on(&launcher, &[2], &["ecc", "--scales", "3", image.to_str().unwrap()]);
    let version = Command::new(&launcher.path).arg("--version").output().unwrap();
    if String::from_utf8_lossy(&version.stdout).contains("Open MPI") {
        return skipped("mpiexec of Open MPI 5.0 does not say that standard input has ended");
    }
    let mut command = lacuna_on(&launcher, 2, &["ecc", "-v", "-"]);
    let output = command.stdin(File::open(&image).unwrap()).output().unwrap();
    assert_eq!(output.stdout, stdout_of(lacuna("ecc", [&image])), "{}", stderr(&output));
    assert!(stderr(&output).contains("by rank 0 alone"), "{}", stderr(&output));
}

/// Files beside the curve are those of one process, and the time limit ends all with its exit code.
#[test]
fn rank_0_writes_what_is_asked_for() {
    let Some(launcher) = launcher() else { return };
    let (scratch, image) = (Scratch::new(), data("images/volume.npy"));
    let [alone, shared] = ["alone", "shared"]
        .map(|name| [".npy", ".svg", ".json"].map(|kind| scratch.name(&format!("{name}{kind}"))));
    let arguments = |[curve, plot, stats]: &[String; 3]| {
        let words = ["ecc", "-q", "-o", curve, "--plot", plot, "--stats", stats, image.to_str().unwrap()];
        words.map(str::to_owned)
    };
    stdout_of(lacuna("ecc", &arguments(&alone)[1..]));
    let words = arguments(&shared);
    let output = lacuna_on(&launcher, 3, &words.each_ref().map(String::as_str)).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
    for number in 0..2 {
        assert_eq!(fs::read(&alone[number]).unwrap(), fs::read(&shared[number]).unwrap());
    }
    let told: serde_json::Value = serde_json::from_str(&read(Path::new(&shared[2]))).unwrap();
    assert_eq!((&told["ranks"], &told["voxels"], &told["failed"]), (&3.into(), &60.into(), &0.into()));
    // Of each of 65,536 values its change and whether it occurs, and a number or two of each exchange.
    let traffic = |key: &str| told["traffic"][key].as_u64().unwrap();
    let summed = traffic("summed_bytes") - 16 * 65536;
    assert!(summed <= 8 * traffic("calls") && traffic("received_bytes") == 2 * MACHINE, "{told}");

    let large = scratch.name("large.raw");
    File::create(&large).unwrap().set_len(1 << 40).unwrap();
    let arguments = ["ecc", "--time-limit", "300ms", "--dtype", "u8", "--shape", "16384,8192,8192", &large];
    let output = lacuna_on(&launcher, 3, &arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("time limit reached").count(), 1, "{}", stderr(&output));
}

/// Contents of the files of a directory, by name.
fn files(directory: &str) -> Vec<(OsString, Vec<u8>)> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> =
        entries.map(|entry| (entry.file_name(), fs::read(entry.path()).unwrap())).collect();
    files.sort();
    files
}

#[test]
fn ranks_take_the_inputs_of_a_batch_as_they_get_ready() {
    let Some(launcher) = launcher() else { return };
    let images = data("cubical");
    for command in [&["ecc"][..], &["cubical", "--output", "csv"]] {
        let scratch = Scratch::new();
        let alone = scratch.name("alone");
        let arguments = |into: &str| {
            let words = command.iter().copied().chain(["-q", "-o", into, images.to_str().unwrap()]);
            words.map(str::to_owned).collect::<Vec<String>>()
        };
        stdout_of(lacuna(command[0], &arguments(&alone)[1..]));
        for size in SIZES {
            let into = scratch.name(&size.to_string());
            let arguments = arguments(&into);
            let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let stats = scratch.name("stats.json");
            arguments.extend(["--stats", &stats]);
            let output = lacuna_on(&launcher, size, &arguments).output().unwrap();
            assert!(output.status.success() && output.stderr.is_empty(), "{size}: {}", stderr(&output));
            assert_eq!(files(&into), files(&alone), "{size} {command:?}");
            let told: serde_json::Value = serde_json::from_str(&read(Path::new(&stats))).unwrap();
            let inputs = told.get("images").or_else(|| told.get("inputs")).unwrap().as_array().unwrap();
            let names = inputs.iter().map(|input| input["file"].as_str().unwrap());
            assert!(names.is_sorted() && inputs.len() == files(&alone).len(), "{size}: {told}");
        }
    }
    let (scratch, points) = (Scratch::new(), [data("circle.pts"), data("cube.pts"), data("octahedron.pts")]);
    let [alone, into] = ["alone", "into"].map(|name| scratch.name(name));
    let points: Vec<&str> = points.iter().map(|file| file.to_str().unwrap()).collect();
    stdout_of(lacuna("rips", [&["-q", "-o", &alone], &points[..]].concat()));
    let output =
        lacuna_on(&launcher, 2, &[&["rips", "-q", "-o", &into], &points[..]].concat()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(files(&into), files(&alone));
}

/// Options and formats of `lacuna rips` on one input, of which process 0 alone knows.
#[test]
fn ranks_share_the_distances_of_rips() {
    let Some(launcher) = launcher() else { return };
    let cases = read(&data("cases.tsv"));
    for (number, line) in cases.lines().skip(1).enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let file = data(fields[1]);
        let mut arguments = vec!["rips", "--format", fields[2], file.to_str().unwrap()];
        arguments.extend(fields[3].split_whitespace());
        // Ranks take a while to start, so each size has a fifth of the cases.
        same_on(&launcher, &[SIZES[number % 5]], &arguments);
    }
    let (scratch, torus) = (Scratch::new(), data("torus.pts"));
    let torus = ["rips", "--max-dim", "2", "--threshold", "2", torus.to_str().unwrap()];
    same_on(&launcher, &SIZES, &torus);
    for more in [
        &["--collapse", "off", "--pair-store", "sorted", "--modulus", "3"][..],
        &["--collapse", "on", "--landmarks", "90", "--output", "csv"],
        &["--representatives", "simplices", "--output", "json", "--longest", "3", "--threads", "2"],
        &["--weights", "dtm"],
    ] {
        same_on(&launcher, &[3], &[&torus[..], more].concat());
    }

    let [alone, shared] = ["alone", "shared"]
        .map(|name| [".npy", ".svg", ".json"].map(|kind| scratch.name(&format!("{name}{kind}"))));
    let arguments = |[bars, plot, stats]: &[String; 3]| {
        let words = [&torus[..], &["-q", "-o", bars, "--plot", plot, "--stats", stats]].concat();
        words.into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    stdout_of(lacuna("rips", &arguments(&alone)[1..]));
    let words = arguments(&shared);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = lacuna_on(&launcher, 3, &words).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(&output));
    for number in 0..2 {
        assert_eq!(fs::read(&alone[number]).unwrap(), fs::read(&shared[number]).unwrap());
    }
    let [alone, shared] = [&alone[2], &shared[2]]
        .map(|file| serde_json::from_str::<serde_json::Value>(&read(Path::new(file))).unwrap());
    assert_eq!((&shared["ranks"], &alone["ranks"]), (&3.into(), &serde_json::Value::Null));
    assert!(alone.get("traffic").is_none());
    // The ranks of all pairs of points, 32 bits each, and some orders; then, from each of two others in each dimension,
    // the length of its message, four numbers before the simplices, and the simplices, 64 bits each.
    let traffic = |key: &str| shared["traffic"][key].as_u64().unwrap();
    let orders = traffic("broadcast_bytes") - 2 * 180 * 179;
    assert!((1..1024).contains(&orders), "{shared}");
    let simplices = traffic("received_bytes") - 2 * MACHINE - 2 * 2 * (16 + 32);
    assert!(simplices > 0 && simplices.is_multiple_of(8), "{shared}");
    for (alone, shared) in
        alone["dimensions"].as_array().unwrap().iter().zip(shared["dimensions"].as_array().unwrap())
    {
        for key in ["simplices", "cleared", "apparent", "residue", "pairs"] {
            assert_eq!(alone[key], shared[key], "{key}");
        }
    }
}

/// Finished dimensions are written when the time of rank 0 is up, and all end with its exit code.
#[test]
fn the_time_limit_of_rips_leaves_what_is_done() {
    let Some(launcher) = launcher() else { return };
    let scratch = Scratch::new();
    let points: String = (0..3000u64).map(|k| format!("{} {}\n", k * k % 8191, k * k * k % 8191)).collect();
    let points = scratch.file("points.pts", points).to_str().unwrap().to_owned();
    let arguments =
        ["rips", "--time-limit", "2s", "--max-dim", "4", "--threshold", "inf", "--collapse", "off", &points];
    let output = lacuna_on(&launcher, 3, &arguments).output().unwrap();
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(4), "{told}");
    assert_eq!(
        told.matches("the time is up: the bars are those of the dimensions below").count(),
        1,
        "{told}"
    );
    assert!(String::from_utf8_lossy(&output.stdout).contains("persistence intervals in dim 0:"), "{told}");
}

/// When the time of rank 0 is up, the others do not go on with the inputs that are left.
#[test]
fn the_time_limit_of_a_batch_ends_all() {
    let Some(launcher) = launcher() else { return };
    let scratch = Scratch::new();
    let points: String = (0..3000u64).map(|k| format!("{} {}\n", k * k % 8191, k * k * k % 8191)).collect();
    let points = [0, 1, 2].map(|k| scratch.file(&format!("points {k}.pts"), &points));
    let points = points.each_ref().map(|file| file.to_str().unwrap());
    let into = scratch.name("into");
    let endless = ["rips", "-o", &into, "--time-limit", "2s", "--max-dim", "9", "--threshold", "inf"];
    let start = Instant::now();
    let output = lacuna_on(&launcher, 2, &[&endless[..], &points].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
    assert!(start.elapsed() < START);
}

/// Rank 0 saves the state of a run, which goes on with another number of ranks, or alone.
#[test]
fn a_run_of_rips_goes_on_with_another_number_of_ranks() {
    let Some(launcher) = launcher() else { return };
    let scratch = Scratch::new();
    let points: String = (0..300u64).map(|k| format!("{} {}\n", k * k % 8191, k * k * k % 8191)).collect();
    let points = scratch.file("points.pts", points).to_str().unwrap().to_owned();
    let kept = scratch.name("kept");
    let arguments = ["rips", "--max-dim", "3", "--threshold", "4000", "--collapse", "off", &points];
    let expected = stdout_of(lacuna("rips", &arguments[1..]));
    let mut went_on = false;
    for (number, limit) in (0..12).map(|doublings| (doublings, format!("{}ms", 20 << doublings))) {
        let saving = ["--checkpoint", &kept, "--every", "0s"];
        let limited = [&arguments[..], &saving, &["--time-limit", &limit]].concat();
        let output = lacuna_on(&launcher, 3, &limited).output().unwrap();
        let told = stderr(&output);
        assert!([Some(0), Some(4)].contains(&output.status.code()), "{told}");
        went_on |= told.contains("resumes from ");
        if output.status.success() {
            assert_eq!(output.stdout, expected, "{limit}");
            break;
        }
        let is_saved = Path::new(&kept).is_dir()
            && files(&kept).iter().any(|(name, _)| name.to_string_lossy().contains("residue-3"));
        if is_saved {
            let arguments = [&arguments[..], &saving].concat();
            let output = match number % 2 {
                0 => lacuna_on(&launcher, 2, &arguments).output().unwrap(),
                _ => lacuna(arguments[0], &arguments[1..]).output().unwrap(),
            };
            went_on |= stderr(&output).contains("resumes from ");
            assert_eq!(output.stdout, expected, "{}", stderr(&output));
            break;
        }
    }
    assert!(went_on && !Path::new(&kept).exists());
}

#[test]
fn an_input_of_a_batch_that_fails_does_not_stop_the_others() {
    let Some(launcher) = launcher() else { return };
    let scratch = Scratch::new();
    let (bad, into) =
        (scratch.file("bad.npy", "no image").to_str().unwrap().to_owned(), scratch.name("into"));
    let (shell, noise) = (data("cubical/shell.npy"), data("cubical/noise.npy"));
    let images = [shell.to_str().unwrap(), &bad, noise.to_str().unwrap()];
    let output =
        lacuna_on(&launcher, 2, &[&["ecc", "-q", "-o", &into], &images[..]].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let told = stderr(&output);
    assert_eq!(told.matches("error: ").count(), 2, "{told}");
    assert!(told.contains("bad.npy: ") && told.contains("error: 1 of 3 inputs have no result"), "{told}");
    assert_eq!(files(&into).len(), 2);
}

/// A failure that all ranks share, one of a rank other than 0, and wrong options end all with one message and the exit
/// code of one process.
#[test]
fn a_rank_that_fails_ends_all() {
    let Some(launcher) = launcher() else { return };
    let scratch = Scratch::new();
    let voxels: Vec<u8> =
        (0..60_000).flat_map(|k| if k == 59_000 { f32::NAN } else { k as f32 }.to_le_bytes()).collect();
    let nan = scratch.file("nan.raw", voxels).to_str().unwrap().to_owned();
    let raw = ["--format", "raw", "--dtype", "f32", "--shape", "60,1000"];
    let [points, cube] = ["circle.pts", "cube.pts"].map(|name| data(name).to_str().unwrap().to_owned());
    let into = scratch.name("into");
    let runs = [
        (vec!["ecc", "no such file.npy"], "no such file.npy: ", 2),
        ([&["ecc", &nan][..], &raw].concat(), "NaN", 2),
        (vec!["ecc", "--construction", "w", "image.npy"], "invalid value 'w'", 2),
        (vec!["rips", "no such file.pts"], "no such file.pts: ", 2),
        (vec!["reduce", &points], "found 3 that work by themselves", 2),
        (
            vec!["rips", "--checkpoint", &nan, "-o", &into, &points, &cube],
            "--checkpoint: expected one process",
            2,
        ),
        (vec!["info"], "found 3 that work by themselves", 2),
        (vec!["ecc", "--checkpoint", &nan, &nan], "--checkpoint: expected one process", 2),
    ];
    for (arguments, message, code) in runs {
        let start = Instant::now();
        let output = lacuna_on(&launcher, 3, &arguments).output().unwrap();
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        assert_eq!(told.matches(message).count(), 1, "{arguments:?}: {told}");
        assert!(output.stdout.is_empty() && start.elapsed() < START);
    }
    assert_eq!(text_of(lacuna("--version", [""; 0])), {
        let output = lacuna_on(&launcher, 3, &["--version"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    });
}

/// Processes with other commands, or that see other files, do not share their work.
#[test]
fn ranks_that_do_not_see_the_same_inputs_say_so() {
    let Some(launcher) = launcher() else { return };
    let scratch = Scratch::new();
    let folders = ["one", "two"].map(|name| scratch.name(name));
    for (folder, image) in folders.iter().zip(["images/plane.npy", "images/volume.npy"]) {
        fs::create_dir(folder).unwrap();
        fs::copy(data(image), Path::new(folder).join("image.npy")).unwrap();
    }
    let program = env!("CARGO_BIN_EXE_lacuna");
    let both = |folders: &[String; 2], images: [&str; 2]| {
        let mut command = on_ranks(&launcher, 1, Path::new("-wdir"));
        command.env(APART.0, APART.1);
        command.args([&folders[0], program, "ecc", images[0], ":", "-n", "1", "-wdir"]);
        let output = command.args([&folders[1], program, "ecc", images[1]]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(output.stdout.is_empty());
        stderr(&output)
    };
    let told = both(&folders, ["image.npy", "image.npy"]);
    let message = "expected the image that rank 0 reads, 8x6 image of u8, found 4x3x5 image of i16";
    assert_eq!(told.matches(message).count(), 1, "{told}");
    let told = both(&folders, ["image.npy", "other.npy"]);
    assert_eq!(
        told.matches("expected the options and inputs of process 0, found others on process 1").count(),
        1,
        "{told}"
    );
}

/// The processes of `lacuna` that have this word on their command line.
#[cfg(target_os = "linux")]
fn processes_with(word: &str) -> Vec<i32> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let process = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let line = fs::read(format!("/proc/{process}/cmdline")).ok()?;
        let line = String::from_utf8(line).ok()?;
        let mut words = line.split('\0');
        let is_lacuna = words.next()? == env!("CARGO_BIN_EXE_lacuna");
        (is_lacuna && words.any(|other| other == word)).then_some(process)
    });
    processes.collect()
}

/// The processes of `lacuna` that have this word on their command line, once there are `count` and `is_ready` holds.
#[cfg(target_os = "linux")]
fn started(count: usize, word: &str, is_ready: impl Fn() -> bool) -> Vec<i32> {
    let begin = Instant::now();
    loop {
        let found = processes_with(word);
        if found.len() == count && is_ready() {
            return found;
        }
        assert!(begin.elapsed() < START, "{count} processes start, found {found:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(target_os = "linux")]
#[test]
#[allow(unsafe_code)]
fn a_rank_that_is_killed_ends_all() {
    let Some(launcher) = launcher() else { return };
    for (number, milliseconds) in [(0, 100), (1, 700), (2, 1500), (3, 50)] {
        let scratch = Scratch::new();
        let (image, curve) = (scratch.name("large.raw"), scratch.name("curve.csv"));
        // Takes no place on the disk, and much longer to read than the test waits.
        File::create(&image).unwrap().set_len(1 << 40).unwrap();
        let shape = ["--dtype", "u8", "--shape", "16384,8192,8192", "--threads", "1"];
        let mut command =
            lacuna_on(&launcher, 4, &[&["ecc", "-q", "-o", &curve, &image], &shape[..]].concat());
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let processes = started(4, &image, || true);
        thread::sleep(Duration::from_millis(milliseconds));
        // SAFETY: sends a signal to a process that this test has started.
        assert_eq!(unsafe { libc::kill(processes[number], libc::SIGKILL) }, 0);
        let killed = Instant::now();
        let status = loop {
            if let Some(status) = running.try_wait().unwrap() {
                break status;
            }
            if killed.elapsed() > PATIENCE {
                running.kill().unwrap();
                panic!("the others go on after rank {number} was killed");
            }
            thread::sleep(Duration::from_millis(10));
        };
        assert!(!status.success());
        while killed.elapsed() < PATIENCE && !processes_with(&image).is_empty() {
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(processes_with(&image), Vec::<i32>::new());
        assert!(!Path::new(&curve).exists());
    }
}

/// A run without a launcher opens no library, and one with a launcher does not go on without.
#[test]
fn a_library_is_opened_only_for_a_launcher() {
    let image = data("images/plane.npy");
    let expected = stdout_of(lacuna("ecc", [&image]));
    let run = |variables: &[(&str, &str)]| {
        let mut command = lacuna("ecc", [&image]);
        command.envs(variables.iter().copied());
        command
    };
    let nowhere = ("LACUNA_MPI", "/nowhere/libmpi.so");
    assert_eq!(stdout_of(run(&[nowhere])), expected);
    assert_eq!(stdout_of(run(&[nowhere, ("PMI_SIZE", "1"), ("PMI_RANK", "0")])), expected);
    assert_eq!(stdout_of(run(&[("LACUNA_MPI", "off"), ("PMI_SIZE", "2"), ("PMI_RANK", "1")])), expected);
    for variables in [[("PMI_SIZE", "2"), ("PMI_RANK", "1")], [("PMIX_RANK", "0"), nowhere]] {
        let mut command = run(&[nowhere]);
        command.envs(variables);
        let output = command.assert().code(1).get_output().clone();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.stdout.is_empty() && told.contains("/nowhere/libmpi.so: "), "{told}");
        assert!(told.contains("expected a library of MPI") && told.contains("LACUNA_MPI=PATH"), "{told}");
    }
}
