//! The fast transforms against the plain ones, and what holds for all complexes.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::cubical::{AnyImage, Construction, Image, Order, Shape};
use crate::simd::Level;

fn random_directions(dimension: usize, count: usize, random: &mut Pcg64Mcg) -> Directions {
    let axis = |k: usize, c: usize| {
        f64::from(u8::from(k % dimension == c)) * if k.is_multiple_of(2) { 1.0 } else { -1.0 }
    };
    // Some directions are those of axes, others have one component that is 0.
    let component = |(k, c): (usize, usize), random: &mut Pcg64Mcg| match k % 4 {
        0 => axis(k, c),
        1 if c == k % dimension && dimension > 1 => 0.0,
        _ => random.random_range(-1.0..1.0) + 1e-3,
    };
    let places = (0..count).flat_map(|k| (0..dimension).map(move |c| (k, c)));
    Directions::Given { dimension, components: places.map(|place| component(place, random)).collect() }
}

fn random_request(dimension: usize, random: &mut Pcg64Mcg) -> EctRequest {
    let (count, bins) = (random.random_range(1..20), random.random_range(1..30));
    let centers = [Center::Origin, Center::Mean, Center::Box];
    EctRequest {
        directions: random_directions(dimension, count, random),
        bins,
        radius: [None, Some(random.random_range(0.1..4.0))][random.random_range(0..2)],
        center: centers[random.random_range(0..3)],
        smooth: random.random_range(0..4) == 0,
        weighted: random.random_range(0..2) == 0,
        construction: [Construction::V, Construction::T][random.random_range(0..2)],
    }
}

fn random_image(axes: &[usize], order: Order, random: &mut Pcg64Mcg) -> AnyImage {
    let density = random.random_range(1..8);
    let levels = random.random_range(2..5);
    let shape = Shape::new(axes, order).unwrap();
    let voxel = |random: &mut Pcg64Mcg| {
        if random.random_range(0..8) < density { random.random_range(-2..levels) } else { 0 }
    };
    Image::new(shape, (0..shape.count()).map(|_| voxel(random)).collect::<Vec<i16>>()).unwrap().into()
}

/// Compares transforms whose centers and radii may differ by the rounding of sums.
#[track_caller]
fn assert_same(fast: &Ect, plain: &Ect, request: &EctRequest) {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
    assert!(near(fast.radius, plain.radius), "{fast:?} {plain:?}");
    assert!(fast.center.iter().zip(&plain.center).all(|(&a, &b)| near(a, b)), "{fast:?} {plain:?}");
    for direction in 0..plain.count() {
        let (fast, plain) = (fast.row(direction), plain.row(direction));
        assert!(
            fast.iter().zip(plain).all(|(&a, &b)| near(a, b)),
            "{direction} {fast:?} {plain:?} {request:?}"
        );
    }
}

#[test]
fn images_are_as_cell_by_cell() {
    let mut random = Pcg64Mcg::seed_from_u64(37);
    let shapes: [&[usize]; 12] = [
        &[1],
        &[9],
        &[1, 6],
        &[5, 1],
        &[2, 2],
        &[7, 6],
        &[3, 33],
        &[2, 2, 2],
        &[4, 1, 5],
        &[4, 5, 3],
        &[5, 3, 4, 1],
        &[2, 3, 18],
    ];
    for case in 0..400 {
        let order = [Order::C, Order::F][case % 2];
        let image = random_image(shapes[case % shapes.len()], order, &mut random);
        let request = random_request(image.shape().dim(), &mut random);
        let fast = of_image(&image, &request, &()).unwrap();
        assert_same(&fast, &plain::of_image(&image, &request).unwrap(), &request);
    }
}

#[test]
fn complexes_are_as_cell_by_cell() {
    let mut random = Pcg64Mcg::seed_from_u64(14);
    for case in 0..200 {
        let dimension = 1 + case % 4;
        let complex = random_complex(dimension, &mut random);
        let request = random_request(dimension, &mut random);
        let fast = of_complex(&complex, &request, &()).unwrap();
        assert_same(&fast, &plain::of_complex(&complex, &request).unwrap(), &request);
    }
}

