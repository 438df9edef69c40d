//! Farthest-point sampling: evenly spread samples, so that few points show the topology.

/// The Euclidean distance.
pub fn euclidean<const M: usize>(a: &[f64; M], b: &[f64; M]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// Returns the first candidate and `n` − 1 more, each the first of those farthest from all chosen before.
pub fn farthest_points<P: Copy>(candidates: &[P], n: usize, distance: impl Fn(&P, &P) -> f64) -> Vec<P> {
    let mut gaps = vec![f64::INFINITY; candidates.len()];
    let mut chosen = Vec::with_capacity(n);
    let mut next = 0;
    for _ in 0..n.min(candidates.len()) {
        let point = candidates[next];
        chosen.push(point);
        for (gap, candidate) in gaps.iter_mut().zip(candidates) {
            *gap = gap.min(distance(candidate, &point));
        }
        next = (0..gaps.len()).fold(0, |best, k| if gaps[k] > gaps[best] { k } else { best });
    }
    chosen
}
