//! Zhang and Suen's rule: two subiterations; the best-known rule, which does not preserve topology.
//!
//! Source: Zhang, Suen 1984, "A fast parallel algorithm for thinning digital patterns". With the neighbours of a pixel
//! numbered clockwise from the north, P2 … P9, a pixel is deleted if
//!
//! - A = 1, where A is the number of transitions from background to foreground in the cycle P2, P3, …, P9, P2;
//! - 2 ≤ B ≤ 6, where B is the number of neighbours in the foreground;
//! - in the first subiteration P2·P4·P6 = 0 and P4·P6·P8 = 0, in the second P2·P4·P8 = 0 and P2·P6·P8 = 0.
//!
//! OpenCV's `THINNING_ZHANGSUEN` is the same rule, but never deletes pixels in the image's outermost rows and columns.
//!
//! There is no guarantee: isolated 2×2 blocks vanish, and so do diagonal lines two pixels wide, except for their ends.

use super::window::{PlanarRule, Window, at_least_two, enters_once};

/// Zhang and Suen's rule, as defined in the [module](self).
#[derive(Debug, Clone, Copy)]
pub struct ZhangSuen;

impl PlanarRule for ZhangSuen {
    const STEPS: usize = 2;

    #[inline(always)]
    fn deleted<const STEP: usize>(window: &Window) -> u64 {
        let &Window { n, ne, e, se, s, sw, w, nw, .. } = window;
        let ring = [n, ne, e, se, s, sw, w, nw];
        let inside = if STEP == 0 { e & s & (n | w) } else { n & w & (e | s) };
        enters_once(ring) & at_least_two(ring) & at_least_two(ring.map(|p| !p)) & !inside
    }
}
