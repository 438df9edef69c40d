//! One writer per format of the bars of an image.
//!
//! | format | module | what it holds |
//! |---|---|---|
//! | `text` | [`text`] | what Ripser's text looks like |
//! | `csv` | [`csv`] | a line a bar: `dim,birth,death` |
//! | `json` | [`json`] | an object: the bars, and what they are of |
//! | `npy` | [`crate::output::npy`] | a NumPy array of doubles, a row a bar: dim, birth, death |
//! | `dipha` | [`dipha`] | a persistence diagram, as DIPHA writes it |
//! | `cripser` | [`cripser`] | CubicalRipser's nine columns: also the voxels where a class is born and dies |
//!
//! All but `dipha` hold the bars in the order of [`Classes`]: by dimension, then by birth in the order of the filtration. Values of integer
//! voxels are written as integers, in full. Those of floating-point voxels are written as doubles: in `text` with six significant digits, in
//! `csv`, `json` and `cripser` with the fewest that read back as the same double. `npy` and `dipha` hold doubles: bars of 64-bit integers
//! that no double is are refused, for rounding them would make different values one.
//!
//! An essential class of sublevel sets dies at infinity; of superlevel sets, where bars go down, at minus infinity. Voxels may be infinite,
//! and a class that dies at such a one is written like an essential class, but in `json`, where it dies at `"inf"` or `"-inf"` and an essential
//! class at `null`, and in `dipha`.
//!
//! Lines are made by all threads, some at a time, so that memory does not grow with them.
//!
//! # Text
//! The line `WxHxD image of TYPE, C-construction, WHICH sets` (of one axis, `line of N voxels of TYPE, …`), then for each dimension the line `persistence intervals in dim k:` and a line
//! a bar, ` [birth,death)`, or ` [birth, )` for an essential one.
//!
//! # CSV
//! ```text
//! dim,birth,death
//! 0,3,17
//! 0,2,inf
//! ```
//!
//! # JSON
//! ```text
//! {"shape":[64,48],"voxels":"u8","construction":"T","superlevel":false,"threshold":null,"max_dim":1,"bars":[
//! {"dim":0,"birth":3,"death":17},
//! {"dim":0,"birth":2,"death":null}
//! ]}
//! ```
//! | key | value |
//! |---|---|
//! | `shape` | voxels along the axes |
//! | `voxels` | the type of the voxels, as NumPy calls it |
//! | `construction`, `superlevel` | how the image is made a filtered complex |
//! | `threshold` | the value at which the filtration ends, as bars have them, `null` for none |
//! | `max_dim` | the highest dimension computed |
//! | `bars` | the bars; a value that is infinite is the string `"inf"` or `"-inf"`, the death of an essential class is `null` |
//!
//! # NPY
//! Version 1.0, dtype `<f8`, C order, shape (bars, 3).

pub mod cripser;
pub mod csv;
pub mod dipha;
pub mod json;
mod lines;
pub mod text;
mod value;

use std::io::{self, Write};

use serde::Serialize;

use crate::cubical::persistence::{Class, Classes, PersistenceRequest};
use crate::cubical::value::Inexact;
use crate::cubical::{AnyImage, Image, Key, Value, Voxel};
use crate::names::named;
use crate::with_image;

/// A format of the bars of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ImageBarsFormat {
    /// As Ripser's text.
    #[default]
    Text,
    /// Comma-separated values.
    Csv,
    /// A JSON object.
    Json,
    /// A NumPy array.
    Npy,
    /// A DIPHA persistence diagram.
    Dipha,
    /// CubicalRipser's columns.
    Cripser,
}

/// What there is to write.
#[derive(Debug, Clone, Copy)]
pub struct Barcode<'a> {
    /// The image.
    pub image: &'a AnyImage,
    /// Its classes.
    pub classes: &'a Classes,
    /// What was asked for.
    pub request: &'a PersistenceRequest,
    /// The value at which the filtration ends, if it was cut ([`Classes::cut`]).
    pub threshold: Option<Value>,
}

/// A class with the values of its voxels.
struct Bar {
    class: Class,
    birth: Value,
    death: Option<Value>,
}

/// Classes whose values are looked up at a time.
const BLOCK: usize = 1 << 8;

