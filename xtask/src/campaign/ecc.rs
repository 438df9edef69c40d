//! Euler characteristic curves: whole and streamed, exact and in bins, against an explicit list of cells.

use std::fs;
use std::sync::Mutex;

use lacuna::backend::Backend;
use lacuna::cubical::curves::{CurveSource, CurvesFound, ImageCurves};
use lacuna::cubical::ecc::slabs::{SlabCounter, Watch};
use lacuna::cubical::ecc::{
    Bins, BinsError, EccError, EccRequest, Vcec, VcecRows, Voxels, curve, plain, reader_of,
};
use lacuna::cubical::read::{self, ImageOptions};
use lacuna::cubical::write::ImageFile;
use lacuna::cubical::{Image, Voxel};
use lacuna::internals::Ranks;
use lacuna::with_image;

use super::images::{self, Filtered};
use super::memory::Folder;
use super::pools::{Pools, draw_ranks};
use super::subject::{Subject, same};
use lacuna::generate::Random;

/// Curves.
pub(super) struct Curves;

/// An image with the requested computation.
#[derive(Debug, Clone)]
pub(super) struct Case {
    filtered: Filtered,
    bins: Bins,
    how: How,
    /// Bytes of memory for streams beyond the minimum.
    spare: usize,
}

/// Access to the voxels.
#[derive(Debug, Clone, Copy, PartialEq)]
enum How {
    /// All voxels at once.
    Whole,
    /// One voxel after another in memory order.
    InOrder,
    /// Random access, by several threads at a time.
    Anywhere,
    /// From a file, by this number of ranks together.
    Ranks(usize),
}

impl Subject for Curves {
    type Case = Case;
    const NAME: &'static str = "ecc";
    const CROSSED: &'static str =
        "voxels, axes, order, --construction, --superlevel, --bins, --range, stream, ranks, threads, vectors";

    fn draw(random: &mut Random) -> Case {
        let most = if random.once_in(20) { [3000, 70, 17] } else { [70, 8, 6] };
        let filtered = Filtered::draw(most, random);
        let image = &filtered.image;
        let ends = [0, 0].map(|_| image.value(random.below(image.shape().count())));
        let range = match random.below(3) {
            0 => None,
            1 => Some((ends[0].min(ends[1]), ends[0].max(ends[1]))),
            _ => Some((random.within(-3, 0) as f64, random.within(0, 9) as f64 / 2.0)),
        };
        let count = random.pick(&[1, 2, 3, 7, 256, 1000]);
        let bins = if random.once_in(2) {
            Bins::Distinct
        } else {
            Bins::Uniform { count, range: range.map(|(low, high)| (low.into(), high.into())) }
        };
        let on_ranks = How::Ranks(draw_ranks(random));
        Case {
            filtered,
            bins,
            how: random.pick(&[How::Whole, How::InOrder, How::Anywhere, on_ranks]),
            spare: random.pick(&[0, 0, 1, 4096, 1 << 20]),
        }
    }

    fn options(case: &Case) -> String {
        let Case { filtered, bins, how, spare } = case;
        let bins = match bins {
            Bins::Distinct => "distinct".to_owned(),
            Bins::Uniform { count, range } => format!("{count} {}", range.is_some()),
        };
        format!("{} {bins} {how:?} {spare}", filtered.options())
    }

    fn check(case: &Case, pools: &Pools) -> Result<(), String> {
        with_image!(&case.filtered.image, image => check(case, image, pools))
    }

    fn smaller(case: &Case) -> Vec<Case> {
        let smaller = case.filtered.smaller().into_iter();
        let mut smaller: Vec<Case> = smaller.map(|filtered| Case { filtered, ..case.clone() }).collect();
        let simpler = match case.how {
            How::Whole => &[][..],
            How::Ranks(3..) => &[How::Whole, How::Ranks(2)],
            _ => &[How::Whole],
        };
        smaller.extend(simpler.iter().map(|&how| Case { how, ..case.clone() }));
        smaller
    }
}

fn check<T: Voxel>(case: &Case, image: &Image<T>, pools: &Pools) -> Result<(), String> {
    let Filtered { construction, superlevel, ref machine, .. } = case.filtered;
    let request = &EccRequest { construction, superlevel, bins: case.bins };
    if request.bins.check().is_err() {
        let found = pools.run(*machine, || curve(image, request));
        return same("bins that cannot be are refused", &found.is_err(), &true);
    }
    let found = match case.how {
        How::Whole => pools.run(*machine, || curve(image, request)).map_err(|error| error.to_string()),
        How::Ranks(ranks) => on_ranks(case, image, request, ranks, pools),
        how => pools.run(*machine, || streamed(image, request, how, case.spare)),
    };
    let has_range = image.voxels().iter().any(|voxel| voxel.value().is_finite());
    let is_finite = image.voxels().iter().all(|voxel| voxel.value().is_finite());
    let found = match found {
        Ok(found) => found,
        // Infinite voxels, or those whose range is infinite, may have no bins.
        Err(_) if matches!(request.bins, Bins::Uniform { range: None, .. }) && !has_range => {
            return Ok(());
        }
        Err(error) => return Err(format!("refused: {error}")),
    };
    let expected =
        plain::curve(image, request).map_err(|error| format!("refused by the plain version: {error}"))?;
    same(&format!("the curve, {:?}", case.how), &found, &expected)?;
    let turned = pools.run(*machine, || curve(&images::turned(image), request));
    same(
        "the curve in the other order in memory",
        &turned.map_err(|error| error.to_string()),
        &Ok(found.clone()),
    )?;
    if is_finite || request.bins != Bins::Distinct {
        let rows_are_finite = found.values.iter().all(|value| value.is_finite());
        same("rows of finite voxels are finite", &rows_are_finite, &true)?;
    }
    let entered = request.bins == Bins::Distinct
        || is_finite && matches!(request.bins, Bins::Uniform { range: None, .. });
    let last = found.euler().last().copied();
    // All cells together form a box, which is contractible.
    same("the Euler characteristic of all cells", &(entered && last != Some(1)), &false)
}

