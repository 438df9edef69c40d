//! `lacuna cubical`: bars in every format, messages, files.

mod axes_and_masks;

use std::fs;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::{Scratch, data, lacuna, read, tells_seconds, text_of, wide};

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

/// The bars of every example satisfy Euler's and Poincaré's formula.
#[test]
fn bars_are_verified_by_the_curve() {
    for (file, arguments, expected) in cases() {
        let run = cubical(&arguments).arg("--verify").arg(data(&file)).assert();
        if arguments.iter().any(|argument| argument == "--max-dim") {
            continue;
        }
        assert!(run.success().get_output().stdout == expected, "{file} {arguments:?}");
    }
    let run = cubical(["--verify", "--max-dim", "1"]).arg(data("cubical/shell.npy")).assert().code(2);
    run.stdout(is_empty()).stderr(
        contains("--verify: ")
            .and(contains("expected the bars of dimensions 0 to 2, found those up to 1 only")),
    );
}

/// Volumes in more than one file, and a directory that is one image.
#[test]
fn volumes_as_people_hold_them() {
    let scratch = Scratch::new();
    let shell = data("cubical/shell.npy");
    let expected = cubical([&shell]).output().unwrap().stdout;
    let raw = scratch.name("shell.raw");
    lacuna("convert", [shell.to_str().unwrap(), &raw]).assert().success();
    let voxels = fs::read(&raw).unwrap();
    // The array is 7 × 6 × 5 in C order, and in these headers the first axis is the fastest.
    let nhdr = "NRRD0004\ntype: ushort\ndimension: 3\nsizes: 5 6 7\nendian: little\nencoding: raw\ndata file: shell.raw\n";
    let zarray = "{\"zarr_format\": 2, \"shape\": [7, 6, 5], \"chunks\": [7, 6, 5], \"dtype\": \"<u2\", \"compressor\": null, \
                  \"fill_value\": 0, \"filters\": null, \"order\": \"C\"}";
    scratch.file("shell.nhdr", nhdr);
    fs::create_dir(scratch.path("shell.zarr")).unwrap();
    fs::write(scratch.path("shell.zarr/.zarray"), zarray).unwrap();
    fs::write(scratch.path("shell.zarr/0.0.0"), &voxels).unwrap();
    let bars = |output: &[u8]| {
        String::from_utf8_lossy(output).lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    for name in ["shell.nhdr", "shell.zarr"] {
        let run = cubical([scratch.path(name)]).assert().success();
        assert_eq!(bars(&run.get_output().stdout), bars(&expected), "{name}");
        let curve = lacuna("ecc", [scratch.path(name)]).assert().success();
        assert_eq!(curve.get_output().stdout, lacuna("ecc", [&shell]).output().unwrap().stdout, "{name}");
    }
    let run = lacuna("convert", [scratch.name("shell.zarr"), scratch.name("back.npy")]).assert().success();
    run.stderr(contains("shell.zarr: zarr (a directory with metadata of Zarr)"));
    assert_eq!(fs::read(scratch.path("back.npy")).unwrap(), fs::read(&shell).unwrap());
    // A directory of Zarr is one input, and one of a batch.
    cubical(["--checkpoint"]).arg(scratch.path("state")).arg(scratch.path("shell.zarr")).assert().code(2);
    // Of an image in two files, the second could change before a run resumes; and no answer may replace it.
    for command in ["cubical", "ecc"] {
        let run = lacuna(command, ["--checkpoint", &scratch.name("kept"), &scratch.name("shell.nhdr")]);
        let expected = "--checkpoint: expected an image in one file, found that it is also in ";
        { run }.assert().code(2).stderr(contains(expected));
    }
    let run = lacuna("thin", ["--output", "raw", "-o", &raw, &scratch.name("shell.nhdr")]).assert().code(2);
    run.stderr(contains("expected an output that is not the input, found the file "));
    assert_eq!(fs::read(&raw).unwrap(), voxels);
}

/// Lines that locate the voxels go from NRRD to NRRD and from MetaImage to MetaImage.
#[test]
fn skeletons_lie_where_their_images_do() {
    let scratch = Scratch::new();
    let voxels = [[0_u8; 9], [0, 1, 1, 1, 1, 1, 1, 1, 0], [0, 1, 1, 1, 1, 1, 1, 1, 0], [0; 9]].concat();
    let nrrd = "NRRD0004\n# a box\ntype: uint8\ndimension: 2\nsizes: 9 4\nspace dimension: 2\nspace directions: (0.5,0) (0,2)\n\
                space origin: (1,-3)\nkey:=value\nencoding: raw\n\n";
    let mha = "ObjectType = Image\nNDims = 2\nDimSize = 9 4\nElementSpacing = 0.5 2\nOffset = 1 -3\nElementType = MET_UCHAR\n\
               ElementDataFile = LOCAL\n";
    scratch.file("box.nrrd", [nrrd.as_bytes(), &voxels].concat());
    scratch.file("box.mha", [mha.as_bytes(), &voxels].concat());
    lacuna("thin", ["-o", &scratch.name("thin.nrrd"), &scratch.name("box.nrrd")]).assert().success();
    lacuna("thin", ["-o", &scratch.name("thin.mha"), &scratch.name("box.mha")]).assert().success();
    let [nrrd, mha] = ["thin.nrrd", "thin.mha"].map(|name| fs::read(scratch.path(name)).unwrap());
    let header = "NRRD0004\ntype: uint8\ndimension: 2\nspace dimension: 2\nspace directions: (0.5,0) (0,2)\n\
                  space origin: (1,-3)\nsizes: 9 4\nendian: little\nencoding: raw\n\n";
    assert_eq!(String::from_utf8_lossy(&nrrd[..header.len()]), header);
    let header = "ObjectType = Image\nNDims = 2\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = False\n\
                  ElementSpacing = 0.5 2\nOffset = 1 -3\nDimSize = 9 4\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n";
    assert_eq!(String::from_utf8_lossy(&mha[..header.len()]), header);
    assert_eq!(nrrd[nrrd.len() - 36..], mha[mha.len() - 36..]);
    assert!(nrrd[nrrd.len() - 36..].contains(&255));
}

#[test]
fn a_diagram_is_diphas_by_its_name() {
    let scratch = Scratch::new();
    let diagram = scratch.name("shell.diagram");
    cubical(["-o", &diagram]).arg(data("cubical/shell.npy")).assert().success().stdout(is_empty());
    assert_eq!(fs::read(&diagram).unwrap(), fs::read(data("expected/shell.diagram")).unwrap());
    assert_eq!(scratch.names(), ["shell.diagram"]);
}

/// All formats of the same bars compare as equal by `lacuna compare`.
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
        tells_seconds(&text, &["read", "persistence", "write", "total"]);
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
    // The cavity is filled only at 9.
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

/// Makes a NumPy file of bytes in C or Fortran order.
fn npy(axes: [usize; 2], is_fortran: bool, voxel: impl Fn(usize, usize) -> u8) -> Vec<u8> {
    let [rows, columns] = axes;
    let at = |place: usize| match is_fortran {
        true => voxel(place % rows, place / rows),
        false => voxel(place / columns, place % columns),
    };
    let voxels: Vec<u8> = (0..rows * columns).map(at).collect();
    super::npy("|u1", is_fortran, &format!("({rows}, {columns})"), &voxels)
}

/// A plane of few distinct values, so that many bars are equal.
fn plane(is_fortran: bool) -> Vec<u8> {
    npy([9, 14], is_fortran, |row, column| ((row * row * 7 + column * 5 + row * column) % 11 / 3) as u8)
}

#[test]
fn the_order_in_memory_changes_no_byte_of_the_answer() {
    let scratch = Scratch::new();
    let [c, f] = [false, true].map(|order| scratch.file(&format!("{order}.npy"), plane(order)));
    for arguments in [
        "--output cripser",
        "--output cripser --via matrix",
        "--output cripser --construction v --superlevel",
        "--output json --representatives cycles",
        "--output json --representatives cycles --construction v --only 1:0,0:3",
        "--output json --representatives cycles --longest 2",
    ] {
        let answer = |image: &std::path::Path| text_of(cubical(arguments.split(' ')).arg(image));
        assert_eq!(answer(&f), answer(&c), "{arguments}");
    }
}

#[test]
fn the_longest_bars_of_a_plane_without_loops_are_of_dimension_0() {
    let scratch = Scratch::new();
    let slope = scratch.file("slope.npy", npy([3, 4], false, |row, column| (row + column) as u8));
    let arguments = ["--representatives", "cycles", "--longest", "1", "--output", "json", "-q"];
    let run = cubical(arguments).arg(&slope).assert().success().stderr(is_empty());
    let answer: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    let found = answer["representatives"].as_array().unwrap();
    assert_eq!((found.len(), &found[0]["dim"], &found[0]["index"]), (1, &0.into(), &0.into()));
}

#[test]
fn several_images_have_their_bars_in_a_directory() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("scans")).unwrap();
    for (name, content) in [("a", plane(false)), ("b", b"\x93NUMPY".to_vec()), ("c", plane(true))] {
        scratch.file(&format!("scans/{name}.npy"), content);
    }
    let (scans, bars, stats) = (scratch.name("scans"), scratch.name("bars"), scratch.name("stats.json"));
    let shell = data("cubical/shell.npy").to_str().unwrap().to_owned();
    let arguments = ["--output", "csv", "-o", &bars, "--stats", &stats, "--threads", "2", &scans, &shell];
    let run = cubical(arguments).assert().code(2).stdout(is_empty());
    let told = "a.npy: npy (begins with NumPy's magic bytes), and others like it";
    let failed = contains("b.npy: ").and(contains("error: 1 of 4 inputs have no result"));
    run.stderr(contains(told).count(1).and(contains("and others").count(1)).and(failed));
    let [a, c] = ["a", "c"].map(|name| read(&scratch.path("bars").join(format!("{name}.npy.csv"))));
    assert_eq!(
        (a, read(&scratch.path("bars/shell.npy.csv"))),
        (c, "dim,birth,death\n0,1,inf\n2,1,9\n".into())
    );
    assert_eq!(fs::read_dir(&bars).unwrap().count(), 3);
    let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
    assert_eq!((&stats["failed"], stats["images"].as_array().unwrap().len()), (&1.into(), 3));
    assert_eq!(stats["images"][2]["shape"], serde_json::json!([7, 6, 5]));
    cubical([&scans]).assert().code(2).stderr(contains("expected a directory for the results"));
    let drawn = ["--geometry", &scratch.name("loops.vtk"), "-o", &bars, &scans];
    cubical(drawn).assert().code(2).stderr(contains("--geometry"));
}

