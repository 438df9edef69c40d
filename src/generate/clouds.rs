//! Samples of the shapes.
//!
//! | space | points | Betti numbers (over Z/2) |
//! |---|---|---|
//! | `circle` | the unit circle, angles uniform | 1, 1 |
//! | `sphere` | the unit sphere S^k in R^(k + 1), uniform: Gaussian vectors divided by their lengths; k = 2 | 1, 0, …, 0, 1 |
//! | `torus` | the torus in R³ with core 2 and tube 1, uniform by area | 1, 2, 1 |
//! | `klein-bottle` | the Klein bottle in R⁴ with core 2 and tube 1, uniform by area | 1, 2, 1 (over Z/3: 1, 1, 0) |
//! | `projective-plane` | the Veronese surface in R⁶, the image of a uniform sphere | 1, 1, 1 (over Z/3: 1, 0, 0) |
//! | `swiss-roll` | (t cos t, h, t sin t), t uniform in [3π/2, 9π/2), h in [0, 21) | 1 |
//! | `clustered` | centres uniform in the unit cube [0, 1)^k, points Gaussian around them with σ = 0.02, cycling through the centres | number of clusters |
//! | `cube` | uniform in the unit cube [0, 1)^k; k = 3 | 1 |
//!
//! Noise of σ adds a Gaussian number of that standard deviation to every coordinate. To sample a surface by area,
//! parameters are drawn uniformly and kept with a probability proportional to the area element (Diaconis, Holmes,
//! Shahshahani 2013). Points are rounded to single precision, in which files of points are read.

use std::f64::consts::{PI, TAU};

use libm::{cos, sin, sqrt};
use serde::Serialize;
use strum::VariantArray;

use super::shapes::{on_circle, on_klein_bottle, on_projective_plane, on_sphere, on_swiss_roll, on_torus};
use super::{GenerateError, Random, expect};
use crate::memory::{self, Refused};
use crate::metric::PointCloud;
use crate::names::named;
use crate::progress::Progress;

/// Radii of the torus and of the Klein bottle: core circle and tube.
const CORE: f64 = 2.0;
const TUBE: f64 = 1.0;

/// Standard deviation of the points of a cluster along each axis.
const CLUSTER: f64 = 0.02;

/// Number of coordinates that are drawn between two looks at the progress.
const PIECE: usize = 1 << 14;

/// Greatest number of points and of clusters.
const MOST: usize = u32::MAX as usize;

/// A space from which points are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Space {
    /// The unit circle.
    Circle,
    /// The unit sphere of some dimension.
    Sphere,
    /// The torus in R³.
    Torus,
    /// The Klein bottle in R⁴.
    KleinBottle,
    /// The projective plane in R⁶.
    ProjectivePlane,
    /// The Swiss roll in R³.
    SwissRoll,
    /// Clusters in the unit cube.
    Clustered,
    /// The unit cube of some dimension.
    Cube,
}

named!(Space);

impl Space {
    /// Whether the dimension of the space can be chosen.
    pub fn has_dimension(self) -> bool {
        matches!(self, Space::Sphere | Space::Clustered | Space::Cube)
    }
}

/// Parameters of a sample.
///
/// ```
/// use lacuna::generate::{Cloud, Space};
///
/// let cloud = Cloud { noise: 0.01, ..Cloud::new(Space::Torus, 1000) }.draw()?;
/// assert_eq!((cloud.len(), cloud.dimension()), (1000, 3));
/// # Ok::<(), lacuna::generate::GenerateError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cloud {
    /// The space.
    pub space: Space,
    /// Number of points.
    pub points: usize,
    /// The seed: equal seeds give equal samples.
    pub seed: u64,
    /// Standard deviation of the noise along each axis.
    pub noise: f64,
    /// The dimension of sphere, cube and clusters.
    pub dimension: Option<usize>,
    /// Number of clusters.
    pub clusters: usize,
}

impl Cloud {
    /// Creates parameters for a sample without noise and with seed 0.
    pub fn new(space: Space, points: usize) -> Self {
        Cloud { space, points, seed: 0, noise: 0.0, dimension: None, clusters: 5 }
    }

    /// Draws the points.
    ///
    /// # Errors
    /// [`GenerateError`]: no points, an invalid dimension or noise, or too little memory.
    pub fn draw(&self) -> Result<PointCloud<f32>, GenerateError> {
        self.draw_watched(&())
    }

