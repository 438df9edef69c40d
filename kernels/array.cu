// Arrays of voxels that lie on the device already (`cubical::resident`): what the other kernels want of them, and a skeleton as an array.
//
//   array_first_nan  a thread looks at a voxel of many   the place of the first voxel that is NaN
//   array_floats     a thread owns a voxel of many       voxels as the floats that are smoothed, the place of the first that is none
//   array_bits       a warp owns a word of 32 voxels     foreground, as words of rows
//   array_bytes      a thread owns a voxel of many       words of rows as bytes, 0 or 1
//
// Compiled for VOXEL, the type of voxels.

#include "common.cuh"

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef int i32;
typedef long long i64;

__device__ __forceinline__ u64 first_place() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }

__device__ __forceinline__ u64 all_threads() { return (u64)gridDim.x * blockDim.x; }

// `first` holds the greatest number, or a place that was found before.
extern "C" __global__ void array_first_nan(const VOXEL *voxels, u64 count, u64 *first) {
    for (u64 place = first_place(); place < count; place += all_threads()) {
        if (voxels[place] != voxels[place]) atomicMin(first, place);
    }
}

// A float is the double that the voxel is, rounded to the nearest: the processor's way.
extern "C" __global__ void array_floats(const VOXEL *voxels, u64 count, float *floats, u64 *first) {
    const u32 exponent = 0x7f800000;
    for (u64 place = first_place(); place < count; place += all_threads()) {
        const float value = (float)(double)voxels[place];
        floats[place] = value;
        if ((__float_as_uint(value) & exponent) == exponent) atomicMin(first, place);
    }
}

// The image has `rows` rows in each plane, `words` words in all; voxels of neighbouring planes, rows and columns are so many apart. Foreground is
// what is greater than the threshold, a value of the voxels' type, or what is not 0. A row begins with a word of 64 voxels, the first voxel in the lowest bit: `width` counts
// words of 32, and is even. What is past the end of a row is background. The blocks have whole warps.
extern "C" __global__ void array_bits(
    const VOXEL *voxels, u64 rows, u64 columns, u64 width, u64 words, u64 plane_step, u64 row_step, u64 column_step,
    VOXEL threshold, u32 is_above, u32 is_inverted, u32 *bits) {
    for (u64 word = first_place() / WARP; word < words; word += all_threads() / WARP) {
        const u64 row = word / width, column = word % width * WARP + lane();
        bool is_foreground = false;
        if (column < columns) {
            const VOXEL value = voxels[row / rows * plane_step + row % rows * row_step + column * column_step];
            is_foreground = (is_above ? value > threshold : value != 0) != (is_inverted != 0);
        }
        const u32 found = __ballot_sync(ALL, is_foreground);
        if (lane() == 0) bits[word] = found;
    }
}

// `width` counts words of 32 voxels in a row.
extern "C" __global__ void array_bytes(const u32 *bits, u64 count, u64 columns, u64 width, u8 *bytes) {
    for (u64 place = first_place(); place < count; place += all_threads()) {
        const u64 row = place / columns, column = place % columns;
        bytes[place] = bits[row * width + column / WARP] >> (column % WARP) & 1;
    }
}
