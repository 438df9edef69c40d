//! Standard error: detected formats, `--quiet`, `-v`, `--explain`; and `--stats`, `--help`.

use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::{SQUARE, SQUARE_TEXT, Scratch, data, lacuna, read, rips, rips_of, tells_choices, tells_seconds};

#[test]
fn the_detected_format_is_said_on_standard_error() {
    let scratch = Scratch::new();
    let file = scratch.file("square.txt", SQUARE);
    let said = contains("square.txt: distance (").and(contains(")\n"));
    rips([&file]).assert().success().stdout(SQUARE_TEXT).stderr(said);
    rips_of(SQUARE, &[]).assert().success().stderr(contains("standard input: distance ("));
}

/// Every command that reads an image reports its format, for a single image and in a batch.
#[test]
fn what_images_are_detected_to_be_is_said_by_every_command() {
    let scratch = Scratch::new();
    let [shell, levels] = ["cubical/shell.npy", "cubical/levels.npy"].map(data);
    let [out, skeleton] = ["cells.bin", "skeleton.npy"].map(|name| scratch.name(name));
    let note = "shell.npy: npy (begins with NumPy's magic bytes)\n";
    let shell_name = shell.to_str().unwrap();
    for (command, arguments) in [
        ("cubical", vec![shell_name]),
        ("ecc", vec![shell_name]),
        ("thin", vec![shell_name, "-o", &skeleton]),
        ("convert", vec![shell_name, &out]),
    ] {
        let run = || lacuna(command, &arguments);
        run().assert().success().stderr(contains(note));
        run().arg("--quiet").assert().success().stderr(is_empty());
        run().args(["--format", "Npy"]).assert().success().stderr(contains("magic bytes").not());
    }
    // In a batch, only the first image of each format is reported.
    let run = lacuna("ecc", [&shell, &levels]).args(["-o", &scratch.name("curves")]).assert().success();
    run.stderr(predicates::str::ends_with(
        "shell.npy: npy (begins with NumPy's magic bytes), and others like it\n",
    ));
}

#[test]
fn input_formats_are_taken_in_either_case() {
    rips_of(SQUARE, &["--format", "Distance"]).assert().success().stdout(SQUARE_TEXT).stderr(is_empty());
    rips_of(SQUARE, &["--format", "DIST"]).assert().success().stdout(SQUARE_TEXT).stderr(is_empty());
    let triangle = data("triangle.dat");
    let pairs = data("expected/triangle_pairs.dat");
    lacuna("reduce", ["--format", "PHAT-ascii"]).arg(&triangle).assert().success().stderr(is_empty());
    let formats = ["-q", "--format-a", "PHAT-ASCII", "--format-b", "Phat-Ascii"];
    lacuna("compare", formats).args([&pairs, &pairs]).assert().success();
}

#[test]
fn a_given_format_is_not_said() {
    rips_of(SQUARE, &["--format", "distance"]).assert().success().stderr(is_empty());
}

#[test]
fn quiet_is_silent() {
    for quiet in ["-q", "--quiet"] {
        rips_of(SQUARE, &[quiet, "--dim", "9"])
            .assert()
            .success()
            .stdout(SQUARE_TEXT.to_string() + DIM_2)
            .stderr(is_empty());
    }
}

const DIM_2: &str = "persistence intervals in dim 2:\n";

#[test]
fn quiet_keeps_what_was_asked_for() {
    rips_of(SQUARE, &["--quiet", "--explain"]).assert().success().stderr(contains("pair store"));
    rips_of("", &["--quiet"]).assert().code(2).stderr(contains("error: "));
}

#[test]
fn verbose_tells_the_time_of_every_stage() {
    let assert = rips_of(SQUARE, &["-v", "--format", "distance"]).assert().success().stdout(SQUARE_TEXT);
    let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    let of_dimensions = ["dimension 0", "dimension 1 assembly", "dimension 1 reduction"];
    tells_seconds(&text, &[&["read", "rank"], &of_dimensions[..], &["write", "total"]].concat());
}

#[test]
fn representatives_and_tightening_are_stages_of_their_own() {
    let scratch = Scratch::new();
    let stats = scratch.name("stats.json");
    let options = ["-v", "--output", "json", "--stats", &stats, "--representatives", "cycles"];
    let stages = |options: &[&str]| {
        let assert = rips_of(SQUARE, options).assert().success();
        let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        let object: Value = serde_json::from_str(&read(scratch.path("stats.json").as_path())).unwrap();
        let seconds = ["representatives_seconds", "tightening_seconds"].map(|key| {
            object["dimensions"][0][key].as_f64().unwrap_or_else(|| panic!("no {key} in {object}"))
        });
        let said = ["dimension 1 representatives", "dimension 1 tightening"];
        (said.map(|stage| text.lines().any(|line| line.starts_with(stage))), seconds.map(|found| found > 0.0))
    };
    assert_eq!(stages(&options), ([true, false], [true, false]));
    assert_eq!(stages(&[&options[..], &["--tighten"]].concat()), ([true; 2], [true; 2]));
    assert_eq!(stages(&options[..5]), ([false; 2], [false; 2]));
}

