//! Reference implementation of thinning: the rules pixel by pixel, as their sources state them.
//!
//! It shares only the types of images with the other implementations, which are tested against it.

use super::bits::BitImage;
use super::rule::Rule;

/// Thins an image until nothing changes, or for at most `limit` iterations. Also returns the number of iterations that
/// changed something.
///
/// Planar rules require an image of one plane.
pub fn thin(image: &BitImage, rule: Rule, limit: Option<usize>) -> (BitImage, usize) {
    let mut image = image.clone();
    let mut iterations = 0;
    while limit.is_none_or(|limit| iterations < limit) {
        let next = match rule {
            Rule::GuoHall => all_at_once(&all_at_once(&image, |p| guo_hall(p, true)), |p| guo_hall(p, false)),
            Rule::ZhangSuen => {
                all_at_once(&all_at_once(&image, |p| zhang_suen(p, true)), |p| zhang_suen(p, false))
            }
            Rule::Kashani => all_at_once(&image, kashani),
            Rule::KashaniSafe => all_at_once(&image, |p| kashani(p) && !last_of_a_block(p)),
            Rule::Subfields => subfields(&image),
        };
        if next == image {
            break;
        }
        image = next;
        iterations += 1;
    }
    (image, iterations)
}

/// A voxel of an image, possibly outside its extents.
#[derive(Clone, Copy)]
struct Point<'a> {
    image: &'a BitImage,
    z: isize,
    y: isize,
    x: isize,
}

impl Point<'_> {
    /// The pixel `y` rows down and `x` columns to the right.
    fn at(self, y: isize, x: isize) -> Self {
        Point { y: self.y + y, x: self.x + x, ..self }
    }

    /// Whether the voxel is foreground; outside the image is background.
    fn black(self) -> bool {
        let extents = self.image.shape().extents();
        let [z, y, x] = [self.z, self.y, self.x].map(usize::try_from);
        let (Ok(z), Ok(y), Ok(x)) = (z, y, x) else { return false };
        let inside = z < extents[0] && y < extents[1] && x < extents[2];
        inside && self.image.get((z * extents[1] + y) * extents[2] + x)
    }

    /// The eight neighbours clockwise from the north: P2 to P9 at indices 2 to 9.
    fn clockwise(self) -> [bool; 10] {
        let [n, ne, e, se] = [(-1, 0), (-1, 1), (0, 1), (1, 1)].map(|(y, x)| self.at(y, x).black());
        let [s, sw, w, nw] = [(1, 0), (1, -1), (0, -1), (-1, -1)].map(|(y, x)| self.at(y, x).black());
        [false, self.black(), n, ne, e, se, s, sw, w, nw]
    }

    /// The eight neighbours counter-clockwise from the north: P2 to P9 at indices 2 to 9.
    fn counter_clockwise(self) -> [bool; 10] {
        let p = self.clockwise();
        [p[0], p[1], p[2], p[9], p[8], p[7], p[6], p[5], p[4], p[3]]
    }
}

/// Deletes the foreground voxels for which `goes` holds, all decided from the same image.
fn all_at_once(image: &BitImage, goes: impl Fn(Point) -> bool) -> BitImage {
    let mut next = image.clone();
    for place in image.places() {
        if goes(point(image, place)) {
            next.set(place, false);
        }
    }
    next
}

fn point(image: &BitImage, place: usize) -> Point<'_> {
    let [_, rows, columns] = image.shape().extents();
    let [z, y, x] = [place / columns / rows, place / columns % rows, place % columns];
    // No extent reaches isize::MAX.
    Point { image, z: z as isize, y: y as isize, x: x as isize }
}

/// Number of transitions from background to foreground in the cycle P2, P3, …, P9, P2.
fn entries(p: [bool; 10]) -> usize {
    (2..=8).filter(|&k| !p[k] && p[k + 1]).count() + usize::from(!p[9] && p[2])
}

/// Number of foreground pixels among P2 to P9.
fn neighbours(p: [bool; 10]) -> usize {
    (2..=9).filter(|&k| p[k]).count()
}

fn guo_hall(point: Point, first: bool) -> bool {
    let p = point.clockwise();
    let count = |these: [bool; 4]| these.into_iter().filter(|&this| this).count();
    let c = count([
        !p[2] && (p[3] || p[4]),
        !p[4] && (p[5] || p[6]),
        !p[6] && (p[7] || p[8]),
        !p[8] && (p[9] || p[2]),
    ]);
    let n1 = count([p[9] || p[2], p[3] || p[4], p[5] || p[6], p[7] || p[8]]);
    let n2 = count([p[2] || p[3], p[4] || p[5], p[6] || p[7], p[8] || p[9]]);
    let m = if first { (p[6] || p[7] || !p[9]) && p[8] } else { (p[2] || p[3] || !p[5]) && p[4] };
    c == 1 && (2..=3).contains(&n1.min(n2)) && !m
}

