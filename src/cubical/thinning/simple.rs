//! Simple voxels, whose deletion does not change the topology, determined for 64 voxels at once.
//!
//! Regard a voxel as a closed cube, and let A be its intersection with the other foreground: the union of its faces,
//! edges and corners that lie in another foreground cube. In (26, 6)-connectivity the voxel is simple iff A is
//! contractible. As part of a sphere, A is contractible iff both A and its complement U in the cube's surface are
//! connected. This is equivalent to one 26-component of foreground and one touching 6-component of background around
//! the voxel (Bertrand, Malandain 1994), the definition used by [`plain`](super::plain); a test compares the two on all
//! 2^26 neighbourhoods.
//!
//! U consists of the faces towards background (open faces), the edges none of whose three other voxels is foreground
//! (open edges), and the corners none of whose seven others is (open corners). By Alexander duality U is connected iff
//! A has no loop. Then the number of components of A equals its Euler characteristic, which is 1 iff
//!
//! (open faces) − (open edges) + (open corners) = 1.
//!
//! So two things are computed. First, whether U is connected: in the graph of six faces and twelve edges, each face in
//! turn is removed and its neighbours are joined; the last face of each component has no neighbour left. Second, the
//! sum, as the number of open faces, open corners and edges that are *not* open, which must be 13. If U is connected, A
//! has 0 to 8 components and that number is 14 minus these, so its three lowest bits suffice.

/// Index of a voxel among the 27 of its neighbourhood, x fastest, followed by the indices of its face neighbours.
pub(super) const MIDDLE: usize = 13;
const UP: usize = 4;
const NORTH: usize = 10;
const WEST: usize = 12;
const EAST: usize = 14;
const SOUTH: usize = 16;
const DOWN: usize = 22;

/// Mask of the neighbourhoods, of 64, whose middle voxel is simple. Whether that voxel is foreground does not matter.
#[inline(always)]
pub(super) fn simple(a: &[u64; 27]) -> u64 {
    // The neighbour across the edge of two faces, or the corner of three, is at the sum of the steps to them.
    let edge = |f: usize, g: usize| !(a[f] | a[g] | a[f + g - MIDDLE]);
    let (un, uw, ue, us) = (edge(UP, NORTH), edge(UP, WEST), edge(UP, EAST), edge(UP, SOUTH));
    let (dn, dw, de, ds) = (edge(DOWN, NORTH), edge(DOWN, WEST), edge(DOWN, EAST), edge(DOWN, SOUTH));
    let (nw, ne, sw, se) = (edge(NORTH, WEST), edge(NORTH, EAST), edge(SOUTH, WEST), edge(SOUTH, EAST));
    let corner = |f: usize, g: usize, h: usize, edges: u64| edges & !a[f + g + h - 2 * MIDDLE];

    let count = [
        !a[UP],
        !a[DOWN],
        !a[NORTH],
        !a[SOUTH],
        !a[WEST],
        !a[EAST],
        !un,
        !uw,
        !ue,
        !us,
        !dn,
        !dw,
        !de,
        !ds,
        !nw,
        !ne,
        !sw,
        !se,
        corner(UP, NORTH, WEST, un & uw & nw),
        corner(UP, NORTH, EAST, un & ue & ne),
        corner(UP, SOUTH, WEST, us & uw & sw),
        corner(UP, SOUTH, EAST, us & ue & se),
        corner(DOWN, NORTH, WEST, dn & dw & nw),
        corner(DOWN, NORTH, EAST, dn & de & ne),
        corner(DOWN, SOUTH, WEST, ds & dw & sw),
        corner(DOWN, SOUTH, EAST, ds & de & se),
    ];

    // Remove the up face and join its neighbours. Opposite faces (north and south, west and east) had no edge.
    let up = !a[UP] & !(un | uw | ue | us);
    let (nw, ne, ns) = (nw | un & uw, ne | un & ue, un & us);
    let (sw, se, we) = (sw | us & uw, se | us & ue, uw & ue);
    // Remove the north face.
    let north = !a[NORTH] & !(nw | ne | ns | dn);
    let (sw, se, we) = (sw | ns & nw, se | ns & ne, we | nw & ne);
    let (dw, de, ds) = (dw | dn & nw, de | dn & ne, ds | dn & ns);
    // Remove the south, west, east and down faces.
    let south = !a[SOUTH] & !(sw | se | ds);
    let (we, dw, de) = (we | sw & se, dw | ds & sw, de | ds & se);
    let west = !a[WEST] & !(we | dw);
    let de = de | dw & we;
    let east = !a[EAST] & !de;
    let down = !a[DOWN];

    five_modulo_eight(&count) & !two_of([up, north, south, west, east, down])
}

/// Mask of middle voxels with background across a face; in a plane, across one of the four faces within it.
#[inline(always)]
pub(super) fn border(a: &[u64; 27], planar: bool) -> u64 {
    let across = if planar { !0 } else { a[UP] & a[DOWN] };
    !(a[NORTH] & a[SOUTH] & a[WEST] & a[EAST] & across)
}

/// Mask of middle voxels with exactly one foreground neighbour, the ends of lines.
#[inline(always)]
pub(super) fn end(a: &[u64; 27]) -> u64 {
    let (mut one, mut two) = (0, 0);
    let mut k = 0;
    while k < 27 {
        if k != MIDDLE {
            two |= one & a[k];
            one |= a[k];
        }
        k += 1;
    }
    one & !two
}

