//! Curves, pairs, images and batches that are killed or interrupted, and then resume from their checkpoint.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use super::Scratch;
use super::checkpoint::{Run, random, refused, send, text};

/// Makes a NumPy array.
fn npy(axes: &[usize], dtype: &str, bytes: &[u8]) -> Vec<u8> {
    let axes: Vec<String> = axes.iter().map(usize::to_string).collect();
    super::npy(dtype, false, &format!("({},)", axes.join(", ")), bytes)
}

/// Makes an image of random 16-bit voxels.
fn image(axes: &[usize], seed: u64) -> Vec<u8> {
    let voxels = random(axes.iter().product(), seed).flat_map(|voxel| (voxel as u16).to_le_bytes());
    npy(axes, "<u2", &voxels.collect::<Vec<u8>>())
}

#[test]
fn curves_that_are_killed_go_on_slab_by_slab() {
    let volume = image(&[160, 130, 130], 3);
    // Voxels at random and in memory order; sums by key and by bin.
    for options in ["", "--bins 100 --range 0,60000", "--construction v --superlevel"] {
        Run::new(&format!("ecc --threads 2 volume.npy {options}"), &[("volume.npy", volume.clone())])
            .is_killed_and_goes_on("curve.lac");
    }
    let floats: Vec<u8> =
        random(200 * 100 * 100, 5).flat_map(|x| (x as f32 / 1000.0).to_le_bytes()).collect();
    let floats = npy(&[200, 100, 100], "<f4", &floats);
    // The range of the bins takes a pass.
    Run::new("ecc --threads 2 volume.npy --bins 50", &[("volume.npy", floats)])
        .is_killed_and_goes_on("curve.lac");
}

#[test]
fn curves_at_several_scales_go_on_scale_by_scale() {
    let volume = image(&[28, 28, 28], 3);
    // Rows for each voxel value, and for bins.
    for options in ["", "--bins 100 --range 0,60000 --construction v"] {
        let run = Run::new(
            &format!("ecc --threads 2 --scales 5 volume.npy {options}"),
            &[("volume.npy", volume.clone())],
        );
        run.is_killed_and_goes_on("scale-1.lac");
        run.leaves("scale-2.lac");
        let inspected = super::lacuna("inspect", [run.directory()]).output().unwrap();
        assert!(text(&inspected.stdout).contains("curve at a scale"), "{}", text(&inspected.stdout));
        let other = run.command(&["--checkpoint", "kept", "--sigma", "2"]).output().unwrap();
        refused(&other, "--sigma was not given, is 2");
        run.goes_on();
    }
    // A run that ends at its time limit saves the scales that are done.
    let run = Run::new("ecc --threads 2 --scales 60 volume.npy --bins 9", &[("volume.npy", volume)]);
    for limit in (0..20).map(|doublings| format!("{}ms", 20 << doublings)) {
        let options = ["--checkpoint", "kept", "--every", "1h", "--time-limit", &limit];
        let limited = run.command(&options).output().unwrap();
        assert!([Some(0), Some(4)].contains(&limited.status.code()), "{}", text(&limited.stderr));
        // If nothing was done in that time, the limit is doubled; a fast machine may finish.
        if limited.status.code() == Some(0) || run.keeps("scale-0.lac") {
            break;
        }
    }
    run.goes_on();
}

#[test]
fn other_curves_are_refused() {
    let run = Run::new("ecc --threads 1 volume.npy", &[("volume.npy", image(&[160, 130, 130], 3))]);
    run.leaves("curve.lac");
    refused(&run.kept(&["--bins", "9"]).output().unwrap(), "--bins was not given, is 9");
    refused(&run.kept(&["--superlevel"]).output().unwrap(), "--superlevel was false, is true");
    let volume = run.scratch.name("volume.npy");
    let before = fs::read(&volume).unwrap();
    // One voxel in the middle changes, while the modification time is kept, as by `touch -r`.
    let written = fs::metadata(&volume).unwrap().modified().unwrap();
    let mut changed = before.clone();
    changed[before.len() / 2] ^= 1;
    fs::write(&volume, changed).unwrap();
    fs::File::options().write(true).open(&volume).unwrap().set_modified(written).unwrap();
    refused(&run.kept(&[]).output().unwrap(), ", inode ");
    fs::write(&volume, image(&[160, 130, 130], 4)).unwrap();
    refused(&run.kept(&[]).output().unwrap(), "input was 5408128 bytes, changed at ");
    fs::write(&volume, before).unwrap();
    fs::remove_dir_all(run.directory()).unwrap();
    let pipe = super::lacuna("ecc", ["-", "--checkpoint", &run.directory()]).output().unwrap();
    refused(
        &pipe,
        "--checkpoint: expected a file, which the resumed run can read again, found standard input",
    );
}

