//! The topology that thinning must preserve: the Betti numbers of each component, and the Euler characteristic.
//!
//! The foreground is the union of closed unit cubes, one per voxel: 8-connected in the plane, 26-connected in space.
//! Components and their cavities (in the plane, their holes) are found by union-find over runs of voxels
//! (`components`). The number of tunnels of a component follows from its Euler characteristic by the Euler–Poincaré
//! formula. The Euler characteristic of the whole image is also counted independently: vertices − edges + faces −
//! cubes.

mod components;

use super::bits::{BitImage, WORD};
use crate::cubical::Shape;
use crate::cubical::persistence::PersistenceError;
use crate::memory;
use crate::parallel;
use components::{Component, Components};

/// The topology of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Topology {
    /// The numbers of components, of holes (in the plane) or tunnels (in space), and of cavities.
    pub betti: [usize; 3],
    /// The Euler characteristic.
    pub euler: i64,
}

/// A component of an image whose Betti numbers differ in the thinned image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The first voxel of the component, as a place in C order.
    pub place: usize,
    /// The number of voxels of the component.
    pub voxels: usize,
    /// The Betti numbers of the component.
    pub before: [usize; 3],
    /// The Betti numbers of the part of the thinned image within this component.
    pub after: [usize; 3],
}

/// The topology of an image compared with that of a subset of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// The topology of the image.
    pub before: Topology,
    /// The topology of the subset.
    pub after: Topology,
    /// The components of the image whose Betti numbers changed, by place.
    pub changed: Vec<Changed>,
}

impl Verdict {
    /// Whether the topology is the same.
    pub fn is_same(&self) -> bool {
        self.before == self.after && self.changed.is_empty()
    }
}

/// Exclusive limit of voxels, whose places in runs take 32 bits.
const LIMIT: u64 = 1 << 32;

/// Checks from the shape alone whether topologies can be compared.
///
/// # Errors
/// [`PersistenceError::TooLarge`]: the image has 2^32 voxels or more.
pub fn check(shape: Shape) -> Result<(), PersistenceError> {
    let is_large = shape.count() as u64 >= LIMIT;
    if is_large { Err(PersistenceError::TooLarge { shape, most: LIMIT }) } else { Ok(()) }
}

/// Compares the topology of an image with that of its thinned version, which must be a subset of it.
///
/// # Errors
/// [`PersistenceError`]: the image has too many voxels, or there is no memory for its runs.
pub fn verify(image: &BitImage, skeleton: &BitImage) -> Result<Verdict, PersistenceError> {
    check(image.shape())?;
    let is_planar = image.shape().extents()[0] == 1;
    let (before, after) = parallel::join(|| Components::of(image), || Components::of(skeleton));
    let (before, after) = (before?, after?);
    let mut left = memory::filled([0; 3], before.all.len())?;
    for component in &after.all {
        let left = &mut left[before.number(component.place)];
        add(left, betti(component, is_planar));
    }
    let all_before = before.all.iter().map(|component| (component, betti(component, is_planar)));
    let changed = all_before.zip(&left).filter(|((_, before), after)| before != *after);
    let changed = changed.map(|((component, before), &after)| {
        let &Component { place, voxels, .. } = component;
        Changed { place, voxels, before, after }
    });
    let topology = |components: &Components, image| {
        let mut all = [0; 3];
        components.all.iter().for_each(|component| add(&mut all, betti(component, is_planar)));
        Topology { betti: all, euler: euler_characteristic(image) }
    };
    Ok(Verdict {
        before: topology(&before, image),
        after: topology(&after, skeleton),
        changed: changed.collect(),
    })
}

/// The Betti numbers of a component. In space the number of tunnels follows from the Euler–Poincaré formula.
fn betti(component: &Component, is_planar: bool) -> [usize; 3] {
    let &Component { euler, cavities, .. } = component;
    if is_planar {
        return [1, cavities, 0];
    }
    let tunnels = 1 + cavities as i64 - euler;
    [1, usize::try_from(tunnels).expect("a component has no fewer than 0 tunnels"), cavities]
}

fn add(all: &mut [usize; 3], some: [usize; 3]) {
    all.iter_mut().zip(some).for_each(|(all, some)| *all += some);
}

