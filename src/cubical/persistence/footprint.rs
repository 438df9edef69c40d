//! Memory that the barcode of an image takes, estimated before it is computed.

use super::layout::GridLayout;
use super::request::PersistenceRequest;
use crate::cells::{Line, bytes_of_morse_complex, count_cells};
use crate::cubical::periodic::Periodic;
use crate::cubical::shape::Shape;
use crate::cubical::voxel::VoxelType;
use crate::memory::{self, Bytes, MemoryPlan};

/// Bytes per grid place for its key.
pub(super) const BYTES_OF_KEY: u64 = 4;

/// Bytes per grid place while voxels are sorted, beside its key: the sort word (8), the place (4), the bucket (2), and
/// 2 for the copies of words that threads distribute, a quarter of all at a time. Crowded buckets are redistributed in
/// place.
pub(super) const BYTES_OF_SORTING: u64 = 16;

/// Bytes per grid place for the code of its gradient.
const BYTES_OF_CODE: u64 = 2;

/// Bytes per grid place after that: its key and its code.
const BYTES_OF_GRADIENT: u64 = BYTES_OF_KEY + BYTES_OF_CODE;

/// Bytes per grid place for where the ways down to minima and up to maxima end. Critical cells, of which smooth images
/// have few, come on top.
const BYTES_OF_WAYS: u64 = 2 * 4;

/// Bytes per grid place of an image whose voxels are not sorted, where all keys are held.
pub(super) const BYTES_OF_PLACE: u64 = BYTES_OF_GRADIENT + BYTES_OF_WAYS;

/// Advice for an image that does not fit into memory.
pub const HELPS: &str = "a part of the image, or one of fewer voxels, takes less, and so does a curve (lacuna ecc), for images of any size";

/// Greatest number of places of a block, unless a slice has more.
const BLOCK: u64 = 1 << 26;

/// The numbers of places whose keys and codes are held in memory, where an image is computed by blocks.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// Number of places whose keys are held at a time.
    pub keys: usize,
    /// Number of places, from the first on, whose codes are held. Others are found when they are asked for.
    pub codes: usize,
}

impl Held {
    /// The numbers that memory suffices for when `taken` bytes of it are gone: an eighth of the rest is for the keys
    /// and codes of a block, and a half for codes that stay.
    pub(super) fn of(taken: u64) -> Self {
        let room = memory::room().map_or(u64::MAX, |room| room.saturating_sub(taken));
        let keys = (room / 8 / BYTES_OF_GRADIENT).min(BLOCK) as usize;
        Held { keys, codes: (room / 2 / BYTES_OF_CODE) as usize }
    }
}

/// The memory plan for the barcode of an image of this shape, by the discrete gradient. `image` is the size of the
/// image in bytes. An image of too many voxels has no stages. Whether voxels have to be sorted depends on their values;
/// it is planned for doubles, where there is room for it, and for no others.
///
/// Where the keys of all voxels do not fit, the image is computed by blocks, except for representatives
/// (`are_traced`).
pub fn memory_plan(
    shape: Shape,
    request: &PersistenceRequest,
    voxels: VoxelType,
    image: u64,
    are_traced: bool,
) -> MemoryPlan {
    if are_traced && request.cycles_need_all_cells(shape) {
        return memory_plan_of_matrix(shape, request, image);
    }
    let mut plan = MemoryPlan::new();
    if shape.dim() > 3 {
        let cells = bytes_of_morse_complex(cells(shape, request), shape.count() as u64);
        return plan.stage("critical cells", [("the image", image), ("cells and voxels", cells)], true);
    }
    let Ok(layout) = GridLayout::new(shape, Periodic::default()) else { return plan };
    let places = layout.places() as u64;
    let has_room = |bytes: u64| memory::has_room_for(image.saturating_add(bytes));
    let sorting = places * (BYTES_OF_KEY + BYTES_OF_SORTING);
    let may_be_sorted = voxels == VoxelType::F64;
    let are_sorted = may_be_sorted && has_room(sorting);
    if may_be_sorted && !are_sorted {
        let why = format!("it would take {}; doubles that need it are refused", Bytes(sorting));
        plan.shed("the sorting of voxels", why);
    }
    // Sorting takes more than what follows.
    if !(are_sorted || are_traced || has_room(places * BYTES_OF_PLACE)) {
        let Held { keys, codes } = Held::of(image);
        let block = (keys as u64).max(3 * layout.slice() as u64).min(places);
        let block = ("keys and codes of a block", block * BYTES_OF_GRADIENT);
        let codes = ("codes of voxels", places.min(codes as u64) * BYTES_OF_CODE);
        plan = plan.stage("pair", [("the image", image), block, codes], true);
        plan.shed("the keys of all voxels", format!("they would take {}", Bytes(places * BYTES_OF_PLACE)));
        return plan;
    }
    let words = if are_sorted { BYTES_OF_SORTING * places } else { 0 };
    let keys = ("keys of voxels", BYTES_OF_KEY * places);
    plan.stage("order", [("the image", image), keys, ("words and places of voxels", words)], false).stage(
        "pair",
        [
            ("the image", image),
            ("keys and codes of voxels", BYTES_OF_GRADIENT * places),
            ("ends of ways along the gradient", BYTES_OF_WAYS * places),
        ],
        true,
    )
}

/// The number of cells of an image of this shape.
fn cells(shape: Shape, request: &PersistenceRequest) -> u64 {
    let axes = Line::of(shape, request.periodic);
    count_cells(request.construction, &axes).map_or(u64::MAX, |cells| cells as u64)
}

/// Like [`memory_plan`], but for the reduction of the boundary matrix of all cells.
pub fn memory_plan_of_matrix(shape: Shape, request: &PersistenceRequest, image: u64) -> MemoryPlan {
    let axes = shape.dim() as u64;
    let cells = cells(shape, request);
    // A cell of dimension d has 2d facets, and d averages half the number of axes.
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
    use crate::cubical::{AnyImage, Construction, Order};

    #[test]
    fn the_planned_cells_are_those_that_are_listed() {
        for axes in [&[1][..], &[7], &[1, 4], &[4, 5], &[3, 1, 5], &[3, 4, 5]] {
            let shape = Shape::new(axes, Order::C).unwrap();
            let image = AnyImage::from_slice(&vec![0_u8; shape.count()], axes).unwrap();
            for construction in [Construction::T, Construction::V] {
                for periodic in Periodic::all(shape) {
                    let request =
                        PersistenceRequest { construction, periodic, ..PersistenceRequest::default() };
                    let complex = image_complex::<u32>(&image, &request, None, &()).unwrap();
                    assert_eq!(
                        cells(shape, &request),
                        complex.matrix.len() as u64,
                        "{request:?} of {axes:?}"
                    );
                }
            }
        }
    }
}
