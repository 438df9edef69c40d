//! `nifti`: NIfTI-1 and NIfTI-2, header and voxels in one file.
//!
//! The first axis varies fastest. If more than three axes are longer than one voxel, the fourth is time, of which one
//! frame can be picked, and the fifth has the components of a vector, which can be picked as channels. Voxel types are
//! those of [`VoxelType`]. Extensions of the header are skipped.
//!
//! **Scaling.** If the slope is finite and not 0, a voxel stands for slope · voxel + intercept. Unless slope and
//! intercept are 1 and 0, the image holds these values, computed in `f64`: as `f64`, or rounded to `f32` if the file
//! holds `f32`. `nibabel` does the same. The axes are those of its arrays, whatever the orientation of the head. The
//! position of the voxels in space is kept and written to a file of the same format ([`Geometry`]). The rest of the
//! header is ignored.
//!
//! A header in a file of its own (`.hdr` and `.img`, magic `ni1`) is an error.

use super::bytes::{Bytes, Tail};
use super::error::{Fault, ImageProblem, Place};
use super::layout::{FileLayout, Meaning, Scaling};
use super::options::{ImageOptions, pick};
use super::stream::Stream;
use crate::cubical::geometry::{Geometry, NiftiGeometry};
use crate::cubical::nifti::{
    self, BITPIX, CODES, DATATYPE, DIM, MAGIC, SCL_INTER, SCL_SLOPE, SIZES, VOX_OFFSET,
};
use crate::cubical::shape::Order;
use crate::cubical::value::Value;
use crate::cubical::voxel::VoxelType;

type Header<'a> = nifti::Header<&'a [u8]>;

/// Magic bytes of headers whose voxels are in another file.
const PAIRS: [&[u8]; 2] = [b"ni1\0", b"ni2\0\r\n\x1a\n"];

/// Whether a file begins as a NIfTI file does.
pub(super) fn has_magic(head: &[u8]) -> bool {
    let has = |(&pair, (place, magic)): (&&[u8], (usize, &[u8]))| {
        head.get(place..).is_some_and(|rest| rest.starts_with(magic) || rest.starts_with(pair))
    };
    PAIRS.iter().zip(MAGIC).any(has)
}

pub(super) fn open(bytes: Bytes, options: &ImageOptions) -> Result<Stream, Fault> {
    let (layout, geometry) = layout(bytes.head(), options)?;
    let geometry = Some(Geometry::Nifti(Box::new(geometry)));
    Ok(Stream { geometry, ..layout.open(bytes)? })
}

/// The number of frames, if the image has too many axes unless one frame is picked.
pub(super) fn frames(bytes: Bytes, options: &ImageOptions) -> Option<usize> {
    let axes = axes(&header(bytes.head()).ok()?).ok()?;
    let frames = usize::try_from(*axes.get(TIME)?).ok()?;
    let of_frame = ImageOptions { frame: Some(0), ..options.clone() };
    let has_to_be_picked = layout(bytes.head(), options).is_err() && layout(bytes.head(), &of_frame).is_ok();
    (frames > 1 && has_to_be_picked).then_some(frames)
}

/// A problem with a field of the header.
fn problem(
    header: &Header<'_>,
    field: nifti::Field,
    expected: impl Into<String>,
    found: impl std::fmt::Display,
) -> ImageProblem {
    ImageProblem::at(header.place(field).0 as u64, expected, found)
}

/// The layout of the voxels, and their position in space.
fn layout(head: &[u8], options: &ImageOptions) -> Result<(FileLayout, NiftiGeometry), ImageProblem> {
    let header = header(head)?;
    let all = axes(&header)?;
    let (axes, before) = picked(&all, options)?;
    let shape = options
        .shape_at(Place::Byte(header.place(DIM).0), &axes, Order::F)
        .map_err(|problem| with_note(problem, &axes))?;
    let voxels = voxels(&header)?;
    let start = start(&header)?;
    let layout = FileLayout {
        big_endian: header.big_endian,
        meaning: meaning(&header)?,
        ..FileLayout::new(shape, voxels, start)
    };
    if axes == all {
        return Ok((layout, header.geometry()));
    }
    let at = |count: Option<u64>| count?.checked_mul(voxels.bytes() as u64)?.checked_add(start);
    let first = at(before.and_then(|before| before.checked_mul(shape.count() as u64)));
    let end = at(all.iter().try_fold(1_u64, |count, &axis| count.checked_mul(axis)));
    let (Some(start), Some(whole)) = (first, end) else {
        return Err(problem(&header, DIM, "fewer than 2^64 bytes", format!("shape {all:?}")));
    };
    Ok((FileLayout { start, tail: Tail::Anything { whole }, ..layout }, header.geometry()))
}

/// The axes that are left when a frame and a channel are picked, and how many images of these axes precede the picked
/// one in the file.
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
    let found = format!("shape {axes:?}");
    if frame.is_some() && left.iter().skip(VECTOR).any(|&left| left > 1) {
        let problem = ImageProblem::whole("one channel with one frame", found);
        return Err(problem.note("--channel N takes one channel, counted from 0"));
    }
    if channel.is_some() && left.iter().skip(VECTOR + 1).any(|&left| left > 1) {
        return Err(ImageProblem::whole("five axes at most", found));
    }
    // A picked axis no longer counts as an axis.
    if frame.is_some() || channel.is_some() {
        while left.len() > TIME && left.last() == Some(&1) {
            left.pop();
        }
    }
    Ok((left, before))
}

