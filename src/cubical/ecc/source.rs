//! Sources of the voxels of a streamed image.

/// Fills a slice with voxels from this number on in memory order; may be called by several threads. `E` is its error.
pub type ReadAt<'a, T, E> = dyn Fn(usize, &mut [T]) -> Result<(), E> + Sync + 'a;

/// Source of the voxels of a streamed image; `E` is its error.
pub enum Voxels<'a, T, E> {
    /// Sequential: fills the front of a slice with the next voxels in memory order and returns their number, which is
    /// less than the length only at the end of the image.
    InOrder(&'a mut (dyn FnMut(&mut [T]) -> Result<usize, E> + Send)),
    /// Random access, by several threads at a time.
    Anywhere(&'a ReadAt<'a, T, E>),
}
