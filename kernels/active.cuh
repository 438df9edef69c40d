// Tiles of an image that a launch is to look at, as a list; each launch makes that of the next.

#pragma once

#include "common.cuh"

struct Active {
    // Tiles of this launch and the next.
    const u32 *list;
    u32 *next;
    // Lengths of the lists of this launch, the next and the last: in turn.
    u32 *lengths;
    // Of each tile, the last launch whose list it is on, and one.
    u32 *marks;
    // This launch's number.
    u32 launch;

    __device__ __forceinline__ u32 length() const { return lengths[launch % 3]; }

    // By all threads, once: the list after the next is empty; how many tiles are looked at.
    __device__ __forceinline__ void begin(u64 *looked_at) const {
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            lengths[(launch + 2) % 3] = 0;
            *looked_at += length();
        }
    }

    // Puts a tile on the next list, unless it is there.
    __device__ __forceinline__ void want(u32 tile) const {
        if (atomicExch(&marks[tile], launch + 2) != launch + 2) next[atomicAdd(&lengths[(launch + 1) % 3], 1u)] = tile;
    }
};
