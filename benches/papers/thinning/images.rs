//! Binary images.

use lacuna::cubical::thinning::BitImage;
use lacuna::cubical::{Image, Order, Shape};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use crate::Failure;

/// A square of foreground.
pub fn black(side: usize) -> Result<BitImage, Failure> {
    Ok(BitImage::new(Shape::new(&[side, side], Order::C)?).inverted())
}

/// The region where a sum of random waves exceeds a level: blobs, or with a level below zero a net.
pub fn blobs(rows: usize, columns: usize, level: f64, seed: u64) -> Result<Image<u8>, Failure> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let waves: Vec<[f64; 3]> =
        (0..12).map(|_| [-0.1..0.1, -0.1..0.1, 0.0..6.3].map(|range| rng.random_range(range))).collect();
    let mut voxels = vec![0; rows * columns];
    voxels.par_chunks_mut(columns).enumerate().for_each(|(y, row)| {
        for (x, voxel) in row.iter_mut().enumerate() {
            let wave = |[v, u, phase]: &[f64; 3]| (v * y as f64 + u * x as f64 + phase).sin();
            *voxel = if waves.iter().map(wave).sum::<f64>() > level { 255 } else { 0 };
        }
    });
    Ok(Image::new(Shape::new(&[rows, columns], Order::C)?, voxels)?)
}

/// The part of an image next to its first pixel.
pub fn corner(image: &BitImage, most: usize) -> Result<BitImage, Failure> {
    let [_, rows, columns] = image.shape().extents();
    let few = [rows.min(most), columns.min(most)];
    let pixel = |place: usize| u8::from(image.get(place / few[1] * columns + place % few[1]));
    let voxels = (0..few[0] * few[1]).map(pixel).collect();
    Ok(BitImage::of(&Image::new(Shape::new(&few, Order::C)?, voxels)?, |voxel| voxel == 1))
}
