//! `lacuna ect`: transforms of images, points and meshes, outputs, and refusals.

use std::fs;

use predicates::prelude::*;
use predicates::str::contains;

use super::{Scratch, data, lacuna, text_of};

/// The rows of a transform as text.
fn rows(text: &str) -> Vec<Vec<f64>> {
    text.lines().map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect()
}

/// A ring of pixels around a hole, as an image and as the file of its four directions along axes.
fn ring(scratch: &Scratch) -> [String; 2] {
    [
        scratch.file("ring.pgm", "P2\n3 3\n9\n1 1 1\n1 0 1\n1 1 9\n"),
        scratch.file("axes.txt", "2 0\n0 3\n-1 0\n0 -1\n"),
    ]
    .map(|path| path.to_str().unwrap().to_owned())
}

#[test]
fn a_ring_is_open_until_its_last_row() {
    let scratch = Scratch::new();
    let [ring, axes] = ring(&scratch);
    let open = "0.0,0.0,1.0,1.0,1.0,1.0,1.0,0.0,0.0\n";
    let found = text_of(&mut lacuna("ect", ["-q", "--bins", "9", "--directions", &axes, &ring]));
    assert_eq!(found, open.repeat(4));
    let even = text_of(&mut lacuna("ect", ["-q", "--bins", "9", "--directions", "4", &ring]));
    assert_eq!(even, found);
    // As squares, the ring reaches from −1.5 to 1.5, and closes at 0.5, the upper end of the hole.
    let solid = text_of(&mut lacuna(
        "ect",
        ["-q", "--bins", "9", "--directions", &axes, "--construction", "t", &ring],
    ));
    assert_eq!(solid, "0.0,0.0,1.0,1.0,1.0,0.0,0.0,0.0,0.0\n".repeat(4));
    // The last pixel has the weight 9, and so do the two edges to it.
    let weighted =
        text_of(&mut lacuna("ect", ["-q", "--bins", "3", "--directions", &axes, "--weighted", &ring]));
    assert_eq!(rows(&weighted).iter().map(|row| row[2]).collect::<Vec<_>>(), [-8.0; 4]);
    let smooth = text_of(&mut lacuna(
        "ect",
        ["-q", "--bins", "4", "--radius", "3", "--directions", &axes, "--smooth", &ring],
    ));
    assert_eq!(rows(&smooth)[0], [-0.25, 0.5, 0.25, 0.0]);
}

#[test]
fn a_mesh_has_the_euler_characteristic_of_its_surface() {
    let scratch = Scratch::new();
    let corners = "1 0 0\n-1 0 0\n0 1 0\n0 -1 0\n0 0 1\n0 0 -1\n";
    let faces = [[0, 2, 4], [0, 2, 5], [0, 3, 4], [0, 3, 5], [1, 2, 4], [1, 2, 5], [1, 3, 4], [1, 3, 5]];
    let lines = |before: &str, first: usize| -> String {
        faces
            .iter()
            .map(|[a, b, c]| format!("{before} {} {} {}\n", a + first, b + first, c + first))
            .collect()
    };
    let vertices: String = corners.lines().map(|line| format!("v {line}\n")).collect();
    let axes = "property float x\nproperty float y\nproperty float z\n";
    let header = format!("ply\nformat ascii 1.0\nelement vertex 6\n{axes}element face 8\n");
    let list = "property list uchar int vertex_indices\nend_header\n";
    let meshes = [
        scratch.file("octahedron.off", format!("OFF\n6 8 0\n{corners}{}", lines("3", 0))),
        scratch.file("octahedron.obj", format!("{vertices}{}", lines("f", 1))),
        scratch.file("octahedron.ply", format!("{header}{list}{corners}{}", lines("3", 0))),
    ];
    let found = meshes.each_ref().map(|mesh| text_of(lacuna("ect", ["-q", "--bins", "21"]).arg(mesh)));
    assert_eq!([&found[1], &found[2]], [&found[0]; 2]);
    let found = rows(&found[0]);
    assert_eq!((found.len(), found[0].len()), (100, 21));
    // A convex surface is a disk until it is closed.
    for row in &found {
        assert!(row.is_sorted() && row.iter().all(|euler| [0.0, 1.0, 2.0].contains(euler)) && row[20] == 2.0);
    }
    // Edges without faces: a path is connected from its lowest vertex on if it goes upwards.
    let path = scratch.file("path.obj", "v 0 0 0\nv 1 1 0\nv 0 2 0\nl 1 2 3\n");
    let up = scratch.file("up.txt", "0 1 0\n0 -1 0\n1 0 0\n");
    let path =
        text_of(lacuna("ect", ["-q", "--bins", "5", "--center", "box", "--directions"]).args([&up, &path]));
    assert_eq!(
        rows(&path),
        [[0.0, 1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 2.0, 1.0, 1.0]]
    );
}

