// The Euler characteristic curve (Wang, Wagner, Chen 2022; the cells' values as in `cubical::ecc`): what enters at each
// level.
//
//   ecc_march         a thread owns columns of voxels   totals[level] += changes; touched[level] = 1 where cells count
//   ecc_march_packed  the same                          totals[level] += changes, two levels in a word of shared memory
//   ecc_march_wide    the same                          totals[level] += changes, without shared memory
//   …_flat            each of them, for planes of one row
//   ecc_hand_over     a thread owns a level             host[level] = totals[level]; totals[level] = 0
//
// Cells. A march goes along the slowest axis, plane after plane, and holds for each column of a tile the least key of
// four blocks of voxels of the plane: one, two along a row, two along a column, four. Let a be the sequence of one of
// them. Cells that lie in the plane enter at a_z, those that reach into the next at min(a_z, a_z+1), with the opposite
// sign. So a_z counts for 1 and for the cells it has against those on either side: all sums up to p − q, where p says
// that a_z is less than what comes before it, q that what comes after is less than a_z. It is nothing unless a_z is an
// extremum, so a march counts extrema: a few a voxel in noise, next to none where the image is smooth. (Counting the
// eight blocks of each place instead takes eight updates a voxel.)
//
// Ties. Whichever of two equal voxels is taken for the less, the sum at their level is the same, if all who compare the
// two take the same one. Here a plateau goes on in the direction in which it was come to, so that it counts only where
// it ends as an extremum; what two threads compare, they compare strictly.
//
// Outside. For voxels as top cells (T), outside is greater than everything: blocks reach one column and one row beyond
// the image, and those all outside have the level `outside`, which is never read. For voxels as vertices (V) cells
// outside are none: keys are reversed, so that the greatest is the least, and outside is less than everything, in a
// level that is never read either. So there are two more levels than rows: `levels`.
//
// A value is held as the place of its counters: 8 bytes a level, of which the upper four count p = 1, the lower p = 0,
// so that a comparison of values, with their p, is one of places. Blocks of negative sign have a table of their own
// behind the first.
//
// Compiled for VOXEL, of BITS (8, 16, 32): keys, or rows where `ecc_rows.cu` made them of keys; and for COLUMNS and
// BLOCK of `src/cuda/constants.rs`.

#include "voxel.cuh"

__device__ __forceinline__ u32 least(u32 a, u32 b) { return a < b ? a : b; }

// The place of something in shared memory.
__device__ __forceinline__ u32 shared_place(const void *memory) { return (u32)__cvta_generic_to_shared(memory); }

// Adds one to the counter at a place in shared memory, if `is` is not 0: one predicated instruction.
__device__ __forceinline__ void add_one_if(u32 is, u32 place) {
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p red.shared.add.u32 [%1], 1; }" ::"r"(is), "r"(place) : "memory");
}

// An output that counts nothing.
struct NoOutput {
    template <bool NEGATIVE> __device__ __forceinline__ void count(u32, u32) {}
    __device__ __forceinline__ bool is_full() { return false; }
    __device__ __forceinline__ void settle(u32) {}
};

// Part of an image, plane after plane: those from `from` up to `to` are counted. The image begins with the part if
// `from` is 0, and ends with it if `to` is `planes`; else the plane before, or after, is there too. A thread counts
// `share` planes.
struct Part {
    const VOXEL *voxels;
    u64 planes, rows, columns;
    u64 from, to, share;
};

// Row k of the curve has level k + 1 (T), or rows − k (V); a level is `step` bytes after the one before in that order.
// Key `low` is in row 0.
struct Levels {
    VOXEL mask;
    u32 is_vertex;
    u32 first, step, outside;

    __device__ Levels(VOXEL mask, u32 is_vertex, u32 low, u32 rows, u32 base) : mask(mask), is_vertex(is_vertex) {
        step = is_vertex ? 0u - 8 : 8;
        first = base + 8 * (is_vertex ? rows : 1) - low * step;
        outside = base + 8 * (is_vertex ? 0 : rows + 1);
    }

