//! Limits of memory: those that are given, and those of the system. A run fits, or ends with an error that says what is missing.

use std::fs;
use std::process::Output;
use std::time::{Duration, Instant};

use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use super::{Scratch, lacuna, rips};

/// A command in a shell that limits the address space to so many kilobytes.
fn limited(kilobytes: u64, arguments: &[String]) -> Output {
    let mut shell = assert_cmd::Command::new("sh");
    shell.args(["-c", "ulimit -c 0 && ulimit -v $0 && exec \"$@\"", &kilobytes.to_string()]);
    shell.arg(env!("CARGO_BIN_EXE_lacuna")).args(arguments).timeout(Duration::from_secs(60));
    shell.output().unwrap()
}

/// The least address space, in kilobytes, in which the program is loaded and says its version.
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

/// Each command that computes, in hardly more memory than it takes to load the program, and in more and more.
#[cfg(target_os = "linux")]
#[test]
fn no_command_aborts_for_want_of_memory() {
    let scratch = Scratch::new();
    let path = |name: &str| scratch.name(name);
    lacuna("generate", words(&format!("sphere --points 400 -q -o {}", path("s.npy")))).assert().success();
    lacuna("generate", words(&format!("noise --shape 24,24,24 -q -o {}", path("n.npy")))).assert().success();
    lacuna("convert", words(&format!("-q {} {}", path("n.npy"), path("n.bin")))).assert().success();
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
    for command in commands {
        for more in [0, 3, 8, 16] {
            let output = limited(least + 1024 * more, &words(&command));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let context = format!("{command}, {more} MB more than {least} kB: {:?}\n{said}", output.status);
            assert!(matches!(output.status.code(), Some(0..=2)), "{context}");
            assert!(!said.contains("panicked") && !said.contains("memory allocation"), "{context}");
            assert!(output.status.success() || said.contains("error: "), "{context}");
        }
    }
    let left = ["g.npy", "m.bin", "n.bin", "n.npy", "out.npy", "p.png", "s.csv", "s.npy", "v.npy"];
    assert!(scratch.names().iter().all(|name| left.contains(&name.as_str())), "{:?}", scratch.names());
}

/// All distances of 200,000 points would take 80 GB: that is said before anything is computed, with what would fit.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_fit_is_refused_at_once_with_what_would() {
    let scratch = Scratch::new();
    let points = scratch.name("many.npy");
    lacuna("generate", ["sphere", "--points", "200000", "-q", "-o", &points]).assert().success();
    let start = Instant::now();
    let said = contains("200000 points with 19999900000 distances to rank need 80.0 GB at the least")
        .and(contains("--threshold 0.0"))
        .and(contains(" edges and take "))
        .and(contains("--landmarks 1"));
    rips(["--memory", "1G", &points]).assert().code(1).stdout(is_empty()).stderr(said);
    assert!(start.elapsed() < Duration::from_secs(20));
}

/// A limit below what a run takes ends it with an error that names the limit and the stage; above, it changes nothing.
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
    let expected = run("auto").assert().success().get_output().stdout.clone();
    let enough = run("400M").assert().success().get_output().stdout.clone();
    assert!(expected == enough);
    for memory in ["13M", "14M", "15M"] {
        let too_little = contains("memory: ").and(contains("are available").or(contains("the limit of ")));
        run(memory).assert().code(1).stdout(is_empty()).stderr(too_little);
    }
    // Of files, what is said is about each.
    let out = scratch.name("bars");
    let mut batch = rips(["-q", "--memory", "14M", "-o", &out, &points, &points.replace("s.npy", "t.npy")]);
    fs::copy(&points, scratch.name("t.npy")).unwrap();
    batch.assert().code(1).stderr(contains("s.npy: ").and(contains("t.npy: ")));
}

/// The plan is a table on standard error and in the statistics.
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
    for command in
        ["distance", "plot", "vectorize", "compare", "convert", "generate", "thin", "cubical", "reduce"]
    {
        lacuna(command, ["--help"]).assert().success().stdout(contains("--memory"));
    }
}
