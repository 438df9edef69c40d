//! Persistence, curves, skeletons and cycles of images, and their files.

mod papers;
mod persistence;
mod read;
mod representatives;
