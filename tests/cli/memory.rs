//! Memory limits, given by options or by the system. A run fits, or ends with an error that says what is missing.

use std::fs;
use std::process::Output;
use std::time::Duration;

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use super::{Scratch, doubles, lacuna, npy, rips, skipped, stdout_of};

/// Runs a command on two threads, in a shell that limits the address space to `kilobytes`. Each thread has a stack, so
/// more threads would need more.
fn limited(kilobytes: u64, arguments: &[String]) -> Output {
    let mut shell = assert_cmd::Command::new("sh");
    shell.args(["-c", "ulimit -c 0 && ulimit -v $0 && exec \"$@\"", &kilobytes.to_string()]);
    shell
        .arg(env!("CARGO_BIN_EXE_lacuna"))
        .args(arguments)
        .env("RAYON_NUM_THREADS", "2")
        .timeout(Duration::from_secs(300));
    shell.output().unwrap()
}

/// Smallest address space, in kilobytes, in which the program loads and prints its version.
fn least() -> u64 {
    let is_loaded = |kilobytes: u64| limited(kilobytes, &["--version".to_owned()]).status.success();
    let (mut too_little, mut enough) = (1 << 10, 1 << 20);
    assert!(is_loaded(enough));
    while enough - too_little > 512 {
        let middle = too_little.midpoint(enough);
        if is_loaded(middle) { enough = middle } else { too_little = middle }
    }
    enough
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Makes points, `s.npy`, and an image of noise, `n.npy`, with its boundary matrix, `n.bin`.
#[cfg(target_os = "linux")]
fn make_inputs(scratch: &Scratch, points: usize, side: usize) {
    let [s, n, matrix] = ["s.npy", "n.npy", "n.bin"].map(|name| scratch.name(name));
    let make = |command: &str, rest: String| lacuna(command, words(&rest)).assert().success();
    make("generate", format!("sphere --points {points} -q -o {s}"));
    make("generate", format!("noise --shape {side},{side},{side} -q -o {n}"));
    make("convert", format!("-q {n} {matrix}"));
}

/// Each computing command, with slightly more memory than loading takes, and with more and more.
#[cfg(target_os = "linux")]
#[test]
fn no_command_aborts_for_want_of_memory() {
    let scratch = Scratch::new();
    let path = |name: &str| scratch.name(name);
    make_inputs(&scratch, 400, 24);
    rips(words(&format!("-q {} -o {}", path("s.npy"), path("s.csv")))).assert().success();
    let (points, image, matrix, bars) = (path("s.npy"), path("n.npy"), path("n.bin"), path("s.csv"));
    let commands = [
        format!("rips --max-dim 1 {points}"),
        format!("rips --max-dim 1 --collapse on --threshold 1 {points}"),
        format!("reduce {matrix}"),
        format!("reduce --algorithm chunk --dualize on {matrix}"),
        format!("cubical {image}"),
        format!("cubical --via matrix {image}"),
        format!("ecc {image}"),
        format!("thin --threshold 0.5 --rule subfields -o {} {image}", path("out.npy")),
        format!("distance {bars} {bars}"),
        format!("vectorize --output npy {bars} -o {}", path("v.npy")),
        format!("plot {bars} -o {}", path("p.png")),
        format!("compare {bars} {bars}"),
        format!("convert --to matrix {image} {}", path("m.bin")),
        format!("generate sphere --points 200000 -o {}", path("g.npy")),
    ];
    let least = least();
    let mut ended_by_library = 0;
    for command in commands {
        for more in [0, 3, 8, 16] {
            let output = limited(least + 1024 * more, &words(&command));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let context = format!("{command}, {more} MB more than {least} kB: {:?}\n{said}", output.status);
            // The C library itself ends a process that has no memory for the end of a thread, without a chance to
            // handle it.
            if said.starts_with("Fatal glibc error: failed to register TLS destructor") {
                ended_by_library += 1;
                assert!(ended_by_library <= 2, "{context}");
                continue;
            }
            assert!(matches!(output.status.code(), Some(0..=2)), "{context}");
            assert!(!said.contains("panicked") && !said.contains("memory allocation"), "{context}");
            assert!(output.status.success() || said.contains("error: "), "{context}");
        }
    }
    let left = ["g.npy", "m.bin", "n.bin", "n.npy", "out.npy", "p.png", "s.csv", "s.npy", "v.npy"];
    assert!(scratch.names().iter().all(|name| left.contains(&name.as_str())), "{:?}", scratch.names());
}

/// All distances of 200,000 points would take 80 GB: the run is refused before anything is computed, with sizes that
/// fit.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_fit_is_refused_at_once_with_what_would() {
    let scratch = Scratch::new();
    let points = scratch.name("many.npy");
    lacuna("generate", ["sphere", "--points", "200000", "-q", "-o", &points]).assert().success();
    let said = contains("200000 points with 19999900000 distances to rank need 80.0 GB at the least")
        .and(contains("--threshold 0.0"))
        .and(contains(" edges and take "))
        .and(contains("--landmarks 1"));
    // Computing the distances would take longer.
    let mut run = rips(["--memory", "1G", &points]);
    run.timeout(Duration::from_secs(120)).assert().code(1).stdout(is_empty()).stderr(said);
}

