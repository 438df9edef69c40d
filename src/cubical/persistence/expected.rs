//! What the stages of a run on an image take, compared with one another.
//!
//! The first stages follow the number of voxels. To join components and to part cavities takes longer where there are many critical cells, and the
//! reduction follows its columns. Both numbers are known when critical cells have been listed; until then they are assumed to be those of an image
//! between a smooth one and noise (`lacuna generate field`, `noise`).

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

// Critical cells and columns for each voxel, where they are not known. Of noise they are 0.7 and 0.2, of what is smooth hardly any.
const CELLS: f64 = 0.2;
const COLUMNS: f64 = 0.02;

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
        stages.extend(self.later(Cost::Assumed, voxels * CELLS, voxels * COLUMNS));
        stages
    }

    /// Those after so many critical cells of each dimension have been listed.
    pub(super) fn stages_after(self, critical: [usize; 4]) -> Vec<Expected> {
        let [.., faces, maxima] = critical;
        let cells: usize = critical.iter().sum();
        // The other faces part cavities.
        self.later(Cost::Known, cells as f64, faces.saturating_sub(maxima) as f64)
    }

    fn later(self, cost: fn(f64) -> Cost, cells: f64, columns: f64) -> Vec<Expected> {
        let voxels = self.voxels as f64;
        let components = voxels * COMPONENTS + cells * COMPONENTS_OF_CELL;
        let loops = voxels * LOOPS + columns * LOOPS_OF_COLUMN;
        let mut stages = vec![stage("components and cavities", cost(components))];
        stages.extend(self.loops.then(|| stage("loops", cost(loops))));
        stages.push(stage("classes", cost(cells * CLASSES_OF_CELL)));
        // How many are wanted, and how long they are, decides.
        stages.extend(self.cycles.then(|| stage(FINDING_CYCLES, Cost::Assumed(voxels * CYCLES))));
        stages
    }
}

fn stage(stage: &'static str, cost: Cost) -> Expected {
    Expected { stage, dim: None, cost }
}
