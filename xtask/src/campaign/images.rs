//! Tiny images of every voxel type: few values, extremes of the type, checkerboards, rings, slopes, keys with equal
//! high bits.

use std::cmp::Ordering;

use lacuna::cubical::{AnyImage, Construction, Image, Key, Order, Shape, Voxel};
use lacuna::with_image;
use tiff::encoder::colortype::{self, ColorType};

use super::pools::Machine;
use lacuna::generate::Random;

/// Voxel types of random images.
pub(super) trait Sample: Voxel {
    /// Corresponding pixel type of TIFF.
    type Gray: ColorType<Inner = Self>;
    /// Voxel with the value of a small number.
    fn small(number: i8) -> Self;
    /// Extremes of the type and neighbouring values.
    fn corners() -> Vec<Self>;
    /// Bytes in little-endian order.
    fn bytes(self) -> Vec<u8>;
    /// Exact comparison with a double.
    fn exact_cmp(self, number: f64) -> Ordering;
}

macro_rules! integers {
    ($($t:ident $gray:ident)*) => {$(
        impl Sample for $t {
            type Gray = colortype::$gray;

            fn small(number: i8) -> $t {
                number as $t
            }

            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }

            fn exact_cmp(self, number: f64) -> Ordering {
                // A number beyond 128 bits is beyond all voxels; the cast is exact or saturates.
                let below = number.floor();
                let rest = if number > below { Ordering::Less } else { Ordering::Equal };
                i128::from(self).cmp(&(below as i128)).then(rest)
            }

            fn corners() -> Vec<$t> {
                // Doubles round integers of more than 53 bits.
                let round = if $t::BITS == 64 { 1 << 53 } else { 64 };
                vec![$t::MIN, $t::MIN + 1, 0, 1, round - 1, round as $t, round as $t + 1, $t::MAX - 1, $t::MAX]
                    .into_iter()
                    .map(|voxel: $t| voxel)
                    .collect()
            }
        }
    )*};
}

macro_rules! floats {
    ($($t:ident $gray:ident)*) => {$(
        impl Sample for $t {
            type Gray = colortype::$gray;

            fn small(number: i8) -> $t {
                $t::from(number) / 2.0
            }

            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }

            fn exact_cmp(self, number: f64) -> Ordering {
                f64::from(self).partial_cmp(&number).expect("numbers")
            }

            fn corners() -> Vec<$t> {
                let least = $t::from_bits(1);
                vec![
                    $t::NEG_INFINITY, $t::MIN, -1.0, -least, -0.0, 0.0, least, $t::MIN_POSITIVE, 1.0,
                    1.0 + $t::EPSILON, $t::MAX, $t::INFINITY,
                ]
            }
        }
    )*};
}

integers!(u8 Gray8 i8 GrayI8 u16 Gray16 i16 GrayI16 u32 Gray32 i32 GrayI32 u64 Gray64 i64 GrayI64);
floats!(f32 Gray32Float f64 Gray64Float);

/// An image with its filtration and the machine for the computation.
#[derive(Debug, Clone)]
pub(super) struct Filtered {
    pub(super) image: AnyImage,
    pub(super) construction: Construction,
    pub(super) superlevel: bool,
    pub(super) machine: Machine,
}

impl Filtered {
    /// Draws an image with at most `most[axes − 1]` voxels along each axis.
    pub(super) fn draw<const N: usize>(most: [usize; N], random: &mut Random) -> Self {
        Filtered {
            image: draw(shape(most, random), random),
            construction: random.pick(&[Construction::T, Construction::V]),
            superlevel: random.once_in(2),
            machine: Machine::draw(random),
        }
    }

    /// Description of everything but the voxels.
    pub(super) fn options(&self) -> String {
        let Filtered { image, construction, superlevel, machine } = self;
        let shape = image.shape();
        let (dim, order, voxels) = (shape.dim(), shape.order(), image.voxel_type());
        format!("{voxels} {dim} {order:?} {construction} {superlevel} {machine:?}")
    }

