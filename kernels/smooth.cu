// Gaussian smoothing (`cubical::ecc::scales`): along an axis, sums of a voxel's neighbours, each with its weight.
//
//   smooth_axis     a thread owns a voxel                      any axis, any radius
//   smooth_planes   a block owns a tile of a plane             the two fastest axes, one after the other, RADIUS
//   smooth_slowest  a thread owns a line along the slowest     the slowest axis, RADIUS
//                   axis, `share` voxels of it
//
// A sum is w_0 x_0 + w_1 (x_−1 + x_1) + w_2 (x_−2 + x_2) + …, taken in this order, each operation rounded to the nearest by itself, so that
// the processor finds the same bits. Each x is halved before and the sum is doubled at the end, so that no sum on the way is past the range of
// floats. Beyond the border the image is reflected, the voxel at the border twice: … b a | a b c …
//
// A voxel has 2 RADIUS neighbours along an axis, and is one of those of as many others. So a thread of the last two kernels makes several
// sums side by side of voxels that it holds in registers, and what is smoothed along the fastest axis stays in shared memory for the next.
// `smooth_axis` reads every neighbour again: it is for radii that registers have no room for, and for images of which tiles would be
// nearly empty.
//
// Compiled for RADIUS, 1 to MOST_RADIUS, and without it, for other radii; and for WIDE, TALL, THREADS, STEP and MOST_RADIUS of
// `src/cuda/constants.rs`.

#include "common.cuh"

typedef long long i64;

// The place inside a line at which its reflection at both ends has the value of a place outside. Places −1 − k and k have one value, and
// values come again after twice the length.
__device__ __forceinline__ u64 reflected(i64 place, u64 length) {
    if ((u64)place < length) return place;
    const u64 within = (u64)(place < 0 ? -1 - place : place) % (2 * length);
    return within < length ? within : 2 * length - 1 - within;
}

__device__ __forceinline__ float half_of(float x) { return __fmul_rn(0.5f, x); }

// The mean whose half this is. Rounding may take it past the range of floats: it is the end of that range then.
__device__ __forceinline__ float twice(float half) {
    const float greatest = 3.402823466e+38f;
    return fminf(fmaxf(__fmul_rn(2.0f, half), -greatest), greatest);
}

// An image is `outer` times `length` times `inner` voxels, of which those of one line are `inner` apart.
extern "C" __global__ void smooth_axis(const float *from, u64 count, u64 length, u64 inner, const float *weights, u32 radius, float *to) {
    const u64 voxel = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (voxel >= count) return;
    // Divisions of 64 bits take several times as long as the rest, and few images have as many voxels.
    const u64 at = count >> 32 == 0 ? (u32)voxel / (u32)inner % (u32)length : voxel / inner % length;
    const float *line = from + (voxel - at * inner);
    float sum = __fmul_rn(weights[0], half_of(line[at * inner]));
    if (at >= radius && at + radius < length) {
        for (u32 k = 1; k <= radius; k++) {
            const float both = __fadd_rn(half_of(line[(at - k) * inner]), half_of(line[(at + k) * inner]));
            sum = __fadd_rn(sum, __fmul_rn(weights[k], both));
        }
    } else {
        for (u32 k = 1; k <= radius; k++) {
            const float before = line[reflected((i64)at - k, length) * inner], after = line[reflected((i64)at + k, length) * inner];
            const float both = __fadd_rn(half_of(before), half_of(after));
            sum = __fadd_rn(sum, __fmul_rn(weights[k], both));
        }
    }
    to[voxel] = twice(sum);
}

#ifdef RADIUS

struct Weights {
    float of[MOST_RADIUS + 1];
};

// The sum of a voxel, of which the neighbours are held on both sides, all of them halved.
__device__ __forceinline__ float sum_around(const float *voxel, const Weights &weights) {
    float sum = __fmul_rn(weights.of[0], voxel[0]);
#pragma unroll
    for (int k = 1; k <= RADIUS; k++) sum = __fadd_rn(sum, __fmul_rn(weights.of[k], __fadd_rn(voxel[-k], voxel[k])));
    return twice(sum);
}

// Voxels before a group of four that are read with it: words of four.
#define BEFORE ((RADIUS + 3) / 4 * 4)
// Groups of four columns of a tile.
#define GROUPS (WIDE / 4)
// Rows of a tile and of their neighbours.
#define HIGH (TALL + 2 * RADIUS)
// Rows of a thread.
#define DEPTH (WIDE * TALL / THREADS)