    __device__ __forceinline__ u32 place(VOXEL bits) const { return first + key_of(bits, mask) * step; }
};

// Outputs, to which what is counted is added: counters in the shared memory of the block, or totals directly. After a
// plane, `is_full` asks whether a counter has to be settled.
struct Counters : NoOutput {
    // How far the counters of blocks of negative sign lie behind the others.
    u32 negative;

    __device__ __forceinline__ Counters(u32 negative) : negative(negative) {}

    template <bool NEGATIVE> __device__ __forceinline__ void count(u32 place, u32 is) {
        add_one_if(is, place + (NEGATIVE ? negative : 0));
    }
};

// The changes of two levels in a word, of 16 bits each with a sign: the upper times 2^16 plus the lower. A thread that
// comes to a word in which one has grown to 2^14 adds both to the totals, before it counts the next plane. In a plane a
// thread makes at most 16 changes, and not all in one word with one sign: if both voxels of a block are less than those
// before, so is the block, whose sign is the other one. So none grows by 16 for each of the 1,024 threads beyond 2^14.
struct Packed {
    u32 *words;
    u64 *totals;
    u32 base, is_minus;
    // Bits of `full` in words that have been counted since the last plane.
    u32 seen;

    template <bool NEGATIVE> __device__ __forceinline__ void count(u32 place, u32 is) {
        const u32 one = place & 8 ? 1u << 16 : 1;
        const u32 change = ((place & 4) == 0) == (is_minus == NEGATIVE) ? 0 - one : one;
        u32 before = 0;
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p atom.shared.add.u32 %0, [%2], %3; }"
                     : "+r"(before)
                     : "r"(is), "r"(base + (place >> 4) * 4), "r"(change)
                     : "memory");
        seen |= full(before + change);
    }

    // The upper bit of each half that differs from the bit below.
    static __device__ __forceinline__ u32 full(u32 word) { return (word ^ word << 1) & 0x80008000; }

    __device__ __forceinline__ bool is_full() {
        const bool is = seen != 0;
        seen = 0;
        return is;
    }

    __device__ __forceinline__ void settle(u32 place) {
        const u32 k = place >> 4;
        u32 found = *(volatile u32 *)&words[k];
        while (full(found)) {
            const u32 before = atomicCAS(&words[k], found, 0);
            if (before == found) {
                add(k, found);
                break;
            }
            found = before;
        }
    }

    __device__ __forceinline__ void add(u32 k, u32 word) const {
        const i64 low = (short)word, high = (int)(word - (u32)low) >> 16;
        if (low != 0) atomicAdd(&totals[2 * k], (u64)low);
        if (high != 0) atomicAdd(&totals[2 * k + 1], (u64)high);
    }
};

struct Totals : NoOutput {
    u64 *totals;
    i64 sign;

    __device__ __forceinline__ Totals(u64 *totals, i64 sign) : totals(totals), sign(sign) {}

    template <bool NEGATIVE> __device__ __forceinline__ void count(u32 place, u32 is) {
        if (is) atomicAdd(&totals[place / 8], (u64)((place & 4 ? sign : -sign) * (NEGATIVE ? -1 : 1)));
    }
};

