//! A JSON object: the bars, the parameters of the run, and cycles.

use std::io::{self, Write};

use serde::Serialize;

use super::Barcode;
use crate::cubical::persistence::Class;
use crate::cubical::persistence::representatives::Representative;
use crate::cubical::{Value, VoxelType};
use crate::output::json::Object;

#[derive(Serialize)]
struct Head {
    shape: Vec<usize>,
    voxels: VoxelType,
    construction: String,
    superlevel: bool,
    threshold: Option<Value>,
    max_dim: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    periodic: Vec<usize>,
}

/// Writes the object with one line per bar and one per cycle.
///
/// # Errors
/// Errors of `out`.
pub fn write(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    let head = Head {
        shape: barcode.image.shape().axes(),
        voxels: barcode.image.voxel_type(),
        construction: barcode.request.construction.to_string(),
        superlevel: barcode.request.superlevel,
        threshold: barcode.limits.threshold,
        max_dim: barcode.classes.dimensions.len().saturating_sub(1),
        periodic: barcode.request.periodic.axes().collect(),
    };
    let mut object = Object::begin(serde_json::to_string(&head)?, out)?;
    object.bars(&barcode.table())?;
    if let Some(representatives) = barcode.representatives {
        object.list("representatives", representatives.iter().map(|found| Cycle::new(barcode, found)))?;
    }
    object.end()
}

/// A bar and a cycle that represents it.
#[derive(Serialize)]
struct Cycle<'a> {
    dim: usize,
    index: usize,
    birth: Value,
    death: Option<Value>,
    birth_voxel: Vec<usize>,
    death_voxel: Option<Vec<usize>>,
    cycle: Vec<&'a [i32]>,
    voxels: Vec<Vec<usize>>,
}

impl<'a> Cycle<'a> {
    fn new(barcode: &Barcode<'_>, found: &'a Representative) -> Self {
        let (image, shape) = (barcode.image, barcode.image.shape());
        let Class { birth, death } = found.class;
        Cycle {
            dim: found.dim,
            index: found.index,
            birth: image.exact(birth),
            death: death.map(|death| image.exact(death)),
            birth_voxel: shape.coordinates(birth),
            death_voxel: death.map(|death| shape.coordinates(death)),
            cycle: found.cells.iter().collect(),
            voxels: found.voxels.iter().map(|&place| shape.coordinates(place)).collect(),
        }
    }
}
