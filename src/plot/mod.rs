//! Pictures of barcodes and of Euler characteristic curves, as SVG, PNG and PDF.
//!
//! A [`Plot`] is the description of a picture, and [`Series`] are the results that are drawn over one another. The
//! resulting [`Canvas`] is written as a [`PlotFormat`].
//!
//! | kind | module | what it shows |
//! |---|---|---|
//! | `diagram` | `diagram` | a mark a bar, birth against death, on equal axes |
//! | `barcode` | `barcode` | a line a bar, from birth to death |
//! | `betti` | `curves` | how many bars of each dimension are alive at each value |
//! | `landscape` | `curves` | the persistence landscape of each dimension |
//! | `ecc` | `curves` | Euler characteristic curves, of images or of bars |
//!
//! Colours distinguish dimensions, marks and dashes distinguish inputs; see `palette`. Too many marks or lines become a
//! density, and the legend says so. Texts are outlines of one font, so that a picture is the same everywhere.
//!
//! ```
//! use lacuna::plot::{Plot, PlotFormat, PlotKind, PlottedBar, Series};
//!
//! let bar = |dim, birth, death| PlottedBar { dim: Some(dim), birth, death };
//! let bars = vec![bar(0, 0.0, f64::INFINITY), bar(1, 1.0, 2.0)];
//! let canvas = Plot::new(PlotKind::Diagram).draw(&[Series::of_bars("square", bars)])?;
//! let mut svg = Vec::new();
//! PlotFormat::Svg.write(&canvas, &mut svg)?;
//! assert!(svg.starts_with(b"<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod axes;
mod barcode;
mod canvas;
mod curves;
mod density;
mod diagram;
mod font;
mod legend;
mod palette;
mod pdf;
mod png;
pub mod read;
mod source;
mod svg;
mod ticks;

use std::collections::BTreeSet;
use std::io::{self, Write};

use axes::{Area, LARGE};
use canvas::Anchor;
pub use canvas::Canvas;
pub(crate) use curves::ascending;
use font::Font;
use legend::{Legend, Swatch};
use serde::Serialize;
use strum::VariantArray;

use crate::names::named;

/// Kinds of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PlotKind {
    /// One mark per bar, birth against death.
    Diagram,
    /// One line per bar.
    Barcode,
    /// Number of bars that are alive at each value.
    Betti,
    /// The persistence landscape.
    Landscape,
    /// The Euler characteristic curve.
    Ecc,
}

impl PlotKind {
    /// Name in titles.
    fn words(self) -> &'static str {
        match self {
            PlotKind::Diagram => "Persistence diagram",
            PlotKind::Barcode => "Barcode",
            PlotKind::Betti => "Betti curves",
            PlotKind::Landscape => "Persistence landscape",
            PlotKind::Ecc => "Euler characteristic curve",
        }
    }
}

named!(PlotKind);

/// Formats of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PlotFormat {
    /// Scalable Vector Graphics.
    Svg,
    /// Portable Network Graphics, with two dots per pixel in each direction.
    Png,
    /// Portable Document Format, one page.
    Pdf,
}

impl PlotFormat {
    /// Writes a picture to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// Those of `out`; a PNG that is too large for memory.
    pub fn write(self, canvas: &Canvas, out: &mut dyn Write) -> io::Result<()> {
        match self {
            PlotFormat::Svg => svg::write(canvas, out),
            PlotFormat::Png => png::write(canvas, out),
            PlotFormat::Pdf => pdf::write(canvas, out),
        }
    }
}

named!(PlotFormat);

/// A bar for drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlottedBar {
    /// Homology dimension; `None` for pairs of cells.
    pub dim: Option<u32>,
    /// Birth, possibly infinite.
    pub birth: f64,
    /// Death: infinity for an essential bar, or minus infinity in a descending filtration.
    pub death: f64,
}

/// A result with its name in the legend: bars or curves.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    name: String,
    bars: Vec<PlottedBar>,
    /// Rows (value, Euler characteristic) of each curve, in the order of the filtration; empty for bars.
    curves: Vec<Vec<(f64, f64)>>,
}

impl Series {
    /// Makes a series of bars; those with NaN are omitted.
    pub fn of_bars(name: impl Into<String>, mut bars: Vec<PlottedBar>) -> Series {
        bars.retain(|bar| !bar.birth.is_nan() && !bar.death.is_nan());
        Series { name: name.into(), bars, curves: Vec::new() }
    }

    /// Makes a series of the Euler characteristic curves, at least one, of an image, at one or more scales: rows (value, Euler
    /// characteristic from there on).
    pub fn of_curves(name: impl Into<String>, curves: Vec<Vec<(f64, f64)>>) -> Series {
        Series { name: name.into(), bars: Vec::new(), curves }
    }

    /// Whether the series holds curves.
    pub fn is_curve(&self) -> bool {
        !self.curves.is_empty()
    }

