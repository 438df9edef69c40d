//! Linear algebra over Z/p for small primes p, with dense vectors: spans by elimination.

/// A vector with entries from 0 to p − 1.
pub(crate) type Vector = Vec<u32>;

/// A space of vectors with a basis in echelon form: each basis vector is zero at the leading entries of the previous
/// ones.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    modulus: u32,
    /// The basis vectors with the places of their leading entries, which are 1.
    basis: Vec<(usize, Vector)>,
}

impl Span {
    /// The span of `vectors`.
    pub(crate) fn new(modulus: u32, vectors: impl IntoIterator<Item = Vector>) -> Span {
        let mut span = Span { modulus, basis: Vec::new() };
        vectors.into_iter().for_each(|vector| {
            span.add(vector);
        });
        span
    }

    /// Adds a vector to the span, and returns whether it was not in it before.
    pub(crate) fn add(&mut self, vector: Vector) -> bool {
        let mut rest = self.rest(vector);
        let Some(leading) = rest.iter().position(|&entry| entry != 0) else { return false };
        let inverse = inverse(rest[leading], self.modulus);
        rest.iter_mut().for_each(|entry| *entry = *entry * inverse % self.modulus);
        self.basis.push((leading, rest));
        true
    }

    /// Whether a vector is in the space.
    pub(crate) fn contains(&self, vector: Vector) -> bool {
        is_zero(&self.rest(vector))
    }

    /// The dimension of the space.
    pub(crate) fn rank(&self) -> usize {
        self.basis.len()
    }

    /// The span of the first `count` basis vectors.
    pub(crate) fn of_first(&self, count: usize) -> Span {
        Span { modulus: self.modulus, basis: self.basis[..count].to_vec() }
    }

    /// Reduces a vector: subtracts multiples of basis vectors that cancel it at their leading entries.
    fn rest(&self, mut vector: Vector) -> Vector {
        for (leading, other) in &self.basis {
            let factor = self.modulus - vector[*leading];
            if factor < self.modulus {
                for (entry, other) in vector.iter_mut().zip(other).skip(*leading) {
                    *entry = (*entry + factor * other) % self.modulus;
                }
            }
        }
        vector
    }
}

/// Whether all entries are 0.
pub(crate) fn is_zero(vector: &[u32]) -> bool {
    vector.iter().all(|&entry| entry == 0)
}

/// The inner product of two vectors.
pub(crate) fn dot(a: &[u32], b: &[u32], modulus: u32) -> u32 {
    a.iter().zip(b).fold(0, |sum, (a, b)| (sum + a * b) % modulus)
}

/// The inverse of a unit, by trial.
fn inverse(unit: u32, modulus: u32) -> u32 {
    (1..modulus).find(|candidate| candidate * unit % modulus == 1).expect("a unit of a field")
}
