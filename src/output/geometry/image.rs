//! Geometry of images: cycles drawn as edges and faces between voxels, or around them.
//!
//! The vertices of a complex form an array: in the V-construction the voxels, in the T-construction the corners of
//! voxels, one more along each axis of more than one voxel. A periodic axis ends with its first vertex once more, so
//! that what crosses the end of the image is drawn there, beside the last voxel. The number of a vertex is its place in
//! this array, the last axis fastest, as NumPy's `ravel` orders it, for any order of the image in memory.

use super::{CellShape, DrawnCycle, Geometry};
use crate::cubical::persistence::Class;
use crate::cubical::persistence::representatives::Representatives;
use crate::cubical::{AnyImage, Construction, CubicalError};

/// The vertices along an axis of the user's array.
#[derive(Debug, Clone, Copy)]
struct Axis {
    count: u64,
    /// Twice the coordinate of the first vertex; vertices are 1 apart.
    first: i32,
    /// Whether the axis is drawn along x, y or z: at most three are.
    is_drawn: bool,
}

/// The vertices of the complex of an image, by axis.
struct Vertices(Vec<Axis>);

impl Vertices {
    fn new(representatives: &Representatives) -> Self {
        let extents = representatives.shape().axes();
        let axis = |(axis, &voxels): (usize, &usize)| {
            let is_cornered = representatives.construction() == Construction::T && voxels > 1;
            let is_periodic = representatives.periodic().axes().any(|periodic| periodic == axis);
            Axis {
                count: voxels as u64 + u64::from(is_cornered || is_periodic),
                first: -i32::from(is_cornered),
                // An image has at most three axes of more than one voxel.
                is_drawn: extents.len() <= 3 || voxels > 1,
            }
        };
        Vertices(extents.iter().enumerate().map(axis).collect())
    }

    /// The number of the vertex whose doubled coordinates are `corner`.
    fn number(&self, corner: &[i32]) -> u64 {
        let places = self.0.iter().zip(corner);
        // No coordinate is below that of the first vertex.
        places.fold(0, |number, (axis, &at)| number * axis.count + ((at - axis.first) / 2) as u64)
    }

    /// Coordinates of the vertex of a number.
    fn coordinates(&self, number: u64) -> [f64; 3] {
        let (mut at, mut rest) = ([0.0; 3], number);
        let mut drawn = self.0.iter().filter(|axis| axis.is_drawn).count();
        for axis in self.0.iter().rev() {
            if axis.is_drawn {
                drawn -= 1;
                at[drawn] = f64::from(axis.first) / 2.0 + (rest % axis.count) as f64;
            }
            rest /= axis.count;
        }
        at
    }
}

impl Geometry {
    /// Draws the cycles of the bars of an image, loops as edges and shells as quadrilaterals. With `superlevel`,
    /// essential bars die at minus infinity. Bars of dimension 0, and the torus itself, are not drawn.
    ///
    /// Voxel (i, j, k) has its centre at the point (i, j, k): x, y and z are the axes of the image in order; for an
    /// image of more than three axes, those of more than one voxel. Missing coordinates are 0.
    ///
    /// ```
    /// use lacuna::BarSelection;
    /// use lacuna::cubical::persistence::PersistenceRequest;
    /// use lacuna::cubical::{AnyImage, Construction, Cubical};
    /// use lacuna::output::geometry::Geometry;
    ///
    /// // A ring of ones around a nine.
    /// let image = AnyImage::from_slice(&[1_u8, 1, 1, 1, 9, 1, 1, 1, 1], &[3, 3])?;
    /// let request = PersistenceRequest { construction: Construction::V, ..PersistenceRequest::default() };
    /// let cubical = Cubical { representatives: Some(BarSelection::All), ..Cubical::new(&image, request) };
    /// let run = cubical.solve(&())?;
    /// let geometry = Geometry::of_image(&run.representatives.expect("they were asked for"), &image, false)?;
    /// assert_eq!((geometry.cycles().len(), geometry.cycles()[0].len()), (1, 8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CubicalError`]: the image has four axes; or a bar is born or dies at an integer that is not exact as a double.
    ///
    /// # Panics
    /// The representatives belong to a larger image.
    pub fn of_image(
        representatives: &Representatives,
        image: &AnyImage,
        superlevel: bool,
    ) -> Result<Geometry, CubicalError> {
        representatives.shape().check_three()?;
        let vertices = Vertices::new(representatives);
        let end = if superlevel { f64::NEG_INFINITY } else { f64::INFINITY };
        let value = |place: usize| image.exact(place).exact_double();
        let mut cycles = Vec::new();
        for found in representatives.iter() {
            let shape = match found.dim {
                1 => CellShape::Edge,
                2 => CellShape::Quadrilateral,
                _ => continue,
            };
            let Class { birth, death } = found.class;
            let (birth, death) = (value(birth)?, death.map_or(Ok(end), value)?);
            let mut drawn = DrawnCycle::new(found.dim, found.index, birth, death, shape);
            for cell in found.cells.iter() {
                let corners = representatives.corners(cell);
                let corners: Vec<u64> = corners.iter().map(|corner| vertices.number(corner)).collect();
                drawn.push(&corners, 1);
            }
            cycles.push(drawn);
        }
        Ok(Geometry::new(cycles, |number| vertices.coordinates(number)))
    }
}
