//! Thinning: the skeleton of a binary image.
//!
//! Foreground is deleted at its border, iteration by iteration, until nothing changes. The foreground is 8-connected in
//! the plane and 26-connected in space, the background 4- and 6-connected. Outside the image is background.
//!
//! In the plane the first axis of the array, as its user indexes it, numbers the rows and the second the columns, in
//! every format: the skeleton of `image[i, j]` does not depend on whether the file is in C or in Fortran order. Axes of
//! one voxel are ignored, so an array of shape (n, m, 1), (n, 1, m) or (1, n, m) is a plane.
//!
//! | rule | source | an iteration | preserves topology | module |
//! |---|---|---|---|---|
//! | `guo-hall`, default in the plane | Guo, Hall 1989 | two subiterations | yes | [`guo_hall`] |
//! | `zhang-suen` | Zhang, Suen 1984 | two subiterations | no | [`zhang_suen`] |
//! | `kashani` | Kashani-Akhavan 2017 | one | no: isolated 2×2 blocks vanish | [`kashani`] |
//! | `kashani-safe` | the same, but keeps one pixel of such a block | one | yes | [`kashani`] |
//! | `subfields`, default in space | simple points: Bertrand, Malandain 1994 | eight subfields | yes | [`subfields`] |
//!
//! To preserve topology is to preserve the Betti numbers: components, holes or tunnels, cavities. For planar rules it
//! follows from Ronse's conditions on an operator that decides all pixels at once (1988): each deleted pixel is simple;
//! of two deleted 4-neighbours, each is simple after the other is deleted; and no component inside a 2×2 square is
//! deleted as a whole. The tests check them on every window that a rule can see. For `subfields` it follows from the
//! definition.
//!
//! [`binary`] selects the foreground of an image of values, [`topology`] compares a skeleton with its image, and
//! [`two_valued`] thins an image before its barcode is computed, and [`graph`] turns a skeleton into nodes and
//! branches.
//!
//! A rule is a Boolean formula on words of 64 voxels (`window`, `simple`); `planar` and [`subfields`] apply it to an
//! image on the CPU, and [`cuda`] applies the same formulas on a GPU. [`plain`] has the rules voxel by voxel, as the
//! reference for tests.

pub mod binary;
mod bits;
mod cpu;
pub mod cuda;
mod dispatch;
pub mod footprint;
pub mod graph;
pub mod guo_hall;
pub mod kashani;

pub mod plain;
mod planar;
mod request;
mod rule;
mod simple;
mod statistics;
pub mod subfields;
#[cfg(test)]
mod tests;
pub mod topology;
pub mod two_valued;
mod window;
pub mod zhang_suen;

pub use bits::BitImage;
pub use cpu::thin;
pub use dispatch::{MachineError, compare, thin_by};
pub use request::{ThinError, ThinningRequest};
pub use rule::Rule;
pub use statistics::{Pass, ThinningStatistics};