/// Makes a NIfTI file of bytes with these axes.
fn nifti(axes: [i16; 4], voxels: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 352];
    file[..4].copy_from_slice(&348_i32.to_le_bytes());
    for (place, number) in
        [(40, 4), (42, axes[0]), (44, axes[1]), (46, axes[2]), (48, axes[3]), (70, 2), (72, 8)]
    {
        file[place..place + 2].copy_from_slice(&number.to_le_bytes());
    }
    file[108..112].copy_from_slice(&352_f32.to_le_bytes());
    file[344..348].copy_from_slice(b"n+1\0");
    [&file, voxels].concat()
}

#[test]
fn each_frame_of_an_image_of_four_axes_has_its_bars() {
    let scratch = Scratch::new();
    let voxels: Vec<u8> = (0..5 * 4 * 3 * 2_u8)
        .map(|at| (u16::from(at) * 7 + u16::from(at) / 9) % 23)
        .map(|voxel| voxel as u8)
        .collect();
    let image = scratch.file("scan.nii", nifti([5, 4, 3, 2], &voxels)).to_str().unwrap().to_owned();
    let (bars, stats) = (scratch.name("bars"), scratch.name("stats.json"));
    cubical([&image])
        .assert()
        .code(2)
        .stderr(contains("expected a directory for the results of several inputs"));
    cubical(["--output", "json", "-o", &bars, "--stats", &stats, &image]).assert().success();
    for frame in ["0", "1"] {
        let alone = cubical(["--output", "json", "--frame", frame, &image]).assert().success();
        let found = fs::read(scratch.path("bars").join(format!("scan.nii.{frame}.json"))).unwrap();
        assert!(!found.is_empty() && found == alone.get_output().stdout, "{frame}");
    }
    assert_eq!(fs::read_dir(&bars).unwrap().count(), 2);
    let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
    assert_eq!(stats["images"][1]["file"], format!("{image}[1]"));
}

