//! Diagrams as vectors of equal length, for statistics and learning, as defined and scaled by GUDHI's
//! `gudhi.representations`.
//!
//! | kind | vector | source |
//! |---|---|---|
//! | `image` | a Gaussian around each point (birth, persistence), added up at the points of a grid, row by row | Adams and others 2017 |
//! | `landscape` | √2 · λ_1, …, λ_k, each at the values of a grid | Bubenik 2015 |
//! | `betti` | the Betti curve at the values of a grid | |
//! | `silhouette` | √2 · the mean of the tents of all bars, weighted, at the values of a grid | Chazal and others 2014 |
//! | `entropy` | −∑ p log p of the shares p that bars have of the sum of their persistence | Atienza and others 2020 |
//! | `entropy-summary` | the part −p log p that each bar alive has of the entropy, added up at the values of a grid, as a share of all | Atienza and others 2020 |
//! | `lengths` | the greatest persistences, descending; zeros where there are fewer bars | |
//!
//! Grids span the finite bars of all diagrams, unless a range is given. A grid of values goes from the least birth to
//! the greatest death, excluding these ends, where functions are 0 (for entropy summaries, as in GUDHI, including the
//! first and excluding the last two). The grid of images goes from the least to the greatest birth, and from the least
//! to the greatest persistence.
//!
//! Infinite bars have no tent, no persistence and no point: only Betti curves count them. Descending bars are reversed.

use serde::Serialize;
use strum::VariantArray;

use super::betti::StepFunction;
use super::landscape::Landscape;
use super::turned;
use crate::names::named;
use crate::parallel::map;
use crate::progress::Progress;

/// Kinds of vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum VectorKind {
    /// The persistence image.
    #[default]
    Image,
    /// The persistence landscape.
    Landscape,
    /// The Betti curve.
    Betti,
    /// The silhouette.
    Silhouette,
    /// The persistence entropy.
    Entropy,
    /// The entropy summary function.
    EntropySummary,
    /// The greatest persistences.
    Lengths,
}

named!(VectorKind);

/// Description of a vectorization.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    /// Kind of the vectors.
    pub kind: VectorKind,
    /// Number of grid points along values or births, by default 100, for images 20; and for images the number along
    /// persistence, by default the same.
    pub resolution: Option<(usize, usize)>,
    /// Range of the grid along values or births, and for images along persistence.
    pub range: [Option<(f64, f64)>; 2],
    /// Standard deviation of the Gaussian of images, > 0; by default 1.
    pub bandwidth: f64,
    /// Exponent of persistence in the weights of bars, for images and silhouettes; by default 0, all alike.
    pub weight: f64,
    /// Number of landscape functions or lengths; by default 5.
    pub count: usize,
}

impl Vectors {
    /// Vectors of a kind, with GUDHI's defaults.
    pub fn new(kind: VectorKind) -> Vectors {
        Vectors { kind, resolution: None, range: [None; 2], bandwidth: 1.0, weight: 0.0, count: 5 }
    }

    /// Computes a vector for each diagram, given by the bars (birth, death) of one dimension, on all threads. All
    /// vectors have the same length.
    pub fn of(&self, diagrams: &[Vec<(f64, f64)>]) -> Vec<Vec<f64>> {
        self.watched(diagrams, &())
    }

