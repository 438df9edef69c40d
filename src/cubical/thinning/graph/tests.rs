use super::*;
use crate::cubical::persistence::PersistenceRequest;
use crate::cubical::thinning::{ThinningRequest, thin};
use crate::cubical::{Cubical, Image, Order};

/// The image drawn by these rows, `#` being foreground, plane after plane.
fn picture(axes: &[usize], rows: &str) -> BitImage {
    let voxels = rows.bytes().filter(|byte| !byte.is_ascii_whitespace()).map(|byte| u8::from(byte == b'#'));
    let image = Image::new(Shape::new(axes, Order::C).unwrap(), voxels.collect()).unwrap();
    BitImage::of(&image, |voxel| voxel == 1)
}

fn graph_of(skeleton: &BitImage) -> SkeletonGraph {
    SkeletonGraph::new(skeleton, skeleton, &vec![1.0; skeleton.shape().axes().len()], &()).unwrap()
}

/// Degrees of the nodes, then kind and length of each branch.
fn told(graph: &SkeletonGraph) -> (Vec<usize>, Vec<(BranchKind, f64)>) {
    let branches = graph.branches.iter().map(|branch| (branch.kind, branch.length)).collect();
    (graph.nodes.iter().map(|node| node.degree).collect(), branches)
}

const DIAGONAL: f64 = std::f64::consts::SQRT_2;

#[test]
fn small_graphs() {
    use BranchKind::{Cycle, EndEnd, JunctionEnd, JunctionJunction};
    let of = |axes: &[usize], rows: &str| told(&graph_of(&picture(axes, rows)));
    assert_eq!(of(&[2, 2], "...."), (vec![], vec![]));
    assert_eq!(of(&[1], "#"), (vec![0], vec![]));
    assert_eq!(of(&[4], ".##."), (vec![1, 1], vec![(EndEnd, 1.0)]));
    // A corner is no junction, and the line takes the short way around it.
    assert_eq!(of(&[3, 3], "##. .#. .##"), (vec![1, 1], vec![(EndEnd, 2.0 * DIAGONAL)]));
    assert_eq!(of(&[3, 4], "###. ..#. ..##"), (vec![1, 1], vec![(EndEnd, 1.0 + DIAGONAL + DIAGONAL)]));
    // Clusters that nothing leaves reach from end to end.
    assert_eq!(of(&[2, 2], "##.#"), (vec![1, 1], vec![(EndEnd, DIAGONAL)]));
    assert_eq!(of(&[3, 3], "#########"), (vec![1, 1], vec![(EndEnd, 2.0 * DIAGONAL)]));
    let plus = of(&[5, 5], "..#.. ..#.. ##### ..#.. ..#..");
    assert_eq!(plus, (vec![1, 4, 1, 1, 1], vec![(JunctionEnd, 2.0); 4]));
    let ring = of(&[3, 3], ".#. #.# .#.");
    assert_eq!(ring, (vec![2], vec![(Cycle, 4.0 * DIAGONAL)]));
    // Four junction voxels around a hole: the loop belongs to the node.
    let knot = of(&[5, 5], "..#.. ..#.. ##.## ..#.. ..#..");
    assert_eq!((&knot.0[..], knot.1.len()), (&[1, 6, 1, 1, 1][..], 5));
    assert_eq!(knot.1.iter().filter(|(kind, _)| *kind == JunctionJunction).count(), 1);
    let eight = of(&[3, 9], "####.#### #..###..# ####.####");
    assert_eq!((eight.0, eight.1.len()), (vec![4], 2));
    // A loop of junction voxels alone: each has a corner beside it.
    let cogged = graph_of(&picture(&[5, 5], ".##.. #..## #...# ##..# ..##."));
    assert_eq!((cogged.nodes.len(), cogged.branches.len(), cogged.cycles()), (1, 1, 1));
    assert_eq!(cogged.branches[0].kind, Cycle);
}

