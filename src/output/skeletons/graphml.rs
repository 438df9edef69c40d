//! `graphml`: nodes and branches for programs of graphs, such as networkx, igraph and Gephi.
//!
//! | of a node | content |
//! |---|---|
//! | `axis_0`, `axis_1`, … | position along each axis of the image, in units of the spacing |
//! | `degree` | number of ends of branches |
//! | `radius` | distance from the nearest voxel of background |
//!
//! | of an edge | content |
//! |---|---|
//! | `kind` | `end-end`, `junction-end`, `junction-junction` or `cycle` |
//! | `length` | length along the voxels |
//! | `voxels` | number of voxels, those of both nodes included |
//! | `mean_radius`, `least_radius` | of the radii at the voxels |
//!
//! The graph is undirected. It may have several edges between two nodes, and edges from a node to itself.

use std::io::{self, Write};

use super::Skeleton;
use crate::output::number::Shortest;

/// Keys of edges with their types.
const OF_EDGES: [(&str, &str); 5] = [
    ("kind", "string"),
    ("length", "double"),
    ("voxels", "int"),
    ("mean_radius", "double"),
    ("least_radius", "double"),
];

pub(super) fn write(skeleton: &Skeleton<'_>, out: &mut dyn Write) -> io::Result<()> {
    let graph = skeleton.graph;
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">"#)?;
    let mut key = |of: &str, name: &str, kind: &str| {
        writeln!(out, r#"<key id="{of}_{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>"#)
    };
    for axis in 0..graph.spacing.len() {
        key("node", &format!("axis_{axis}"), "double")?;
    }
    key("node", "degree", "int")?;
    key("node", "radius", "double")?;
    OF_EDGES.into_iter().try_for_each(|(name, kind)| key("edge", name, kind))?;
    writeln!(out, r#"<graph id="skeleton" edgedefault="undirected">"#)?;
    for (index, node) in graph.nodes.iter().enumerate() {
        write!(out, r#"<node id="{index}">"#)?;
        for (axis, at) in graph.position(node.voxel).into_iter().enumerate() {
            write!(out, r#"<data key="node_axis_{axis}">{}</data>"#, Shortest(at))?;
        }
        write!(out, r#"<data key="node_degree">{}</data>"#, node.degree)?;
        writeln!(out, r#"<data key="node_radius">{}</data></node>"#, Shortest(node.radius))?;
    }
    for (index, branch) in graph.branches.iter().enumerate() {
        let [source, target] = branch.nodes;
        let radii = &graph.radii[branch.voxels.clone()];
        let mean = radii.iter().sum::<f64>() / radii.len() as f64;
        let least = radii.iter().copied().fold(f64::INFINITY, f64::min);
        let number = |number: f64| Shortest(number).to_string();
        let values = [
            branch.kind.to_string(),
            number(branch.length),
            radii.len().to_string(),
            number(mean),
            number(least),
        ];
        write!(out, r#"<edge id="{index}" source="{source}" target="{target}">"#)?;
        for ((name, _), value) in OF_EDGES.into_iter().zip(values) {
            write!(out, r#"<data key="edge_{name}">{value}</data>"#)?;
        }
        writeln!(out, "</edge>")?;
    }
    writeln!(out, "</graph>\n</graphml>")
}
