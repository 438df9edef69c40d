// What the kernels share: widths, warps, atomics. No header is included, so that NVRTC needs none.

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

// The least of all lanes' values, in every lane.
__device__ __forceinline__ u64 warp_least(u64 x) {
    for (u32 step = WARP / 2; step > 0; step /= 2) {
        const u64 other = __shfl_xor_sync(ALL, x, step);
        x = other < x ? other : x;
    }
    return x;
}
