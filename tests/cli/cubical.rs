//! `lacuna cubical`: bars in every format, messages, files.

use std::fs;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::{Scratch, data, lacuna, read};

fn cubical<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    lacuna("cubical", arguments)
}

/// The rows of data/cubical.tsv: file, arguments, expected bytes.
fn cases() -> Vec<(String, Vec<String>, Vec<u8>)> {
    let table = read(&data("cubical.tsv"));
    let case = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, arguments, expected] = fields[..] else { panic!("expected 3 fields: {line}") };
        let arguments = arguments.split(' ').map(str::to_owned).collect();
        (file.to_owned(), arguments, fs::read(data(expected)).unwrap())
    };
    let cases: Vec<_> = table.lines().skip(1).map(case).collect();
    assert!(cases.len() >= 20, "data/cubical.tsv lists {} cases", cases.len());
    cases
}

#[test]
fn every_case_of_the_example_data_gives_its_expected_output() {
    for (file, arguments, expected) in cases() {
        for extra in
            [&[][..], &["--threads", "1", "--format", "npy"], &["--threads", "4"], &["--via", "matrix"]]
        {
            let run = cubical(&arguments).args(extra).arg(data(&file)).assert().success();
            assert!(run.get_output().stdout == expected, "{file} {arguments:?} {extra:?}");
        }
    }
}

#[test]
fn what_was_detected_is_said_and_nothing_else() {
    let shell = data("cubical/shell.npy");
    let bars = "persistence intervals in dim 0:\n [1, )\npersistence intervals in dim 1:\n\
                persistence intervals in dim 2:\n [1,9)\n";
    let text = format!("7x6x5 image of u16, T-construction, sublevel sets\n{bars}");
    let why = "npy (begins with NumPy's magic bytes)\n";
    let run = cubical([&shell]).assert().success().stdout(text.clone());
    run.stderr(predicates::str::ends_with(format!("shell.npy: {why}")));
    let mut piped = cubical(["-"]);
    let run = piped.write_stdin(fs::read(&shell).unwrap()).assert().success().stdout(text.clone());
    run.stderr(format!("standard input: {why}"));
    for silent in [["--quiet"].as_slice(), &["--format", "NPY"]] {
        cubical(silent).arg(&shell).assert().success().stdout(text.clone()).stderr(is_empty());
    }
}

#[test]
fn a_diagram_is_diphas_by_its_name() {
    let scratch = Scratch::new();
    let diagram = scratch.name("shell.diagram");
    cubical(["-o", &diagram]).arg(data("cubical/shell.npy")).assert().success().stdout(is_empty());
    assert_eq!(fs::read(&diagram).unwrap(), fs::read(data("expected/shell.diagram")).unwrap());
    assert_eq!(scratch.names(), ["shell.diagram"]);
}

/// Every format of the same bars, read back by `lacuna compare`.
#[test]
fn every_format_compares_as_the_same() {
    let scratch = Scratch::new();
    for image in ["waves", "levels", "shell", "noise"] {
        let file = |format: &str| scratch.name(&format!("{image}.{format}"));
        for format in ["text", "csv", "json", "npy", "dipha"] {
            let arguments = ["--output", format, "-o", &file(format)];
            cubical(arguments).arg(data(&format!("cubical/{image}.npy"))).assert().success();
        }
        for format in ["json", "npy", "dipha"] {
            lacuna("compare", ["-q", &file("csv"), &file(format)]).assert().success();
        }
        lacuna("compare", ["-q", "--tolerance", "1e-5", &file("csv"), &file("text")]).assert().success();
    }
}

#[test]
fn verbose_tells_bars_and_stages() {
    for way in ["gradient", "matrix"] {
        let arguments = ["-v", "--via", way, "--construction", "v"];
        let assert = cubical(arguments).arg(data("cubical/shell.npy")).assert().success();
        let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(text.contains("shell.npy: 7x6x5 image of u16\n"), "{text}");
        assert!(text.contains("dimension 0: 0 bars, 1 essential\ndimension 1: 0 bars"), "{text}");
        for stage in ["read", "persistence", "write", "total"] {
            let line = text.lines().find_map(|line| line.strip_prefix(stage));
            let seconds = line.and_then(|rest| rest.trim().strip_suffix(" s"));
            let seconds: f64 = seconds.unwrap_or_else(|| panic!("no {stage} in\n{text}")).parse().unwrap();
            assert!((0.0..60.0).contains(&seconds), "{stage}: {seconds}");
        }
        let stage = if way == "matrix" { "  build matrix " } else { "  gradient " };
        assert!(text.lines().any(|line| line.starts_with(stage)), "{text}");
    }
}

