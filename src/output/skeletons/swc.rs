//! `swc`: one line per voxel, `id type x y z radius parent`, as programs of neuron tracing read it (Cannon and others
//! 1998).
//!
//! Identifiers count from 1, each voxel comes after its parent, and a root has the parent −1. The type is 0,
//! undefined. x, y and z are the coordinates of the voxel's centre in units of the spacing: x is the axis that varies
//! fastest in the image's file, the column of PNG, TIFF and NumPy arrays in C order and the first axis of NIfTI and of
//! arrays in Fortran order. SWC holds only trees, so cycles are cut
//! ([`tree`](crate::cubical::thinning::graph::SkeletonGraph::tree)); comments name the voxels at which they were.

use std::io::{self, Write};

use super::Skeleton;
use crate::cubical::{Order, Shape};
use crate::output::number::Shortest;

pub(super) fn write(skeleton: &Skeleton<'_>, out: &mut dyn Write) -> io::Result<usize> {
    let &Skeleton { graph, unit, order } = skeleton;
    let tree = graph.tree().map_err(io::Error::other)?;
    let at = |voxel: usize| placed(graph.shape, order, graph.position(voxel)).map(Shortest);
    writeln!(
        out,
        "# skeleton of an image of {} voxels by lacuna {}",
        graph.shape,
        env!("CARGO_PKG_VERSION")
    )?;
    writeln!(out, "# unit: {}", unit.unwrap_or("that of the spacing"))?;
    for cut in &tree.cuts {
        let [[ax, ay, az], [bx, by, bz]] = cut.map(at);
        writeln!(out, "# cycle cut between {ax} {ay} {az} and {bx} {by} {bz}")?;
    }
    writeln!(out, "# id type x y z radius parent")?;
    for (index, point) in tree.points.iter().enumerate() {
        let [x, y, z] = at(point.voxel);
        let radius = Shortest(point.radius);
        write!(out, "{} 0 {x} {y} {z} {radius} ", index + 1)?;
        match point.parent {
            Some(parent) => writeln!(out, "{}", parent + 1)?,
            None => writeln!(out, "-1")?,
        }
    }
    Ok(tree.cuts.len())
}

/// The position as x, y and z, 0 where there is no axis. Of more than three axes, those of one voxel are left out.
fn placed(shape: Shape, order: Order, position: Vec<f64>) -> [f64; 3] {
    let axes = shape.axes();
    let is_shown = |axis: usize| axes.len() <= 3 || axes[axis] > 1;
    let mut shown: Vec<f64> =
        (0..axes.len()).filter(|&axis| is_shown(axis)).map(|axis| position[axis]).collect();
    if order == Order::C {
        shown.reverse();
    }
    shown.resize(3, 0.0);
    [shown[0], shown[1], shown[2]]
}
