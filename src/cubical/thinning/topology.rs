//! What thinning is to keep: Betti numbers, component by component, and the Euler characteristic.
//!
//! The foreground is the union of closed cubes, a cube a voxel; 8-connected in the plane, 26-connected in space. Betti
//! numbers are those of [`persistence()`] in the T-construction, of the binary image; a class belongs to the component of
//! the image in which the voxel lies with which it is born. The Euler characteristic is counted by itself: vertices less
//! edges plus faces less cubes.

use super::bits::{BitImage, WORD};
use crate::cubical::persistence::{self, PersistenceError, PersistenceRequest, persistence};
use crate::cubical::shape::{Order, Shape};

/// The topology of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Topology {
    /// Components; holes of the plane or tunnels; cavities.
    pub betti: [usize; 3],
    /// The Euler characteristic.
    pub euler: i64,
}

/// A component of an image that is something else in another image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Its first voxel, a place in C order.
    pub place: usize,
    /// Its voxels.
    pub voxels: usize,
    /// Its Betti numbers.
    pub before: [usize; 3],
    /// Those of what of the other image lies in it.
    pub after: [usize; 3],
}

/// How two images compare, of which the second lies in the first.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// The topology of the first.
    pub before: Topology,
    /// The topology of the second.
    pub after: Topology,
    /// The components of the first whose Betti numbers changed, by place.
    pub changed: Vec<Changed>,
}

impl Verdict {
    /// Whether nothing changed.
    pub fn is_same(&self) -> bool {
        self.before == self.after && self.changed.is_empty()
    }
}

/// Whether images of a shape can be compared, which takes no more than their shape to say.
///
/// # Errors
/// [`PersistenceError`]: they have too many voxels.
pub fn check(shape: Shape) -> Result<(), PersistenceError> {
    persistence::check(shape)
}

/// Compares an image with what thinning left of it. All of it must lie in the image.
///
/// # Errors
/// [`PersistenceError`]: the image has too many voxels.
pub fn verify(image: &BitImage, skeleton: &BitImage) -> Result<Verdict, PersistenceError> {
    let (before, after) = (births(image)?, births(skeleton)?);
    let components = Components::of(image);
    let (before_of, after_of) = (components.betti(&before), components.betti(&after));
    let changed = components.firsts.iter().zip(&components.voxels).zip(before_of.iter().zip(&after_of));
    let changed = changed.filter(|(_, (before, after))| before != after);
    let changed =
        changed.map(|((&place, &voxels), (&before, &after))| Changed { place, voxels, before, after });
    let topology = |births: &[Vec<usize>; 3], image| Topology {
        betti: [0, 1, 2].map(|dim| births[dim].len()),
        euler: euler_characteristic(image),
    };
    Ok(Verdict {
        before: topology(&before, image),
        after: topology(&after, skeleton),
        changed: changed.collect(),
    })
}

/// The places at which the classes of the foreground are born, of each dimension.
fn births(image: &BitImage) -> Result<[Vec<usize>; 3], PersistenceError> {
    let request = PersistenceRequest { superlevel: true, ..PersistenceRequest::default() };
    let mut classes = persistence(&image.to_image(1, Order::C), &request)?.dimensions;
    classes.resize(3, Vec::new());
    let foreground = |dim: usize| {
        let births = classes[dim].iter().map(|class| class.birth);
        births.filter(|&birth| image.get(birth)).collect()
    };
    Ok([0, 1, 2].map(foreground))
}

/// The 26-components of an image.
struct Components {
    /// The number of the component of each voxel of the foreground; entries of the background mean nothing.
    labels: Vec<u32>,
    /// The first voxel of each component.
    firsts: Vec<usize>,
    /// The number of voxels of each component.
    voxels: Vec<usize>,
}

impl Components {
    /// Finds components by union-find of voxels with the neighbours before them in memory. Places fit 32 bits, as persistence needs.
    fn of(image: &BitImage) -> Components {
        let [_, rows, columns] = image.shape().extents();
        let places = image.places();
        let mut labels: Vec<u32> = (0..=u32::MAX).take(image.shape().count()).collect();
        fn root(labels: &mut [u32], mut place: usize) -> usize {
            while labels[place] as usize != place {
                labels[place] = labels[labels[place] as usize];
                place = labels[place] as usize;
            }
            place
        }
        for &place in &places {
            let [z, y, x] = [place / columns / rows, place / columns % rows, place % columns];
            for before in 0..13 {
                let [dz, dy, dx] = [before / 9, before / 3 % 3, before % 3];
                if z + dz == 0 || y + dy == 0 || x + dx == 0 || y + dy > rows || x + dx > columns {
                    continue;
                }
                let other = ((z + dz - 1) * rows + y + dy - 1) * columns + x + dx - 1;
                if image.get(other) {
                    let (a, b) = (root(&mut labels, place), root(&mut labels, other));
                    // The first voxel of a component is its root.
                    labels[a.max(b)] = labels[a.min(b)];
                }
            }
        }
        let roots: Vec<usize> = places.iter().map(|&place| root(&mut labels, place)).collect();
        let firsts: Vec<usize> = places
            .iter()
            .zip(&roots)
            .filter(|(place, root)| place == root)
            .map(|(&place, _)| place)
            .collect();
        let mut voxels = vec![0; firsts.len()];
        for (&place, root) in places.iter().zip(roots) {
            let number = firsts.partition_point(|&first| first < root);
            voxels[number] += 1;
            // Components are no more than voxels, whose numbers fit.
            labels[place] = number as u32;
        }
        Components { labels, firsts, voxels }
    }

    /// How many of these classes each component has.
    fn betti(&self, births: &[Vec<usize>; 3]) -> Vec<[usize; 3]> {
        let mut betti = vec![[0; 3]; self.firsts.len()];
        for (dim, births) in births.iter().enumerate() {
            births.iter().for_each(|&birth| betti[self.labels[birth] as usize][dim] += 1);
        }
        betti
    }
}

/// The Euler characteristic of the union of closed cubes of an image.
///
/// A cell spans a voxel along an axis, or lies between two; it is there if one of the voxels around it is. Cells of a kind
/// that lie in a row are counted by words.
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
                // One before the first plane wraps, and there is none.
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
    use crate::cubical::Image;

    /// The image that these rows draw, `#` being foreground; an empty row begins the next plane.
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
}