/// Random points with random lists of them as cells, half of them with weights.
fn random_complex(dimension: usize, random: &mut Pcg64Mcg) -> EmbeddedComplex {
    let points = random.random_range(0..40);
    let coordinates = (0..points * dimension).map(|_| random.random_range(-2.0..3.0)).collect();
    let mut complex = EmbeddedComplex::new(dimension, coordinates).unwrap();
    if random.random_range(0..2) == 0 {
        let weights = (0..points).map(|_| f64::from(random.random_range(-3..9))).collect();
        complex.set_vertex_weights(weights).unwrap();
    }
    for dim in 1..4 {
        let cells = if points == 0 { 0 } else { random.random_range(0..30) };
        let cell = |random: &mut Pcg64Mcg| random.random_range(0..points as u32);
        let vertices: Vec<u32> = (0..cells * (dim + 1)).map(|_| cell(random)).collect();
        let weights: Vec<f64> = (0..cells).map(|_| f64::from(random.random_range(-4..5))).collect();
        let weights = (random.random_range(0..2) == 0).then_some(&weights[..]);
        complex.push_cells(dim, dim + 1, &vertices, weights).unwrap();
    }
    complex
}

/// The last value of every direction is the Euler characteristic, here of shapes for which it is known.
#[test]
fn the_last_value_is_the_euler_characteristic() {
    let shell = |x: usize, y: usize, z: usize| u8::from([x, y, z].iter().any(|&c| c == 0 || c == 6));
    let ring = |x: usize, y: usize, z: usize| {
        u8::from(z == 3 && (x == 1 || x == 5 || y == 1 || y == 5) && x.clamp(1, 5) == x && y.clamp(1, 5) == y)
    };
    let ends = |x: usize, y: usize, z: usize| u8::from(x == 3 && y == 3 && z != 3);
    for (shape, euler) in [(&shell as &dyn Fn(usize, usize, usize) -> u8, 2.0), (&ring, 0.0), (&ends, 2.0)] {
        let voxels: Vec<u8> = (0..343).map(|place| shape(place / 49, place / 7 % 7, place % 7)).collect();
        let image = AnyImage::from_slice(&voxels, &[7, 7, 7]).unwrap();
        for construction in [Construction::V, Construction::T] {
            for weighted in [false, true] {
                let request = EctRequest { construction, weighted, ..EctRequest::new(50, 11) };
                let ect = of_image(&image, &request, &()).unwrap();
                assert!((0..50).all(|direction| ect.row(direction)[10] == euler), "{construction}");
            }
        }
    }
}

/// A quarter turn of the image turns the directions, and a reflection of all directions reflects the image.
#[test]
fn turned_images_have_turned_transforms() {
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let (rows, columns) = (13, 18);
    let voxels: Vec<u8> = (0..rows * columns).map(|_| u8::from(random.random_range(0..5) < 3)).collect();
    let image = AnyImage::from_slice(&voxels, &[rows, columns]).unwrap();
    // The pixel at (i, j) goes to (j, rows − 1 − i): v to (v_1, −v_0).
    let turned: Vec<u8> =
        (0..columns * rows).map(|place| voxels[(rows - 1 - place % rows) * columns + place / rows]).collect();
    let turned = AnyImage::from_slice(&turned, &[columns, rows]).unwrap();
    for construction in [Construction::V, Construction::T] {
        let request = EctRequest { construction, ..EctRequest::new(36, 40) };
        let [here, there] = [&image, &turned].map(|image| of_image(image, &request, &()).unwrap());
        for direction in 0..36 {
            // Direction k is at the angle 10 k degrees, and the turn by −90 degrees.
            assert_eq!(here.row(direction), there.row((direction + 27) % 36), "{construction}");
        }
    }
}

/// Cells of an image, given one by one as a complex, have the transform of the image.
#[test]
fn an_image_is_the_complex_of_its_cells() {
    let mut random = Pcg64Mcg::seed_from_u64(8);
    let (rows, columns) = (9, 11);
    let voxels: Vec<f64> = (0..rows * columns).map(|_| f64::from(random.random_range(0..4))).collect();
    let image = AnyImage::from_slice(&voxels, &[rows, columns]).unwrap();
    let place = |y: usize, x: usize| y * columns + x;
    let present: Vec<usize> = (0..rows * columns).filter(|&place| voxels[place] != 0.0).collect();
    let vertex = |place: usize| present.binary_search(&place).ok().map(|vertex| vertex as u32);
    let coordinates =
        present.iter().flat_map(|place| [(place / columns) as f64 - 4.0, (place % columns) as f64 - 5.0]);
    let mut complex = EmbeddedComplex::new(2, coordinates.collect()).unwrap();
    complex.set_vertex_weights(present.iter().map(|&place| voxels[place]).collect()).unwrap();
    let (mut edges, mut squares) = (Vec::new(), Vec::new());
    for (y, x) in (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x))) {
        let [here, right, below, across] = [(y, x), (y, x + 1), (y + 1, x), (y + 1, x + 1)]
            .map(|(y, x)| if y < rows && x < columns { vertex(place(y, x)) } else { None });
        edges.extend([(here, right), (here, below)].into_iter().filter_map(|(a, b)| Some([a?, b?])));
        squares.extend((|| Some([here?, right?, below?, across?]))());
    }
    complex.push_cells(1, 2, edges.as_flattened(), None).unwrap();
    complex.push_cells(2, 4, squares.as_flattened(), None).unwrap();
    let request = EctRequest { weighted: true, ..EctRequest::new(30, 25) };
    let (image, complex) =
        (of_image(&image, &request, &()).unwrap(), of_complex(&complex, &request, &()).unwrap());
    assert_eq!(image, complex);
}