#[test]
fn spacings() {
    let line = picture(&[2, 1, 3], "#.. .##");
    let graph = SkeletonGraph::new(&line, &line, &[3.0, f64::NAN, 4.0], &()).unwrap();
    assert_eq!(graph.branches[0].length, 9.0);
    assert_eq!((graph.spacing.clone(), graph.position(5)), (vec![3.0, 1.0, 4.0], vec![3.0, 0.0, 8.0]));
    assert_eq!(graph.nodes.iter().map(|node| node.radius).collect::<Vec<_>>(), [3.0, 3.0]);
    let refused = |spacing: &[f64]| SkeletonGraph::new(&line, &line, spacing, &()).unwrap_err().to_string();
    assert_eq!(
        refused(&[1.0; 2]),
        "spacing: expected 3 numbers, one for each axis of the image of 2x1x3, found 2"
    );
    let expected = "spacing along axis 2: expected a finite number greater than 0, found";
    assert_eq!(refused(&[1.0, 1.0, 0.0]), format!("{expected} 0"));
    assert_eq!(refused(&[1.0, 1.0, f64::INFINITY]), format!("{expected} inf"));
}

#[test]
fn interruption() {
    struct Never;
    impl Progress for Never {
        fn is_interrupted(&self) -> bool {
            true
        }
    }
    let line = picture(&[3], "###");
    let found = SkeletonGraph::new(&line, &line, &[1.0], &Never);
    assert_eq!(found, Err(GraphError::Interrupted(Interrupted::default())));
}

/// Random images and the skeletons of some, each with its object.
fn drawn() -> impl Iterator<Item = (BitImage, BitImage)> {
    let mut state = 7_u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let shapes: [&[usize]; 9] =
        [&[9], &[4, 4], &[6, 9], &[12, 1, 12], &[3, 66], &[3, 3, 3], &[4, 5, 6], &[7, 7, 7], &[2, 3, 65]];
    (0..900_usize).map(move |number| {
        let shape = Shape::new(shapes[number % shapes.len()], Order::C).unwrap();
        let dense = 1 + random(9);
        let voxels = (0..shape.count()).map(|_| u8::from(random(10) < dense)).collect();
        let object = BitImage::of(&Image::new(shape, voxels).unwrap(), |voxel| voxel == 1);
        match number / shapes.len() % 3 {
            0 => (object.clone(), object),
            _ => (thin(&object, &ThinningRequest::default(), &mut |_| ()).unwrap().0, object),
        }
    })
}

/// The first two Betti numbers of an image, by persistent homology.
fn betti(image: &BitImage) -> [usize; 2] {
    let request = PersistenceRequest { superlevel: true, ..PersistenceRequest::default() };
    let values = image.to_image(1, Order::C).into();
    let classes = Cubical::new(&values, request).solve(&()).unwrap().classes.dimensions;
    [0, 1].map(|dim| {
        let classes = classes.get(dim).into_iter().flatten();
        classes.filter(|class| image.get(class.birth)).count()
    })
}

#[test]
fn components_and_cycles_are_those_of_the_skeleton() {
    for (skeleton, _) in drawn() {
        let graph = graph_of(&skeleton);
        assert_eq!([graph.components(), graph.cycles()], betti(&skeleton), "{:?}", skeleton.places());
    }
}

#[test]
fn graphs_are_those_of_the_plain_version() {
    for (skeleton, _) in drawn() {
        let graph = graph_of(&skeleton);
        let expected = plain::outline(&skeleton).unwrap();
        assert_eq!(graph.outline(&skeleton), expected, "{:?}", skeleton.places());
    }
}

