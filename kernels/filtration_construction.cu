// Filtration construction with clearing and apparent-pair search (Zhang, Xiao, Wang 2020, Sections 4.2 and 4.3), streamed:
// all d-simplices of tiles of ranks, of which only the undecided are written. The processor's twin is
// `src/rips/filtration_construction/`, where the meaning of simplices, ranks and ties is defined.
//
// A tile is a square matrix of ranks, rows padded with ABSENT, the diagonal ABSENT; its simplices are those with the fixed
// greatest vertex `top`. A dense complex is one matrix seen as n tiles, a sparse one a matrix a neighbourhood.
//
// A job is a tile and, from dimension 3 on, a vertex t1 below its top t0; in dimension 2 it is LASTS of them. A block owns a job
// and goes depth first through the vertices up to t(d−2): with the top, the prefix. Its warps own the vertices t(d−1) = last; the
// lanes of a warp own smallest vertices x, and then, for simplices looked at alone, vertices w.
//
// Compiled for RANK (u16, u32), LIMBS (64-bit limbs of an entry: 1, 2) and PAIRS_TOO (false, true), so that the driver compiles only
// what a run needs; and for THREADS, LASTS and COUNTS of `src/cuda/constants.rs`.

#include "common.cuh"

typedef RANK Rank;
#if LIMBS == 1
typedef u64 Word;
#else
typedef unsigned __int128 Word;
#endif

#define ABSENT ((Rank)~(Rank)0)

// Which vertices are tried first for an apparent pair only decides how soon one is found. So these four numbers, like LONG, are chosen
// for the device, and the processor has its own.
//
// Vertices near to a prefix from which its warps choose; how many of each kind they take, and at most.
#define NEAR 16u
#define MOST 3u
#define CANDIDATES 8u
// Vertices below the first top tried on all lanes at once, where there are few above.
#define BETWEEN 16u
// A list of neighbours more than this many times as long as that of a tile's vertices is long (see rips_tiles).
#define LONG 8u
// A simplex has at most WARP vertices.
#define MAX_TOPS WARP

struct Tile {
    u64 ranks;      // first element of its matrix
    u64 first_job;  // jobs of the tiles before
    u32 n;
    u32 stride;
    u32 ids;  // first of its vertices' ids
    u32 top;
};

// The arguments of a sweep, which are the same for all jobs.
struct Sweep {
    const Rank *ranks;
    const Tile *tiles;
    const u32 *ids;
    const u64 *offsets;    // the graph of a sparse complex: of each vertex the first of its neighbours
    const u32 *neighbours;
    const u32 *neighbour_ranks;
    u64 *counts;  // simplices, apparent, cleared, undecided, and with pairs their cofacets
    u64 *columns;
    u64 *cofacets;
    u64 capacity;  // of columns and of cofacets each, in entries
    u64 end;       // the job past the last: the first block takes the last job
    u32 tile_count;
    u32 dim;
    u32 vertex_bits;
    u32 partial;  // whether cofacets may lie outside of a tile
};

enum { SIMPLICES, APPARENT, CLEARED, UNDECIDED, COFACETS };
static_assert(COFACETS + 1 == COUNTS, "a counter each");

// A job, in shared memory: the prefix, and the vertices near to it.
struct Job {
    Rank rank;  // the rank of the prefix
    u32 tops[MAX_TOPS];
    Rank without[MAX_TOPS];  // the rank of the prefix without one of its vertices
    u32 near_count;
    u32 near_w[NEAR];
    Rank near_rank[NEAR];
};

// The last tile that has its first job at `job` or before.
__device__ u32 find_tile(const Tile *tiles, u32 count, u64 job) {
    u32 low = 0, high = count;
    while (high - low > 1) {
        const u32 middle = low + (high - low) / 2;
        if (tiles[middle].first_job <= job) low = middle;
        else high = middle;
    }
    return low;
}

// The greatest w in floor.. and below `top`, or in the same warp's width as that, within `limit` in three rows; else ~0.
__device__ __forceinline__ u32 greatest(const Rank *a, const Rank *b, const Rank *c, Rank limit, u32 floor, u32 top) {
    u32 at = (top + WARP - 1) / WARP * WARP;
    while (at > floor) {
        at -= WARP;
        const u32 w = at + lane();
        const Rank m = greater(greater(a[w], b[w]), c[w]);
        const u32 within = __ballot_sync(ALL, m <= limit && w >= floor);
        if (within) return at + (31 - __clz(within));
    }
    return ~0u;
}

