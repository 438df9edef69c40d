//! `lacuna convert`: boundary matrices of images, which `lacuna reduce` reduces to the bars of `lacuna cubical`; other
//! formats.

use std::fs;

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

use super::{SQUARE, Scratch, data, lacuna, npy, read, stdout_of, text_of, triangle_words, words};

fn convert<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    lacuna("convert", arguments)
}

/// A line of three voxels as a NumPy array.
fn line(voxels: [i8; 3]) -> Vec<u8> {
    npy("|i1", false, "(3,)", &voxels.map(i8::cast_unsigned))
}

#[test]
fn cells_come_by_owner_then_dimension() {
    let scratch = Scratch::new();
    let image = scratch.file("line.npy", line([2, 0, 1]));
    let text = |arguments: &[&str]| {
        let mut command = convert(["--format", "npy", "--output", "phat-ascii"]);
        let run = command.args(arguments).arg(&image).arg("-").assert().success().stderr(is_empty());
        String::from_utf8(run.get_output().stdout.clone()).unwrap()
    };
    // The middle with its ends, then the right voxel with its right end, then the left voxel with its left end.
    assert_eq!(text(&[]), "0\n0\n1 0 1\n0\n1 1 3\n0\n1 0 5\n");
    assert_eq!(text(&["--construction", "v"]), "0\n0\n1 0 1\n0\n1 0 3\n");
    assert_eq!(text(&["--construction", "v", "--superlevel"]), "0\n0\n0\n1 0 2\n1 1 2\n");
    assert_eq!(text(&["--upper-dim", "0"]), "0\n0\n0\n0\n");
    // Closed up, the left end is the right end too.
    assert_eq!(text(&["--periodic", "x"]), "0\n0\n1 0 1\n0\n1 1 3\n1 0 3\n");
}

#[test]
fn the_name_tells_the_format() {
    let scratch = Scratch::new();
    let image = scratch.file("line.npy", line([0, 5, 0]));
    let write = |name: &str| {
        let out = scratch.path(name);
        convert(["--construction", "v"]).args([&image, &out]).assert().success().stdout(is_empty());
        fs::read(out).unwrap()
    };
    assert_eq!(write("line.dat"), b"0\n0\n0\n1 0 2\n1 1 2\n");
    let binary = words(&[5, 0, 0, 0, 0, 0, 0, 1, 2, 0, 2, 1, 2, 1, 2]);
    assert_eq!(write("line.bin"), binary);
    assert_eq!(write("line"), binary);
    let complex = write("line.complex");
    let complex = phat_formats::dipha::read_boundary_matrix::<u32>(&complex).unwrap();
    assert_eq!((complex.values, complex.max_dim), (vec![0.0, 0.0, 5.0, 5.0, 5.0], 1));
}

const IMAGES: [&str; 6] = ["signal", "waves", "levels", "shell", "noise", "ties"];

/// The diagram equals DIPHA's diagram of the image byte for byte.
#[test]
fn a_complex_reduces_to_the_diagram_of_the_image() {
    let scratch = Scratch::new();
    for image in IMAGES.map(|image| data(&format!("cubical/{image}.npy"))) {
        for options in [&["--construction", "t"][..], &["--construction", "v"], &["--superlevel"]] {
            let complex = scratch.path("image.complex");
            convert(options).args([&image, &complex]).assert().success();
            let reduced = lacuna("reduce", ["-q", "--check", "--output", "dipha"]).arg(&complex).assert();
            let bars = lacuna("cubical", options).args(["--output", "dipha"]).arg(&image).assert().success();
            let reduced = reduced.success();
            assert!(
                reduced.get_output().stdout == bars.get_output().stdout,
                "{} {options:?}",
                image.display()
            );
        }
    }
}

