// Which rows the curve of an image has, and, where there may be as many as voxels, what they are.
//
//   ecc_present   a thread owns every so many-th voxel   flags: the keys of 8 or 16 bits that some voxel has
//   ecc_range     a thread owns every so many-th voxel   range: the least and the greatest key
//   ecc_bins      a thread owns every so many-th voxel   bins[voxel] = the row of its key, of 16 or 32 bits
//   ecc_owned     a thread owns a voxel x                pairs[x] = its key, and c(x), the sum of (−1)^dim over the cells it owns
//   ecc_heads     a thread owns a place of sorted pairs  totals[tile] = how many keys of the tile differ from the one before
//   ecc_offsets   one block                              totals become sums of those before them; the last is that of all
//   ecc_rows      a thread owns a place of sorted pairs  keys: the distinct ones; changes: the sum of c over the pairs of each
//
// Cells (`cubical::ecc`): a cell's owner is the least voxel it lies in, in the order of keys, which are reversed for V, where it is the
// greatest. Ties: the voxel of the lesser place is the less.
//
// Compiled for VOXEL, of BITS, FLOATING (the bits again), and LIMBS (of a pair: 1 for keys of 32 bits, with c + 128 in the bits above; 2 for
// 64 bits, with c + 128 in the second), and TILE of `src/cuda/constants.rs`. Pairs are sorted by `sort.cu`, by their keys alone, descending.

#include "voxel.cuh"

__device__ __forceinline__ u64 thread_of_all() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }

__device__ __forceinline__ u64 threads_of_all() { return (u64)gridDim.x * blockDim.x; }

#if BITS <= 16

#define FLAGS ((1u << BITS) / 32)

