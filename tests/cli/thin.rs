//! `lacuna thin`: skeletons as files, messages, and the exit code of `--verify`; `lacuna cubical --thin`.

use assert_cmd::Command;
use lacuna::cubical::AnyImage;
use lacuna::cubical::read::{ImageOptions, read};
use lacuna::cubical::thinning::Rule;
use predicates::prelude::PredicateBooleanExt as _;
use predicates::str::{contains, ends_with, is_empty, starts_with};

use super::{Scratch, lacuna, npy, text_of};

fn thin<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    lacuna("thin", arguments)
}

/// The voxels of a picture with a digit per voxel.
fn digits(picture: &str) -> Vec<u8> {
    picture.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect()
}

/// Makes a NumPy array of bytes from a picture.
fn array(shape: &str, picture: &str) -> Vec<u8> {
    npy("|u1", false, &format!("({shape})"), &digits(picture))
}

/// Makes the array of [`array`] in Fortran order: the first axis varies fastest.
fn fortran(shape: [usize; 2], picture: &str) -> Vec<u8> {
    let [rows, columns] = shape;
    let digits = digits(picture);
    let turned = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j)));
    let turned: Vec<u8> = turned.map(|(i, j)| digits[i * columns + j]).collect();
    npy("|u1", true, &format!("({rows}, {columns})"), &turned)
}

/// A square of even side and a ring.
fn square_and_ring() -> Vec<u8> {
    array("6, 11", "00000011111 04400011111 04400011011 00000011111 00000011111 00000000000")
}