/// Nothing depends on the number of threads, on vector instructions or on the order of voxels in memory.
#[test]
fn threads_instructions_and_memory_order_have_no_effect() {
    let mut random = Pcg64Mcg::seed_from_u64(77);
    let axes = [21, 34, 27];
    let values: Vec<f32> = (0..21 * 34 * 27).map(|_| random.next_u32() as f32 / 3.0).collect();
    let image = AnyImage::from_slice(&values, &axes).unwrap();
    let shape = Shape::new(&axes, Order::F).unwrap();
    let moved: Vec<f32> = (0..values.len()).map(|place| values[shape.c_place(place)]).collect();
    let moved: AnyImage = Image::new(shape, moved).unwrap().into();
    let request = EctRequest { weighted: true, ..EctRequest::new(40, 33) };
    let expected = of_image(&image, &request, &()).unwrap();
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| of_image(&image, &request, &())).unwrap(), expected);
    }
    for level in Level::available() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).start_handler(move |_| level.bind_thread());
        assert_eq!(pool.build().unwrap().install(|| of_image(&image, &request, &())).unwrap(), expected);
    }
    // Sums of weights that are not whole may be rounded differently in another order.
    let other = of_image(&moved, &request, &()).unwrap();
    assert_same(&other, &expected, &request);
    let request = EctRequest { weighted: false, ..request };
    assert_eq!(of_image(&moved, &request, &()).unwrap(), of_image(&image, &request, &()).unwrap());
}

/// The triangles of a grid of squares whose sides are joined, for a torus, or of which one triangle is left out.
fn grid(rows: u32, columns: u32, is_torus: bool) -> Vec<[u32; 3]> {
    let (row_end, column_end) = if is_torus { (rows, columns) } else { (rows - 1, columns - 1) };
    let squares = (0..row_end).flat_map(|y| (0..column_end).map(move |x| (y, x)));
    let vertex = |y: u32, x: u32| y % rows * columns + x % columns;
    let corners =
        squares.map(|(y, x)| [vertex(y, x), vertex(y, x + 1), vertex(y + 1, x), vertex(y + 1, x + 1)]);
    corners.flat_map(|[a, b, c, d]| [[a, b, c], [d, c, b]]).skip(usize::from(!is_torus)).collect()
}

/// A complex of random points with these triangles, their sides and more edges.
fn surface_of(
    triangles: &[[u32; 3]],
    edges: &[[u32; 2]],
    points: usize,
    random: &mut Pcg64Mcg,
) -> EmbeddedComplex {
    // Few different coordinates, so that many heights are the same.
    let coordinates = (0..3 * points).map(|_| f64::from(random.random_range(-4..5))).collect();
    let mut complex = EmbeddedComplex::new(3, coordinates).unwrap();
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [a, c]]);
    let mut all: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    all.sort_unstable();
    all.dedup();
    all.extend(edges);
    // Edges with their ends in either order, in any order.
    for k in (1..all.len()).rev() {
        all.swap(k, random.random_range(0..=k));
        if k % 2 == 0 {
            all[k].reverse();
        }
    }
    complex.push_cells(1, 2, all.as_flattened(), None).unwrap();
    complex.push_cells(2, 3, triangles.as_flattened(), None).unwrap();
    complex
}