// The columns of a thread, side by side, and what is right of them and below. FLAT images have one row.
template <bool FLAT> struct Tile {
    static constexpr u32 HIGH = FLAT ? 1 : 2;
    static constexpr u32 BLOCKS = 2 * HIGH;
    // Words in which a row's COLUMNS + 1 voxels are, wherever it begins.
    static constexpr u32 WORDS = COLUMNS * BITS / 32 + 1;

    // For each row the first voxel in the next plane to be fetched.
    const char *at[HIGH];
    u64 plane;
    const u32 *begin, *last;
    // Rows and columns that are outside, as bits, the columns' behind the rows'.
    u32 outside;
    // Fetched voxels, and the bit where the first begins.
    u32 words[HIGH][WORDS];
    u32 bit[HIGH];
    // The blocks of one voxel, two along a row, two along a column, four: the least place. Bit 2 is p.
    u32 held[BLOCKS][COLUMNS];

    __device__ __forceinline__ Tile(const Part &part, i64 x, i64 y, u64 z) {
        plane = part.rows * part.columns * sizeof(VOXEL);
        begin = (const u32 *)part.voxels;
        last = begin + (part.planes * plane + 3) / 4 - 1;
        outside = 0;
        for (u32 r = 0; r < HIGH; r++) {
            i64 row = y + r;
            if (row < 0 || row >= (i64)part.rows) {
                outside |= 1u << r;
                row = row < 0 ? 0 : part.rows - 1;
            }
            at[r] = (const char *)part.voxels + (i64)(z * plane) + (row * (i64)part.columns + x) * (i64)sizeof(VOXEL);
        }
        for (u32 c = 0; c <= COLUMNS; c++) {
            if (x + c < 0 || x + c >= (i64)part.columns) outside |= 1u << (HIGH + c);
        }
    }

    // Begins to read the next plane. What is outside may be anything.
    __device__ __forceinline__ void fetch() {
        for (u32 r = 0; r < HIGH; r++) {
            const u64 address = (u64)at[r];
            const u32 *from = (const u32 *)(address & ~3ull);
            bit[r] = (u32)address * 8;
            if (outside) {
                for (u32 k = 0; k < WORDS; k++) {
                    const u32 *place = from + k;
                    place = place < begin ? begin : place;
                    words[r][k] = *(place > last ? last : place);
                }
            } else {
                for (u32 k = 0; k < WORDS; k++) words[r][k] = from[k];
            }
            at[r] += plane;
        }
    }

    __device__ __forceinline__ VOXEL voxel(u32 r, u32 c) const {
        if (BITS == 32) return (VOXEL)words[r][c];
        const u32 word = c * BITS / 32;
        // The last voxel begins a word, if the row does, and none comes after that word.
        const u32 next = c < COLUMNS ? words[r][word + 1] : 0;
        return (VOXEL)(__funnelshift_r(words[r][word], next, bit[r]) >> c * BITS % 32);
    }

    // The places of what has been fetched.
    __device__ __forceinline__ void places(const Levels &levels, u32 (&found)[HIGH][COLUMNS + 1]) const {
        for (u32 r = 0; r < HIGH; r++) {
            for (u32 c = 0; c <= COLUMNS; c++) found[r][c] = levels.place(voxel(r, c));
        }
        if (outside) {
            for (u32 r = 0; r < HIGH; r++) {
                for (u32 c = 0; c <= COLUMNS; c++) {
                    if (outside >> r & 1 || outside >> (HIGH + c) & 1) found[r][c] = levels.outside;
                }
            }
        }
    }

    // The blocks of what has been fetched.
    __device__ __forceinline__ void blocks(const Levels &levels, u32 (&next)[BLOCKS][COLUMNS]) const {
        u32 single[HIGH][COLUMNS + 1];
        places(levels, single);
        for (u32 c = 0; c < COLUMNS; c++) {
            next[0][c] = single[0][c];
            next[1][c] = least(single[0][c], single[0][c + 1]);
            if (!FLAT) {
                next[BLOCKS - 2][c] = least(single[0][c], single[HIGH - 1][c]);
                next[BLOCKS - 1][c] = least(next[1][c], least(single[HIGH - 1][c], single[HIGH - 1][c + 1]));
            }
        }
    }

    __device__ __forceinline__ void hold(const u32 (&next)[BLOCKS][COLUMNS], u32 p) {
        for (u32 b = 0; b < BLOCKS; b++) {
            for (u32 c = 0; c < COLUMNS; c++) held[b][c] = next[b][c] + p;
        }
    }

    template <typename Output> __device__ __forceinline__ void count(Output &output, u32 b, u32 c, u32 q) const {
        const u32 is = (held[b][c] ^ q) & 4;
        if (b == 0 || b == 3) {
            output.template count<false>(held[b][c], is);
        } else {
            output.template count<true>(held[b][c], is);
        }
    }

    // Goes on to the next plane: what is held is counted where it is an extremum.
    template <typename Output> __device__ __forceinline__ void step(Output &output, u32 (&next)[BLOCKS][COLUMNS]) {
        for (u32 b = 0; b < BLOCKS; b++) {
            for (u32 c = 0; c < COLUMNS; c++) {
                next[b][c] += next[b][c] < held[b][c] ? 4 : 0;
                count(output, b, c, next[b][c]);
            }
        }
        settle(output);
        hold(next, 0);
    }

    // Settles the counters to which what is held belongs, if one of them has to be.
    template <typename Output> __device__ __forceinline__ void settle(Output &output) const {
        if (output.is_full()) {
            for (u32 b = 0; b < BLOCKS; b++) {
                for (u32 c = 0; c < COLUMNS; c++) output.settle(held[b][c]);
            }
        }
    }

    // Counts the last plane, after which nothing is less, or everything.
    template <typename Output> __device__ __forceinline__ void stop(Output &output, u32 q) const {
        for (u32 b = 0; b < BLOCKS; b++) {
            for (u32 c = 0; c < COLUMNS; c++) count(output, b, c, q);
        }
    }

    // Counts the last plane of this thread where another thread goes on with the plane after it, which is `next`.
    template <typename Output> __device__ __forceinline__ void stop_before(Output &output, const u32 (&next)[BLOCKS][COLUMNS]) const {
        for (u32 b = 0; b < BLOCKS; b++) {
            for (u32 c = 0; c < COLUMNS; c++) count(output, b, c, next[b][c] < (held[b][c] & ~4u) ? 4 : 0);
        }
    }
};