// A simplex that a warp looks at alone: prefix ∪ {last, x}.
struct Simplex {
    u32 last;
    u32 x;
    Rank rank;
    Rank tops_rank;
};

// Whether some w ≥ floor that is within `limit` of all tops but the `omitted`-th and of x is in the tile.
__device__ bool older_inside(const Sweep &s, const Tile &tile, const Rank *matrix, const Job &job, const Simplex &simplex,
                             u32 omitted, u32 floor) {
    const Rank *row_x = matrix + (u64)simplex.x * tile.stride;
    u32 at = tile.stride;
    while (at > floor) {
        at -= WARP;
        const u32 w = at + lane();
        Rank m = row_x[w];
        for (u32 k = 0; k < s.dim; k++) {
            if (k == omitted) continue;
            const u32 top = k + 1 == s.dim ? simplex.last : job.tops[k];
            m = greater(m, matrix[(u64)top * tile.stride + w]);
        }
        if (__any_sync(ALL, m <= simplex.rank && w >= floor)) return true;
    }
    return false;
}

// The rank of an edge of the graph, or ~0: `w` is searched for in the ascending neighbours of u.
__device__ u32 graph_edge(const u64 *offsets, const u32 *neighbours, const u32 *neighbour_ranks, u32 u, u32 w) {
    u64 low = offsets[u], high = offsets[u + 1];
    const u64 end = high;
    while (low < high) {
        const u64 middle = low + (high - low) / 2;
        if (neighbours[middle] < w) low = middle + 1;
        else high = middle;
    }
    return low < end && neighbours[low] == w ? neighbour_ranks[low] : ~0u;
}

// Whether some w greater than the tile's top, in the whole graph, is within the simplex's rank of all of its vertices but that top: for
// the facet that omits the top, such vertices may lie outside of the tile.
__device__ bool older_outside(const Sweep &s, const Tile &tile, const Job &job, const Simplex &simplex) {
    const u32 *ids = s.ids + tile.ids;
    const u32 floor = ids[tile.top] + 1;
    const u32 x = ids[simplex.x];
    const u64 begin = s.offsets[x], end = s.offsets[x + 1];
    // Neighbours ascend: from the last one down.
    for (u64 to = end; to > begin;) {
        const u64 at = to - begin < WARP ? begin : to - WARP;
        const u64 place = at + lane();
        bool within = place < to && s.neighbours[place] >= floor && s.neighbour_ranks[place] <= simplex.rank;
        if (__all_sync(ALL, place >= to || s.neighbours[place] < floor)) return false;
        for (u32 k = 1; within && k < s.dim; k++) {
            const u32 top = k + 1 == s.dim ? simplex.last : job.tops[k];
            const u32 rank = graph_edge(s.offsets, s.neighbours, s.neighbour_ranks, ids[top], s.neighbours[place]);
            within = rank <= simplex.rank;
        }
        if (__any_sync(ALL, within)) return true;
        to = at;
    }
    return false;
}

// The entry of a simplex: rank above complemented vertices (`src/rips/code.rs`). `w`, if it is not ~0, is one more vertex.
__device__ Word entry(const Sweep &s, const Tile &tile, const Job &job, const Simplex &simplex, u32 w) {
    const u32 *ids = s.ids + tile.ids;
    Word index = 0;
    for (u32 k = 0; k <= s.dim; k++) {
        const u32 v = k == s.dim ? simplex.x : k + 1 == s.dim ? simplex.last : job.tops[k];
        if (w != ~0u && w > v) {
            index = index << s.vertex_bits | ids[w];
            w = ~0u;
        }
        index = index << s.vertex_bits | ids[v];
    }
    if (w != ~0u) index = index << s.vertex_bits | ids[w];
    return index;
}

__device__ void store(u64 *to, u64 place, Word word) {
#if LIMBS == 1
    to[place] = word;
#else
    to[2 * place] = (u64)word;
    to[2 * place + 1] = (u64)(word >> 64);
#endif
}

__device__ Word packed(const Sweep &s, Word index, Rank rank, u32 vertices) {
    const u32 bits = s.vertex_bits * vertices;
    const Word ones = ((Word)1 << bits) - 1;
    return (Word)rank << bits | (ones ^ index);
}

// Writes the entry of one lane's simplex, if there is room.
__device__ void emit_column(const Sweep &s, const Tile &tile, const Job &job, const Simplex &simplex) {
    const u64 place = atomicAdd(&s.counts[UNDECIDED], 1ull);
    if (place < s.capacity) {
        store(s.columns, place, packed(s, entry(s, tile, job, simplex, ~0u), simplex.rank, s.dim + 1));
    }
}

