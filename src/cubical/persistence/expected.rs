//! Expected costs of the stages of a run on an image, relative to one another.
//!
//! The first stages take time proportional to the number of voxels. Joining components and separating cavities takes
//! longer with many critical cells, of which smooth images have hardly any and noise has almost one per voxel, so the
//! cost of later stages is unknown until these are listed. The cost of reducing columns is only assumed even then,
//! since it depends on the columns that are added.

use crate::progress::{Cost, Expected};

// Nanoseconds per voxel on two threads, for images of 200³ and 3000² voxels.
const ORDER: f64 = 60.0;
const GRADIENT: f64 = 11.0;
const CRITICAL_CELLS: f64 = 30.0;
const COMPONENTS: f64 = 45.0;
const LOOPS: f64 = 18.0;
const CYCLES: f64 = 20.0;

// Nanoseconds per critical cell, and per column.
const COMPONENTS_OF_CELL: f64 = 110.0;
const CLASSES_OF_CELL: f64 = 45.0;
const LOOPS_OF_COLUMN: f64 = 4300.0;

/// The stage that computes cycles; it is begun by the caller that requests them.
pub(super) const FINDING_CYCLES: &str = "finding cycles";

/// The options of a run that determine its stages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) voxels: usize,
    /// Whether loops of a three-dimensional image are reduced.
    pub(super) loops: bool,
    /// Whether cycles are computed.
    pub(super) cycles: bool,
}

impl Asked {
    /// All stages.
    pub(super) fn stages(self) -> Vec<Expected> {
        let voxels = self.voxels as f64;
        let mut stages = vec![
            stage("order", Cost::Known(voxels * ORDER)),
            stage("gradient", Cost::Known(voxels * GRADIENT)),
            stage("critical cells", Cost::Known(voxels * CRITICAL_CELLS)),
        ];
        stages.extend(self.later([Cost::Unknown; 4]));
        stages
    }

    /// The stages that remain once the critical cells are listed; `critical` is their number in each dimension.
    pub(super) fn stages_after(self, critical: [usize; 4]) -> Vec<Expected> {
        let [.., faces, maxima] = critical;
        let (voxels, cells) = (self.voxels as f64, critical.iter().sum::<usize>() as f64);
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
        let mut stages = vec![stage("components and cavities", components)];
        stages.extend(self.loops.then(|| stage("loops", loops)));
        stages.push(stage("classes", classes));
        stages.extend(self.cycles.then(|| stage(FINDING_CYCLES, cycles)));
        stages
    }
}

fn stage(stage: &'static str, cost: Cost) -> Expected {
    Expected { stage, dim: None, cost }
}
