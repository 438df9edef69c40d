//! Checkpoints of curves: the range of the bins if it takes a pass to find, the sums of the first slabs, and the
//! finished curves of a run at several scales.
//!
//! Sums and finished curves are saved by the CPU only: a GPU starts at the first voxel and the first scale. Sums that
//! have spilled to temporary files are not saved any more: the checkpoint keeps the last state that was entirely in
//! memory. Smoothed images are not saved; they are computed again.

use crate::cubical::ecc::Vcec;
use crate::cubical::ecc::slabs::PartialCurve;
use crate::cubical::shape::Shape;
use crate::cubical::value::Value;
use crate::cubical::voxel::VoxelType;
use crate::snapshot::{Checkpoint, Kind, Reader, SnapshotError, Writer, facts};

/// Name of the checkpoint of an unfinished curve.
const CURVE: &str = "curve";

/// State of an unfinished curve.
#[derive(Debug, Default)]
pub(super) struct CurveState {
    /// Least and greatest finite value, if finding them took a pass over the image.
    pub(super) range: Option<(Value, Value)>,
    /// Sums of the first slabs.
    pub(super) partial: Option<PartialCurve>,
}

/// Record of the least and greatest finite value: type and bits of each.
type RangeRecord = Option<[(u8, u64); 2]>;

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
    pub(super) fn load(
        checkpoint: &dyn Checkpoint,
        voxels: VoxelType,
        shape: Shape,
    ) -> Result<Self, SnapshotError> {
        let Some(snapshot) = checkpoint.load(CURVE, Kind::PartialCurve)? else {
            return Ok(CurveState::default());
        };
        let mut reader = snapshot.payload_of(Kind::PartialCurve)?;
        expect_image(&mut reader, voxels, shape)?;
        let range = match reader.record::<RangeRecord>("range")? {
            Some([low, high]) => Some((value(&reader, low)?, value(&reader, high)?)),
            None => None,
        };
        let is_begun: bool = reader.record("whether there are sums")?;
        let partial = is_begun.then(|| PartialCurve::read(&mut reader)).transpose()?;
        reader.end()?;
        Ok(CurveState { range, partial })
    }

    /// Saves this state.
    pub(super) fn save(&self, checkpoint: &dyn Checkpoint, voxels: VoxelType, shape: Shape) {
        let slices = self.partial.as_ref().map_or(0, PartialCurve::slices);
        let all = shape.extents().into_iter().find(|&extent| extent > 1).unwrap_or(1);
        let described =
            facts([("image", shape.described(voxels.name())), ("slices", format!("{slices} of {all}"))]);
        checkpoint.save(CURVE, Kind::PartialCurve, &described, &mut |out: &mut Writer<'_>| {
            out.record(&image_record(voxels, shape))?;
            let range: RangeRecord = self.range.map(|(low, high)| [low, high].map(bits));
            out.record(&range)?;
            out.record(&self.partial.is_some())?;
            self.partial.as_ref().map_or(Ok(()), |partial| partial.write(out))
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
pub(super) fn load_scales(
    checkpoint: &dyn Checkpoint,
    voxels: VoxelType,
    shape: Shape,
    scales: usize,
) -> Result<Vec<Vcec>, SnapshotError> {
    let mut curves = Vec::new();
    while curves.len() < scales
        && let Some(snapshot) = checkpoint.load(&name_of_scale(curves.len()), Kind::CurveAtScale)?
    {
        let mut reader = snapshot.payload_of(Kind::CurveAtScale)?;
        expect_image(&mut reader, voxels, shape)?;
        let kind: u8 = reader.record("type of the values")?;
        let values: Vec<u64> = reader.u64s("values")?.iter().map(|word| word.get()).collect();
        let changes: Vec<i64> = reader.u64s("changes")?.iter().map(|word| word.get().cast_signed()).collect();
        if values.len() != changes.len() {
            return Err(reader.unexpected("changes", values.len(), changes.len()));
        }
        let values = values.into_iter().map(|bits| value(&reader, (kind, bits)));
        let values = values.collect::<Result<Vec<Value>, SnapshotError>>()?;
        reader.end()?;
        curves.push(Vcec { values: values.into_iter().collect(), changes });
    }
    Ok(curves)
}

/// Saves the curve at a scale; returns whether it was saved.
pub(super) fn save_scale(
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
    checkpoint.save(&name_of_scale(scale), Kind::CurveAtScale, &described, &mut |out: &mut Writer<'_>| {
        out.record(&image_record(voxels, shape))?;
        // All values of a curve have one type.
        out.record(&curve.values.iter().next().map_or(2, |value| bits(value).0))?;
        out.u64s_of(rows, curve.values.iter().map(|value| bits(value).1))?;
        out.u64s_of(rows, curve.changes.iter().map(|change| change.cast_unsigned()))
    })
}

/// Removes all checkpoints of an image whose curves are computed at this many scales.
pub fn forget(checkpoint: &dyn Checkpoint, scales: usize) {
    checkpoint.forget(CURVE);
    (0..scales).for_each(|scale| checkpoint.forget(&name_of_scale(scale)));
}

fn bits(value: Value) -> (u8, u64) {
    match value {
        Value::Unsigned(value) => (0, value),
        Value::Signed(value) => (1, value.cast_unsigned()),
        Value::Double(value) => (2, value.to_bits()),
    }
}

fn value(reader: &Reader<'_>, (kind, bits): (u8, u64)) -> Result<Value, SnapshotError> {
    match kind {
        0 => Ok(Value::Unsigned(bits)),
        1 => Ok(Value::Signed(bits.cast_signed())),
        2 => Ok(Value::Double(f64::from_bits(bits))),
        other => Err(reader.unexpected("type of a value", "0, 1 or 2", other)),
    }
}
