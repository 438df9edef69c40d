//! The order in which voxels enter, and the values that keys in this order stand for.

use crate::cubical::key::{Coding, Key};
use crate::cubical::value::Value;
use crate::cubical::voxel::VoxelType;

/// The type of an image's voxels, and the order in which they enter. What takes keys and this is compiled once per
/// width of keys rather than per type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VoxelOrder {
    pub(super) coding: Coding,
    /// Number of bits of a voxel, and of its key.
    pub(super) bits: u32,
    /// Whether greater voxels enter first.
    pub(super) superlevel: bool,
}

impl VoxelOrder {
    pub(crate) fn new(voxels: VoxelType, superlevel: bool) -> Self {
        VoxelOrder { coding: voxels.coding(), bits: voxels.bits(), superlevel }
    }

    /// Writes the keys of voxels, which are given as bits, in filtration order.
    pub(super) fn fill<K: Key>(self, bits: &[K], keys: &mut [K]) {
        // Each coding has loops of its own, which have no branch.
        match self.coding {
            Coding::Unsigned => self.fill_by(bits, keys, |bits| bits),
            Coding::Signed => {
                self.fill_by(bits, keys, |bits| K::from_u64(bits.to_u64() ^ 1 << (K::BITS - 1)))
            }
            Coding::Float => self.fill_by(bits, keys, float_key),
        }
    }

    #[inline(always)]
    fn fill_by<K: Key>(self, bits: &[K], keys: &mut [K], key: impl Fn(K) -> K) {
        let keys = keys.iter_mut().zip(bits);
        if self.superlevel {
            keys.for_each(|(to, &bits)| *to = key(bits).reversed());
        } else {
            keys.for_each(|(to, &bits)| *to = key(bits));
        }
    }

    /// The value of the voxels that have this key in filtration order; NaN for keys of no number.
    #[inline(always)]
    pub(crate) fn value(self, key: u64) -> Value {
        let VoxelOrder { coding, bits, superlevel } = self;
        let unused = u64::BITS - bits;
        let (sign, all) = (1 << (bits - 1), u64::MAX >> unused);
        let key = if superlevel { key ^ all } else { key };
        match coding {
            Coding::Unsigned => Value::Unsigned(key),
            Coding::Signed => Value::Signed(((key ^ sign) << unused).cast_signed() >> unused),
            Coding::Float => {
                let word = key ^ if key & sign == 0 { all } else { sign };
                Value::Double(if bits == 32 {
                    f32::from_bits(word as u32).into()
                } else {
                    f64::from_bits(word)
                })
            }
        }
    }
}

/// The key of a floating-point number, given as bits.
#[inline(always)]
fn float_key<K: Key>(bits: K) -> K {
    let (bits, sign) = (bits.to_u64(), 1 << (K::BITS - 1));
    // Adding zero turns −0 into 0. Negative numbers compare in reverse by their bits.
    let bits = match K::BITS {
        32 => (f32::from_bits(bits as u32) + 0.0).to_bits().into(),
        _ => (f64::from_bits(bits) + 0.0).to_bits(),
    };
    K::from_u64(bits ^ if bits & sign == 0 { sign } else { K::MAX.to_u64() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::image::Voxel;

    fn keys_stand_for_voxels<T: Voxel>(voxels: &[T]) {
        for superlevel in [false, true] {
            let order = VoxelOrder::new(T::TYPE, superlevel);
            let mut keys = vec![T::Key::default(); voxels.len()];
            order.fill(T::bits(voxels), &mut keys);
            for (&voxel, &key) in voxels.iter().zip(&keys) {
                assert_eq!(key, if superlevel { voxel.key().reversed() } else { voxel.key() }, "{voxel}");
                assert_eq!(order.value(key.to_u64()), voxel.into());
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
        keys_stand_for_voxels(&[
            f32::NEG_INFINITY,
            f32::MIN,
            -0.0,
            0.0,
            f32::MIN_POSITIVE,
            1.5,
            f32::INFINITY,
        ]);
        keys_stand_for_voxels(&[
            f64::NEG_INFINITY,
            f64::MIN,
            -0.0,
            0.0,
            f64::MIN_POSITIVE,
            1.5,
            f64::INFINITY,
        ]);
    }
}