__device__ void emit_cofacet(const Sweep &s, const Tile &tile, const Job &job, const Simplex &simplex, u32 w) {
    const u64 place = atomicAdd(&s.counts[COFACETS], 1ull);
    if (place < s.capacity) {
        store(s.cofacets, place, packed(s, entry(s, tile, job, simplex, w), simplex.rank, s.dim + 2));
    }
}

// How many of the simplices that a warp looked at there are of each kind.
struct Tally {
    u64 simplices;
    u64 apparent;
    u64 cleared;
};

// Decides one simplex, all lanes together. `facet` is, in lane k < dim, the rank of the block's tops without the k-th.
template <bool PAIRS>
__device__ void decide(const Sweep &s, const Tile &tile, const Rank *matrix, const Job &job, const Rank *reach,
                       const Simplex &simplex, u32 own_top, Rank facet, bool exhausted, Tally &tally) {
    const Rank *row_last = matrix + (u64)simplex.last * tile.stride;
    const Rank *row_x = matrix + (u64)simplex.x * tile.stride;
    const u32 first_top = s.dim == 1 ? simplex.last : job.tops[0];
    if (!exhausted && greatest(reach, row_last, row_x, simplex.rank, first_top + 1, tile.n) != ~0u) {
        tally.apparent += 1;
        return;
    }
    // The rank of the simplex without its k-th vertex, in lane k.
    const u32 k = lane();
    Rank without = k == s.dim ? simplex.tops_rank : 0;
    if (k < s.dim) {
        without = facet;
        for (u32 l = 0; l < s.dim; l++) {
            const u32 top = l + 1 == s.dim ? simplex.last : job.tops[l];
            if (l != k) without = greater(without, row_x[top]);
        }
    }
    if (s.dim > 1) {
        const u32 same = __ballot_sync(ALL, k <= s.dim && without == simplex.rank);
        if (same) {
            const u32 omitted = __ffs(same) - 1;
            bool older;
            if (omitted == s.dim) {
                older = greatest(reach, row_last, row_last, simplex.rank, simplex.x + 1, tile.n) != ~0u;
            } else {
                const u32 floor = __shfl_sync(ALL, own_top, omitted) + 1;
                older = older_inside(s, tile, matrix, job, simplex, omitted, floor);
                if (!older && s.partial && omitted == 0) older = older_outside(s, tile, job, simplex);
            }
            if (!older) {
                tally.cleared += 1;
                return;
            }
        }
    }
    // No w past the first top is left.
    const u32 w = greatest(reach, row_last, row_x, simplex.rank, 0, first_top);
    if (w != ~0u) {
        // A facet of the cofacet by w that omits a vertex greater than w and has the same rank is younger.
        bool younger = false;
        const u32 own = k < s.dim ? own_top : simplex.x;
        if (k <= s.dim && own > w) {
            const Rank *row_w = matrix + (u64)w * tile.stride;
            Rank m = without;
            for (u32 l = 0; l <= s.dim; l++) {
                const u32 v = l == s.dim ? simplex.x : l + 1 == s.dim ? simplex.last : job.tops[l];
                if (l != k) m = greater(m, row_w[v]);
            }
            younger = m == simplex.rank;
        }
        if (!__any_sync(ALL, younger)) {
            tally.apparent += 1;
            if (PAIRS && lane() == 0) emit_cofacet(s, tile, job, simplex, w);
            return;
        }
    }
    if (lane() == 0) emit_column(s, tile, job, simplex);
}

