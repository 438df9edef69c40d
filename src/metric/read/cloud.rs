//! `point-cloud`: one point per line of text.
//!
//! Every line has the same number of finite coordinates; lines without a number are skipped. A single point is a valid
//! cloud.

use super::error::Problem;
use super::text::Table;
use crate::metric::PointCloud;

/// Makes the points from the numbers of `text`.
pub(super) fn read(text: &[u8], table: Table) -> Result<PointCloud<f32>, Problem> {
    table.check_any(text)?;
    table.check_values(text, "a finite coordinate", f32::is_finite)?;
    let dimension = table.check_width(text)?;
    PointCloud::new(dimension, table.values).map_err(super::metric_problem)
}
