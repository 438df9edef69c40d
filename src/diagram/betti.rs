//! Betti curves: the number of classes that are alive at each value.
//!
//! A bar [birth, death) is alive at t if birth ≤ t < death. The curve is a step function; the Euler characteristic
//! curve is the alternating sum of the Betti curves of all dimensions. Bars of superlevel filtrations, which descend,
//! are alive between their ends as well.

/// A function that is constant between finitely many values, and 0 before the first of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepFunction {
    /// Values at which the function changes, each with its new level; strictly ascending. The first may be −∞.
    steps: Vec<(f64, i64)>,
}

impl StepFunction {
    /// The function that changes at each value by the given amount. No value may be NaN.
    pub fn of_changes(mut changes: Vec<(f64, i64)>) -> StepFunction {
        changes.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut steps: Vec<(f64, i64)> = Vec::new();
        let mut level = 0;
        for (value, change) in changes {
            level += change;
            match steps.last_mut() {
                // Zeros of both signs are the same value.
                Some(last) if last.0 == value => last.1 = level,
                _ => steps.push((value, level)),
            }
        }
        let mut before = 0;
        steps.retain(|&(_, level)| std::mem::replace(&mut before, level) != level);
        StepFunction { steps }
    }

    /// The Betti curve of bars (birth, death).
    pub fn betti(bars: impl IntoIterator<Item = (f64, f64)>) -> StepFunction {
        StepFunction::euler(bars.into_iter().map(|(birth, death)| (0, birth, death)))
    }

    /// The Euler characteristic curve of bars (dimension, birth, death).
    pub fn euler(bars: impl IntoIterator<Item = (u32, f64, f64)>) -> StepFunction {
        let mut changes = Vec::new();
        for (dim, birth, death) in bars {
            let sign = if dim % 2 == 0 { 1 } else { -1 };
            let (first, last) = super::turned((birth, death));
            changes.push((first, sign));
            if last < f64::INFINITY {
                changes.push((last, -sign));
            }
        }
        StepFunction::of_changes(changes)
    }

    /// Values at which the function changes, each with its new level.
    pub fn steps(&self) -> &[(f64, i64)] {
        &self.steps
    }

    /// Level of the function at a value.
    pub fn at(&self, value: f64) -> i64 {
        let after = self.steps.partition_point(|&(from, _)| from <= value);
        after.checked_sub(1).map_or(0, |k| self.steps[k].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bars with ends from a small set, so that many coincide.
    fn bars(seed: u64, count: usize) -> Vec<(f64, f64)> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 60) as f64
        };
        let mut bar = |k: usize| {
            let birth = next();
            let death = birth + 1.0 + next();
            match k % 5 {
                0 => (birth, f64::INFINITY),
                1 => (f64::NEG_INFINITY, death),
                _ => (birth, death),
            }
        };
        (0..count).map(&mut bar).collect()
    }

    #[test]
    fn a_curve_counts_the_bars_that_are_alive() {
        for count in [0, 1, 2, 31, 200] {
            let bars = bars(count as u64, count);
            let curve = StepFunction::betti(bars.iter().copied());
            for half in -4..80 {
                let t = f64::from(half) / 2.0;
                let alive = bars.iter().filter(|(birth, death)| *birth <= t && t < *death).count();
                assert_eq!(curve.at(t), alive as i64, "{count} bars at {t}");
            }
            assert!(curve.steps().windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 != w[1].1));
        }
    }

    #[test]
    fn dimensions_alternate_and_bars_may_go_down() {
        let curve = StepFunction::euler([(0, 0.0, f64::INFINITY), (1, 1.0, 2.0), (2, 4.0, 3.0)]);
        assert_eq!(curve.steps(), [(0.0, 1), (1.0, 0), (2.0, 1), (3.0, 2), (4.0, 1)]);
        // A superlevel bar that never dies.
        assert_eq!(
            StepFunction::betti([(5.0, f64::NEG_INFINITY)]).steps(),
            [(f64::NEG_INFINITY, 1), (5.0, 0)]
        );
    }
}