/// Where neither the distances of all points nor a square of their ranks fit, near pairs and neighbour lists do.
#[cfg(all(target_os = "linux", feature = "huge-pages"))]
#[test]
fn lists_take_the_place_of_squares_that_do_not_fit() {
    let scratch = Scratch::new();
    let points = scratch.name("cube.npy");
    // Points of a cube, in double precision, by an irrational winding.
    let coordinates: Vec<f64> = (0..4000)
        .flat_map(|k| {
            [2.0_f64.sqrt(), 3.0_f64.sqrt(), 5.0_f64.sqrt()].map(|step| (f64::from(k) * step).fract())
        })
        .collect();
    fs::write(&points, npy("<f8", false, "(4000, 3)", &doubles(&coordinates))).unwrap();
    let bars = |options: &[&str], said: &str| {
        let mut run = rips(["--explain", "--max-dim", "1", "--threshold", "0.37", &points]);
        run.args(options).assert().success().stderr(contains(said)).get_output().stdout.clone()
    };
    let expected = bars(&[], "dense, a square matrix of ranks");
    let listed = bars(&["--memory", "80M"], "neighbour lists are searched instead: it would take 64.0 MB");
    assert!(expected == listed);
}

/// Voxels that lie in their file as in memory stay there. Others are refused.
#[cfg(all(target_os = "linux", feature = "huge-pages"))]
#[test]
fn images_that_do_not_fit_stay_in_their_files() {
    let scratch = Scratch::new();
    // A wave of 48 MB, and the same with the other order of bytes.
    let wave = |k: u32| {
        [k / 240 / 240, k / 240 % 240, k % 240].map(|x| (f64::from(x) / 9.0).sin()).iter().sum::<f64>()
    };
    let voxels: Vec<f32> = (0..240 * 240 * 210).map(|k| wave(k) as f32).collect();
    let image = |name: &str, dtype: &str, bytes: &[u8]| {
        fs::write(scratch.path(name), npy(dtype, false, "(210, 240, 240)", bytes)).unwrap();
        scratch.name(name)
    };
    let bytes = |of: fn(f32) -> [u8; 4]| voxels.iter().flat_map(|&voxel| of(voxel)).collect::<Vec<u8>>();
    let stays = image("image.npy", "<f4", &bytes(f32::to_le_bytes));
    let swapped = image("swapped.npy", ">f4", &bytes(f32::to_be_bytes));
    let bars = |file: &str, limit: &str| {
        lacuna("cubical", ["--threads", "2", "--memory", limit, file]).output().unwrap()
    };
    let (whole, part, refused) = (bars(&stays, "2G"), bars(&stays, "45M"), bars(&swapped, "45M"));
    // The plan has no room for all keys, but what is critical leaves it.
    let more = bars(&stays, "160M");
    assert!(more.status.success() && more.stdout == whole.stdout);
    let said = String::from_utf8_lossy(&part.stderr).into_owned();
    assert!(whole.status.success() && part.status.success(), "{said}");
    assert!(said.contains("memory has no room for the 48.4 MB of the image"), "{said}");
    assert!(whole.stdout == part.stdout);
    assert_eq!(refused.status.code(), Some(1));
    // A voxel that is not a number is found as elsewhere.
    let mut broken = voxels.clone();
    broken[240 * 240 * 7 + 240 * 5 + 3] = f32::NAN;
    let broken: Vec<u8> = broken.iter().flat_map(|&voxel| f32::to_le_bytes(voxel)).collect();
    let said = bars(&image("image.npy", "<f4", &broken), "45M");
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("voxel (7, 5, 3): expected a number, found NaN"), "{said}");
}

