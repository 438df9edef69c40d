//! Thinning: every rule on words of 64 voxels against voxel by voxel; Betti numbers; the other memory order; graphs.

use lacuna::backend::{Backend, BackendRequest, Choice};
use lacuna::cubical::persistence::{self, Class};
use lacuna::cubical::thinning::graph::{SkeletonGraph, plain as plain_graph};
use lacuna::cubical::thinning::two_valued::thin_first;
use lacuna::cubical::thinning::{BitImage, Rule, ThinningRequest, plain, thin, topology};
use lacuna::cubical::{AnyImage, Cubical, Image, Order, Shape};

use super::images;
use super::pools::{Machine, Pools};
use super::subject::{Subject, same};
use lacuna::generate::Random;

/// Skeletons.
pub(super) struct Skeletons;

/// A binary image with the settings of its thinning.
#[derive(Debug, Clone)]
pub(super) struct Case {
    axes: Vec<usize>,
    order: Order,
    /// Whether each voxel is foreground, in memory order.
    voxels: Vec<bool>,
    rule: Rule,
    iterations: Option<usize>,
    machine: Machine,
}

impl Subject for Skeletons {
    type Case = Case;
    const NAME: &'static str = "thin";
    const CROSSED: &'static str = "rule, axes, order, iterations, threads, vectors";

    fn draw(random: &mut Random) -> Case {
        let rule = random.pick(&Rule::ALL);
        let axes = axes(rule, random);
        let order = random.pick(&[Order::C, Order::F]);
        let shape = Shape::new(&axes, order).expect("a few voxels");
        let kind = random.below(6);
        let parts = random.pick(&[2, 3, 5, 9]);
        let voxel = |place: usize, random: &mut Random| {
            let at = shape.coordinates(place);
            match kind {
                0 => random.once_in(parts),
                1 | 2 => !random.once_in(parts),
                3 => true,
                4 => at.iter().all(|x| x % parts != 0),
                _ => at.iter().map(|x| x / 2).sum::<usize>() % 2 == 0 || random.once_in(4 * parts),
            }
        };
        Case {
            voxels: (0..shape.count()).map(|place| voxel(place, random)).collect(),
            axes,
            order,
            rule,
            iterations: random.pick(&[None, None, Some(0), Some(1), Some(2)]),
            machine: Machine::draw(random),
        }
    }

    fn options(case: &Case) -> String {
        let Case { axes, order, voxels: _, rule, iterations, machine } = case;
        format!("{} {order:?} {rule} {iterations:?} {machine:?}", axes.len())
    }

    fn check(case: &Case, pools: &Pools) -> Result<(), String> {
        let Case { rule, iterations, machine, .. } = *case;
        let image = case.image();
        same("foreground by its coordinates", &image.places(), &case.places())?;
        let request = ThinningRequest { rule: Some(rule), iterations };
        let run = |image: &BitImage| {
            let thinned = pools.run(machine, || thin(image, &request, &mut |_| ()));
            thinned.map_err(|error| format!("refused: {error}"))
        };
        let (skeleton, figures) = run(&image)?;
        let (expected, passes) = plain::thin(&image, rule, iterations);
        let shown = |image: &BitImage| image.places();
        same(&format!("the skeleton of {rule}"), &shown(&skeleton), &shown(&expected))?;
        let counts = (figures.before, figures.after, figures.iterations);
        same("voxels before and after, iterations", &counts, &(image.count(), expected.count(), passes))?;
        if rule.keeps_topology() {
            let verdict = pools.run(machine, || topology::verify(&image, &skeleton));
            let verdict = verdict.map_err(|error| format!("no verdict: {error}"))?;
            same(&format!("topology that {rule} keeps"), &verdict.after, &verdict.before)?;
            same(&format!("components that {rule} changes"), &verdict.changed.len(), &0)?;
        }
        if rule.keeps_topology() {
            keeps_bars(case, pools)?;
        }
        has_graph(&skeleton, &image, machine, pools)?;
        let other = if case.order == Order::C { Order::F } else { Order::C };
        let turned = BitImage::of(&image.to_image(1, other), |voxel| voxel != 0);
        let places = run(&turned)?.0.places();
        same(&format!("the skeleton of {rule} in the other order in memory"), &places, &shown(&skeleton))
    }

    fn smaller(case: &Case) -> Vec<Case> {
        let voxels = case.voxels.iter().map(|&voxel| u8::from(voxel)).collect();
        let image: Image<u8> = Image::new(case.shape(), voxels).expect("as many voxels");
        let of = |image| {
            let AnyImage::U8(image) = image else { return case.clone() };
            let voxels = image.voxels().iter().map(|&voxel| voxel != 0).collect();
            Case { axes: image.shape().axes(), voxels, ..case.clone() }
        };
        let mut smaller: Vec<Case> = images::smaller(&image.into()).into_iter().map(of).collect();
        smaller.extend(case.machine.smaller().into_iter().map(|machine| Case { machine, ..case.clone() }));
        if case.order == Order::F {
            smaller.push(Case { order: Order::C, ..case.clone() });
        }
        smaller
    }
}

