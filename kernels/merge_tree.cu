// The bars of planes (`cuda::merge_tree`): when the component of each minimum joins that of an older one, as voxels
// enter in an order. In dimension 0 they enter in the order of their levels. In dimension 1, bars are components of
// what is left of the plane, together with what lies outside, as voxels enter in the opposite order.
//
//   merge_tree_times  a thread owns a place in the order   times[voxel] = the place, where voxels of a plane are sorted
//   merge_tree_lead   a thread owns a voxel   joins[voxel] = its time and its oldest neighbour; a minimum never joins
//   merge_tree_join   a thread owns a voxel   joins of the minima whose components meet in it
//   merge_tree_bars   a thread owns a voxel   the bar of a minimum
//
// A join is a time in the upper half of a word and a voxel in the lower: from this time on, the voxel that has it is in
// one component with the voxel that it names, which entered before. All threads write joins at once, each by one atomic
// exchange: a component that joins an older one hands on the join that it had, which is later. This is the triplet
// merge tree of D. Smirnov and D. Morozov (TopoInVis 2017).

#include "common.cuh"

#define NEVER 0xffffffffu

// Planes side by side, and memory of four rows of words. What lies outside of all of them has the number `voxels`;
// where it counts, in dimension 1, it is older than every voxel.
struct Planes {
    u64 *memory, row;
    u32 voxels, rows, columns, touch, dim;

    // One for each voxel, and one for what lies outside.
    __device__ u64 *joins() const { return memory; }
    __device__ u32 *times() const { return (u32 *)(memory + 3 * row); }
    // The number of bars of each plane in dimension 0, in dimension 1, that of all, and whether there is NaN. Planes
    // have four voxels or more, so that there is room in the second half of a row.
    __device__ u32 *counts() const { return times() + row; }
    __device__ u32 time(u32 voxel) const { return dim == 0 ? times()[voxel] : voxels - 1 - times()[voxel]; }
    // Whether voxels that share only a corner are neighbours. Where they are for components, they are not for loops.
    __device__ bool corners() const { return touch != dim; }
    __device__ bool is_older(u32 a, u32 b) const { return b != voxels && (a == voxels || time(a) < time(b)); }
};

#define PLANES u64 *memory, u64 row, u32 voxels, u32 rows, u32 columns, u32 touch, u32 dim
#define HERE {memory, row, voxels, rows, columns, touch, dim}

__device__ __forceinline__ u64 thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }

// The neighbours of a voxel that enter before it, as bits, clockwise from that above; those along an axis have even
// numbers.
struct Around {
    u32 voxel, row, column, earlier;

    __device__ Around(const Planes &planes, u32 voxel)
        : voxel(voxel), row(voxel / planes.columns % planes.rows), column(voxel % planes.columns) {
        earlier = 0;
        const u32 time = planes.time(voxel);
#pragma unroll
        for (u32 k = 0; k < 8; k++) {
            const u32 other = neighbour(planes, k);
            const bool enters = other == planes.voxels ? planes.dim == 1 : planes.time(other) < time;
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

// `places` are the sorted places of the voxels of each plane.
extern "C" __global__ void merge_tree_times(PLANES, const long long *places) {
    const Planes planes HERE;
    const u32 size = rows * columns;
    if (thread() < 2 * (voxels / size) + 2) planes.counts()[thread()] = 0;
    if (thread() >= voxels) return;
    const u32 time = (u32)thread();
    planes.times()[time - time % size + (u32)places[time]] = time;
}

extern "C" __global__ void merge_tree_lead(PLANES) {
    const Planes planes HERE;
    if (thread() == voxels) planes.joins()[voxels] = join_of(NEVER, voxels);
    if (thread() >= voxels) return;
    const u32 voxel = (u32)thread();
    const Around around(planes, voxel);
    u32 oldest = voxel;
#pragma unroll
    for (u32 k = 0; k < 8; k++) {
        if (k % 2 && !planes.corners() || !(around.earlier >> k & 1)) continue;
        const u32 other = around.neighbour(planes, k);
        if (planes.is_older(other, oldest)) oldest = other;
    }
    planes.joins()[voxel] = join_of(oldest == voxel ? NEVER : planes.time(voxel), oldest);
}

extern "C" __global__ void merge_tree_join(PLANES) {
    const Planes planes HERE;
    if (thread() >= voxels) return;
    const u32 voxel = (u32)thread();
    const Around around(planes, voxel);
    const u32 sides = around.earlier & 0x55, corners = around.earlier & 0xaa;
    // One of each set of neighbours that are in one component before the voxel enters, since they touch each other.
    u32 firsts = planes.corners() ? sides & ~turned(sides, 2) | corners & ~turned(sides, 1) & ~turned(sides, 7)
                                  : sides & ~(turned(sides, 2) & turned(corners, 1));
    if (firsts == 0) return;
    const u32 first = around.neighbour(planes, __ffs(firsts) - 1);
    for (firsts &= firsts - 1; firsts; firsts &= firsts - 1) {
        join(planes, planes.joins(), first, around.neighbour(planes, __ffs(firsts) - 1), planes.time(voxel));
    }
}

// Writes bars in any order: into the second row the dimension, the birth time and the death time, by which they are to
// be sorted; into the third the death voxel, all ones if the bar does not end, and the birth voxel. Levels are sorted
// as places are.
extern "C" __global__ void merge_tree_bars(PLANES, const long long *places, const void *levels, u32 are_doubles, double threshold) {
    const Planes planes HERE;
    if (thread() >= voxels) return;
    const u32 voxel = (u32)thread(), size = rows * columns, count = voxels / size;
    u32 *counts = planes.counts(), *of_all = counts + 2 * count;
    const auto voxel_at = [=](u32 time) { return time - time % size + (u32)places[time]; };
    const auto level_at = [=](u32 time) { return are_doubles ? ((const double *)levels)[time] : ((const float *)levels)[time]; };
    // The order of levels ends with NaN.
    if (voxel % size == size - 1 && isnan(level_at(voxel))) of_all[1] = 1;
    const u32 entered = planes.time(voxel), joined = time_of(planes.joins()[voxel]);
    if (joined == entered) return;
    // What joins as time runs backwards is born then.
    const u32 birth = dim == 0 ? entered : voxels - 1 - joined;
    const u32 death = dim == 1 ? voxels - 1 - entered : joined;
    const bool joins = death != NEVER;
    if (level_at(birth) > threshold || joins && level_at(birth) == level_at(death)) return;
    const bool dies = joins && level_at(death) <= threshold;
    // One lane counts the bars of all that are here.
    const u32 here = __activemask(), first = __ffs(here) - 1;
    const u32 before = lane() == first ? atomicAdd(of_all, __popc(here)) : 0;
    const u32 bar = __shfl_sync(here, before, first) + __popc(here & ((1u << lane()) - 1));
    atomicAdd(counts + dim * count + birth / size, 1);
    memory[row + bar] = (u64)dim << 62 | (u64)birth << 31 | (joins ? death : 0);
    memory[2 * row + bar] = (u64)(dies ? voxel_at(death) : NEVER) << 32 | voxel_at(birth);
}
