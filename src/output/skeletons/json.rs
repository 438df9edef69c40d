//! `json`: the whole graph.
//!
//! ```text
//! {"shape":[3,5],"spacing":[1.0,1.0],"unit":null,"nodes":[
//! {"voxel":[0,0],"degree":1,"radius":1.0},
//! …
//! ],"branches":[
//! {"nodes":[0,1],"kind":"junction-end","length":2.0,"voxels":[[0,0],[0,1],[0,2]],"radii":[1.0,1.0,1.0]},
//! …
//! ]}
//! ```
//!
//! | key | value |
//! |---|---|
//! | `shape` | voxels along each axis of the image |
//! | `spacing`, `unit` | distance of neighbouring voxels along each axis; its unit, `null` if unknown |
//! | `nodes` | the nodes; a branch names them by their index, from 0 |
//! | `voxel` | coordinates of the node's voxel along the axes of the image |
//! | `degree` | number of ends of branches at the node: 0, 1, 3 or more; 2 on a `cycle` |
//! | `radius` | distance of the voxel from the nearest voxel of background |
//! | `branches` | the branches |
//! | `nodes` of a branch | the nodes at its first and last voxel |
//! | `kind` | `end-end`, `junction-end`, `junction-junction` or `cycle`, a closed path without junction |
//! | `length` | sum of the distances between consecutive voxels |
//! | `voxels`, `radii` | coordinates of its voxels from node to node, and the radius at each |

use std::io::{self, Write};

use serde::Serialize;

use super::Skeleton;
use crate::cubical::thinning::graph::{Branch, BranchKind, Node, SkeletonGraph};
use crate::output::json::Object;

#[derive(Serialize)]
struct Head<'a> {
    shape: Vec<usize>,
    spacing: &'a [f64],
    unit: Option<&'a str>,
}

#[derive(Serialize)]
struct NodeRow {
    voxel: Vec<usize>,
    degree: usize,
    radius: f64,
}

#[derive(Serialize)]
struct BranchRow<'a> {
    nodes: [usize; 2],
    kind: BranchKind,
    length: f64,
    voxels: Vec<Vec<usize>>,
    radii: &'a [f64],
}

pub(super) fn write(skeleton: &Skeleton<'_>, out: &mut dyn Write) -> io::Result<()> {
    let &Skeleton { graph, unit, .. } = skeleton;
    let SkeletonGraph { shape, spacing, nodes, branches, voxels, radii, .. } = graph;
    let head = Head { shape: shape.axes(), spacing, unit };
    let mut object = Object::begin(serde_json::to_string(&head)?, out)?;
    let row = |&Node { voxel, degree, radius, .. }: &Node| NodeRow {
        voxel: shape.coordinates(voxel),
        degree,
        radius,
    };
    object.list("nodes", nodes.iter().map(row))?;
    let row = |branch: &Branch| BranchRow {
        nodes: branch.nodes,
        kind: branch.kind,
        length: branch.length,
        voxels: voxels[branch.voxels.clone()].iter().map(|&voxel| shape.coordinates(voxel)).collect(),
        radii: &radii[branch.voxels.clone()],
    };
    object.list("branches", branches.iter().map(row))?;
    object.end()
}