    /// Size of the content in words.
    pub fn description(&self) -> String {
        if !self.is_curve() {
            return bars_in_words(self.bars.len());
        }
        let rows: usize = self.curves.iter().map(Vec::len).sum();
        let plural = |count| if count == 1 { "" } else { "s" };
        let (many, rows_many) = (plural(self.curves.len()), plural(rows));
        format!("{} curve{many}, {} row{rows_many}", self.curves.len(), ticks::grouped(rows))
    }

    /// The bars (birth, death) of a dimension.
    ///
    /// # Errors
    /// [`NoDimensions`]: the series holds curves, or pairs of cells.
    pub fn bars_of(&self, dim: usize) -> Result<Vec<(f64, f64)>, NoDimensions> {
        if let Some(found) = self.without_dimensions() {
            return Err(NoDimensions { found });
        }
        let dim = u32::try_from(dim).ok();
        Ok(self.bars.iter().filter(|bar| bar.dim == dim).map(|bar| (bar.birth, bar.death)).collect())
    }

    /// The curves; empty for bars.
    pub(crate) fn curves(&self) -> &[Vec<(f64, f64)>] {
        &self.curves
    }

    /// Description of the content, if it has no dimensions.
    fn without_dimensions(&self) -> Option<&'static str> {
        if self.is_curve() {
            return Some("an Euler characteristic curve");
        }
        self.bars.iter().any(|bar| bar.dim.is_none()).then_some("pairs of cells")
    }

    fn bars(&self) -> &[PlottedBar] {
        &self.bars
    }

    pub(crate) fn of_dim(&self, dim: Option<u32>) -> impl Iterator<Item = PlottedBar> + Clone + '_ {
        self.bars().iter().copied().filter(move |bar| bar.dim == dim)
    }
}

/// The error of a result that has no bars of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected bars with dimensions, found {found}")]
pub struct NoDimensions {
    found: &'static str,
}

/// Reasons why a picture cannot be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The result is not of the type that the picture shows.
    #[error("{name}: expected {expected}, found {found}")]
    Content {
        /// Name of the result.
        name: String,
        /// Description of the results that the picture can show.
        expected: String,
        /// Description of the result.
        found: &'static str,
    },
    /// Too many dimensions for a picture.
    #[error("bars of {found} dimensions: expected at most {}, some of which can be chosen", MOST_DIMENSIONS)]
    Dimensions {
        /// Number of dimensions.
        found: usize,
    },
    /// The size is too small or too large for a picture.
    #[error("a picture of {width} × {height} pixels: expected {} × {} to {} × {}", LEAST, LEAST, MOST, MOST)]
    Size {
        /// The width.
        width: u32,
        /// The height.
        height: u32,
    },
}

/// Smallest and largest width and height of a picture in pixels.
const LEAST: u32 = 160;
const MOST: u32 = 16_384;

/// Maximal number of dimensions in a picture.
const MOST_DIMENSIONS: usize = 64;

/// Description of a picture: kind, size, title and dimensions.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// Kind of the picture.
    pub kind: PlotKind,
    /// Width and height in pixels of 1/96 inch; by default, those that suit the content.
    pub size: Option<(u32, u32)>,
    /// Title above the picture.
    pub title: Option<String>,
    /// Dimensions of the bars that are drawn; all if it is empty.
    pub dims: BTreeSet<u32>,
}

impl Plot {
    /// A picture of a kind, of default size, without a title, of all dimensions.
    pub fn new(kind: PlotKind) -> Plot {
        Plot { kind, size: None, title: None, dims: BTreeSet::new() }
    }

    /// Draws results over one another.
    ///
    /// # Errors
    /// [`PlotError`] if the results have no picture of this kind, or the size is out of range.
    pub fn draw(&self, series: &[Series]) -> Result<Canvas, PlotError> {
        if let Some((width, height)) = self.size
            && ![width, height].iter().all(|length| (LEAST..=MOST).contains(length))
        {
            return Err(PlotError::Size { width, height });
        }
        let chosen: Vec<Series> = series.iter().map(|series| self.chosen(series)).collect();
        for series in &chosen {
            let Some(found) = series.without_dimensions() else { continue };
            let expected = if self.kind != PlotKind::Ecc && series.is_curve() {
                format!("bars for a picture of kind {}", self.kind)
            } else if !self.dims.is_empty() {
                "bars with dimensions, some of which are chosen".to_owned()
            } else if self.kind == PlotKind::Ecc && !series.is_curve() {
                "bars with dimensions, of which an Euler characteristic is the alternating sum".to_owned()
            } else {
                continue;
            };
            return Err(PlotError::Content { name: series.name.clone(), expected, found });
        }
        let found = dims_of(&chosen).len();
        if found > MOST_DIMENSIONS {
            return Err(PlotError::Dimensions { found });
        }
        Ok(match self.kind {
            PlotKind::Diagram => diagram::draw(self, &chosen),
            PlotKind::Barcode => barcode::draw(self, &chosen),
            PlotKind::Betti => curves::draw_betti(self, &chosen),
            PlotKind::Landscape => curves::draw_landscape(self, &chosen),
            PlotKind::Ecc => curves::draw_euler(self, &chosen),
        })
    }