    /// Like [`of`](Vectors::of), and reports each diagram to `progress`.
    pub fn watched(&self, diagrams: &[Vec<(f64, f64)>], progress: &dyn Progress) -> Vec<Vec<f64>> {
        progress.begin("vectors", None, diagrams.len() as u64);
        let each = |vector: &(dyn Fn(usize) -> Vec<f64> + Sync)| {
            map(diagrams.len(), &|k| {
                let vector = vector(k);
                progress.advance(1);
                vector
            })
        };
        let finite: Vec<Vec<(f64, f64)>> = diagrams.iter().map(|bars| finite(bars)).collect();
        let grid = self.values(&finite);
        let of_each = |vector: &VectorOf<'_>| each(&|k| vector(&finite[k]));
        match self.kind {
            VectorKind::Image => {
                let (births, persistences) = self.pixels(&finite);
                of_each(&|bars| self.image(bars, &births, &persistences))
            }
            VectorKind::Landscape => of_each(&|bars| self.landscape(bars, &grid)),
            VectorKind::Betti => {
                let curve = |k: usize| {
                    let function = StepFunction::betti(diagrams[k].iter().copied());
                    grid.iter().map(|&value| function.at(value) as f64).collect()
                };
                each(&curve)
            }
            VectorKind::Silhouette => of_each(&|bars| self.silhouette(bars, &grid)),
            VectorKind::Entropy => of_each(&|bars| vec![entropy(bars)]),
            VectorKind::EntropySummary => of_each(&|bars| entropy_summary(bars, &grid)),
            VectorKind::Lengths => of_each(&|bars| self.lengths(bars)),
        }
    }

    /// Grid of functions of one variable.
    fn values(&self, diagrams: &[Vec<(f64, f64)>]) -> Vec<f64> {
        let count = self.resolution.map_or(100, |(count, _)| count);
        if let Some((first, last)) = self.range[0] {
            return linear(first, last, count);
        }
        let all = diagrams.iter().flatten().flat_map(|&(birth, death)| [birth, death]);
        let (first, last) = spanned(all).unwrap_or_default();
        // The ends are excluded; for entropy summaries, the first is included and the last two are excluded.
        let from = usize::from(self.kind != VectorKind::EntropySummary);
        linear(first, last, count + 2)[from..from + count].to_vec()
    }

    /// Grid of images: births and persistences.
    fn pixels(&self, diagrams: &[Vec<(f64, f64)>]) -> (Vec<f64>, Vec<f64>) {
        let (across, up) = self.resolution.unwrap_or((20, 20));
        let all = || diagrams.iter().flatten();
        let births = self.range[0].or_else(|| spanned(all().map(|bar| bar.0))).unwrap_or_default();
        let persistences = self.range[1].or_else(|| spanned(all().map(persistence))).unwrap_or_default();
        (linear(births.0, births.1, across), linear(persistences.0, persistences.1, up))
    }

    fn weight_of(&self, bar: &(f64, f64)) -> f64 {
        persistence(bar).powf(self.weight)
    }

    fn image(&self, bars: &[(f64, f64)], births: &[f64], persistences: &[f64]) -> Vec<f64> {
        let width = self.bandwidth;
        let bell = |distance: f64| (-(distance / width).powi(2) / 2.0).exp();
        let mut image = vec![0.0; births.len() * persistences.len()];
        for bar in bars {
            let height = self.weight_of(bar) / (width * width * 2.0 * std::f64::consts::PI);
            let across: Vec<f64> = births.iter().map(|birth| bell(bar.0 - birth)).collect();
            for (row, at) in image.chunks_exact_mut(births.len().max(1)).zip(persistences) {
                let up = height * bell(persistence(bar) - at);
                row.iter_mut().zip(&across).for_each(|(pixel, across)| *pixel += up * across);
            }
        }
        image
    }

    fn landscape(&self, bars: &[(f64, f64)], grid: &[f64]) -> Vec<f64> {
        let landscape = Landscape::of(bars.iter().copied(), self.count);
        let layer = |layer| grid.iter().map(move |&value| (layer, value));
        let places = (0..self.count).flat_map(layer);
        places.map(|(layer, value)| std::f64::consts::SQRT_2 * landscape.at(layer, value)).collect()
    }

