//! Coefficient fields: Z/2, where a coefficient takes no memory, and Z/p.

use std::fmt::Debug;

/// A prime field Z/p. Documentation of its methods writes a, b for coefficients and k for an integer.
pub trait Field: Copy + Send + Sync {
    /// A non-zero coefficient. In Z/2 there is only one, so the type has size zero.
    type Coefficient: Copy + PartialEq + Debug + Send + Sync + 'static;
    /// A sum of coefficients, possibly zero.
    type Sum: Copy;
    /// The empty sum, zero.
    const ZERO: Self::Sum;

    /// The coefficient 1.
    fn one(self) -> Self::Coefficient;
    /// The sign (−1)^k.
    fn sign(self, k: usize) -> Self::Coefficient;
    /// The product a·b.
    fn mul(self, a: Self::Coefficient, b: Self::Coefficient) -> Self::Coefficient;
    /// The negative −a.
    fn neg(self, a: Self::Coefficient) -> Self::Coefficient;
    /// The inverse 1/a.
    fn inverse(self, a: Self::Coefficient) -> Self::Coefficient;
    /// The sum `sum` + a.
    fn add(self, sum: Self::Sum, a: Self::Coefficient) -> Self::Sum;
    /// The coefficient as an integer from 1 to p − 1.
    fn number(self, a: Self::Coefficient) -> u16;
    /// The coefficient of an integer from 1 to p − 1.
    fn of_number(self, number: u16) -> Self::Coefficient;
    /// The sum as a coefficient, `None` if it is zero.
    fn non_zero(self, sum: Self::Sum) -> Option<Self::Coefficient>;
    /// Whether every column to which nothing was added has pivot coefficient 1, so that its simplex alone determines
    /// it. Conditions test it first, so that code for Z/2 alone is not compiled for other fields.
    const UNIT: bool;
}

/// The field Z/2.
#[derive(Debug, Clone, Copy)]
pub struct Two;

impl Field for Two {
    type Coefficient = ();
    type Sum = bool;
    const ZERO: bool = false;
    const UNIT: bool = true;

    #[inline(always)]
    fn one(self) {}
    #[inline(always)]
    fn sign(self, _: usize) {}
    #[inline(always)]
    fn mul(self, (): (), (): ()) {}
    #[inline(always)]
    fn neg(self, (): ()) {}
    #[inline(always)]
    fn inverse(self, (): ()) {}
    #[inline(always)]
    fn add(self, sum: bool, (): ()) -> bool {
        !sum
    }
    fn number(self, (): ()) -> u16 {
        1
    }

    fn of_number(self, _: u16) {}

    #[inline(always)]
    fn non_zero(self, sum: bool) -> Option<()> {
        sum.then_some(())
    }
}

/// The field Z/p for a prime p below 2^16.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Modulo {
    p: u32,
}

impl Modulo {
    /// The field Z/`p`; `p` must be a prime below 2^16.
    pub(crate) fn new(p: u16) -> Self {
        Modulo { p: p.into() }
    }

    fn reduce(self, x: u32) -> u16 {
        // A remainder modulo p fits 16 bits.
        (x % self.p) as u16
    }
}

impl Field for Modulo {
    type Coefficient = u16;
    type Sum = u16;
    const ZERO: u16 = 0;
    const UNIT: bool = false;

    fn one(self) -> u16 {
        1
    }

    fn sign(self, k: usize) -> u16 {
        if k.is_multiple_of(2) { 1 } else { self.reduce(self.p - 1) }
    }

    fn mul(self, a: u16, b: u16) -> u16 {
        self.reduce(u32::from(a) * u32::from(b))
    }

    fn neg(self, a: u16) -> u16 {
        self.reduce(self.p - u32::from(a))
    }

    /// Computes a^(p−2), which is the inverse by Fermat's little theorem.
    fn inverse(self, a: u16) -> u16 {
        let (mut base, mut exponent, mut result) = (a, self.p - 2, 1);
        while exponent > 0 {
            if exponent % 2 == 1 {
                result = self.mul(result, base);
            }
            base = self.mul(base, base);
            exponent /= 2;
        }
        result
    }

    fn add(self, sum: u16, a: u16) -> u16 {
        self.reduce(u32::from(sum) + u32::from(a))
    }

    fn number(self, a: u16) -> u16 {
        a
    }

    fn of_number(self, number: u16) -> u16 {
        number
    }

    fn non_zero(self, sum: u16) -> Option<u16> {
        (sum != 0).then_some(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_of_every_element() {
        for p in [2u16, 3, 5, 7, 251, 65_521] {
            let field = Modulo::new(p);
            for a in (1..p).step_by(if p > 1000 { 97 } else { 1 }) {
                assert_eq!(field.mul(a, field.inverse(a)), 1, "{a} modulo {p}");
                assert_eq!(field.add(a, field.neg(a)), 0);
            }
        }
    }
}
