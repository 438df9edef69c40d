//! Curves of images of four axes, and of images with periodic axes, from curves of images of three without.
//!
//! Cut the image into its slices f₀, f₁, …, fₙ along an axis. Each cell of the complex is the product of a cell of the
//! other axes and of a point or an interval of this one. An interval adds one to its dimension, and so changes its sign
//! in χ. So χ is the sum over the slices, each as if it were alone along the axis, and over the places where two slices
//! f and g meet:
//!
//! | construction | a slice alone | where f and g meet | in χ |
//! |---|---|---|---|
//! | V | a point | an interval comes, along which a cell enters as in the image of the later voxel of each pair | −χ(max(f, g)) |
//! | T | an interval with two ends | two ends become one, at which a cell enters as in the image of the earlier voxel of each pair | χ(min(f, g)) − χ(f) − χ(g) |
//!
//! Along four axes, neighbouring slices meet. Along a periodic axis the last slice meets the first, and the rest is the
//! image without that.

use rayon::prelude::*;

use super::bins::{Bins, BinsError, finite_range};
use super::dispatch::{STAGE, curve_by as curve_of_three};
use super::error::MachineError;
use super::request::EccRequest;
use super::vcec::Vcec;
use crate::backend::{Backend, Decision};
use crate::cubical::construction::Construction;
use crate::cubical::image::{AnyImage, Image, Voxel};
use crate::cubical::periodic::Periodic;
use crate::cubical::shape::{Order, Shape};
use crate::cubical::value::Value;
use crate::memory::{self, Refused};
use crate::parallel;
use crate::progress::{Progress, check};
use crate::with_image;

/// Number of rows from which on equal values are added up.
const MANY: usize = 1 << 22;

/// Computes the curve of an image of up to four axes, some of which may be periodic. The unit of work that is reported
/// to `progress` is a voxel.
///
/// # Errors
/// The errors of [`curve_of_three`]; an axis cannot be periodic.
pub(super) fn curve_by(
    image: &AnyImage,
    periodic: Periodic,
    request: &EccRequest,
    backend: &Backend,
    progress: &dyn Progress,
) -> Result<(Vcec, Decision), MachineError> {
    periodic.check(image.shape())?;
    let mut request = *request;
    if let Bins::Uniform { range: None, .. } = request.bins {
        let range = with_image!(image, image => finite_range(image.voxels()));
        request = request.with_range(Some(range.ok_or(BinsError::NoneFinite)?));
    }
    let sum = Sum { request, rows: Vec::new(), most: MANY };
    let mut slices = Slices { whole: image, backend, progress, sum, decision: None };
    with_image!(image, voxels => slices.add(voxels, periodic.in_memory(image.shape()), 1))?;
    let decision = slices.decision.expect("an image has slices of three axes");
    Ok((slices.sum.curve(), decision))
}

/// The sum of the curves of slices.
struct Slices<'a> {
    whole: &'a AnyImage,
    backend: &'a Backend,
    progress: &'a dyn Progress,
    sum: Sum,
    /// The device of the last slice.
    decision: Option<Decision>,
}

impl Slices<'_> {
    /// Adds, so many times, the curve of the whole image or of a slice that is periodic along the axes that `closed`
    /// marks, the slowest in memory first.
    fn add<T: Voxel>(
        &mut self,
        image: &Image<T>,
        mut closed: [bool; 4],
        times: i64,
    ) -> Result<(), MachineError> {
        check(self.progress);
        let (shape, is_t) = (image.shape(), self.sum.request.construction == Construction::T);
        if let Some(axis) = closed.iter().position(|&is_closed| is_closed) {
            closed[axis] = false;
            self.add(image, closed, times)?;
            closed[..=axis].rotate_right(1);
            let last = shape.four_extents()[axis] - 1;
            let (last, first) = (slice(image, axis, last)?, slice(image, axis, 0)?);
            if is_t {
                self.add(&last, closed, -times)?;
                self.add(&first, closed, -times)?;
            }
            self.meet(&last, &first, closed, times)
        } else if shape.dim() > 3 {
            self.progress.begin(STAGE, None, shape.count() as u64);
            let count = shape.four_extents()[0];
            let mut before: Option<Image<T>> = None;
            for k in 0..count {
                let slice = slice(image, 0, k)?;
                let meets = i64::from(k > 0) + i64::from(k + 1 < count);
                self.add(&slice, closed, times * if is_t { 1 - meets } else { 1 })?;
                if let Some(before) = &before {
                    self.meet(before, &slice, closed, times)?;
                }
                self.progress.advance(slice.shape().count() as u64);
                before = Some(slice);
            }
            Ok(())
        } else {
            let request = self.sum.request;
            let (curve, by) = if shape == self.whole.shape() {
                curve_of_three(self.whole, Periodic::NONE, &request, self.backend, self.progress)?
            } else {
                curve_of_three(&image.clone().into(), Periodic::NONE, &request, self.backend, &())?
            };
            self.decision = Some(by);
            Ok(self.sum.add(&curve, times)?)
        }
    }

    /// Adds the curve of the voxels with which cells enter where two slices meet.
    fn meet<T: Voxel>(
        &mut self,
        one: &Image<T>,
        next: &Image<T>,
        closed: [bool; 4],
        times: i64,
    ) -> Result<(), MachineError> {
        let EccRequest { construction, superlevel, .. } = self.sum.request;
        let is_v = construction == Construction::V;
        let voxel = |k: usize| {
            let (a, b) = (one.voxels()[k], next.voxels()[k]);
            if (a.ordered(superlevel) > b.ordered(superlevel)) == is_v { a } else { b }
        };
        self.add(&filled(one.shape(), voxel)?, closed, if is_v { -times } else { times })
    }
}