/// Axes and voxels of an image file of bytes.
fn voxels(path: &std::path::Path) -> (Vec<usize>, Vec<u8>) {
    match read(path, &ImageOptions::default()).unwrap() {
        AnyImage::U8(image) => (image.shape().axes(), image.into_voxels()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn skeletons_in_every_format() {
    let scratch = Scratch::new();
    let image = scratch.file("image.npy", square_and_ring());
    let mut found = Vec::new();
    for name in ["s.npy", "s.png", "s.tif", "s.nii", "s.nii.gz"] {
        let out = scratch.path(name);
        thin(["-q", "-o"]).arg(&out).arg(&image).assert().success().stdout(is_empty()).stderr(is_empty());
        let (axes, voxels) = voxels(&out);
        assert_eq!(axes, [6, 11], "{name}");
        assert!(voxels.iter().all(|&voxel| voxel == 0 || voxel == 255), "{name}");
        found.push(voxels.iter().filter(|&&voxel| voxel == 255).count());
    }
    assert!(found.iter().all(|&count| count == found[0] && count > 0));
    let out = thin(["-q", "--output", "npy", "-o", "-"]).arg(&image).assert().success();
    assert_eq!(out.get_output().stdout, std::fs::read(scratch.path("s.npy")).unwrap());
}

/// Voxels in C order of their axes.
fn in_order(path: &std::path::Path) -> Vec<u8> {
    let AnyImage::U8(image) = read(path, &ImageOptions::default()).unwrap() else { panic!() };
    let mut listed: Vec<_> = image
        .voxels()
        .iter()
        .enumerate()
        .map(|(place, &voxel)| (image.shape().coordinates(place), voxel))
        .collect();
    listed.sort();
    listed.into_iter().map(|(_, voxel)| voxel).collect()
}

#[test]
fn the_order_in_memory_makes_no_difference() {
    let scratch = Scratch::new();
    let picture = "01110011110 11111011110 01111111110 00111110000 00011100000 11111111111";
    for (shape, picture) in [([2, 3], "111111"), ([6, 11], picture)] {
        let [rows, columns] = shape;
        let c = scratch.file("c.npy", array(&format!("{rows}, {columns}"), picture));
        let f = scratch.file("f.npy", fortran(shape, picture));
        // NIfTI stores the first axis fastest, and the rows are its first axis.
        let nii = scratch.path("image.nii");
        thin(["-q", "--iterations", "0", "-o"]).args([&nii, &c]).assert().success();
        for rule in Rule::ALL {
            let mut found = Vec::new();
            for (image, out) in [(&c, "c_out.npy"), (&f, "f_out.npy"), (&nii, "out.nii"), (&f, "out.png")] {
                let out = scratch.path(out);
                thin(["-q", "--rule", &rule.to_string(), "-o"]).args([&out, image]).assert().success();
                found.push(in_order(&out));
            }
            assert!(found.iter().all(|skeleton| *skeleton == found[0]), "{rule}: {found:?}");
        }
    }
    // The result of OpenCV on the framed image.
    let f = scratch.file("f.npy", fortran([2, 3], "111111"));
    let out = scratch.path("out.npy");
    thin(["-q", "-o"]).args([&out, &f]).assert().success();
    assert_eq!(in_order(&out), [0, 255, 255, 0, 0, 0]);
}

#[test]
fn axes_of_one_voxel_make_no_difference() {
    let scratch = Scratch::new();
    let picture = "00000011111 04400011111 04400011011 00000011111 00000011111 00000000000";
    let mut found = Vec::new();
    for shape in ["6, 11", "6, 11, 1", "6, 1, 11", "1, 6, 11", "1, 6, 1, 11, 1"] {
        let image = scratch.file("image.npy", array(shape, picture));
        for arguments in [&["--rule", "guo-hall"][..], &["--verify"]] {
            let out = scratch.path("out.npy");
            thin(["-q", "-o"]).args([&out, &image]).args(arguments).assert().success();
            let (axes, voxels) = voxels(&out);
            let axes: Vec<String> = axes.iter().map(usize::to_string).collect();
            assert_eq!(axes.join(", "), shape);
            found.push(voxels);
        }
    }
    assert!(found.iter().all(|skeleton| *skeleton == found[0]));
    let image = scratch.file("image.npy", array("6, 1, 11", picture));
    let run =
        thin(["-q", "--verify", "--rule", "kashani", "-o"]).args([&scratch.path("out.npy"), &image]).assert();
    run.code(1).stderr(contains("component of 4 voxels at [1, 0, 1]"));
}

#[test]
fn a_skeleton_lies_where_its_image_does() {
    let scratch = Scratch::new();
    let plain = scratch.path("plain.nii");
    let image = scratch.file("image.npy", square_and_ring());
    thin(["-q", "--iterations", "0", "-o"]).args([&plain, &image]).assert().success();
    // Size of voxels, units, both transforms.
    let mut file = std::fs::read(&plain).unwrap();
    for (place, number) in
        [(76, -1.0_f32), (80, 0.5), (84, 0.25), (256, 0.1), (268, -90.0), (280, 0.5), (308, 72.0)]
    {
        file[place..place + 4].copy_from_slice(&number.to_le_bytes());
    }
    (file[39], file[123], file[252], file[254]) = (57, 10, 1, 4);
    let image = scratch.file("placed.nii", &file);
    let out = scratch.path("out.nii");
    thin(["-q", "-o"]).args([&out, &image]).assert().success();
    let found = std::fs::read(&out).unwrap();
    assert_eq!(found[..348], file[..348]);
    assert_ne!(found[352..], file[352..]);
}

#[test]
fn what_is_too_large_to_compare_is_said_at_once() {
    let scratch = Scratch::new();
    let out = scratch.path("out.npy");
    // A sparse file of four gigabytes that is not read.
    let start = npy("|u1", false, "(2048, 2048, 1024)", &[]);
    let image = scratch.file("image.npy", &start);
    let file = std::fs::OpenOptions::new().write(true).open(&image).unwrap();
    file.set_len(start.len() as u64 + (1 << 32)).unwrap();
    let run = thin(["--verify", "-o"]).args([&out, &image]).assert().code(2);
    run.stderr(contains("error: --verify: ").and(contains(
        "image.npy: expected an image that takes fewer than 4294967296 places with a rim around it, found 4294967296 voxels",
    )));
    let run = thin(["--rule", "kashani", "-o"]).args([&out, &image]).assert().code(2);
    run.stderr(contains("rule kashani: expected an image of one plane, found 2048x2048x1024"));
    assert!(!out.exists());
}

#[test]
fn one_is_not_many() {
    let scratch = Scratch::new();
    let out = scratch.path("out.npy");
    let image = scratch.file("image.npy", array("3, 3", "000010000"));
    let run = thin(["-o"]).args([&out, &image]).assert().success();
    run.stderr(ends_with("image.npy: 1 voxel, 1 left by guo-hall after 0 iterations\n"));
    let image = scratch.file("image.npy", array("3, 3", "111111111"));
    let run = thin(["--iterations", "1", "-o"]).args([&out, &image]).assert().success();
    run.stderr(contains(" after 1 iteration\n"));
    let run = thin(["-o", "sk.jpg"]).arg(&image).assert().code(2);
    run.stderr(
        "error: sk.jpg: expected a name that ends in .png, .tif, .tiff, .npy, .nii, .nii.gz, .dipha, .complex, \
         .perseus, .raw, .nrrd or .mha, or --output FORMAT, found another name\n",
    );
}

#[test]
fn what_is_foreground() {
    let scratch = Scratch::new();
    let image = scratch.file("image.npy", square_and_ring());
    let out = scratch.path("out.npy");
    for (arguments, said) in [
        (&[][..], "image.npy: 28 voxels, "),
        (&["--threshold", "1"], "image.npy: 4 voxels above 1, "),
        (&["--otsu"], "image.npy: 4 voxels above 1, "),
        (&["--invert"], "image.npy: 38 voxels, "),
    ] {
        thin(arguments).arg("-o").args([&out, &image]).assert().success().stderr(contains(said));
    }
    thin(["--otsu", "--threshold", "1", "-o"]).args([&out, &image]).assert().code(2);
    let constant = scratch.file("constant.npy", array("2, 2", "7777"));
    let run = thin(["--otsu", "-o"]).args([&out, &constant]).assert().code(2);
    run.stderr(contains(
        "constant.npy: Otsu's threshold: expected voxels of two values or more, found only 7",
    ));
}

#[test]
fn integers_of_64_bits_are_compared_with_the_threshold_exactly() {
    let scratch = Scratch::new();
    let values = [(1_u64 << 53) - 1, 1 << 53, (1 << 53) + 1, u64::MAX];
    let image = scratch.file("image.raw", values.map(u64::to_le_bytes).concat());
    let out = scratch.path("out.npy");
    for (threshold, left) in [
        ("9007199254740991", [0, 255, 255, 255]),
        ("9007199254740992", [0, 0, 255, 255]),
        ("9007199254740993", [0, 0, 0, 255]),
        ("9007199254740992.5", [0, 0, 255, 255]),
        ("18446744073709551615", [0; 4]),
        ("-1", [255; 4]),
    ] {
        let options =
            ["-q", "--iterations", "0", "--shape", "4", "--dtype", "u64", "--threshold", threshold, "-o"];
        thin(options).args([&out, &image]).assert().success();
        assert_eq!(voxels(&out).1, left, "{threshold}");
    }
}

#[test]
fn verify_tells_which_component_changed() {
    let scratch = Scratch::new();
    let image = scratch.file("image.npy", square_and_ring());
    let (out, stats) = (scratch.path("out.png"), scratch.path("stats.json"));
    let same = "same topology: 2 components, 1 hole, Euler characteristic 1\n";
    for rule in ["guo-hall", "kashani-safe", "subfields"] {
        let run = thin(["-q", "--verify", "--rule", rule, "-o"]).args([&out, &image]).assert();
        run.success().stderr(same);
    }
    let run = thin(["-q", "--verify", "--rule", "kashani", "--stats"])
        .arg(&stats)
        .arg("-o")
        .args([&out, &image])
        .assert();
    run.code(1).stderr(
        "topology before: 2 components, 1 hole, Euler characteristic 1\n\
         topology after: 1 component, 1 hole, Euler characteristic 0\n\
         component of 4 voxels at [1, 1]: before 1 component, 0 holes; after 0 components, 0 holes\n",
    );
    assert_eq!(voxels(&out).1.len(), 66);
    let stats: serde_json::Value = serde_json::from_str(&super::read(&stats)).unwrap();
    assert_eq!(stats["same_topology"], false);
    assert_eq!(stats["betti"], serde_json::json!([[2, 1, 0], [1, 1, 0]]));
    assert_eq!((&stats["rule"], &stats["voxels"][0]), (&"kashani".into(), &28.into()));
}

/// Two rings that touch in a thin bridge, with a tail.
fn rings() -> Vec<u8> {
    array(
        "7, 13",
        "0111110011111 0111110011111 0110111111011 0111110011111 0111110011111 0011000000000 0011000000000",
    )
}

#[test]
fn skeletons_as_graphs() {
    let scratch = Scratch::new();
    let image = scratch.file("image.npy", rings());
    let (json, out, stats) = (scratch.path("g.json"), scratch.path("out.npy"), scratch.path("stats.json"));
    let run =
        thin(["--spacing", "2,0.5", "--graph"]).args([&json, &image]).arg("--stats").arg(&stats).assert();
    run.success()
        .stdout(is_empty())
        .stderr(contains("image.npy: graph of ").and(contains(" and 2 cycles, length ")));
    let (graph, stats): (serde_json::Value, serde_json::Value) = (
        serde_json::from_str(&super::read(&json)).unwrap(),
        serde_json::from_str(&super::read(&stats)).unwrap(),
    );
    assert_eq!(
        (&graph["shape"], &graph["spacing"]),
        (&serde_json::json!([7, 13]), &serde_json::json!([2.0, 0.5]))
    );
    assert_eq!(graph["unit"], serde_json::Value::Null);
    let (nodes, branches) = (graph["nodes"].as_array().unwrap(), graph["branches"].as_array().unwrap());
    assert_eq!(
        [stats["nodes"].as_u64(), stats["branches"].as_u64()],
        [nodes.len(), branches.len()].map(|n| Some(n as u64))
    );
    assert_eq!((stats["cycles"].as_u64(), branches.len() + 1 - nodes.len()), (Some(2), 2));
    let mut length = 0.0;
    for branch in branches {
        let voxels = branch["voxels"].as_array().unwrap();
        assert_eq!(voxels.len(), branch["radii"].as_array().unwrap().len());
        for (end, voxel) in [voxels.first(), voxels.last()].into_iter().enumerate() {
            let node = branch["nodes"][end].as_u64().unwrap() as usize;
            assert_eq!(&nodes[node]["voxel"], voxel.unwrap());
        }
        length += branch["length"].as_f64().unwrap();
    }
    assert_eq!(stats["length"], length);
    // The skeleton may be written as well, and is the same as without the graph.
    thin(["-q", "-o"]).args([&out, &image]).assert().success();
    let alone = voxels(&out);
    thin(["-q", "-o"]).args([&out, &image]).arg("--graph").arg(&json).assert().success();
    assert_eq!(voxels(&out), alone);
}

#[test]
fn graphs_as_trees_of_neurons() {
    let scratch = Scratch::new();
    let image = scratch.file("image.npy", rings());
    let swc = scratch.path("g.swc");
    let run = thin(["--graph"]).args([&swc, &image]).assert().success();
    run.stderr(ends_with("; 2 cycles cut, as SWC holds only trees\n"));
    let text = super::read(&swc);
    assert_eq!(text.lines().filter(|line| line.starts_with("# cycle cut between ")).count(), 2);
    let rows: Vec<Vec<f64>> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
        .collect();
    for (index, row) in rows.iter().enumerate() {
        let [id, kind, x, y, z, radius, parent] = row[..] else { panic!("expected 7 fields, found {row:?}") };
        assert_eq!((id, kind, z), (index as f64 + 1.0, 0.0, 0.0));
        assert!(x < 13.0 && y < 7.0 && radius >= 1.0 && parent < id && (parent == -1.0) == (index == 0));
    }
    // x is the fastest axis of the file: of an array in Fortran order the first one.
    let line = scratch.file("line.npy", npy("|u1", true, "(3, 4)", &[0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0]));
    thin(["-q", "--iterations", "0", "--graph"]).args([&swc, &line]).assert().success();
    let found: Vec<String> =
        super::read(&swc).lines().filter(|line| !line.starts_with('#')).map(String::from).collect();
    assert_eq!(found, ["1 0 1 0 0 1 -1", "2 0 1 1 0 1 1", "3 0 1 2 0 1 2", "4 0 1 3 0 1 3"]);
}

#[test]
fn graphs_as_xml() {
    let scratch = Scratch::new();
    let image = scratch.file("image.npy", array("1, 4", "0111"));
    let xml = scratch.path("g.graphml");
    thin(["-q", "--iterations", "0", "--graph"]).args([&xml, &image]).assert().success();
    let text = super::read(&xml);
    let shown = [
        r#"<node id="0"><data key="node_axis_0">0</data><data key="node_axis_1">1</data>"#,
        r#"<edge id="0" source="0" target="1"><data key="edge_kind">end-end</data><data key="edge_length">2</data>"#,
        r#"<data key="edge_voxels">3</data>"#,
    ];
    assert!(shown.iter().all(|line| text.contains(line)), "{text}");
}

#[test]
fn spacings_of_files() {
    let scratch = Scratch::new();
    let (nii, json) = (scratch.path("image.nii"), scratch.path("g.json"));
    let line = scratch.file("line.npy", array("4, 1, 3", "010 010 010 000"));
    thin(["-q", "--iterations", "0", "-o"]).args([&nii, &line]).assert().success();
    let mut file = std::fs::read(&nii).unwrap();
    for (place, number) in [(80, 0.5_f32), (84, 0.0), (88, 3.0)] {
        file[place..place + 4].copy_from_slice(&number.to_le_bytes());
    }
    file[123] = 10;
    let nii = scratch.file("image.nii", &file);
    let graph = |arguments: &[&str]| -> serde_json::Value {
        thin(["-q", "--iterations", "0", "--graph"]).args([&json, &nii]).args(arguments).assert().success();
        serde_json::from_str(&super::read(&json)).unwrap()
    };
    let found = graph(&[]);
    assert_eq!((&found["spacing"], &found["unit"]), (&serde_json::json!([0.5, 1.0, 3.0]), &"mm".into()));
    assert_eq!(found["branches"][0]["length"], 1.0);
    let found = graph(&["--spacing", "1,1,2"]);
    assert_eq!((&found["unit"], &found["branches"][0]["length"]), (&serde_json::Value::Null, &2.0.into()));
    file[80..84].copy_from_slice(&0.0_f32.to_le_bytes());
    let nii = scratch.file("image.nii", &file);
    let run = thin(["--graph"]).args([&json, &nii]).assert().code(2);
    run.stderr(contains("image.nii: spacing along axis 0: expected a finite number greater than 0, found 0"));
}

#[test]
fn graphs_that_cannot_be() {
    let scratch = Scratch::new();
    let image = scratch.file("image.npy", rings());
    let json = scratch.path("g.json");
    let refused = |arguments: &[&str], message: &str| {
        thin(arguments).arg(&image).assert().code(2).stderr(contains(message));
    };
    let file = json.to_str().unwrap();
    refused(&[], "--output-file <FILE>");
    refused(&["--graph", "g.txt"], "--graph: expected a file named *.json, *.swc or *.graphml, found g.txt");
    refused(&["--graph", "-"], "expected the path of a file, found -, which is standard output");
    refused(&["--graph", file, "--output", "png"], "--output-file <FILE>");
    refused(
        &["--graph", file, "--spacing", "1"],
        "spacing: expected 2 numbers, one for each axis of the image of 7x13, found 1",
    );
    for spacing in ["0,1", "-1,1", "nan,1", "1;1", "inf,1", ""] {
        refused(
            &["--graph", file, "--spacing", spacing],
            &format!("expected finite numbers greater than 0, such as 0.5,0.5,2, found {spacing}"),
        );
    }
    refused(&["--spacing", "1,1", "-o", "out.npy"], "--graph <FILE>");
    refused(&["--graph", file, "-o", file], "expected a name that ends in");
    refused(&["--graph", file, "--stats", file], "expected different files for the graph and the statistics");
    assert!(!json.exists());
}

#[test]
fn iterations_can_be_few() {
    let scratch = Scratch::new();
    let image = scratch.file("image.npy", array("7, 7", &"1".repeat(49)));
    let out = scratch.path("out.npy");
    let mut left = Vec::new();
    for iterations in ["0", "1", "2", "9"] {
        thin(["-q", "--iterations", iterations, "-o"]).args([&out, &image]).assert().success();
        left.push(voxels(&out).1.iter().filter(|&&voxel| voxel == 255).count());
    }
    assert!(left[0] == 49 && left[1] < 49 && left[2] < left[1] && left[3] < left[2], "{left:?}");
}

#[test]
fn what_cannot_be() {
    let scratch = Scratch::new();
    let space = scratch.file("space.npy", array("2, 2, 2", "11111111"));
    let refused = |arguments: &[&str], out: &str, message: &str| {
        let out = scratch.path(out);
        thin(arguments).arg("-o").args([&out, &space]).assert().code(2).stderr(contains(message));
        assert!(!out.exists());
    };
    refused(&["--rule", "guo-hall"], "a.npy", "rule guo-hall: expected an image of one plane, found 2x2x2");
    refused(&[], "a.png", "format png: expected an image of one or two axes, found 2x2x2");
    refused(
        &[],
        "a.jpg",
        "a.jpg: expected a name that ends in .png, .tif, .tiff, .npy, .nii, .nii.gz, .dipha, .complex, .perseus, .raw, .nrrd or .mha",
    );
    refused(&["--iterations", "-1"], "a.npy", "expected a whole number, 0 or more, found -1");
    refused(&["--rule", "thin"], "a.npy", "kashani-safe");
}

#[test]
fn outputs_that_cannot_be() {
    let scratch = Scratch::new();
    let image = scratch.file("image.npy", square_and_ring());
    std::fs::create_dir(scratch.path("folder.npy")).unwrap();
    let unnamed = "expected a name that ends in .png, .tif, .tiff, .npy, .nii, .nii.gz, .dipha, .complex, .perseus, .raw, .nrrd or .mha";
    for (out, message) in [
        ("out", unnamed),
        ("png", unnamed),
        ("out.npy.bak", unnamed),
        ("folder.npy", "expected a path that can be written, found a directory"),
        ("none/out.npy", "expected a path that can be written"),
    ] {
        thin(["-q", "-o"]).args([&scratch.path(out), &image]).assert().code(2).stderr(contains(message));
    }
    thin(["-q", "-o", "-"]).arg(&image).assert().code(2).stdout(is_empty()).stderr(contains(unnamed));
    let out = scratch.path("out.npy");
    let twice = thin(["-q", "-o"]).args([&out, &image]).arg("--stats").arg(&out).assert().code(2);
    twice.stderr(contains("expected different files for the answer and the statistics"));
    assert!(!out.exists());
    // With an explicit format, any name is accepted.
    thin(["-q", "--output", "png", "-o"]).args([&scratch.path("out"), &image]).assert().success();
}

#[test]
fn thresholds_that_cannot_be() {
    let scratch = Scratch::new();
    let (image, out) = (scratch.file("image.npy", square_and_ring()), scratch.path("out.npy"));
    for threshold in ["nan", "NaN", "", "1,5"] {
        let run = thin(["--threshold", threshold, "-o"]).args([&out, &image]).assert().code(2);
        run.stderr(contains(format!("expected a number, found {threshold}")));
    }
    for (threshold, said) in [("inf", ": 0 voxels above inf, 0 left"), ("-inf", ": 66 voxels above -inf, ")] {
        let run = thin(["--threshold", threshold, "-o"]).args([&out, &image]).assert().success();
        run.stderr(contains(said));
    }
}

#[test]
fn lines_points_and_nothing() {
    let scratch = Scratch::new();
    let out = scratch.path("out.npy");
    let cases = [
        ("7,", "0110111", [0, 255, 255, 0, 255, 255, 255].to_vec(), "2 components, 0 holes"),
        ("1,", "1", vec![255], "1 component, 0 holes"),
        ("1, 1, 1", "1", vec![255], "1 component, 0 holes"),
        ("5,", "00000", vec![0; 5], "0 components, 0 holes"),
        ("3, 2", "000000", vec![0; 6], "0 components, 0 holes"),
        ("2, 2, 2", "00000000", vec![0; 8], "0 components, 0 tunnels, 0 cavities"),
    ];
    for (shape, picture, expected, topology) in cases {
        let image = scratch.file("image.npy", array(shape, picture));
        let run = thin(["-q", "--verify", "-o"]).args([&out, &image]).assert().success();
        run.stderr(contains(format!("same topology: {topology}")));
        assert_eq!(voxels(&out).1, expected, "{shape}");
    }
}

#[test]
fn machines_are_said() {
    let scratch = Scratch::new();
    let (image, out) = (scratch.file("image.npy", square_and_ring()), scratch.path("out.npy"));
    let explained = |arguments: &[&str], lines: [&str; 2]| {
        let run = thin(["-q", "--explain", "-o"]).args([&out, &image]).args(arguments).assert().success();
        let [first, last] = lines;
        run.stderr(starts_with(format!("{first}\nmemory        ")).and(contains(format!("\n{last}"))));
    };
    let suggested = "rule          guo-hall: as the image's axes suggest";
    explained(&[], [suggested, "backend       cpu: 66 voxels to thin"]);
    let asked = "rule          kashani: as asked";
    explained(&["--backend", "cpu", "--rule", "kashani"], [asked, "backend       cpu: as asked"]);
    // A plan that does not fit is told before the refusal.
    let large = scratch.path("large.raw");
    std::fs::File::create(&large).unwrap().set_len(1 << 28).unwrap();
    let raw = ["--format", "raw", "--dtype", "u8", "--shape", "256,1024,1024", "--memory", "64M"];
    let run = thin(["--explain", "-o"]).args([&out, &large]).args(raw).assert().code(1);
    run.stderr(contains("\nmemory        ").and(contains("error: ")));
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_that_is_asked_for_thins() {
    let scratch = Scratch::new();
    let image = scratch.file("image.npy", square_and_ring());
    let out = scratch.path("out.npy");
    for rule in Rule::ALL.map(|rule| rule.to_string()) {
        let run = |arguments: &[&str]| {
            thin(["-q", "--rule", &rule, "-o"]).args([&out, &image]).args(arguments).assert()
        };
        run(&["--backend", "cpu"]).success();
        let expected = voxels(&out);
        run(&["--self-check"]).success();
        assert_eq!(voxels(&out), expected);
    }
}

#[test]
fn bars_stay_when_an_image_is_thinned_before() {
    let scratch = Scratch::new();
    let image = scratch.file(
        "image.npy",
        array("6, 11", "00000011111 01100011111 01100011011 00000011111 00000011111 00000000000"),
    );
    let csv = |arguments: &[&str]| {
        text_of(lacuna("cubical", ["-q", "--output", "csv"]).args(arguments).arg(&image))
    };
    for level in [&[][..], &["--superlevel"]] {
        let with = |thin: &'static str| csv(&[level, &[thin]].concat());
        let all = csv(level);
        assert_eq!(
            [with("--thin"), with("--thin=subfields"), with("--thin=guo-hall")],
            [all.clone(), all.clone(), all.clone()]
        );
        // The 2x2 square vanishes.
        assert_eq!(with("--thin=kashani") == all, level.is_empty());
    }
    let cubical = |arguments: &[&str]| lacuna("cubical", arguments).arg(&image).assert();
    cubical(&["--thin", "-v"]).success().stderr(contains("left by guo-hall after"));
    cubical(&["--thin", "--construction", "v"]).code(2).stderr(contains("--thin: expected --construction t"));
    let three = scratch.file("three.npy", square_and_ring());
    let run = lacuna("cubical", ["--thin"]).arg(&three).assert().code(2);
    run.stderr(contains("three.npy: voxel [1, 1]: expected one of two values, [0.0, 1.0], found 4"));
}

/// The skeletons in data/ were made by the plain rules.
#[test]
fn every_case_of_data_gives_its_skeleton() {
    let (scratch, table) = (Scratch::new(), super::read(&super::data("thinning.tsv")));
    let mut rules = Vec::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, arguments, expected] = fields[..] else { panic!("expected 3 fields, found {line}") };
        let (file, expected) = (super::data(file), super::data(expected));
        let out = scratch.path(expected.file_name().unwrap().to_str().unwrap());
        thin(["-q", "-o"]).arg(&out).args(arguments.split(' ')).arg(&file).assert().success();
        assert_eq!(voxels(&out), voxels(&expected), "{line}");
        let rule = Rule::ALL.into_iter().find(|rule| arguments == format!("--rule {rule}")).unwrap();
        let verify = thin(["-q", "--verify", "-o"]).arg(&out).args(arguments.split(' ')).arg(&file).assert();
        verify.code(i32::from(!rule.keeps_topology()));
        rules.push(rule);
    }
    for rule in Rule::ALL {
        assert!(rules.contains(&rule), "no case of {rule}");
    }
}

#[test]
fn every_rule_is_in_the_help_and_in_the_book() {
    let help = |command: &str| text_of(lacuna(command, ["--help"]));
    let page = include_str!("../../docs/src/commands/thin.md").to_owned();
    for text in [help("thin"), help("cubical"), page] {
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
        for rule in Rule::ALL {
            assert!(words.contains(&&*rule.to_string()), "no {rule} in\n{text}");
        }
    }
}