/// Whether doubles have to be sorted is known once they are read: only then are those refused that do not fit.
#[cfg(all(target_os = "linux", feature = "huge-pages"))]
#[test]
fn doubles_need_room_to_be_sorted_only_if_they_are() {
    let scratch = Scratch::new();
    let step = |k: u32| f64::from((k / 96 / 96 / 5 * 7 + k / 96 % 96 / 4 * 11 + k % 96 / 6 * 3) % 64);
    let image = |name: &str, value: &dyn Fn(u32) -> f64| {
        let voxels: Vec<f64> = (0..96 * 96 * 96).map(value).collect();
        fs::write(scratch.path(name), npy("<f8", false, "(96, 96, 96)", &doubles(&voxels))).unwrap();
        scratch.name(name)
    };
    let (whole, sorted) = (image("whole.npy", &step), image("sorted.npy", &|k| step(k).sin()));
    let bars =
        |arguments: &[&str]| lacuna("cubical", [&["--threads", "2"], arguments].concat()).output().unwrap();
    let (free, part) = (bars(&[&whole]), bars(&["--memory", "28M", "--explain", &whole]));
    let said = String::from_utf8_lossy(&part.stderr).into_owned();
    assert!(free.status.success() && free.stdout == part.stdout, "{said}");
    assert!(said.contains("the sorting of voxels: it would take 18.8 MB"), "{said}");
    assert!(said.contains("the keys of all voxels"), "{said}");
    let refused = bars(&["--memory", "28M", "--explain", &sorted]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1));
    assert!(said.contains("the sorting of voxels: it would take 18.8 MB"), "{said}");
    assert!(said.contains("no room for 18.8 MB more, in the stage order"), "{said}");
}

/// The spanning tree of points needs no table of distances.
#[cfg(all(target_os = "linux", feature = "huge-pages"))]
#[test]
fn dimension_0_of_points_takes_little() {
    let scratch = Scratch::new();
    let points = scratch.name("s.npy");
    lacuna("generate", ["sphere", "--points", "4000", "-q", "-o", &points]).assert().success();
    let run = |dim: &str| {
        let mut run = rips(["--explain", "--memory", "24M", "--max-dim", dim, "--output", "csv", &points]);
        run.assert()
    };
    let bars = run("0").success().stderr(contains("a spanning tree alone")).get_output().stdout.clone();
    // The header, and one bar per point.
    assert_eq!(bars.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count(), 4001);
    run("1").code(1).stderr(contains("4000 points with 7998000 distances to rank"));
}

/// A limit below the need of a run ends it with an error that names the limit and the stage; a higher limit changes
/// nothing.
#[cfg(all(target_os = "linux", feature = "huge-pages"))]
#[test]
fn a_run_stays_within_its_limit() {
    let scratch = Scratch::new();
    let points = scratch.name("s.npy");
    lacuna("generate", ["sphere", "--points", "1200", "-q", "-o", &points]).assert().success();
    let run = |memory: &str| {
        let mut run =
            rips(["-q", "--threads", "2", "--max-dim", "1", "--collapse", "off", "--memory", memory]);
        run.arg(&points);
        run
    };
    let expected = stdout_of(run("auto"));
    let enough = stdout_of(run("400M"));
    assert!(expected == enough);
    for memory in ["13M", "14M", "15M"] {
        let too_little = contains("memory: ").and(contains("are available").or(contains("the limit of ")));
        run(memory).assert().code(1).stdout(is_empty()).stderr(too_little);
    }
    // In a batch, the message concerns each file.
    let out = scratch.name("bars");
    let mut batch = rips(["-q", "--memory", "14M", "-o", &out, &points, &points.replace("s.npy", "t.npy")]);
    fs::copy(&points, scratch.name("t.npy")).unwrap();
    batch.assert().code(1).stderr(contains("s.npy: ").and(contains("t.npy: ")));
}

