//! What a reduction will do.

/// The algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Scan, clearing and compression, then SS+ (Zhang et al. 2019).
    Hypha,
    /// Scan, clearing and compression, then twist (Zhang et al. 2019).
    HyphaTwist,
    /// The spectral sequence with tiles or columns as tasks, by load (Zhang et al. 2019).
    SsPlus,
    /// The spectral sequence, stripes in parallel (Edelsbrunner, Harer 2010; Bauer, Kerber, Reininghaus 2014).
    SpectralSequence,
    /// Columns of descending dimension, with clearing (Chen, Kerber 2011).
    Twist,
    /// Columns left to right (Edelsbrunner, Letscher, Zomorodian 2002).
    Standard,
    /// Rows bottom up (de Silva, Morozov, Vejdemo-Johansson 2011).
    Row,
    /// Chunks in parallel, compression, then the rest (Bauer, Kerber, Reininghaus 2014).
    Chunk,
    /// All columns at once, each pivot claimed by compare and exchange (Morozov, Nigmetov 2020).
    LockFree,
}

/// The representations of a working column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Representation {
    /// A tree of bit sets, 64 children a node.
    #[default]
    BitTree,
    /// A binary heap that cancels equal rows as they come up.
    Heap,
    /// A bit a row, and a heap of the rows that were touched.
    Full,
    /// An ordered set of rows.
    Sparse,
    /// A sorted vector.
    Vector,
}

/// Whether to reduce the anti-transpose instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dualize {
    /// Where it is less work.
    #[default]
    Auto,
    /// Yes.
    On,
    /// No.
    Off,
}

/// What [`super::reduce`] will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The working columns.
    pub columns: Representation,
    /// Whether the anti-transpose is reduced instead. The pairs are those of the matrix either way.
    pub dualize: bool,
    /// The number of threads.
    pub threads: usize,
}