#[test]
fn a_batch_that_goes_on_leaves_out_what_has_been_answered() {
    let scratch = Scratch::new();
    let good = scratch.file("good.npy", plane(false)).to_str().unwrap().to_owned();
    let bad = scratch.file("bad.npy", b"\x93NUMPY").to_str().unwrap().to_owned();
    let (bars, kept) = (scratch.name("bars"), scratch.name("kept"));
    let run = |more: &[&str]| {
        let arguments = ["--checkpoint", &kept, "-o", &bars, &good, &bad];
        cubical(arguments).args(more).assert()
    };
    run(&[]).code(2).stderr(contains("1 of 2 inputs have no result"));
    run(&["--threshold", "2"]).code(2).stderr(contains("--threshold"));
    scratch.file("bad.npy", plane(true));
    run(&[]).success().stderr(contains("1 of 2 inputs already have results"));
    let [good, bad] = ["good", "bad"].map(|name| read(&scratch.path("bars").join(format!("{name}.npy.txt"))));
    assert_eq!(good, bad);
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

/// Standard output of `lacuna cubical` for such a file.
fn bars(image: &str, options: &str) -> String {
    text_of(cubical(options.split_whitespace().chain([image])))
}

/// A ring around a hole: 0 and 2 above the least value of these types, where doubles cannot represent the difference.
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
    // Bars whose ends are exact doubles are written, whatever the other voxels are.
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

/// The file is sparse, takes no disk space, and is not read.
#[test]
fn an_image_that_is_too_large_is_refused_before_it_is_read() {
    let scratch = Scratch::new();
    let image = scratch.path("zeros.raw");
    fs::File::create(&image).unwrap().set_len(1 << 40).unwrap();
    // Reading the file would take longer than this.
    let quick = std::time::Duration::from_secs(60);
    let message = "expected an image that takes fewer than 68719476736 places with a rim around it, found 1099511627776 voxels";
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
    for (arguments, side) in [
        ("cubical", 700_u64),
        ("cubical --via matrix", 400),
        ("cubical --construction v", 700),
        ("convert", 400),
    ] {
        // The keys of an image need not fit, but its voxels do.
        fs::File::create(&image).unwrap().set_len(side.pow(3)).unwrap();
        let program = env!("CARGO_BIN_EXE_lacuna");
        let out = if arguments == "convert" { scratch.name("out.bin") } else { String::new() };
        let command = format!(
            "ulimit -v 300000; exec {program} {arguments} --threads 2 --shape {side},{side},{side} --dtype u8 {} {out}",
            image.display()
        );
        let mut run = Command::new("sh");
        run.args(["-c", &command]);
        // Memory runs out while the image is read or later, depending on the size of the program itself.
        let said = contains("memory: ").and(contains("panicked").not());
        run.assert().code(1).stdout(is_empty()).stderr(said);
    }
}

/// In every command on images, the given value replaces NaN.
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