/// A folder on a disk for the files of `--spill`; `None` if the build folder lies in memory.
#[cfg(all(target_os = "linux", feature = "huge-pages"))]
fn on_disk() -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let inspect = lacuna("plot", ["--spill", &folder.path().display().to_string(), "x"]).output().unwrap();
    if String::from_utf8_lossy(&inspect.stderr).contains("keeps files in memory") {
        skipped(&format!("{} keeps files in memory", folder.path().display()));
        return None;
    }
    Some(folder)
}

/// Allocations beyond the limit are placed in a file: the answer is the same, and the file disappears.
#[cfg(all(target_os = "linux", feature = "huge-pages"))]
#[test]
fn what_finds_no_room_lies_in_a_file() {
    let Some(folder) = on_disk() else { return };
    let directory = folder.path().display().to_string();
    let scratch = Scratch::new();
    let path = |name: &str| scratch.name(name);
    make_inputs(&scratch, 1200, 32);
    for command in [
        format!("rips --max-dim 1 --collapse off {}", path("s.npy")),
        format!("rips --max-dim 1 --collapse on --threshold 0.8 {}", path("s.npy")),
        format!("rips --max-dim 2 --threshold 0.4 --pair-store sorted {}", path("s.npy")),
        format!("reduce {}", path("n.bin")),
        format!("reduce --algorithm standard {}", path("n.bin")),
        format!("cubical {}", path("n.npy")),
        format!("cubical --via matrix {}", path("n.npy")),
    ] {
        let run = |more: &[&str]| {
            let mut words = words(&command);
            words.extend(["--threads", "2", "--backend", "cpu"].map(str::to_owned));
            words.extend(more.iter().map(|&word| word.to_owned()));
            lacuna(&words[0], &words[1..]).output().unwrap()
        };
        let expected = run(&["--quiet"]);
        let spilled = run(&["--memory", "14M", "--spill", &directory, "--explain"]);
        let said = String::from_utf8_lossy(&spilled.stderr).into_owned();
        assert!(expected.status.success() && spilled.status.success(), "{command}: {said}");
        assert!(spilled.stdout == expected.stdout, "{command}");
        assert!(said.contains("in the file of --spill"), "{command}: {said}");
        assert!(
            said.contains("\nspill         what finds no room lies in a file, which has "),
            "{command}: {said}"
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // The file is limited too, and has no room either.
    let mut shell = assert_cmd::Command::new("sh");
    shell.args([
        "-c",
        "ulimit -f 8192 && exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_lacuna"),
        "rips",
        "--max-dim",
        "1",
    ]);
    shell.args(["--collapse", "off", "--memory", "14M", "--spill", &directory, &path("s.npy")]);
    let too_little = contains("memory: ")
        .and(contains("are available").or(contains(", nor has the directory of --spill")));
    shell.assert().code(1).stdout(is_empty()).stderr(too_little);
}

#[cfg(all(target_os = "linux", feature = "huge-pages"))]
#[test]
fn folders_that_cannot_have_the_file_are_refused() {
    let scratch = Scratch::new();
    let square = scratch.file("square.txt", super::SQUARE);
    let refused = |folder: &str, why: &str| {
        let said =
            contains(format!("--spill {folder}: cannot keep memory there")).and(contains(why.to_owned()));
        rips(["--spill", folder]).arg(&square).assert().code(1).stdout(is_empty()).stderr(said);
    };
    refused(&scratch.name("nowhere"), "No such file");
    refused(&square.display().to_string(), "Not a directory");
    if fs::read_to_string("/proc/mounts").unwrap().contains(" /dev/shm tmpfs ") {
        refused("/dev/shm", "keeps files in memory (tmpfs)");
    }
}

/// A memory control group with a limit of its own, below that of the tests.
#[cfg(target_os = "linux")]
struct Group(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl Group {
    /// `None` if this process may not create one, as for most users.
    fn new(bytes: u64) -> Option<Group> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let mut places = own.lines().filter_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            match (parts.next()?, parts.next()?) {
                ("memory", path) => Some((format!("/sys/fs/cgroup/memory{path}"), "memory.limit_in_bytes")),
                ("", path) => Some((format!("/sys/fs/cgroup{path}"), "memory.max")),
                _ => None,
            }
        });
        places.find_map(|(parent, limit)| {
            let group = std::path::Path::new(&parent).join(format!("lacuna-{}", std::process::id()));
            fs::create_dir(&group).ok()?;
            let group = Group(group);
            fs::write(group.0.join(limit), bytes.to_string()).ok()?;
            Some(group)
        })
    }
}