template <bool FLAT, typename Output>
__device__ __forceinline__ void march(const Part &part, const Levels &levels, Output output) {
    typedef Tile<FLAT> Mine;
    // T has blocks that begin before the image.
    const u64 before = levels.is_vertex ? 0 : 1;
    const u64 wide = (part.columns + before + COLUMNS - 1) / COLUMNS;
    const u64 high = FLAT ? 1 : part.rows + before;
    const u64 blocks = (wide * high + blockDim.x - 1) / blockDim.x;
    const u64 tile = blockIdx.x % blocks * blockDim.x + threadIdx.x;
    const u64 from = part.from + blockIdx.x / blocks * part.share;
    const u64 to = from + part.share < part.to ? from + part.share : part.to;
    if (tile >= wide * high || from >= to) return;
    const i64 x = (i64)(tile % wide * COLUMNS) - (i64)before;
    const i64 y = FLAT ? 0 : (i64)(tile / wide) - (i64)before;
    Mine mine(part, x, y, from > 0 ? from - 1 : 0);
    u32 next[Mine::BLOCKS][COLUMNS];
    mine.fetch();
    mine.blocks(levels, next);
    // In T a cell in the outer boundary takes its only voxel's value: outside is greater. In V there is none.
    mine.hold(next, from > 0 || levels.is_vertex ? 0 : 4);
    // The plane before is only compared with the first; it is counted by another thread.
    if (from > 0) {
        mine.fetch();
        mine.blocks(levels, next);
        NoOutput none;
        mine.step(none, next);
    }
    if (from + 1 < part.planes) mine.fetch();
    for (u64 z = from + 1; z < to; z++) {
        mine.blocks(levels, next);
        // The next plane is on its way while this one is counted.
        if (z + 1 < part.planes) mine.fetch();
        mine.step(output, next);
    }
    if (to < part.planes) {
        mine.blocks(levels, next);
        mine.stop_before(output, next);
    } else {
        mine.stop(output, levels.is_vertex ? 4 : 0);
    }
}

// The sign of a voxel's own block: V counts q − p, and its cells in the plane are of dimension 0 where those of T are
// the greatest.
template <bool FLAT> __device__ __forceinline__ i64 sign_of(u32 is_vertex) { return FLAT || is_vertex ? -1 : 1; }

