//! The shapes of the cycles of long bars of spaces in data/: loops that go once around, and closed surfaces.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;
use std::path::Path;

use lacuna::metric::Distances;
use lacuna::metric::read::{DistanceOptions, Input, read_path};
use lacuna::rips::{BarSelection, Outcome, Representative, RepresentativeKind, RepresentativesRequest, Rips};

/// A space of data/ with the parameters of its run.
#[derive(Clone, Copy)]
struct Space {
    file: &'static str,
    dim: usize,
    threshold: Option<f64>,
    modulus: u32,
    /// Minimum length of a long bar.
    long: f64,
}

const CIRCLE: Space = Space { file: "circle.pts", dim: 1, threshold: None, modulus: 2, long: 0.5 };
const TORUS: Space = Space { file: "torus.pts", dim: 2, threshold: Some(2.0), modulus: 2, long: 0.8 };
const KLEIN_BOTTLE: Space =
    Space { file: "klein_bottle.lower", dim: 2, threshold: Some(0.34), modulus: 2, long: 1.0 };
const PROJECTIVE_PLANE: Space =
    Space { file: "projective_plane.dist", dim: 2, threshold: None, modulus: 2, long: 0.5 };

impl Space {
    fn over(self, modulus: u32) -> Space {
        Space { modulus, ..self }
    }

    fn distances(self) -> Distances<f32> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(self.file);
        match read_path(&path, DistanceOptions::default()).unwrap().input {
            Input::Single(distances) => distances,
            Input::Double(_) => panic!("{} is of single precision", self.file),
        }
    }

    fn run(self, bars: BarSelection) -> Outcome {
        let kinds = [RepresentativeKind::Simplices, RepresentativeKind::Cocycles, RepresentativeKind::Cycles];
        let request = RepresentativesRequest::of(kinds).bars(bars);
        let rips = Rips::new(self.distances()).max_dim(self.dim).modulus(self.modulus);
        let rips = rips.representatives(request);
        let rips = if let Some(threshold) = self.threshold { rips.threshold(threshold) } else { rips };
        rips.solve(&()).unwrap()
    }

    /// The run with the cycles of the long bars.
    fn long_bars(self) -> Outcome {
        self.run(BarSelection::Persistence(self.long.into()))
    }

    /// The sum of the lengths of the edges of a cycle.
    fn length(self, cycle: &Representative) -> f64 {
        let distances = self.distances();
        let length = |[u, v]: [usize; 2]| match &distances {
            Distances::Matrix(matrix) => f64::from(matrix.get(u, v)),
            Distances::Points(points) => f64::from(points.distance(u, v)),
            Distances::Sparse(_) => panic!("{} is no list of edges", self.file),
        };
        edges(cycle).into_iter().map(|edge| length(edge.map(|vertex| vertex as usize))).sum()
    }
}

/// The representatives of the bars of a dimension.
fn of_dimension(outcome: &Outcome, dim: usize) -> &[Representative] {
    outcome.representatives().expect("they were asked for").of_dimension(dim)
}

fn edges(found: &Representative) -> Vec<[u32; 2]> {
    let cycle = found.cycle.as_ref().expect("cycles were asked for");
    cycle.iter().map(|(edge, _)| [edge[0], edge[1]]).collect()
}

/// The closed walks of a cycle over Z/2, each as its vertices in order. Panics if a walk cannot continue, as where an
/// odd number of edges meet.
fn walks(found: &Representative) -> Vec<Vec<u32>> {
    let mut left: BTreeSet<[u32; 2]> = edges(found).into_iter().collect();
    let mut walks = Vec::new();
    while let Some(&[start, _]) = left.first() {
        let (mut walk, mut at) = (Vec::new(), start);
        while walk.is_empty() || at != start {
            let edge = *left.iter().find(|edge| edge.contains(&at)).expect("an even number of edges");
            left.remove(&edge);
            walk.push(at);
            at = if edge[0] == at { edge[1] } else { edge[0] };
        }
        walks.push(walk);
    }
    walks
}

