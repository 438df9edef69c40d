//! Where the voxels of an image come from that is not in memory.

/// Fills a slice with the voxels from the one that has this number in memory order, for several threads at a time; `E` is why it cannot.
pub type ReadAt<'a, T, E> = dyn Fn(usize, &mut [T]) -> Result<(), E> + Sync + 'a;

/// Where the voxels of an image come from; `E` is why they do not.
pub enum Voxels<'a, T, E> {
    /// One after another: fills the front of a slice with the next ones in memory order, and says how many they are; fewer than it holds
    /// only at the end of the image.
    InOrder(&'a mut (dyn FnMut(&mut [T]) -> Result<usize, E> + Send)),
    /// Any voxels, for several threads at a time.
    Anywhere(&'a ReadAt<'a, T, E>),
}
