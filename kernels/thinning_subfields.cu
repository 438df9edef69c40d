// Thinning of space (`cubical::thinning::subfields`): an iteration, on those tiles that may change.
//
//   thinning_subfields   a block owns a tile at a time, a thread a word of 32 voxels of a subfield
//
// A tile is SIDE voxels along x and some along y and z; its window has 32, COLLAR_Y and COLLAR_Z more on each side. Candidates see a voxel further, and
// then subfield after subfield does: a change comes as far along an axis as its parity changes from subfield to subfield, 7, 3 and 1. So
// what is wrong near the border of the window does not come to the tile in an iteration, and the outermost layers are only read.
//
// In shared memory voxels lie by subfields: parity of y, parity of x, place in y, place in x; plane after plane. What the tile's own list
// is, and why tiles are skipped, is as in `thinning.cu`.

// Compiled for THREADS, SIDE, COLLAR_Y, COLLAR_Z and PAIRS of `src/cuda/constants.rs`.

#include "active.cuh"

#define MIDDLE 13
#define UP 4
#define NORTH 10
#define WEST 12
#define EAST 14
#define SOUTH 16
#define DOWN 22

// The bits at even places, side by side.
__device__ __forceinline__ u32 every_second(u32 word) {
    word &= 0x55555555u;
    word = (word | word >> 1) & 0x33333333u;
    word = (word | word >> 2) & 0x0f0f0f0fu;
    word = (word | word >> 4) & 0x00ff00ffu;
    return (word | word >> 8) & 0xffffu;
}

// The lower 16 bits, at even places.
__device__ __forceinline__ u32 spread(u32 word) {
    word &= 0xffffu;
    word = (word | word << 8) & 0x00ff00ffu;
    word = (word | word << 4) & 0x0f0f0f0fu;
    word = (word | word << 2) & 0x33333333u;
    return (word | word << 1) & 0x55555555u;
}

// The sum of three bits, and what is carried.
__device__ __forceinline__ u32 sum(u32 a, u32 b, u32 c) { return a ^ b ^ c; }
__device__ __forceinline__ u32 carry(u32 a, u32 b, u32 c) { return (a & b) | (c & (a ^ b)); }