/// The Euler characteristic of the union of closed cubes of an image.
///
/// Along each axis a cell either spans a voxel or lies between two, and it belongs to the union if a voxel around it
/// does. Cells of one kind in a row are counted a word at a time.
pub fn euler_characteristic(image: &BitImage) -> i64 {
    let [planes, rows, columns] = image.shape().extents();
    let (width, words) = (image.width(), image.words());
    let row = |z: usize, y: usize| -> Option<&[u64]> {
        (z < planes && y < rows).then(|| &words[(z * rows + y) * width..][..width])
    };
    let mut euler = 0;
    for z in 0..=planes {
        for y in 0..=rows {
            for kind in 0..4 {
                let (thick_z, thick_y) = (kind & 1, kind >> 1);
                let around = [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter();
                let around = around.filter(|(dz, dy)| *dz + thick_z < 2 && *dy + thick_y < 2);
                // An index before the first plane or row wraps and finds no row.
                let around = around.filter_map(|(dz, dy)| row(z.wrapping_sub(dz), y.wrapping_sub(dy)));
                let around: Vec<&[u64]> = around.collect();
                let (mut before, mut thick, mut thin) = (0, 0, 0);
                for k in 0..width {
                    let word = around.iter().fold(0, |word, row| word | row[k]);
                    thick += i64::from(word.count_ones());
                    thin += i64::from((word | word << 1 | before).count_ones());
                    before = word >> (WORD - 1);
                }
                // The last voxel of a full row ends in the word past it.
                thin += if columns.is_multiple_of(WORD) { before as i64 } else { 0 };
                let sign = if (thick_z + thick_y) % 2 == 0 { 1 } else { -1 };
                euler += sign * (thin - thick);
            }
        }
    }
    euler
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::Cubical;
    use crate::cubical::persistence::PersistenceRequest;
    use crate::cubical::{Image, Order, Shape};

    /// The image drawn by these rows, `#` being foreground, plane after plane.
    fn picture(axes: &[usize], rows: &str) -> BitImage {
        let voxels =
            rows.bytes().filter(|byte| !byte.is_ascii_whitespace()).map(|byte| u8::from(byte == b'#'));
        let image = Image::new(Shape::new(axes, Order::C).unwrap(), voxels.collect()).unwrap();
        BitImage::of(&image, |voxel| voxel == 1)
    }

    #[test]
    fn a_component_that_vanishes_one_that_parts_and_one_that_opens() {
        let before = picture(&[4, 12], "##..#####... ##..#...#.#. ....#####.#. ..........#.");
        let after = picture(&[4, 12], ".....####... ....#...#.#. ....#####... ..........#.");
        let verdict = verify(&before, &after).unwrap();
        assert_eq!(verdict.before, Topology { betti: [3, 1, 0], euler: 2 });
        // The loop stays: its corner is cut.
        assert_eq!(verdict.after, Topology { betti: [3, 1, 0], euler: 2 });
        assert!(!verdict.is_same());
        let vanished = Changed { place: 0, voxels: 4, before: [1, 0, 0], after: [0, 0, 0] };
        let parted = Changed { place: 22, voxels: 3, before: [1, 0, 0], after: [2, 0, 0] };
        assert_eq!(verdict.changed, [vanished, parted]);
        assert!(verify(&before, &before).unwrap().is_same());
        let opened = picture(&[4, 12], "##..####.... ##..#.....#. ....#####.#. ..........#.");
        let verdict = verify(&before, &opened).unwrap();
        assert_eq!((verdict.after.betti, verdict.after.euler), ([3, 0, 0], 3));
        let opened = Changed { place: 4, voxels: 12, before: [1, 1, 0], after: [1, 0, 0] };
        assert_eq!(verdict.changed, [opened]);
    }

    #[test]
    fn tunnels_and_cavities() {
        let shell = picture(&[3, 3, 3], "######### ####.#### #########");
        let ring = picture(&[3, 3, 3], "......... ####.#### .........");
        let verdict = verify(&shell, &ring).unwrap();
        assert_eq!(verdict.before, Topology { betti: [1, 0, 1], euler: 2 });
        assert_eq!(verdict.after, Topology { betti: [1, 1, 0], euler: 0 });
        assert_eq!(verdict.changed, [Changed { place: 0, voxels: 26, before: [1, 0, 1], after: [1, 1, 0] }]);
        let nothing = picture(&[3, 3, 3], "......... ......... .........");
        assert_eq!(verify(&nothing, &nothing).unwrap().before, Topology { betti: [0; 3], euler: 0 });
    }

    /// The Betti numbers of the components of an image, by place, from its barcode: each class belongs to the component
    /// that contains its birth voxel.
    fn by_persistence(image: &BitImage) -> Vec<(usize, [usize; 3])> {
        let request = PersistenceRequest { superlevel: true, ..PersistenceRequest::default() };
        let image_of_bytes = image.to_image(1, Order::C).into();
        let classes = Cubical::new(&image_of_bytes, request).solve(&()).unwrap().classes.dimensions;
        let components = Components::of(image).unwrap();
        let mut found: Vec<_> = components.all.iter().map(|component| (component.place, [0; 3])).collect();
        for (dim, classes) in classes.iter().enumerate() {
            for birth in classes.iter().map(|class| class.birth).filter(|&birth| image.get(birth)) {
                found[components.number(birth)].1[dim] += 1;
            }
        }
        found
    }

    #[test]
    fn components_are_those_of_the_barcode() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for axes in
            [&[1][..], &[130], &[40, 70], &[9, 65], &[7, 8, 9], &[5, 6, 66], &[3, 1, 64], &[12, 11, 10]]
        {
            let shape = Shape::new(axes, Order::C).unwrap();
            for of_ten in 0..=10 {
                let voxels = (0..shape.count()).map(|_| u8::from(random() % 10 < of_ten)).collect();
                let image = BitImage::of(&Image::new(shape, voxels).unwrap(), |voxel| voxel == 1);
                let is_planar = shape.extents()[0] == 1;
                let components = Components::of(&image).unwrap();
                let found = components.all.iter().map(|found| (found.place, betti(found, is_planar)));
                assert_eq!(found.collect::<Vec<_>>(), by_persistence(&image), "{axes:?} {of_ten}");
                let sum: i64 = components.all.iter().map(|component| component.euler).sum();
                assert_eq!(sum, euler_characteristic(&image), "{axes:?} {of_ten}");
                let voxels: usize = components.all.iter().map(|component| component.voxels).sum();
                assert_eq!(voxels, image.count());
            }
        }
    }
}