// The sums of four voxels of a row of an image, from a column on that is a multiple of four. Voxels past the end of the row may be anything.
__device__ __forceinline__ float4 sums_of_row(const float *__restrict__ row, u64 column, u64 columns, const Weights &weights) {
    float held[4 + 2 * BEFORE];
    const bool is_inside = column >= BEFORE && column + 4 + BEFORE <= columns;
    if (is_inside && columns % 4 == 0) {
        const float4 *words = (const float4 *)(row + column - BEFORE);
#pragma unroll
        for (int k = 0; k < 1 + BEFORE / 2; k++) {
            const float4 word = words[k];
            held[4 * k] = half_of(word.x), held[4 * k + 1] = half_of(word.y);
            held[4 * k + 2] = half_of(word.z), held[4 * k + 3] = half_of(word.w);
        }
    } else if (is_inside) {
#pragma unroll
        for (int k = BEFORE - RADIUS; k < BEFORE + 4 + RADIUS; k++) held[k] = half_of(row[column + k - BEFORE]);
    } else {
#pragma unroll
        for (int k = BEFORE - RADIUS; k < BEFORE + 4 + RADIUS; k++) {
            held[k] = half_of(row[reflected((i64)column + k - BEFORE, columns)]);
        }
    }
    const float *first = held + BEFORE;
    return make_float4(sum_around(first, weights), sum_around(first + 1, weights), sum_around(first + 2, weights), sum_around(first + 3, weights));
}

extern "C" __global__ void __launch_bounds__(THREADS)
    smooth_planes(const float *__restrict__ from, u64 rows, u64 columns, Weights weights, float *__restrict__ to) {
    __shared__ float4 smoothed[HIGH][GROUPS];
    // There are fewer tiles than 2^32: a block each.
    const u32 across = (u32)((columns + WIDE - 1) / WIDE), down = (u32)((rows + TALL - 1) / TALL);
    const u64 left = (u64)(blockIdx.x % across) * WIDE, top = (u64)(blockIdx.x / across % down) * TALL;
    const u64 plane = (u64)(blockIdx.x / across / down) * rows * columns;
    const u32 used = (rows - top < TALL ? (u32)(rows - top) : TALL) + 2 * RADIUS;
#pragma unroll
    for (u32 first = 0; first < HIGH * GROUPS; first += THREADS) {
        const u32 place = first + threadIdx.x, row = place / GROUPS;
        const u64 column = left + place % GROUPS * 4;
        if (row < used && column < columns) {
            const float *line = from + plane + reflected((i64)(top + row) - RADIUS, rows) * columns;
            smoothed[row][place % GROUPS] = sums_of_row(line, column, columns, weights);
        }
    }
    __syncthreads();
    const u32 row = threadIdx.x / WIDE * DEPTH;
    const u64 column = left + threadIdx.x % WIDE;
    if (top + row >= rows || column >= columns) return;
    // Rows that are not used are held as they are, and their sums are not written.
    float held[DEPTH + 2 * RADIUS];
#pragma unroll
    for (int k = 0; k < DEPTH + 2 * RADIUS; k++) held[k] = half_of(((const float *)smoothed[row + k])[threadIdx.x % WIDE]);
    float *line = to + plane + (top + row) * columns + column;
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        if (top + row + k < rows) line[k * columns] = sum_around(held + RADIUS + k, weights);
    }
}

// An image is `length` times `inner` voxels, of which those of one line are `inner` apart.
extern "C" __global__ void __launch_bounds__(THREADS)
    smooth_slowest(const float *__restrict__ from, u64 length, u64 inner, u64 share, Weights weights, float *__restrict__ to) {
    const u32 blocks = (u32)((inner + THREADS - 1) / THREADS);
    const u64 place = (u64)(blockIdx.x % blocks) * THREADS + threadIdx.x;
    const u64 begin = blockIdx.x / blocks * share, end = begin + share < length ? begin + share : length;
    if (place >= inner) return;
    const float *line = from + place;
    float held[STEP + 2 * RADIUS];
#pragma unroll
    for (int k = 0; k < 2 * RADIUS; k++) held[k] = half_of(line[reflected((i64)begin + k - RADIUS, length) * inner]);
    for (u64 at = begin; at < end; at += STEP) {
#pragma unroll
        for (int k = 0; k < STEP; k++) held[2 * RADIUS + k] = half_of(line[reflected((i64)at + k + RADIUS, length) * inner]);
#pragma unroll
        for (int k = 0; k < STEP; k++) {
            if (at + k < end) to[place + (at + k) * inner] = sum_around(held + RADIUS + k, weights);
        }
#pragma unroll
        for (int k = 0; k < 2 * RADIUS; k++) held[k] = held[k + STEP];
    }
}

#endif