    /// Variants with a smaller or simpler image, on a simpler machine, of sublevel sets.
    pub(super) fn smaller(&self) -> Vec<Filtered> {
        let of_image = smaller(&self.image).into_iter().map(|image| Filtered { image, ..self.clone() });
        let of_machine =
            self.machine.smaller().into_iter().map(|machine| Filtered { machine, ..self.clone() });
        let sublevel = self.superlevel.then(|| Filtered { superlevel: false, ..self.clone() });
        of_image.chain(of_machine).chain(sublevel).collect()
    }
}

/// Draws a shape of one to `N` axes, three or four, with at most `most[axes − 1]` voxels along each.
pub(super) fn shape<const N: usize>(most: [usize; N], random: &mut Random) -> Shape {
    let axes = 1 + random.pick(&[0, 1, 1, 2, 2, N - 1]);
    let extents: Vec<usize> = (0..axes).map(|_| 1 + random.below(most[axes - 1])).collect();
    Shape::new(&extents, random.pick(&[Order::C, Order::F])).expect("a few voxels")
}

/// Draws an image of any voxel type.
pub(super) fn draw(shape: Shape, random: &mut Random) -> AnyImage {
    match random.below(10) {
        0 => of::<u8>(shape, random),
        1 => of::<i8>(shape, random),
        2 => of::<u16>(shape, random),
        3 => of::<i16>(shape, random),
        4 => of::<u32>(shape, random),
        5 => of::<i32>(shape, random),
        6 => of::<u64>(shape, random),
        7 => of::<i64>(shape, random),
        8 => of::<f32>(shape, random),
        _ => of::<f64>(shape, random),
    }
}

/// Draws an image of one voxel type.
pub(super) fn of<T: Sample>(shape: Shape, random: &mut Random) -> AnyImage {
    let count = shape.count();
    let kind = random.below(10);
    let levels = random.within(1, 5) as i8;
    let corners = T::corners();
    let chosen: Vec<T> = (0..levels).map(|_| random.pick(&corners)).collect();
    let step = random.within(1, 3) as i8;
    let near = Near { key: any::<T>(random).key().to_u64(), bits: random.within(1, 12) as u32 };
    let voxel = |place: usize, random: &mut Random| -> T {
        let at = shape.coordinates(place);
        let small = |number: usize| T::small((number % 100) as i8);
        match kind {
            0 | 1 => T::small(random.within(0, i64::from(levels)) as i8),
            2 => random.pick(&chosen),
            3 => random.pick(&corners),
            4 => any(random),
            8 => near.low_bits(random),
            // Besides near values, about one voxel with an arbitrary value.
            9 if random.once_in(count) => any(random),
            9 => near.low_bits(random),
            5 => small(at.iter().sum::<usize>() % 2),
            6 => {
                let axes = shape.axes();
                let rings = at.iter().zip(&axes).map(|(&x, &extent)| (2 * x).abs_diff(extent - 1));
                small(rings.max().unwrap_or(0) % 3)
            }
            _ => small(at.iter().sum::<usize>() * step.unsigned_abs() as usize + random.below(2)),
        }
    };
    let voxels = (0..count).map(|place| voxel(place, random)).collect();
    T::any(Image::new(shape, voxels).expect("a voxel for each place"))
}

/// Numbers whose keys share all but the low bits.
struct Near {
    key: u64,
    bits: u32,
}

impl Near {
    /// Draws one of these numbers.
    fn low_bits<T: Sample>(&self, random: &mut Random) -> T {
        let low = (1_u64 << self.bits.min(T::Key::BITS)) - 1;
        let voxel = T::of_key(T::Key::from_u64(self.key & !low | random.bits() & low));
        if voxel.is_number() { voxel } else { T::small(0) }
    }
}

/// Draws a number with arbitrary bits.
fn any<T: Sample>(random: &mut Random) -> T {
    loop {
        let voxel = T::of_key(T::Key::from_u64(random.bits()));
        if voxel.is_number() {
            return voxel;
        }
    }
}

/// The array in the other memory order.
pub(super) fn turned<T: Voxel>(image: &Image<T>) -> Image<T> {
    let shape = image.shape();
    let other = if shape.order() == Order::C { Order::F } else { Order::C };
    let turned = Shape::new(&shape.axes(), other).expect("as many voxels");
    let voxels = (0..turned.count()).map(|place| image.voxels()[place_of(shape, &turned.coordinates(place))]);
    Image::new(turned, voxels.collect()).expect("as many voxels")
}

