// The scan of leftmost ones (Zhang, Xiao, Guo, Wang 2019, HYPHA, §3): which columns are reduced as they stand.
//
//   set_leftmost   a thread owns an entry      leftmost[row] = the least column of the row; lows[column] = its greatest row, plus one
//   set_lookup     a thread owns a row         lookup[row] = the column, plus one, whose low and leftmost one it is;
//                                              destroyers[column] = 1 if the column holds a leftmost one
//   set_unstable   a thread owns a column      the columns that are neither zero nor stable nor the low of a stable one, ascending
//
// set_leftmost is called for one piece of the matrix after the other, in any order: a least and a greatest number do not depend on the
// order. There are no ties: a column has a row once. The other kernels look at the tables only, so no entry is needed twice, and the
// matrix never has to be on the device as a whole. (HYPHA gives a thread a column in both, reads all columns twice, and lists the
// unstable in any order to sort them afterwards.)
//
// Compiled for INDEX (u32, u64), the type of rows and columns; and for ROUNDS and TILE of `src/cuda/constants.rs`.

#include "common.cuh"

#define NONE (~(INDEX)0)

// Words of the flags of a tile. set_unstable adds them up with one warp.
#define WORDS (TILE / WARP)
static_assert(WORDS == WARP, "a lane a word");

__device__ __forceinline__ u32 least(u32 *place, u32 number) { return atomicMin(place, number); }
__device__ __forceinline__ u64 least(u64 *place, u64 number) { return atomicMin(place, number); }
__device__ __forceinline__ u32 greatest(u32 *place, u32 number) { return atomicMax(place, number); }
__device__ __forceinline__ u64 greatest(u64 *place, u64 number) { return atomicMax(place, number); }

// The last of the columns from `from` up to `to` that starts at `entry` or before; the first does. A warp searches together: each step
// leaves a 32nd. Starts that do not ascend give a wrong column, but one of these.
__device__ u64 column_of(const INDEX *starts, u64 from, u64 to, u64 entry) {
    while (to - from > 1) {
        const u64 step = (to - from + WARP - 1) / WARP;
        const u64 own = from + lane() * step;
        // Starts ascend: these are the first lanes, and lane 0 is one.
        const u32 before = __popc(__ballot_sync(ALL, own < to && starts[own] <= entry));
        from += before > 0 ? (before - 1) * step : 0;
        to = from + step < to ? from + step : to;
    }
    return from;
}

// A piece of the matrix: consecutive entries, the first of which has number `first_entry` and is in the first column. `starts` are the
// numbers of the columns' first entries; the first column may start before the piece, and the last may go on after it. Rows are below n.
extern "C" __global__ void set_leftmost(const INDEX *rows, const INDEX *starts, u64 rows_at, u64 starts_at, u64 entries,
                                        u64 columns, u64 first_entry, u64 first_column, u64 n, INDEX *leftmost,
                                        INDEX *lows) {
    const u64 from = ((u64)blockIdx.x * warps() + warp()) * (WARP * ROUNDS);
    if (from >= entries) return;
    const u64 to = from + WARP * ROUNDS < entries ? from + WARP * ROUNDS : entries;
    rows += rows_at;
    starts += starts_at;
    const u64 first = column_of(starts, 0, columns, first_entry + from);
    const u64 last = column_of(starts, first, columns, first_entry + to - 1);
    for (u64 place = from + lane(); place < to; place += WARP) {
        const u64 entry = first_entry + place;
        u64 column = first, past = last + 1;
        while (past - column > 1) {
            const u64 middle = column + (past - column) / 2;
            if (starts[middle] <= entry) {
                column = middle;
            } else {
                past = middle;
            }
        }
        const INDEX row = rows[place];
        if (row >= n) continue;
        least(&leftmost[row], (INDEX)(first_column + column));
        // Rows ascend, so the last entry of a column has its low. The last entry of the piece may be followed by greater rows of
        // the same column in another piece.
        const bool is_last = place + 1 == entries || (column + 1 < columns && starts[column + 1] == entry + 1);
        if (is_last) greatest(&lows[first_column + column], row + 1);
    }
}

extern "C" __global__ void set_lookup(const INDEX *leftmost, const INDEX *lows, u64 n, INDEX *lookup, unsigned char *destroyers) {
    const u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    const INDEX column = leftmost[row];
    INDEX stable = 0;
    if (column != NONE) {
        // Several rows may write here; all write the same.
        destroyers[column] = 1;
        if (lows[column] == row + 1) stable = column + 1;
    }
    lookup[row] = stable;
}

// Writes the unstable columns of a tile as bits, and their number; adds the numbers of stable columns and of other lows of stable columns,
// which reduce to zero (clearing), to `counts`.
extern "C" __global__ void set_unstable_flags(const INDEX *leftmost, const INDEX *lows, u64 n, u32 *flags, u64 *totals, u64 *counts) {
    __shared__ u32 found[3];
    if (threadIdx.x < 3) found[threadIdx.x] = 0;
    __syncthreads();
    for (u32 word = warp(); word < WORDS; word += warps()) {
        const u64 column = (u64)blockIdx.x * TILE + word * WARP + lane();
        const INDEX low = column < n ? lows[column] : 0;
        const bool is_stable = low != 0 && leftmost[low - 1] == column;
        const u32 stable_ones = __ballot_sync(ALL, is_stable);
        const bool is_open = low != 0 && !is_stable;
        const INDEX over = is_open ? leftmost[column] : NONE;
        const bool is_cleared = over != NONE && lows[over] == (INDEX)column + 1;
        const u32 cleared_ones = __ballot_sync(ALL, is_cleared);
        const u32 unstable_ones = __ballot_sync(ALL, is_open && !is_cleared);
        if (lane() == 0) {
            flags[(u64)blockIdx.x * WORDS + word] = unstable_ones;
            atomicAdd(&found[0], (u32)__popc(unstable_ones));
            atomicAdd(&found[1], (u32)__popc(stable_ones));
            atomicAdd(&found[2], (u32)__popc(cleared_ones));
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        totals[blockIdx.x] = found[0];
        atomicAdd(&counts[0], (u64)found[1]);
        atomicAdd(&counts[1], (u64)found[2]);
    }
}

// Makes each total of n tiles the sum of those before it, and `totals[n]` the sum of all. Runs as one block.
extern "C" __global__ void set_unstable_offsets(u64 *totals, u64 n) {
    const u64 all = sums_before(totals, n);
    if (threadIdx.x == 0) totals[n] = all;
}

// Lists the columns of a tile that have a flag, from where the tiles before it end.
extern "C" __global__ void set_unstable(const u32 *flags, const u64 *totals, INDEX *unstable) {
    __shared__ u32 places[WORDS];
    flags += (u64)blockIdx.x * WORDS;
    if (warp() == 0) {
        const u32 own = __popc(flags[lane()]);
        places[lane()] = warp_sum_up_to(own) - own;
    }
    __syncthreads();
    for (u32 word = warp(); word < WORDS; word += warps()) {
        const u32 ones = flags[word];
        if (ones >> lane() & 1) {
            const u64 place = totals[blockIdx.x] + places[word] + __popc(ones & ((1u << lane()) - 1));
            unstable[place] = (INDEX)((u64)blockIdx.x * TILE + word * WARP + lane());
        }
    }
}
