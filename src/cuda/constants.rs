//! The numbers on which a kernel and the code that launches it have to agree, each defined here and nowhere else.
//!
//! The section of a file of kernels becomes a module of constants for the code that launches them. `cargo xtask ptx` reads the same
//! sections and defines their numbers for the compiler of the kernels (`-DTILE=1024`).

constants! {
    /// `kernels/ecc.cu`.
    ecc {
        /// Columns of voxels that a thread marches along, side by side.
        COLUMNS = 4;
        /// The greatest number of threads of a block.
        BLOCK = 1024;
    }
    /// `kernels/ecc_rows.cu`.
    ecc_rows {
        /// Places that a block looks at in `ecc_heads` and `ecc_rows`, and so its threads.
        TILE = 1024;
    }
    /// `kernels/filtration_construction.cu`.
    filtration_construction {
        /// Threads of a block.
        THREADS = 256;
        /// Vertices below the greatest one that a job has in dimension 2.
        LASTS = 32;
        /// Numbers that a sweep counts: simplices, apparent, cleared, undecided, and cofacets of apparent pairs.
        COUNTS = 5;
    }
    /// `kernels/gradient.cu`, and the processor's table of lower stars.
    gradient {
        /// The first bit of the faces in a set of the cells around a voxel; those before it are edges.
        FIRST_FACE = 6;
        /// The first bit of the cubes in such a set.
        FIRST_CUBE = 18;
    }
    /// `kernels/leftmost_ones.cu`.
    leftmost_ones {
        /// Entries that a thread looks at in `set_leftmost`.
        ROUNDS = 4;
        /// Columns that a block looks at in `set_unstable_flags` and `set_unstable`.
        TILE = 1024;
    }
    /// `kernels/smooth.cu`.
    smooth {
        /// The greatest radius for which kernels are compiled that hold neighbours in registers.
        MOST_RADIUS = 8;
        /// Columns of a tile of a plane.
        WIDE = 64;
        /// Rows of a tile of a plane.
        TALL = 32;
        /// Threads of a block that smooths a tile, or lines along the slowest axis.
        THREADS = 256;
        /// Voxels that a thread smooths at a time along the slowest axis.
        STEP = 4;
    }
    /// `kernels/sort.cu`.
    sort {
        /// Threads of a block.
        BLOCK = 256;
        /// Keys that a thread moves.
        ROUNDS = 16;
        /// Bits of a digit.
        DIGIT_BITS = 8;
    }
    /// `kernels/thinning.cu`.
    thinning {
        /// Pixels along either side of a tile.
        SIDE = 64;
        /// Pixels of the window beyond the tile, on every side.
        COLLAR = 32;
        /// The greatest number of iterations of a launch.
        MOST = 16;
    }
    /// `kernels/thinning_subfields.cu`.
    thinning_subfields {
        /// The greatest number of threads of a block.
        THREADS = 352;
        /// Voxels of a tile along x.
        SIDE = 64;
        /// Rows of the window beyond the tile, on either side.
        COLLAR_Y = 4;
        /// Planes of the window beyond the tile, on either side.
        COLLAR_Z = 2;
        /// Words of a row of the window that hold voxels of the same parity along x.
        PAIRS = 2;
    }
}
