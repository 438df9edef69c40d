//! Checkpoints of curves: the range of the bins if it takes a pass to find, the sums of the first slabs, and the
//! finished curves of a run at several scales.
//!
//! Sums and finished curves are saved by the CPU only: a GPU starts at the first voxel and the first scale. Sums that
//! have spilled to temporary files are not saved any more: the checkpoint keeps the last state that was entirely in
//! memory. Smoothed images are not saved; they are computed again.

use super::slabs::PartialCurve;
use super::vcec::{Values, Vcec};
use crate::cubical::shape::Shape;
use crate::cubical::value::Value;
use crate::cubical::voxel::VoxelType;
use crate::snapshot::{Checkpoint, Reader, SnapshotError, Writer, facts};

/// Name of the checkpoint of an unfinished curve.
const CURVE: &str = "curve";

/// Kinds of the checkpoints.
const PARTIAL_CURVE: &str = "partial curve";
const CURVE_AT_SCALE: &str = "curve at a scale";

/// State of an unfinished curve.
#[derive(Debug, Default)]
pub(crate) struct CurveState {
    /// Least and greatest finite value, if finding them took a pass over the image.
    pub(crate) range: Option<(Value, Value)>,
    /// Sums of the first slabs.
    pub(crate) partial: Option<PartialCurve>,
}

/// Record that identifies the image of a curve: NumPy name of the voxel type, and extents.
type ImageRecord = (String, [u64; 3]);

fn image_record(voxels: VoxelType, shape: Shape) -> ImageRecord {
    (voxels.name().to_owned(), shape.extents().map(|extent| extent as u64))
}

/// Reads the record of the image and checks that it describes the current image.
fn expect_image(reader: &mut Reader<'_>, voxels: VoxelType, shape: Shape) -> Result<(), SnapshotError> {
    let (expected, found): (_, ImageRecord) = (image_record(voxels, shape), reader.record("image")?);
    if found == expected {
        return Ok(());
    }
    let described = |(voxels, extents): ImageRecord| format!("{extents:?} voxels of {voxels}");
    Err(reader.unexpected("image", described(expected), described(found)))
}

impl CurveState {
    /// Loads the state of the curve of an image; empty if there is none.
    ///
    /// # Errors
    /// [`SnapshotError`]: the snapshot is damaged, or belongs to another image.
    pub(crate) fn load(
        checkpoint: &dyn Checkpoint,
        voxels: VoxelType,
        shape: Shape,
    ) -> Result<Self, SnapshotError> {
        let Some(snapshot) = checkpoint.load(CURVE, PARTIAL_CURVE)? else {
            return Ok(CurveState::default());
        };
        let mut reader = snapshot.payload_of(PARTIAL_CURVE)?;
        expect_image(&mut reader, voxels, shape)?;
        let (range, partial): (Option<Values>, _) = reader.table("range and sums")?;
        reader.end()?;
        let range = range.and_then(|ends| Some((ends.iter().next()?, ends.iter().nth(1)?)));
        Ok(CurveState { range, partial })
    }

    /// Saves this state.
    pub(crate) fn save(&self, checkpoint: &dyn Checkpoint, voxels: VoxelType, shape: Shape) {
        let slices = self.partial.as_ref().map_or(0, |partial| partial.slices);
        let all = shape.extents().into_iter().find(|&extent| extent > 1).unwrap_or(1);
        let described =
            facts([("image", shape.described(voxels.name())), ("slices", format!("{slices} of {all}"))]);
        checkpoint.save(CURVE, PARTIAL_CURVE, &described, &mut |out: &mut Writer<'_>| {
            // Both ends of the range are voxels, so they have one type.
            let range = self.range.map(|(low, high)| Values::from_iter([low, high]));
            out.record(&(image_record(voxels, shape), range, &self.partial))
        });
    }
}

/// Name of the checkpoint of the curve at a scale.
fn name_of_scale(scale: usize) -> String {
    format!("scale-{scale}")
}

/// Loads the saved curves at the first scales, up to the first that is missing.
///
/// # Errors
/// [`SnapshotError`]: a snapshot is damaged, or belongs to another image.
pub(crate) fn load_scales(
    checkpoint: &dyn Checkpoint,
    voxels: VoxelType,
    shape: Shape,
    scales: usize,
) -> Result<Vec<Vcec>, SnapshotError> {
    let mut curves = Vec::new();
    while curves.len() < scales
        && let Some(snapshot) = checkpoint.load(&name_of_scale(curves.len()), CURVE_AT_SCALE)?
    {
        let mut reader = snapshot.payload_of(CURVE_AT_SCALE)?;
        expect_image(&mut reader, voxels, shape)?;
        let (values, changes): (Values, Vec<i64>) = reader.table("values and changes")?;
        if values.len() != changes.len() {
            return Err(reader.unexpected("changes", values.len(), changes.len()));
        }
        reader.end()?;
        curves.push(Vcec { values, changes });
    }
    Ok(curves)
}

/// Saves the curve at a scale; returns whether it was saved.
pub(crate) fn save_scale(
    checkpoint: &dyn Checkpoint,
    voxels: VoxelType,
    shape: Shape,
    scale: usize,
    curve: &Vcec,
) -> bool {
    let rows = curve.changes.len();
    let described = facts([
        ("image", shape.described(voxels.name())),
        ("scale", scale.to_string()),
        ("rows", rows.to_string()),
    ]);
    checkpoint.save(&name_of_scale(scale), CURVE_AT_SCALE, &described, &mut |out: &mut Writer<'_>| {
        out.record(&(image_record(voxels, shape), &curve.values, &curve.changes))
    })
}

/// Removes all checkpoints of an image whose curves are computed at this many scales.
pub fn forget(checkpoint: &dyn Checkpoint, scales: usize) {
    checkpoint.forget(CURVE);
    (0..scales).for_each(|scale| checkpoint.forget(&name_of_scale(scale)));
}
