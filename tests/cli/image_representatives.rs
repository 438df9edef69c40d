//! `lacuna cubical --representatives`: cycles of the bars of images, in the formats that can hold them, and refusals.

use std::fs;

use lacuna::cubical::persistence::PersistenceRequest;
use lacuna::cubical::{AnyImage, Construction, Cubical};
use lacuna::diagram::BarSelection;
use lacuna::output::geometry::{Geometry, GeometryFormat};
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::{Value, json};

use super::representatives::arrays;
use super::{Scratch, data, json_of, lacuna, stdout_of};

const CYCLES: [&str; 2] = ["--representatives", "cycles"];

/// A raw image of bytes: a ring of ones around a nine, and right of it a column of eights and one of zeros.
fn ring(scratch: &Scratch) -> String {
    let rows = [[1, 1, 1, 8, 0], [1, 9, 1, 8, 0], [1, 1, 1, 8, 0]];
    let file = scratch.name("ring.raw");
    fs::write(&file, rows.concat()).unwrap();
    file
}

/// Standard output of the program for the ring.
fn written(options: &[&str]) -> Vec<u8> {
    let scratch = Scratch::new();
    let image = ring(&scratch);
    stdout_of(lacuna("cubical", ["--shape", "3,5", "--dtype", "u8", &image]).args(options))
}

fn object(options: &[&str]) -> Value {
    let written = written(&[&CYCLES[..], &["--output", "json"], options].concat());
    serde_json::from_slice(&written).unwrap()
}

#[test]
fn json_has_a_list() {
    let found = object(&["--construction", "v"]);
    let bars = json!([
        {"dim": 0, "birth": 0, "death": null}, {"dim": 0, "birth": 1, "death": 8}, {"dim": 1, "birth": 1, "death": 9}]);
    assert_eq!(found["bars"], bars);
    let essential = json!({"dim": 0, "index": 0, "birth": 0, "death": null, "birth_voxel": [0, 4], "death_voxel": null,
        "cycle": [[0, 8]], "voxels": [[0, 4]]});
    let joined = json!({"dim": 0, "index": 1, "birth": 1, "death": 8, "birth_voxel": [0, 0], "death_voxel": [0, 3],
        "cycle": [[0, 0], [0, 8]], "voxels": [[0, 0], [0, 4]]});
    let edges = json!([[0, 1], [1, 0], [0, 3], [1, 4], [3, 0], [3, 4], [4, 1], [4, 3]]);
    let pixels = json!([[0, 0], [0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1], [2, 2]]);
    let of_loop = json!({"dim": 1, "index": 0, "birth": 1, "death": 9, "birth_voxel": [2, 2], "death_voxel": [1, 1],
        "cycle": edges, "voxels": pixels});
    assert_eq!(found["representatives"], json!([essential, joined, of_loop]));
    assert!(object(&[]).get("representatives").is_some());
    let plain: Value = serde_json::from_slice(&written(&["--output", "json"])).unwrap();
    assert_eq!(plain.get("representatives"), None);
}

/// In the T-construction the loop runs between the centre pixel and those around it.
#[test]
fn options_choose_bars() {
    let all = object(&[]);
    let all = all["representatives"].as_array().unwrap();
    assert_eq!(all.len(), 3);
    assert_eq!(all[2]["cycle"], json!([[1, 2], [2, 1], [2, 3], [3, 2]]));
    for (options, expected) in [
        (["--longest", "1"], vec![&all[2]]),
        (["--longest", "7"], vec![&all[2]]),
        (["--only", "1:0,0:1"], vec![&all[1], &all[2]]),
        (["--min-persistence", "8"], vec![&all[0], &all[2]]),
        (["--min-persistence", "inf"], vec![&all[0]]),
    ] {
        let found = object(&options);
        assert!(found["representatives"].as_array().unwrap().iter().eq(expected), "{options:?}: {found}");
    }
    // Without a dimension above 0, the longest bars are those of dimension 0; none dies past the threshold.
    let found = object(&["--longest", "2", "--max-dim", "0", "--threshold", "5"]);
    let places = |found: &Value| (found["dim"].clone(), found["index"].clone(), found["death"].clone());
    let found: Vec<_> = found["representatives"].as_array().unwrap().iter().map(places).collect();
    assert_eq!(found, [(json!(0), json!(0), json!(null)), (json!(0), json!(1), json!(null))]);
}

