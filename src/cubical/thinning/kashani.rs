//! Kashani-Akhavan's rule: an iteration decides all pixels in one step; as published, and a safe variant.
//!
//! Source: Kashani-Akhavan 2017, the CUDA listing. Let the neighbours of a pixel P1 be numbered *counter-clockwise*
//! from the north, P2 … P9. NZ is the number of neighbours in the foreground, and TR(P) the number of transitions from
//! background to foreground among the neighbours of P in this cyclic order. A pixel is deleted if
//!
//! - 2 ≤ NZ(P1) ≤ 6;
//! - TR(P1) = 1;
//! - P2·P4·P8 = 0 or TR(P2) ≠ 1, P2 being the pixel to the north;
//! - P2·P4·P6 = 0 or TR(P4) ≠ 1, P4 being the pixel to the west.
//!
//! Outside the image is background. All pixels are decided from the same image, so a pixel's fate depends on the 4×4
//! pixels from two above and left of it to one below and right.
//!
//! **As published** ([`Kashani`]) an iteration preserves 8-components and holes with one exception: it deletes all
//! pixels of an isolated 2×2 block. So every full square of even side eventually disappears, and so does every disc
//! centred on a corner of pixels.
//!
//! **Safe** ([`KashaniSafe`]) is the same rule, but keeps the south-eastern pixel of an isolated 2×2 block: the one
//! whose 4×4 pixels are the block and its surroundings. Guarantee: each iteration preserves the number of 8-components
//! and of holes.

use super::window::{PlanarRule, Window, at_least_two, enters_once};

/// Kashani-Akhavan's rule as published.
#[derive(Debug, Clone, Copy)]
pub struct Kashani;

/// Kashani-Akhavan's rule, except that it keeps a pixel of each isolated 2×2 block.
#[derive(Debug, Clone, Copy)]
pub struct KashaniSafe;

impl PlanarRule for Kashani {
    const STEPS: usize = 1;

    #[inline(always)]
    fn deleted<const STEP: usize>(window: &Window) -> u64 {
        let &Window { nnw, nn, nne, nww, nw, n, ne, ww, w, c, e, sww, sw, s, se, .. } = window;
        let ring = [n, nw, w, sw, s, se, e, ne];
        let border = enters_once(ring) & at_least_two(ring) & at_least_two(ring.map(|p| !p));
        let northern = enters_once([nn, nnw, nw, w, c, e, ne, nne]);
        let western = enters_once([nw, nww, ww, sww, sw, s, c, n]);
        border & !(n & w & (e & northern | s & western))
    }
}

impl PlanarRule for KashaniSafe {
    const STEPS: usize = 1;

    #[inline(always)]
    fn deleted<const STEP: usize>(window: &Window) -> u64 {
        let &Window { nnww, nnw, nn, nne, nww, nw, n, ne, ww, w, e, sww, sw, s, se, .. } = window;
        let around = nnww | nnw | nn | nne | nww | ne | ww | e | sww | sw | s | se;
        let last_of_a_block = nw & n & w & !around;
        Kashani::deleted::<STEP>(window) & !last_of_a_block
    }
}
