//! What is kept of a curve while its image is read: the range of its bins, if it takes a pass to find it, and the sums of the first slabs; and of
//! curves at several scales each that is done.
//!
//! The processor keeps it. A device adds up an image from the first voxel on, at all scales. Sums that are in temporary
//! files, because memory has no room for them, are kept no further than the last time that there was room. An image at a scale is smoothed again:
//! its voxels are not kept.

use crate::cubical::ecc::Vcec;
use crate::cubical::ecc::slabs::PartialCurve;
use crate::cubical::shape::Shape;
use crate::cubical::value::Value;
use crate::snapshot::{Checkpoint, Kind, Reader, SnapshotError, Writer, facts};

/// The name under which a curve that is not whole is kept.
const CURVE: &str = "curve";

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

/// Reads which image something is of, which must be this one.
fn expect_image(reader: &mut Reader<'_>, voxels: &str, shape: Shape) -> Result<(), SnapshotError> {
    let (expected, found): (_, ImageRecord) = (image_record(voxels, shape), reader.record("image")?);
    if found == expected {
        return Ok(());
    }
    let told = |(voxels, extents): ImageRecord| format!("{extents:?} voxels of {voxels}");
    Err(reader.unexpected("image", told(expected), told(found)))
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
        expect_image(&mut reader, voxels, shape)?;
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

/// The name under which the curve at a scale is kept.
fn name_of_scale(scale: usize) -> String {
    format!("scale-{scale}")
}

/// The curves at the first of several scales, as far as they are kept.
///
/// # Errors
/// [`SnapshotError`]: one is damaged, or of another image.
pub(super) fn load_scales(
    checkpoint: &dyn Checkpoint,
    voxels: &str,
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

/// Keeps the curve at a scale.
pub(super) fn save_scale(
    checkpoint: &dyn Checkpoint,
    voxels: &str,
    shape: Shape,
    scale: usize,
    curve: &Vcec,
) -> bool {
    let rows = curve.changes.len();
    let told =
        facts([("image", shape.described(voxels)), ("scale", scale.to_string()), ("rows", rows.to_string())]);
    checkpoint.save(&name_of_scale(scale), Kind::CurveAtScale, &told, &mut |out: &mut Writer<'_>| {
        out.record(&image_record(voxels, shape))?;
        // All values of a curve are of one type.
        out.record(&curve.values.iter().next().map_or(2, |value| bits(value).0))?;
        out.u64s_of(rows, curve.values.iter().map(|value| bits(value).1))?;
        out.u64s_of(rows, curve.changes.iter().map(|change| change.cast_unsigned()))
    })
}

/// Forgets all that is kept of an image, whose curves are at so many scales.
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
