//! Thinning: the skeleton of a binary image.
//!
//! Foreground is deleted at its border, iteration by iteration, until nothing changes; the foreground is 8-connected in the
//! plane and 26-connected in space, the background 4- and 6-connected, and what is outside the image is background.
//!
//! In the plane the first axis of the array, as its user indexes it, runs through the rows and the second through the columns, in
//! every format: the skeleton of `image[i, j]` is the same whether the file holds it in C or in Fortran order. Axes of one voxel are left
//! out, so an array of shape (n, m, 1), (n, 1, m) or (1, n, m) is a plane.
//!
//! | rule | source | an iteration | keeps topology | module |
//! |---|---|---|---|---|
//! | `guo-hall`, the default in the plane | Guo, Hall 1989 | two subiterations | yes | [`guo_hall`] |
//! | `zhang-suen` | Zhang, Suen 1984 | two subiterations | no | [`zhang_suen`] |
//! | `kashani` | Kashani-Akhavan 2017 | one | no: isolated 2×2 blocks vanish | [`kashani`] |
//! | `kashani-safe` | the same, one pixel of such a block stays | one | yes | [`kashani`] |
//! | `subfields`, the default in space | simple points: Bertrand, Malandain 1994 | eight subfields | yes | [`subfields`] |
//!
//! To keep topology is to keep the Betti numbers: components, holes or tunnels, cavities. For the rules of the plane it
//! follows from Ronse's conditions on an operator that decides all pixels at once (1988): deleted pixels are simple, so is
//! each of two deleted 4-neighbours after the other has gone, and no component inside a 2×2 square goes as a whole. The
//! tests check them on every window a rule can see. For `subfields` it follows from the definition.
//!
//! [`binary`] says what is foreground of an image of values, [`topology`] compares a skeleton with its image, [`two_valued`]
//! thins an image before its barcode is computed.
//!
//! A rule is a Boolean formula on words of 64 voxels (`window`, `simple`); what runs it over an image is
//! `planar` and [`subfields`], which are one of two ways: a device would take a [`BitImage`] and give one back in the
//! same way, from the same formulas. [`plain`] is the rules voxel by voxel, and what the tests hold against everything else.

pub mod binary;
mod bits;
mod cpu;
pub mod cuda;
mod figures;
pub mod footprint;
pub mod guo_hall;
pub mod kashani;
pub mod machine;
pub mod plain;
mod planar;
mod request;
mod rule;
mod simple;
pub mod subfields;
#[cfg(test)]
mod tests;
pub mod topology;
pub mod two_valued;
mod window;
pub mod zhang_suen;

pub use bits::BitImage;
pub use cpu::thin;
pub use figures::{Pass, ThinningFigures};
pub use request::{ThinError, ThinningRequest};
pub use rule::Rule;
