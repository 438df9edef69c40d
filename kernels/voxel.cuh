// Voxels and their keys. Compiled for VOXEL, an unsigned integer of BITS bits that holds a voxel, and, where voxels are floating-point
// numbers, for FLOATING, which is BITS again.

#pragma once

#include "common.cuh"

typedef unsigned char u8;
typedef long long i64;

// The key of a voxel: an unsigned integer, ordered as voxels are (`cubical::Voxel::key`). The mask adapts the order to a signed type, or
// reverses it, or both.
__device__ __forceinline__ VOXEL key_of(VOXEL bits, VOXEL mask) {
#ifdef FLOATING
    const VOXEL top = (VOXEL)1 << (BITS - 1);
    // −0 is 0.
    if (bits == top) bits = 0;
    bits ^= bits & top ? ~(VOXEL)0 : top;
#endif
    return bits ^ mask;
}