/// Adds the options that pick a part of an image with these axes to a problem.
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

/// The header, checked for its size and magic bytes.
fn header(head: &[u8]) -> Result<Header<'_>, ImageProblem> {
    let truncated = |expected: String| ImageProblem::at(head.len() as u64, expected, "the end of the file");
    let Some(&size) = head.first_chunk::<4>() else {
        return Err(truncated("the size of a NIfTI header".to_owned()));
    };
    let found = [(i32::from_le_bytes(size), false), (i32::from_be_bytes(size), true)];
    let version = |(size, big_endian)| {
        let version = SIZES.iter().position(|&known| i32::try_from(known) == Ok(size))?;
        Some((version == 1, big_endian))
    };
    let Some((second, big_endian)) = found.into_iter().find_map(version) else {
        return Err(ImageProblem::at(0, "348 or 540, the size of a NIfTI header", found[0].0));
    };
    let length = SIZES[usize::from(second)];
    let bytes = head.get(..length).ok_or_else(|| truncated(format!("a header of {length} bytes")))?;
    let (place, magic) = MAGIC[usize::from(second)];
    let found = &bytes[place..place + magic.len()];
    if PAIRS.contains(&found) {
        let expected = "header and voxels in one file";
        let problem = ImageProblem::at(place as u64, expected, "a header whose voxels are in another");
        return Err(problem.note(
            "in Python, nibabel.save(nibabel.load(FILE), \"x.nii\") makes a single .nii file of both",
        ));
    }
    if found != magic {
        let text = format!("{:?}", String::from_utf8_lossy(found));
        let problem = ImageProblem::at(place as u64, "NIfTI's magic bytes, n+1 or n+2", text);
        // ANALYZE 7.5, which NIfTI-1 extends, has zeros here.
        let is_analyze = found == b"\0\0\0\0";
        return Err(if is_analyze {
            problem.note(
                "it is a header of ANALYZE: in Python, \
                 numpy.save(\"x.npy\", numpy.asarray(nibabel.load(FILE).dataobj)) makes an array of both files",
            )
        } else {
            problem
        });
    }
    Ok(Header { bytes, second, big_endian })
}

/// The extents along all axes.
fn axes(header: &Header<'_>) -> Result<Vec<u64>, ImageProblem> {
    let count = header.number(DIM, 0);
    let used = count.integer().filter(|count| (1..=7).contains(count));
    let used = used.ok_or_else(|| problem(header, DIM, "1 to 7 axes", count))? as usize;
    let extents: Vec<i128> = (1..=used).filter_map(|axis| header.number(DIM, axis).integer()).collect();
    let axes: Option<Vec<u64>> = extents.iter().map(|&extent| u64::try_from(extent).ok()).collect();
    axes.ok_or_else(|| {
        problem(header, DIM, "at least one voxel along each axis", format!("shape {extents:?}"))
    })
}

fn voxels(header: &Header<'_>) -> Result<VoxelType, ImageProblem> {
    let (code, bits) = (header.number(DATATYPE, 0), header.number(BITPIX, 0));
    let Some((_, voxels)) = CODES.into_iter().find(|(known, _)| Value::from(*known) == code) else {
        let names = crate::names::list(&VoxelType::ALL);
        let expected = format!("a data type for {names} (2, 4, 8, 16, 64, 256, 512, 768, 1024 or 1280)");
        return Err(problem(header, DATATYPE, expected, code));
    };
    let expected = 8 * voxels.bytes();
    if Value::from(expected as u64) != bits {
        return Err(problem(header, BITPIX, format!("{expected} bits of a {voxels}"), bits));
    }
    Ok(voxels)
}

/// The offset of the voxels.
fn start(header: &Header<'_>) -> Result<u64, ImageProblem> {
    let (found, least) = (header.number(VOX_OFFSET, 0), SIZES[usize::from(header.second)] as u64 + 4);
    let start = match found {
        Value::Double(start) => (start.fract() == 0.0 && start < 2_f64.powi(63)).then_some(start as u64),
        found => found.integer().and_then(|start| u64::try_from(start).ok()),
    };
    start.filter(|&start| start >= least).ok_or_else(|| {
        let expected = format!("a whole number from {least} on, where the voxels start");
        problem(header, VOX_OFFSET, expected, found)
    })
}

/// The relation of the numbers to the values of voxels: slope and intercept, if they change anything.
fn meaning(header: &Header<'_>) -> Result<Meaning, ImageProblem> {
    let [slope, inter] = [SCL_SLOPE, SCL_INTER].map(|field| header.number(field, 0).double());
    if slope == 0.0 || !slope.is_finite() || (slope == 1.0 && inter == 0.0) {
        return Ok(Meaning::Values);
    }
    if !inter.is_finite() {
        let expected = format!("a finite intercept with the slope {slope}");
        return Err(problem(header, SCL_SLOPE, expected, inter));
    }
    Ok(Meaning::Scaled(Scaling { slope, inter }))
}