/// Edges at the border of a surface remain, and those of more than two triangles or of none.
#[test]
fn edges_of_two_triangles_are_left_out() {
    let mut random = Pcg64Mcg::seed_from_u64(41);
    let torus = grid(5, 7, true);
    let cones: Vec<[u32; 3]> = (0..60).map(|k| [k / 30 * 35, 1 + k % 30, 1 + (k + 1) % 30]).collect();
    let mut hold = |triangles: &[[u32; 3]], edges: &[[u32; 2]], expected: usize| {
        for threads in [1, 2, 3] {
            let complex = surface_of(triangles, edges, 37, &mut random);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let rest = pool.install(|| complex.surface(8).unwrap().rest()).unwrap();
            assert_eq!(
                rest.map(|rest| rest.iter().map(|cells| cells.len()).sum()),
                Some(expected),
                "{edges:?}, {threads} threads"
            );
            let request =
                EctRequest { directions: random_directions(3, 59, &mut random), ..EctRequest::new(1, 12) };
            let fast = pool.install(|| of_complex(&complex, &request, &())).unwrap();
            assert_same(&fast, &plain::of_complex(&complex, &request).unwrap(), &request);
        }
    };
    hold(&cones, &[], 0);
    hold(&cones[2..], &[[0, 35]], 4 + 1);
    hold(&torus, &[], 0);
    hold(&grid(5, 7, false), &[], 2 * (4 + 6) - 2 + 1);
    hold(&torus, &[[0, 1], [3, 3], [20, 4]], 3);
    hold(&[&torus[..], &[[0, 1, 35], [0, 1, 36]]].concat(), &[], 1 + 4);
    hold(&[&torus[..], &torus[..1]].concat(), &[], 3);
    hold(&[&torus[..], &[[4, 4, 4]]].concat(), &[], 1);
    let whole = surface_of(&torus, &[], 35, &mut random);
    assert!(whole.surface(7).is_none() && whole.surface(8).is_some());
    assert!(surface_of(&[[0, 1, 2]], &[], 3, &mut random).surface(8).is_none());
    // As many edges as the surface has, but not the sides of its triangles; then with weights.
    let mut apart = surface_of(&[], &[[3, 3]; 105], 35, &mut random);
    apart.push_cells(2, 3, torus.as_flattened(), None).unwrap();
    assert_eq!(apart.surface(8).unwrap().rest().unwrap(), None);
    let mut weighted = surface_of(&[], &[], 35, &mut random);
    weighted.set_vertex_weights(vec![2.0; 35]).unwrap();
    weighted.push_cells(1, 2, &[3; 210], None).unwrap();
    weighted.push_cells(2, 3, torus.as_flattened(), None).unwrap();
    assert!(weighted.surface(8).is_none());
}

#[test]
fn a_mesh_has_the_sides_of_its_faces_once() {
    let mut polygons = crate::metric::read::Polygons::default();
    for polygon in [&[0, 1, 2][..], &[2, 1, 3], &[3, 4], &[4, 3], &[0]] {
        polygons.push(polygon, 5, &|| crate::input::Place::Whole).unwrap();
    }
    let corners = vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0];
    let mesh = EmbeddedComplex::of_mesh(2, corners, &polygons).unwrap();
    assert_eq!((mesh.len(), mesh.cells()), (5, 2 + 6));
    let ect = of_complex(&mesh, &EctRequest::new(8, 5), &()).unwrap();
    assert!((0..8).all(|direction| ect.row(direction)[4] == 1.0));
}

/// A face that is listed twice, from whichever corner and in whichever order, is one face.
#[test]
fn faces_of_meshes_are_there_once() {
    let mut polygons = crate::metric::read::Polygons::default();
    for corners in [&[0, 1, 2][..], &[2, 1, 0], &[0, 1, 2], &[0, 1, 3, 2]] {
        polygons.push(corners, 4, &|| crate::input::Place::Whole).unwrap();
    }
    let mesh = EmbeddedComplex::of_mesh(2, vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0], &polygons).unwrap();
    assert_eq!((mesh.len(), mesh.cells()), (4, 5 + 2));
}