#[test]
fn explain_gives_the_plan() {
    let explained = |arguments: &[&str]| {
        let assert =
            cubical(arguments).args(["-q", "--explain"]).arg(data("cubical/ties.npy")).assert().success();
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    let text = explained(&["--threads", "3"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("via           gradient: "), "{text}");
    assert!(lines[1].starts_with("backend       cpu: "), "{text}");
    assert_eq!(lines[2], "threads       3: as asked");
    let text = explained(&["--via", "matrix", "--backend", "cpu"]);
    assert!(text.contains("algorithm     sieve: ") && text.contains("backend       cpu: as asked"), "{text}");
    assert!(text.contains("solved        dimension 1: union-find"), "{text}");
}

#[test]
fn stats_are_json() {
    let scratch = Scratch::new();
    let stats = scratch.name("stats.json");
    let run = |via: &str| -> Value {
        let arguments = ["--stats", &stats, "--via", via, "--threads", "2", "--threshold", "6"];
        cubical(arguments).arg(data("cubical/shell.npy")).assert().success();
        serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap()
    };
    let object = run("gradient");
    assert_eq!((&object["version"], &object["voxels"]), (&env!("CARGO_PKG_VERSION").into(), &"u16".into()));
    assert_eq!((&object["shape"], &object["threshold"]), (&serde_json::json!([7, 6, 5]), &6.into()));
    assert_eq!((&object["construction"], &object["superlevel"]), (&"T".into(), &false.into()));
    assert_eq!((&object["via"], &object["backend"]), (&"gradient".into(), &"cpu".into()));
    // The cavity is not filled before 9.
    assert_eq!(object["essential"], serde_json::json!([1, 0, 1]));
    assert_eq!(object["finite"], serde_json::json!([0, 0, 0]));
    assert_eq!((&object["threads"], object.get("matrix")), (&2.into(), None));
    assert!(object["figures"]["stages"].is_array(), "{object}");
    for key in ["read_seconds", "persistence_seconds", "write_seconds", "total_seconds"] {
        assert!(object[key].as_f64().is_some_and(|s| s >= 0.0), "{key}: {}", object[key]);
    }
    let matrix = &run("matrix")["matrix"];
    assert_eq!((&matrix["cells"], &matrix["index_bits"]), (&(15 * 13 * 11).into(), &32.into()));
    assert!(matrix["figures"]["stages"].is_array() && matrix["entries"].is_u64(), "{matrix}");
}

#[test]
fn what_cannot_be_asked_for() {
    let shell = data("cubical/shell.npy");
    for (arguments, message) in [
        (&["--construction", "x"][..], "--construction"),
        (&["--via", "magic"], "--via"),
        (&["--max-dim", "-1"], "expected a whole number, 0 or more, found -1"),
        (&["--threshold", "nan"], "expected a number, found nan"),
        (&["--output", "phat-ascii"], "--output"),
        (&["--stats", "-"], "expected the path of a file"),
    ] {
        let assert = cubical(arguments).arg(&shell).assert().code(2).stdout(is_empty());
        assert.stderr(contains(message));
    }
    let matrix = data("torus_surface.bin");
    cubical([&matrix])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("torus_surface.bin: byte 0: expected"));
    cubical(["no-such-image.npy"]).assert().code(2).stderr(contains("no-such-image.npy"));
}

#[test]
fn an_existing_file_is_replaced_on_success_and_kept_on_failure() {
    let scratch = Scratch::new();
    let bars = scratch.file("bars.csv", "precious");
    let image = scratch.file("image.npy", b"\x93NUMPY");
    cubical(["-o".as_ref(), bars.as_os_str(), image.as_os_str()]).assert().code(2);
    assert_eq!(read(&bars), "precious");
    let shell = data("cubical/shell.npy");
    let arguments = ["--output".as_ref(), "csv".as_ref(), "-o".as_ref(), bars.as_os_str(), shell.as_os_str()];
    cubical(arguments).assert().success().stdout(is_empty());
    assert_eq!(read(&bars), "dim,birth,death\n0,1,inf\n2,1,9\n");
    assert_eq!(scratch.names(), ["bars.csv", "image.npy"]);
}

#[test]
fn help_names_every_option_with_its_value_and_the_exit_codes() {
    let options = [
        "<IMAGE>",
        "--format <FORMAT>",
        "--construction <WHICH>",
        "--superlevel",
        "--max-dim <K>",
        "--threshold <X>",
        "--via <WAY>",
        "--threads <N>",
        "--backend <BACKEND>",
        "--output <FORMAT>",
        "-o, --output-file <FILE>",
        "--stats <FILE>",
        "--explain",
        "--quiet",
        "--verbose",
        "cripser",
        "dipha",
        "Examples:",
        "Exit codes:",
    ];
    let assert = cubical(["--help"]).assert().success().stderr(is_empty());
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    for option in options {
        assert!(text.contains(option), "no {option} in\n{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure_of_the_run() {
    let refused = contains("error: cannot write /dev/full: ");
    cubical(["-o", "/dev/full"])
        .arg(data("cubical/shell.npy"))
        .assert()
        .code(1)
        .stdout(is_empty())
        .stderr(refused.and(contains("panicked").not()));
}

/// A file of voxels of eight bytes each.
fn wide(scratch: &Scratch, voxels: impl IntoIterator<Item = [u8; 8]>) -> String {
    let bytes: Vec<u8> = voxels.into_iter().flatten().collect();
    scratch.file("wide.raw", bytes).to_str().unwrap().to_owned()
}

/// What `lacuna cubical` prints of such a file.
fn bars(image: &str, options: &str) -> String {
    let run = cubical(options.split_whitespace().chain([image])).assert().success();
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

/// A ring around a hole: 0 and 2 above the least value of these types, where doubles do not tell them apart.
const RING: [u8; 9] = [0, 0, 0, 0, 2, 0, 0, 0, 0];

#[test]
fn a_threshold_is_compared_with_integers_as_it_is_written() {
    let scratch = Scratch::new();
    let unsigned = wide(&scratch, RING.map(|step| (u64::MAX - 3 + u64::from(step)).to_le_bytes()));
    let options = "--shape 3,3 --dtype u64 --output csv --threshold";
    let of = |threshold: &str| bars(&unsigned, &format!("{options} {threshold}"));
    let (low, high) = ("18446744073709551612", "18446744073709551614");
    let cut = format!("dim,birth,death\n0,{low},inf\n1,{low},inf\n");
    assert_eq!(of("18446744073709551613"), cut);
    assert_eq!(of("18446744073709551613.9"), cut);
    assert_eq!(of(high), format!("dim,birth,death\n0,{low},inf\n1,{low},{high}\n"));
    assert_eq!(of("18446744073709551611"), "dim,birth,death\n");
    let of = |threshold: &str| bars(&unsigned, &format!("--superlevel {options} {threshold}"));
    let all = format!("dim,birth,death\n0,{high},-inf\n");
    assert_eq!((of(high), of("1e30")), (all, "dim,birth,death\n".to_owned()));
    let json = bars(&unsigned, "--shape 3,3 --dtype u64 --output json --threshold 18446744073709551613");
    assert!(json.contains("\"threshold\":18446744073709551613,"), "{json}");
    let signed = wide(&scratch, RING.map(|step| (i64::MIN + i64::from(step)).to_le_bytes()));
    let of = |threshold: &str| {
        bars(&signed, &format!("--shape 3,3 --dtype i64 --output csv --threshold={threshold}"))
    };
    let low = i64::MIN;
    assert_eq!(of("-9223372036854775807"), format!("dim,birth,death\n0,{low},inf\n1,{low},inf\n"));
    assert_eq!(of("-9223372036854775806"), format!("dim,birth,death\n0,{low},inf\n1,{low},{}\n", low + 2));
    assert_eq!(of("-9223372036854775809"), "dim,birth,death\n");
}

#[test]
fn integers_that_are_no_doubles_are_not_written_as_such() {
    let scratch = Scratch::new();
    let image = wide(&scratch, RING.map(|step| (u64::MAX - 3 + u64::from(step)).to_le_bytes()));
    for format in ["npy", "dipha"] {
        let out = scratch.file("out", "precious");
        let message = format!(
            "--output {format}: expected values that doubles hold exactly, found the integer 184467440737095516"
        );
        cubical(["--shape", "3,3", "--dtype", "u64", "--output", format, "-o"])
            .args([out.to_str().unwrap(), &image])
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains(message));
        assert_eq!(read(&out), "precious");
    }
    // Bars whose ends doubles hold are written, whatever other voxels there are.
    let exact = wide(&scratch, [0, (1 << 53) + 1, 1 << 60, 1 << 53, u64::MAX].map(u64::to_le_bytes));
    for format in ["npy", "dipha"] {
        let arguments = [
            "--shape",
            "5",
            "--dtype",
            "u64",
            "--output",
            format,
            "--threshold",
            "1152921504606846976",
            "-o",
        ];
        let out = scratch.name("bars");
        cubical(arguments).args([&out, &exact]).assert().success();
    }
}

#[test]
fn infinite_voxels_are_strings_in_json() {
    let scratch = Scratch::new();
    let inf = f64::INFINITY;
    let image = wide(&scratch, [-inf, 1.0, inf, 0.0, 7.0].map(f64::to_le_bytes));
    let bars_of = |options: &str| -> Value {
        let text = bars(&image, &format!("--shape 5 --dtype f64 --output json {options}"));
        serde_json::from_str(&text).unwrap()
    };
    let ends = |json: &Value| -> Vec<[Value; 2]> {
        let bars = json["bars"].as_array().unwrap().iter();
        bars.map(|bar| [bar["birth"].clone(), bar["death"].clone()]).collect()
    };
    let expected = [["-inf".into(), Value::Null], [0.0.into(), "inf".into()]];
    assert_eq!(ends(&bars_of("")), expected);
    let expected = [["inf".into(), Value::Null], [7.0.into(), 0.0.into()]];
    assert_eq!(ends(&bars_of("--superlevel")), expected);
    assert_eq!(bars_of("--threshold inf")["threshold"], "inf");
    for alone in [inf, -inf] {
        let image = wide(&scratch, [alone.to_le_bytes()]);
        for superlevel in ["", " --superlevel"] {
            let options = format!("--shape 1 --dtype f64 --output json{superlevel}");
            let json: Value = serde_json::from_str(&bars(&image, &options)).unwrap();
            assert_eq!(ends(&json), [[Value::from(alone.to_string()), Value::Null]]);
        }
    }
}

/// The file is a hole that takes no room on the disk, and is not read.
#[test]
fn an_image_that_is_too_large_is_refused_before_it_is_read() {
    let scratch = Scratch::new();
    let image = scratch.path("zeros.raw");
    fs::File::create(&image).unwrap().set_len(1 << 40).unwrap();
    // To read it would take longer.
    let quick = std::time::Duration::from_secs(60);
    let message = "expected an image that takes fewer than 1073741824 places with a rim around it, found 1099511627776 voxels";
    cubical(["--shape", "10240,10485,10240", "--dtype", "u8"])
        .arg(&image)
        .timeout(quick)
        .assert()
        .code(2)
        .stderr(contains("zeros.raw: "));
    cubical(["--shape", "16384,8192,8192", "--dtype", "u8"])
        .arg(&image)
        .timeout(quick)
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains(message).and(contains("16384x8192x8192")).and(contains("lacuna ecc")));
}

#[cfg(target_os = "linux")]
#[test]
fn memory_that_is_refused_is_an_error() {
    let scratch = Scratch::new();
    let image = scratch.path("zeros.raw");
    fs::File::create(&image).unwrap().set_len(400 * 400 * 400).unwrap();
    for arguments in ["cubical", "cubical --via matrix", "cubical --construction v", "convert"] {
        let program = env!("CARGO_BIN_EXE_lacuna");
        let out = if arguments == "convert" { scratch.name("out.bin") } else { String::new() };
        let command = format!(
            "ulimit -v 300000; exec {program} {arguments} --threads 2 --shape 400,400,400 --dtype u8 {} {out}",
            image.display()
        );
        let mut run = Command::new("sh");
        run.args(["-c", &command]);
        // Either while the image is read or later, as large as the program itself may be.
        let reading = contains("bytes of memory for voxels, found that the system refuses them");
        let said = contains("memory: ").or(reading).and(contains("panicked").not());
        run.assert().code(1).stdout(is_empty()).stderr(said);
    }
}

/// Of an image with NaN around it, the value that is given takes its place, in every command on images.
#[test]
fn a_value_takes_the_place_of_nan() {
    let scratch = Scratch::new();
    let n = f32::NAN;
    let voxels = [n, n, n, n, 1.0, n, n, 2.0, n];
    let image = scratch.file("image.raw", voxels.map(f32::to_le_bytes).concat());
    let raw = ["-q", "--shape", "3,3", "--dtype", "f32"];
    for command in ["cubical", "ecc"] {
        let run = lacuna(command, raw).arg(&image).assert().code(2);
        run.stderr(contains("voxel (0, 0): expected a number, found NaN; --nan X replaces such voxels"));
        let given = |nan: &str| lacuna(command, raw).args(["--nan", nan]).arg(&image).output().unwrap();
        for (nan, same) in [("lowest", "-inf"), ("highest", "inf")] {
            assert!(given(nan).status.success(), "{command} {nan}");
            assert_eq!(given(nan).stdout, given(same).stdout);
        }
        assert_ne!(given("lowest").stdout, given("highest").stdout);
        assert_eq!(given("none").status.code(), Some(2));
    }
    let bars =
        lacuna("cubical", raw).args(["--nan", "7.5", "--output", "csv"]).arg(&image).assert().success();
    bars.stdout("dim,birth,death\n0,1.0,inf\n");
    let skeleton = scratch.path("skeleton.npy");
    lacuna("thin", raw).args(["--nan", "0", "-o"]).args([&skeleton, &image]).assert().success();
    let plain = scratch.path("plain.npy");
    lacuna("convert", &raw[1..]).args(["--nan", "-3"]).args([&image, &plain]).assert().success();
    let read = lacuna::cubical::read::read(&plain, &lacuna::cubical::read::ImageOptions::default()).unwrap();
    assert_eq!((read.value(0), read.value(4)), (-3.0, 1.0));
}
