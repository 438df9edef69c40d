// Thinning of the plane (`cubical::thinning`): some iterations of a rule on those tiles that may change.
//
//   thinning_RULE   a block owns a tile at a time, a thread a word of 32 pixels of the tile's window
//
// A tile is SIDE×SIDE pixels, its window has COLLAR more on each side. In a launch's MOST iterations what is wrong at the border of the window, because
// what is outside is not seen, comes no nearer than the tile: a rule reaches two pixels, or one in each of two subiterations. So a launch
// is MOST iterations of the whole image, exactly, with nothing but shared memory in between. `from` is read, `to` is written.
//
// A tile is on the list if, in the launch before, a pixel changed that its own see; else it would find again what it found then: nothing.
// A tile that changed is on the list whatever it sees, so that a tile which is not is the same in both buffers.

// Compiled for SIDE (64), COLLAR (32) and MOST (16) of `src/cuda/constants.rs`.

#include "active.cuh"

#define WINDOW (SIDE + 2 * COLLAR)
// Words of a row of a window.
#define WORDS (WINDOW / 32)
#define THREADS (WINDOW * WORDS)

// Pixels around those of a word; north is the row before.
struct Window {
    u32 nnww, nnw, nn, nne, nww, nw, n, ne, ww, w, c, e, sww, sw, s, se;
};

// Bits at which at least two of four words are set, and bits at which exactly one is.
__device__ __forceinline__ u32 two_of_four(u32 a, u32 b, u32 c, u32 d) { return (a & b) | (c & d) | ((a | b) & (c | d)); }

__device__ __forceinline__ u32 one_of_four(u32 a, u32 b, u32 c, u32 d) { return (a | b | c | d) & ~two_of_four(a, b, c, d); }

__device__ __forceinline__ u32 at_least_two(u32 a, u32 b, u32 c, u32 d, u32 e, u32 f, u32 g, u32 h) {
    return two_of_four(a, b, c, d) | two_of_four(e, f, g, h) | ((a | b | c | d) & (e | f | g | h));
}

// Bits at which two to six of eight words are set.
__device__ __forceinline__ u32 two_to_six(u32 a, u32 b, u32 c, u32 d, u32 e, u32 f, u32 g, u32 h) {
    return at_least_two(a, b, c, d, e, f, g, h) & at_least_two(~a, ~b, ~c, ~d, ~e, ~f, ~g, ~h);
}

// Bits at which a turn through eight neighbours enters the foreground exactly once.
__device__ __forceinline__ u32 enters_once(u32 a, u32 b, u32 c, u32 d, u32 e, u32 f, u32 g, u32 h) {
    return one_of_four((~a & b) | (~b & c), (~c & d) | (~d & e), (~e & f) | (~f & g), (~g & h) | (~h & a));
}

// The rules: subiterations, how far one reaches to the north and west (it reaches 1 to the south and east), and what it deletes.

struct GuoHall {
    static constexpr u32 STEPS = 2, REACH = 1;
    template <u32 STEP> static __device__ __forceinline__ u32 deleted(const Window &p) {
        const u32 connected = one_of_four(~p.n & (p.ne | p.e), ~p.e & (p.se | p.s), ~p.s & (p.sw | p.w), ~p.w & (p.nw | p.n));
        const u32 a = p.nw | p.n, b = p.ne | p.e, c = p.se | p.s, d = p.sw | p.w;
        const u32 e = p.n | p.ne, f = p.e | p.se, g = p.s | p.sw, h = p.w | p.nw;
        const u32 not_an_end = two_of_four(a, b, c, d) & two_of_four(e, f, g, h);
        const u32 not_inside = ~(a & b & c & d & e & f & g & h);
        const u32 kept = STEP == 0 ? (p.s | p.sw | ~p.nw) & p.w : (p.n | p.ne | ~p.se) & p.e;
        return connected & not_an_end & not_inside & ~kept;
    }
};

struct ZhangSuen {
    static constexpr u32 STEPS = 2, REACH = 1;
    template <u32 STEP> static __device__ __forceinline__ u32 deleted(const Window &p) {
        const u32 inside = STEP == 0 ? p.e & p.s & (p.n | p.w) : p.n & p.w & (p.e | p.s);
        return enters_once(p.n, p.ne, p.e, p.se, p.s, p.sw, p.w, p.nw) & two_to_six(p.n, p.ne, p.e, p.se, p.s, p.sw, p.w, p.nw) & ~inside;
    }
};