fn zhang_suen(point: Point, first: bool) -> bool {
    let p = point.clockwise();
    let (one, other) = if first {
        (p[2] && p[4] && p[6], p[4] && p[6] && p[8])
    } else {
        (p[2] && p[4] && p[8], p[2] && p[6] && p[8])
    };
    entries(p) == 1 && (2..=6).contains(&neighbours(p)) && !one && !other
}

fn kashani(point: Point) -> bool {
    let p = point.counter_clockwise();
    let tr = |y, x| entries(point.at(y, x).counter_clockwise());
    (2..=6).contains(&neighbours(p))
        && entries(p) == 1
        && (!(p[2] && p[4] && p[8]) || tr(-1, 0) != 1)
        && (!(p[2] && p[4] && p[6]) || tr(0, -1) != 1)
}

/// Whether the pixel is the south-eastern one of an isolated 2×2 block.
fn last_of_a_block(point: Point) -> bool {
    let block = |y: isize, x: isize| (-1..=0).contains(&y) && (-1..=0).contains(&x);
    (-2..=1).all(|y| (-2..=1).all(|x| point.at(y, x).black() == block(y, x)))
}

/// One iteration of deleting simple points, subfield by subfield, voxel by voxel.
fn subfields(image: &BitImage) -> BitImage {
    let extents = image.shape().extents();
    let planar = extents[0] == 1;
    let mut next = image.clone();
    let candidates: Vec<usize> = image
        .places()
        .into_iter()
        .filter(|&place| {
            let around = neighbourhood(point(image, place));
            let count = (0..27).filter(|&k| k != 13 && around[k]).count();
            let border =
                [4, 10, 12, 14, 16, 22].into_iter().any(|k| !around[k] && !(planar && (k == 4 || k == 22)));
            border && count != 1
        })
        .collect();
    for subfield in 0..8 {
        for &place in &candidates {
            let Point { z, y, x, .. } = point(image, place);
            if 4 * (z & 1) + 2 * (y & 1) + (x & 1) == subfield
                && is_simple(neighbourhood(point(&next, place)))
            {
                next.set(place, false);
            }
        }
    }
    next
}

/// The 27 voxels of a neighbourhood, x fastest.
fn neighbourhood(point: Point) -> [bool; 27] {
    std::array::from_fn(|k| {
        let [z, y, x] = [k / 9, k / 3 % 3, k % 3].map(|d| d as isize - 1);
        Point { z: point.z + z, ..point }.at(y, x).black()
    })
}

/// Whether a voxel is simple, that is, can be deleted without a change of topology, by Bertrand and Malandain's
/// definition (1994) for (26, 6)-connectivity.
///
/// There is exactly one 26-component of foreground among its 26 neighbours, and exactly one 6-component of background
/// among its 18 neighbours that touches one of its 6.
pub fn is_simple(around: [bool; 27]) -> bool {
    let offset = |k: usize| [k / 9, k / 3 % 3, k % 3].map(|d| d as isize - 1);
    let steps = |k: usize| offset(k).map(isize::abs).into_iter().sum::<isize>();
    let apart = |a: usize, b: usize| {
        let (a, b) = (offset(a), offset(b));
        [0, 1, 2].map(|axis| (a[axis] - b[axis]).abs())
    };
    let black = components(&(0..27).filter(|&k| k != 13 && around[k]).collect::<Vec<_>>(), |a, b| {
        apart(a, b).into_iter().max() <= Some(1)
    });
    let white = components(
        &(0..27).filter(|&k| (1..=2).contains(&steps(k)) && !around[k]).collect::<Vec<_>>(),
        |a, b| apart(a, b).into_iter().sum::<isize>() <= 1,
    );
    let touching = white.iter().filter(|component| component.iter().any(|&k| steps(k) == 1)).count();
    black.len() == 1 && touching == 1
}

/// Connected components of these voxels under the relation `neighbours`.
fn components(voxels: &[usize], neighbours: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut components: Vec<Vec<usize>> = Vec::new();
    for &voxel in voxels {
        let touches = |component: &Vec<usize>| component.iter().any(|&other| neighbours(voxel, other));
        let (touching, mut apart): (Vec<_>, Vec<_>) = components.into_iter().partition(touches);
        let mut merged: Vec<usize> = touching.into_iter().flatten().collect();
        merged.push(voxel);
        apart.push(merged);
        components = apart;
    }
    components
}