#[test]
fn branches_lead_from_node_to_node() {
    for (skeleton, object) in drawn() {
        // All squares are exact.
        let axes = skeleton.shape().axes().len();
        let spacing = [1.5, 0.25, 2.0][3 - axes..].to_vec();
        let graph = SkeletonGraph::new(&skeleton, &object, &spacing, &()).unwrap();
        let mut degrees = vec![0; graph.nodes.len()];
        let mut next = 0;
        for branch in &graph.branches {
            assert_eq!(branch.voxels.start, next);
            next = branch.voxels.end;
            branch.nodes.iter().for_each(|&node| degrees[node] += 1);
            let path = &graph.voxels[branch.voxels.clone()];
            assert!(path.iter().all(|&place| skeleton.get(place)));
            let ends = [path[0], path[path.len() - 1]];
            assert_eq!(ends, branch.nodes.map(|node| graph.nodes[node].voxel));
            let mut length = 0.0;
            for step in path.windows(2) {
                let [a, b] = [step[0], step[1]].map(|place| skeleton.shape().coordinates(place));
                assert!(a != b && a.iter().zip(&b).all(|(a, b)| a.abs_diff(*b) <= 1));
                let [a, b] = [step[0], step[1]].map(|place| graph.position(place));
                length += a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            }
            assert!((length - branch.length).abs() <= 1e-12 * length);
        }
        assert_eq!(
            (degrees, next),
            (graph.nodes.iter().map(|node| node.degree).collect(), graph.voxels.len())
        );
        let long = skeleton.shape().long(&spacing, f64::INFINITY);
        let radius = |place: usize| plain::radius(&object, long, place);
        for (&place, &found) in graph.voxels.iter().zip(&graph.radii) {
            assert_eq!(found, radius(place));
        }
        assert!(graph.nodes.iter().all(|node| node.radius == radius(node.voxel)));
    }
}

#[test]
fn trees_lack_the_thinnest_link_of_each_cycle() {
    for (skeleton, object) in drawn() {
        let spacing = vec![1.0; skeleton.shape().axes().len()];
        let graph = SkeletonGraph::new(&skeleton, &object, &spacing, &()).unwrap();
        let tree = graph.tree().unwrap();
        let roots = tree.points.iter().filter(|point| point.parent.is_none()).count();
        assert_eq!([roots, tree.cuts.len()], [graph.components(), graph.cycles()]);
        let index = |voxel: usize| tree.points.iter().position(|point| point.voxel == voxel).unwrap();
        let path = |from: usize| std::iter::successors(Some(from), |&point| tree.points[point].parent);
        for (number, point) in tree.points.iter().enumerate() {
            assert!(point.parent.is_none_or(|parent| parent < number));
            assert!(tree.points[path(number).last().unwrap()].radius >= point.radius);
        }
        for cut in &tree.cuts {
            // No link of the path between the two voxels in the tree is thinner.
            let [a, b] = cut.map(index);
            let width = tree.points[a].radius.min(tree.points[b].radius);
            let meet = path(a).find(|&point| path(b).any(|other| other == point)).unwrap();
            let both = [a, b].into_iter().flat_map(|end| path(end).take_while(|&point| point != meet));
            assert!(both.chain([meet]).all(|point| tree.points[point].radius >= width));
        }
    }
}

#[test]
fn radii_of_thick_objects() {
    // Rows of one and of several words, objects wider than a word and reaching the border.
    for (axes, hole) in
        [(&[40, 64][..], 700), (&[40, 63], 9), (&[9, 300], 1337), (&[11, 12, 130], 8000), (&[200], 3)]
    {
        let shape = Shape::new(axes, Order::C).unwrap();
        let mut object = BitImage::new(shape).inverted();
        object.set(hole, false);
        let spacing = Spacing::new(shape, &vec![1.0; axes.len()]);
        let long = shape.long(&vec![1.0; axes.len()], f64::INFINITY);
        for place in (0..shape.count()).step_by(37) {
            assert_eq!(
                radius(&object, &spacing, place),
                plain::radius(&object, long, place),
                "{axes:?} {place}"
            );
        }
    }
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let (skeleton, object) = drawn().nth(16).unwrap();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let spacing = vec![1.0; skeleton.shape().axes().len()];
        pool.install(|| SkeletonGraph::new(&skeleton, &object, &spacing, &()).unwrap())
    };
    assert_eq!(on(1), on(4));
}
