//! The options of a transform, and its result.

use std::ops::Range;

use serde::Serialize;
use strum::VariantArray;

use super::directions::Directions;
use super::error::EctError;
use super::heights::{MOST_BINS, Scale};
use crate::cubical::Construction;
use crate::memory;
use crate::names::named;

/// The point from which heights are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Center {
    /// The origin of the coordinates; for images, the center of the grid.
    #[default]
    Origin,
    /// The mean of the vertices.
    Mean,
    /// The center of the bounding box of the vertices.
    Box,
}

named!(Center);

/// Options of a transform.
#[derive(Debug, Clone, PartialEq)]
pub struct EctRequest {
    /// The directions of the transform.
    pub directions: Directions,
    /// The number of samples of each direction.
    pub bins: usize,
    /// The radius R of the samples, from 1e-290 to 1e300 (default: the greatest distance of a vertex from the center).
    pub radius: Option<f64>,
    /// The point at which heights are 0.
    pub center: Center,
    /// Whether the result is the smooth transform.
    pub smooth: bool,
    /// Whether cells of an image count by the greatest value of their voxels, not by 1.
    pub weighted: bool,
    /// How an image is a complex.
    pub construction: Construction,
}

impl EctRequest {
    /// The transform with this number of directions and of bins, of an image by construction V.
    pub fn new(directions: usize, bins: usize) -> Self {
        EctRequest {
            directions: Directions::Even(directions),
            bins,
            radius: None,
            center: Center::Origin,
            smooth: false,
            weighted: false,
            construction: Construction::V,
        }
    }

    /// Checks what does not depend on the input.
    pub(super) fn check(&self) -> Result<(), EctError> {
        if !(1..=MOST_BINS).contains(&self.bins) {
            return Err(EctError::Bins { found: self.bins });
        }
        match self.radius {
            // The scale, (bins − 1) / 2R, and twice the radius are finite.
            Some(found) if !(1e-290..=1e300).contains(&found) => Err(EctError::Radius { found }),
            _ => Ok(()),
        }
    }

    /// The samples of all directions, given the greatest distance of a vertex from the center.
    pub(super) fn scale(&self, farthest: f64) -> Scale {
        Scale::new(self.bins, self.radius.unwrap_or(farthest), self.radius.is_some())
    }
}

/// A transform: for each direction its values at the samples.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ect {
    /// The number of axes.
    pub dimension: usize,
    /// The unit vectors, one after the other.
    pub directions: Vec<f64>,
    /// The number of samples of each direction.
    pub bins: usize,
    /// The radius R: samples lie evenly from −R to R.
    pub radius: f64,
    /// The point at which heights are 0.
    pub center: Vec<f64>,
    /// The values, direction by direction.
    pub values: Vec<f64>,
}

impl Ect {
    /// The transform whose histogram of each direction `of` adds to a row of zeros of `bins` + 1 entries; the last one
    /// counts what lies beyond the radius.
    pub(super) fn summed(
        request: &EctRequest,
        dimension: usize,
        directions: Vec<f64>,
        (center, radius): (Vec<f64>, f64),
        of: &dyn Fn(usize, &mut [f64]),
    ) -> Result<Ect, EctError> {
        let bins = request.bins;
        let count = directions.len() / dimension;
        let mut values: Vec<f64> = memory::zeroed(count.saturating_mul(bins))?;
        let mut histogram: Vec<f64> = memory::zeroed(bins + 1)?;
        for (direction, row) in values.chunks_exact_mut(bins).enumerate() {
            histogram.fill(0.0);
            of(direction, &mut histogram);
            let mut sum = 0.0;
            for (value, change) in row.iter_mut().zip(&histogram) {
                sum += change;
                *value = sum;
            }
            if request.smooth {
                smooth(row);
            }
        }
        Ok(Ect { dimension, directions, bins, radius, center, values })
    }

    /// The number of directions.
    pub fn count(&self) -> usize {
        self.directions.len() / self.dimension
    }

    /// The values of a direction.
    pub fn row(&self, direction: usize) -> &[f64] {
        let Range { start, end } = direction * self.bins..(direction + 1) * self.bins;
        &self.values[start..end]
    }

    /// The heights at which each direction is sampled.
    pub fn thresholds(&self) -> Vec<f64> {
        let last = (self.bins - 1) as f64;
        let at =
            |k: usize| if self.bins == 1 { self.radius } else { self.radius * (2.0 * k as f64 / last - 1.0) };
        (0..self.bins).map(at).collect()
    }
}

/// Replaces values by the sums of their deviations from their mean.
pub(super) fn smooth(row: &mut [f64]) {
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    let mut sum = 0.0;
    for value in row {
        sum += *value - mean;
        *value = sum;
    }
}
