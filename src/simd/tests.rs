//! Tests every level of this machine against the meaning of the operations.

use super::*;

struct Check<'a, R>(&'a [R], &'a [R]);

impl<R: Rank> Kernel<R> for Check<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<R>>(self, s: S) {
        let (a, b) = (s.load(self.0), s.load(self.1));
        let mut out = vec![R::default(); S::LEN];
        s.store(s.max(a, b), &mut out);
        assert!((0..S::LEN).all(|k| out[k] == self.0[k].max(self.1[k])));
        s.store(s.min(a, b), &mut out);
        assert!((0..S::LEN).all(|k| out[k] == self.0[k].min(self.1[k])));
        s.store(s.splat(self.0[3]), &mut out);
        assert!(out.iter().all(|&r| r == self.0[3]));
        let expected: u32 = (0..S::LEN).map(|k| u32::from(self.0[k] <= self.1[k]) << k).sum();
        let (le, ge) = (s.le(a, b), s.le(b, a));
        assert_eq!(s.bits(le), expected);
        assert_eq!(s.all(le), expected == u32::MAX >> (32 - S::LEN));
        assert!(s.all(s.or(le, ge)), "a ≤ b or b ≤ a");
    }
}

#[test]
fn every_level_computes_the_same() {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state
    };
    for round in 0..200 {
        let wide = |x: u32| if round % 2 == 0 { x } else { x % 3 };
        let a: Vec<u32> = (0..MAX_LANES).map(|k| if k == 1 { u32::MAX } else { wide(next()) }).collect();
        let b: Vec<u32> = (0..MAX_LANES).map(|_| wide(next())).collect();
        let narrow =
            |v: &[u32]| v.iter().map(|&x| (x >> if round % 2 == 0 { 16 } else { 0 }) as u16).collect();
        let (c, d): (Vec<u16>, Vec<u16>) = (narrow(&a), narrow(&b));
        for level in Level::available() {
            level.run::<u32, _>(Check(&a, &b));
            level.run::<u16, _>(Check(&c, &d));
        }
    }
}

#[test]
#[should_panic(expected = "out of range")]
fn a_short_slice_is_refused() {
    let short = [0u16; 4];
    Level::detect().run::<u16, _>(Check(&short, &short));
}

#[test]
fn widths_of_the_absent_edge() {
    assert_eq!(u16::narrow(u32::MAX).widen(), u32::MAX);
    assert_eq!(u16::narrow(65_534).widen(), 65_534);
    assert_eq!(u32::narrow(u32::MAX), <u32 as Rank>::MAX);
}
