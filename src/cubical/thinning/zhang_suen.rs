//! Zhang and Suen's rule: two subiterations, the best known of all, which does not keep topology.
//!
//! Source: Zhang, Suen 1984, "A fast parallel algorithm for thinning digital patterns". With the neighbours of a pixel
//! numbered clockwise from the north, P2 … P9, a pixel is deleted if
//!
//! - A = 1, the times that P2, P3, …, P9, P2 turns from background to foreground;
//! - 2 ≤ B ≤ 6, the neighbours in the foreground;
//! - in the first subiteration P2·P4·P6 = 0 and P4·P6·P8 = 0, in the second P2·P4·P8 = 0 and P2·P6·P8 = 0.
//!
//! OpenCV's `THINNING_ZHANGSUEN` is the same, but never deletes pixels of the image's outermost rows and columns.
//!
//! No guarantee: an isolated 2×2 block vanishes, and so do diagonal lines two pixels wide, up to their ends.

use super::window::{PlanarRule, Window, at_least_two, enters_once};

/// See the module.
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