extern "C" __global__ void ecc_present(const VOXEL *voxels, u64 from, u64 to, VOXEL mask, u32 *flags) {
    __shared__ u32 mine[FLAGS];
    for (u32 k = threadIdx.x; k < FLAGS; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (u64 place = from + thread_of_all(); place < to; place += threads_of_all()) {
        const u32 key = key_of(voxels[place], mask);
        const u32 flag = 1u << key % 32;
        // Most flags are set already, and reading is cheaper than an atomic operation.
        if (!(*(volatile u32 *)&mine[key / 32] & flag)) atomicOr(&mine[key / 32], flag);
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < FLAGS; k += blockDim.x) {
        if (mine[k]) atomicOr(&flags[k], mine[k]);
    }
}

#else

// The least and the greatest key; `range` holds what was found before.
extern "C" __global__ void ecc_range(const VOXEL *voxels, u64 from, u64 to, VOXEL mask, u64 *range) {
    VOXEL low = ~(VOXEL)0, high = 0;
    for (u64 place = from + thread_of_all(); place < to; place += threads_of_all()) {
        const VOXEL key = key_of(voxels[place], mask);
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    const u64 least = warp_least((u64)low), greatest = ~warp_least(~(u64)high);
    if (lane() == 0) {
        atomicMin(&range[0], least);
        atomicMax(&range[1], greatest);
    }
}

#ifdef FLOATING
#if FLOATING == 32
typedef float SCALE;
__device__ __forceinline__ float as_number(VOXEL bits) { return __uint_as_float(bits); }
#else
typedef double SCALE;
__device__ __forceinline__ double as_number(VOXEL bits) { return __longlong_as_double(bits); }
#endif
#else
typedef float SCALE;
#endif

// Steps from where to begin to look before the ends are bisected: many ends may be equal, and the place to begin at may be wrong.
#define NEAR 4

// The first of the ends, keys that ascend, that is not less than a key; `count` if there is none. Where to begin to look:
// (value − start) · scale of a floating-point number, (key − start) · scale of an integer. It may be anywhere.
struct Ends {
    const VOXEL *ends;
    u32 count;
    VOXEL start;
    SCALE scale;

    __device__ __forceinline__ u32 bin(VOXEL bits, VOXEL key) const {
#ifdef FLOATING
        const SCALE distance = as_number(bits) - as_number(start);
#else
        const SCALE distance = (SCALE)(key > start ? key - start : 0);
#endif
        // What is not a number is not greater than 0.
        const SCALE guess = distance * scale + 1;
        u32 bin = guess > 0 ? (guess < (SCALE)count ? (u32)guess : count) : 0;
        for (u32 step = 0; step < NEAR; step++) {
            if (bin > 0 && ends[bin - 1] >= key) {
                bin--;
            } else if (bin < count && ends[bin] < key) {
                bin++;
            } else {
                return bin;
            }
        }
        u32 low = 0, high = count;
        while (low < high) {
            const u32 middle = low + (high - low) / 2;
            if (ends[middle] < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
};

// Voxels of a thread that are on their way to it at the same time.
#define AT_ONCE 4

// Writes the rows of n voxels from `from` on: their bins, numbered after `empty` others. Ends are copied to shared memory if it has room.
template <typename ROW>
__device__ __forceinline__ void
bins(const VOXEL *__restrict__ voxels, u64 from, u64 n, VOXEL mask, Ends ends, u32 empty, u32 is_shared, ROW *__restrict__ rows) {
    extern __shared__ u64 memory[];
    if (is_shared) {
        VOXEL *copy = (VOXEL *)memory;
        for (u32 k = threadIdx.x; k < ends.count; k += blockDim.x) copy[k] = ends.ends[k];
        ends.ends = copy;
        __syncthreads();
    }
    voxels += from;
    const u64 step = threads_of_all();
    for (u64 first = thread_of_all(); first < n; first += AT_ONCE * step) {
        VOXEL bits[AT_ONCE];
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) bits[k] = first + k * step < n ? voxels[first + k * step] : 0;
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; k++) {
            if (first + k * step < n) rows[first + k * step] = (ROW)(empty + ends.bin(bits[k], key_of(bits[k], mask)));
        }
    }
}

#define BINS const VOXEL *voxels, u64 from, u64 n, VOXEL mask, const VOXEL *ends, u32 count, VOXEL start, double scale, u32 empty, u32 is_shared

extern "C" __global__ void __launch_bounds__(TILE) ecc_bins_16(BINS, u16 *rows) {
    bins(voxels, from, n, mask, {ends, count, start, (SCALE)scale}, empty, is_shared, rows);
}

extern "C" __global__ void __launch_bounds__(TILE) ecc_bins_32(BINS, u32 *rows) {
    bins(voxels, from, n, mask, {ends, count, start, (SCALE)scale}, empty, is_shared, rows);
}

// Whether a voxel is less than its neighbour at an offset.
struct Around {
    const VOXEL *voxels;
    u64 planes, rows, columns;
    u64 z, y, x;
    VOXEL mask, key;
    bool is_vertex;

    __device__ __forceinline__ bool wins(int dz, int dy, int dx) const {
        const u64 nz = z + dz, ny = y + dy, nx = x + dx;
        // What is below 0 is beyond everything. In T, outside is greater; in V, less: the cell does not exist.
        if (nz >= planes || ny >= rows || nx >= columns) return !is_vertex;
        const VOXEL other = key_of(voxels[(nz * rows + ny) * columns + nx], mask);
        const bool is_later = dz > 0 || (dz == 0 && (dy > 0 || (dy == 0 && dx > 0)));
        return is_later ? key <= other : key < other;
    }
};

// Writes the pairs of n voxels from `first` on. The part of the image has the planes before and after theirs, if there are any.
extern "C" __global__ void ecc_owned(const VOXEL *voxels, u64 planes, u64 rows, u64 columns, u64 first, u64 n, VOXEL mask, u32 is_vertex,
                                     u64 *pairs) {
    const u64 k = thread_of_all();
    if (k >= n) return;
    const u64 place = first + k;
    const VOXEL key = key_of(voxels[place], mask);
    const Around around{voxels, planes, rows, columns, place / columns / rows, place / columns % rows, place % columns, mask, key, is_vertex != 0};
    // The sum begins with the voxel's own cell; the other cells come by how many axes they go further: a cell is owned if all cells between are, and the voxel across is greater.
    int sum = 1;
    for (int a = -1; a <= 1; a += 2) {
        const bool by_z = around.wins(a, 0, 0), by_y = around.wins(0, a, 0), by_x = around.wins(0, 0, a);
        sum -= by_z + by_y + by_x;
    }
    for (int a = -1; a <= 1; a += 2) {
        for (int b = -1; b <= 1; b += 2) {
            sum += around.wins(a, 0, 0) && around.wins(0, b, 0) && around.wins(a, b, 0);
            sum += around.wins(a, 0, 0) && around.wins(0, 0, b) && around.wins(a, 0, b);
            sum += around.wins(0, a, 0) && around.wins(0, 0, b) && around.wins(0, a, b);
            for (int c = -1; c <= 1; c += 2) {
                sum -= around.wins(a, 0, 0) && around.wins(0, b, 0) && around.wins(0, 0, c) && around.wins(a, b, 0) &&
                       around.wins(a, 0, c) && around.wins(0, b, c) && around.wins(a, b, c);
            }
        }
    }
    // In T its own cell has dimension 3, in V 0.
    const u64 c = 128 + (is_vertex ? sum : -sum);
#if LIMBS == 1
    pairs[k] = c << 32 | key;
#else
    pairs[2 * k] = key;
    pairs[2 * k + 1] = c;
#endif
}

// The key of a pair.
__device__ __forceinline__ VOXEL key_at(const u64 *pairs, u64 place) { return (VOXEL)pairs[place * LIMBS]; }

__device__ __forceinline__ bool is_head(const u64 *pairs, u64 place, u64 n) {
    return place < n && (place == 0 || key_at(pairs, place) != key_at(pairs, place - 1));
}

extern "C" __global__ void ecc_heads(const u64 *pairs, u64 n, u64 *totals) {
    const u32 heads = __syncthreads_count(is_head(pairs, (u64)blockIdx.x * TILE + threadIdx.x, n));
    if (threadIdx.x == 0) totals[blockIdx.x] = heads;
}

extern "C" __global__ void ecc_offsets(u64 *totals, u64 n) {
    const u64 all = sums_before(totals, n);
    if (threadIdx.x == 0) totals[n] = all;
}

extern "C" __global__ void ecc_rows(const u64 *pairs, u64 n, const u64 *totals, VOXEL *keys, u64 *changes) {
    __shared__ u32 before[TILE / WARP];
    const u64 place = (u64)blockIdx.x * TILE + threadIdx.x;
    const bool is = is_head(pairs, place, n);
    const u32 heads = __ballot_sync(ALL, is);
    if (lane() == 0) before[warp()] = __popc(heads);
    __syncthreads();
    if (warp() == 0) {
        const u32 own = before[lane()];
        before[lane()] = warp_sum_up_to(own) - own;
    }
    __syncthreads();
    if (place >= n) return;
    // There is a head at this place or before: the first is one.
    const u64 row = totals[blockIdx.x] + before[warp()] + __popc(heads & (ALL >> (WARP - 1 - lane()))) - 1;
    if (is) keys[row] = key_at(pairs, place);
#if LIMBS == 1
    const u64 c = pairs[place] >> 32;
#else
    const u64 c = pairs[2 * place + 1];
#endif
    if (c != 128) atomicAdd(&changes[row], c - 128);
}

#endif