#[cfg(target_os = "linux")]
impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// In a control group, as in a container or batch job, a run fits or ends with an error before the system kills it.
#[cfg(all(target_os = "linux", feature = "huge-pages"))]
#[test]
fn no_command_is_killed_in_a_control_group() {
    let scratch = Scratch::new();
    let path = |name: &str| scratch.name(name);
    make_inputs(&scratch, 3000, 48);
    let mut outcomes = [0; 2];
    for megabytes in [48, 96, 160] {
        let Some(group) = Group::new(megabytes << 20) else {
            skipped("this user may make no control group of memory");
            return;
        };
        for command in [
            format!("rips --max-dim 1 --collapse off {}", path("s.npy")),
            format!("rips --threshold 0.5 {}", path("s.npy")),
            format!("reduce {}", path("n.bin")),
            format!("cubical {}", path("n.npy")),
            format!("ecc {}", path("n.npy")),
        ] {
            let mut shell = assert_cmd::Command::new("sh");
            shell.args(["-c", "echo $$ >\"$0\"/cgroup.procs && exec \"$@\""]).arg(&group.0);
            shell.arg(env!("CARGO_BIN_EXE_lacuna")).args(words(&command)).args(["--threads", "2"]);
            let output = shell.timeout(Duration::from_secs(600)).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let context = format!("{command} in {megabytes} MiB: {:?}\n{said}", output.status);
            assert!(matches!(output.status.code(), Some(0..=2)), "{context}");
            assert!(
                output.status.success() || said.contains("error: ") && said.contains("memory"),
                "{context}"
            );
            outcomes[usize::from(output.status.success())] += 1;
        }
    }
    assert!(outcomes.iter().all(|&count| count > 0), "{outcomes:?}");
}

/// The memory plan is a table on standard error and in the statistics.
#[test]
fn the_plan_of_memory_is_told() {
    let scratch = Scratch::new();
    let square = scratch.file("square.txt", super::SQUARE);
    let stats = scratch.name("stats.json");
    let mut run = rips(["--explain", "--memory", "1G", "--stats", &stats]);
    let table = contains("planned at the peak").and(contains("of the 1.1 GB allowed"));
    run.arg(&square).assert().success().stderr(table.and(contains("complex: ")));
    let stats: serde_json::Value = serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap();
    let memory = &stats["plan"]["memory"];
    assert_eq!(memory["limit"], 1 << 30);
    assert_eq!(memory["stages"][0]["stage"], "distances");
    assert!(memory["stages"][0]["uses"][0]["bytes"].as_u64().unwrap() > 0);
}

#[test]
fn limits_that_are_none_are_refused() {
    for memory in ["0", "1.5G", "much", "-1"] {
        rips(["--memory", memory, "x"]).assert().code(2).stderr(contains("such as 256M"));
    }
    for command in [
        "distance",
        "plot",
        "vectorize",
        "compare",
        "convert",
        "generate",
        "thin",
        "cubical",
        "reduce",
        "ect",
    ] {
        lacuna(command, ["--help"]).assert().success().stdout(contains("--memory").and(contains("--spill")));
    }
}

