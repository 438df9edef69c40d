//! Geometry of point clouds: cycles drawn with the points as vertices.

use super::{CellShape, DrawnCycle, Geometry};
use crate::metric::read::{Input, Place, Problem};
use crate::metric::{Distances, PointCloud, Value};
use crate::rips::Representatives;

/// The problem of cycles that cannot be drawn.
fn undrawable(expected: impl Into<String>, found: impl std::fmt::Display) -> Problem {
    Problem::new(Place::Named("geometry".to_owned()), expected, found)
}

/// Coordinates at which the points of a cloud are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct CloudCoordinates(pub(super) Vec<[f64; 3]>);

impl CloudCoordinates {
    /// Coordinates of the points.
    #[cfg(feature = "plots")]
    pub(crate) fn points(&self) -> &[[f64; 3]] {
        &self.0
    }

    /// Takes the coordinates along two or three `axes`, 0-based, or along all axes if none is given. For two axes the
    /// third coordinate is 0.
    ///
    /// # Errors
    /// [`Problem`]: the input has no coordinates, lacks one of the axes, or would have to be drawn with other
    /// than 2 or 3.
    pub fn of(input: &Input, axes: &[usize]) -> Result<Self, Problem> {
        let found = match input {
            Input::Single(Distances::Points(points)) => return CloudCoordinates::of_points(points, axes),
            Input::Double(Distances::Points(points)) => return CloudCoordinates::of_points(points, axes),
            Input::Single(Distances::Matrix(_)) | Input::Double(Distances::Matrix(_)) => {
                "a matrix of distances"
            }
            Input::Single(Distances::Sparse(_)) | Input::Double(Distances::Sparse(_)) => "a list of edges",
        };
        Err(undrawable("points, which have coordinates", found))
    }

    fn of_points<T: Value>(points: &PointCloud<T>, axes: &[usize]) -> Result<Self, Problem> {
        let coordinates = points.dimension();
        let all: Vec<usize> = (0..coordinates).collect();
        let axes = if axes.is_empty() { &all } else { axes };
        if !matches!(axes.len(), 2 | 3) {
            let expected = "points with 2 or 3 coordinates, or a choice of so many";
            return Err(undrawable(expected, axes.len().to_string()));
        }
        if let Some(&axis) = axes.iter().find(|&&axis| axis >= coordinates) {
            let expected = format!("axes below {coordinates}, the number of coordinates");
            return Err(undrawable(expected, axis.to_string()));
        }
        let at = |point| {
            let mut at = [0.0; 3];
            at.iter_mut().zip(axes).for_each(|(x, &axis)| *x = points.point(point)[axis].into());
            at
        };
        Ok(CloudCoordinates((0..points.len()).map(at).collect()))
    }
}

impl Geometry {
    /// Draws the cycles of the bars of a point cloud. Bars of dimension 0 have none.
    ///
    /// ```
    /// use lacuna::metric::PointCloud;
    /// use lacuna::metric::read::Input;
    /// use lacuna::output::geometry::{CloudCoordinates, Geometry, GeometryFormat};
    /// use lacuna::rips::{RepresentativeKind, RepresentativesRequest, RipsOptions};
    ///
    /// let square: Input = PointCloud::new(2, vec![0.0f32, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?.into();
    /// let coordinates = CloudCoordinates::of(&square, &[])?;
    /// let representatives = Some(RepresentativesRequest::of([RepresentativeKind::Cycles]));
    /// let outcome = RipsOptions { representatives, ..RipsOptions::default() }.solve(square, &())?;
    /// let geometry = Geometry::of_cloud(outcome.representatives().expect("they were asked for"), &coordinates)?;
    /// assert_eq!(geometry.cycles()[0].len(), 4);
    /// let mut file = Vec::new();
    /// GeometryFormat::Obj.write(&geometry, &mut file)?;
    /// assert!(String::from_utf8(file)?.contains("o bar_1_0\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Problem`]: a cycle has dimension 3 or more.
    ///
    /// # Panics
    /// A representative has a vertex that is not among the points.
    pub fn of_cloud(
        representatives: &Representatives,
        coordinates: &CloudCoordinates,
    ) -> Result<Geometry, Problem> {
        let mut cycles = Vec::new();
        for found in representatives.iter() {
            let Some(cycle) = found.cycle.as_deref() else { continue };
            let shape = match cycle.dimension() {
                1 => CellShape::Edge,
                2 => CellShape::Triangle,
                dim => {
                    let expected = "cycles of dimension 1 or 2, which edges and triangles draw";
                    return Err(undrawable(expected, format!("one of dimension {dim}")));
                }
            };
            let mut drawn = DrawnCycle::new(found.dim, found.index, found.bar.birth, found.bar.death, shape);
            for (simplex, coefficient) in cycle.iter() {
                let corners: Vec<u64> = simplex.iter().map(|&vertex| vertex.into()).collect();
                drawn.push(&corners, coefficient);
            }
            cycles.push(drawn);
        }
        // Vertices are places in the cloud.
        Ok(Geometry::new(cycles, |number| coordinates.0[number as usize]))
    }
}