/// The bars of classes.
fn look_up<T: Voxel>(image: &Image<T>, classes: &[Class]) -> Vec<Bar> {
    let value = |place: usize| image.voxels()[place].into();
    let bar = |&class: &Class| Bar { class, birth: value(class.birth), death: class.death.map(value) };
    classes.iter().map(bar).collect()
}

/// The last value that a filtration reaches; none where it reaches no voxel.
fn last<T: Voxel>(image: &Image<T>, request: &PersistenceRequest, threshold: Option<Value>) -> Option<Value> {
    let within = |voxel: &&T| threshold.is_none_or(|threshold| request.reaches(threshold, (**voxel).into()));
    let key = |voxel: &&T| if request.superlevel { voxel.key().reversed() } else { voxel.key() };
    image.voxels().iter().filter(within).max_by_key(key).map(|&voxel| voxel.into())
}

impl Barcode<'_> {
    /// The bars of classes. Their voxels lie anywhere in memory; looked up many at a time, the loads overlap.
    fn bars(&self, classes: &[Class]) -> impl Iterator<Item = Bar> {
        let image = self.image;
        let bars = move |classes| with_image!(image, image => look_up(image, classes));
        classes.chunks(BLOCK).flat_map(bars)
    }

    /// All bars with their dimension.
    fn iter(&self) -> impl Iterator<Item = (usize, Bar)> {
        let dimensions = self.classes.dimensions.iter().enumerate();
        dimensions.flat_map(|(dim, classes)| self.bars(classes).map(move |bar| (dim, bar)))
    }

    /// How many there are.
    fn len(&self) -> usize {
        self.classes.dimensions.iter().map(Vec::len).sum()
    }

    /// (dim, birth, death), as doubles, or that a value is none. Of superlevel sets essential classes die at minus infinity.
    fn rows(&self) -> impl Iterator<Item = Result<[f64; 3], Inexact>> {
        let end = if self.request.superlevel { f64::NEG_INFINITY } else { f64::INFINITY };
        self.iter().map(move |(dim, bar)| {
            let death = bar.death.map_or(Ok(end), Value::exact_double)?;
            Ok([dim as f64, bar.birth.exact_double()?, death])
        })
    }

    /// The last value of the filtration; none where there are no classes.
    fn last(&self) -> Option<Value> {
        with_image!(self.image, image => last(image, self.request, self.threshold))
    }
}

impl ImageBarsFormat {
    /// Every format.
    pub const ALL: [ImageBarsFormat; 6] = [
        ImageBarsFormat::Text,
        ImageBarsFormat::Csv,
        ImageBarsFormat::Json,
        ImageBarsFormat::Npy,
        ImageBarsFormat::Dipha,
        ImageBarsFormat::Cripser,
    ];

    /// Whether the format holds the bars as they are.
    ///
    /// # Errors
    /// [`Inexact`]: it holds doubles, and one end of a bar is an integer that no double is.
    pub fn check(self, barcode: &Barcode<'_>) -> Result<(), Inexact> {
        match self {
            ImageBarsFormat::Npy => barcode.rows().try_for_each(|row| row.map(drop)),
            ImageBarsFormat::Dipha => dipha::check(barcode),
            ImageBarsFormat::Text
            | ImageBarsFormat::Csv
            | ImageBarsFormat::Json
            | ImageBarsFormat::Cripser => Ok(()),
        }
    }

    /// Writes `barcode` to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// What `out` answers; an error of which [`Inexact`] is the source, where [`ImageBarsFormat::check`] gives one.
    pub fn write(self, barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            ImageBarsFormat::Text => text::write(barcode, out),
            ImageBarsFormat::Csv => csv::write(barcode, out),
            ImageBarsFormat::Json => json::write(barcode, out),
            ImageBarsFormat::Npy => {
                let rows = barcode.rows().map(|row| row.map_err(io::Error::other));
                crate::output::npy::write_rows(barcode.len() as u64, rows, out)
            }
            ImageBarsFormat::Dipha => dipha::write(barcode, out),
            ImageBarsFormat::Cripser => cripser::write(barcode, out),
        }
    }
}

named!(ImageBarsFormat);

#[cfg(test)]
mod tests;
