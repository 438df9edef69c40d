//! Page-locked memory that is kept from image to image.

use std::sync::{Mutex, PoisonError};

use crate::cuda::Pinned;

/// Memory that is kept from image to image.
pub(super) struct Ring<T>(Mutex<Vec<Pinned<T>>>);

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Ring(Mutex::new(Vec::new()))
    }
}

impl<T> Ring<T> {
    /// All that is there.
    pub(super) fn take(&self) -> Vec<Pinned<T>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps memory for the next image. What is kept already is freed: where two images are counted at a time, the memory of one is kept.
    pub(super) fn put(&self, pieces: Vec<Pinned<T>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = pieces;
    }
}