/// The second component of a line of 64-bit integers lasts for 2^53, which is less than 2^53 + 1 by no double.
#[test]
fn persistence_is_compared_exactly() {
    let scratch = Scratch::new();
    let file = scratch.name("line.raw");
    fs::write(&file, [0_u64, (1 << 53) + 5, 5].map(u64::to_le_bytes).concat()).unwrap();
    let chosen = |least: &str| {
        let image = ["--shape", "3", "--dtype", "u64", "--output", "json", &file];
        let found = json_of(lacuna("cubical", CYCLES).args(["--min-persistence", least]).args(image));
        found["representatives"].as_array().unwrap().len()
    };
    assert_eq!(["9007199254740992", "9007199254740992.5", "9007199254740993"].map(chosen), [2, 1, 1]);
}

#[test]
fn the_boundary_matrix_gives_the_same_where_cycles_are_unique() {
    let gradient = ["--construction", "v"];
    assert_eq!(object(&[&gradient[..], &["--via", "matrix"]].concat()), object(&gradient));
}

/// Closed up along the rows, the column of zeros is a loop.
#[test]
fn cycles_go_round_axes_that_close_up() {
    let scratch = Scratch::new();
    let (image, file) = (ring(&scratch), scratch.name("loops.obj"));
    let options = ["--construction", "v", "--periodic", "x"];
    let found = object(&options);
    let is_loop = |found: &&Value| found["dim"] == 1 && found["birth"] == 0;
    let expected = json!({
        "dim": 1, "index": 0, "birth": 0, "death": null, "birth_voxel": [2, 4], "death_voxel": null,
        "cycle": [[1, 8], [3, 8], [5, 8]], "voxels": [[0, 4], [1, 4], [2, 4]],
    });
    let representatives = found["representatives"].as_array().unwrap();
    assert_eq!(representatives.iter().filter(is_loop).collect::<Vec<_>>(), [&expected]);
    // It is drawn up to the first row once more.
    let drawing = ["--only", "1:0", "--geometry", &file, "--shape", "3,5", "--dtype", "u8", &image];
    let run = lacuna("cubical", options).args(drawing).args(["--explain"]).assert().success();
    run.stderr(contains("for cycles of an image of four axes or with periodic ones"));
    let text = fs::read_to_string(&file).unwrap();
    let points: Vec<&str> = text.lines().filter(|line| line.starts_with("v ")).collect();
    assert_eq!(points, ["v 0.0 4.0 0.0", "v 1.0 4.0 0.0", "v 2.0 4.0 0.0", "v 3.0 4.0 0.0"]);
}

