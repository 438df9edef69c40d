//! Diagrams as vectors over shifted ranges, against the definition at each grid value.
//!
//! Births, deaths and ranges are integers, so whether a bar is alive at a grid value is decided without rounding.

use std::f64::consts::SQRT_2;

use lacuna::diagram::vectors::{VectorKind, Vectors};

use super::pools::Pools;
use super::subject::Subject;
use lacuna::generate::Random;

/// Vectors of diagrams.
pub(super) struct DiagramVectors;

/// Bars with whole ends, and a grid of `count` values from `low` to `low + span`.
#[derive(Debug, Clone)]
pub(super) struct Case {
    kind: VectorKind,
    bars: Vec<(i64, i64)>,
    /// Whether bars are given as in superlevel filtrations, death before birth.
    goes_down: bool,
    low: i64,
    span: i64,
    count: usize,
    weight: f64,
}

const KINDS: [VectorKind; 4] =
    [VectorKind::Betti, VectorKind::EntropySummary, VectorKind::Landscape, VectorKind::Silhouette];

/// Number of landscape functions.
const LAYERS: usize = 3;

impl Subject for DiagramVectors {
    type Case = Case;
    const NAME: &'static str = "vectors";
    const CROSSED: &'static str = "kind, values of the grid, span, direction";
    const SHARE: u32 = 1;

    fn draw(random: &mut Random) -> Case {
        let (low, span) = (random.within(-9, 30), random.within(1, 20));
        let on_values = random.once_in(2);
        let count = if on_values { span as usize + 1 } else { 2 + random.below(60) };
        let bar = |random: &mut Random| {
            let birth = low + random.within(-3, span + 2);
            (birth, birth + random.within(0, span + 2))
        };
        Case {
            kind: random.pick(&KINDS),
            bars: (0..random.below(7)).map(|_| bar(random)).collect(),
            goes_down: random.once_in(3),
            low,
            span,
            count,
            weight: random.pick(&[0.0, 1.0, 2.0]),
        }
    }

    fn options(case: &Case) -> String {
        format!("{} {} {} {}", case.kind, case.count, case.span, case.goes_down)
    }

    fn check(case: &Case, _: &Pools) -> Result<(), String> {
        let turned = |&(birth, death): &(i64, i64)| {
            let (birth, death) = (birth as f64, death as f64);
            if case.goes_down { (death, birth) } else { (birth, death) }
        };
        let vectors = Vectors {
            resolution: Some((case.count, 0)),
            range: [Some((case.low as f64, (case.low + case.span) as f64)), None],
            weight: case.weight,
            count: LAYERS,
            ..Vectors::new(case.kind)
        };
        let found = vectors.of(&[case.bars.iter().map(turned).collect()]).remove(0);
        let expected = case.vector();
        let is_near =
            |(found, expected): (&f64, &f64)| (found - expected).abs() <= 1e-11 * (1.0 + expected.abs());
        if found.len() == expected.len() && found.iter().zip(&expected).all(is_near) {
            return Ok(());
        }
        Err(format!("{}\n  expected {expected:?}\n  found    {found:?}", case.kind))
    }

    fn smaller(case: &Case) -> Vec<Case> {
        let without =
            |at: usize| Case { bars: [&case.bars[..at], &case.bars[at + 1..]].concat(), ..case.clone() };
        (0..case.bars.len()).map(without).collect()
    }
}

impl Case {
    /// The vector by the definition of its kind.
    fn vector(&self) -> Vec<f64> {
        let sum = |weight: &dyn Fn(usize, &(i64, i64)) -> f64| -> Vec<f64> {
            (0..self.count).map(|k| self.bars.iter().map(|bar| weight(k, bar)).sum()).collect()
        };
        let alive = |k, bar: &(i64, i64)| if self.is_alive(k, bar) { 1.0 } else { 0.0 };
        match self.kind {
            VectorKind::EntropySummary => {
                let total: f64 = self.bars.iter().map(length).sum();
                let part = |bar: &(i64, i64)| match length(bar) / total {
                    share if share > 0.0 => -share * share.ln(),
                    _ => 0.0,
                };
                let sums = sum(&|k, bar| alive(k, bar) * part(bar));
                let all: f64 = sums.iter().sum();
                sums.iter().map(|sum| if all > 0.0 { sum / all } else { 0.0 }).collect()
            }
            VectorKind::Silhouette => {
                let weight = |bar: &(i64, i64)| length(bar).powf(self.weight);
                let total: f64 = self.bars.iter().map(weight).sum();
                let share = |bar: &(i64, i64)| if total > 0.0 { SQRT_2 * weight(bar) / total } else { 0.0 };
                sum(&|k, bar| share(bar) * self.tent(k, bar))
            }
            VectorKind::Landscape => {
                let heights = |k| {
                    let mut heights: Vec<f64> = self.bars.iter().map(|bar| self.tent(k, bar)).collect();
                    heights.resize(heights.len().max(LAYERS), 0.0);
                    heights.sort_unstable_by(|p, q| q.total_cmp(p));
                    heights
                };
                (0..LAYERS)
                    .flat_map(|layer| (0..self.count).map(move |k| SQRT_2 * heights(k)[layer]))
                    .collect()
            }
            _ => sum(&alive),
        }
    }

    fn steps(&self) -> i64 {
        self.count as i64 - 1
    }

    /// Grid value k in units of 1 / `steps`.
    fn parts(&self, k: usize) -> i64 {
        self.low * self.steps() + k as i64 * self.span
    }

    fn is_alive(&self, k: usize, &(birth, death): &(i64, i64)) -> bool {
        (birth * self.steps()..death * self.steps()).contains(&self.parts(k))
    }

    /// Height of the tent of a bar at grid value k.
    fn tent(&self, k: usize, &(birth, death): &(i64, i64)) -> f64 {
        let (parts, steps) = (self.parts(k), self.steps());
        let height = (parts - birth * steps).min(death * steps - parts);
        height.max(0) as f64 / steps as f64
    }
}

fn length(&(birth, death): &(i64, i64)) -> f64 {
    (death - birth) as f64
}