// Counts in shared memory, two tables of counters, then adds what they come to to the totals.
template <bool FLAT>
__device__ __forceinline__ void march_shared(const Part &part, VOXEL mask, u32 is_vertex, u32 low, u32 rows, u64 *totals, u8 *touched) {
    extern __shared__ u32 counters[];
    const u32 levels = rows + 2;
    for (u32 k = threadIdx.x; k < 4 * levels; k += blockDim.x) counters[k] = 0;
    __syncthreads();
    march<FLAT>(part, Levels(mask, is_vertex, low, rows, shared_place(counters)), Counters(8 * levels));
    __syncthreads();
    for (u32 level = threadIdx.x; level < levels; level += blockDim.x) {
        const u32 *plus = counters + 2 * level, *minus = plus + 2 * levels;
        const i64 change = ((i64)plus[1] - plus[0]) - ((i64)minus[1] - minus[0]);
        if (change != 0) atomicAdd(&totals[level], (u64)(sign_of<FLAT>(is_vertex) * change));
        if (plus[0] | plus[1] | minus[0] | minus[1]) touched[level] = 1;
    }
}

// Counts in shared memory, two levels to a word, for more levels than it has room for otherwise.
template <bool FLAT>
__device__ __forceinline__ void march_packed(const Part &part, VOXEL mask, u32 is_vertex, u32 low, u32 rows, u64 *totals) {
    extern __shared__ u32 counters[];
    const u32 words = (rows + 3) / 2;
    for (u32 k = threadIdx.x; k < words; k += blockDim.x) counters[k] = 0;
    __syncthreads();
    const Packed packed{counters, totals, shared_place(counters), sign_of<FLAT>(is_vertex) < 0, 0};
    march<FLAT>(part, Levels(mask, is_vertex, low, rows, 0), packed);
    __syncthreads();
    // Blocks that end at the same time begin with different words, so that they do not wait for each other.
    const u32 first = (u32)((u64)blockIdx.x * words / gridDim.x);
    for (u32 number = threadIdx.x; number < words; number += blockDim.x) {
        const u32 k = number < words - first ? first + number : number - (words - first);
        packed.add(k, counters[k]);
    }
}

#define PART                                                                                        \
    const VOXEL *voxels, u64 planes, u64 rows, u64 columns, u64 from, u64 to, u64 share, VOXEL mask, \
        u32 is_vertex, u32 low, u32 row_count
#define PARTS {voxels, planes, rows, columns, from, to, share}

extern "C" __global__ void __launch_bounds__(BLOCK) ecc_march(PART, u64 *totals, u8 *touched) {
    march_shared<false>(PARTS, mask, is_vertex, low, row_count, totals, touched);
}

extern "C" __global__ void __launch_bounds__(BLOCK) ecc_march_flat(PART, u64 *totals, u8 *touched) {
    march_shared<true>(PARTS, mask, is_vertex, low, row_count, totals, touched);
}

extern "C" __global__ void __launch_bounds__(BLOCK) ecc_march_packed(PART, u64 *totals) {
    march_packed<false>(PARTS, mask, is_vertex, low, row_count, totals);
}

extern "C" __global__ void __launch_bounds__(BLOCK) ecc_march_packed_flat(PART, u64 *totals) {
    march_packed<true>(PARTS, mask, is_vertex, low, row_count, totals);
}

// For more levels than shared memory holds: they are counted in the totals directly.
extern "C" __global__ void __launch_bounds__(BLOCK) ecc_march_wide(PART, u64 *totals) {
    march<false>(PARTS, Levels(mask, is_vertex, low, row_count, 0), Totals(totals, sign_of<false>(is_vertex)));
}

extern "C" __global__ void __launch_bounds__(BLOCK) ecc_march_wide_flat(PART, u64 *totals) {
    march<true>(PARTS, Levels(mask, is_vertex, low, row_count, 0), Totals(totals, sign_of<true>(is_vertex)));
}

// Brings the totals to page-locked memory of the host, and begins at zero again: one launch takes less time than a copy
// and a fill, which are few bytes, and the next kernel follows it without a pause.
extern "C" __global__ void ecc_hand_over(u64 *totals, u64 levels, u64 *host) {
    const u64 level = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (level >= levels) return;
    host[level] = totals[level];
    totals[level] = 0;
}
