//! `nifti`: NIfTI-1 and NIfTI-2, header and voxels in one file.
//!
//! | bytes of NIfTI-1 | of NIfTI-2 | content |
//! |---|---|---|
//! | 0–3 | 0–3 | 348 or 540, in the byte order of everything else |
//! | 344–347 | 4–11 | magic, `n+1\0` or `n+2\0\r\n\x1a\n` |
//! | 40–55 | 16–79 | the number of axes, then seven extents: `i16` or `i64` |
//! | 70–71 | 12–13 | the type of the voxels |
//! | 72–73 | 14–15 | bits of a voxel |
//! | 108–111 | 168–175 | where the voxels start: `f32` or `i64` |
//! | 112–119 | 176–191 | slope and intercept: `f32` or `f64` |
//!
//! The first axis varies fastest. Of more than three axes longer than 1, the fourth is time, of which a frame can be picked, and the fifth is
//! the components of a vector, which can be picked as channels. Types are those of [`VoxelType`]. Extensions of the header are passed over.
//!
//! **Scaling.** With a slope that is finite and not 0, a voxel stands for slope · voxel + intercept, and unless that is the
//! voxel itself (slope 1, intercept 0) the image holds these values, computed in `f64`: as `f64`, or, of `f32` voxels, rounded
//! to `f32`. That is how `nibabel` reads. Axes are as in its arrays, whatever the orientation of the head; where voxels lie in space is
//! kept for what is written in the same format ([`Geometry`]). The rest of the header is ignored.
//!
//! A header in a file of its own (`.hdr` and `.img`, magic `ni1`) is an error.

use super::bytes::Bytes;
use super::error::{Context, Fault, ImagePlace, ImageProblem, shape_at};
use super::layout::{FileLayout, Meaning, Scaling};
use super::options::{ImageOptions, pick};
use super::stream::Stream;
use crate::cubical::geometry::{Geometry, NiftiGeometry};
use crate::cubical::shape::Order;
use crate::cubical::voxel::VoxelType;

const MAGIC_2: &[u8] = b"n+2\0\r\n\x1a\n";
const PAIR_2: &[u8] = b"ni2\0\r\n\x1a\n";

/// Whether a file begins as a NIfTI file does.
pub(super) fn has_magic(head: &[u8]) -> bool {
    let at = |place: usize, magic: &[u8]| head.get(place..).is_some_and(|rest| rest.starts_with(magic));
    at(4, MAGIC_2) || at(4, PAIR_2) || at(344, b"n+1\0") || at(344, b"ni1\0")
}

pub(super) fn open(bytes: Bytes, options: &ImageOptions, context: &Context) -> Result<Stream, Fault> {
    let (layout, geometry) = layout(bytes.head(), options)?;
    let geometry = Some(Geometry::Nifti(Box::new(geometry)));
    Ok(Stream { geometry, ..layout.open(bytes, context)? })
}

/// The number of frames of an image that has too many axes without one of them picked.
pub(super) fn frames(bytes: Bytes, options: &ImageOptions) -> Option<usize> {
    let (header, second) = header(bytes.head()).ok()?;
    let (axes_at, extents) = extents(&header, second);
    let frames = axes(axes_at, extents).ok()?.get(TIME).and_then(|&frames| usize::try_from(frames).ok())?;
    let of_frame = ImageOptions { frame: Some(0), ..options.clone() };
    let has_to_be_picked = layout(bytes.head(), options).is_err() && layout(bytes.head(), &of_frame).is_ok();
    (frames > 1 && has_to_be_picked).then_some(frames)
}

/// A header, and the order of its bytes.
struct Header<'a> {
    bytes: &'a [u8],
    big_endian: bool,
}