// Where no vertex is left past the first top: tries those below it, from the greatest, on all lanes. Gives the lanes of `left`
// that are not in an apparent pair with one of them.
__device__ u32 between(const Tile &tile, const Rank *matrix, const Job &job, const Rank *reach, u32 dim, u32 last, u32 x,
                       Rank diameter, Rank facet, u32 left) {
    const Rank *row = matrix + (u64)last * tile.stride;
    const u32 first_top = dim == 1 ? last : job.tops[0];
    u32 pending = 0;
    for (u32 w = first_top; left && w > last + 1 && w + BETWEEN > first_top;) {
        w -= 1;
        const Rank w_reach = greater(reach[w], row[w]);
        if (w_reach == ABSENT) continue;
        const Rank *row_w = matrix + (u64)w * tile.stride;
        const Rank w_x = row_w[x];
        const u32 hit = __ballot_sync(ALL, greater(w_reach, w_x) <= diameter) & left;
        if (!hit) continue;
        // A facet of the cofacet that omits a top greater than w, and has the same rank, is younger.
        bool younger = false;
        for (u32 k = 0; k + 1 < dim && job.tops[k] > w; k++) {
            Rank m = greater(w_x, (Rank)__shfl_sync(ALL, facet, k));
            for (u32 l = 0; l < dim; l++) {
                const u32 top = l + 1 == dim ? last : job.tops[l];
                if (l != k) m = greater(m, greater(row_w[top], matrix[(u64)top * tile.stride + x]));
            }
            younger = younger || m >= diameter;
        }
        pending |= __ballot_sync(ALL, younger) & hit;
        left &= ~hit;
    }
    return pending | left;
}

// All simplices prefix ∪ {last, x}, one warp.
template <bool PAIRS>
__device__ __noinline__ void sweep_last(const Sweep &s, const Tile &tile, const Rank *matrix, const Job &job, const Rank *reach,
                           u32 last, Rank tops_rank, Tally &tally) {
    const Rank *row = matrix + (u64)last * tile.stride;
    const u32 first_top = s.dim == 1 ? last : job.tops[0];
    // Candidates: of the vertices near to the prefix first those within the tops' rank, then others; all where they are few.
    u32 w[CANDIDATES];
    Rank w_reach[CANDIDATES];
    u32 candidates = 0;
    const bool exhausted = !PAIRS && tile.n - 1 - first_top <= CANDIDATES;
    if (!PAIRS) {
        const u32 own_w = lane() < job.near_count ? job.near_w[lane()] : 0;
        const Rank own = lane() < job.near_count ? greater(job.near_rank[lane()], row[own_w]) : ABSENT;
        const u32 within = __ballot_sync(ALL, own <= tops_rank);
        const u32 others = __ballot_sync(ALL, own != ABSENT) & ~within;
        const u32 most = exhausted ? CANDIDATES : MOST;
        u32 left = within, kind = 0, taken = 0;
#pragma unroll
        for (u32 to = 0; to < CANDIDATES; to++) {
            if (kind == 0 && (left == 0 || taken == most)) {
                left = taken == most ? 0 : others;
                kind = 1;
                taken = 0;
            }
            if (left == 0 || taken == most) break;
            const u32 from = __ffs(left) - 1;
            left &= left - 1;
            w[to] = __shfl_sync(ALL, own_w, from);
            w_reach[to] = __shfl_sync(ALL, own, from);
            taken += 1;
            candidates = to + 1;
        }
    }
    // In lane k the k-th top, and the rank of the tops without it.
    const u32 k = lane();
    const u32 own_top = k < s.dim ? (k + 1 == s.dim ? last : job.tops[k]) : 0;
    Rank facet = k + 1 == s.dim ? job.rank : 0;
    if (k + 1 < s.dim) {
        facet = job.without[k];
        for (u32 l = 0; l + 1 < s.dim; l++) {
            if (l != k) facet = greater(facet, row[job.tops[l]]);
        }
    }
    for (u32 at = 0; at < last; at += WARP) {
        const u32 x = at + lane();
        const Rank diameter = x < last ? greater(tops_rank, greater(reach[x], row[x])) : ABSENT;
        const u32 valid = __ballot_sync(ALL, diameter != ABSENT);
        if (!valid) continue;
        bool decided = diameter == ABSENT;
        if (PAIRS) {
            // Coming from the greatest vertex, the first w is that of the oldest cofacet.
            u32 found = ~0u;
            for (u32 v = tile.n; v > first_top + 1 && !__all_sync(ALL, decided); v--) {
                const Rank m = greater(reach[v - 1], row[v - 1]);
                if (m == ABSENT) continue;
                if (!decided && greater(m, matrix[(u64)(v - 1) * tile.stride + x]) <= diameter) {
                    found = v - 1;
                    decided = true;
                }
            }
            if (found != ~0u) {
                const Simplex simplex = {last, x, diameter, tops_rank};
                emit_cofacet(s, tile, job, simplex, found);
            }
        } else {
#pragma unroll
            for (u32 c = 0; c < CANDIDATES; c++) {
                if (c >= candidates || __all_sync(ALL, decided)) break;
                const Rank m = greater(w_reach[c], matrix[(u64)w[c] * tile.stride + x]);
                decided = decided || m <= diameter;
            }
        }
        u32 pending = __ballot_sync(ALL, !decided);
        if (!PAIRS && exhausted && __popc(pending) > 2) {
            pending = between(tile, matrix, job, reach, s.dim, last, x, diameter, facet, pending);
        }
        tally.simplices += __popc(valid);
        tally.apparent += __popc(valid) - __popc(pending);
        while (pending) {
            const u32 from = __ffs(pending) - 1;
            pending &= pending - 1;
            const Simplex simplex = {last, at + from, (Rank)__shfl_sync(ALL, diameter, from), tops_rank};
            decide<PAIRS>(s, tile, matrix, job, reach, simplex, own_top, facet, PAIRS || exhausted, tally);
        }
    }
}

