//! What the rules of the plane look at: a pixel's neighbours, for the 64 pixels of a word at once.
//!
//! A rule is a Boolean formula on the words of a [`Window`]: bit k of each is a neighbour of pixel k of the word in the
//! middle. Nothing here or in the rules depends on the width of a word or on where it came from.

/// The rows and columns of pixels around those of a word; north is up, the row before; what is outside the image is
/// background. Fields are named as points of the compass; `c` are the pixels themselves.
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

/// A rule that looks at a window and says which pixels go. All pixels are decided at once, from the same image.
pub(super) trait PlanarRule: Copy + Send + Sync + 'static {
    /// Subiterations, 1 or 2: an iteration runs through them.
    const STEPS: usize;
    /// Which pixels of the foreground a subiteration, 0 or 1, deletes. Bits of the background may be either.
    fn deleted<const STEP: usize>(window: &Window) -> u64;
}

/// Where at least two of eight are set.
#[inline(always)]
pub(super) fn at_least_two(p: [u64; 8]) -> u64 {
    let one = p[0] | p[1] | p[2] | p[3];
    let other = p[4] | p[5] | p[6] | p[7];
    let two = p[0] & p[1] | p[2] & p[3] | (p[0] | p[1]) & (p[2] | p[3]);
    let others = p[4] & p[5] | p[6] & p[7] | (p[4] | p[5]) & (p[6] | p[7]);
    two | others | one & other
}

/// Where at least two of four are set.
#[inline(always)]
pub(super) fn two_of_four(p: [u64; 4]) -> u64 {
    p[0] & p[1] | p[2] & p[3] | (p[0] | p[1]) & (p[2] | p[3])
}

/// Where exactly one of four is set.
#[inline(always)]
pub(super) fn one_of_four(p: [u64; 4]) -> u64 {
    (p[0] | p[1] | p[2] | p[3]) & !two_of_four(p)
}

/// Where a turn around a pixel, through its eight neighbours in order, enters the foreground exactly once: TR = 1.
///
/// Two entries are never neighbours in the turn, so the eight are counted by pairs. The sense of the turn is the same
/// to it: it is entered as often as it is left.
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
