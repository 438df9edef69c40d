//! Writers of the bars of an image, one per format.
//!
//! | format | module | content |
//! |---|---|---|
//! | `text` | [`crate::output::text`] | text in the style of Ripser |
//! | `csv` | [`crate::output::csv`] | one line per bar: `dim,birth,death` |
//! | `json` | [`json`] | an object: the bars, and the parameters of the run |
//! | `npy` | [`crate::output::npy`] | a NumPy array of doubles, one row per bar: dim, birth, death |
//! | `dipha` | [`dipha`] | a persistence diagram, as DIPHA writes it |
//! | `cripser` | [`cripser`] | CubicalRipser's columns, including the birth and death voxels |
//! | `npz` | [`npz`] | an archive of NumPy arrays: the bars as in `npy`, and cycles |
//!
//! All formats except `dipha` keep the order of [`Classes`]: by dimension, then by birth in filtration order. Integer
//! voxels are written as exact integers. Floating-point voxels are written as doubles: in `text` with six significant
//! digits, in `csv`, `json` and `cripser` with the fewest that read back as the same double. `npy`, `npz` and `dipha`
//! hold doubles: bars with 64-bit integers that are not exact as doubles are refused, since rounding could make
//! different values equal.
//!
//! An essential class of sublevel sets dies at infinity; one of superlevel sets, where values descend, at minus
//! infinity. Voxels may be infinite, and a class that dies at an infinite voxel is written like an essential class,
//! except in `dipha` and in `json`, where it dies at `"inf"` or `"-inf"` and an essential class at `null`.
//!
//! All threads format lines in chunks, so that memory does not grow with the number of lines.
//!
//! # Text
//! The line `WxHxD image of TYPE, C-construction, WHICH sets` (for one axis, `line of N voxels of TYPE, …`), then for
//! each dimension the line `persistence intervals in dim k:` and one line per bar, ` [birth,death)`, or ` [birth, )`
//! for an essential one. Periodic axes, if any, are named at the end of the first line: `, periodic along axes 0, 2`.
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
//! | `voxels` | the voxel type, as NumPy names it |
//! | `construction`, `superlevel` | the construction of the filtered complex |
//! | `threshold` | the value at which the filtration ends, in the units of the bars; `null` for none |
//! | `max_dim` | the highest dimension computed |
//! | `periodic` | the indices of the periodic axes, from 0; absent if there are none |
//! | `bars` | the bars; an infinite value is the string `"inf"` or `"-inf"`, the death of an essential class is `null` |
//! | `representatives` | only if cycles were requested: an object for each chosen bar, in the order of `bars`, with the keys below |
//!
//! | key of a representative | value |
//! |---|---|
//! | `dim`, `index` | the dimension of the bar, and its index among the bars of that dimension, from 0 |
//! | `birth`, `death` | as in `bars` |
//! | `birth_voxel`, `death_voxel` | the coordinates of the birth and death voxels of the class; `null` for the death of an essential bar |
//! | `cycle` | the cells of the cycle, each by its doubled centre coordinates, see [`representatives`](crate::cubical::persistence::representatives) |
//! | `voxels` | the coordinates of the voxels to which the cells belong |
//!
//! # NPY
//! Version 1.0, dtype `<f8`, C order, shape (bars, 3).
//!
//! # NPZ
//! | array | content |
//! |---|---|
//! | `bars` | as in NPY |
//! | `index_d` | int64, m: the indices of the m chosen bars of dimension d among the bars of that dimension, from 0 |
//! | `birth_voxels_d`, `death_voxels_d` | int64, m × axes: the coordinates of their birth and death voxels; a row of −1 for the death of an essential bar |
//! | `cycle_cells_d` | int64, n × axes: the concatenated cells of all cycles, as in JSON |
//! | `cycle_offsets_d` | int64, m + 1: the start of each cycle in `cycle_cells_d`, and then n |
//! | `cycle_voxels_d`, `cycle_voxel_offsets_d` | likewise for the voxels to which the cells belong |
//!
//! All arrays but `bars` exist only if cycles were requested, for each computed dimension d. Coordinates are along
//! the axes of `shape`, so that `mask[tuple(cycle_voxels_1.T)] = True` marks all loops in an array.

pub mod cripser;
pub mod dipha;
pub mod json;
pub mod npz;

use std::io::{self, Write};

use serde::Serialize;
use strum::VariantArray;

use crate::cubical::persistence::representatives::Representatives;
use crate::cubical::persistence::{Class, Classes, Limits, PersistenceRequest};
use crate::cubical::value::Inexact;
use crate::cubical::{AnyImage, Value, Voxel as _, VoxelType};
use crate::names::named;
use crate::output::table::{BarTable, Row};
use crate::output::text::{self, Digits};
use crate::output::{csv, npy};
use crate::with_image;

