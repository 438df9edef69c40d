//! Oracles: distances by their definition, with every pair written out. They share only types with the code under test.

use super::{Bar, Metric};

/// Distance between the bars of two diagrams, by definition.
pub(super) fn distance(a: &[Bar], b: &[Bar], metric: &Metric) -> f64 {
    let order = match *metric {
        Metric::Bottleneck => 1.0,
        Metric::Wasserstein { order, .. } => order,
    };
    let norm = |x: f64, y: f64| length(x, y, metric);
    let (n, m) = (a.len(), b.len());
    // Rows are the bars of A, followed by a diagonal entry for each bar of B; columns the other way round.
    let cell = |row: usize, column: usize| match (a.get(row), b.get(column)) {
        (Some(p), Some(q)) => norm(difference(p.birth, q.birth), difference(p.death, q.death)),
        (Some(bar), None) | (None, Some(bar)) => {
            let half = if bar.birth == bar.death { 0.0 } else { bar.death / 2.0 - bar.birth / 2.0 };
            norm(half.abs(), half.abs())
        }
        (None, None) => 0.0,
    };
    let matrix: Vec<Vec<f64>> =
        (0..n + m).map(|row| (0..n + m).map(|column| cell(row, column)).collect()).collect();
    if matches!(metric, Metric::Bottleneck) {
        return bottleneck(&matrix);
    }
    // An infinite cost is replaced by more than the sum of all finite ones.
    let most = matrix.iter().flatten().copied().filter(|cost| cost.is_finite()).fold(0.0, f64::max);
    let infinite = (1.0 + most.powf(order)) * (1 + n + m) as f64;
    let costs: Vec<Vec<f64>> = matrix
        .iter()
        .map(|row| {
            row.iter().map(|cost| if cost.is_finite() { cost.powf(order) } else { infinite }).collect()
        })
        .collect();
    let columns = assignment(&costs);
    let pairs = columns.iter().enumerate().map(|(column, &row)| matrix[row][column]);
    pairs.map(|cost| cost.powf(order)).sum::<f64>().powf(order.recip())
}

/// Distance of a few finite bars by trying all matchings. Their costs are sums of nonnegative terms, so no digits
/// cancel, as happens with prices of an assignment when bars are long compared with their distances.
pub(super) fn least(a: &[Bar], b: &[Bar], metric: &Metric) -> f64 {
    let Metric::Wasserstein { order, .. } = *metric else { return distance(a, b, metric) };
    let mut is_taken = vec![false; b.len()];
    let cost = |a: &[Bar], b: &[Bar]| distance(a, b, metric).powf(order);
    let alone: Vec<f64> = b.iter().map(|bar| cost(&[], &[*bar])).collect();
    let pair = |p: &Bar, q: &Bar| {
        let [x, y] = [(p.birth - q.birth).abs(), (p.death - q.death).abs()];
        length(x, y, metric).powf(order)
    };
    let rows: Vec<(f64, Vec<f64>)> =
        a.iter().map(|p| (cost(&[*p], &[]), b.iter().map(|q| pair(p, q)).collect())).collect();
    least_of_rest(&rows, &alone, &mut is_taken).powf(order.recip())
}

/// Least cost of the remaining bars of A and the bars of B that are not taken.
fn least_of_rest(rows: &[(f64, Vec<f64>)], alone: &[f64], is_taken: &mut [bool]) -> f64 {
    let Some(((diagonal, pairs), rest)) = rows.split_first() else {
        return alone.iter().zip(is_taken).filter(|(_, is_taken)| !**is_taken).map(|(cost, _)| cost).sum();
    };
    let mut least = diagonal + least_of_rest(rest, alone, is_taken);
    for (column, cost) in pairs.iter().enumerate() {
        if !is_taken[column] {
            is_taken[column] = true;
            least = least.min(cost + least_of_rest(rest, alone, is_taken));
            is_taken[column] = false;
        }
    }
    least
}

