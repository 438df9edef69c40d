//! Matching of bars within a tolerance: the clusters and flows of the library against single augmenting paths.

use lacuna::compare::{Barcode, Bars, compare, matching};
use phat_formats::dipha::DiagramPoint;

use super::pools::Pools;
use super::subject::{Subject, same};
use lacuna::generate::Random;

/// Matchings.
pub(super) struct Matchings;

/// Two multisets of bars, as dimension, birth, death; an essential bar dies at infinity.
#[derive(Debug, Clone)]
pub(super) struct Case {
    sides: [Vec<Bar>; 2],
    tolerance: f64,
    kind: Kind,
}

type Bar = (u32, f64, f64);

/// Origin of the second side.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// The first side in another order.
    Shuffled,
    /// The first side with every number moved by at most the tolerance.
    Moved,
    /// Independent of the first side.
    Other,
}

const TOLERANCES: [f64; 7] = [0.0, 0.25, 0.5, 1.0, 1.5, 1e-9, f64::INFINITY];

impl Subject for Matchings {
    type Case = Case;
    const NAME: &'static str = "compare";
    const CROSSED: &'static str = "tolerance, kind of difference";
    const SHARE: u32 = 1;

    fn draw(random: &mut Random) -> Case {
        let tolerance = random.pick(&TOLERANCES);
        let kind = random.pick(&[Kind::Shuffled, Kind::Moved, Kind::Other, Kind::Other]);
        let step = random.pick(&[0.25, 0.5, 1.0, 1e-9, 1e300]);
        let most = random.within(1, 12);
        let first = bars(step, most, random);
        let second = match kind {
            Kind::Other => bars(step, most, random),
            Kind::Shuffled | Kind::Moved => {
                let order = random.order(first.len());
                let mut moved = |x: f64| match kind {
                    // Both sums may be rounded away from the number, so that they differ by more than the tolerance.
                    Kind::Moved if tolerance.is_finite() => {
                        x + 0.5 * tolerance * random.pick(&[-1.0, 0.0, 1.0])
                    }
                    _ => x,
                };
                order.into_iter().map(|k| first[k]).map(|(dim, b, d)| (dim, moved(b), moved(d))).collect()
            }
        };
        Case { sides: [first, second], tolerance, kind }
    }

    fn options(case: &Case) -> String {
        format!("{} {:?}", case.tolerance, case.kind)
    }

    fn check(case: &Case, _: &Pools) -> Result<(), String> {
        let [a, b] = &case.sides;
        // Essential bars match only each other, so they are treated as bars of separate dimensions.
        let classed = |bars: &[Bar]| {
            let class = |&(dim, b, d): &Bar| (if d == f64::INFINITY { dim + 100 } else { dim }, b, d);
            bars.iter().map(class).collect::<Vec<_>>()
        };
        let matched = greatest(&classed(a), &classed(b), case.tolerance);
        let whole = |bars: &[Bar]| Barcode::Bars(Bars::new(bars.iter().map(point).collect()));
        let comparison =
            compare(&whole(a), &whole(b), case.tolerance).map_err(|error| format!("refused: {error}"))?;
        same("the number of matched bars", &comparison.matched, &matched)?;
        let left = [&comparison.only[0], &comparison.only[1]].map(Vec::len);
        same("the numbers of bars that are left", &left, &[a.len() - matched, b.len() - matched])?;
        let is_same = matched == a.len() && matched == b.len();
        same("whether they are the same", &comparison.is_same(), &is_same)?;
        same("whether bars that were moved are the same", &(case.kind == Kind::Other || is_same), &true)?;
        let points = |bars: &[Bar]| bars.iter().map(|&(_, birth, death)| [birth, death]).collect::<Vec<_>>();
        let [left_a, left_b] = matching::unmatched(&points(a), &points(b), case.tolerance);
        let no_dim = |bars: &[Bar]| bars.iter().map(|&(_, b, d)| (0, b, d)).collect::<Vec<_>>();
        let matched = greatest(&no_dim(a), &no_dim(b), case.tolerance);
        same("points matched", &(a.len() - left_a.len(), b.len() - left_b.len()), &(matched, matched))?;
        // No two unmatched bars fit each other, or the matching could be greater.
        let kept = |bars: &[Bar], left: &[usize]| {
            let is_left = |at: &usize| left.contains(at);
            (0..bars.len())
                .filter(|at| !is_left(at))
                .map(|at| (0, bars[at].1, bars[at].2))
                .collect::<Vec<_>>()
        };
        let (kept_a, kept_b) = (kept(a, &left_a), kept(b, &left_b));
        same("a matching of those that are not left", &greatest(&kept_a, &kept_b, case.tolerance), &matched)
    }

    fn smaller(case: &Case) -> Vec<Case> {
        let mut smaller = Vec::new();
        for side in 0..2 {
            for at in 0..case.sides[side].len() {
                let mut sides = case.sides.clone();
                sides[side].remove(at);
                // With a bar missing on one side, the sides are no longer related.
                smaller.push(Case { sides, kind: Kind::Other, ..*case });
            }
        }
        smaller
    }
}

fn bars(step: f64, most: i64, random: &mut Random) -> Vec<Bar> {
    let most_bars = if random.once_in(5) { 25 } else { 7 };
    let count = random.below(most_bars);
    let mut bars: Vec<Bar> = Vec::new();
    for _ in 0..count {
        let birth = random.within(-1, most) as f64 * step;
        let length = random.within(0, most) as f64 * step;
        let death = if random.once_in(6) { f64::INFINITY } else { birth + length };
        let bar = (random.within(0, 2) as u32, birth, death);
        bars.push(if random.once_in(4) && !bars.is_empty() { bars[random.below(bars.len())] } else { bar });
    }
    bars
}

fn point(&(dim, birth, death): &Bar) -> DiagramPoint {
    DiagramPoint { dim, birth, death, essential: death == f64::INFINITY }
}

/// Size of a maximum matching of near bars of equal dimension, by augmenting paths (Berge 1957).
fn greatest(a: &[Bar], b: &[Bar], tolerance: f64) -> usize {
    // The difference of equal infinities counts as 0.
    let near = |x: f64, y: f64| x == y || (x - y).abs() <= tolerance;
    let fits = |p: &Bar, q: &Bar| p.0 == q.0 && near(p.1, q.1) && near(p.2, q.2);
    let neighbours: Vec<Vec<usize>> =
        a.iter().map(|p| (0..b.len()).filter(|&q| fits(p, &b[q])).collect()).collect();
    let mut partner = vec![None; b.len()];
    (0..a.len()).filter(|&p| augment(p, &neighbours, &mut partner, &mut vec![false; b.len()])).count()
}

fn augment(p: usize, neighbours: &[Vec<usize>], partner: &mut [Option<usize>], seen: &mut [bool]) -> bool {
    for &q in &neighbours[p] {
        if !std::mem::replace(&mut seen[q], true)
            && partner[q].is_none_or(|other| augment(other, neighbours, partner, seen))
        {
            partner[q] = Some(p);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greedy_choice_is_not_the_greatest_matching() {
        let (a, b) = ([(0, 0.0, 11.0), (0, 0.6, 9.0)], [(0, 0.0, 10.0), (0, 0.5, 12.0)]);
        assert_eq!(greatest(&a, &b, 1.0), 2);
        assert_eq!(greatest(&a, &b, 0.5), 0);
        assert_eq!(greatest(&[(0, 0.0, f64::INFINITY)], &[(0, 0.0, 5.0)], 1e300), 0);
    }
}