/// Classes that are born or die at infinite values appear as `lacuna cubical` writes them.
#[test]
fn infinite_voxels_reduce_to_the_bars_of_the_image() {
    let scratch = Scratch::new();
    let inf = f64::INFINITY;
    let images: [&[f64]; 5] = [&[inf], &[-inf], &[inf, inf], &[0.0, inf, 1.0], &[-inf, inf, -inf]];
    for voxels in images {
        let image = scratch.path("image.dipha");
        let sizes = [8067171840, 1, voxels.len() as i64, 1, voxels.len() as i64];
        let values: Vec<u8> = voxels.iter().flat_map(|value| value.to_le_bytes()).collect();
        fs::write(&image, [words(&sizes), values].concat()).unwrap();
        for superlevel in [false, true] {
            let options: &[&str] = if superlevel { &["--superlevel"] } else { &[] };
            let complex = scratch.path("image.complex");
            convert(options).args([&image, &complex]).assert().success();
            let bars_of = |command: &str, options: &[&str], format: &str, file: &std::path::Path| {
                let run =
                    lacuna(command, ["-q", "--output", format]).args(options).arg(file).assert().success();
                run.get_output().stdout.clone()
            };
            for format in ["dipha", "csv", "json"] {
                // The complex has the negated values of superlevel sets, which is consistent only with DIPHA's diagram
                // of the image.
                if superlevel && format != "dipha" {
                    continue;
                }
                let reduced = bars_of("reduce", &[], format, &complex);
                let expected = bars_of("cubical", options, format, &image);
                if format == "json" {
                    let [reduced, expected] = [&reduced, &expected].map(|text| -> serde_json::Value {
                        serde_json::from_slice::<serde_json::Value>(text).unwrap()["bars"].clone()
                    });
                    assert_eq!(reduced, expected, "{voxels:?}");
                } else {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(".0", "");
                    assert_eq!(text(&reduced), text(&expected), "{voxels:?} {superlevel} {format}");
                }
            }
            if superlevel {
                let reduced = bars_of("reduce", &[], "csv", &complex);
                let expected = bars_of("cubical", options, "csv", &image);
                let bars = |text: &[u8]| text.iter().filter(|&&byte| byte == b'\n').count();
                assert_eq!(bars(&reduced), bars(&expected), "{voxels:?}");
            }
        }
    }
}

#[test]
fn every_format_reduces_to_the_same_pairs() {
    let scratch = Scratch::new();
    for image in IMAGES.map(|image| data(&format!("cubical/{image}.npy"))) {
        let [text, binary] = ["image.dat", "image.bin"].map(|name| {
            let matrix = scratch.path(name);
            convert(["--threads", "2"]).args([&image, &matrix]).assert().success();
            stdout_of(lacuna("reduce", ["-q", "--output", "phat-ascii"]).arg(&matrix))
        });
        assert!(text == binary && text.len() > 10, "{}", image.display());
    }
}

#[test]
fn verbose_tells_cells_and_stages() {
    let scratch = Scratch::new();
    let image = data("cubical/shell.npy");
    let out = scratch.path("m");
    let arguments = ["-v".as_ref(), image.as_os_str(), out.as_os_str()];
    let assert = convert(arguments).assert().success().stdout(is_empty());
    let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(text.contains("shell.npy: 7x6x5 image of u16, 2145 cells, "), "{text}");
    for stage in ["read ", "build ", "write ", "total "] {
        assert!(text.lines().any(|line| line.starts_with(stage)), "no {stage} in\n{text}");
    }
}

/// An axis of one voxel adds no cells.
#[test]
fn axes_of_one_voxel_make_no_difference() {
    let scratch = Scratch::new();
    let file = |shape: &str| {
        scratch.file("image.npy", npy("|u1", false, &format!("({shape})"), &[3, 1, 4, 1, 5, 9]))
    };
    let text = |shape: &str| stdout_of(convert(["--output", "phat-ascii"]).args([&file(shape)]).arg("-"));
    let expected = text("2, 3");
    for shape in ["2, 3, 1", "2, 1, 3", "1, 2, 3", "1, 2, 1, 3"] {
        assert!(text(shape) == expected, "{shape}");
    }
    let columns = |shape: &str| text_of(lacuna("cubical", ["-q", "--output", "cripser"]).arg(file(shape)));
    assert_eq!(columns("2, 1, 3"), "0,1,1.7976931348623157e+308,0,0,1,-1,-1,-1\n");
    assert_eq!(columns("1, 2, 1, 3"), columns("2, 3"));
}