/// A format of the bars of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ImageBarsFormat {
    /// Text in the style of Ripser.
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
    /// An archive of NumPy arrays.
    Npz,
}

/// The bars of an image with everything that the formats store.
#[derive(Debug, Clone, Copy)]
pub struct Barcode<'a> {
    /// The image.
    pub image: &'a AnyImage,
    /// The classes of the image.
    pub classes: &'a Classes,
    /// The request that was answered.
    pub request: &'a PersistenceRequest,
    /// Where the filtration ends, if it was cut ([`Classes::cut`]).
    pub limits: Limits<'a>,
    /// Cycles of the bars, for the formats that [hold](ImageBarsFormat::holds_representatives) them.
    pub representatives: Option<&'a Representatives>,
}

impl Barcode<'_> {
    /// The bars, a section a dimension. Essential classes of superlevel sets die at minus infinity.
    pub(crate) fn table(&self) -> BarTable<'_> {
        let Barcode { image, classes, request, .. } = *self;
        let end = Value::Double(if request.superlevel { f64::NEG_INFINITY } else { f64::INFINITY });
        let sections = (0..).zip(classes.dimensions.iter().map(Vec::len)).collect();
        BarTable::new(sections, move |dim, range| {
            let row = |class: &Class| Row {
                dim: dim as u32,
                birth: image.exact(class.birth),
                death: class.death.map_or(end, |place| image.exact(place)),
                is_essential: class.death.is_none(),
            };
            classes.dimensions[dim][range].iter().map(row).collect()
        })
    }

    /// Checks that all values of bars are exact as doubles, as those of most types are.
    fn check_doubles(&self) -> Result<(), Inexact> {
        match self.image.voxel_type() {
            VoxelType::I64 | VoxelType::U64 => self.table().doubles().try_for_each(|row| row.map(drop)),
            _ => Ok(()),
        }
    }

    /// The last value of the filtration that a voxel has; `None` if it contains no voxel.
    fn last(&self) -> Option<Value> {
        let Barcode { image, request, limits, .. } = *self;
        let reached = (0..image.shape().count()).filter(|&place| limits.reach(image, request, place));
        with_image!(image, image => {
            let voxels = image.voxels();
            let last = reached.max_by_key(|&place| voxels[place].ordered(request.superlevel));
            last.map(|place| voxels[place].into())
        })
    }
}

/// Writes the line that describes the image and the filtration, and the bars.
fn write_text(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Barcode { image, request, .. } = barcode;
    let construction = request.construction;
    let which = if request.superlevel { "superlevel" } else { "sublevel" };
    let what = image.shape().described(image.voxel_type());
    write!(out, "{what}, {construction}-construction, {which} sets")?;
    if !request.periodic.is_none() {
        write!(out, ", {}", request.periodic)?;
    }
    writeln!(out)?;
    text::write_bars(&barcode.table(), Digits::Six, out)
}

impl ImageBarsFormat {
    /// Whether the format can hold cycles.
    pub fn holds_representatives(self) -> bool {
        matches!(self, ImageBarsFormat::Json | ImageBarsFormat::Npz)
    }

    /// Checks that the format holds the bars exactly.
    ///
    /// # Errors
    /// [`Inexact`]: the format holds doubles, and an end of a bar is an integer that is not exact as one.
    pub fn check(self, barcode: &Barcode<'_>) -> Result<(), Inexact> {
        let checked = match self {
            ImageBarsFormat::Npy | ImageBarsFormat::Npz => barcode.check_doubles(),
            ImageBarsFormat::Dipha => dipha::check(barcode),
            _ => Ok(()),
        };
        checked.map_err(Inexact::beside_texts)
    }

    /// Writes `barcode` to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// Errors of `out`; an error of which [`Inexact`] is the source, if [`ImageBarsFormat::check`] fails.
    pub fn write(self, barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
        match self {
            ImageBarsFormat::Text => write_text(barcode, out),
            ImageBarsFormat::Csv => csv::write(&barcode.table(), Value::push, None, out),
            ImageBarsFormat::Json => json::write(barcode, out),
            ImageBarsFormat::Npy => npy::write(&barcode.table(), out),
            ImageBarsFormat::Dipha => dipha::write(barcode, out),
            ImageBarsFormat::Cripser => cripser::write(barcode, out),
            ImageBarsFormat::Npz => npz::write(barcode, out),
        }
    }
}

named!(ImageBarsFormat);

#[cfg(test)]
mod tests;