// All simplices that start with the prefix job.tops, which has this rank and reach, and go on with a vertex in a range.
template <bool PAIRS>
__device__ __noinline__ void sweep_prefix(const Sweep &s, const Tile &tile, const Rank *matrix, Job &job, const Rank *reach,
                                          Rank rank, u32 from_last, u32 to_last, Tally &tally) {
    const u32 tops = s.dim - 1;  // of the prefix
    if (warp() == 0) {
        if (lane() < tops) {
            Rank without = 0;
            for (u32 k = 0; k < tops; k++) {
                const Rank *row = matrix + (u64)job.tops[k] * tile.stride;
                for (u32 l = 0; l < k; l++) {
                    if (k != lane() && l != lane()) without = greater(without, row[job.tops[l]]);
                }
            }
            job.without[lane()] = without;
        }
        if (lane() == 0) job.rank = rank;
        // The vertices nearest to it: one after the other the least (rank, vertex) from the one before on.
        u64 from = 0;
        u32 count = 0;
        while (!PAIRS && count < NEAR) {
            u64 least = ~0ull;
            for (u32 v = tile.top + 1 + lane(); v < tile.n; v += WARP) {
                const u64 key = (u64)reach[v] << 32 | v;
                if (reach[v] != ABSENT && key >= from && key < least) least = key;
            }
            least = warp_least(least);
            if (least == ~0ull) break;
            if (lane() == 0) {
                job.near_w[count] = (u32)least;
                job.near_rank[count] = (Rank)(least >> 32);
            }
            from = least + 1;
            count += 1;
        }
        if (lane() == 0) job.near_count = count;
    }
    __syncthreads();
    if (s.dim == 1) {
        // The prefix is empty and the last top is the tile's.
        if (warp() == 0) sweep_last<PAIRS>(s, tile, matrix, job, reach, tile.top, 0, tally);
    } else {
        for (u32 step = warp(); step < to_last - from_last; step += warps()) {
            const u32 last = to_last - 1 - step;
            const Rank tops_rank = greater(rank, reach[last]);
            if (tops_rank != ABSENT) sweep_last<PAIRS>(s, tile, matrix, job, reach, last, tops_rank, tally);
        }
    }
    __syncthreads();
}