/// The winding number of a closed walk, given the angles of vertices.
fn windings(walk: &[u32], angle: impl Fn(u32) -> f64) -> i32 {
    let next = walk.iter().cycle().skip(1);
    let turn = |(&from, &to): (&u32, &u32)| {
        let turn = angle(to) - angle(from);
        turn - TAU * (turn / TAU).round()
    };
    (walk.iter().zip(next).map(turn).sum::<f64>() / TAU).round() as i32
}

/// The coordinates of a point of a cloud.
fn coordinates(distances: &Distances<f32>, vertex: u32) -> Vec<f64> {
    let Distances::Points(points) = distances else { panic!("expected points") };
    points.point(vertex as usize).iter().map(|&x| f64::from(x)).collect()
}

/// The angle of a point around the third axis.
fn around_axis(point: &[f64]) -> f64 {
    point[1].atan2(point[0])
}

/// The angle of a point of the torus around the core of its tube.
fn around_tube(point: &[f64]) -> f64 {
    point[2].atan2(point[0].hypot(point[1]) - 2.0)
}

/// Checks that a cycle is one closed walk of `count` edges without repeated vertices, with the expected length.
fn check_loop(space: Space, found: &Representative, count: usize, expected: f64) {
    let walks = walks(found);
    assert_eq!(walks.len(), 1, "{walks:?}");
    assert_eq!(walks[0].len(), count, "{walks:?}");
    assert_eq!(BTreeSet::from_iter(&walks[0]).len(), count, "{walks:?}");
    let length = space.length(found);
    assert!((length - expected).abs() < 1e-3, "length {length}");
}

/// For a cycle of dimension 2: the number of edges by the number of triangles that meet there, and the number of
/// vertices.
fn surface(found: &Representative) -> (BTreeMap<usize, usize>, usize) {
    let mut meeting: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    let mut vertices = BTreeSet::new();
    for (triangle, _) in found.cycle.as_ref().expect("cycles were asked for").iter() {
        let &[a, b, c] = triangle else { panic!("{triangle:?} is no triangle") };
        vertices.extend([a, b, c]);
        [[a, b], [a, c], [b, c]].into_iter().for_each(|edge| *meeting.entry(edge).or_default() += 1);
    }
    let mut edges = BTreeMap::new();
    meeting.into_values().for_each(|triangles| *edges.entry(triangles).or_default() += 1);
    (edges, vertices.len())
}

/// The Euler characteristic of a cycle of dimension 2. Panics unless exactly two triangles meet at each edge.
fn euler_characteristic(found: &Representative) -> i64 {
    let (edges, vertices) = surface(found);
    assert!(edges.keys().eq([&2]), "{edges:?}");
    let triangles = found.cycle.as_ref().map_or(0, |cycle| cycle.len());
    vertices as i64 - edges[&2] as i64 + triangles as i64
}

#[test]
fn the_circle_goes_once_around() {
    let (outcome, points) = (CIRCLE.long_bars(), CIRCLE.distances());
    let long = of_dimension(&outcome, 1);
    assert_eq!(long.len(), 1);
    // The length is about 2π, but the radii are not exactly 1.
    check_loop(CIRCLE, &long[0], 18, 6.3589);
    let around = windings(&walks(&long[0])[0], |vertex| around_axis(&coordinates(&points, vertex)));
    assert_eq!(around.abs(), 1);
}

#[test]
fn every_cycle_of_edges_is_of_closed_walks() {
    for space in [CIRCLE, TORUS, KLEIN_BOTTLE, PROJECTIVE_PLANE] {
        let outcome = space.run(BarSelection::All);
        let bars = of_dimension(&outcome, 1);
        assert_eq!(bars.len(), outcome.diagram.bars(1).len());
        for found in bars {
            let length: usize = walks(found).iter().map(Vec::len).sum();
            assert_eq!(length, edges(found).len());
            assert!(length > 3, "a triangle bounds when it is born: {found:?}");
        }
    }
}

