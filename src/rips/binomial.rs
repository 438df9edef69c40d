//! Binomial coefficients, and the numbering of pairs by them.

/// The binomial coefficient C(n, k), saturating at `u64::MAX`.
pub fn binomial(n: usize, k: usize) -> u64 {
    if k > n {
        return 0;
    }
    let mut product = 1u128;
    for i in 0..k.min(n - k) {
        product = product * (n - i) as u128 / (i + 1) as u128;
        if product > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    // The loop returned unless the product is at most `u64::MAX`.
    product as u64
}

/// The pair of numbers [i, j], i > j, at this place in the order of pairs by i, then by j: the pair whose place is
/// C(i, 2) + j.
pub(super) fn pair(place: usize) -> [usize; 2] {
    // Rounding of a large place may give a neighbouring i.
    let mut i = ((1.0 + (1.0 + 8.0 * place as f64).sqrt()) / 2.0) as usize;
    while i * (i - 1) / 2 > place {
        i -= 1;
    }
    while i * (i + 1) / 2 <= place {
        i += 1;
    }
    [i, place - i * (i - 1) / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomials_saturate() {
        assert_eq!((binomial(297, 4), binomial(5, 0), binomial(3, 5)), (317_691_990, 1, 0));
        assert_eq!(binomial(1000, 500), u64::MAX);
    }
}