#[test]
fn a_dimension_that_is_cut_is_said_when_asked() {
    rips_of(SQUARE, &["-v", "--dim", "9"]).assert().stderr(contains("dimension 9 asked, 2 computed"));
    rips_of(SQUARE, &["--explain", "--dim", "9"]).assert().stderr(contains("2: 9 was asked"));
    rips_of(SQUARE, &["-v", "--dim", "2"]).assert().stderr(contains("asked").not());
}

#[test]
fn explain_gives_the_plan() {
    let assert =
        rips_of(SQUARE, &["--explain", "--pair-store", "sorted"]).assert().success().stdout(SQUARE_TEXT);
    let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    let choices = [
        ("backend", "cpu"),
        ("points", "4"),
        ("dimension", "1, as asked"),
        ("threshold", "2: the enclosing radius"),
        ("coefficients", "Z/2"),
        ("shape", ""),
        ("rank width", ""),
        ("index width", ""),
        ("entry width", ""),
        ("residue", "streamed"),
        ("pair store", "sorted"),
        ("threads", ""),
        ("simd", ""),
    ];
    tells_choices(&text, &choices);
}

/// Every simplex is cleared, apparent or in the residue; every column that is not cleared has a pair or is essential.
fn counts_add_up(dimension: &Value) {
    let count = |key: &str| dimension[key].as_u64().unwrap_or_else(|| panic!("{key}: {}", dimension[key]));
    assert_eq!(count("simplices"), count("cleared") + count("apparent") + count("residue"));
    assert_eq!(count("simplices"), count("cleared") + count("pairs") + count("essential"));
    assert!(count("apparent") <= count("shortcut") && count("shortcut") <= count("emergent"));
    assert!(count("emergent") <= count("pairs") && count("additions") < 100);
    for key in ["layer1_reads", "layer1_writes", "layer2_reads", "layer2_writes", "clearing_reads"] {
        assert!(dimension["pair_store"][key].is_u64(), "{key}: {}", dimension["pair_store"][key]);
    }
    for key in ["assembly_seconds", "reduction_seconds"] {
        assert!(dimension[key].as_f64().is_some_and(|s| s >= 0.0), "{key}: {}", dimension[key]);
    }
}

