//! Persistence landscapes, exactly: Bubenik and Dłotko, "A persistence landscapes toolbox for topological statistics"
//! (2017), Algorithm 1.
//!
//! A bar [b, d) is a tent, t ↦ max(0, min(t − b, d − t)), and λ_k(t) is the k-th greatest of the tents at t. Each λ_k
//! is piecewise linear; one sweep over the bars, sorted by ascending birth and, for equal births, by descending death,
//! yields the breakpoints of λ_1 and the bars of which λ_2 is the first landscape, and so on. A sweep takes time linear
//! in the number of bars.

/// Breakpoints of a piecewise linear function with its values there.
type Corners = Vec<(f64, f64)>;

/// λ_1, λ_2, …: each by its breakpoints (t, λ) of ascending t; linear between them, 0 before and after.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Landscape {
    layers: Vec<Corners>,
}

impl Landscape {
    /// The first `most` functions of the finite bars, fewer if the remaining ones are 0. Descending bars count from
    /// death to birth; infinite bars have no tent and are omitted.
    pub fn of(bars: impl IntoIterator<Item = (f64, f64)>, most: usize) -> Landscape {
        let mut bars: Vec<(f64, f64)> = bars
            .into_iter()
            .map(super::turned)
            .filter(|(birth, death)| birth.is_finite() && death.is_finite() && birth < death)
            .collect();
        bars.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let mut layers = Vec::new();
        while !bars.is_empty() && layers.len() < most {
            let (layer, rest) = peel(&bars);
            layers.push(layer);
            bars = rest;
        }
        Landscape { layers }
    }

    /// Breakpoints of λ_1, λ_2, ….
    pub fn layers(&self) -> &[Vec<(f64, f64)>] {
        &self.layers
    }

    /// Value of the function `layer`, counted from 0, at `value`.
    pub fn at(&self, layer: usize, value: f64) -> f64 {
        let Some(corners) = self.layers.get(layer) else { return 0.0 };
        let after = corners.partition_point(|&(t, _)| t <= value);
        let (Some(&(t0, y0)), Some(&(t1, y1))) =
            (after.checked_sub(1).and_then(|k| corners.get(k)), corners.get(after))
        else {
            return 0.0;
        };
        y0 + (value - t0) / (t1 - t0) * (y1 - y0)
    }
}

/// Breakpoints of λ_1 of sorted bars, and the sorted bars whose λ_1 is the λ_2 of these.
fn peel(bars: &[(f64, f64)]) -> (Corners, Vec<(f64, f64)>) {
    let half = |x: f64, y: f64| x / 2.0 + y / 2.0;
    let (birth, mut death) = bars[0];
    let mut corners = vec![(birth, 0.0), (half(birth, death), death / 2.0 - birth / 2.0)];
    let mut rest = Vec::with_capacity(bars.len() - 1);
    // The rest of a tent behind the one that overtook it. It is inserted before the next bar that follows it in order.
    let mut cut: Option<(f64, f64)> = None;
    for &(b, d) in &bars[1..] {
        if let Some(piece) = cut.filter(|piece| b > piece.0 || d <= piece.1) {
            rest.push(piece);
            cut = None;
        }
        if d <= death {
            rest.push((b, d));
            continue;
        }
        if b < death {
            corners.push((half(b, death), death / 2.0 - b / 2.0));
            // No other piece is pending here: bars of its birth that follow it die no later than the bar that cut it
            // off.
            cut = Some((b, death));
        } else {
            corners.push((death, 0.0));
            if b > death {
                corners.push((b, 0.0));
            }
        }
        corners.push((half(b, d), d / 2.0 - b / 2.0));
        death = d;
    }
    rest.extend(cut);
    corners.push((death, 0.0));
    (corners, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tent(&(birth, death): &(f64, f64), t: f64) -> f64 {
        (t - birth).min(death - t).max(0.0)
    }

    /// λ at t, by definition.
    fn plain(bars: &[(f64, f64)], layer: usize, t: f64) -> f64 {
        let mut tents: Vec<f64> = bars.iter().map(|bar| tent(bar, t)).collect();
        tents.sort_by(|a, b| b.total_cmp(a));
        tents.get(layer).copied().unwrap_or(0.0)
    }

    #[test]
    fn every_function_is_the_kth_greatest_tent() {
        let mut state = 7u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..300 {
            let count = next(12);
            // Few distinct values, so that births, deaths and whole bars coincide.
            let grid = if round % 2 == 0 { 6 } else { 1 << 20 };
            let bars: Vec<(f64, f64)> = (0..count)
                .map(|_| {
                    let birth = next(grid) as f64;
                    (birth, birth + 1.0 + next(grid) as f64)
                })
                .collect();
            let landscape = Landscape::of(bars.iter().copied(), usize::MAX);
            let end = 2.0 * grid as f64 + 2.0;
            for layer in 0..13 {
                for k in 0..=64 {
                    let t = end * f64::from(k) / 64.0;
                    let (found, expected) = (landscape.at(layer, t), plain(&bars, layer, t));
                    assert!(
                        (found - expected).abs() <= 1e-9 * end,
                        "{bars:?}: λ_{}({t}) = {found}, not {expected}",
                        layer + 1
                    );
                }
            }
        }
    }

    #[test]
    fn infinite_bars_are_left_out_and_those_that_go_down_turned() {
        let bars = [(0.0, f64::INFINITY), (4.0, 2.0), (f64::NEG_INFINITY, 1.0)];
        let landscape = Landscape::of(bars, 3);
        assert_eq!(landscape.layers(), [vec![(2.0, 0.0), (3.0, 1.0), (4.0, 0.0)]]);
        assert_eq!(Landscape::of([], 3).layers().len(), 0);
    }

    #[test]
    fn no_more_functions_than_asked_for() {
        let landscape = Landscape::of([(0.0, 2.0); 5], 2);
        assert_eq!(landscape.layers().len(), 2);
        assert_eq!(landscape.at(1, 1.0), 1.0);
        assert_eq!(landscape.at(2, 1.0), 0.0);
    }
}
