//! What the stages of a run on an image take, compared with one another.
//!
//! The first stages follow the number of voxels. To join components and to part cavities takes longer where there are many critical cells, of which
//! smooth images have hardly any and noise has almost one a voxel: what comes after them is unknown until they have been listed. How long columns
//! take to be reduced is no more than assumed even then, since it depends on what gets in their way.

use crate::progress::{Cost, Expected};

// Nanoseconds on two threads for each voxel, of images of 200³ and 3000² voxels.
const ORDER: f64 = 60.0;
const GRADIENT: f64 = 11.0;
const CRITICAL_CELLS: f64 = 30.0;
const COMPONENTS: f64 = 45.0;
const LOOPS: f64 = 18.0;
const CYCLES: f64 = 20.0;

// Nanoseconds for each critical cell, and for each column.
const COMPONENTS_OF_CELL: f64 = 110.0;
const CLASSES_OF_CELL: f64 = 45.0;
const LOOPS_OF_COLUMN: f64 = 4300.0;

/// The stage in which cycles are found, which whoever calls for them begins.
pub(super) const FINDING_CYCLES: &str = "finding cycles";

/// What is asked of a run, as far as it decides which stages there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) voxels: usize,
    /// Whether loops of space are reduced.
    pub(super) loops: bool,
    /// Whether cycles are to be found.
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

    /// Those after so many critical cells of each dimension have been listed.
    pub(super) fn stages_after(self, critical: [usize; 4]) -> Vec<Expected> {
        let [.., faces, maxima] = critical;
        let (voxels, cells) = (self.voxels as f64, critical.iter().sum::<usize>() as f64);
        // The other faces part cavities.
        let columns = faces.saturating_sub(maxima) as f64;
        self.later([
            Cost::Known(voxels * COMPONENTS + cells * COMPONENTS_OF_CELL),
            Cost::Assumed(voxels * LOOPS + columns * LOOPS_OF_COLUMN),
            Cost::Known(cells * CLASSES_OF_CELL),
            // How many are wanted, and how long they are, decides.
            Cost::Assumed(voxels * CYCLES),
        ])
    }

    /// The stages from the joining of components on, with the costs of that, of loops, of classes and of cycles.
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