#[test]
fn stats_are_json() {
    let scratch = Scratch::new();
    let stats = scratch.path("stats.json");
    let arguments = ["--dim", "2", "--threshold", "inf", "--stats", stats.to_str().unwrap()];
    rips_of(SQUARE, &arguments).assert().success();
    let object: Value = serde_json::from_str(&read(&stats)).unwrap();
    assert_eq!(object["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        (&object["file"], &object["format"], &object["backend"]),
        (&"-".into(), &"distance".into(), &"cpu".into())
    );
    for key in ["read_seconds", "rank_seconds", "components_seconds", "write_seconds", "total_seconds"] {
        assert!(object[key].as_f64().is_some_and(|s| s >= 0.0), "{key}: {}", object[key]);
    }
    assert!(object["threads"].as_u64().is_some_and(|n| n >= 1));
    let dimensions = object["dimensions"].as_array().unwrap();
    assert_eq!(dimensions.iter().map(|d| d["dim"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(2)]);
    for (dimension, simplices) in dimensions.iter().zip([6, 4]) {
        counts_add_up(dimension);
        assert_eq!(dimension["simplices"], simplices);
    }
    let plan = &object["plan"];
    assert_eq!(
        (&plan["points"], &plan["threshold"], &plan["pair_store"]),
        (&4.into(), &Value::Null, &"implicit".into())
    );
}

#[test]
fn help_names_every_option_with_its_value_and_the_exit_codes() {
    let of_all = [
        "--format <FORMAT>",
        "--threads <N>",
        "--output <FORMAT>",
        "--stats <FILE>",
        "--explain",
        "--quiet",
        "--verbose",
        "Examples:",
        "Exit codes:",
    ];
    let of_rips = [
        "<FILE>",
        "--max-dim <K>",
        "[alias: --dim]",
        "--threshold <T>",
        "--ratio <R>",
        "--modulus <P>",
        "--backend <auto|cpu|cuda>",
        "--pair-store <LAYER>",
        "-o, --output-file <FILE|DIR>",
    ];
    let of_reduce = [
        "<FILE>",
        "--upper-dim <U>",
        "--check",
        "--algorithm <ALGORITHM>",
        "--columns <COLUMNS>",
        "--dualize <WHETHER>",
        "-o, --output-file <FILE>",
        "hypha-twist",
        "spectral-sequence",
        "lock-free",
        "bit-tree",
        "phat-ascii",
        "phat-binary",
        "dipha",
    ];
    let of_cubical = [
        "<IMAGE>",
        "--construction <WHICH>",
        "--superlevel",
        "--max-dim <K>",
        "--threshold <X>",
        "--via <WAY>",
        "--backend <auto|cpu|cuda>",
        "-o, --output-file <FILE|DIR>",
        "cripser",
        "dipha",
    ];
    let formats = lacuna::metric::read::DistanceFormat::ALL.map(|format| format.to_string());
    let of_rips = [&of_rips[..], &formats.each_ref().map(String::as_str)].concat();
    for (command, options) in [("rips", &of_rips[..]), ("reduce", &of_reduce), ("cubical", &of_cubical)] {
        let assert = lacuna(command, ["--help"]).assert().success().stderr(is_empty());
        let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
        for option in of_all.iter().chain(options) {
            assert!(text.contains(option), "no {option} in\n{text}");
        }
    }
}

/// Objects of `--progress json` for a run.
fn told(command: &mut assert_cmd::Command) -> Vec<Value> {
    let output = command.args(["-q", "--progress", "json"]).assert().success().get_output().clone();
    let lines = String::from_utf8(output.stderr).unwrap();
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

/// The start of every stage is reported, with all keys.
#[test]
fn progress_for_a_program_is_an_object_a_line() {
    let scratch = Scratch::new();
    let out = scratch.name("out");
    let input = |name: &str| data(name).to_str().unwrap().to_owned();
    for (command, input, arguments, stages) in [
        (
            "rips",
            input("octahedron.lower"),
            &["--max-dim", "2", "-o"][..],
            &["components", "assembly", "reduction"][..],
        ),
        ("reduce", input("torus_surface.bin"), &["-o"], &["reading", "scan", "graph", "writing"]),
        (
            "cubical",
            input("cubical/shell.npy"),
            &["-o"],
            &["reading", "order", "gradient", "loops", "writing"],
        ),
        ("ecc", input("cubical/shell.npy"), &["-o"], &["curve", "writing"]),
        (
            "thin",
            input("cubical/shell.npy"),
            &["--threshold", "0", "--output", "npy", "-o"],
            &["thinning", "writing"],
        ),
        (
            "convert",
            input("octahedron.lower"),
            &["--to", "distances", "--output", "npy"],
            &["reading", "writing"],
        ),
        ("generate", "sphere".to_owned(), &["--points", "5", "-o"], &["drawing", "writing"]),
    ] {
        let told = told(lacuna(command, [input]).args(arguments).arg(&out));
        let found: Vec<&str> = told.iter().map(|object| object["stage"].as_str().unwrap()).collect();
        assert!(stages.iter().all(|stage| found.contains(stage)), "{command}: {found:?}");
        for object in &told {
            for key in [
                "step",
                "dimension",
                "total",
                "rate",
                "seconds_left",
                "overall",
                "file",
                "file_number",
                "files",
            ] {
                assert!(object.get(key).is_some(), "{command}: no {key} in {object}");
            }
            assert!(object["done"].is_u64() && object["seconds_elapsed"].as_f64().unwrap() >= 0.0);
        }
    }
}

#[test]
fn progress_of_a_batch_says_which_file_of_how_many() {
    let scratch = Scratch::new();
    let files = ["octahedron.lower", "circle.pts", "klein_bottle.lower"].map(data);
    // With --explain, the files are processed one after another.
    let run = |options: &[&str]| {
        let mut run = lacuna("rips", options);
        told(run.args(&files).args(["--threads", "2", "-o", &scratch.name("bars")]))
    };
    let one_by_one = lacuna("rips", &files)
        .args(["-o", &scratch.name("bars"), "--explain", "--progress", "json"])
        .assert()
        .success()
        .get_output()
        .stderr
        .clone();
    let text = String::from_utf8(one_by_one).unwrap();
    let objects = text.lines().filter(|line| line.starts_with('{'));
    let objects: Vec<Value> = objects.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(objects.iter().any(|object| object["file_number"] == 2 && object["files"] == 3), "{text}");
    let side_by_side = run(&[]);
    let [files] = &side_by_side[..] else { panic!("{side_by_side:?}") };
    assert_eq!((&files["stage"], &files["total"]), (&Value::from("files"), &Value::from(3)));
}

#[test]
fn progress_is_silent_in_short_runs_and_where_it_is_to_be() {
    for how in ["auto", "plain", "none", "bar"] {
        let run = rips_of(SQUARE, &["--format", "distance", "--progress", how]).assert().success();
        run.stdout(SQUARE_TEXT).stderr(is_empty());
    }
    let refused = rips_of(SQUARE, &["--progress", "loud"]).assert().code(2);
    refused.stderr(contains("invalid value 'loud' for '--progress <HOW>'"));
}