#[test]
fn points_are_counted() {
    let scratch = Scratch::new();
    let points = scratch.file("points.pts", "0 0\n1 0\n0 2\n-3 1\n");
    let found = text_of(lacuna("ect", ["-q", "--bins", "7", "--directions", "2"]).arg(&points));
    assert_eq!(rows(&found)[0], [0.0, 1.0, 1.0, 3.0, 4.0, 4.0, 4.0]);
    // An array is an image unless the format is that of points.
    let array = scratch.name("points.npy");
    lacuna("convert", ["-q", points.to_str().unwrap(), &array]).assert().success();
    let same = text_of(&mut lacuna(
        "ect",
        ["-q", "--bins", "7", "--directions", "2", "--format", "point-cloud", &array],
    ));
    assert_eq!(same, found);
    let image = text_of(&mut lacuna("ect", ["-q", "--bins", "7", "--directions", "2", &array]));
    assert_ne!(image, found);
}

#[test]
fn outputs_statistics_and_threads() {
    let scratch = Scratch::new();
    let (array, stats) = (scratch.name("ect.npy"), scratch.name("stats.json"));
    let image = data("thinning/solids.npy");
    let csv = text_of(lacuna("ect", ["-q", "--directions", "30", "--threads", "1"]).arg(&image));
    let mut run =
        lacuna("ect", ["--directions", "30", "--threads", "2", "-o", &array, "--stats", &stats, "--explain"]);
    run.arg(&image).assert().success().stdout("").stderr(contains("planned at the peak"));
    let bytes = fs::read(&array).unwrap();
    let found = npyz::NpyFile::new(&bytes[..]).unwrap();
    assert_eq!(found.shape(), [30, 100]);
    assert_eq!(found.into_vec::<f64>().unwrap(), rows(&csv).concat());
    let stats: serde_json::Value = serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap();
    assert_eq!(
        (&stats["directions"], &stats["bins"], &stats["threads"]),
        (&30.into(), &100.into(), &2.into())
    );
    assert!(stats["radius"].as_f64().unwrap() > 1.0 && stats["center"].as_array().unwrap().len() == 3);
    assert!(stats["transform_seconds"].as_f64().is_some() && stats["shape"].as_array().unwrap().len() == 3);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let scratch = Scratch::new();
    let [ring, _] = ring(&scratch);
    let points = scratch.file("points.pts", "0 0\n1 0\n").to_str().unwrap().to_owned();
    let matrix = scratch.file("square.txt", super::SQUARE).to_str().unwrap().to_owned();
    let space = scratch.file("space.txt", "0 0 1\n1 0 0.5\n").to_str().unwrap().to_owned();
    let zero = scratch.file("zero.pts", "0 1\n0 0\n").to_str().unwrap().to_owned();
    let triangles = scratch.file("a.dat", super::TRIANGLE).to_str().unwrap().to_owned();
    for (arguments, expected) in [
        (&["--weighted", &points][..], "--weighted"),
        (&["--construction", "v", &points], "--construction"),
        (&["--nan", "0", &points], "--nan"),
        (&["--directions", &space, &ring], "expected directions of 2 components, found 3"),
        (
            &["--directions", &zero, &ring],
            "expected finite vectors other than 0, found [0.0, 0.0] as number 1",
        ),
        (&["--directions", "0", &ring], "expected at least one direction, found none"),
        (&["--directions", "missing.txt", &ring], "missing.txt"),
        (&["--bins", "0", &ring], "expected a number of bins"),
        (&["--radius", "0", &ring], "expected a finite number above 0"),
        (&["--format", "raw", &ring], "a raw image: expected --shape"),
        (&["--format", "bmp", &ring], "--format bmp: expected "),
        (&[&matrix], "expected points, found distances"),
        (&[&triangles], "expected an image, points or a mesh"),
        (&["-o", "a.json", &ring], "expected a name that ends in .csv or .npy"),
    ] {
        let run = lacuna("ect", arguments).assert().code(2).stdout("");
        run.stderr(contains(expected).and(contains("panic").not()));
    }
    lacuna("ect", ["--directions", "100000", "--bins", "1000000", "--memory", "1G", &ring])
        .assert()
        .code(1)
        .stderr(contains("fewer --directions or --bins take less"));
}