// Bits at which the voxel in the middle of its neighbourhood is simple: `cubical::thinning::simple`, formula by formula.
__device__ __forceinline__ u32 simple(const u32 (&a)[27]) {
#define EDGE(F, G) ~(a[F] | a[G] | a[F + G - MIDDLE])
    const u32 un = EDGE(UP, NORTH), uw = EDGE(UP, WEST), ue = EDGE(UP, EAST), us = EDGE(UP, SOUTH);
    const u32 dn = EDGE(DOWN, NORTH), dw = EDGE(DOWN, WEST), de = EDGE(DOWN, EAST), ds = EDGE(DOWN, SOUTH);
    const u32 nw = EDGE(NORTH, WEST), ne = EDGE(NORTH, EAST), sw = EDGE(SOUTH, WEST), se = EDGE(SOUTH, EAST);
#undef EDGE
#define CORNER(F, G, H, EDGES) (EDGES) & ~a[F + G + H - 2 * MIDDLE]
    const u32 count[26] = {
        ~a[UP], ~a[DOWN], ~a[NORTH], ~a[SOUTH], ~a[WEST], ~a[EAST], ~un, ~uw, ~ue, ~us, ~dn, ~dw, ~de, ~ds, ~nw, ~ne, ~sw, ~se,
        CORNER(UP, NORTH, WEST, un & uw & nw), CORNER(UP, NORTH, EAST, un & ue & ne), CORNER(UP, SOUTH, WEST, us & uw & sw),
        CORNER(UP, SOUTH, EAST, us & ue & se), CORNER(DOWN, NORTH, WEST, dn & dw & nw), CORNER(DOWN, NORTH, EAST, dn & de & ne),
        CORNER(DOWN, SOUTH, WEST, ds & dw & sw), CORNER(DOWN, SOUTH, EAST, ds & de & se)};
#undef CORNER
    u32 ones = count[0] ^ count[1], twos = count[0] & count[1], fours = 0;
#pragma unroll
    for (u32 k = 2; k < 26; k += 4) {
        const u32 first = sum(ones, count[k], count[k + 1]), c = carry(ones, count[k], count[k + 1]);
        const u32 d = carry(first, count[k + 2], count[k + 3]);
        ones = sum(first, count[k + 2], count[k + 3]);
        fours ^= carry(twos, c, d);
        twos = sum(twos, c, d);
    }
    const u32 euler = ones & ~twos & fours;
    // Face after face goes, and its neighbours are joined; of each component the last finds none.
    const u32 up = ~a[UP] & ~(un | uw | ue | us);
    const u32 nw1 = nw | (un & uw), ne1 = ne | (un & ue), ns1 = un & us;
    const u32 sw1 = sw | (us & uw), se1 = se | (us & ue), we1 = uw & ue;
    const u32 north = ~a[NORTH] & ~(nw1 | ne1 | ns1 | dn);
    const u32 sw2 = sw1 | (ns1 & nw1), se2 = se1 | (ns1 & ne1), we2 = we1 | (nw1 & ne1);
    const u32 dw2 = dw | (dn & nw1), de2 = de | (dn & ne1), ds2 = ds | (dn & ns1);
    const u32 south = ~a[SOUTH] & ~(sw2 | se2 | ds2);
    const u32 we3 = we2 | (sw2 & se2), dw3 = dw2 | (ds2 & sw2), de3 = de2 | (ds2 & se2);
    const u32 west = ~a[WEST] & ~(we3 | dw3);
    const u32 de4 = de3 | (dw3 & we3);
    const u32 east = ~a[EAST] & ~de4, down = ~a[DOWN];
    const u32 one = up | north | south, two = (up & north) | (south & (up | north));
    const u32 other = west | east | down, others = (west & east) | (down & (west | east));
    return euler & ~(two | others | (one & other));
}

// Bits at which the voxel in the middle has exactly one neighbour, so that it is an end of a line.
__device__ __forceinline__ u32 is_end(const u32 (&a)[27]) {
    u32 one = 0, two = 0;
#pragma unroll
    for (u32 k = 0; k < 27; k++) {
        if (k == MIDDLE) continue;
        two |= one & a[k];
        one |= a[k];
    }
    return one & ~two;
}

// Voxels of a window in shared memory: `half` words of a strip, two rows each.
struct Fields {
    u32 *words;
    u32 half;

    __device__ __forceinline__ u32 place(u32 z, u32 y, u32 x, u32 pair) const {
        return (((z * 2 + y % 2) * 2 + x) * half + y / 2) * PAIRS + pair;
    }

    // The voxels west and east of those of a word whose x have parity X.
    template <u32 X> __device__ __forceinline__ void beside(u32 z, u32 y, u32 pair, u32 &west, u32 &east) const {
        const u32 other = place(z, y, 1 - X, 0), near = words[other + pair];
        if (X == 0) {
            west = near << 1 | (pair == 0 ? 0 : words[other] >> 31);
            east = near;
        } else {
            west = near;
            east = near >> 1 | (pair == 0 ? words[other + 1] << 31 : 0);
        }
    }

    // The neighbourhoods of the voxels of a word.
    template <u32 X> __device__ __forceinline__ void around(u32 z, u32 y, u32 pair, u32 (&a)[27]) const {
#pragma unroll
        for (u32 step = 0; step < 9; step++) {
            const u32 plane = z + step / 3 - 1, row = y + step % 3 - 1;
            a[3 * step + 1] = words[place(plane, row, X, pair)];
            beside<X>(plane, row, pair, a[3 * step], a[3 * step + 2]);
        }
    }

    // The voxels of a word that have background across a face.
    template <u32 X> __device__ __forceinline__ u32 border(u32 z, u32 y, u32 pair, u32 own, bool is_planar) const {
        u32 west, east;
        beside<X>(z, y, pair, west, east);
        u32 faces = west & east & words[place(z, y - 1, X, pair)] & words[place(z, y + 1, X, pair)];
        if (!is_planar) faces &= words[place(z - 1, y, X, pair)] & words[place(z + 1, y, X, pair)];
        return own & ~faces;
    }
};

