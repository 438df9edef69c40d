//! Checks Ronse's conditions (1988) for an operator that decides all pixels of the plane at once, on every window that
//! two 4-neighbours see: rows and columns −2 to 1 of each.

use super::*;

/// A small image, its pixels one bit each in rows of `width`; outside is background.
struct Patch {
    width: i32,
    bits: u32,
}

impl Patch {
    fn black(&self, y: i32, x: i32) -> bool {
        let inside = (0..self.width).contains(&x) && y >= 0 && y * self.width + x < 32;
        inside && self.bits >> (y * self.width + x) & 1 == 1
    }

    fn window(&self, y: i32, x: i32) -> Window {
        let at = |dy: i32, dx: i32| u64::from(self.black(y + dy, x + dx));
        Window {
            nnww: at(-2, -2),
            nnw: at(-2, -1),
            nn: at(-2, 0),
            nne: at(-2, 1),
            nww: at(-1, -2),
            nw: at(-1, -1),
            n: at(-1, 0),
            ne: at(-1, 1),
            ww: at(0, -2),
            w: at(0, -1),
            c: at(0, 0),
            e: at(0, 1),
            sww: at(1, -2),
            sw: at(1, -1),
            s: at(1, 0),
            se: at(1, 1),
        }
    }

    fn deleted<R: PlanarRule, const STEP: usize>(&self, y: i32, x: i32) -> bool {
        self.black(y, x) && R::deleted::<STEP>(&self.window(y, x)) & 1 == 1
    }

    /// Whether a pixel is simple in (8, 4)-connectivity: one 8-component of foreground and a background 4-neighbour.
    fn simple(&self, y: i32, x: i32) -> bool {
        let ring = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)];
        let p = ring.map(|(dy, dx)| self.black(y + dy, x + dx));
        // Yokoi's number of 8-connectivity.
        let number = [0, 2, 4, 6].into_iter().filter(|&k| !p[k] && (p[k + 1] || p[(k + 2) % 8])).count();
        number == 1
    }

    fn without(&self, y: i32, x: i32) -> Patch {
        Patch { width: self.width, bits: self.bits & !(1 << (y * self.width + x)) }
    }
}

/// The first condition that a step of a rule violates.
fn broken<R: PlanarRule, const STEP: usize>() -> Option<&'static str> {
    let deleted = |patch: &Patch, y, x| patch.deleted::<R, STEP>(y, x);
    // A pixel at (2, 2) of 4×4 pixels, and a pair of it and its eastern or southern neighbour.
    let single = (0..1 << 16_u32).into_par_iter().any(|bits| {
        let patch = Patch { width: 4, bits };
        deleted(&patch, 2, 2) && !patch.simple(2, 2)
    });
    let beside = (0..1 << 20_u32).into_par_iter().any(|bits| {
        let patch = Patch { width: 5, bits };
        deleted(&patch, 2, 2) && deleted(&patch, 2, 3) && !patch.without(2, 2).simple(2, 3)
    });
    let below = (0..1 << 20_u32).into_par_iter().any(|bits| {
        let patch = Patch { width: 4, bits };
        deleted(&patch, 2, 2) && deleted(&patch, 3, 2) && !patch.without(2, 2).simple(3, 2)
    });
    // Components whose pixels are all neighbours of each other: those within an isolated 2×2 square.
    let small = (1..16_u32).any(|square| {
        let bits = [(2, 2), (2, 3), (3, 2), (3, 3)].into_iter().enumerate();
        let bits =
            bits.filter(|(k, _)| square >> k & 1 == 1).fold(0, |bits, (_, (y, x))| bits | 1 << (y * 5 + x));
        let patch = Patch { width: 5, bits };
        (0..4).filter(|k| square >> k & 1 == 1).all(|k| deleted(&patch, 2 + k / 2, 2 + k % 2))
    });
    let broken = [(single, "single"), (beside, "pair"), (below, "pair"), (small, "small component")];
    broken.into_iter().find(|(broken, _)| *broken).map(|(_, condition)| condition)
}

/// The condition that each subiteration of a rule violates; nothing for rules that do not decide all pixels at once.
fn broken_by(rule: Rule) -> Vec<Option<&'static str>> {
    match rule {
        Rule::GuoHall => vec![broken::<GuoHall, 0>(), broken::<GuoHall, 1>()],
        Rule::ZhangSuen => vec![broken::<ZhangSuen, 0>(), broken::<ZhangSuen, 1>()],
        Rule::Kashani => vec![broken::<Kashani, 0>()],
        Rule::KashaniSafe => vec![broken::<KashaniSafe, 0>()],
        Rule::Subfields => vec![],
    }
}

#[test]
fn conditions_hold_for_the_rules_that_keep_topology() {
    for rule in Rule::ALL {
        let broken = broken_by(rule);
        assert!(
            broken.iter().all(|condition| condition.is_none() == rule.keeps_topology()),
            "{rule}: {broken:?}"
        );
    }
    assert_eq!(broken_by(Rule::Kashani), [Some("small component")]);
}