/// Distance of equally many bars, all so long that none is matched with the diagonal.
pub(super) fn without_diagonal(a: &[Bar], b: &[Bar], metric: &Metric) -> f64 {
    let Metric::Wasserstein { order, .. } = *metric else { return distance(a, b, metric) };
    let pair =
        |p: &Bar, q: &Bar| length((p.birth - q.birth).abs(), (p.death - q.death).abs(), metric).powf(order);
    let costs: Vec<Vec<f64>> = a.iter().map(|p| b.iter().map(|q| pair(p, q)).collect()).collect();
    let rows = assignment(&costs);
    rows.iter().enumerate().map(|(column, &row)| costs[row][column]).sum::<f64>().powf(order.recip())
}

/// Norm of a vector with nonnegative coordinates.
fn length(x: f64, y: f64, metric: &Metric) -> f64 {
    let q = match *metric {
        Metric::Bottleneck => f64::INFINITY,
        Metric::Wasserstein { internal_p, .. } => internal_p,
    };
    if q == f64::INFINITY { x.max(y) } else { (x.powf(q) + y.powf(q)).powf(q.recip()) }
}

/// Difference of two ends; 0 for equal infinities.
fn difference(x: f64, y: f64) -> f64 {
    if x == y { 0.0 } else { (x - y).abs() }
}

/// Row of each column in a minimum-cost assignment: the Hungarian algorithm, one row at a time (Jonker, Volgenant
/// 1987).
fn assignment(costs: &[Vec<f64>]) -> Vec<usize> {
    let n = costs.len();
    let (mut of_rows, mut of_columns) = (vec![0.0; n], vec![0.0; n]);
    let mut rows: Vec<Option<usize>> = vec![None; n];
    for start in 0..n {
        let mut least = vec![f64::INFINITY; n];
        let mut from: Vec<Option<usize>> = vec![None; n];
        let mut is_done = vec![false; n];
        let (mut row, mut at) = (start, None);
        let end = loop {
            for column in (0..n).filter(|&column| !is_done[column]) {
                let reduced = costs[row][column] - of_rows[row] - of_columns[column];
                if reduced < least[column] {
                    (least[column], from[column]) = (reduced, at);
                }
            }
            let open = (0..n).filter(|&column| !is_done[column]);
            let next = open.min_by(|&p, &q| least[p].total_cmp(&least[q])).unwrap();
            let step = least[next];
            of_rows[start] += step;
            for column in 0..n {
                if is_done[column] {
                    of_rows[rows[column].unwrap()] += step;
                    of_columns[column] -= step;
                } else {
                    least[column] -= step;
                }
            }
            is_done[next] = true;
            match rows[next] {
                None => break next,
                Some(taken) => (row, at) = (taken, Some(next)),
            }
        };
        let mut column = end;
        while let Some(before) = from[column] {
            rows[column] = rows[before];
            column = before;
        }
        rows[column] = Some(start);
    }
    rows.into_iter().map(Option::unwrap).collect()
}

/// Least entry that suffices for a perfect matching; tries all entries in ascending order.
fn bottleneck(matrix: &[Vec<f64>]) -> f64 {
    let mut candidates: Vec<f64> = matrix.iter().flatten().copied().collect();
    candidates.sort_unstable_by(f64::total_cmp);
    candidates.dedup();
    let suffices = |most: f64| {
        let mut rows = vec![None; matrix.len()];
        (0..matrix.len())
            .all(|row| is_augmented(matrix, most, row, &mut rows, &mut vec![false; matrix.len()]))
    };
    let least = candidates.partition_point(|&candidate| !suffices(candidate));
    candidates.get(least).copied().unwrap_or(0.0)
}

fn is_augmented(
    matrix: &[Vec<f64>],
    most: f64,
    row: usize,
    rows: &mut [Option<usize>],
    is_seen: &mut [bool],
) -> bool {
    for column in 0..matrix.len() {
        if matrix[row][column] <= most && !std::mem::replace(&mut is_seen[column], true) {
            let is_free = rows[column].is_none_or(|other| is_augmented(matrix, most, other, rows, is_seen));
            if is_free {
                rows[column] = Some(row);
                return true;
            }
        }
    }
    false
}
