//! The stages of a run on an image, and their expected costs relative to one another.
//!
//! The first stages take time proportional to the number of voxels. Joining components and separating cavities takes
//! longer with many critical cells, of which smooth images have hardly any and noise has almost one per voxel, so the
//! cost of later stages is unknown until these are listed. The cost of reducing columns is only assumed even then,
//! since it depends on the columns that are added.

use super::request::PersistenceRequest;
use crate::cubical::shape::Shape;
use crate::progress::{Cost, Expected};

// Nanoseconds per voxel on two threads, for smooth images of 256³ voxels; the rest below is for noise of 2048² and
// 128³.
const ORDER: f64 = 1.0;
const GRADIENT: f64 = 4.0;
const CRITICAL_CELLS: f64 = 2.0;
const COMPONENTS: f64 = 2.5;
const LOOPS: f64 = 3.0;
const CYCLES: f64 = 20.0;

// Nanoseconds per critical cell, and per column.
const COMPONENTS_OF_CELL: f64 = 60.0;
const CLASSES_OF_CELL: f64 = 45.0;
const LOOPS_OF_COLUMN: f64 = 4300.0;

/// The stage that computes cycles.
pub(in crate::cubical) const FINDING_CYCLES: &str = "finding cycles";

/// The stages needed for the requested dimensions, named by the dimensions of the grid that they settle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stages {
    voxels: f64,
    /// Dimension 0: critical edges join components.
    pub(super) components: bool,
    /// The last dimension, if there are several: critical facets separate cavities.
    pub(super) cavities: bool,
    /// Dimension 1 in space, after the other stages have left the unpaired critical cells.
    pub(super) loops: bool,
    /// Whether cycles are computed.
    cycles: bool,
}

impl Stages {
    pub(super) fn new(request: &PersistenceRequest, shape: Shape, cycles: bool) -> Self {
        let axes = shape.dim();
        let wanted = request.dimensions(shape).min(axes);
        let dimensions = request.construction.dimensions(wanted, axes);
        let loops = axes == 3 && dimensions.contains(&1);
        Stages {
            voxels: shape.count() as f64,
            components: loops || dimensions.contains(&0),
            cavities: axes > 1 && (loops || dimensions.contains(&(axes - 1))),
            loops,
            cycles,
        }
    }

    /// Whether critical voxels, edges, faces, and cells of the grid's dimension are needed.
    pub(super) fn critical_cells(self, axes: usize) -> [bool; 4] {
        let Stages { components, cavities, .. } = self;
        [components, components || cavities && axes == 2, cavities && axes == 3, cavities]
    }

    /// The costs of all stages.
    pub(super) fn expected(self) -> Vec<Expected> {
        let mut stages = vec![
            Expected::of("order", Cost::Known(self.voxels * ORDER)),
            Expected::of("gradient", Cost::Known(self.voxels * GRADIENT)),
            Expected::of("critical cells", Cost::Known(self.voxels * CRITICAL_CELLS)),
        ];
        stages.extend(self.later([Cost::Unknown; 4]));
        stages
    }

    /// The costs of the stages that remain once the critical cells are listed; `critical` is their number in each
    /// dimension.
    pub(super) fn expected_after(self, critical: [usize; 4]) -> Vec<Expected> {
        let [.., faces, maxima] = critical;
        let (voxels, cells) = (self.voxels, critical.iter().sum::<usize>() as f64);
        // The remaining faces separate cavities.
        let columns = faces.saturating_sub(maxima) as f64;
        self.later([
            Cost::Known(voxels * COMPONENTS + cells * COMPONENTS_OF_CELL),
            Cost::Assumed(voxels * LOOPS + columns * LOOPS_OF_COLUMN),
            Cost::Known(cells * CLASSES_OF_CELL),
            // The true cost depends on the number and length of the requested cycles.
            Cost::Assumed(voxels * CYCLES),
        ])
    }

    /// The stages from joining components on, with the costs of joining, of loops, of classes and of cycles.
    fn later(self, [components, loops, classes, cycles]: [Cost; 4]) -> Vec<Expected> {
        let mut stages = vec![Expected::of("components and cavities", components)];
        stages.extend(self.loops.then(|| Expected::of("loops", loops)));
        stages.push(Expected::of("classes", classes));
        stages.extend(self.cycles.then(|| Expected::of(FINDING_CYCLES, cycles)));
        stages
    }
}