/// The curve of a stream in the minimal memory plus the spare bytes.
fn streamed<T: Voxel>(
    image: &Image<T>,
    request: &EccRequest,
    how: How,
    spare: usize,
) -> Result<Vcec, String> {
    let least = least(image, request, how)?;
    let rows = stream(image, request, how, least + spare).map_err(|error| error.to_string())?;
    rows.into_vcec().map_err(|error| error.to_string())
}

/// The minimal memory of a stream in bytes.
fn least<T: Voxel>(image: &Image<T>, request: &EccRequest, how: How) -> Result<usize, String> {
    match stream(image, request, how, 0) {
        Err(EccError::Slabs { needed, .. }) => Ok(needed),
        Ok(_) => Ok(0),
        Err(error) => Err(error.to_string()),
    }
}

/// The curve of a file that ranks share, each in the minimal memory plus the spare bytes.
fn on_ranks<T: Voxel>(
    case: &Case,
    image: &Image<T>,
    request: &EccRequest,
    ranks: usize,
    pools: &Pools,
) -> Result<Vcec, String> {
    let folder = Folder::new()?;
    let file = folder.0.join("image.npy");
    let mut bytes = Vec::new();
    let written = ImageFile::Npy.write(&case.filtered.image, None, &mut bytes);
    written
        .and_then(|()| fs::write(&file, bytes))
        .map_err(|error| format!("the image is not written: {error}"))?;
    let open = || read::open(&file, &ImageOptions::default());
    let limit = least(image, request, How::Anywhere)? + case.spare;
    let together = |ranks: &dyn Ranks| {
        let mut curves = ImageCurves::new(request, limit, None, Backend::default())?;
        curves.curves_on(ranks, &CurveSource::new(&open, false), None, &())
    };
    let found: Result<Vec<_>, _> =
        pools.on_ranks(ranks, case.filtered.machine, together).into_iter().collect();
    let found: Vec<CurvesFound> = found.map_err(|error| error.to_string())?.into_iter().flatten().collect();
    let [found] = <[_; 1]>::try_from(found).map_err(|found| format!("{} curves, not one", found.len()))?;
    found.rows.into_vcec().map_err(|error| error.to_string())
}

fn stream<T: Voxel>(
    image: &Image<T>,
    request: &EccRequest,
    how: How,
    limit: usize,
) -> Result<VcecRows, EccError> {
    let (shape, voxels) = (image.shape(), image.voxels());
    let mut streamer = SlabCounter::new(request, T::TYPE, limit)?;
    let next = Mutex::new(0);
    let in_order = |first: usize, part: &mut [T]| {
        let mut next = next.lock().expect("no reader panics");
        assert_eq!(std::mem::replace(&mut *next, first + part.len()), first, "voxels in order");
        part.copy_from_slice(&voxels[first..first + part.len()]);
        Ok(())
    };
    let anywhere = |first: usize, part: &mut [T]| {
        part.copy_from_slice(&voxels[first..first + part.len()]);
        Ok(())
    };
    let mut first = 0;
    let read_on = |part: &mut [T]| {
        first += part.len();
        anywhere(first - part.len(), part)
    };
    let range = match request.needs_range(T::TYPE) {
        true => Some(SlabCounter::range(shape.count(), read_on, &|_| ())?.ok_or(BinsError::NoneFinite)?),
        false => None,
    };
    let (in_order, anywhere) = (reader_of(in_order), reader_of(anywhere));
    let voxels = match how {
        How::Anywhere => Voxels::anywhere(&anywhere),
        _ => Voxels { read: &in_order, is_sequential: true },
    };
    streamer.curve(shape, range, voxels, None, &Watch::telling(&|_| ()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use lacuna::cubical::{Order, Shape, VoxelType};

    use super::*;

    #[test]
    fn streams_in_the_least_memory_come_in_several_slabs() {
        let shape = Shape::new(&[200, 3], Order::C).unwrap();
        let image = Image::new(shape, (0..600_u32).map(|k| k * k % 11).collect()).unwrap();
        let request = EccRequest::default();
        let Err(EccError::Slabs { needed, .. }) = stream(&image, &request, How::InOrder, 0) else {
            panic!("no image fits no memory")
        };
        let reads = AtomicUsize::new(0);
        let mut streamer = SlabCounter::new(&request, VoxelType::U32, needed).unwrap();
        let read = reader_of(|first: usize, part: &mut [u32]| {
            reads.fetch_add(1, Ordering::Relaxed);
            part.copy_from_slice(&image.voxels()[first..first + part.len()]);
            Ok(())
        });
        let watch = Watch::telling(&|_| ());
        let voxels = Voxels { read: &read, is_sequential: true };
        streamer.curve(shape, None, voxels, None, &watch).unwrap();
        let reads = reads.load(Ordering::Relaxed);
        assert!(reads > 10, "{reads} reads");
    }
}