/// The plan counts the histograms of all directions, and what exceeds all memory is refused.
#[test]
fn complexes_that_do_not_fit_are_refused() {
    let complex = EmbeddedComplex::new(2, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
    let request = EctRequest::new(80, 99);
    let plan = complex.memory_plan(&request).unwrap();
    assert_eq!((plan.bytes_of("histograms"), plan.bytes_of("the transform")), (80 * 100 * 8, 80 * 99 * 8));
    let many = EctRequest::new(1 << 40, 100);
    assert!(complex.memory_plan(&many).unwrap().peak() > 1 << 50);
    assert!(matches!(of_complex(&complex, &many, &()), Err(EctError::Memory(_))));
}

#[test]
fn axes_of_one_voxel_have_no_component() {
    let image = AnyImage::from_slice(&[1_u8; 12], &[1, 3, 4]).unwrap();
    let directions = Directions::Given { dimension: 3, components: vec![0.0, 0.0, 1.0] };
    let error = of_image(&image, &EctRequest { directions, ..EctRequest::new(1, 4) }, &()).unwrap_err();
    let expected = "expected directions of 2 components, found 3 (axes of one voxel have none)";
    assert!(error.to_string().ends_with(expected), "{error}");
}

#[test]
fn smooth_values_end_at_zero() {
    let image = AnyImage::from_slice(&[1_u8, 0, 1, 1, 1, 1], &[2, 3]).unwrap();
    let smooth = of_image(&image, &EctRequest { smooth: true, ..EctRequest::new(6, 12) }, &()).unwrap();
    let plain = of_image(&image, &EctRequest::new(6, 12), &()).unwrap();
    for direction in 0..6 {
        assert!(smooth.row(direction)[11].abs() < 1e-12);
        let mean = plain.row(direction).iter().sum::<f64>() / 12.0;
        assert!((smooth.row(direction)[0] - (plain.row(direction)[0] - mean)).abs() < 1e-12);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let image = AnyImage::from_slice(&[1.0, f64::INFINITY], &[1, 2]).unwrap();
    let ask = |request: EctRequest| of_image(&image, &request, &()).unwrap_err().to_string();
    let usual = || EctRequest::new(2, 4);
    for (request, expected) in [
        (EctRequest { bins: 0, ..usual() }, "bins: expected a number from 1 to 1073741824, found 0"),
        (EctRequest { radius: Some(0.0), ..usual() }, "radius: expected a positive finite number, found 0"),
        (EctRequest { radius: Some(1e-310), ..usual() }, "it is from 1e-290 to 1e300"),
        (EctRequest { radius: Some(1e308), ..usual() }, "it is from 1e-290 to 1e300"),
        (EctRequest { radius: Some(f64::NAN), ..usual() }, "found NaN"),
        (
            EctRequest { weighted: true, ..usual() },
            "voxel [0, 1]: expected finite coordinates and weights, found inf",
        ),
        (EctRequest::new(3, 4), "directions: expected at most two directions on a line, found 3"),
    ] {
        assert!(ask(request).contains(expected));
    }
    let mut complex = EmbeddedComplex::new(2, vec![0.0; 6]).unwrap();
    let errors = [
        EmbeddedComplex::new(2, vec![0.0; 3]).unwrap_err(),
        EmbeddedComplex::new(0, vec![]).unwrap_err(),
        EmbeddedComplex::new(2, vec![0.0, 0.0, f64::NAN, 0.0]).unwrap_err(),
        complex.push_cells(0, 1, &[0, 1, 2], None).unwrap_err(),
        complex.push_cells(1, 2, &[0, 1, 2], None).unwrap_err(),
        complex.push_cells(1, 2, &[0, 1, 2, 3], None).unwrap_err(),
        complex.push_cells(1, 2, &[0_i64, -1], None).unwrap_err(),
        complex.push_cells(1, 2, &[1_u64 << 32, 0], None).unwrap_err(),
        complex.push_cells(1, 2, &[0, 1], Some(&[])).unwrap_err(),
        complex.push_cells(1, 2, &[0, 1], Some(&[f64::INFINITY])).unwrap_err(),
        complex.set_vertex_weights(vec![1.0]).unwrap_err(),
    ];
    let expected = [
        "vertices: expected up to 2^32 points of 2 coordinates, found 3 coordinates",
        "vertices: expected up to 2^32 points of 1 coordinates, found 0 coordinates",
        "vertex 1: expected finite coordinates and weights, found NaN",
        "cells of dimension 0: expected a dimension of 1 or more, found 0",
        "cells of dimension 1: expected 2 vertices each, found 3 vertices",
        "cell 1 of dimension 1: expected vertices below 3, found 3",
        "cell 0 of dimension 1: expected vertices below 3, found -1",
        "cell 0 of dimension 1: expected vertices below 3, found 4294967296",
        "cells of dimension 1: expected 1 weights, found 0",
        "weight of cell 0 of dimension 1: expected finite coordinates and weights, found inf",
        "weights of vertices: expected 3, found 1",
    ];
    assert_eq!(errors.map(|error| error.to_string()), expected);
    assert_eq!(complex, EmbeddedComplex::new(2, vec![0.0; 6]).unwrap());
    let far = EmbeddedComplex::new(2, vec![1e200, 1e200]).unwrap();
    assert!(matches!(of_complex(&far, &usual(), &()), Err(EctError::NotFinite { .. })));
}

#[test]
fn a_run_can_be_interrupted() {
    struct Stopped;
    impl crate::progress::Progress for Stopped {
        fn is_interrupted(&self) -> bool {
            true
        }
    }
    let image = AnyImage::from_slice(&[1_u8; 64], &[8, 8]).unwrap();
    assert!(matches!(of_image(&image, &EctRequest::new(4, 4), &Stopped), Err(EctError::Interrupted(_))));
}
