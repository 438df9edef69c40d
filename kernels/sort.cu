// Ordering of entries: a stable radix sort, least significant digit first (Satish, Harris, Garland 2009), descending.
//
// Four kernels run for each digit of DIGIT_BITS bits. A block owns TILE consecutive keys, a warp of it a consecutive share of those, read in
// rounds of 32 in their order: so equal digits keep their order. `totals` is digit after digit, block after block.
//
// Compiled for LIMBS (64-bit limbs of a key, the least first: 1, 2), and for DIGIT_BITS, BLOCK and ROUNDS of `src/cuda/constants.rs`.

#include "common.cuh"

#define DIGITS (1u << DIGIT_BITS)
#define TILE (BLOCK * ROUNDS)

// The digit's complement: greater digits come first.
__device__ __forceinline__ u32 digit(const u64 *keys, u64 place, u32 shift) {
    const u64 limb = keys[place * LIMBS + shift / 64];
    return ~(u32)(limb >> shift % 64) & (DIGITS - 1);
}

// Counts a tile's digits.
extern "C" __global__ void sort_count(const u64 *keys, u64 n, u32 shift, u64 *totals) {
    __shared__ u32 found[DIGITS];
    for (u32 d = threadIdx.x; d < DIGITS; d += BLOCK) found[d] = 0;
    __syncthreads();
    const u64 first = (u64)blockIdx.x * TILE;
    for (u64 place = first + threadIdx.x; place < first + TILE && place < n; place += BLOCK) {
        atomicAdd(&found[digit(keys, place, shift)], 1u);
    }
    __syncthreads();
    for (u32 d = threadIdx.x; d < DIGITS; d += BLOCK) totals[(u64)d * gridDim.x + blockIdx.x] = found[d];
}

// Makes each of the n totals of a digit the sum of those before it, a block a value of the digit, and writes the sum of all.
extern "C" __global__ void sort_offsets(u64 *totals, u64 n, u64 *sums) {
    const u64 all = sums_before(totals + (u64)blockIdx.x * n, n);
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

// Makes each digit's sum the sum of those before it. Runs as one block.
extern "C" __global__ void sort_digits(u64 *sums, u64 n) { sums_before(sums, n); }

// Moves a tile's keys to their places.
extern "C" __global__ void sort_scatter(const u64 *keys, u64 n, u32 shift, const u64 *totals, const u64 *sums,
                                        u64 *sorted) {
    __shared__ u64 next[BLOCK / WARP][DIGITS];
    for (u32 k = threadIdx.x; k < BLOCK / WARP * DIGITS; k += BLOCK) next[k / DIGITS][k % DIGITS] = 0;
    __syncthreads();
    // A warp's digits, then where its first key of each goes.
    const u64 first = (u64)blockIdx.x * TILE + (u64)warp() * WARP * ROUNDS;
    for (u32 round = 0; round < ROUNDS; round++) {
        const u64 place = first + round * WARP + lane();
        if (place < n) atomicAdd(&next[warp()][digit(keys, place, shift)], 1ull);
    }
    __syncthreads();
    for (u32 d = threadIdx.x; d < DIGITS; d += BLOCK) {
        u64 to = sums[d] + totals[(u64)d * gridDim.x + blockIdx.x];
        for (u32 k = 0; k < BLOCK / WARP; k++) {
            const u64 own = next[k][d];
            next[k][d] = to;
            to += own;
        }
    }
    __syncthreads();
    for (u32 round = 0; round < ROUNDS; round++) {
        const u64 place = first + round * WARP + lane();
        const bool in = place < n;
        const u32 d = in ? digit(keys, place, shift) : DIGITS;
        const u32 peers = __match_any_sync(ALL, d);
        const u32 before = __popc(peers & ((1u << lane()) - 1));
        u64 to = 0;
        if (in) to = next[warp()][d] + before;
        __syncwarp();
        if (in && before == 0) next[warp()][d] += __popc(peers);
        __syncwarp();
        if (in) {
            for (u32 limb = 0; limb < LIMBS; limb++) sorted[to * LIMBS + limb] = keys[place * LIMBS + limb];
        }
    }
}