    fn silhouette(&self, bars: &[(f64, f64)], grid: &[f64]) -> Vec<f64> {
        let total: f64 = bars.iter().map(|bar| self.weight_of(bar)).sum();
        let mut sums = vec![0.0; grid.len()];
        // Bars of persistence zero have no tent, and with a total weight of 0 there is no mean.
        for bar in bars.iter().filter(|bar| persistence(bar) > 0.0 && total > 0.0) {
            let share = self.weight_of(bar) / total * std::f64::consts::SQRT_2;
            let tents = grid.iter().map(|value| (value - bar.0).min(bar.1 - value).max(0.0));
            sums.iter_mut().zip(tents).for_each(|(sum, tent)| *sum += share * tent);
        }
        sums
    }

    fn lengths(&self, bars: &[(f64, f64)]) -> Vec<f64> {
        let mut lengths: Vec<f64> = bars.iter().map(persistence).collect();
        lengths.sort_unstable_by(|a, b| b.total_cmp(a));
        lengths.resize(self.count, 0.0);
        lengths
    }
}

/// Computes the vector of finite bars (birth, death).
type VectorOf<'a> = dyn Fn(&[(f64, f64)]) -> Vec<f64> + Sync + 'a;

fn finite(bars: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let is_finite = |(birth, death): &(f64, f64)| birth.is_finite() && death.is_finite();
    bars.iter().copied().map(turned).filter(is_finite).collect()
}

fn persistence(&(birth, death): &(f64, f64)) -> f64 {
    death - birth
}

fn entropy(bars: &[(f64, f64)]) -> f64 {
    let total: f64 = bars.iter().map(persistence).sum();
    let shares = bars.iter().map(|bar| persistence(bar) / total).filter(|share| *share > 0.0);
    // The empty sum is negative zero.
    -shares.map(|share| share * share.ln()).sum::<f64>() + 0.0
}

fn entropy_summary(bars: &[(f64, f64)], grid: &[f64]) -> Vec<f64> {
    let total: f64 = bars.iter().map(persistence).sum();
    // Index of the first grid value that is not below a value.
    let place = |value: f64| grid.partition_point(|&at| at < value);
    let mut sums = vec![0.0; grid.len()];
    for bar in bars {
        let share = persistence(bar) / total;
        if share > 0.0 {
            sums[place(bar.0)..place(bar.1)].iter_mut().for_each(|sum| *sum -= share * share.ln());
        }
    }
    let all: f64 = sums.iter().sum();
    if all > 0.0 {
        sums.iter_mut().for_each(|sum| *sum /= all);
    }
    sums
}

/// Least and greatest number, if there are any.
fn spanned(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let spread = |found: Option<(f64, f64)>, number: f64| {
        Some(found.map_or((number, number), |(least, most)| (least.min(number), most.max(number))))
    };
    numbers.fold(None, spread)
}