template <bool PAIRS> __device__ void sweep(const Sweep &s) {
    extern __shared__ u32 shared[];
    __shared__ Job job;
    const u64 number = s.end - 1 - blockIdx.x;
    const Tile tile = s.tiles[find_tile(s.tiles, s.tile_count, number)];
    const Rank *matrix = s.ranks + tile.ranks;
    const u32 stride = tile.stride;
    const u32 within = number - tile.first_job;
    const u32 t1 = within;
    // Of the prefix these are fixed.
    const u32 fixed = s.dim < 3 ? s.dim - 1 : 2;
    const Rank *row0 = matrix + (u64)tile.top * stride, *row1 = matrix + (u64)t1 * stride;
    const Rank fixed_rank = fixed == 2 ? row0[t1] : 0;
    if (fixed_rank == ABSENT) return;
    if (threadIdx.x == 0) {
        job.tops[0] = tile.top;
        if (fixed == 2) job.tops[1] = t1;
    }
    Rank *reach = (Rank *)shared;
    for (u32 v = threadIdx.x; v < stride; v += blockDim.x) {
        const Rank m = fixed == 0 ? 0 : fixed == 1 ? row0[v] : greater(row0[v], row1[v]);
        reach[v] = v < tile.n ? m : ABSENT;
    }
    __syncthreads();
    Tally tally = {0, 0, 0};
    if (s.dim <= 3) {
        const u32 from = s.dim == 2 ? within * LASTS : 0;
        const u32 to = s.dim == 2 ? from + (tile.top - from < LASTS ? tile.top - from : LASTS) : t1;
        sweep_prefix<PAIRS>(s, tile, matrix, job, reach, fixed_rank, from, to, tally);
    } else {
        // Depth first, all threads together: at level k the vertex tops[k] < bound[k] is chosen, and a row of reach added.
        u32 bound[MAX_TOPS];
        Rank ranks[MAX_TOPS];
        u32 level = 2;
        bound[2] = t1;
        ranks[2] = fixed_rank;
        while (true) {
            if (bound[level] == 0) {
                if (level == 2) break;
                level -= 1;
                reach -= stride;
                __syncthreads();  // the row given up is about to be written
                continue;
            }
            const u32 top = --bound[level];
            const Rank rank = greater(ranks[level], reach[top]);
            if (rank == ABSENT) continue;
            const Rank *row = matrix + (u64)top * stride;
            if (threadIdx.x == 0) job.tops[level] = top;
            for (u32 v = threadIdx.x; v < stride; v += blockDim.x) reach[stride + v] = greater(reach[v], row[v]);
            __syncthreads();
            if (level == s.dim - 2) {
                sweep_prefix<PAIRS>(s, tile, matrix, job, reach + stride, rank, 0, top, tally);
            } else {
                level += 1;
                reach += stride;
                bound[level] = top;
                ranks[level] = rank;
            }
        }
    }
    if (lane() == 0 && tally.simplices) {
        atomicAdd(&s.counts[SIMPLICES], tally.simplices);
        atomicAdd(&s.counts[APPARENT], tally.apparent);
        if (tally.cleared) atomicAdd(&s.counts[CLEARED], tally.cleared);
    }
}

// Four blocks a multiprocessor: the compiler keeps the number of registers low enough for that.
#define BOUNDS __launch_bounds__(THREADS, 4)

#define SWEEP(NAME, PAIRS)                                                                                          \
    extern "C" __global__ void BOUNDS NAME(const Rank *ranks, const Tile *tiles, const u32 *ids, const u64 *offsets,       \
                                    const u32 *neighbours, const u32 *neighbour_ranks, u64 *counts, u64 *columns,   \
                                    u64 *cofacets, u64 capacity, u64 end, u32 tile_count, u32 dim, u32 vertex_bits, \
                                    u32 partial) {                                                                  \
        const Sweep s = {ranks,    tiles,    ids, offsets,    neighbours, neighbour_ranks, counts, columns,         \
                         cofacets, capacity, end, tile_count, dim,        vertex_bits,     partial};                \
        sweep<PAIRS>(s);                                                                                            \
    }

// Writes the simplices that are neither apparent nor cleared by an apparent pair; with PAIRS the cofacets of the apparent ones too.
SWEEP(rips_sweep, PAIRS_TOO)

// The matrix of a neighbourhood's ranks: a block a tile, a warp a row, a lane a neighbour. In a list of neighbours that is long for
// the tile the tile's vertices are searched for, a lane each: walking along the list of a hub once for each of its neighbours takes
// time that grows with the square of their number.
extern "C" __global__ void rips_tiles(Rank *ranks, const Tile *tiles, const u32 *ids, const u64 *offsets,
                                      const u32 *neighbours, const u32 *neighbour_ranks) {
    const Tile tile = tiles[blockIdx.x];
    Rank *matrix = ranks + tile.ranks;
    const u32 *own = ids + tile.ids;
    for (u64 place = threadIdx.x; place < (u64)tile.n * tile.stride; place += blockDim.x) matrix[place] = ABSENT;
    __syncthreads();
    for (u32 row = warp(); row < tile.n; row += warps()) {
        const u32 id = own[row];
        Rank *out = matrix + (u64)row * tile.stride;
        const u64 begin = offsets[id], end = offsets[id + 1];
        if ((end - begin) / LONG > tile.n) {
            for (u32 v = lane(); v < tile.n; v += WARP) {
                // What is no edge is cut to ABSENT.
                out[v] = (Rank)graph_edge(offsets, neighbours, neighbour_ranks, id, own[v]);
            }
            continue;
        }
        for (u64 place = begin + lane(); place < end; place += WARP) {
            const u32 w = neighbours[place];
            u32 low = 0, high = tile.n;
            while (low < high) {
                const u32 middle = low + (high - low) / 2;
                if (own[middle] < w) low = middle + 1;
                else high = middle;
            }
            if (low < tile.n && own[low] == w) out[low] = (Rank)neighbour_ranks[place];
        }
    }
}