#[test]
fn one_axis_is_a_line() {
    let scratch = Scratch::new();
    let image = scratch.file("line.npy", line([2, 0, 1]));
    let run = convert(["-v".as_ref(), image.as_os_str(), scratch.path("m").as_os_str()]).assert().success();
    run.stderr(contains("line.npy: line of 3 voxels of i8, 7 cells, 6 entries\n"));
}

/// A refusal of memory by the system is an error with the requested amount.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_is_refused() {
    let scratch = Scratch::new();
    let image = scratch.file("huge.raw", "");
    fs::OpenOptions::new().write(true).open(&image).unwrap().set_len(1 << 33).unwrap();
    let program = env!("CARGO_BIN_EXE_lacuna");
    let script = format!(
        "ulimit -v 4000000; {program} convert --threads 1 --shape 8192,1024,1024 --dtype u8 {} {}",
        image.display(),
        scratch.name("m")
    );
    let run = Command::new("sh").args(["-c", &script]).assert().code(1);
    run.stderr(contains("huge.raw: out of memory: the system refused 8.6 GB"));
}

#[test]
fn what_cannot_be_done() {
    let scratch = Scratch::new();
    let shell = data("cubical/shell.npy");
    let nowhere = scratch.path("missing/m.bin");
    convert([&shell, &nowhere]).assert().code(2).stderr(contains("expected a path that can be written"));
    let out = scratch.file("m.bin", "precious");
    let words = scratch.file("words.txt", "hello\n");
    convert([&words, &out]).assert().code(2).stderr(contains("words.txt: "));
    assert_eq!(read(&out), "precious");
    convert(["--output", "csv"]).args([&shell, &out]).assert().code(2).stderr(contains("--output"));
    convert([&shell]).assert().code(2).stderr(contains("<OUT>"));
    let text = stdout_of(convert(["--help"]));
    let text = String::from_utf8(text).unwrap();
    for option in
        ["<INPUT>", "<OUT>", "--construction", "--superlevel", "--upper-dim", "phat-binary", "Exit codes:"]
    {
        assert!(text.contains(option), "no {option} in\n{text}");
    }
}

/// Converts a file with these options to one of the given name.
fn to(scratch: &Scratch, options: &[&str], input: &std::path::Path, name: &str) -> std::path::PathBuf {
    let out = scratch.path(name);
    convert(["-q"])
        .args(options)
        .args([input, &out])
        .assert()
        .success()
        .stdout(is_empty())
        .stderr(is_empty());
    out
}

/// Standard output of a command for a file.
fn answer(command: &str, options: &[&str], file: &std::path::Path) -> Vec<u8> {
    stdout_of(lacuna(command, options).arg("-q").arg(file))
}

#[test]
fn every_matrix_format_to_every_other() {
    let scratch = Scratch::new();
    let formats = ["dat", "bin", "complex", "npz", "mtx"];
    let first = data("torus_surface.bin");
    let pairs = answer("reduce", &["--output", "phat-ascii"], &first);
    let text = fs::read(to(&scratch, &[], &first, "plain.dat")).unwrap();
    for from in formats {
        let one = to(&scratch, &[], &first, &format!("one.{from}"));
        assert!(answer("reduce", &["--output", "phat-ascii"], &one) == pairs, "{from}");
        for into in formats {
            let other = to(&scratch, &["--from", "matrix"], &one, &format!("other.{into}"));
            let back = to(&scratch, &["--from", "matrix"], &other, "back.dat");
            assert!(fs::read(back).unwrap() == text, "{from} {into}");
        }
    }
    // Values survive if the format can hold them; otherwise their loss is reported.
    let values = data("octahedron_height.complex");
    let same = to(&scratch, &[], &values, "same.complex");
    assert!(fs::read(same).unwrap() == fs::read(&values).unwrap());
    let out = scratch.path("lost.npz");
    convert([&values, &out]).assert().success().stderr(contains("the values of the cells are left out"));
    let out = scratch.path("made.complex");
    convert([&first, &out]).assert().success().stderr(contains("get their indices in the filtration"));
}