/// Equally spaced numbers from `first` to `last`, both included. Whole numbers are exact if the ends are, so that a bar
/// is alive at the value at which it is born.
fn linear(first: f64, last: f64, count: usize) -> Vec<f64> {
    let steps = count.saturating_sub(1).max(1) as f64;
    let at = |k: f64| {
        let part = k * (last - first) / steps;
        // The difference of two doubles, or a multiple of it, may overflow.
        if part.is_finite() { first + part } else { first * (1.0 - k / steps) + last * (k / steps) }
    };
    (0..count).map(|k| if k > 0 && k + 1 == count { last } else { at(k as f64) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_empty_diagrams_are_zeros_of_the_same_length() {
        let diagrams = [vec![], vec![(0.0, 1.0), (0.5, 2.0), (0.0, f64::INFINITY)]];
        for kind in VectorKind::ALL.into_iter().filter(|kind| *kind != VectorKind::Betti) {
            let vectors = Vectors::new(kind).of(&diagrams);
            assert_eq!(vectors[0].len(), vectors[1].len());
            assert!(vectors[0].iter().all(|&x| x == 0.0), "{kind}");
            assert!(
                vectors[1].iter().all(|x| x.is_finite()) && vectors[1].iter().any(|&x| x > 0.0),
                "{kind}"
            );
            assert!(Vectors::new(kind).of(&diagrams[..1])[0].iter().all(|&x| x == 0.0), "{kind} of nothing");
        }
        let betti = Vectors {
            range: [Some((0.0, 9.0)), None],
            resolution: Some((10, 0)),
            ..Vectors::new(VectorKind::Betti)
        };
        assert_eq!(betti.of(&diagrams)[1], [2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
    }

    /// Whether a bar is alive at a grid value is decided in integers: value k of a grid is `low + k · span / steps`.
    #[test]
    fn bars_are_alive_at_the_value_at_which_they_are_born() {
        for low in -5_i32..10 {
            for (span, count) in [(3, 4), (7, 8), (2, 99), (9, 19), (11, 12), (5, 26), (13, 40)] {
                let steps = count as i32 - 1;
                let bars =
                    [(low, low + span), (low, low + 1), (low + 1, low + span), (low - 2, low + span / 2)];
                let is_alive = |k: usize, &(birth, death): &(i32, i32)| {
                    (birth..death).contains(&(low + (k as i32 * span).div_euclid(steps)))
                };
                let diagram = bars.map(|(birth, death)| (f64::from(birth), f64::from(death)));
                let vector = |kind| {
                    let range = [Some((f64::from(low), f64::from(low + span))), None];
                    Vectors { range, resolution: Some((count, 0)), ..Vectors::new(kind) }
                        .of(&[diagram.to_vec()])
                        .remove(0)
                };
                let lengths = bars.map(|(birth, death)| f64::from(death - birth));
                let share = |j: usize| lengths[j] / lengths.iter().sum::<f64>();
                let at = |k: usize, weight: &dyn Fn(usize) -> f64| -> f64 {
                    (0..bars.len()).filter(|&j| is_alive(k, &bars[j])).map(weight).sum()
                };
                let curve: Vec<f64> = (0..count).map(|k| at(k, &|_| 1.0)).collect();
                assert_eq!(vector(VectorKind::Betti), curve, "{low} {span} {count}");
                let sums: Vec<f64> = (0..count).map(|k| at(k, &|j| -share(j) * share(j).ln())).collect();
                let all: f64 = sums.iter().sum();
                let found = vector(VectorKind::EntropySummary);
                for (k, (found, sum)) in found.iter().zip(&sums).enumerate() {
                    assert!((found - sum / all).abs() < 1e-12, "{low} {span} {count}, value {k}: {found}");
                }
            }
        }
    }

    #[test]
    fn bars_without_persistence_have_no_tents() {
        let silhouette = |weight, bars: &[(f64, f64)]| {
            let vectors =
                Vectors { weight, resolution: Some((3, 0)), ..Vectors::new(VectorKind::Silhouette) };
            vectors.of(&[bars.to_vec()]).remove(0)
        };
        assert_eq!(silhouette(1.0, &[(1.0, 1.0), (2.0, 2.0)]), [0.0; 3]);
        assert_eq!(silhouette(1.0, &[(0.0, 4.0), (2.0, 2.0)]), silhouette(1.0, &[(0.0, 4.0)]));
    }

    #[test]
    fn grids_reach_over_all_doubles() {
        let grid = linear(-f64::MAX, f64::MAX, 5);
        assert!(grid.iter().all(|x| x.is_finite()) && grid.is_sorted(), "{grid:?}");
        assert_eq!((grid[0], grid[2], grid[4]), (-f64::MAX, 0.0, f64::MAX));
    }

    #[test]
    fn bars_that_go_down_are_turned() {
        for kind in VectorKind::ALL {
            let vectors = Vectors::new(kind);
            assert_eq!(
                vectors.of(&[vec![(3.0, 1.0), (2.0, 0.5)]]),
                vectors.of(&[vec![(1.0, 3.0), (0.5, 2.0)]])
            );
        }
    }
}
