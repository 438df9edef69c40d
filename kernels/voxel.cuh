// Voxels and their keys. For VOXEL, of BITS, and FLOATING (the bits again, of floating-point numbers).

#pragma once

#include "common.cuh"

typedef unsigned char u8;
typedef long long i64;

// The bits of a voxel as numbers that are ordered as voxels are (`cubical::Voxel::key`). The mask makes them those of a signed type, or
// reverses them, or both.
__device__ __forceinline__ VOXEL key_of(VOXEL bits, VOXEL mask) {
#ifdef FLOATING
    const VOXEL top = (VOXEL)1 << (BITS - 1);
    // −0 is 0.
    if (bits == top) bits = 0;
    bits ^= bits & top ? ~(VOXEL)0 : top;
#endif
    return bits ^ mask;
}