    /// A result restricted to the chosen dimensions.
    fn chosen(&self, series: &Series) -> Series {
        let is_wanted =
            |bar: &&PlottedBar| self.dims.is_empty() || bar.dim.is_none_or(|dim| self.dims.contains(&dim));
        let bars = series.bars.iter().filter(is_wanted).copied().collect();
        Series { name: series.name.clone(), bars, curves: series.curves.clone() }
    }
}

/// Height of the title in pixels.
const TITLE: f64 = 30.0;

/// An unfinished picture: title and legend are drawn, and the rest of its area is free.
struct Sheet {
    canvas: Canvas,
    font: Font,
    area: Area,
}

impl Sheet {
    /// Makes a picture of the requested size, or one with room for the title, the legend and a content of `size`.
    fn new(plot: &Plot, series: &[Series], size: (f64, f64), legend: &Legend) -> Sheet {
        let font = Font::new();
        let title = if plot.title.is_some() { TITLE } else { 0.0 };
        let most = f64::from(MOST);
        let suiting =
            || ((size.0 + legend.natural_width(&font)).round().min(most), (size.1 + title).min(most));
        let (width, height) = plot.size.map_or_else(suiting, |(width, height)| (width.into(), height.into()));
        let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
        let what = format!("{} of {}", plot.kind.words(), names.join(", "));
        let mut canvas = Canvas::new(width, height, plot.title.clone().unwrap_or(what));
        let mut area = Area { left: 8.0, top: 8.0, right: width, bottom: height - 4.0 };
        let beside = legend.width(&font, width);
        if let Some(title) = &plot.title {
            let shown = font.fitted(title, LARGE, width - 24.0);
            let middle = (width - beside) / 2.0;
            // Centred above the content, unless it is too wide.
            let fits = font.width(&shown, LARGE) / 2.0 < middle - 8.0;
            let middle = if fits { middle } else { width / 2.0 };
            canvas.text("title", &shown, (middle, 27.0), LARGE, Anchor::Middle);
            area.top += TITLE;
        }
        area.right -= beside;
        let right = Area { left: area.right, right: width, ..area };
        legend.draw(&mut canvas, &font, right);
        Sheet { canvas, font, area }
    }

    /// Writes in an area, above its diagonal, that it is empty.
    fn say_empty(&mut self, area: Area, words: &str) {
        let middle = ((area.left + area.right) / 2.0, area.top + area.height() / 3.0);
        self.canvas.text("empty", words, middle, axes::NORMAL, Anchor::Middle);
    }
}

/// Occurring dimensions in ascending order.
pub(crate) fn dims_of(series: &[Series]) -> Vec<Option<u32>> {
    let dims: BTreeSet<Option<u32>> = series.iter().flat_map(Series::bars).map(|bar| bar.dim).collect();
    dims.into_iter().collect()
}

/// Name of a dimension.
pub(crate) fn name_of_dim(dim: Option<u32>) -> String {
    dim.map_or_else(|| "pairs".to_owned(), |dim| format!("H{}", ticks::lowered(dim)))
}

/// Name of a dimension, after that of the input if there are several.
fn label_of(series: &[Series], input: usize, dim: Option<u32>) -> String {
    let name = name_of_dim(dim);
    if series.len() > 1 { format!("{}, {name}", series[input].name) } else { name }
}

/// Number of bars in words.
fn bars_in_words(count: usize) -> String {
    format!("{} bar{}", ticks::grouped(count), if count == 1 { "" } else { "s" })
}

/// Number of a dimension in the sequences of colours and marks.
fn number_of(dim: Option<u32>) -> u32 {
    dim.unwrap_or(2)
}

/// Legend entries for dimensions and inputs; `swatch` draws the sample of a dimension's or input's number.
fn legend_of(
    series: &[Series],
    counts: bool,
    of_dim: &dyn Fn(Option<u32>) -> Swatch,
    of_input: &dyn Fn(usize) -> Swatch,
) -> Legend {
    let mut legend = Legend::default();
    if series.len() > 1 {
        let most = if matches!(of_input(0), Swatch::Line(_)) { palette::LINES } else { palette::MARKS };
        if series.len() > most {
            legend.add(Swatch::None, format!("Looks repeat after {most} inputs:"));
        }
        for (k, of_one) in series.iter().enumerate() {
            // A repeated input name gets a number.
            let again = series[..k].iter().filter(|before| before.name == of_one.name).count();
            let again = if again == 0 { String::new() } else { format!(" ({})", again + 1) };
            legend.add(of_input(k), format!("{}{again}", of_one.name));
        }
    }
    for dim in dims_of(series) {
        let count: usize = series.iter().map(|series| series.of_dim(dim).count()).sum();
        let count = if counts { format!(": {}", bars_in_words(count)) } else { String::new() };
        legend.add(of_dim(dim), format!("{}{count}", name_of_dim(dim)));
    }
    legend
}