struct Kashani {
    static constexpr u32 STEPS = 1, REACH = 2;
    template <u32 STEP> static __device__ __forceinline__ u32 deleted(const Window &p) {
        const u32 border = enters_once(p.n, p.nw, p.w, p.sw, p.s, p.se, p.e, p.ne) & two_to_six(p.n, p.nw, p.w, p.sw, p.s, p.se, p.e, p.ne);
        const u32 northern = enters_once(p.nn, p.nnw, p.nw, p.w, p.c, p.e, p.ne, p.nne);
        const u32 western = enters_once(p.nw, p.nww, p.ww, p.sww, p.sw, p.s, p.c, p.n);
        return border & ~(p.n & p.w & ((p.e & northern) | (p.s & western)));
    }
};

struct KashaniSafe {
    static constexpr u32 STEPS = 1, REACH = 2;
    template <u32 STEP> static __device__ __forceinline__ u32 deleted(const Window &p) {
        const u32 around = p.nnww | p.nnw | p.nn | p.nne | p.nww | p.ne | p.ww | p.e | p.sww | p.sw | p.s | p.se;
        return Kashani::deleted<STEP>(p) & ~(p.nw & p.n & p.w & ~around);
    }
};

// What goes of a word in a subiteration; `word` is its place in a window, around which the others are.
template <typename RULE, u32 STEP> __device__ __forceinline__ u32 gone(const u32 *word) {
    u32 ww[4], w[4], c[4], e[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const u32 *row = word + (k - 2) * WORDS;
        const u32 left = row[-1], right = row[1];
        c[k] = row[0];
        w[k] = c[k] << 1 | left >> 31;
        ww[k] = c[k] << 2 | left >> 30;
        e[k] = c[k] >> 1 | right << 31;
    }
    const Window window{ww[0], w[0], c[0], e[0], ww[1], w[1], c[1], e[1], ww[2], w[2], c[2], e[2], ww[3], w[3], c[3], e[3]};
    return window.c & RULE::template deleted<STEP>(window);
}

// What a block holds of a tile's window.
struct Held {
    // Subiterations read the one and write the other, in turn. Two rows above the window and one below, and a word before and after, are
    // read, for pixels that stay.
    u32 windows[2][(WINDOW + 3) * WORDS + 2];
    // Whether a warp's words changed in a subiteration: in the last two and this one, with a warp of none on either side.
    bool changed[3][THREADS / WARP + 2];
};

// A subiteration, the k-th: what goes of the thread's word. A warp has eight rows. If in the last time of each subiteration nothing changed
// in them and those of the next warps, it would find again that nothing goes, and both windows have its words as they are.
template <typename RULE, u32 STEP> __device__ __forceinline__ u32 step(Held &held, u32 k, u32 at, u32 may_go, u32 &own) {
    bool looks = k < RULE::STEPS;
    for (u32 ago = 1; ago <= RULE::STEPS && !looks; ago++) {
        const bool *changed = held.changed[(k + 3 - ago) % 3] + warp();
        looks = changed[0] || changed[1] || changed[2];
    }
    u32 lost = 0;
    if (looks) {
        lost = gone<RULE, STEP>(&held.windows[k % 2][at]) & may_go;
        own &= ~lost;
        held.windows[(k + 1) % 2][at] = own;
    }
    const bool changed = __any_sync(ALL, lost != 0);
    if (lane() == 0) held.changed[k % 3][1 + warp()] = changed;
    return lost;
}

// Which tiles see that a tile changed.
#define CHANGED 1u
#define ABOVE_SEES 2u
#define BELOW_SEES 4u
#define LEFT_SEES 8u
#define RIGHT_SEES 16u

