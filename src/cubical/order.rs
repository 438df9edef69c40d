//! The order in which voxels enter, and the values that keys in this order stand for.

use super::key::{Coding, Key};
use super::value::Value;
use super::voxel::VoxelType;

/// The type of an image's voxels, and the order in which they enter. What takes keys and this is compiled once per
/// width of keys rather than per type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VoxelOrder {
    pub(super) coding: Coding,
    /// Number of bits of a voxel, and of its key.
    pub(super) bits: u32,
    /// Whether greater voxels enter first.
    pub(super) superlevel: bool,
    /// Bits that are inverted last: the sign of signed integers, and all bits for superlevel sets. It follows from the
    /// other fields.
    pub(super) inverted: u64,
}

impl VoxelOrder {
    #[inline(always)]
    pub(crate) fn new(voxels: VoxelType, superlevel: bool) -> Self {
        let (coding, bits) = (voxels.coding(), voxels.bits());
        let sign = if coding == Coding::Signed { 1 << (bits - 1) } else { 0 };
        let all = if superlevel { u64::MAX >> (u64::BITS - bits) } else { 0 };
        VoxelOrder { coding, bits, superlevel, inverted: sign ^ all }
    }

    /// This order of floating-point numbers, which are then known to the compiler to be such.
    #[inline(always)]
    pub(super) fn as_floats(self) -> Self {
        VoxelOrder { coding: Coding::Float, ..self }
    }

    /// Writes the keys of voxels, which are given as bits, in filtration order.
    pub(super) fn fill<K: Key>(self, bits: &[K], keys: &mut [K]) {
        let keys = keys.iter_mut().zip(bits);
        // Floating-point numbers have a loop of their own, in which the compiler knows the coding. So neither loop has
        // a branch.
        match self.coding {
            Coding::Float => {
                let order = self.as_floats();
                keys.for_each(|(to, &bits)| *to = order.key(bits));
            }
            Coding::Unsigned | Coding::Signed => keys.for_each(|(to, &bits)| *to = self.key(bits)),
        }
    }

    /// The key in filtration order of the voxels with these bits, which are as many as those of the key.
    #[inline(always)]
    pub(crate) fn key<K: Key>(self, bits: K) -> K {
        let bits = if self.coding == Coding::Float { float_key(bits) } else { bits };
        K::from_u64(bits.to_u64() ^ self.inverted)
    }

    /// The bits of the voxels that have this key in filtration order.
    #[inline(always)]
    pub(crate) fn bits_of(self, key: u64) -> u64 {
        let (sign, all) = (1 << (self.bits - 1), u64::MAX >> (u64::BITS - self.bits));
        let key = key ^ self.inverted;
        match self.coding {
            Coding::Unsigned | Coding::Signed => key,
            Coding::Float => key ^ if key & sign == 0 { all } else { sign },
        }
    }

    /// The value of the voxels that have this key in filtration order; NaN for keys of no number.
    #[inline(always)]
    pub(crate) fn value(self, key: u64) -> Value {
        let (bits, unused) = (self.bits_of(key), u64::BITS - self.bits);
        match self.coding {
            Coding::Unsigned => Value::Unsigned(bits),
            Coding::Signed => Value::Signed((bits << unused).cast_signed() >> unused),
            Coding::Float if self.bits == 32 => Value::Double(f32::from_bits(bits as u32).into()),
            Coding::Float => Value::Double(f64::from_bits(bits)),
        }
    }
}

/// The key of a floating-point number, given as bits.
#[inline(always)]
fn float_key<K: Key>(bits: K) -> K {
    let (bits, sign) = (bits.to_u64(), 1_u64 << (K::BITS - 1));
    // Zero and −0, whose only bit is the sign, have one key. Negative numbers compare in reverse by their bits.
    let bits = if bits == sign { 0 } else { bits };
    K::from_u64(bits ^ if bits & sign == 0 { sign } else { K::MAX.to_u64() })
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::cubical::image::Voxel;

    fn keys_stand_for_voxels<T: Voxel>(voxels: &[T]) {
        for superlevel in [false, true] {
            let order = VoxelOrder::new(T::TYPE, superlevel);
            let mut keys = vec![T::Key::default(); voxels.len()];
            order.fill(T::bits(voxels), &mut keys);
            for (&a, &key) in voxels.iter().zip(&keys) {
                assert_eq!(key, a.ordered(superlevel), "{a}");
                assert_eq!(order.value(key.to_u64()), a.into());
                assert!(T::of_key(a.key()) == a);
                for (&b, other) in voxels.iter().zip(&keys) {
                    let ordering = if superlevel { b.partial_cmp(&a) } else { a.partial_cmp(&b) };
                    assert_eq!(Some(key.cmp(other)), ordering, "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn keys_of_every_type() {
        keys_stand_for_voxels(&[0_u8, 1, 127, 128, u8::MAX]);
        keys_stand_for_voxels(&[i8::MIN, -1, 0, 1, i8::MAX]);
        keys_stand_for_voxels(&[0, 1, 1 << 15, u16::MAX]);
        keys_stand_for_voxels(&[i16::MIN, -1, 0, 1, i16::MAX]);
        keys_stand_for_voxels(&[0, 1, 1 << 31, u32::MAX]);
        keys_stand_for_voxels(&[i32::MIN, -1, 0, 1, i32::MAX]);
        keys_stand_for_voxels(&[0, 1, 1 << 63, u64::MAX]);
        keys_stand_for_voxels(&[i64::MIN, -1, 0, 1, i64::MAX]);
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let random: Vec<u64> = (0..300).map(|_| rng.random()).collect();
        keys_stand_for_voxels(&random.iter().map(|&bits| bits as i16).collect::<Vec<_>>());
        keys_stand_for_voxels(&random.iter().map(|&bits| bits as i32).collect::<Vec<_>>());
        keys_stand_for_voxels(&random.iter().map(|&bits| bits as i64).collect::<Vec<_>>());
        let singles = random.iter().map(|&bits| f32::from_bits(bits as u32));
        keys_stand_for_voxels(&singles.filter(|number| !number.is_nan()).collect::<Vec<_>>());
        let doubles = random.iter().map(|&bits| f64::from_bits(bits));
        keys_stand_for_voxels(&doubles.filter(|number| !number.is_nan()).collect::<Vec<_>>());
        let (tiny, inf) = (f32::from_bits(1), f32::INFINITY);
        keys_stand_for_voxels(&[-inf, f32::MIN, -1.0, -tiny, -0.0, 0.0, tiny, 1.5, f32::MAX, inf]);
        let (tiny, inf) = (f64::from_bits(1), f64::INFINITY);
        keys_stand_for_voxels(&[-inf, f64::MIN, -1.0, -tiny, -0.0, 0.0, tiny, 1.5, f64::MAX, inf]);
    }
}