/// Checks that the graph of a skeleton has its components and cycles, and the nodes and branches of the plain version;
/// that its forest lacks one link for each cycle; and the radii of its nodes.
fn has_graph(skeleton: &BitImage, object: &BitImage, machine: Machine, pools: &Pools) -> Result<(), String> {
    let spacing = vec![1.0; skeleton.shape().axes().len()];
    let graph = pools.run(machine, || SkeletonGraph::new(skeleton, object, &spacing, &()));
    let graph = graph.map_err(|error| format!("no graph: {error}"))?;
    let verdict = topology::verify(skeleton, skeleton).map_err(|error| format!("no verdict: {error}"))?;
    let found = [graph.components(), graph.cycles()];
    same("components and cycles of the graph", &found, &[verdict.after.betti[0], verdict.after.betti[1]])?;
    let expected = plain_graph::outline(skeleton).map_err(|error| format!("no plain graph: {error}"))?;
    same("nodes and branches of the graph", &graph.outline(skeleton), &expected)?;
    let tree = graph.tree().map_err(|error| format!("no forest: {error}"))?;
    let roots = tree.points.iter().filter(|point| point.parent.is_none()).count();
    same("trees and cuts", &[roots, tree.cuts.len()], &found)?;
    let long = |axis: usize| if skeleton.shape().dim() > 2 - axis { 1.0 } else { f64::INFINITY };
    let spacing = [long(0), long(1), 1.0];
    let expected = graph.nodes.iter().map(|node| plain_graph::radius(object, spacing, node.voxel));
    let radii: Vec<f64> = graph.nodes.iter().map(|node| node.radius).collect();
    same("radii of the nodes", &radii, &expected.collect())
}

/// Checks that thinning the earlier value of a binary image keeps its bars.
fn keeps_bars(case: &Case, pools: &Pools) -> Result<(), String> {
    let Case { rule, iterations, machine, .. } = *case;
    let processor = Backend::new(BackendRequest { choice: Choice::Cpu, ..BackendRequest::default() });
    let request = ThinningRequest { rule: Some(rule), iterations };
    for superlevel in [false, true] {
        let values = if superlevel { [-3_i8, 9] } else { [9, -3] };
        let voxels = case.voxels.iter().map(|&voxel| values[usize::from(voxel)]).collect();
        let image: Image<i8> = Image::new(case.shape(), voxels).expect("as many voxels");
        let thinned = thin_first(&image.clone().into(), superlevel, &request, &processor, &mut |_| ());
        let AnyImage::I8(thinned) = thinned.map_err(|error| format!("refused: {error}"))?.0 else {
            return Err("the type of voxels changes".to_owned());
        };
        let asked =
            persistence::PersistenceRequest { superlevel, ..persistence::PersistenceRequest::default() };
        let bars = |image: &Image<i8>| {
            let classes = pools.run(machine, || Cubical::new(&image.clone().into(), asked).solve(&()));
            let value = |place: usize| image.voxels()[place];
            let bar = |class: &Class| (value(class.birth), class.death.map(value));
            let sorted = |classes: &Vec<Class>| {
                let mut bars: Vec<_> = classes.iter().map(bar).collect();
                bars.sort_unstable();
                bars
            };
            let classes = classes.map(|run| run.classes.dimensions.iter().map(sorted).collect::<Vec<_>>());
            classes.map_err(|error| error.to_string())
        };
        same(&format!("bars of two values before and after {rule}"), &bars(&thinned), &bars(&image))?;
    }
    Ok(())
}

/// Draws a plane for planar rules; occasionally with rows longer than a word of 64 voxels.
fn axes(rule: Rule, random: &mut Random) -> Vec<usize> {
    let mut extent = |most: usize| 1 + random.below(most);
    let kind = extent(24);
    match kind {
        1 => vec![extent(7), 60 + extent(75)],
        2 => vec![60 + extent(75), extent(7)],
        3 => vec![extent(140)],
        4..=12 if !rule.is_planar() => vec![extent(6), extent(6), extent(6)],
        13 if !rule.is_planar() => vec![extent(3), extent(4), 60 + extent(9)],
        _ => vec![extent(14), extent(14)],
    }
}

impl Case {
    fn shape(&self) -> Shape {
        Shape::new(&self.axes, self.order).expect("a few voxels")
    }

    /// Indices of the foreground in C order.
    fn places(&self) -> Vec<usize> {
        let by_coordinates = Shape::new(&self.axes, Order::C).expect("a few voxels");
        let is_black =
            |&place: &usize| self.voxels[images::place_of(self.shape(), &by_coordinates.coordinates(place))];
        (0..by_coordinates.count()).filter(is_black).collect()
    }

    fn image(&self) -> BitImage {
        let image = Image::new(self.shape(), self.voxels.clone()).expect("as many voxels");
        BitImage::of(&image, |voxel| voxel)
    }
}
