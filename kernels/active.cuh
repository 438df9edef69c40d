// The list of the tiles of an image that a launch is to look at. Each launch makes the list of the next.

#pragma once

#include "common.cuh"

struct Active {
    // Tiles of this launch and the next.
    const u32 *list;
    u32 *next;
    // The lengths of the lists of this launch, the next and the last; which is which changes with each launch.
    u32 *lengths;
    // For each tile, one plus the number of the last launch on whose list it is.
    u32 *marks;
    // The number of this launch.
    u32 launch;

    __device__ __forceinline__ u32 length() const { return lengths[launch % 3]; }

    // Called once by all threads: empties the list after the next, and adds up how many tiles are looked at.
    __device__ __forceinline__ void begin(u64 *looked_at) const {
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            lengths[(launch + 2) % 3] = 0;
            *looked_at += length();
        }
    }

    // Puts a tile on the next list, unless it is on it.
    __device__ __forceinline__ void want(u32 tile) const {
        if (atomicExch(&marks[tile], launch + 2) != launch + 2) next[atomicAdd(&lengths[(launch + 1) % 3], 1u)] = tile;
    }
};
