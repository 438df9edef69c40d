//! Many marks as a hexagonal histogram, shaded by the logarithm of the count.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::canvas::{Canvas, Segment, polygon};
use super::palette;

/// Radius of a hexagon in pixels.
const RADIUS: f64 = 2.6;

/// Number of shades.
pub(super) const SHADES: usize = 24;

/// Number of marks in each hexagon of a panel; hexagons by row and column.
#[derive(Debug, Default)]
pub(super) struct Hexagons(HashMap<(i32, i32), usize>);

impl Hexagons {
    /// Counts marks.
    pub(super) fn of(marks: impl IntoIterator<Item = (f64, f64)>) -> Hexagons {
        let mut counts = HashMap::new();
        for (x, y) in marks {
            *counts.entry(cell(x, y)).or_insert(0) += 1;
        }
        Hexagons(counts)
    }

    /// Greatest count of a hexagon.
    pub(super) fn most(&self) -> usize {
        self.0.values().copied().max().unwrap_or(0)
    }

    /// Draws the hexagons; `most` marks have the darkest shade.
    pub(super) fn draw(&self, canvas: &mut Canvas, label: &str, most: usize) {
        let mut shades: BTreeMap<usize, Vec<(i32, i32)>> = BTreeMap::new();
        for (&cell, &count) in &self.0 {
            shades.entry((share(count, most) * (SHADES - 1) as f64).round() as usize).or_default().push(cell);
        }
        for (shade, mut cells) in shades {
            // The order in a hash table is arbitrary.
            cells.sort_unstable();
            let outline: Vec<Segment> = cells.iter().flat_map(|&cell| hexagon(cell)).collect();
            let share = shade as f64 / (SHADES - 1) as f64;
            canvas.fill("density", label, outline, palette::density(share));
        }
    }
}

/// Share of the darkest shade, that of `most` marks, for a count of marks.
pub(super) fn share(count: usize, most: usize) -> f64 {
    (count as f64).ln() / (most.max(2) as f64).ln()
}

/// Distance of centres within a row, and distance of rows.
fn pitch() -> (f64, f64) {
    (3f64.sqrt() * RADIUS, 1.5 * RADIUS)
}

fn centre((row, column): (i32, i32)) -> (f64, f64) {
    let (across, down) = pitch();
    let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
    ((f64::from(column) + shift) * across, f64::from(row) * down)
}

/// The hexagon of a point: that of the nearest centre, which is in one of the two rows around the point.
fn cell(x: f64, y: f64) -> (i32, i32) {
    let (across, down) = pitch();
    let row = (y / down).floor() as i32;
    let candidate = |row: i32| {
        let shift = if row % 2 == 0 { 0.0 } else { 0.5 };
        (row, (x / across - shift).round() as i32)
    };
    let distance = |cell: (i32, i32)| {
        let (cx, cy) = centre(cell);
        (cx - x).powi(2) + (cy - y).powi(2)
    };
    let (upper, lower) = (candidate(row), candidate(row + 1));
    if distance(upper) <= distance(lower) { upper } else { lower }
}

fn hexagon(cell: (i32, i32)) -> Vec<Segment> {
    let (x, y) = centre(cell);
    // Slightly enlarged, so that no white line is left between neighbours.
    let radius = RADIUS * 1.03;
    let corner = |k: i32| {
        let (sin, cos) = (60.0 * f64::from(k) - 90.0).to_radians().sin_cos();
        (x + radius * cos, y + radius * sin)
    };
    polygon(&(0..6).map(corner).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_go_to_the_nearest_centre() {
        for k in 0..2000 {
            let (x, y) = (f64::from(k * 37 % 997) / 9.7, f64::from(k * 61 % 991) / 9.9);
            let found = centre(cell(x, y));
            let distance = |(cx, cy): (f64, f64)| (cx - x).hypot(cy - y);
            let nearest = (-2..40)
                .flat_map(|row| (-2..40).map(move |column| (row, column)))
                .map(|cell| distance(centre(cell)))
                .fold(f64::INFINITY, f64::min);
            assert!((distance(found) - nearest).abs() < 1e-9, "({x}, {y})");
        }
    }

    #[test]
    fn every_mark_is_counted() {
        let hexagons = Hexagons::of((0..1000).map(|k| (f64::from(k % 10), 0.0)));
        assert_eq!(hexagons.0.values().sum::<usize>(), 1000);
        assert!(hexagons.most() >= 100);
    }
}
