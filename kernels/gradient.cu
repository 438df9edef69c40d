// The discrete gradient of a cubical complex (`cubical::persistence::gradient`): the code of each voxel's lower star.
//
//   gradient_codes   a thread owns a voxel   codes[place] = the number of the set of cells that the voxel owns
//
// A cell is owned by the last of its voxels by key, ties by place. The grid has a rim, of keys of its own, around the image, so that every
// voxel has neighbours along each axis that there is. Numbering: `gradient::table`. The cells of an owned set are
// closed: a face is owned only with both its edges, a cube only with its three faces.
//
// Compiled for FIRST_FACE and FIRST_CUBE of `src/cuda/constants.rs`.

#include "common.cuh"

typedef unsigned char u8;

// Where the voxels of an image lie on the grid. A plane of the image has `rows` rows of `columns` voxels; the grid has strides of its own.
struct Grid {
    const int *keys;
    u64 start, row_stride, plane_stride, rows, columns;

    __device__ __forceinline__ u64 place(u64 voxel) const {
        const u64 line = voxel / columns;
        return start + line / rows * plane_stride + line % rows * row_stride + voxel % columns;
    }
};

// The two axes of a kind of face.
__device__ __forceinline__ u32 lesser_axis(u32 pair) { return pair == 2 ? 1 : 0; }

__device__ __forceinline__ u32 greater_axis(u32 pair) { return pair == 0 ? 1 : 2; }

// The face of a cube that omits an axis.
__device__ __forceinline__ u32 face_of_cube(u32 cube, u32 omitted) {
    const u32 pair = 2 - omitted;
    return 4 * pair + 2 * (cube >> greater_axis(pair) & 1) + (cube >> lesser_axis(pair) & 1);
}

// The cells that a voxel owns, as bits: edges, then faces, then cubes. Of two voxels with equal keys the one at the lesser place is
// earlier, or later if `is_reversed`; no voxel has the greatest key of all.
template <u32 AXES> __device__ __forceinline__ u32 owned_by(const Grid &grid, u64 place, u32 is_reversed) {
    // What the keys at lesser and at greater places are compared with.
    const int lesser = grid.keys[place] + !is_reversed, greater = grid.keys[place] + !!is_reversed;
    const long long strides[3] = {1, (long long)grid.row_stride, (long long)grid.plane_stride};
    u32 owned = 0;
#pragma unroll
    for (u32 edge = 0; edge < 2 * AXES; edge++) {
        const long long step = edge % 2 ? strides[edge / 2] : -strides[edge / 2];
        if (grid.keys[place + step] < (edge % 2 ? greater : lesser)) owned |= 1u << edge;
    }
    const u32 faces = AXES == 3 ? 12 : AXES == 2 ? 4 : 0;
#pragma unroll
    for (u32 face = 0; face < faces; face++) {
        const u32 a = lesser_axis(face / 4), b = greater_axis(face / 4);
        const u32 edges = 1u << (2 * a + face % 2) | 1u << (2 * b + face / 2 % 2);
        const long long step = (face % 2 ? strides[a] : -strides[a]) + (face / 2 % 2 ? strides[b] : -strides[b]);
        if ((owned & edges) == edges && grid.keys[place + step] < (face / 2 % 2 ? greater : lesser)) owned |= 1u << (FIRST_FACE + face);
    }
    const u32 cubes = AXES == 3 ? 8 : 0;
#pragma unroll
    for (u32 cube = 0; cube < cubes; cube++) {
        u32 around = 0;
        long long step = 0;
        for (u32 axis = 0; axis < 3; axis++) {
            around |= 1u << (FIRST_FACE + face_of_cube(cube, axis));
            step += cube >> axis & 1 ? strides[axis] : -strides[axis];
        }
        if ((owned & around) == around && grid.keys[place + step] < (cube / 4 ? greater : lesser)) owned |= 1u << (FIRST_CUBE + cube);
    }
    return owned;
}

// `first` has for each set of faces the number of the first set of cells with these in bits 0 to 15, in 16 to 23 which cubes there can be,
// in 24 to 31 which edges need not be there. `packed` has, by a mask and bits, those of the bits that are in the mask, side by side.
extern "C" __global__ void gradient_codes(const int *keys, u64 start, u64 row_stride, u64 plane_stride, u64 voxels, u64 rows, u64 columns,
                                          u32 axes, u32 is_reversed, const u32 *first, const u8 *packed, u16 *codes) {
    const u64 voxel = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (voxel >= voxels) return;
    const Grid grid{keys, start, row_stride, plane_stride, rows, columns};
    const u64 place = grid.place(voxel);
    const u32 owned = axes == 3   ? owned_by<3>(grid, place, is_reversed)
                      : axes == 2 ? owned_by<2>(grid, place, is_reversed)
                      : axes == 1 ? owned_by<1>(grid, place, is_reversed)
                                  : 0;
    const u32 entry = first[owned >> FIRST_FACE & 0xfff];
    const u32 closed = entry >> 16 & 0xff, free = entry >> 24;
    const u32 cubes = packed[closed << 8 | (owned >> FIRST_CUBE & 0xff)], edges = packed[free << 8 | (owned & 0x3f)];
    codes[place] = (u16)((entry & 0xffff) + (edges << __popc(closed)) + cubes);
}
