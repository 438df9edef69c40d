//! How much memory the bars of an image take, known before they are looked for.

use super::layout::GridLayout;
use crate::cubical::shape::Shape;
use crate::memory::MemoryPlan;

/// Bytes that a place on the grid takes while voxels are put in order, which is when it takes most: a word, its bucket and the place; later
/// these are the rank, the place and the code, and critical cells, of which smooth images have few.
pub(super) const BYTES_OF_PLACE: u64 = 16;

/// Bytes of a place on the grid once voxels are in order: its rank, the place itself and the code of its gradient.
const BYTES_IN_ORDER: u64 = 4 + 4 + 2;

/// What helps where an image is too large.
pub const HELPS: &str = "a part of the image, or one of fewer voxels, takes less, and so does a curve (lacuna ecc), for images of any size";

/// The plan of the memory that the bars of an image of this shape and so many bytes take, by its gradient. An image of too many voxels has
/// no stages.
pub fn memory_plan(shape: Shape, image: u64) -> MemoryPlan {
    let plan = MemoryPlan::new();
    let Ok(layout) = GridLayout::new(shape) else { return plan };
    let places = layout.places() as u64;
    plan.stage(
        "order",
        [("the image", image), ("words and places of voxels", BYTES_OF_PLACE * places)],
        false,
    )
    .stage(
        "pair",
        [("the image", image), ("ranks, places and codes of voxels", BYTES_IN_ORDER * places)],
        true,
    )
}

/// Like [`memory_plan`], by the boundary matrix of all cells.
pub fn memory_plan_of_matrix(shape: Shape, image: u64) -> MemoryPlan {
    let axes = shape.extents().into_iter().filter(|&extent| extent > 1).count() as u32;
    let cells =
        shape.extents().into_iter().fold(1u64, |cells, extent| cells.saturating_mul(2 * extent as u64 - 1));
    // A cell of dimension d has 2d facets: half of the axes, on average.
    let entries = cells.saturating_mul(u64::from(axes));
    let index = if entries > i32::MAX as u64 { 8 } else { 4 };
    let matrix = cells.saturating_mul(1 + index).saturating_add(entries.saturating_mul(index));
    MemoryPlan::new()
        .stage(
            "boundary matrix",
            [
                ("the image", image),
                ("the boundary matrix", matrix),
                ("cells in order", cells.saturating_mul(8)),
            ],
            false,
        )
        .stage(
            "reduce",
            [
                ("the image", image),
                ("the boundary matrix", matrix),
                ("tables of cells", cells.saturating_mul(4 * index)),
            ],
            true,
        )
}