#[test]
fn every_image_format_to_every_other() {
    let scratch = Scratch::new();
    let formats = ["npy", "tif", "nii", "nii.gz", "perseus", "png", "dipha"];
    let bars = |file: &std::path::Path| answer("cubical", &["--output", "csv"], file);
    // Bars of one dimension come in the memory order of the voxels, which depends on the format.
    let values = |text: Vec<u8>| {
        let text = String::from_utf8(text).unwrap().replace(".0", "");
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    for (image, planar) in [("images/plane.npy", true), ("images/volume.npy", false)] {
        let first = data(image);
        let expected = values(bars(&first));
        assert!(expected.len() > 2);
        let is_held = |format: &str| format != "png" || planar;
        for from in formats.into_iter().filter(|format| is_held(format)) {
            let one = to(&scratch, &["--to", "image"], &first, &format!("one.{from}"));
            assert_eq!(values(bars(&one)), expected, "{from}");
            // Doubles from an intermediate file cannot be written as PNG.
            let doubles = ["dipha", "perseus"].contains(&from);
            for into in formats.into_iter().filter(|&format| is_held(format) && !(doubles && format == "png"))
            {
                let other =
                    to(&scratch, &["--from", "image", "--to", "image"], &one, &format!("other.{into}"));
                assert_eq!(values(bars(&other)), expected, "{from} {into}");
            }
        }
    }
    // A raw file is read with the options that its conversion printed.
    let out = scratch.path("volume.raw");
    let run = convert([&data("images/volume.npy"), &out]).assert().success();
    let text = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    let options = text.lines().find_map(|line| line.strip_prefix("to read it: ")).expect("options");
    let options: Vec<&str> = options.split(' ').collect();
    let back = scratch.path("back.npy");
    convert(["-q"]).args(options).args([&out, &back]).assert().success();
    assert_eq!(fs::read(back).unwrap(), fs::read(data("images/volume.npy")).unwrap());
}

#[test]
fn every_format_of_distances_to_every_other() {
    let scratch = Scratch::new();
    let formats = ["lower", "condensed", "dist", "sparse", "bin", "dipha", "npy", "mtx"];
    let bars = |file: &std::path::Path| {
        stdout_of(lacuna("rips", ["-q", "--output", "csv", "--max-dim", "2"]).arg(file))
    };
    // Distances with ties, and points, whose distances are single precision in all formats.
    for input in ["klein_bottle.lower", "torus.pts"] {
        let first = to(&scratch, &["--to", "distances"], &data(input), "first.lower");
        let expected = bars(&first);
        for from in formats {
            let one = to(&scratch, &[], &first, &format!("one.{from}"));
            assert!(bars(&one) == expected, "{input} {from}");
            for into in formats {
                let other = to(&scratch, &["--from", "distances"], &one, &format!("other.{into}"));
                let back = to(&scratch, &["--from", "distances"], &other, "back.lower");
                assert!(read(&back) == read(&first), "{input} {from} {into}");
            }
        }
    }
    for format in ["pts", "npy", "mtx"] {
        let one = to(&scratch, &["--from", "distances"], &data("torus.pts"), &format!("points.{format}"));
        let back = to(&scratch, &["--from", "distances"], &one, "back.pts");
        assert_eq!(answer("rips", &[], &back), answer("rips", &[], &data("torus.pts")), "{format}");
    }
}

#[test]
fn near_pairs_alone() {
    let scratch = Scratch::new();
    let near = to(&scratch, &["--threshold", "1.25"], &scratch.file("square.dist", SQUARE), "near.sparse");
    assert_eq!(read(&near), "1 0 1.0\n2 1 1.25\n3 2 1.0\n");
}

#[test]
fn graphs_become_the_lengths_of_their_shortest_paths() {
    let scratch = Scratch::new();
    let graph = scratch.file("graph.edges", "0 1 1\n1 2 2\n0 2 5\n3 4 1\n");
    let run =
        convert(["--shortest-paths", "--output", "lower-distance"]).arg(&graph).arg("-").assert().success();
    let run = run.stdout("1.0\n3.0 2.0\ninf inf inf\ninf inf inf 1.0\n");
    run.stderr(contains("graph.edges: distances are the lengths of shortest paths"));
    for (options, name) in
        [(&["--format", "point-cloud"][..], "points"), (&["--format", "distance"], "matrix")]
    {
        let table = scratch.file(name, "0 1\n1 0\n");
        let out = scratch.path("paths.lower");
        let run = convert(["--shortest-paths"]).args(options).args([&table, &out]).assert().code(2);
        run.stderr(contains("expected a graph, as a list of edges or a sparse matrix"));
    }
    let image = scratch.file("line.npy", line([2, 0, 1]));
    let run = convert(["--shortest-paths"]).args([&image, &scratch.path("line.bin")]).assert().code(2);
    run.stderr(contains("--shortest-paths").and(contains("distances")));
}

#[test]
fn every_format_of_diagrams_to_every_other() {
    let scratch = Scratch::new();
    let same = |a: &std::path::Path, b: &std::path::Path| {
        lacuna("compare", ["-q"]).args([a, b]).assert().success();
    };
    let first = data("expected/levels_t.csv");
    let formats = ["txt", "csv", "json", "npy", "npz", "diagram"];
    for from in formats {
        let one = to(&scratch, &[], &first, &format!("one.{from}"));
        same(&first, &one);
        for into in formats {
            let other = to(&scratch, &["--from", "diagram"], &one, &format!("other.{into}"));
            same(&first, &other);
        }
    }
    let first = data("expected/triangle_pairs.dat");
    let formats = ["dat", "bin", "json", "npz"];
    for from in formats {
        let one = to(&scratch, &["--from", "diagram"], &first, &format!("pairs.{from}"));
        for into in formats {
            let other = to(&scratch, &["--from", "diagram"], &one, &format!("other_pairs.{into}"));
            let back = to(&scratch, &["--from", "diagram"], &other, "back.dat");
            assert_eq!(read(&back), read(&first), "{from} {into}");
        }
    }
}

#[test]
fn what_a_format_has_no_room_for() {
    let scratch = Scratch::new();
    let tenth = scratch.file("tenth.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n0\n0.1\n0\n");
    let out = scratch.path("tenth.bin");
    convert([&tenth, &out]).assert().code(2).stderr(contains("--round takes the nearest"));
    convert(["--round"]).args([&tenth, &out]).assert().success();
    assert_eq!(fs::read(&out).unwrap(), 0.1_f32.to_le_bytes());
    convert([&tenth, &scratch.path("tenth.dist")]).assert().success().stderr(contains("in single precision"));
    assert_eq!(read(&scratch.path("tenth.dist")), "0.0 0.1\n0.1 0.0\n");

    let large = scratch.file("large.raw", [u64::MAX - 1, 7].map(u64::to_le_bytes).concat());
    let raw = ["--shape", "2", "--dtype", "u64"];
    let out = scratch.path("large.perseus");
    convert(raw).args([&large, &out]).assert().code(2).stderr(contains("--round takes the nearest double"));
    convert(raw).arg("--round").args([&large, &out]).assert().success();
    assert_eq!(
        read(&out),
        "1\n2\n18446744073709551615\n7\n".replace("18446744073709551615", "1.8446744073709552e+19")
    );
    let float = data("images/volume.npy");
    convert([&float, &scratch.path("v.png")]).assert().code(2).stderr(contains("format png: expected"));

    let graph = scratch.file("graph.sparse", "0 1 2\n");
    let pairs = scratch.path("graph.pts");
    convert([&graph, &pairs]).assert().code(2).stderr(contains("expected points, found distances"));
    let bars = data("expected/rings.csv");
    convert(["--output", "phat-binary"])
        .args([&bars, &scratch.path("rings")])
        .assert()
        .code(2)
        .stderr(contains("expected pairs of cells, found bars with values"));
}

#[test]
fn what_the_input_is_may_have_to_be_said() {
    let scratch = Scratch::new();
    let sparse = data("triangle.mtx");
    let out = scratch.path("b.mtx");
    let run = convert([&sparse, &out]).assert().code(2);
    run.stderr(contains(
        "expected a file of one kind, found matrix or distances possible; choose with --from",
    ));
    convert(["--from", "matrix"]).args([&sparse, &out]).assert().success();
    let out = scratch.path("b.bin");
    convert([&scratch.file("a.bin", triangle_words()), &out]).assert().success();
    assert_eq!(fs::read(&out).unwrap(), triangle_words());
    convert([&data("torus.pts"), &out]).assert().success();
    convert([&data("torus.pts"), &scratch.path("c.xyz1")])
        .assert()
        .code(2)
        .stderr(contains("c.xyz1: expected a name that ends in .lower"));
    convert([&data("torus.pts"), &scratch.path("c")])
        .assert()
        .code(2)
        .stderr(contains("expected --output, or a name"));
    convert(["--to", "image"])
        .args([&data("torus.pts"), &out])
        .assert()
        .code(2)
        .stderr(contains("--to image"));
    convert(["--superlevel"])
        .args([&data("torus.pts"), &out])
        .assert()
        .code(2)
        .stderr(contains("--superlevel"));
    convert(["--threshold", "1"]).args([&sparse, &out]).assert().code(2);
}

#[test]
fn options_of_matrices_and_archives_are_refused_elsewhere() {
    let scratch = Scratch::new();
    let image = scratch.file("image.txt", "2\n2\n2\n1\n2\n3\n4\n");
    let bars = scratch.file("bars.csv", "dim,birth,death\n1,0,1\n");
    for option in [&["--superlevel"][..], &["--max-dim", "1"], &["--construction", "t"], &["--periodic", "x"]]
    {
        let mut convert = lacuna("convert", ["-q", "--from", "image", "--to", "image"]);
        let run = convert.args(option).arg(&image).arg(scratch.path("out.npy")).assert();
        run.code(2).stderr(contains("applies only to --to matrix, not to --to image"));
    }
    let run = lacuna("convert", ["-q", "--key", "a"]).arg(&bars).arg(scratch.path("out.json")).assert();
    run.code(2).stderr(contains("--key applies only to an image or distances, not to diagram"));
    for (options, expected) in [
        (&["--construction", "v"][..], "--construction applies only to an image, not to diagram"),
        (&["--order", "f"], "--order applies only to an image, not to diagram"),
        (&["--channel", "0"], "--channel or --frame applies only to an image, not to diagram"),
        (&["--decimal", "comma"], "--symmetrize applies only to distances, not to diagram"),
        (&["--round"], "--round applies only to an image or distances, not to diagram"),
    ] {
        let mut convert = lacuna("convert", ["-q", "--from", "diagram"]);
        let run = convert.args(options).arg(&bars).arg(scratch.path("out.json")).assert();
        run.code(2).stderr(contains(expected));
    }
    let mut convert = lacuna("convert", ["-q", "--from", "image", "--to", "matrix", "--round"]);
    let run = convert.arg(&image).arg(scratch.path("out.bin")).assert();
    run.code(2).stderr(contains("--round applies only to --to image, not to --to matrix"));
}

#[test]
fn what_helps_with_integers_that_are_no_doubles_is_what_an_image_has() {
    let scratch = Scratch::new();
    let voxels = words(&[(1 << 60) + 1, 3]);
    let image = scratch.file("far.npy", npy("<u8", false, "(2,)", &voxels));
    for out in ["far.perseus", "far.dipha"] {
        let run = convert(["--to", "image"]).args([&image, &scratch.path(out)]).assert().code(2);
        run.stderr(contains("--round").and(contains("1152921504606846977")).and(contains("csv").not()));
    }
    let mut curve = lacuna("ecc", [image.as_os_str(), "-o".as_ref(), scratch.path("c.npy").as_os_str()]);
    curve.assert().code(2).stderr(contains("csv and json hold all of its digits"));
}
