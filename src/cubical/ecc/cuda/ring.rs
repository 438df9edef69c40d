//! Page-locked memory reused from image to image.

use std::sync::{Mutex, PoisonError};

use crate::cuda::Pinned;

/// Pieces of page-locked memory kept for the next image.
pub(super) struct Ring<T>(Mutex<Vec<Pinned<T>>>);

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Ring(Mutex::new(Vec::new()))
    }
}

impl<T> Ring<T> {
    /// Takes all kept memory.
    pub(super) fn take(&self) -> Vec<Pinned<T>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps memory for the next image and frees any kept before: of images counted concurrently, one's is kept.
    pub(super) fn put(&self, pieces: Vec<Pinned<T>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = pieces;
    }
}
