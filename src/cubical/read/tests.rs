//! What is read as what, and what is refused, format by format.

use super::*;
use crate::cubical::{Image, Order, Shape, Voxel as _};

mod nifti;
mod pictures;
mod pipes;
mod plain;
mod text;

fn load(name: &str, file: &[u8], format: Option<Format>) -> Result<AnyImage, String> {
    read_bytes(name, file, &Options { format, raw: None }).map_err(|error| error.to_string())
}

fn image<T>(axes: &[usize], order: Order, voxels: Vec<T>) -> Image<T> {
    Image::new(Shape::new(axes, order).unwrap(), voxels).unwrap()
}

/// Asserts that the file is refused with this message, to which the name and the format are added.
#[track_caller]
fn refused(file: &[u8], format: Format, message: &str) {
    let expected = format!("file: {message} (format {format})");
    assert_eq!(load("file", file, Some(format)).unwrap_err(), expected);
}
