//! Statistics of `lacuna cubical`: the object of `--stats` and the lines of `-v`.

use std::path::Path;

use lacuna::cubical::thinning::Rule;
use lacuna::cubical::{Shape, Value, VoxelType, persistence};
use lacuna::internals::name_of;
use lacuna::matrix;
use lacuna::memory::MemoryPlan;
use serde::Serialize;

use crate::cli::notes::{counted, tell, timing_line};

/// The way in which bars are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Way {
    /// A discrete gradient of the image, without a list of cells.
    Gradient,
    /// The boundary matrix of all cells.
    Matrix,
}

/// The JSON object of `--stats FILE`.
///
/// | key | value |
/// |---|---|
/// | `version` | of the program |
/// | `file`, `shape`, `voxels` | the image, voxels along its axes, their type |
/// | `construction`, `superlevel`, `threshold` | the filtration |
/// | `via`, `backend`, `threads` | how, and what did the work |
/// | `finite`, `essential` | bars of each dimension |
/// | `figures` | of `--via gradient`: what was counted, and its stages: [`lacuna::cubical::persistence::PersistenceStatistics`] |
/// | `matrix` | of `--via matrix`: cells, entries, index width, seconds to build it, what its reduction counted |
/// | `thinning` | of `--thin`: the rule, iterations, voxels before and after, seconds |
/// | `cycles`, `cycles_seconds` | of `--representatives`: how many there are, and classes to cycles |
/// | `read_seconds` | file to image |
/// | `persistence_seconds` | image to classes |
/// | `write_seconds`, `total_seconds` | classes to output; the whole run, up to this file |
#[derive(Debug, Serialize)]
pub(crate) struct Record {
    pub(crate) version: &'static str,
    pub(crate) file: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) voxels: VoxelType,
    pub(crate) construction: String,
    pub(crate) superlevel: bool,
    pub(crate) threshold: Option<Value>,
    pub(crate) via: Way,
    pub(crate) backend: String,
    pub(crate) threads: usize,
    pub(crate) memory: MemoryPlan,
    pub(crate) finite: Vec<usize>,
    pub(crate) essential: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) figures: Option<persistence::PersistenceStatistics>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) matrix: Option<MatrixRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) thinning: Option<ThinningRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cycles: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cycles_seconds: Option<f64>,
    pub(crate) read_seconds: f64,
    pub(crate) persistence_seconds: f64,
    pub(crate) write_seconds: f64,
    pub(crate) total_seconds: f64,
}

/// The JSON object of `--stats FILE` for several images.
///
/// | key | value |
/// |---|---|
/// | `version` | of the program |
/// | `images` | the object above, of each image that has an answer |
/// | `failed` | the number of the others |
/// | `total_seconds` | the whole run, up to this file |
#[derive(Debug, Serialize)]
pub(crate) struct Records<'a> {
    pub(crate) version: &'static str,
    pub(crate) images: &'a [Record],
    pub(crate) failed: usize,
    pub(crate) total_seconds: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct ThinningRecord {
    pub(crate) rule: Rule,
    pub(crate) iterations: usize,
    pub(crate) voxels: [usize; 2],
    pub(crate) seconds: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct MatrixRecord {
    pub(crate) cells: usize,
    pub(crate) entries: usize,
    pub(crate) index_bits: usize,
    pub(crate) building_seconds: f64,
    pub(crate) figures: matrix::Figures,
}

impl Record {
    /// Prints the lines of `-v`.
    pub(crate) fn tell(&self, shape: Shape) {
        tell(format_args!("{}: {}", name_of(Path::new(&self.file)), shape.described(self.voxels)));
        for (dim, (finite, essential)) in self.finite.iter().zip(&self.essential).enumerate() {
            tell(format_args!("dimension {dim}: {}, {essential} essential", counted(*finite, "bar")));
        }
        tell(timing_line("read", self.read_seconds));
        if let Some(ThinningRecord { rule, iterations, voxels: [before, after], seconds }) = &self.thinning {
            tell(timing_line("thin", *seconds));
            let (before, iterations) = (counted(*before, "voxel"), counted(*iterations, "iteration"));
            tell(format_args!("  {before}, {after} left by {rule} after {iterations}"));
        }
        tell(timing_line("persistence", self.persistence_seconds));
        let building = self.matrix.iter().map(|matrix| ("build matrix".into(), matrix.building_seconds));
        let reduction = self.matrix.iter().flat_map(|matrix| &matrix.figures.stages).cloned();
        let gradient = self.figures.iter().flat_map(|figures| &figures.stages).cloned();
        for (stage, seconds) in building.chain(reduction).chain(gradient) {
            tell(timing_line(&format!("  {stage}"), seconds));
        }
        if let Some((cycles, seconds)) = self.cycles.zip(self.cycles_seconds) {
            tell(format_args!("{}, {}", timing_line("cycles", seconds), counted(cycles, "cycle")));
        }
        tell(timing_line("write", self.write_seconds));
        tell(timing_line("total", self.total_seconds));
    }
}
