//! How much memory the bars of an image take, known before they are looked for.

use super::layout::GridLayout;
use crate::cubical::construction::Construction;
use crate::cubical::shape::Shape;
use crate::memory::MemoryPlan;

/// Bytes that a place on the grid takes while voxels are put in order, which is when it takes most: a word and the place, and the bucket and
/// the copy of words that threads deal at the time, a quarter of all; later these are the rank, the place and the code, and critical cells, of
/// which smooth images have few. Words of crowded buckets are dealt once more where they lie.
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

/// Cells of an image of this shape: along an axis of n voxels 2n − 1 of the V-construction, and 2n + 1 of the T-construction, whose vertices at
/// the border of the image are cells too.
fn cells(shape: Shape, construction: Construction) -> u64 {
    let along = |extent: &usize| match construction {
        Construction::V => 2 * *extent as u64 - 1,
        Construction::T => 2 * *extent as u64 + 1,
    };
    let axes = &shape.extents()[3 - shape.dim()..];
    axes.iter().map(along).fold(1, u64::saturating_mul)
}

/// Like [`memory_plan`], by the boundary matrix of all cells.
pub fn memory_plan_of_matrix(shape: Shape, construction: Construction, image: u64) -> MemoryPlan {
    let axes = shape.dim() as u64;
    let cells = cells(shape, construction);
    // A cell of dimension d has 2d facets: half of the axes, on average.
    let entries = cells.saturating_mul(axes);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::image_complex;
    use crate::cubical::{AnyImage, Order};

    #[test]
    fn the_planned_cells_are_those_that_are_listed() {
        for axes in [&[1][..], &[7], &[1, 4], &[4, 5], &[3, 1, 5], &[3, 4, 5]] {
            let shape = Shape::new(axes, Order::C).unwrap();
            let image = AnyImage::from_slice(&vec![0_u8; shape.count()], axes).unwrap();
            for construction in [Construction::T, Construction::V] {
                let complex = image_complex::<u32>(&image, construction, false, None, &()).unwrap();
                assert_eq!(
                    cells(shape, construction),
                    complex.matrix.len() as u64,
                    "{construction} of {axes:?}"
                );
            }
        }
    }
}