#[test]
fn npz_has_arrays_a_dimension() {
    let bytes = written(&[&CYCLES[..], &["--output", "npz", "--construction", "v"]].concat());
    let infinity = f64::INFINITY;
    let array =
        |name: &str, shape: &[u64], values: &[f64]| (name.to_owned(), shape.to_vec(), values.to_vec());
    let bars = array("bars", &[3, 3], &[0.0, 0.0, infinity, 0.0, 1.0, 8.0, 1.0, 1.0, 9.0]);
    let edges =
        [[0.0, 1.0], [1.0, 0.0], [0.0, 3.0], [1.0, 4.0], [3.0, 0.0], [3.0, 4.0], [4.0, 1.0], [4.0, 3.0]];
    let pixels =
        [[0.0, 0.0], [0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [1.0, 2.0], [2.0, 0.0], [2.0, 1.0], [2.0, 2.0]];
    let expected = [
        bars.clone(),
        array("index_0", &[2], &[0.0, 1.0]),
        array("birth_voxels_0", &[2, 2], &[0.0, 4.0, 0.0, 0.0]),
        array("death_voxels_0", &[2, 2], &[-1.0, -1.0, 0.0, 3.0]),
        array("cycle_cells_0", &[3, 2], &[0.0, 8.0, 0.0, 0.0, 0.0, 8.0]),
        array("cycle_voxels_0", &[3, 2], &[0.0, 4.0, 0.0, 0.0, 0.0, 4.0]),
        array("cycle_offsets_0", &[3], &[0.0, 1.0, 3.0]),
        array("cycle_voxel_offsets_0", &[3], &[0.0, 1.0, 3.0]),
        array("index_1", &[1], &[0.0]),
        array("birth_voxels_1", &[1, 2], &[2.0, 2.0]),
        array("death_voxels_1", &[1, 2], &[1.0, 1.0]),
        array("cycle_cells_1", &[8, 2], &edges.concat()),
        array("cycle_voxels_1", &[8, 2], &pixels.concat()),
        array("cycle_offsets_1", &[2], &[0.0, 8.0]),
        array("cycle_voxel_offsets_1", &[2], &[0.0, 8.0]),
    ];
    assert_eq!(arrays(&bytes), expected);
    assert_eq!(arrays(&written(&["--output", "npz", "--construction", "v"])), [bars]);
    let none = arrays(&written(&[&CYCLES[..], &["--output", "npz", "--only", "0:0"]].concat()));
    let cells = none.iter().find(|array| array.0 == "cycle_cells_1").unwrap();
    assert_eq!((&cells.1[..], cells.2.len()), (&[0, 2][..], 0));
}

/// The bars are the same as without cycles; the archive is compared with the text.
#[test]
fn bars_stay_as_they_are() {
    let scratch = Scratch::new();
    for image in ["waves", "levels", "shell", "noise"] {
        let [csv, npz] = ["csv", "npz"].map(|format| scratch.name(&format!("{image}.{format}")));
        let file = data(&format!("cubical/{image}.npy"));
        lacuna("cubical", ["-o", &csv]).arg(&file).assert().success();
        lacuna("cubical", ["-o", &npz]).args(CYCLES).arg(&file).assert().success().stdout(is_empty());
        lacuna("compare", ["-q", &csv, &npz]).assert().success();
        let on = |threads: &str| {
            let options = ["--output", "npz", "--threads", threads];
            stdout_of(lacuna("cubical", options).args(CYCLES).arg(&file))
        };
        let alone = on("1");
        assert!(alone == on("4") && alone == fs::read(&npz).unwrap(), "{image}");
    }
}

#[test]
fn what_took_how_long_is_said() {
    let scratch = Scratch::new();
    let (image, stats) = (ring(&scratch), scratch.name("stats.json"));
    let options = ["-v", "--shape", "3,5", "--dtype", "u8", "--output", "json", "--stats", &stats, &image];
    let run = lacuna("cubical", options).args(CYCLES).assert().success();
    run.stderr(contains("cycles").and(contains("3 cycles")));
    let stats: Value = serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap();
    assert_eq!(stats["cycles"], 3);
    assert!(stats["cycles_seconds"].as_f64().unwrap() >= 0.0);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let scratch = Scratch::new();
    let image = ring(&scratch);
    let refused = |options: &[&str]| {
        let run =
            lacuna("cubical", ["--shape", "3,5", "--dtype", "u8", &image]).args(options).assert().code(2);
        String::from_utf8(run.stdout(is_empty()).get_output().stderr.clone()).unwrap()
    };
    for format in ["text", "csv", "npy", "dipha", "cripser"] {
        let said = refused(&[&CYCLES[..], &["--output", format]].concat());
        assert!(said.contains("expected --output json or npz") && said.contains(format), "{said}");
    }
    let json = [&CYCLES[..], &["--output", "json"]].concat();
    for (options, message) in [
        (
            ["--only", "1:1"],
            "bar 1:1: expected the place of a bar of dimension 1, of which there are 1, found 1",
        ),
        (["--only", "2:0"], "of which there are 0"),
        (["--only", "1"], "--only"),
        (["--longest", "0"], "--longest"),
        (["--min-persistence", "-1"], "expected a non-negative number or inf, found -1"),
        (["--representatives", "cocycles"], "cocycles"),
    ] {
        let said = refused(&[&json[..], &options].concat());
        assert!(said.contains(message), "{options:?}: {said}");
    }
    let periodic = [&json[..], &["--periodic", "x"]].concat();
    let said = refused(&[&periodic[..], &["--via", "gradient"]].concat());
    assert!(said.contains("--via gradient: expected matrix"), "{said}");
    assert!(refused(&["--longest", "3", "--output", "json"]).contains("--representatives"));
    assert!(refused(&[&json[..], &["--longest", "3", "--only", "1:0"]].concat()).contains("--only"));
}

/// The content of the files is tested with their writers.
#[test]
fn drawings_are_those_of_the_library_in_every_format() {
    let scratch = Scratch::new();
    let image = ring(&scratch);
    let pixels = AnyImage::from_slice(&fs::read(&image).unwrap(), &[3, 5]).unwrap();
    let request = PersistenceRequest { construction: Construction::V, ..PersistenceRequest::default() };
    let representatives = Some(BarSelection::All);
    let cubical = Cubical { representatives, ..Cubical::new(&pixels, request) };
    let outcome = cubical.solve(&()).unwrap();
    let geometry = Geometry::of_image(outcome.representatives.as_ref().unwrap(), &pixels, false).unwrap();
    assert_eq!(geometry.cycles().len(), 1);
    let bars = written(&["--construction", "v"]);
    for (name, format) in [
        ("loop.vtk", GeometryFormat::Vtk),
        ("loop.ply", GeometryFormat::Ply),
        ("LOOP.OBJ", GeometryFormat::Obj),
    ] {
        let options =
            ["--shape", "3,5", "--dtype", "u8", "--construction", "v", "--geometry", &scratch.name(name)];
        // The output of the bars is unchanged.
        let run = lacuna("cubical", options).arg(&image).assert().success();
        run.stdout(bars.clone()).stderr(contains("no cycle to draw").not());
        let mut expected = Vec::new();
        format.write(&geometry, &mut expected).unwrap();
        assert!(fs::read(scratch.path(name)).unwrap() == expected, "{name}");
    }
    assert_eq!(scratch.names().len(), 4);
}

#[test]
fn drawings_are_of_the_chosen_bars_and_cycles_go_beside_bars_if_they_are_named() {
    let scratch = Scratch::new();
    let file = scratch.name("shells.obj");
    let shell = data("cubical/shell.npy");
    let run = |options: &[&str]| {
        let run =
            lacuna("cubical", ["--output", "json", "--geometry", &file]).args(options).arg(&shell).assert();
        let object: Value = serde_json::from_slice(&run.success().get_output().stdout).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        (
            object.get("representatives").and_then(Value::as_array).map(Vec::len),
            count("o bar_2"),
            count("o bar"),
        )
    };
    let plain = stdout_of(lacuna("cubical", ["--output", "json"]).arg(&shell));
    let plain: Value = serde_json::from_slice(&plain).unwrap();
    let above = plain["bars"].as_array().unwrap().iter().filter(|bar| bar["dim"] != 0).count();
    let (none, shells, drawn) = run(&[]);
    assert_eq!((none, drawn), (None, above));
    assert!(shells > 0 && drawn >= shells);
    assert_eq!(run(&["--only", "2:0"]), (None, 1, 1));
    assert_eq!(run(&["--only", "0:0,2:0", "--representatives", "cycles"]), (Some(2), 1, 1));
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let scratch = Scratch::new();
    let image = ring(&scratch);
    let run = |file: &str, options: &[&str]| {
        let common = ["--shape", "3,5", "--dtype", "u8", "--geometry", file];
        lacuna("cubical", common).args(options).arg(&image).assert()
    };
    let refused = |file: &str, options: &[&str], message: &str| {
        run(file, options).code(2).stdout(is_empty()).stderr(contains(message));
    };
    let file = scratch.name("ring.vtk");
    refused("-", &[], "expected the path of a file, found -");
    refused(
        &scratch.name("ring.stl"),
        &[],
        "--geometry: expected a file named *.vtk, *.ply or *.obj, found ",
    );
    refused(&file, &["--only", "1:1"], "bar 1:1: expected the place");
    refused(&file, &["-o", &file, "--output", "json"], "for the geometry and the answer, found the same");
    refused(&file, &["--stats", &file], "for the geometry and the statistics, found the same");
    refused(&file, &[&CYCLES[..], &["--output", "csv"]].concat(), "expected --output json or npz");
    // A value that no double represents stops the run before bars are written.
    let wide = scratch.name("wide.raw");
    let values = [1, 1, 1, 1, u64::MAX, 1, 1, 1, 1];
    fs::write(&wide, values.map(u64::to_le_bytes).concat()).unwrap();
    let options = ["--shape", "3,3", "--dtype", "u64", "--geometry", &file, &wide];
    lacuna("cubical", options).assert().code(2).stdout(is_empty()).stderr(contains("--geometry: "));
    assert_eq!(scratch.names(), ["ring.raw", "wide.raw"]);
    let said = run(&file, &["--max-dim", "0"]).success();
    said.stderr(contains("no cycle to draw: none of the bars is of dimension 1 or 2"));
    assert!(fs::read_to_string(&file).unwrap().contains("POINTS 0 "));
    // An input with the name of a drawing is not overwritten.
    let named = scratch.name("image.ply");
    fs::copy(&image, &named).unwrap();
    let options = ["--format", "raw", "--shape", "3,5", "--dtype", "u8", "--geometry", &named, &named];
    lacuna("cubical", options).assert().code(2).stderr(contains("expected an output that is not the input"));
    assert_eq!(fs::read(&named).unwrap(), fs::read(&image).unwrap());
}
