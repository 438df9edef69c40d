//! What is kept of a curve while its image is read: the range of its bins, if it takes a pass to find it, and the sums of the first slabs.
//!
//! The processor keeps it. A device adds up an image from the first voxel on, and so do curves at several scales. Sums that are in temporary
//! files, because memory has no room for them, are kept no further than the last time that there was room.

use super::CURVE;
use crate::cubical::ecc::slabs::PartialCurve;
use crate::cubical::shape::Shape;
use crate::cubical::value::Value;
use crate::snapshot::{Checkpoint, Kind, Reader, SnapshotError, Writer, facts};

/// A curve that is not whole.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The least finite value and the greatest, where it takes a pass over the image to know them.
    pub(super) range: Option<(Value, Value)>,
    /// The sums of the first slabs.
    pub(super) partial: Option<PartialCurve>,
}

/// The least finite value and the greatest, as a record: of each its type and its bits.
type RangeRecord = Option<[(u8, u64); 2]>;

/// The image that a curve is of: the type of its voxels and its extents.
type ImageRecord = (String, [u64; 3]);

fn image_record(voxels: &str, shape: Shape) -> ImageRecord {
    (voxels.to_owned(), shape.extents().map(|extent| extent as u64))
}

impl Kept {
    /// What is kept of the curve of an image, nothing if nothing is.
    ///
    /// # Errors
    /// [`SnapshotError`]: it is damaged, or of another image.
    pub(super) fn load(
        checkpoint: &dyn Checkpoint,
        voxels: &str,
        shape: Shape,
    ) -> Result<Self, SnapshotError> {
        let Some(snapshot) = checkpoint.load(CURVE, Kind::PartialCurve)? else { return Ok(Kept::default()) };
        let mut reader = snapshot.payload_of(Kind::PartialCurve)?;
        let (expected, found): (_, ImageRecord) = (image_record(voxels, shape), reader.record("image")?);
        if found != expected {
            let told = |(voxels, extents): ImageRecord| format!("{extents:?} voxels of {voxels}");
            return Err(reader.unexpected("image", told(expected), told(found)));
        }
        let range = match reader.record::<RangeRecord>("range")? {
            Some([low, high]) => Some((value(&reader, low)?, value(&reader, high)?)),
            None => None,
        };
        let is_begun: bool = reader.record("whether there are sums")?;
        let partial = is_begun.then(|| PartialCurve::read(&mut reader)).transpose()?;
        reader.end()?;
        Ok(Kept { range, partial })
    }

    /// Keeps it.
    pub(super) fn save(&self, checkpoint: &dyn Checkpoint, voxels: &str, shape: Shape) {
        let slices = self.partial.as_ref().map_or(0, PartialCurve::slices);
        let all = shape.extents().into_iter().find(|&extent| extent > 1).unwrap_or(1);
        let told = facts([("image", shape.described(voxels)), ("slices", format!("{slices} of {all}"))]);
        checkpoint.save(CURVE, Kind::PartialCurve, &told, &mut |out: &mut Writer<'_>| {
            out.record(&image_record(voxels, shape))?;
            let range: RangeRecord = self.range.map(|(low, high)| [low, high].map(bits));
            out.record(&range)?;
            out.record(&self.partial.is_some())?;
            self.partial.as_ref().map_or(Ok(()), |partial| partial.write(out))
        });
    }
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
