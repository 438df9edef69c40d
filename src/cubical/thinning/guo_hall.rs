//! Guo and Hall's rule: two subiterations, preserves topology.
//!
//! Source: Guo, Hall 1989, "Parallel thinning with two-subiteration algorithms", algorithm A1. With the neighbours of a
//! pixel numbered clockwise from the north, P2 … P9, a pixel is deleted if
//!
//! - C = 1, where C = ¬P2(P3 ∨ P4) + ¬P4(P5 ∨ P6) + ¬P6(P7 ∨ P8) + ¬P8(P9 ∨ P2), the 8-components around it;
//! - 2 ≤ N ≤ 3, where N = min(N1, N2), N1 = (P9 ∨ P2) + (P3 ∨ P4) + (P5 ∨ P6) + (P7 ∨ P8) and
//!   N2 = (P2 ∨ P3) + (P4 ∨ P5) + (P6 ∨ P7) + (P8 ∨ P9): ends of lines are kept;
//! - in the first subiteration (P6 ∨ P7 ∨ ¬P9) P8 = 0, in the second (P2 ∨ P3 ∨ ¬P5) P4 = 0.
//!
//! OpenCV's `THINNING_GUOHALL` is the same rule, but never deletes pixels in the image's outermost rows and columns, so
//! the two agree on images with a frame of background. scikit-image's `thin` begins with the second subiteration, so
//! the two agree after a rotation by 180°.
//!
//! Guarantee: each subiteration preserves the number of 8-components and of holes (4-components of the background).

use super::window::{PlanarRule, Window, one_of_four, two_of_four};

/// Guo and Hall's rule, as defined in the [module](self).
#[derive(Debug, Clone, Copy)]
pub struct GuoHall;

impl PlanarRule for GuoHall {
    const STEPS: usize = 2;

    #[inline(always)]
    fn deleted<const STEP: usize>(window: &Window) -> u64 {
        let &Window { n, ne, e, se, s, sw, w, nw, .. } = window;
        let connected = one_of_four([!n & (ne | e), !e & (se | s), !s & (sw | w), !w & (nw | n)]);
        let first = [nw | n, ne | e, se | s, sw | w];
        let second = [n | ne, e | se, s | sw, w | nw];
        let not_an_end = two_of_four(first) & two_of_four(second);
        let not_inside =
            !(first[0] & first[1] & first[2] & first[3] & second[0] & second[1] & second[2] & second[3]);
        let kept = if STEP == 0 { (s | sw | !nw) & w } else { (n | ne | !se) & e };
        connected & not_an_end & not_inside & !kept
    }
}