/// The slice of an image at a place along an axis, counted from the slowest in memory of four.
fn slice<T: Voxel>(image: &Image<T>, axis: usize, at: usize) -> Result<Image<T>, MachineError> {
    let mut axes = image.shape().four_extents();
    let (extent, stride) = (axes[axis], axes[axis + 1..].iter().product::<usize>());
    axes[axis] = 1;
    axes[..=axis].rotate_right(1);
    let shape = Shape::new(&axes[1..], Order::C).map_err(BinsError::from)?;
    filled(shape, |k| image.voxels()[(k / stride * extent + at) * stride + k % stride])
}

/// The image of this shape whose voxels are given by their places.
fn filled<T: Voxel>(shape: Shape, voxel: impl Fn(usize) -> T + Sync) -> Result<Image<T>, MachineError> {
    memory::probe((shape.count() * size_of::<T>()) as u64)?;
    Ok(Image::new(shape, parallel::table(shape.count(), voxel)).map_err(BinsError::from)?)
}

/// A sum of curves.
struct Sum {
    request: EccRequest,
    /// Values with changes. Bins are those of all curves, distinct values may be there several times.
    rows: Vec<(Value, i64)>,
    /// The number of rows at which equal values are added up.
    most: usize,
}

impl Sum {
    /// Adds a curve so many times.
    fn add(&mut self, curve: &Vcec, times: i64) -> Result<(), Refused> {
        let rows = curve.rows().map(|(value, change, _)| (value, times * change));
        if self.request.bins != Bins::Distinct && !self.rows.is_empty() {
            self.rows.iter_mut().zip(rows).for_each(|(sum, (_, change))| sum.1 += change);
            return Ok(());
        }
        memory::probe((rows.len() * size_of::<(Value, i64)>()) as u64)?;
        self.rows.extend(rows);
        if self.rows.len() > self.most {
            self.unite();
            self.most = MANY.max(2 * self.rows.len());
        }
        Ok(())
    }

    /// Sorts distinct values in the order of the filtration, and adds up the changes of each.
    fn unite(&mut self) {
        let superlevel = self.request.superlevel;
        self.rows.par_sort_by(|(a, _), (b, _)| a.in_filtration(b, superlevel));
        self.rows.dedup_by(|more, sum| {
            let is_same = more.0 == sum.0;
            sum.1 += if is_same { more.1 } else { 0 };
            is_same
        });
    }

    fn curve(mut self) -> Vcec {
        if self.request.bins == Bins::Distinct {
            self.unite();
        }
        Vcec {
            values: self.rows.iter().map(|row| row.0).collect(),
            changes: self.rows.iter().map(|row| row.1).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::plain;
    use super::*;
    use crate::cubical::plain_cells::PlainCells;

    #[test]
    fn the_curve_is_the_plain_one() {
        let mut random = Pcg64Mcg::seed_from_u64(4);
        for round in 0..64 {
            let axes: Vec<usize> = (0..4 - round % 4).map(|_| random.random_range(1..5)).collect();
            let shape = Shape::new(&axes, if round % 8 < 4 { Order::C } else { Order::F }).unwrap();
            let all: Vec<Periodic> = Periodic::all(shape).collect();
            let periodic = all[random.random_range(0..all.len())];
            let levels = random.random_range(1..40);
            let voxels: Vec<i16> = (0..shape.count()).map(|_| random.random_range(-levels..levels)).collect();
            let doubles: Vec<f64> = voxels.iter().map(|&voxel| f64::from(voxel) / 8.0).collect();
            let ranges = [None, Some(((-3_i16).into(), 7_i16.into()))];
            let bins = ranges.map(|range| Bins::Uniform { count: 7, range });
            for bins in bins.into_iter().chain([Bins::Distinct]) {
                for (construction, superlevel) in
                    [Construction::T, Construction::V].into_iter().flat_map(|c| [(c, false), (c, true)])
                {
                    let request = EccRequest { construction, superlevel, bins };
                    let narrow = Image::new(shape, voxels.clone()).unwrap();
                    check(narrow, periodic, &request);
                    let wide: Image<f64> = Image::new(shape, doubles.clone()).unwrap();
                    check(wide, periodic, &request);
                }
            }
        }
    }

    fn check<T: Voxel>(image: Image<T>, periodic: Periodic, request: &EccRequest) {
        let shape = image.shape();
        let mut cells = PlainCells::new(shape.four_extents(), shape.dim(), request.construction);
        cells.is_periodic = periodic.in_memory(shape);
        let expected = plain::curve_of(&image, cells, request).unwrap();
        let (found, _) = curve_by(&image.into(), periodic, request, &Backend::default(), &()).unwrap();
        assert_eq!(found, expected, "{shape}, {periodic}, {request:?}");
    }

    #[test]
    fn distinct_values_are_added_up_when_they_are_many() {
        let request = EccRequest::default();
        let mut sum = Sum { request, rows: Vec::new(), most: 3 };
        for (values, times) in [(vec![1.0, 2.0], 1), (vec![0.5, 2.0], 1), (vec![1.0, 2.0], -1)] {
            sum.add(&Vcec::new(values, vec![3, 4]), times).unwrap();
        }
        assert_eq!(sum.rows.len(), 5);
        assert_eq!(sum.curve(), Vcec::new(vec![0.5, 1.0, 2.0], vec![3, 0, 4]));
    }
}