// Which tiles see a change: as bits, the tile before and after along each axis.
#define CHANGED 1u
#define BEFORE(AXIS) (2u << 2 * (AXIS))
#define AFTER(AXIS) (4u << 2 * (AXIS))

struct Found {
    u32 deleted, seen_by;
};

// What a thread does with the words of a subfield: `z` and `y` have its parities and lie inside the window.
struct Window {
    Fields fields, candidates;
    u32 tile_planes, tile_rows;
    bool is_planar;

    template <u32 X> __device__ __forceinline__ u32 choose(u32 z, u32 y, u32 pair) const {
        const u32 place = fields.place(z, y, X, pair), own = fields.words[place];
        u32 chosen = own == 0 ? 0 : fields.border<X>(z, y, pair, own, is_planar);
        if (chosen != 0) {
            u32 a[27];
            fields.around<X>(z, y, pair, a);
            chosen &= ~is_end(a);
        }
        candidates.words[place] = chosen;
        return chosen;
    }

    template <u32 X> __device__ __forceinline__ void thin(u32 z, u32 y, u32 pair, Found &found) const {
        const u32 place = fields.place(z, y, X, pair);
        const u32 chosen = candidates.words[place];
        if (chosen == 0) return;
        u32 a[27];
        fields.around<X>(z, y, pair, a);
        const u32 gone = chosen & simple(a);
        if (gone == 0) return;
        fields.words[place] = a[MIDDLE] & ~gone;
        // Of the tile: the later half of the first word, the earlier of the second.
        const u32 own = pair == 0 ? gone >> 16 : gone & 0xffff;
        const u32 plane = z - COLLAR_Z, row = y - COLLAR_Y;
        if (own == 0 || plane >= tile_planes || row >= tile_rows) return;
        found.deleted += __popc(own);
        const u32 first = pair == 0 ? own & 0xf : 0, last = pair == 0 ? 0 : own >> 12;
        found.seen_by |= CHANGED | (first != 0 ? BEFORE(0) : 0) | (last != 0 ? AFTER(0) : 0) | (row < COLLAR_Y ? BEFORE(1) : 0) |
                         (row + COLLAR_Y >= tile_rows ? AFTER(1) : 0) | (plane < COLLAR_Z ? BEFORE(2) : 0) |
                         (plane + COLLAR_Z >= tile_planes ? AFTER(2) : 0);
    }
};