/// A refusal of memory while reading never blames the input: the exit code is 1, and the message names memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_is_refused_while_reading_is_no_fault_of_the_input() {
    let scratch = Scratch::new();
    let name = |file: &str| scratch.name(file);
    let make = |line: String| lacuna("generate", words(&line)).assert().success();
    make(format!("noise --shape 24,24,24 -q -o {}", name("i.npy")));
    make(format!("noise --shape 128,128,64 -q -o {}", name("large.npy")));
    for file in ["m.bin", "m.npz", "m.mtx", "m.dipha"] {
        let format = if file == "m.bin" { "--output phat-binary" } else { "" };
        let line = format!("-q {} {} --to matrix {format}", name("i.npy"), name(file));
        lacuna("convert", words(&line)).assert().success();
    }
    let ascii = format!("-q {} {} --output phat-ascii", name("m.bin"), name("m.txt"));
    lacuna("convert", words(&ascii)).assert().success();
    let mut numbers = (0..).map(|k: u64| (k + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40);
    let mut lines = |rows: usize, columns: usize| -> String {
        let mut row =
            || (0..columns).map(|_| numbers.next().unwrap().to_string()).collect::<Vec<_>>().join(" ");
        (0..rows).map(|_| row() + "\n").collect()
    };
    scratch.file("points.txt", lines(150_000, 3));
    let bars = lines(150_000, 1).lines().fold("dim,birth,death\n".to_owned(), |all, birth| {
        all + &format!("1,{birth},{}\n", birth.parse::<u64>().unwrap() + 1)
    });
    scratch.file("bars.csv", bars);
    for file in ["points.txt", "m.bin", "m.txt", "m.mtx"] {
        let packed = std::process::Command::new("gzip").args(["-1", "-k", &name(file)]).status().unwrap();
        assert!(packed.success());
    }
    let (bars, out) = (name("bars.csv"), name("out.npy"));
    let commands: Vec<String> =
        ["m.bin", "m.npz", "m.mtx", "m.dipha", "m.txt", "m.bin.gz", "m.txt.gz", "m.mtx.gz"]
            .map(|file| format!("reduce {}", name(file)))
            .into_iter()
            .chain(["points.txt", "points.txt.gz"].map(|file| format!("rips --threshold 0 {}", name(file))))
            .chain([
                format!("convert {} {out} --from distances", name("points.txt.gz")),
                format!("convert {} {} --to matrix", name("large.npy"), name("out.bin")),
                format!("vectorize --output npy {bars} -o {out}"),
                format!("distance {bars} {bars}"),
                format!("plot {bars} -o {}", name("out.svg")),
                format!("thin {} --threshold 0.5 -o {out}", name("large.npy")),
                format!("cubical {}", name("large.npy")),
                format!("ecc {}", name("large.npy")),
            ])
            .collect();
    for command in commands {
        let mut refused = 0;
        for memory in ["9M", "11M", "14M", "20M"] {
            let mut run = assert_cmd::Command::new(env!("CARGO_BIN_EXE_lacuna"));
            let output = run.args(words(&command)).args(["--memory", memory]).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let context = format!("{command} --memory {memory}: {:?}\n{said}", output.status);
            match output.status.code() {
                Some(0) => break,
                Some(1) => assert!(said.contains("memory") && !said.contains("panicked"), "{context}"),
                _ => panic!("{context}"),
            }
            refused += 1;
        }
        assert!(refused > 0, "{command} is refused nothing");
    }
}

/// A refusal because of the given limit names that limit, not the system.
#[cfg(target_os = "linux")]
#[test]
fn the_limit_that_was_given_is_named() {
    let scratch = Scratch::new();
    let image = scratch.name("zeros.raw");
    fs::File::create(&image).unwrap().set_len(96 * 96 * 96).unwrap();
    let raw = ["--shape", "96,96,96", "--dtype", "u8", image.as_str()];
    let cubical = lacuna("cubical", raw).args(["--memory", "12M"]).assert().code(1);
    cubical.stderr(contains("--memory").and(contains("--spill DIR")).or(contains("the limit of 12")));
    let out = scratch.name("out.npy");
    let thin = lacuna("thin", raw).args(["--memory", "100K", "-o", &out]).assert().code(1);
    thin.stderr(contains("memory: the limit of 10").and(contains("the system").not()));
}
