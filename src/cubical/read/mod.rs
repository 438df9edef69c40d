//! Readers of images.