// A row is `width` words, an image `across` tiles wide, `down` high and `deep` deep. Shared memory holds two windows.
extern "C" __global__ void __launch_bounds__(THREADS)
    thinning_subfields(const u32 *from, u32 *to, u64 planes, u64 rows, u64 width, u32 across, u32 down, u32 deep, u32 tile_planes,
                       u32 tile_rows, const u32 *list, u32 *next, u32 *lengths, u32 *marks, u32 launch, u64 *deleted, u64 first,
                       u64 *looked_at) {
    extern __shared__ u32 memory[];
    __shared__ u32 count, seen_by;
    const Active active{list, next, lengths, marks, launch};
    active.begin(looked_at);
    const u32 window_planes = tile_planes + 2 * COLLAR_Z, window_rows = tile_rows + 2 * COLLAR_Y;
    const u32 half = window_rows / 2, words = window_planes * window_rows * 2 * PAIRS;
    const Window window{Fields{memory, half}, Fields{memory + words, half}, tile_planes, tile_rows, planes == 1};
    // Words of a subfield that are not of the outermost layers.
    const u32 lines = half - 1, items = (window_planes / 2 - 1) * lines * PAIRS;
    for (u32 k = blockIdx.x; k < active.length(); k += gridDim.x) {
        const u32 tile = list[k];
        const u32 tile_x = tile % across, tile_y = tile / across % down, tile_z = tile / across / down;
        // Past the image on any side numbers are too large.
        const u64 first_plane = (u64)tile_z * tile_planes - COLLAR_Z, first_row = (u64)tile_y * tile_rows - COLLAR_Y;
        const u64 first_word = (u64)tile_x * (SIDE / 32) - 1;
        if (threadIdx.x == 0) count = seen_by = 0;
        for (u32 i = threadIdx.x; i < window_planes * window_rows * PAIRS; i += blockDim.x) {
            const u32 pair = i % PAIRS, y = i / PAIRS % window_rows, z = i / PAIRS / window_rows;
            const u64 plane = first_plane + z, row = first_row + y, word = first_word + 2 * pair;
            u32 low = 0, high = 0;
            if (plane < planes && row < rows) {
                const u64 line = (plane * rows + row) * width;
                if (word < width) low = from[line + word];
                if (word + 1 < width) high = from[line + word + 1];
            }
            window.fields.words[window.fields.place(z, y, 0, pair)] = every_second(low) | every_second(high) << 16;
            window.fields.words[window.fields.place(z, y, 1, pair)] = every_second(low >> 1) | every_second(high >> 1) << 16;
        }
        __syncthreads();
        u32 any = 0;
        for (u32 zy = 0; zy < 4; zy++) {
            for (u32 i = threadIdx.x; i < items; i += blockDim.x) {
                const u32 pair = i % PAIRS, y = 2 * (i / PAIRS % lines) + 2 - zy % 2, z = 2 * (i / PAIRS / lines) + 2 - zy / 2;
                any |= window.choose<0>(z, y, pair);
                any |= window.choose<1>(z, y, pair);
            }
        }
        Found found{0, 0};
        if (__syncthreads_or(any != 0)) {
            for (u32 zy = 0; zy < 4; zy++) {
                for (u32 x = 0; x < 2; x++) {
                    for (u32 i = threadIdx.x; i < items; i += blockDim.x) {
                        const u32 pair = i % PAIRS, y = 2 * (i / PAIRS % lines) + 2 - zy % 2, z = 2 * (i / PAIRS / lines) + 2 - zy / 2;
                        if (x == 0) {
                            window.thin<0>(z, y, pair, found);
                        } else {
                            window.thin<1>(z, y, pair, found);
                        }
                    }
                    __syncthreads();
                }
            }
            if (found.deleted != 0) {
                atomicAdd(&count, found.deleted);
                atomicOr(&seen_by, found.seen_by);
            }
        }
        for (u32 i = threadIdx.x; i < tile_planes * tile_rows * PAIRS; i += blockDim.x) {
            const u32 pair = i % PAIRS, y = i / PAIRS % tile_rows + COLLAR_Y, z = i / PAIRS / tile_rows + COLLAR_Z;
            const u64 plane = first_plane + z, row = first_row + y, word = first_word + 1 + pair;
            if (plane < planes && row < rows && word < width) {
                const u32 shift = pair == 0 ? 16 : 0;
                const u32 even = window.fields.words[window.fields.place(z, y, 0, pair)] >> shift;
                const u32 odd = window.fields.words[window.fields.place(z, y, 1, pair)] >> shift;
                to[(plane * rows + row) * width + word] = spread(even) | spread(odd) << 1;
            }
        }
        __syncthreads();
        if (threadIdx.x == 0 && count != 0) atomicAdd(&deleted[first], (u64)count);
        if (threadIdx.x < 27 && seen_by != 0) {
            const u32 steps[3] = {threadIdx.x % 3, threadIdx.x / 3 % 3, threadIdx.x / 9};
            u32 needed = CHANGED;
            for (u32 axis = 0; axis < 3; axis++) needed |= steps[axis] == 0 ? BEFORE(axis) : steps[axis] == 2 ? AFTER(axis) : 0;
            const u32 x = tile_x + steps[0] - 1, y = tile_y + steps[1] - 1, z = tile_z + steps[2] - 1;
            if ((seen_by & needed) == needed && x < across && y < down && z < deep) active.want((z * down + y) * across + x);
        }
        __syncthreads();
    }
}
