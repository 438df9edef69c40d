//! The definitions in the papers on the Euler characteristic curve and on thinning, transcribed and compared with the
//! library.

use lacuna::cubical::ecc::{EccRequest, curve};
use lacuna::cubical::thinning::{BitImage, Rule, ThinningRequest, thin};
use lacuna::cubical::{Image, Order, Shape};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// An image with few values, so that many voxels are equal.
fn image(axes: &[usize], values: u8, rng: &mut Pcg64Mcg) -> Image<u8> {
    let shape = Shape::new(axes, Order::C).unwrap();
    Image::new(shape, (0..shape.count()).map(|_| rng.random_range(0..values)).collect()).unwrap()
}

/// Sums of the change at each voxel by value, with a row for every value that occurs.
fn by_value(image: &Image<u8>, change: impl Fn(usize) -> i64) -> Vec<(f64, i64)> {
    let mut rows = vec![None; 256];
    for (place, &value) in image.voxels().iter().enumerate() {
        *rows[usize::from(value)].get_or_insert(0) += change(place);
    }
    (0..).zip(rows).filter_map(|(value, change)| Some((f64::from(value), change?))).collect()
}

fn ours(image: &Image<u8>) -> Vec<(f64, i64)> {
    let curve = curve(image, &EccRequest::default()).unwrap();
    curve.rows().map(|(value, change, _)| (value.double(), change)).collect()
}

/// Algorithm 1: a voxel introduces a face if it is the least voxel that contains it, the first in row-major order
/// among equal ones.
#[test]
fn a_voxel_introduces_the_faces_of_which_it_is_the_least() {
    let mut rng = Pcg64Mcg::seed_from_u64(70);
    for axes in [[1, 7, 9], [4, 5, 6], [6, 1, 5], [3, 3, 3]] {
        let image = image(&axes, 5, &mut rng);
        let at = |[z, y, x]: [i64; 3]| {
            let inside = [z, y, x].iter().zip(axes).all(|(&at, axis)| (0..axis as i64).contains(&at));
            // Everything outside is greater.
            let place = ((z * axes[1] as i64 + y) * axes[2] as i64 + x) as usize;
            inside.then(|| (image.voxels()[place], place))
        };
        // The pixels of a plane are squares: they have no faces along the axis of one voxel.
        let directions = |axis: usize| if axis == 0 && axes[0] == 1 { 0..=0 } else { -1..=1 };
        let flat = axes[0] == 1;
        let changes = by_value(&image, |place| {
            let here =
                [place / axes[2] / axes[1], place / axes[2] % axes[1], place % axes[2]].map(|at| at as i64);
            let mut change = 0;
            for dz in directions(0) {
                for dy in directions(1) {
                    for dx in directions(2) {
                        // The voxels of the face in this direction are those on either side along each axis in which
                        // the direction is not 0.
                        let face = [dz, dy, dx];
                        let around = (0..8).map(|side: i64| {
                            [0, 1, 2]
                                .map(|axis| here[axis] + if side >> axis & 1 == 1 { face[axis] } else { 0 })
                        });
                        let least = around.filter_map(at).min();
                        let dim = if flat { 2 } else { 3 } - face.iter().filter(|&&d| d != 0).count();
                        change += i64::from(least == at(here)) * if dim % 2 == 0 { 1 } else { -1 };
                    }
                }
            }
            change
        });
        assert_eq!(ours(&image), changes, "{axes:?}");
    }
}

/// Algorithm 2: the comparisons of a pixel, strict with earlier pixels and not strict with later ones.
#[test]
fn the_comparisons_of_a_pixel_add_up_to_its_change() {
    let mut rng = Pcg64Mcg::seed_from_u64(71);
    for [rows, columns] in [[1, 1], [1, 6], [5, 1], [8, 9], [17, 16]] {
        let image = image(&[rows, columns], 4, &mut rng);
        let at = |y: i64, x: i64| {
            let inside = (0..rows as i64).contains(&y) && (0..columns as i64).contains(&x);
            if inside { i64::from(image.voxels()[(y * columns as i64 + x) as usize]) } else { i64::MAX }
        };
        let changes = by_value(&image, |place| {
            let (y, x) = ((place / columns) as i64, (place % columns) as i64);
            let c = at(y, x);
            let [top, left, right, bottom] = [at(y - 1, x), at(y, x - 1), at(y, x + 1), at(y + 1, x)];
            let vertices = [
                c < left && c < top && c < at(y - 1, x - 1),
                c < top && c <= right && c < at(y - 1, x + 1),
                c < left && c <= bottom && c <= at(y + 1, x - 1),
                c <= bottom && c <= right && c <= at(y + 1, x + 1),
            ];
            let edges = [c < top, c < left, c <= right, c <= bottom];
            let count = |tests: [bool; 4]| tests.into_iter().map(i64::from).sum::<i64>();
            1 + count(vertices) - count(edges)
        });
        assert_eq!(ours(&image), changes, "{rows} × {columns}");
    }
}

fn thinned(image: &BitImage, rule: Rule, iterations: Option<usize>) -> (BitImage, usize) {
    let (skeleton, figures) =
        thin(image, &ThinningRequest { rule: Some(rule), iterations }, &mut |_| ()).unwrap();
    (skeleton, figures.iterations)
}

/// A pixel depends on 14 others and not, as the paper says, on 15: the far corner of the 4×4 window is never read.
#[test]
fn fourteen_pixels_decide_with_the_pixel_itself() {
    // Every window occurs separately; its pixels are the bits of its number, row by row.
    const PITCH: usize = 8;
    let side = 256 * PITCH;
    let voxel = |place: usize| {
        let [y, x] = [place / side, place % side];
        let (window, [row, column]) = (y / PITCH * 256 + x / PITCH, [y % PITCH, x % PITCH]);
        u8::from(row < 4 && column < 4 && window >> (4 * row + column) & 1 == 1)
    };
    let shape = Shape::new(&[side, side], Order::C).unwrap();
    let image = Image::new(shape, (0..side * side).map(voxel).collect()).unwrap();
    let (next, _) = thinned(&BitImage::of(&image, |voxel| voxel == 1), Rule::Kashani, Some(1));
    // The pixel is two rows and two columns from the first of the window.
    const PIXEL: usize = 4 * 2 + 2;
    let stays = |window: usize| next.get((window / 256 * PITCH + 2) * side + window % 256 * PITCH + 2);
    let decides = |bit: usize| {
        (0..1_usize << 16).any(|window| window >> PIXEL & 1 == 1 && stays(window) != stays(window ^ 1 << bit))
    };
    let deciding: Vec<usize> = (0..16).filter(|&bit| bit != PIXEL && decides(bit)).collect();
    assert_eq!(deciding, (1..16).filter(|&bit| bit != PIXEL).collect::<Vec<_>>());
    assert_eq!(deciding.len(), 14);
}

/// The number of iterations is half the thickness of the foreground. Squares of even side vanish, which is not a
/// skeleton.
#[test]
fn squares_take_half_their_side() {
    for side in 1..=33 {
        let square = BitImage::new(Shape::new(&[side, side], Order::C).unwrap()).inverted();
        let expected = if side % 2 == 0 { [0, 1] } else { [1, 1] };
        for (rule, left) in [Rule::Kashani, Rule::KashaniSafe].into_iter().zip(expected) {
            let (skeleton, iterations) = thinned(&square, rule, None);
            assert_eq!((skeleton.count(), iterations), (left, side / 2), "{rule}, {side}");
        }
    }
}
