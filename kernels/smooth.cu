// Gaussian smoothing (`cubical::ecc::scales`) along one axis: sums of a voxel's neighbours along it, each with its weight.
//
//   smooth_axis   a thread owns a voxel   to[voxel] = w_0 x_0 + w_1 (x_−1 + x_1) + w_2 (x_−2 + x_2) + …
//
// The sum is taken in this order, each operation rounded to the nearest by itself, so that the processor finds the same bits. Beyond
// the border the image is reflected, the voxel at the border twice: … b a | a b c … An image is `outer` times `length` times
// `inner` voxels, of which those of one line are `inner` apart.

#include "common.cuh"

typedef long long i64;

// The place inside a line at which its reflection at both ends has the value of a place outside.
__device__ __forceinline__ u64 reflected(i64 place, u64 length) {
    while (place < 0 || place >= (i64)length) place = place < 0 ? -1 - place : 2 * (i64)length - 1 - place;
    return place;
}

extern "C" __global__ void smooth_axis(const float *from, u64 count, u64 length, u64 inner, const float *weights, u32 radius, float *to) {
    const u64 voxel = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (voxel >= count) return;
    // Divisions of 64 bits take several times as long as the rest, and few images have as many voxels.
    const u64 at = count >> 32 == 0 ? (u32)voxel / (u32)inner % (u32)length : voxel / inner % length;
    const float *line = from + (voxel - at * inner);
    float sum = __fmul_rn(weights[0], line[at * inner]);
    if (at >= radius && at + radius < length) {
        for (u32 k = 1; k <= radius; k++) {
            const float both = __fadd_rn(line[(at - k) * inner], line[(at + k) * inner]);
            sum = __fadd_rn(sum, __fmul_rn(weights[k], both));
        }
    } else {
        for (u32 k = 1; k <= radius; k++) {
            const float both = __fadd_rn(line[reflected((i64)at - k, length) * inner], line[reflected((i64)at + k, length) * inner]);
            sum = __fadd_rn(sum, __fmul_rn(weights[k], both));
        }
    }
    to[voxel] = sum;
}
