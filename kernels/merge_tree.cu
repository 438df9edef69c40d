// Merge trees of planes (`cuda::merge_tree`): when the component of each minimum joins that of an older one, as voxels
// enter in an order.
//
//   merge_tree_lead   a thread owns a voxel   joins[voxel] = its time and its oldest neighbour; a minimum never joins
//   merge_tree_join   a thread owns a voxel   joins of the minima whose components meet in it
//
// A join is a time in the upper half of a word and a voxel in the lower: from this time on, the voxel that has it is in
// one component with the voxel that it names, which entered before. All threads write joins at once, each by one atomic
// exchange: a component that joins an older one hands on the join that it had, which is later. This is the triplet
// merge tree of D. Smirnov and D. Morozov (TopoInVis 2017).

#include "common.cuh"

#define NEVER 0xffffffffu

// Planes side by side. What lies outside of all of them, if anything does, has the number `voxels`, and is older than
// every voxel.
struct Planes {
    const int *times;
    u32 voxels, rows, columns;
    bool touch, has_outside;

    __device__ bool is_older(u32 a, u32 b) const { return b != voxels && (a == voxels || times[a] < times[b]); }
};

// The neighbours of a voxel that enter before it, as bits, clockwise from that above; those along an axis have even
// numbers.
struct Around {
    u32 voxel, row, column, earlier;

    __device__ Around(const Planes &planes, u32 voxel)
        : voxel(voxel), row(voxel / planes.columns % planes.rows), column(voxel % planes.columns) {
        earlier = 0;
#pragma unroll
        for (u32 k = 0; k < 8; k++) {
            const u32 other = neighbour(planes, k);
            const bool enters = other == planes.voxels ? planes.has_outside : planes.times[other] < planes.times[voxel];
            earlier |= (u32)enters << k;
        }
    }

    // What lies in a direction.
    __device__ u32 neighbour(const Planes &planes, u32 k) const {
        const int down = k == 7 || k <= 1 ? -1 : k >= 3 && k <= 5 ? 1 : 0, right = k >= 1 && k <= 3 ? 1 : k >= 5 ? -1 : 0;
        const bool is_inside = row + down < planes.rows && column + right < planes.columns;
        return is_inside ? voxel + down * (int)planes.columns + right : planes.voxels;
    }
};

__device__ __forceinline__ u32 turned(u32 bits, u32 steps) { return (bits << steps | bits >> (8 - steps)) & 255; }

__device__ __forceinline__ u32 time_of(u64 join) { return (u32)(join >> 32); }

__device__ __forceinline__ u64 join_of(u32 time, u32 voxel) { return (u64)time << 32 | voxel; }

__device__ __forceinline__ u64 seen(const u64 *joins, u32 voxel) { return *(const volatile u64 *)(joins + voxel); }

// The oldest voxel that is known to be in one component with a voxel at a time. What is on the way is made shorter.
__device__ u32 oldest_at(u64 *joins, u32 voxel, u32 time) {
    u64 join = seen(joins, voxel);
    while (time_of(join) <= time) {
        const u32 next = (u32)join;
        const u64 further = seen(joins, next);
        if (time_of(further) <= time_of(join)) atomicCAS(joins + voxel, join, join_of(time_of(join), (u32)further));
        voxel = next;
        join = further;
    }
    return voxel;
}

__device__ void join(const Planes &planes, u64 *joins, u32 a, u32 b, u32 time) {
    while (true) {
        a = oldest_at(joins, a, time);
        b = oldest_at(joins, b, time);
        if (a == b) return;
        if (planes.is_older(a, b)) {
            const u32 older = a;
            a = b;
            b = older;
        }
        const u64 later = seen(joins, a);
        // Another thread may have written a join of `a` meanwhile.
        if (time_of(later) <= time || atomicCAS(joins + a, later, join_of(time, b)) != later) continue;
        if (time_of(later) == NEVER) return;
        a = (u32)later;
        time = time_of(later);
    }
}

extern "C" __global__ void merge_tree_lead(const int *times, u32 voxels, u32 rows, u32 columns, u32 touch, u32 has_outside, u64 *joins) {
    const u64 number = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (number == voxels) joins[voxels] = join_of(NEVER, voxels);
    if (number >= voxels) return;
    const Planes planes{times, voxels, rows, columns, touch != 0, has_outside != 0};
    const u32 voxel = (u32)number;
    const Around around(planes, voxel);
    u32 oldest = voxel;
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        if (k % 2 && !planes.touch || !(around.earlier >> k & 1)) continue;
        const u32 other = around.neighbour(planes, k);
        if (planes.is_older(other, oldest)) oldest = other;
    }
    joins[voxel] = join_of(oldest == voxel ? NEVER : times[voxel], oldest);
}

extern "C" __global__ void merge_tree_join(const int *times, u32 voxels, u32 rows, u32 columns, u32 touch, u32 has_outside, u64 *joins) {
    const u64 number = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= voxels) return;
    const Planes planes{times, voxels, rows, columns, touch != 0, has_outside != 0};
    const u32 voxel = (u32)number;
    const Around around(planes, voxel);
    const u32 sides = around.earlier & 0x55, corners = around.earlier & 0xaa;
    // One of each set of neighbours that are in one component before the voxel enters, since they touch each other.
    u32 firsts = planes.touch ? sides & ~turned(sides, 2) | corners & ~turned(sides, 1) & ~turned(sides, 7)
                              : sides & ~(turned(sides, 2) & turned(corners, 1));
    if (firsts == 0) return;
    const u32 first = around.neighbour(planes, __ffs(firsts) - 1);
    for (firsts &= firsts - 1; firsts; firsts &= firsts - 1) {
        join(planes, joins, first, around.neighbour(planes, __ffs(firsts) - 1), times[voxel]);
    }
}
