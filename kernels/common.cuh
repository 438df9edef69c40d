// What all files of kernels share: names of integer types, warps, sums. No header is included, so that NVRTC needs none.

#pragma once

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define WARP 32u
#define ALL 0xffffffffu

__device__ __forceinline__ u32 lane() { return threadIdx.x % WARP; }

__device__ __forceinline__ u32 warp() { return threadIdx.x / WARP; }

__device__ __forceinline__ u32 warps() { return blockDim.x / WARP; }

template <typename T> __device__ __forceinline__ T greater(T a, T b) { return a < b ? b : a; }

// The least of the lanes' values, in every lane.
__device__ __forceinline__ u64 warp_least(u64 x) {
    for (u32 step = WARP / 2; step > 0; step /= 2) {
        const u64 other = __shfl_xor_sync(ALL, x, step);
        x = other < x ? other : x;
    }
    return x;
}

// The sum of this lane's value and those of the lanes before it.
template <typename T> __device__ __forceinline__ T warp_sum_up_to(T x) {
    for (u32 step = 1; step < WARP; step *= 2) {
        const T other = __shfl_up_sync(ALL, x, step);
        if (lane() >= step) x += other;
    }
    return x;
}

// Makes each of n totals the sum of those before it, and returns the sum of all. Called by one block of at most WARP warps.
__device__ __forceinline__ u64 sums_before(u64 *totals, u64 n) {
    __shared__ u64 sums[WARP];
    u64 carried = 0;
    for (u64 first = 0; first < n; first += blockDim.x) {
        const u64 place = first + threadIdx.x;
        const u64 own = place < n ? totals[place] : 0;
        const u64 sum = warp_sum_up_to(own);
        if (lane() == WARP - 1) sums[warp()] = sum;
        __syncthreads();
        u64 before = carried, all = carried;
        for (u32 k = 0; k < warps(); k++) {
            if (k < warp()) before += sums[k];
            all += sums[k];
        }
        __syncthreads();
        if (place < n) totals[place] = before + sum - own;
        carried = all;
    }
    return carried;
}