impl Header<'_> {
    /// The bytes of a number at a place that the header has, as if they were little-endian.
    fn number<const N: usize>(&self, place: usize) -> [u8; N] {
        let mut number = [0; N];
        number.copy_from_slice(&self.bytes[place..place + N]);
        if self.big_endian {
            number.reverse();
        }
        number
    }

    fn i16(&self, place: usize) -> i16 {
        i16::from_le_bytes(self.number(place))
    }

    fn i32(&self, place: usize) -> i32 {
        i32::from_le_bytes(self.number(place))
    }

    fn i64(&self, place: usize) -> i64 {
        i64::from_le_bytes(self.number(place))
    }

    fn f32(&self, place: usize) -> f32 {
        f32::from_le_bytes(self.number(place))
    }

    fn f64(&self, place: usize) -> f64 {
        f64::from_le_bytes(self.number(place))
    }

    /// Floats of one field after the other.
    fn f32s<const N: usize>(&self, place: usize) -> [f64; N] {
        std::array::from_fn(|k| self.f32(place + 4 * k).into())
    }

    fn f64s<const N: usize>(&self, place: usize) -> [f64; N] {
        std::array::from_fn(|k| self.f64(place + 8 * k))
    }

    /// Where voxels lie in space.
    fn geometry(&self, second: bool) -> NiftiGeometry {
        if second {
            return NiftiGeometry {
                second,
                dim_info: self.bytes[524],
                pixdim: self.f64s(104),
                xyzt_units: self.i32(500),
                qform_code: self.i32(344),
                sform_code: self.i32(348),
                quaternion: self.f64s(352),
                srows: self.f64s(400),
            };
        }
        NiftiGeometry {
            second,
            dim_info: self.bytes[39],
            pixdim: self.f32s(76),
            xyzt_units: self.bytes[123].into(),
            qform_code: self.i16(252).into(),
            sform_code: self.i16(254).into(),
            quaternion: self.f32s(256),
            srows: self.f32s(280),
        }
    }
}

/// The field of the axes, `dim`, and where it is.
fn extents(header: &Header<'_>, second: bool) -> (usize, [i64; 8]) {
    match second {
        true => (16, std::array::from_fn(|k| header.i64(16 + 8 * k))),
        false => (40, std::array::from_fn(|k| header.i16(40 + 2 * k).into())),
    }
}

/// What the header says.
fn layout(head: &[u8], options: &ImageOptions) -> Result<(FileLayout, NiftiGeometry), ImageProblem> {
    let (header, second) = header(head)?;
    let (axes_at, extents) = extents(&header, second);
    let all = axes(axes_at, extents)?;
    let (axes, before) = picked(&all, options)?;
    let shape = shape_at(ImagePlace::Byte(axes_at as u64), &axes, Order::F)
        .map_err(|problem| with_note(problem, &axes))?;
    let type_at = if second { 12 } else { 70 };
    let voxels = voxels(type_at, header.i16(type_at), header.i16(type_at + 2))?;
    let start = if second { start_2(&header)? } else { start_1(&header)? };
    let scaling_at = if second { 176 } else { 112 };
    let (slope, inter) = if second {
        (header.f64(176), header.f64(184))
    } else {
        (header.f32(112).into(), header.f32(116).into())
    };
    let meaning = scaling(scaling_at, slope, inter)?.map_or(Meaning::Values, Meaning::Scaled);
    let size = voxels.bytes() as u64;
    let at = |count: Option<u64>| count?.checked_mul(size)?.checked_add(start);
    let count = |axes: &[u64]| axes.iter().try_fold(1_u64, |count, &axis| count.checked_mul(axis));
    let layout =
        FileLayout { big_endian: header.big_endian, meaning, ..FileLayout::new(shape, voxels, start) };
    let geometry = header.geometry(second);
    if axes == all {
        return Ok((layout, geometry));
    }
    let first = at(before.and_then(|before| before.checked_mul(shape.count() as u64)));
    let (Some(start), Some(whole)) = (first, at(count(&all))) else {
        let expected = "fewer than 2^64 bytes";
        return Err(ImageProblem::new(ImagePlace::Byte(axes_at as u64), expected, format!("shape {all:?}")));
    };
    Ok((FileLayout { start, whole: Some(whole), ..layout }, geometry))
}

