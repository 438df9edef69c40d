//! Moduli of coefficient fields: primes below 2^16.

use super::RipsError;

/// Checks that `p` is a prime below 2^16.
///
/// # Errors
/// [`RipsError::Invalid`]: `p` is not a prime below 2^16.
pub fn prime_modulus(p: u32) -> Result<u16, RipsError> {
    match u16::try_from(p) {
        Ok(small) if is_prime(p) => Ok(small),
        _ => Err(RipsError::invalid("modulus", "a prime below 65536", p)),
    }
}

/// Whether `p`, which is below 2^16, is a prime, by trial division.
fn is_prime(p: u32) -> bool {
    p >= 2 && (2..).take_while(|d| d * d <= p).all(|d| !p.is_multiple_of(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_primes_below_two_to_the_sixteen() {
        assert_eq!((0..1 << 16).filter(|&p| prime_modulus(p).is_ok()).count(), 6542);
        assert_eq!(prime_modulus(65521), Ok(65521));
        for p in [0, 1, 4, 65535, 65536, 65537, u32::MAX] {
            assert_eq!(prime_modulus(p), Err(RipsError::invalid("modulus", "a prime below 65536", p)));
        }
    }
}
