//! Points and images of known shapes.

use lacuna::cubical::AnyImage;
use lacuna::generate::{Cloud, Field, Scene, Space};
use lacuna::progress::interruptible;
use lacuna::with_image;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::choices::named;
use crate::error::Failure;
use crate::rips::{collected, rows};
use crate::run::on_threads;

/// Returns points of a space, one per row.
#[pyfunction]
pub(crate) fn generate_points<'py>(
    py: Python<'py>,
    space: &str,
    points: usize,
    noise: f64,
    dimension: Option<usize>,
    clusters: Option<usize>,
    seed: u64,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let space = named("name", &Space::ALL, space)?;
    let usual = Cloud::new(space, points);
    let cloud = Cloud { seed, noise, dimension, clusters: clusters.unwrap_or(usual.clusters), ..usual };
    let (width, coordinates) = on_threads(py, None, None, |progress| {
        let drawn = interruptible::<_, Failure>(progress, |progress| Ok(cloud.draw_watched(progress)?))?;
        let coordinates = (0..drawn.len()).flat_map(|point| drawn.point(point)).copied();
        let count = drawn.len().saturating_mul(drawn.dimension());
        Ok((drawn.dimension(), collected(count, coordinates)?))
    })?;
    rows(py, width, coordinates)
}

/// Returns the voxels of a scene, the last axis fastest.
#[pyfunction]
pub(crate) fn generate_image<'py>(
    py: Python<'py>,
    scene: &str,
    shape: Vec<usize>,
    scale: Option<f64>,
    density: Option<f64>,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let scene = named("name", &Scene::ALL, scene)?;
    let usual = Field::new(scene, &shape);
    let (scale, density) = (scale.unwrap_or(usual.scale), density.unwrap_or(usual.density));
    let field = Field { seed, scale, density, ..usual };
    let image = on_threads(py, None, None, |progress| {
        interruptible(progress, |progress| Ok(field.draw_watched(progress)?))
    })?;
    Ok(voxels(py, image))
}

/// The voxels of an image in memory order, as an array of one axis.
pub(crate) fn voxels(py: Python<'_>, image: AnyImage) -> Bound<'_, PyAny> {
    with_image!(image, image => PyArray1::from_vec(py, image.into_voxels()).into_any())
}