    /// Like [`draw`](Self::draw), but calls `progress` often, which may end the work by unwinding, see
    /// [`interruptible`](crate::progress::interruptible).
    ///
    /// # Errors
    /// The errors of [`draw`](Self::draw).
    pub fn draw_watched(&self, progress: &dyn Progress) -> Result<PointCloud<f32>, GenerateError> {
        progress.begin("drawing", None, 1);
        for (what, number) in [("points", self.points), ("clusters", self.clusters)] {
            let is_right = (1..=MOST).contains(&number);
            expect(is_right, what, "a number from 1 to 4294967295", number as f64)?;
        }
        let is_right = self.noise.is_finite() && self.noise >= 0.0;
        let noise = expect(is_right, "noise", "a finite number from 0 on", self.noise)?;
        let dimension = self.dimension.unwrap_or(if self.space == Space::Sphere { 2 } else { 3 });
        let is_right = (1..=65_535).contains(&dimension);
        expect(is_right, "dimension", "a number from 1 to 65535", dimension as f64)?;
        self.probe(dimension)?;
        let mut draw = Draw { points: self.points, random: Random::new(self.seed), progress };
        let (coordinates, axes) = match self.space {
            Space::Circle => draw.each(|random| on_circle(TAU * random.uniform(), 1.0)),
            Space::Sphere if dimension == 2 => draw.each(uniform_on_sphere),
            Space::Sphere => draw.any(dimension + 1, &mut |random, point| {
                let length = loop {
                    point.fill_with(|| random.gaussian());
                    let length = sqrt(point.iter().map(|x| x * x).sum::<f64>());
                    if length > 0.0 {
                        break length;
                    }
                };
                point.iter_mut().for_each(|x| *x /= length);
            }),
            Space::Torus => draw.each(|random| {
                // The area element at the angle θ around the tube is r (R + r cos θ).
                let [tube, core] = angles(random, |tube| (CORE + TUBE * cos(tube)) / (CORE + TUBE));
                on_torus(tube, core, CORE, TUBE)
            }),
            Space::KleinBottle => draw.each(|random| {
                // The length of the bottle around the core is √((R + r cos θ)² + (r sin θ / 2)²) at the angle θ.
                let length = |tube| {
                    let (out, turned) = (CORE + TUBE * cos(tube), TUBE * sin(tube) / 2.0);
                    sqrt(out * out + turned * turned) / (CORE + TUBE)
                };
                let [tube, core] = angles(random, length);
                on_klein_bottle(tube, core, CORE, TUBE)
            }),
            Space::ProjectivePlane => draw.each(|random| on_projective_plane(uniform_on_sphere(random))),
            Space::SwissRoll => draw.each(|random| {
                let angle = 1.5 * PI * (1.0 + 2.0 * random.uniform());
                on_swiss_roll(angle, 21.0 * random.uniform())
            }),
            Space::Clustered => {
                draw.points = self.clusters;
                let (centres, _) =
                    draw.any(dimension, &mut |random, point| point.fill_with(|| random.uniform()))?;
                draw.points = self.points;
                let mut centres = centres.chunks_exact(dimension).cycle();
                draw.any(dimension, &mut |random, point| {
                    let centre = centres.next().unwrap_or_default();
                    point.iter_mut().zip(centre).for_each(|(x, c)| *x = c + CLUSTER * random.gaussian());
                })
            }
            Space::Cube => draw.any(dimension, &mut |random, point| point.fill_with(|| random.uniform())),
        }?;
        let mut noisy = |x: f64| if noise > 0.0 { x + noise * draw.random.gaussian() } else { x };
        let mut rounded = Vec::new();
        memory::reserve(&mut rounded, coordinates.len())?;
        for piece in coordinates.chunks(PIECE) {
            progress.advance(0);
            rounded.extend(piece.iter().map(|&x| noisy(x) as f32));
        }
        Ok(PointCloud::new(axes, rounded)?)
    }

    /// Checks that there is memory for points and clusters.
    fn probe(&self, dimension: usize) -> Result<(), Refused> {
        /// The greatest number of coordinates of a space whose dimension is fixed.
        const MOST_AXES: usize = 6;
        let numbers = |points: usize, axes: usize| (points as u64).saturating_mul(axes as u64);
        let coordinates =
            numbers(self.points, if self.space.has_dimension() { dimension + 1 } else { MOST_AXES });
        let centres = if self.space == Space::Clustered { numbers(self.clusters, dimension) } else { 0 };
        // Coordinates are drawn in double precision and then rounded.
        let bytes = (size_of::<f64>() + size_of::<f32>()) as u64;
        memory::probe(coordinates.saturating_add(centres).saturating_mul(bytes))
    }
}

/// A sample that is being drawn.
struct Draw<'a> {
    points: usize,
    random: Random,
    progress: &'a dyn Progress,
}

impl Draw<'_> {
    /// Draws points whose number of coordinates is fixed by the space.
    fn each<const M: usize>(
        &mut self,
        mut point: impl FnMut(&mut Random) -> [f64; M],
    ) -> Result<(Vec<f64>, usize), Refused> {
        self.any(M, &mut |random, coordinates| coordinates.copy_from_slice(&point(random)))
    }

    /// Draws points of `axes` coordinates.
    fn any(
        &mut self,
        axes: usize,
        point: &mut dyn FnMut(&mut Random, &mut [f64]),
    ) -> Result<(Vec<f64>, usize), Refused> {
        let mut coordinates = memory::zeroed(self.points.saturating_mul(axes))?;
        for piece in coordinates.chunks_mut(axes * (PIECE / axes).max(1)) {
            self.progress.advance(0);
            piece.chunks_exact_mut(axes).for_each(|coordinates| point(&mut self.random, coordinates));
        }
        Ok((coordinates, axes))
    }
}

fn uniform_on_sphere(random: &mut Random) -> [f64; 3] {
    let height = random.between(-1.0, 1.0);
    on_sphere(height, TAU * random.uniform())
}

/// Draws angles around tube and core, kept with the probability at the first of them.
fn angles(random: &mut Random, probability: impl Fn(f64) -> f64) -> [f64; 2] {
    loop {
        let angles = [TAU * random.uniform(), TAU * random.uniform()];
        if random.uniform() < probability(angles[0]) {
            return angles;
        }
    }
}