/// Index in memory of the voxel at coordinates along the user's axes.
pub(super) fn place_of(shape: Shape, coordinates: &[usize]) -> usize {
    let along = |(&at, &extent): (&usize, &usize)| (at, extent);
    let mut axes: Vec<(usize, usize)> = coordinates.iter().zip(&shape.axes()).map(along).collect();
    if shape.order() == Order::F {
        axes.reverse();
    }
    axes.into_iter().fold(0, |place, (at, extent)| place * extent + at)
}

/// Images with a slice less, or with a voxel replaced by the first.
pub(super) fn smaller(image: &AnyImage) -> Vec<AnyImage> {
    with_image!(image, image => fewer_slices(image).into_iter().chain(plainer(image)).map(Voxel::any).collect())
}

fn fewer_slices<T: Voxel>(image: &Image<T>) -> Vec<Image<T>> {
    let shape = image.shape();
    let axes = shape.axes();
    let mut smaller = Vec::new();
    for axis in (0..axes.len()).filter(|&axis| axes[axis] > 1) {
        for gone in 0..axes[axis] {
            let mut fewer = axes.clone();
            fewer[axis] -= 1;
            let fewer = Shape::new(&fewer, shape.order()).expect("fewer voxels");
            let kept = (0..shape.count()).filter(|&place| shape.coordinates(place)[axis] != gone);
            let voxels = kept.map(|place| image.voxels()[place]).collect();
            smaller.push(Image::new(fewer, voxels).expect("fewer voxels"));
        }
    }
    smaller
}

fn plainer<T: Voxel>(image: &Image<T>) -> Vec<Image<T>> {
    let voxels = image.voxels();
    let differs = |&place: &usize| voxels[place].key() != voxels[0].key();
    let like_first = |place: usize| {
        let mut voxels = voxels.to_vec();
        voxels[place] = voxels[0];
        Image::new(image.shape(), voxels).expect("as many voxels")
    };
    (1..voxels.len()).filter(differs).take(64).map(like_first).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn images_are_of_all_types_and_awkward() {
        let mut random = Random::new(5);
        let (mut types, mut infinite, mut ties, mut ends) = (HashSet::new(), 0, 0, 0);
        for _ in 0..2000 {
            let image = draw(shape([9, 5, 3], &mut random), &mut random);
            types.insert((image.voxel_type(), image.shape().order(), image.shape().dim()));
            let values: Vec<f64> = (0..image.shape().count()).map(|place| image.value(place)).collect();
            assert!(values.iter().all(|value| !value.is_nan()));
            infinite += usize::from(values.iter().any(|value| value.is_infinite()));
            ends += usize::from(values.contains(&(u64::MAX as f64)));
            ties += usize::from(values.len() > 1 && values[1..].contains(&values[0]));
        }
        assert_eq!(types.len(), 60);
        assert!(infinite > 20 && ties > 500 && ends > 20, "{infinite} {ties} {ends}");
    }

    #[test]
    fn voxels_are_compared_without_rounding() {
        let most = u64::MAX as f64;
        assert_eq!(
            (u64::MAX.exact_cmp(most), u64::MAX.exact_cmp(most.next_down())),
            (Ordering::Less, Ordering::Greater)
        );
        assert_eq!(
            (i64::MIN.exact_cmp(i64::MIN as f64), (-3_i8).exact_cmp(-2.5)),
            (Ordering::Equal, Ordering::Less)
        );
        assert_eq!((7_u8.exact_cmp(f64::INFINITY), 7_u8.exact_cmp(6.5)), (Ordering::Less, Ordering::Greater));
    }

    #[test]
    fn turning_keeps_the_coordinates() {
        let mut random = Random::new(6);
        for _ in 0..100 {
            let AnyImage::U16(image) = of::<u16>(shape([5, 4, 3], &mut random), &mut random) else {
                panic!()
            };
            let other = turned(&image);
            for place in 0..image.shape().count() {
                let at = image.shape().coordinates(place);
                assert_eq!(place_of(image.shape(), &at), place);
                assert_eq!(other.voxels()[place_of(other.shape(), &at)], image.voxels()[place]);
            }
            assert_eq!(turned(&other), image);
        }
    }
}
