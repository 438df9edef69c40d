//! The inputs of `lacuna thin`, and the committed skeletons.

use std::io;

use lacuna::cubical::thinning::{BitImage, Rule, plain};
use lacuna::cubical::write::ImageFile;
use lacuna::cubical::{Image, Order, Shape, ShapeError};

/// A committed image with values 0 and 255.
pub(super) struct Input {
    /// The file name.
    pub(super) file: &'static str,
    /// A description of the image and of its skeletons.
    shows: &'static str,
    format: ImageFile,
    image: BitImage,
}

/// A run whose skeleton is committed.
pub(super) struct Case {
    /// The input's file name.
    pub(super) file: &'static str,
    rule: Rule,
    /// The path of the skeleton below `expected/`.
    pub(super) expected: &'static str,
}

/// Every run with a committed skeleton.
pub(super) const CASES: [Case; 6] = [
    Case { file: "thinning/shapes.png", rule: Rule::GuoHall, expected: "shapes_guo_hall.png" },
    Case { file: "thinning/shapes.png", rule: Rule::ZhangSuen, expected: "shapes_zhang_suen.png" },
    Case { file: "thinning/shapes.png", rule: Rule::Kashani, expected: "shapes_kashani.png" },
    Case { file: "thinning/shapes.png", rule: Rule::KashaniSafe, expected: "shapes_kashani_safe.png" },
    Case { file: "thinning/shapes.png", rule: Rule::Subfields, expected: "shapes_subfields.png" },
    Case { file: "thinning/solids.npy", rule: Rule::Subfields, expected: "solids_subfields.npy" },
];

/// Every committed image.
///
/// # Errors
/// This does not happen: the generators fill their shapes.
pub(super) fn inputs() -> Result<Vec<Input>, ShapeError> {
    Ok(vec![
        Input {
            file: "thinning/shapes.png",
            shows: "a disc around a corner of pixels, a ring, a square of even side, a thick cross, a bar at the border and \
                    a 2×2 block: six components, a hole",
            format: ImageFile::Png,
            image: drawn(&[64, 140], shapes)?,
        },
        Input {
            file: "thinning/solids.npy",
            shows: "a torus and a bar of 4×4×26: two components, a tunnel",
            format: ImageFile::Npy,
            image: drawn(&[16, 40, 30], solids)?,
        },
    ])
}

impl Input {
    pub(super) fn bytes(&self) -> io::Result<Vec<u8>> {
        bytes(&self.image, self.format)
    }

    /// The row of the image in README.md.
    pub(super) fn row(&self) -> String {
        format!("| `{}` | {} | {} |\n", self.file, self.image.shape(), self.shows)
    }
}

impl Case {
    /// The line of the case in thinning.tsv.
    pub(super) fn row(&self) -> String {
        format!("{}\t--rule {}\texpected/{}\n", self.file, self.rule, self.expected)
    }

    /// The expected skeleton.
    pub(super) fn answer(&self, input: &Input) -> io::Result<Vec<u8>> {
        bytes(&plain::thin(&input.image, self.rule, None).0, input.format)
    }
}

fn bytes(image: &BitImage, format: ImageFile) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    format.write(&image.to_image(u8::MAX, Order::C).into(), None, &mut bytes)?;
    Ok(bytes)
}

fn drawn(axes: &[usize], black: fn(i64, i64, i64) -> bool) -> Result<BitImage, ShapeError> {
    let shape = Shape::new(axes, Order::C)?;
    let [_, rows, columns] = shape.extents();
    let voxel = |place: usize| {
        let [z, y, x] = [place / columns / rows, place / columns % rows, place % columns];
        u8::from(black(z as i64, y as i64, x as i64))
    };
    let image = Image::new(shape, (0..shape.count()).map(voxel).collect())?;
    Ok(BitImage::of(&image, |voxel| voxel == 1))
}

fn shapes(_: i64, y: i64, x: i64) -> bool {
    let disc = (2 * y - 39).pow(2) + (2 * x - 39).pow(2) < 1200;
    let ring = (60..330).contains(&((y - 20).pow(2) + (x - 62).pow(2)));
    let square = (4..28).contains(&y) && (86..110).contains(&x);
    let arm = |a: i64, b: i64| (a - b).abs() < 5;
    let cross =
        (114..138).contains(&x) && (4..28).contains(&y) && (arm(x - 114, y - 4) || arm(x - 114, 27 - y));
    let bar = (56..64).contains(&y) && x < 130;
    let block = (44..46).contains(&y) && (100..102).contains(&x);
    disc || ring || square || cross || bar || block
}

fn solids(z: i64, y: i64, x: i64) -> bool {
    // The tube of a torus: (√(y² + x²) − 9)² + z² < 20, rewritten without the root.
    let (dz, dy, dx) = (z - 7, y - 14, x - 15);
    let inner = dy * dy + dx * dx + dz * dz + 81 - 20;
    let torus = inner <= 0 || inner * inner < 4 * 81 * (dy * dy + dx * dx);
    let bar = (4..8).contains(&z) && (32..36).contains(&y) && (2..28).contains(&x);
    torus || bar
}