#[test]
fn the_torus_has_a_loop_around_the_hole_and_one_around_the_tube() {
    let (outcome, points) = (TORUS.long_bars(), TORUS.distances());
    let long = of_dimension(&outcome, 1);
    assert_eq!(long.len(), 2);
    check_loop(TORUS, &long[0], 30, 18.4439);
    check_loop(TORUS, &long[1], 19, 11.2580);
    let around = |found: &Representative| {
        let walk = &walks(found)[0];
        [around_axis as fn(&[f64]) -> f64, around_tube]
            .map(|angle| windings(walk, |vertex| angle(&coordinates(&points, vertex))).abs())
    };
    assert_eq!([around(&long[0]), around(&long[1])], [[1, 0], [0, 1]]);
    let shells = of_dimension(&outcome, 2);
    assert_eq!(shells.len(), 1);
    let (edges, vertices) = surface(&shells[0]);
    assert!(edges.keys().all(|triangles| triangles.is_multiple_of(2)), "{edges:?}");
    assert_eq!((shells[0].cycle.as_ref().map(|cycle| cycle.len()), vertices), (Some(352), 175));
}

#[test]
fn the_klein_bottle_has_a_loop_less_over_z3() {
    let outcome = KLEIN_BOTTLE.long_bars();
    let long = of_dimension(&outcome, 1);
    assert_eq!(long.len(), 2);
    // No loop that cannot be contracted is shorter than 1.
    check_loop(KLEIN_BOTTLE, &long[0], 17, 1.5473);
    check_loop(KLEIN_BOTTLE, &long[1], 25, 2.2451);
    let shells = of_dimension(&outcome, 2);
    assert_eq!((shells.len(), euler_characteristic(&shells[0])), (1, 0));

    let thrice = KLEIN_BOTTLE.over(3).run(BarSelection::All);
    let loops = of_dimension(&thrice, 1);
    let (long, short): (Vec<&Representative>, Vec<_>) = loops.iter().partition(|r| r.bar.is_essential());
    assert_eq!(long.len(), 1);
    check_loop(KLEIN_BOTTLE, long[0], 25, 2.2451);
    assert_eq!(of_dimension(&thrice, 2).iter().filter(|found| found.bar.is_essential()).count(), 0);
    // H₁ = Z ⊕ Z/2: the triangle that closes the surface over Z/2 has twice the other loop as its boundary over the
    // integers.
    let ended =
        short.iter().find(|found| found.death.as_ref() == Some(&shells[0].birth)).expect("a loop ends");
    assert_eq!((&ended.birth, ended.bar.death), (&of_dimension(&outcome, 1)[0].birth, shells[0].bar.birth));
}

#[test]
fn the_projective_plane_has_a_loop_over_z2_only() {
    let outcome = PROJECTIVE_PLANE.long_bars();
    let long = of_dimension(&outcome, 1);
    assert_eq!(long.len(), 1);
    check_loop(PROJECTIVE_PLANE, &long[0], 8, 8.0);
    let cocycle: BTreeSet<&[u32]> = long[0].cocycle.as_ref().unwrap().iter().map(|(edge, _)| edge).collect();
    let crossed = edges(&long[0]).iter().filter(|edge| cocycle.contains(&edge[..])).count();
    assert_eq!(crossed % 2, 1, "of a contractible loop a cocycle has an even number of edges");
    let shells = of_dimension(&outcome, 2);
    assert_eq!((shells.len(), euler_characteristic(&shells[0])), (1, 1));
    assert!(
        PROJECTIVE_PLANE.over(3).long_bars().representatives().unwrap().iter().all(|found| found.dim == 0)
    );
}
