//! Constants on which a kernel and its launching code must agree, each defined only here.
//!
//! The section of a file of kernels becomes a module of constants for the launching code. `cargo xtask ptx` reads the
//! same sections and defines the constants for the compiler of the kernels (`-DTILE=1024`).

constants! {
    /// `kernels/ecc.cu`.
    ecc {
        /// Columns of voxels that a thread processes simultaneously.
        COLUMNS = 4;
        /// Maximum number of threads in a block.
        BLOCK = 1024;
    }
    /// `kernels/ecc_rows.cu`.
    ecc_rows {
        /// Elements that a block processes in `ecc_heads` and `ecc_rows`, which is also its number of threads.
        TILE = 1024;
    }
    /// `kernels/filtration_construction.cu`.
    filtration_construction {
        /// Number of threads in a block.
        THREADS = 256;
        /// Vertices below the greatest one that a job handles in dimension 2.
        LASTS = 32;
        /// Number of counters of a sweep: simplices, apparent, cleared, undecided, and cofacets of apparent pairs.
        COUNTS = 5;
    }
    /// `kernels/gradient.cu`, and the processor's table of lower stars.
    gradient {
        /// First bit of the faces in a set of the cells around a voxel; lower bits are edges.
        FIRST_FACE = 6;
        /// First bit of the cubes in such a set.
        FIRST_CUBE = 18;
    }
    /// `kernels/leftmost_ones.cu`.
    leftmost_ones {
        /// Entries that a thread processes in `set_leftmost`.
        ROUNDS = 4;
        /// Columns that a block processes in `set_unstable_flags` and `set_unstable`.
        TILE = 1024;
    }
    /// `kernels/smooth.cu`.
    smooth {
        /// Greatest radius for which there are kernels that hold neighbours in registers.
        MOST_RADIUS = 8;
        /// Columns in a tile of a plane.
        WIDE = 64;
        /// Rows in a tile of a plane.
        TALL = 32;
        /// Number of threads in a block that smooths a tile, or lines along the slowest axis.
        THREADS = 256;
        /// Voxels that a thread smooths together along the slowest axis.
        STEP = 4;
    }
    /// `kernels/sort.cu`.
    sort {
        /// Number of threads in a block.
        BLOCK = 256;
        /// Number of keys that a thread moves.
        ROUNDS = 16;
        /// Number of bits in a digit.
        DIGIT_BITS = 8;
    }
    /// `kernels/thinning.cu`.
    thinning {
        /// Side of a tile in pixels.
        SIDE = 64;
        /// Pixels of the window beyond the tile on every side.
        COLLAR = 32;
        /// Maximum number of iterations in a launch.
        MOST = 16;
    }
    /// `kernels/thinning_subfields.cu`.
    thinning_subfields {
        /// Maximum number of threads in a block.
        THREADS = 352;
        /// Voxels of a tile along x.
        SIDE = 64;
        /// Rows of the window beyond the tile on either side.
        COLLAR_Y = 4;
        /// Planes of the window beyond the tile on either side.
        COLLAR_Z = 2;
        /// Words in a row of the window for voxels of the same parity along x.
        PAIRS = 2;
    }
}