/// The axes that are left when a frame and a channel are picked, and how many images of these lie before it in the file.
fn picked(axes: &[u64], options: &ImageOptions) -> Result<(Vec<u64>, Option<u64>), ImageProblem> {
    let extent =
        |axis: usize| axes.get(axis).map_or(1, |&extent| usize::try_from(extent).unwrap_or(usize::MAX));
    let [frame, channel] =
        [pick("frame", options.frame, extent(TIME))?, pick("channel", options.channel, extent(VECTOR))?];
    let mut left = axes.to_vec();
    let mut before = Some(0);
    // The fastest axis last.
    for (axis, pick) in [(VECTOR, channel), (TIME, frame)] {
        if let (Some(pick), true) = (pick, axis < left.len()) {
            let extent = if axis == VECTOR && frame.is_some() { axes[TIME] } else { 1 };
            before = before.and_then(|before: u64| before.checked_add((pick as u64).checked_mul(extent)?));
            left[axis] = 1;
        }
    }
    if frame.is_some() && axes.iter().skip(VECTOR).zip(left.iter().skip(VECTOR)).any(|(_, &left)| left > 1) {
        let expected = "one channel with one frame";
        let problem = ImageProblem::new(ImagePlace::Whole, expected, format!("shape {axes:?}"));
        return Err(problem.note("--channel N takes one channel, counted from 0"));
    }
    if channel.is_some() && left.iter().skip(VECTOR + 1).any(|&left| left > 1) {
        return Err(ImageProblem::new(ImagePlace::Whole, "five axes at most", format!("shape {axes:?}")));
    }
    // What has been picked is no axis any more.
    if frame.is_some() || channel.is_some() {
        while left.len() > TIME && left.last() == Some(&1) {
            left.pop();
        }
    }
    Ok((left, before))
}

/// A problem with a note on what to do with an image of these axes.
fn with_note(problem: ImageProblem, axes: &[u64]) -> ImageProblem {
    let long = |axis: usize| axes.get(axis).copied().filter(|&extent| extent > 1);
    match (long(TIME), long(VECTOR)) {
        (Some(frames), None) => {
            problem.note(format!("--frame N takes one of {frames} frames, counted from 0"))
        }
        (None, Some(of)) => problem.note(format!("--channel N takes one of {of} components, counted from 0")),
        (Some(_), Some(_)) => problem.note("--frame N and --channel N take one of each, counted from 0"),
        (None, None) => problem,
    }
}

/// The axis of time, counted from 0.
const TIME: usize = 3;

/// The axis of the components of a vector.
const VECTOR: usize = 4;

/// The header, all of it, and whether it is one of NIfTI-2.
fn header(head: &[u8]) -> Result<(Header<'_>, bool), ImageProblem> {
    let size = head.first_chunk::<4>().map(|&size| (i32::from_le_bytes(size), i32::from_be_bytes(size)));
    let (length, big_endian) = match size {
        Some((348, _)) => (348, false),
        Some((_, 348)) => (348, true),
        Some((540, _)) => (540, false),
        Some((_, 540)) => (540, true),
        Some((found, _)) => {
            let expected = "348 or 540, the size of a NIfTI header";
            return Err(ImageProblem::new(ImagePlace::Byte(0), expected, found.to_string()));
        }
        None => return Err(truncated(head, "the size of a NIfTI header")),
    };
    let bytes = head.get(..length).ok_or_else(|| truncated(head, format!("a header of {length} bytes")))?;
    let (place, magic) = if length == 540 { (4, &bytes[4..12]) } else { (344, &bytes[344..]) };
    if magic == b"ni1\0" || magic == PAIR_2 {
        let problem = ImageProblem::new(
            ImagePlace::Byte(place),
            "header and voxels in one file",
            "a header whose voxels are in another",
        );
        return Err(problem.note(
            "in Python, nibabel.save(nibabel.load(FILE), \"x.nii\") makes a single .nii file of both",
        ));
    }
    if magic != b"n+1\0" && magic != MAGIC_2 {
        let found = format!("{:?}", String::from_utf8_lossy(magic));
        let problem = ImageProblem::new(ImagePlace::Byte(place), "NIfTI's magic bytes, n+1 or n+2", found);
        // ANALYZE 7.5, of which NIfTI-1 is an extension, has zeros here.
        let is_analyze = magic == b"\0\0\0\0";
        return Err(if is_analyze {
            problem.note(
                "it is a header of ANALYZE: in Python, \
                 numpy.save(\"x.npy\", numpy.asarray(nibabel.load(FILE).dataobj)) makes an array of both files",
            )
        } else {
            problem
        });
    }
    Ok((Header { bytes, big_endian }, length == 540))
}