/// Boundary matrix of a random image with `side` voxels along each axis.
fn matrix(side: usize) -> Vec<u8> {
    let scratch = Scratch::new();
    let [from, to] = ["image.npy", "matrix.bin"].map(|name| scratch.name(name));
    fs::write(&from, image(&[side; 3], 7)).unwrap();
    let made = super::lacuna("convert", [&from, &to, "--to", "matrix"]).output().unwrap();
    assert!(made.status.success(), "{}", text(&made.stderr));
    fs::read(to).unwrap()
}

#[test]
fn reductions_that_are_killed_go_on() {
    let matrix = matrix(22);
    for algorithm in ["auto", "hypha", "ss-plus", "twist", "lock-free"] {
        let options = format!("reduce --threads 2 matrix.bin --algorithm {algorithm} --dualize off");
        let run = Run::new(&options, &[("matrix.bin", matrix.clone())]);
        // Columns, and then pairs.
        let piece = format!("{algorithm}-");
        run.is_killed_and_goes_on(if algorithm == "auto" { "sieve.lac" } else { &piece });
    }
}

/// A run that is killed while it writes has saved its pairs, and parts that are deleted by then are not needed.
#[test]
fn reductions_that_are_over_are_not_done_again() {
    let options = "reduce --threads 1 matrix.bin --algorithm twist --dualize off";
    let run = Run::new(options, &[("matrix.bin", matrix(13))]);
    let figures = |run: &Run, options: &[&str]| -> serde_json::Value {
        let stats = run.scratch.name("stats.json");
        let output = run.command(&[options, &["--stats", &stats]].concat()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_str(&fs::read_to_string(stats).unwrap()).unwrap()
    };
    let additions = figures(&run, &[])["figures"]["additions"].clone();
    assert!(additions.as_u64().unwrap() > 1000, "{additions}");
    run.leaves("twist-pairs.lac");
    assert!(run.keeps("checked.lac"), "{:?}", run.pieces());
    // Reducing reduced columns takes no additions, so the count is the saved one.
    let counted = figures(&run, &["--checkpoint", "kept"]);
    assert_eq!(counted["figures"]["additions"], additions);
    run.leaves("twist-pairs.lac");
    run.goes_on();
}

#[test]
fn other_reductions_are_refused_and_signals_have_them_kept() {
    let run = Run::new("reduce --threads 2 matrix.bin --algorithm standard", &[("matrix.bin", matrix(22))]);
    run.leaves("columns.lac");
    let mut other = run.command(&["--checkpoint", "kept", "--dualize", "on"]);
    refused(&other.output().unwrap(), "--dualize was auto, is on");
    let before = run.pieces();
    let mut child = run.kept_always().spawn().unwrap();
    let start = Instant::now();
    while run.pieces() == before {
        assert!(child.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(300));
        std::thread::sleep(Duration::from_millis(1));
    }
    send("INT", &child);
    let interrupted = child.wait_with_output().unwrap();
    assert_eq!(interrupted.status.code(), Some(3), "{}", text(&interrupted.stderr));
    run.goes_on();
    let limited = run.kept_always().args(["--time-limit", "1ms"]).output().unwrap();
    let error = text(&limited.stderr);
    assert_eq!((limited.status.code(), limited.stdout.len()), (Some(4), 0), "{error}");
    assert!(error.contains("time limit reached; the state is saved in kept"), "{error}");
    run.goes_on();
}

#[test]
fn loops_of_images_that_are_killed_go_on() {
    for options in ["", "--construction v --representatives cycles --longest 5 --output json"] {
        let run = Run::new(
            &format!("cubical --threads 2 volume.npy {options}"),
            &[("volume.npy", image(&[56, 56, 56], 9))],
        );
        run.is_killed_and_goes_on("loops.lac");
    }
}

#[test]
fn pairs_of_cells_of_images_that_are_killed_go_on() {
    let cycles = "--periodic x --representatives cycles --longest 5 --output json";
    for (options, axes) in [("--via matrix", &[24; 3][..]), (cycles, &[24; 3]), ("--frame all", &[13; 4])] {
        let run =
            Run::new(&format!("cubical --threads 2 image.npy {options}"), &[("image.npy", image(axes, 9))]);
        run.is_killed_and_goes_on("sieve.lac");
    }
}

#[test]
fn images_with_other_axes_or_another_mask_are_refused() {
    let files = [("volume.npy", image(&[56; 3], 9)), ("mask.npy", image(&[56; 3], 10))];
    let run = Run::new("cubical --threads 2 volume.npy --periodic x --mask mask.npy", &files);
    run.is_killed_and_goes_on("loops.lac");
    run.leaves("loops.lac");
    refused(&run.kept(&["--periodic", "y"]).output().unwrap(), "--periodic was x, is x,y");
    let mask = run.scratch.name("mask.npy");
    fs::write(&mask, image(&[56; 3], 11)).unwrap();
    refused(&run.kept(&[]).output().unwrap(), "mask was 351360 bytes, checksum ");
}

#[test]
fn batches_leave_out_what_has_been_answered() {
    let names: Vec<String> = (0..40).map(|k| format!("{k:02}.npy")).collect();
    let files: Vec<(&str, Vec<u8>)> =
        names.iter().zip(1..).map(|(name, seed)| (&**name, image(&[40, 60, 60], seed))).collect();
    let run = Run::new(&format!("ecc --threads 2 -o answers/ {}", names.join(" ")), &files);
    let answers = |run: &Run| -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(run.scratch.name("answers")).unwrap();
        let read = |path: std::path::PathBuf| (path.display().to_string(), fs::read(&path).unwrap());
        let mut all: Vec<_> = entries.map(|entry| read(entry.unwrap().path())).collect();
        all.retain(|(name, _)| !name.ends_with(".tmp"));
        all.sort();
        all
    };
    let expected = answers(&run);
    assert_eq!(expected.len(), 40);
    fs::remove_dir_all(run.scratch.name("answers")).unwrap();
    for moment in [1, 3, 7, 12] {
        run.is_killed("batch.lac", Duration::from_millis(moment), Stdio::null());
    }
    run.leaves("batch.lac");
    // A missing answer is computed again.
    let output = run.kept(&[]).output().unwrap();
    let error = text(&output.stderr);
    assert!(output.status.success() && error.contains(" of 40 inputs already have results"), "{error}");
    assert_eq!(answers(&run), expected);
    let points: Vec<String> = (0..30).map(|k| format!("{k:02}.xyz")).collect();
    let cloud = |seed| {
        let rows = random(3 * 60, seed).collect::<Vec<u32>>();
        let rows = rows.chunks(3).map(|row| format!("{} {} {}\n", row[0], row[1], row[2]));
        rows.collect::<String>().into_bytes()
    };
    let files: Vec<(&str, Vec<u8>)> =
        points.iter().zip(1..).map(|(name, seed)| (&**name, cloud(seed))).collect();
    let run = Run::new(&format!("rips --max-dim 1 --threads 2 -o answers/ {}", points.join(" ")), &files);
    let expected = answers(&run);
    fs::remove_dir_all(run.scratch.name("answers")).unwrap();
    run.leaves("batch.lac");
    let other = run.kept(&["--symmetrize", "lower"]).output().unwrap();
    refused(&other, "--symmetrize was not given, is lower");
    // Each run has little time, and the input in progress at its end is not done.
    for limit in ["1ms", "5ms", "20ms"] {
        let limited = run.kept(&["--time-limit", limit]).output().unwrap();
        assert!([Some(0), Some(4)].contains(&limited.status.code()), "{}", text(&limited.stderr));
        if limited.status.code() == Some(0) {
            break;
        }
    }
    let output = run.kept(&[]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!((answers(&run), expected.len()), (expected, 30));
}

/// Two inputs of `lacuna rips` and one that cannot be read, so that the checkpoint stays when the others are answered.
struct Batch(Scratch);

impl Batch {
    fn new() -> Batch {
        let scratch = Scratch::new();
        for name in ["a", "b"] {
            scratch.file(name, super::SQUARE);
        }
        scratch.file("c", "0 1\nx 0\n");
        Batch(scratch)
    }

    /// Runs all three; returns standard error.
    fn run(&self, options: &[&str]) -> String {
        let arguments = ["a", "b", "c", "-o", "answers", "--output", "csv", "--checkpoint", "kept"];
        let mut run = super::lacuna("rips", [&arguments, options].concat());
        let output = run.current_dir(self.0.name("")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        text(&output.stderr)
    }

    fn answer(&self, input: &str) -> String {
        self.0.name(&format!("answers/{input}.csv"))
    }

    /// Number of inputs recorded as answered.
    fn done(&self) -> String {
        done(&self.0)
    }
}

/// Number of inputs of a batch recorded as answered.
fn done(scratch: &Scratch) -> String {
    let inspected = super::lacuna("inspect", [scratch.name("kept/batch.lac")]).output().unwrap();
    let lines = text(&inspected.stdout);
    let told = lines.lines().find_map(|line| line.trim().strip_prefix("inputs that are done: "));
    told.unwrap_or(&lines).to_owned()
}

#[test]
fn an_input_that_is_computed_again_is_not_known_as_answered() {
    let batch = Batch::new();
    batch.run(&[]);
    assert_eq!(batch.done(), "2");
    fs::remove_file(batch.answer("a")).unwrap();
    batch.0.file("a", "no points");
    let said = batch.run(&[]);
    assert!(said.contains("1 of 3 inputs already have results"), "{said}");
    assert_eq!(batch.done(), "1");
}

#[test]
fn an_answer_that_is_not_what_it_was_is_computed_again() {
    let batch = Batch::new();
    batch.run(&[]);
    let answer = fs::read(batch.answer("a")).unwrap();
    fs::write(batch.answer("a"), "").unwrap();
    let said = batch.run(&[]);
    assert!(said.contains("1 of 3 inputs already have results"), "{said}");
    assert_eq!(fs::read(batch.answer("a")).unwrap(), answer);
    let said = batch.run(&[]);
    assert!(said.contains("2 of 3 inputs already have results"), "{said}");
}

#[test]
fn a_batch_with_other_weights_is_refused() {
    let batch = Batch::new();
    batch.run(&["--weights", "diagonal"]);
    let said = batch.run(&[]);
    assert!(said.contains("--weights was diagonal, is not given"), "{said}");
}

#[test]
fn an_input_that_is_changed_while_it_is_read_is_not_known_as_answered() {
    let scratch = Scratch::new();
    let input = scratch.file("a.npy", image(&[24, 24, 24], 3));
    scratch.file("b.npy", "no image");
    let changes = || {
        let _ = fs::remove_dir_all(scratch.name("kept"));
        let _ = fs::remove_dir_all(scratch.name("answers"));
        let mut run = Command::new(env!("CARGO_BIN_EXE_lacuna"));
        run.args([
            "ecc",
            "a.npy",
            "b.npy",
            "--threads",
            "1",
            "--scales",
            "20",
            "--bins",
            "9",
            "-o",
            "answers",
        ]);
        run.args(["--checkpoint", "kept", "--every", "0s"]).current_dir(scratch.name(""));
        let mut run = run.stderr(Stdio::null()).spawn().unwrap();
        let keeps = |piece: &str| {
            let names = fs::read_dir(scratch.name("kept")).into_iter().flatten().flatten();
            names.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().ends_with(piece))
        };
        // A scale is done, so the image has been read.
        while !keeps("scale-1.lac") && run.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        let later = SystemTime::now() + Duration::from_secs(5);
        fs::File::options().write(true).open(&input).unwrap().set_modified(later).unwrap();
        // More scales were to come: the answer is not there, and the image has not been checked for changes again.
        let is_in_time = !keeps("scale-19.lac") && keeps("scale-1.lac");
        assert_eq!(run.wait().unwrap().code(), Some(2));
        is_in_time
    };
    assert!((0..100).any(|_| changes()), "the run is too short");
    assert!(fs::exists(scratch.name("answers/a.npy.csv")).unwrap());
    assert_eq!(done(&scratch), "0");
}

#[test]
fn a_batch_has_no_partial_answers() {
    let scratch = Scratch::new();
    let mut numbers = random(110 * 109 / 2, 11);
    let mut row = |i| (&mut numbers).take(i).map(|x| x.to_string()).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = (0..110).map(&mut row).collect();
    let [short, long] = ["short", "long"].map(|name| format!("{name}.lower_distance_matrix"));
    scratch.file(&short, rows[..5].join("\n"));
    scratch.file(&long, rows.join("\n"));
    // Exit code, and the answer, if there is one.
    let run = |into: &str, options: &[&str]| {
        let arguments = [&short, &long, "--max-dim", "2", "--threads", "1", "-o", into];
        let mut run = super::lacuna("rips", [&arguments, options].concat());
        let code = run.current_dir(scratch.name("")).output().unwrap().status.code();
        (code, fs::read(scratch.name(&format!("{into}/{long}.txt"))).ok())
    };
    let (code, whole) = run("whole", &[]);
    assert!(code == Some(0) && whole.is_some());
    let limited = ["1ms", "10ms", "50ms", "200ms", "500ms"].map(|limit| run(limit, &["--time-limit", limit]));
    assert!(limited.iter().any(|(code, _)| *code == Some(4)), "the run is too short");
    assert!(limited.iter().all(|(_, answer)| answer.is_none() || *answer == whole));
}
