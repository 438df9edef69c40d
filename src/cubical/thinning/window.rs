//! The window of a planar rule: the neighbours of a pixel, for the 64 pixels of a word at once.
//!
//! A rule is a Boolean formula on the words of a [`Window`]: bit k of each word is a neighbour of pixel k of the word
//! in the middle. Neither the window nor the rules depend on the width of a word or on its origin.

/// The neighbours of the pixels of a word. Fields are named after points of the compass, where north is up, the
/// previous row; `c` are the pixels themselves. Outside the image is background.
///
/// ```text
///  nnww  nnw  nn  nne
///   nww   nw   n   ne
///    ww    w   c    e
///   sww   sw   s   se
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Window {
    pub nnww: u64,
    pub nnw: u64,
    pub nn: u64,
    pub nne: u64,
    pub nww: u64,
    pub nw: u64,
    pub n: u64,
    pub ne: u64,
    pub ww: u64,
    pub w: u64,
    pub c: u64,
    pub e: u64,
    pub sww: u64,
    pub sw: u64,
    pub s: u64,
    pub se: u64,
}

/// A rule that selects the pixels to delete from their windows. All pixels are decided from the same image.
pub(super) trait PlanarRule {
    /// Number of subiterations of an iteration, 1 or 2.
    const STEPS: usize;
    /// Mask of foreground pixels that subiteration `STEP` (0 or 1) deletes. Bits of the background are arbitrary.
    fn deleted<const STEP: usize>(window: &Window) -> u64;
}

/// Mask of at least two set among eight.
#[inline(always)]
pub(super) fn at_least_two(p: [u64; 8]) -> u64 {
    let one = p[0] | p[1] | p[2] | p[3];
    let other = p[4] | p[5] | p[6] | p[7];
    two_of_four([p[0], p[1], p[2], p[3]]) | two_of_four([p[4], p[5], p[6], p[7]]) | one & other
}

/// Mask of at least two set among four.
#[inline(always)]
pub(super) fn two_of_four(p: [u64; 4]) -> u64 {
    p[0] & p[1] | p[2] & p[3] | (p[0] | p[1]) & (p[2] | p[3])
}

/// Mask of exactly one set among four.
#[inline(always)]
pub(super) fn one_of_four(p: [u64; 4]) -> u64 {
    (p[0] | p[1] | p[2] | p[3]) & !two_of_four(p)
}

/// Mask of exactly one transition from background to foreground in the cycle of eight neighbours: TR = 1.
///
/// No two such transitions are adjacent in the cycle, so the eight are counted in pairs. The direction does not matter:
/// there are as many transitions to background as to foreground.
#[inline(always)]
pub(super) fn enters_once(p: [u64; 8]) -> u64 {
    one_of_four([
        !p[0] & p[1] | !p[1] & p[2],
        !p[2] & p[3] | !p[3] & p[4],
        !p[4] & p[5] | !p[5] & p[6],
        !p[6] & p[7] | !p[7] & p[0],
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_counts() {
        for ring in 0..256_u32 {
            let p: [u64; 8] = std::array::from_fn(|k| u64::from(ring >> k & 1));
            let count = ring.count_ones();
            let entries = (0..8).filter(|&k| ring >> k & 1 == 0 && ring >> ((k + 1) % 8) & 1 == 1).count();
            assert_eq!(at_least_two(p) & 1 == 1, count >= 2, "{ring:08b}");
            assert_eq!(enters_once(p) & 1 == 1, entries == 1, "{ring:08b}");
            if ring < 16 {
                let p = [p[0], p[1], p[2], p[3]];
                assert_eq!((two_of_four(p) & 1 == 1, one_of_four(p) & 1 == 1), (count >= 2, count == 1));
            }
        }
    }
}
