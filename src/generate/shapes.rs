//! Points of the shapes, by their parameters.

use libm::{cos, sin, sqrt};

use super::sample::euclidean;

/// The point at an angle on a circle around the origin: r (cos φ, sin φ).
pub fn on_circle(angle: f64, radius: f64) -> [f64; 2] {
    [radius * cos(angle), radius * sin(angle)]
}

/// The point of the unit sphere at a height z and an angle φ: (√(1 − z²) cos φ, √(1 − z²) sin φ, z). Uniform heights
/// and angles give uniform points.
pub fn on_sphere(height: f64, angle: f64) -> [f64; 3] {
    let [x, y] = on_circle(angle, sqrt(1.0 - height * height));
    [x, y, height]
}

/// The point of the torus with core radius `core`, R, and tube radius `tube`, r, at the angle θ around the tube and
/// the angle φ around the core: ((R + r cos θ) cos φ, (R + r cos θ) sin φ, r sin θ).
pub fn on_torus(around_tube: f64, around_core: f64, core: f64, tube: f64) -> [f64; 3] {
    let [out, z] = on_circle(around_tube, tube);
    let [x, y] = on_circle(around_core, core + out);
    [x, y, z]
}

/// The point of the Klein bottle in R⁴, a tube of radius r around a circle of radius R that makes half a turn along
/// it: ((R + r cos θ) cos φ, (R + r cos θ) sin φ, r sin θ cos φ/2, r sin θ sin φ/2).
pub fn on_klein_bottle(around_tube: f64, around_core: f64, core: f64, tube: f64) -> [f64; 4] {
    let [out, up] = on_circle(around_tube, tube);
    let [x, y] = on_circle(around_core, core + out);
    let [z, w] = on_circle(around_core / 2.0, up);
    [x, y, z, w]
}

/// The point of the projective plane in R⁶ for the line through a point (x, y, z) of the unit sphere: the Veronese
/// embedding (x², y², z², √2 xy, √2 xz, √2 yz), in which lines at an angle α have distance √2 sin α.
pub fn on_projective_plane([x, y, z]: [f64; 3]) -> [f64; 6] {
    use std::f64::consts::SQRT_2;
    [x * x, y * y, z * z, SQRT_2 * x * y, SQRT_2 * x * z, SQRT_2 * y * z]
}

/// The point of the Swiss roll at the angle t and the height h: (t cos t, h, t sin t).
pub fn on_swiss_roll(angle: f64, height: f64) -> [f64; 3] {
    [angle * cos(angle), height, angle * sin(angle)]
}

/// The geodesic distance on the flat Klein bottle: the minimum over the copies of `b` near `a` in the plane.
pub fn klein_distance(a: &[f64; 2], b: &[f64; 2]) -> f64 {
    let copies = (-1..=1).flat_map(|k| {
        let y = if k == 0 { b[1] } else { 1.0 - b[1] };
        (-1..=1).map(move |l| [b[0] + f64::from(k), y + f64::from(l)])
    });
    copies.map(|copy| euclidean(a, &copy)).fold(f64::INFINITY, f64::min)
}
