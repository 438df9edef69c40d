//! Curves of images of four axes, from those of images of three.
//!
//! Cut the image into its volumes f₀, f₁, …, fₙ along the slowest axis. Each cell of the complex is the product of a
//! cell of space and of a point or an interval of that axis. An interval adds one to its dimension, and so changes its
//! sign in χ.
//!
//! - V: at the point k, a cell enters as in f_k. Along the interval from k to k + 1, it enters as in the image of the
//!   later voxel of each pair, one of f_k and one of f_{k+1}. So χ is the sum of χ(f_k), less that of
//!   χ(max(f_k, f_{k+1})).
//! - T: along the interval k, a cell enters as in f_k. At the point between two intervals, it enters as in the image of
//!   the earlier voxel of each pair, and at the two ends as in f₀ and fₙ. So χ is χ(f₀) + χ(fₙ), plus the sum of
//!   χ(min(f_k, f_{k+1})), less that of χ(f_k).

use rayon::prelude::*;

use super::bins::{Bins, BinsError, finite_range};
use super::dispatch::{STAGE, curve_by as curve_of_three};
use super::error::MachineError;
use super::request::EccRequest;
use super::vcec::Vcec;
use crate::backend::{Backend, Decision};
use crate::cubical::construction::Construction;
use crate::cubical::image::{AnyImage, Image, Voxel};
use crate::cubical::shape::{Order, Shape};
use crate::cubical::value::Value;
use crate::memory::{self, Refused};
use crate::parallel;
use crate::progress::{Progress, check};
use crate::with_image;

/// Number of rows from which on equal values are added up.
const MANY: usize = 1 << 22;

/// Computes the curve of an image of four axes. The unit of work that is reported to `progress` is a voxel.
///
/// # Errors
/// The errors of [`curve_of_three`].
pub(super) fn curve_by(
    image: &AnyImage,
    request: &EccRequest,
    backend: &Backend,
    progress: &dyn Progress,
) -> Result<(Vcec, Decision), MachineError> {
    let mut request = *request;
    if let Bins::Uniform { range: None, .. } = request.bins {
        let range = with_image!(image, image => finite_range(image.voxels()));
        request = request.with_range(Some(range.ok_or(BinsError::NoneFinite)?));
    }
    progress.begin(STAGE, None, image.shape().count() as u64);
    let mut sum = Sum { request, rows: Vec::new(), most: MANY };
    let mut decision = None;
    let mut add = |part: AnyImage, times: i64| {
        check(progress);
        let (curve, by) = curve_of_three(&part, &request, backend, &())?;
        decision = Some(by);
        Ok(sum.add(&curve, times)?)
    };
    with_image!(image, image => add_parts(image, &request, &mut add, progress))?;
    let decision = decision.expect("an image of four axes has volumes");
    Ok((sum.curve(), decision))
}

/// Passes to `add` the images of three axes whose curves, each so many times, are the curve of the image together.
fn add_parts<T: Voxel>(
    image: &Image<T>,
    request: &EccRequest,
    add: &mut dyn FnMut(AnyImage, i64) -> Result<(), MachineError>,
    progress: &dyn Progress,
) -> Result<(), MachineError> {
    let [count, volume @ ..] = image.shape().four_extents();
    let shape = Shape::new(&volume, Order::C).map_err(BinsError::from)?;
    let length = shape.count();
    // Two volumes of the same image.
    memory::probe(2 * (length * size_of::<T>()) as u64)?;
    let part = |voxels| Ok::<AnyImage, BinsError>(Image::new(shape, voxels)?.into());
    let is_v = request.construction == Construction::V;
    // The voxel of two that the cells between them enter with.
    let between = |a: T, b: T| {
        let is_later = a.ordered(request.superlevel) > b.ordered(request.superlevel);
        if is_later == is_v { a } else { b }
    };
    let volumes = || image.voxels().chunks_exact(length);
    for (k, (one, next)) in volumes().zip(volumes().skip(1).map(Some).chain([None])).enumerate() {
        let ends = i64::from(k == 0) + i64::from(k + 1 == count);
        add(part(one.to_vec())?, if is_v { 1 } else { ends - 1 })?;
        if let Some(next) = next {
            let both = parallel::table(length, |place| between(one[place], next[place]));
            add(part(both)?, if is_v { -1 } else { 1 })?;
        }
        progress.advance(length as u64);
    }
    Ok(())
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

    #[test]
    fn the_curve_is_the_plain_one() {
        let mut random = Pcg64Mcg::seed_from_u64(4);
        for round in 0..40 {
            let axes: [usize; 4] = std::array::from_fn(|_| random.random_range(2..5));
            let shape = Shape::new(&axes, if round % 2 == 0 { Order::C } else { Order::F }).unwrap();
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
                    assert_eq!(found(narrow.clone(), &request), plain::curve(&narrow, &request).unwrap());
                    let wide: Image<f64> = Image::new(shape, doubles.clone()).unwrap();
                    assert_eq!(found(wide.clone(), &request), plain::curve(&wide, &request).unwrap());
                }
            }
        }
    }

    fn found<T: Voxel>(image: Image<T>, request: &EccRequest) -> Vcec {
        curve_by(&image.into(), request, &Backend::default(), &()).unwrap().0
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