// A row is `width` words, an image `across` tiles wide and `down` high. `deleted` has a total for each iteration.
template <typename RULE>
__device__ __forceinline__ void thin(const u32 *from, u32 *to, u64 rows, u64 width, u32 across, u32 down, const Active &active,
                                     u32 iterations, u64 *deleted, u64 *looked_at) {
    __shared__ Held held;
    __shared__ u32 counts[MOST], seen_by;
    active.begin(looked_at);
    if (threadIdx.x < 3) held.changed[threadIdx.x][0] = held.changed[threadIdx.x][1 + THREADS / WARP] = false;
    const u32 x = threadIdx.x % WORDS, y = threadIdx.x / WORDS, at = 1 + 2 * WORDS + threadIdx.x;
    const bool is_own = x - 1 < 2 && y - COLLAR < SIDE;
    // The outermost pixels do not see all that they depend on, and stay.
    const u32 may_go = y < RULE::REACH || y == WINDOW - 1 ? 0 : x == 0 ? ~0u << RULE::REACH : x == WORDS - 1 ? ~0u >> 1 : ~0u;
    // How far pixels are seen from the north and west.
    const u32 near = MOST * RULE::STEPS;
    for (u32 k = blockIdx.x; k < active.length(); k += gridDim.x) {
        const u32 tile = active.list[k];
        // Past the image on any side numbers are too large.
        const u64 row = (u64)(tile / across) * SIDE + y - COLLAR, word = (u64)(tile % across) * (SIDE / 32) + x - 1;
        const bool is_there = row < rows && word < width;
        const u32 before = is_there ? from[row * width + word] : 0;
        u32 own = before;
        held.windows[0][at] = own;
        if (threadIdx.x < MOST) counts[threadIdx.x] = 0;
        if (threadIdx.x == 0) seen_by = 0;
        bool is_quiet = !__syncthreads_or(is_own && own != 0);
        for (u32 i = 0; i < iterations && !is_quiet; i++) {
            u32 lost = step<RULE, 0>(held, RULE::STEPS * i, at, may_go, own);
            if (RULE::STEPS == 2) {
                __syncthreads();
                lost |= step<RULE, 1>(held, RULE::STEPS * i + 1, at, may_go, own);
            }
            if (is_own && lost != 0) atomicAdd(&counts[i], (u32)__popc(lost));
            is_quiet = !__syncthreads_or(lost != 0);
        }
        const u32 lost = before & ~own;
        if (is_own && lost != 0) {
            const bool is_left = x == 1 && (near == 32 || (lost & 0xffff) != 0);
            atomicOr(&seen_by, CHANGED | (y - COLLAR < near ? ABOVE_SEES : 0) | (y - COLLAR >= SIDE - 32 ? BELOW_SEES : 0) |
                                   (is_left ? LEFT_SEES : 0) | (x == 2 ? RIGHT_SEES : 0));
        }
        if (is_own && is_there) to[row * width + word] = own;
        __syncthreads();
        if (threadIdx.x < iterations && counts[threadIdx.x] != 0) atomicAdd(&deleted[threadIdx.x], (u64)counts[threadIdx.x]);
        if (threadIdx.x < 9 && seen_by != 0) {
            const u32 dx = threadIdx.x % 3, dy = threadIdx.x / 3;
            const u32 needed = CHANGED | (dx == 0 ? LEFT_SEES : dx == 2 ? RIGHT_SEES : 0) | (dy == 0 ? ABOVE_SEES : dy == 2 ? BELOW_SEES : 0);
            const u32 column = tile % across + dx - 1, line = tile / across + dy - 1;
            if ((seen_by & needed) == needed && column < across && line < down) active.want(line * across + column);
        }
        __syncthreads();
    }
}

#define KERNEL(NAME, RULE)                                                                                                             \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                                              \
        NAME(const u32 *from, u32 *to, u64 rows, u64 width, u32 across, u32 down, const u32 *list, u32 *next, u32 *lengths, u32 *marks, \
             u32 launch, u32 iterations, u64 *deleted, u64 first, u64 *looked_at) {                                                    \
        thin<RULE>(from, to, rows, width, across, down, Active{list, next, lengths, marks, launch}, iterations, deleted + first,       \
                   looked_at);                                                                                                         \
    }

KERNEL(thinning_guo_hall, GuoHall)
KERNEL(thinning_zhang_suen, ZhangSuen)
KERNEL(thinning_kashani, Kashani)
KERNEL(thinning_kashani_safe, KashaniSafe)