fn truncated(head: &[u8], expected: impl Into<String>) -> ImageProblem {
    ImageProblem::new(ImagePlace::Byte(head.len() as u64), expected, "the end of the file")
}

/// The extents.
fn axes(place: usize, [count, extents @ ..]: [i64; 8]) -> Result<Vec<u64>, ImageProblem> {
    let Some(used) = usize::try_from(count).ok().filter(|count| (1..=7).contains(count)) else {
        return Err(ImageProblem::new(ImagePlace::Byte(place as u64), "1 to 7 axes", count.to_string()));
    };
    let extents = &extents[..used];
    let mut axes = Vec::with_capacity(used);
    for &extent in extents {
        let Ok(extent) = u64::try_from(extent) else {
            let found = format!("shape {extents:?}");
            return Err(ImageProblem::new(
                ImagePlace::Byte(place as u64),
                "at least one voxel along each axis",
                found,
            ));
        };
        axes.push(extent);
    }
    Ok(axes)
}

fn voxels(place: usize, code: i16, bits: i16) -> Result<VoxelType, ImageProblem> {
    let voxels = match code {
        2 => VoxelType::U8,
        4 => VoxelType::I16,
        8 => VoxelType::I32,
        16 => VoxelType::F32,
        64 => VoxelType::F64,
        256 => VoxelType::I8,
        512 => VoxelType::U16,
        768 => VoxelType::U32,
        1024 => VoxelType::I64,
        1280 => VoxelType::U64,
        found => {
            let names = crate::names::list(&VoxelType::ALL);
            let expected = format!("a data type for {names} (2, 4, 8, 16, 64, 256, 512, 768, 1024 or 1280)");
            return Err(ImageProblem::new(ImagePlace::Byte(place as u64), expected, found.to_string()));
        }
    };
    let expected = 8 * voxels.bytes();
    if usize::try_from(bits) != Ok(expected) {
        let expected = format!("{expected} bits of a {voxels}");
        return Err(ImageProblem::new(ImagePlace::Byte(place as u64 + 2), expected, bits.to_string()));
    }
    Ok(voxels)
}

/// Where the voxels of NIfTI-1 start.
fn start_1(header: &Header) -> Result<u64, ImageProblem> {
    let found = header.f32(108);
    // Past 2^24 an f32 still holds the even numbers, and so on.
    if found >= 352.0 && found.fract() == 0.0 && found < 2_f32.powi(63) {
        Ok(found as u64)
    } else {
        Err(ImageProblem::new(
            ImagePlace::Byte(108),
            "a whole number from 352 on, where the voxels start",
            found.to_string(),
        ))
    }
}

/// Where the voxels of NIfTI-2 start.
fn start_2(header: &Header) -> Result<u64, ImageProblem> {
    let found = header.i64(168);
    let start = u64::try_from(found).ok().filter(|&start| start >= 544);
    start.ok_or_else(|| {
        ImageProblem::new(
            ImagePlace::Byte(168),
            "a number from 544 on, where the voxels start",
            found.to_string(),
        )
    })
}

/// What slope and intercept do, if anything.
fn scaling(place: u64, slope: f64, inter: f64) -> Result<Option<Scaling>, ImageProblem> {
    if slope == 0.0 || !slope.is_finite() || (slope == 1.0 && inter == 0.0) {
        return Ok(None);
    }
    if !inter.is_finite() {
        let expected = format!("a finite intercept with the slope {slope}");
        return Err(ImageProblem::new(ImagePlace::Byte(place), expected, inter.to_string()));
    }
    Ok(Some(Scaling { slope, inter }))
}
