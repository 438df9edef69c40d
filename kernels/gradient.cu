// The discrete gradient of a cubical complex (`cubical::persistence::gradient`): the code of each voxel's lower star.
//
//   gradient_codes   a thread owns a voxel   codes[place] = the number of the set of cells that the voxel owns
//
// A cell is owned by the last of its voxels by key, ties by place. The grid has a rim around the image, so that every voxel has neighbours
// along each axis that there is. Its keys are its own, or along a periodic axis those of the voxels at the other end. Numbering: `gradient::table`. The cells of an owned set are
// closed: a face is owned only with both its edges, a cube only with its three faces.
//
// Compiled for FIRST_FACE and FIRST_CUBE of `src/cuda/constants.rs`.

#include "common.cuh"

typedef unsigned char u8;

// A voxel of an image of `rows` rows of `columns` voxels a plane, on a grid that has strides of its own.
struct Voxel {
    const int *keys;
    long long strides[3];
    u64 place;
    // What the keys of the neighbours before and after along each axis are compared with. For one along several axes the greatest decides.
    int limits[3][2];
};

// The two axes of a kind of face.
__device__ __forceinline__ u32 lesser_axis(u32 pair) { return pair == 2 ? 1 : 0; }

__device__ __forceinline__ u32 greater_axis(u32 pair) { return pair == 0 ? 1 : 2; }

// The face of a cube that omits an axis.
__device__ __forceinline__ u32 face_of_cube(u32 cube, u32 omitted) {
    const u32 pair = 2 - omitted;
    return 4 * pair + 2 * (cube >> greater_axis(pair) & 1) + (cube >> lesser_axis(pair) & 1);
}

// The cells that a voxel owns, as bits: edges, then faces, then cubes.
template <u32 AXES> __device__ __forceinline__ u32 owned_by(const Voxel &voxel) {
    const long long *strides = voxel.strides;
    const int *keys = voxel.keys + voxel.place;
    u32 owned = 0;
#pragma unroll
    for (u32 edge = 0; edge < 2 * AXES; edge++) {
        const long long step = edge % 2 ? strides[edge / 2] : -strides[edge / 2];
        if (keys[step] < voxel.limits[edge / 2][edge % 2]) owned |= 1u << edge;
    }
    const u32 faces = AXES == 3 ? 12 : AXES == 2 ? 4 : 0;
#pragma unroll
    for (u32 face = 0; face < faces; face++) {
        const u32 a = lesser_axis(face / 4), b = greater_axis(face / 4);
        const u32 edges = 1u << (2 * a + face % 2) | 1u << (2 * b + face / 2 % 2);
        const long long step = (face % 2 ? strides[a] : -strides[a]) + (face / 2 % 2 ? strides[b] : -strides[b]);
        if ((owned & edges) == edges && keys[step] < voxel.limits[b][face / 2 % 2]) owned |= 1u << (FIRST_FACE + face);
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
        if ((owned & around) == around && keys[step] < voxel.limits[2][cube / 4]) owned |= 1u << (FIRST_CUBE + cube);
    }
    return owned;
}

// Of two voxels with equal keys the one at the lesser place is earlier, or later if `is_reversed`; no voxel has the greatest key of all. Bit
// k of `periodic` says that the grid closes up along axis k, where the neighbour before the first voxel is at a greater place, and the one
// after the last at a lesser. `first` has for each set of faces the number of the first set of cells with these in bits 0 to 15, in 16 to 23 which cubes there can be,
// in 24 to 31 which edges need not be there. `packed` has, by a mask and bits, those of the bits that are in the mask, side by side.
extern "C" __global__ void gradient_codes(const int *keys, u64 start, u64 row_stride, u64 plane_stride, u64 planes, u64 rows, u64 columns,
                                          u32 axes, u32 is_reversed, u32 periodic, const u32 *first, const u8 *packed, u16 *codes) {
    const u64 number = (u64)blockIdx.x * blockDim.x + threadIdx.x, line = number / columns;
    if (line >= planes * rows) return;
    const u64 at[3] = {number % columns, line % rows, line / rows}, extents[3] = {columns, rows, planes};
    Voxel voxel{keys, {1, (long long)row_stride, (long long)plane_stride}, start + at[2] * plane_stride + at[1] * row_stride + at[0]};
    const u64 place = voxel.place;
#pragma unroll
    for (u32 axis = 0; axis < 3; axis++) {
        const bool closes_up = periodic >> axis & 1;
        const bool is_lesser_before = !closes_up || at[axis] > 0, is_lesser_after = closes_up && at[axis] + 1 == extents[axis];
        voxel.limits[axis][0] = keys[place] + (is_lesser_before != !!is_reversed);
        voxel.limits[axis][1] = keys[place] + (is_lesser_after != !!is_reversed);
    }
    const u32 owned = axes == 3 ? owned_by<3>(voxel) : axes == 2 ? owned_by<2>(voxel) : axes == 1 ? owned_by<1>(voxel) : 0;
    const u32 entry = first[owned >> FIRST_FACE & 0xfff];
    const u32 closed = entry >> 16 & 0xff, free = entry >> 24;
    const u32 cubes = packed[closed << 8 | (owned >> FIRST_CUBE & 0xff)], edges = packed[free << 8 | (owned & 0x3f)];
    codes[place] = (u16)((entry & 0xffff) + (edges << __popc(closed)) + cubes);
}
