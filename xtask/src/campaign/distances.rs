//! Distances of diagrams, some with bars that are long compared with their distances, against all matchings.

use lacuna::Bar;
use lacuna::diagram::distance::{Matching, Metric, matching};

use super::pools::Pools;
use super::subject::{Subject, same};
use lacuna::generate::Random;

/// Distances of diagrams.
pub(super) struct Distances;

/// Two diagrams of few finite bars, and the metric.
#[derive(Debug, Clone)]
pub(super) struct Case {
    sides: [Vec<Bar>; 2],
    metric: Metric,
    /// Exponent of ten of the length of long bars.
    long: i64,
}

const ORDERS: [f64; 7] = [1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 10.0];
const NORMS: [f64; 4] = [f64::INFINITY, 1.0, 2.0, 2.5];

impl Subject for Distances {
    type Case = Case;
    const NAME: &'static str = "distances";
    const CROSSED: &'static str = "order, norm, length of bars";
    const SHARE: u32 = 1;

    fn draw(random: &mut Random) -> Case {
        let long = random.within(0, 10);
        let step = random.pick(&[0.125, 0.1, 1.0]);
        let most = random.within(1, 12);
        let sides = [0, 1].map(|_| bars(step, most, 10_f64.powi(long as i32), random));
        let order = random.pick(&ORDERS);
        let wasserstein = Metric::Wasserstein { order, internal_p: random.pick(&NORMS) };
        let metric = if random.once_in(6) { Metric::Bottleneck } else { wasserstein };
        Case { sides, metric, long }
    }

    fn options(case: &Case) -> String {
        format!("{:?} {}", case.metric, case.long)
    }

    fn check(case: &Case, _: &Pools) -> Result<(), String> {
        let [a, b] = &case.sides;
        let found = matching(a, b, &case.metric, &()).map_err(|error| format!("refused: {error}"))?;
        let costs = Costs::of(&case.metric);
        let rows: Vec<Row> = a.iter().map(|p| Row::new(p, b, &costs)).collect();
        let alone: Vec<f64> = b.iter().map(|q| costs.of_diagonal(q)).collect();
        let least = costs.root(least(&rows, &alone, &mut vec![false; b.len()], &costs));
        near("the distance", found.distance, least)?;
        let Matching { distance, pairs: Some(pairs), .. } = found else {
            return Err("a distance of finite bars without a matching".to_owned());
        };
        let sorted = |mut places: Vec<usize>| {
            places.sort_unstable();
            places
        };
        let all = |count: usize| (0..count).collect::<Vec<_>>();
        same("bars of A", &sorted(pairs.iter().filter_map(|pair| pair.a).collect()), &all(a.len()))?;
        same("bars of B", &sorted(pairs.iter().filter_map(|pair| pair.b).collect()), &all(b.len()))?;
        let together = pairs.iter().map(|pair| costs.power(pair.distance)).fold(0.0, |p, q| costs.both(p, q));
        near("what the pairs are together", costs.root(together), distance)
    }

    fn smaller(case: &Case) -> Vec<Case> {
        let mut smaller = Vec::new();
        for side in 0..2 {
            for at in 0..case.sides[side].len() {
                let mut sides = case.sides.clone();
                sides[side].remove(at);
                smaller.push(Case { sides, ..*case });
            }
        }
        smaller
    }
}

fn bars(step: f64, most: i64, long: f64, random: &mut Random) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    for _ in 0..random.below(6) {
        let birth = random.within(0, most) as f64 * step;
        let length = if random.once_in(3) { 0.0 } else { long };
        let bar = Bar { birth, death: birth + length + random.within(-1, most) as f64 * step };
        bars.push(if random.once_in(5) && !bars.is_empty() { bars[random.below(bars.len())] } else { bar });
    }
    bars
}

/// Costs of pairs and their combination: all are nonnegative, so no digits cancel.
struct Costs {
    /// Exponent of the costs; `None` for the greatest cost of a pair.
    order: Option<f64>,
    norm: f64,
}

impl Costs {
    fn of(metric: &Metric) -> Costs {
        match *metric {
            Metric::Bottleneck => Costs { order: None, norm: f64::INFINITY },
            Metric::Wasserstein { order, internal_p } => Costs { order: Some(order), norm: internal_p },
        }
    }

    fn length(&self, x: f64, y: f64) -> f64 {
        let (x, y) = (x.abs(), y.abs());
        if self.norm == f64::INFINITY {
            x.max(y)
        } else {
            (x.powf(self.norm) + y.powf(self.norm)).powf(self.norm.recip())
        }
    }

    fn of_pair(&self, p: &Bar, q: &Bar) -> f64 {
        self.power(self.length(p.birth - q.birth, p.death - q.death))
    }

    fn of_diagonal(&self, p: &Bar) -> f64 {
        let half = (p.death - p.birth) / 2.0;
        self.power(self.length(half, half))
    }

    fn power(&self, distance: f64) -> f64 {
        self.order.map_or(distance, |order| distance.powf(order))
    }

    fn root(&self, cost: f64) -> f64 {
        self.order.map_or(cost, |order| cost.powf(order.recip()))
    }

    fn both(&self, p: f64, q: f64) -> f64 {
        if self.order.is_some() { p + q } else { p.max(q) }
    }
}

/// Costs of a bar of A: with the diagonal, and with each bar of B.
struct Row {
    diagonal: f64,
    pairs: Vec<f64>,
}

impl Row {
    fn new(p: &Bar, b: &[Bar], costs: &Costs) -> Row {
        Row { diagonal: costs.of_diagonal(p), pairs: b.iter().map(|q| costs.of_pair(p, q)).collect() }
    }
}

/// Least cost of the remaining bars of A and the bars of B that are not taken.
fn least(rows: &[Row], alone: &[f64], is_taken: &mut [bool], costs: &Costs) -> f64 {
    let Some((row, rest)) = rows.split_first() else {
        let left = alone.iter().zip(is_taken).filter(|(_, is_taken)| !**is_taken);
        return left.fold(0.0, |all, (cost, _)| costs.both(all, *cost));
    };
    let mut best = costs.both(row.diagonal, least(rest, alone, is_taken, costs));
    for (column, &cost) in row.pairs.iter().enumerate() {
        if !is_taken[column] {
            is_taken[column] = true;
            best = best.min(costs.both(cost, least(rest, alone, is_taken, costs)));
            is_taken[column] = false;
        }
    }
    best
}

/// Fails unless two distances are equal up to rounding.
fn near(what: &str, found: f64, expected: f64) -> Result<(), String> {
    if (found - expected).abs() <= 1e-10 * expected { Ok(()) } else { same(what, &found, &expected) }
}