/// Mask of at least two set among six.
#[inline(always)]
fn two_of(p: [u64; 6]) -> u64 {
    let (one, two) = (p[0] | p[1] | p[2], p[0] & p[1] | p[2] & (p[0] | p[1]));
    let (other, others) = (p[3] | p[4] | p[5], p[3] & p[4] | p[5] & (p[3] | p[4]));
    two | others | one & other
}

/// Mask of the positions at which the number of set bits among 26 words is 5 modulo 8.
#[inline(always)]
fn five_modulo_eight(p: &[u64; 26]) -> u64 {
    let (mut ones, mut twos, mut fours) = (p[0] ^ p[1], p[0] & p[1], 0);
    let mut k = 2;
    while k < 26 {
        let (sum, carry) = add(ones, p[k], p[k + 1]);
        let (sum, other) = add(sum, p[k + 2], p[k + 3]);
        ones = sum;
        let (sum, four) = add(twos, carry, other);
        twos = sum;
        fours ^= four;
        k += 4;
    }
    ones & !twos & fours
}

/// Full adder: sum and carry.
#[inline(always)]
fn add(a: u64, b: u64, c: u64) -> (u64, u64) {
    (a ^ b ^ c, a & b | c & (a ^ b))
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::super::plain;
    use super::*;

    /// Word j has bit j of k as its bit k: the six lowest neighbours in 64 consecutive neighbourhoods.
    const PATTERN: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];

    /// The neighbourhoods 64·high to 64·high + 63; bit j of a neighbourhood's number is its j-th neighbour.
    fn neighbourhoods(high: u32) -> [u64; 27] {
        let bit =
            |j: usize| if j < 6 { PATTERN[j] } else { 0_u64.wrapping_sub(u64::from(high >> (j - 6) & 1)) };
        std::array::from_fn(|k| match k {
            MIDDLE => !0,
            _ => bit(if k < MIDDLE { k } else { k - 1 }),
        })
    }

    /// Sets of the 27 voxels as bits of a word: the neighbours of each voxel.
    struct Adjacency {
        twenty_six: [u32; 27],
        six: [u32; 27],
    }

    impl Adjacency {
        fn new() -> Self {
            let offset = |k: i32| [k / 9, k / 3 % 3, k % 3];
            let apart = |a: i32, b: i32| [0, 1, 2].map(|axis| (offset(a)[axis] - offset(b)[axis]).abs());
            let set = |a: usize, near: &dyn Fn([i32; 3]) -> bool| {
                (0..27).filter(|&b| near(apart(a as i32, b))).fold(0, |set, b| set | 1 << b)
            };
            Adjacency {
                twenty_six: std::array::from_fn(|a| set(a, &|apart| apart.into_iter().max() == Some(1))),
                six: std::array::from_fn(|a| set(a, &|apart| apart.into_iter().sum::<i32>() == 1)),
            }
        }

        fn component(near: &[u32; 27], of: u32, from: u32) -> u32 {
            let (mut component, mut fresh) = (from, from);
            while fresh != 0 {
                let k = fresh.trailing_zeros() as usize;
                fresh &= fresh - 1;
                let new = near[k] & of & !component;
                component |= new;
                fresh |= new;
            }
            component
        }

        /// Evaluates the definition by flood fills.
        fn is_simple(&self, black: u32) -> bool {
            const CORNERS: u32 = 1 | 1 << 2 | 1 << 6 | 1 << 8 | 1 << 18 | 1 << 20 | 1 << 24 | 1 << 26;
            const FACES: u32 = 1 << UP | 1 << DOWN | 1 << NORTH | 1 << SOUTH | 1 << WEST | 1 << EAST;
            let black = black & !(1 << MIDDLE);
            let white = !black & !CORNERS & !(1 << MIDDLE) & 0x7ff_ffff;
            let faces = white & FACES;
            black != 0
                && faces != 0
                && Self::component(&self.twenty_six, black, black & black.wrapping_neg()) == black
                && faces & !Self::component(&self.six, white, faces & faces.wrapping_neg()) == 0
        }
    }

    #[test]
    fn all_neighbourhoods_are_simple_by_formula_iff_by_definition() {
        let adjacency = Adjacency::new();
        let differing = (0..1_u32 << 20).into_par_iter().filter(|&high| {
            let word = simple(&neighbourhoods(high));
            (0..64).any(|low| {
                let number = high << 6 | low;
                let black = number & 0x1fff | number >> 13 << 14;
                adjacency.is_simple(black) != (word >> low & 1 == 1)
            })
        });
        assert_eq!(differing.count(), 0);
        // The flood fills agree with the reference implementation.
        for number in (0..1 << 26_u32).step_by(99_991) {
            let black = number & 0x1fff | number >> 13 << 14;
            let around = std::array::from_fn(|k| k == MIDDLE || black >> k & 1 == 1);
            assert_eq!(adjacency.is_simple(black), plain::is_simple(around), "{black:07x}");
        }
    }

    #[test]
    fn borders_and_ends() {
        for high in (0..1 << 20).step_by(31) {
            let a = neighbourhoods(high);
            let (border_, planar, end_) = (border(&a, false), border(&a, true), end(&a));
            for low in 0..64 {
                let black = |k: usize| a[k] >> low & 1 == 1;
                let count = (0..27).filter(|&k| k != MIDDLE && black(k)).count();
                let plane = [NORTH, WEST, EAST, SOUTH].into_iter().all(black);
                assert_eq!(end_ >> low & 1 == 1, count == 1);
                assert_eq!(planar >> low & 1 == 0, plane);
                assert_eq!(border_ >> low & 1 == 0, plane && black(UP) && black(DOWN));
            }
        }
    }
}
