//! `point-cloud`: a point a line as text.
//!
//! Every line has the same number of coordinates, all of them finite; lines without a number are skipped. One
//! point is a cloud.

use super::error::Problem;
use super::text::Table;
use crate::metric::PointCloud;

/// The points that a table of `text` holds.
pub(super) fn read(text: &[u8], table: Table) -> Result<PointCloud<f32>, Problem> {
    table.check_any(text)?;
    table.check_values(text, "a finite coordinate", f32::is_finite)?;
    let dimension = table.check_width(text)?;
    PointCloud::new(dimension, table.values).map_err(super::metric_problem)
}
