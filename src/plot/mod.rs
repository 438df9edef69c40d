//! Pictures of barcodes and of Euler characteristic curves, as SVG, PNG and PDF.
//!
//! A [`Plot`] says what is drawn, [`Series`] are the results that are drawn over one another, and the [`Canvas`] that comes of them is
//! written as a [`PlotFormat`].
//!
//! | kind | module | what it shows |
//! |---|---|---|
//! | `diagram` | `diagram` | a mark a bar, birth against death, on equal axes |
//! | `barcode` | `barcode` | a line a bar, from birth to death |
//! | `betti` | `curves` | how many bars of each dimension are alive at each value |
//! | `landscape` | `curves` | the persistence landscape of each dimension |
//! | `ecc` | `curves` | Euler characteristic curves, of images or of bars |
//!
//! Colours tell dimensions, marks and dashes tell inputs; see `palette`. What is too much for marks or lines becomes a density, and the
//! legend says so. Texts are outlines of one font, so that a picture is the same everywhere.
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

use crate::names::named;

/// What a picture shows of bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PlotKind {
    /// A mark a bar, birth against death.
    Diagram,
    /// A line a bar.
    Barcode,
    /// How many bars are alive at each value.
    Betti,
    /// The persistence landscape.
    Landscape,
    /// The Euler characteristic curve.
    Ecc,
}

impl PlotKind {
    /// Every kind.
    pub const ALL: [PlotKind; 5] =
        [PlotKind::Diagram, PlotKind::Barcode, PlotKind::Betti, PlotKind::Landscape, PlotKind::Ecc];

    /// Its name in titles.
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

/// A format of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PlotFormat {
    /// Scalable Vector Graphics.
    Svg,
    /// Portable Network Graphics, two dots a pixel each way.
    Png,
    /// Portable Document Format, a page.
    Pdf,
}

impl PlotFormat {
    /// Every format.
    pub const ALL: [PlotFormat; 3] = [PlotFormat::Svg, PlotFormat::Png, PlotFormat::Pdf];

    /// Writes a picture to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// What `out` answers; a PNG of more dots than memory has room for.
    pub fn write(self, canvas: &Canvas, out: &mut dyn Write) -> io::Result<()> {
        match self {
            PlotFormat::Svg => svg::write(canvas, out),
            PlotFormat::Png => png::write(canvas, out),
            PlotFormat::Pdf => pdf::write(canvas, out),
        }
    }
}

named!(PlotFormat);

/// A bar as it is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlottedBar {
    /// Its dimension, where it is known: of pairs of cells it is not.
    pub dim: Option<u32>,
    /// Where its class is born; it may be infinite.
    pub birth: f64,
    /// Where it dies: infinity if it never does, or minus infinity in a filtration that goes down.
    pub death: f64,
}

/// A result, and what it is called in the legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    name: String,
    data: SeriesData,
}

#[derive(Debug, Clone, PartialEq)]
enum SeriesData {
    Bars(Vec<PlottedBar>),
    /// Rows (value, Euler characteristic) of each curve, in the order of the filtration.
    Curves(Vec<Vec<(f64, f64)>>),
}

impl Series {
    /// Bars; those with an end that is not a number are left out.
    pub fn of_bars(name: impl Into<String>, mut bars: Vec<PlottedBar>) -> Series {
        bars.retain(|bar| !bar.birth.is_nan() && !bar.death.is_nan());
        Series { name: name.into(), data: SeriesData::Bars(bars) }
    }

    /// Euler characteristic curves of one image, at one or more scales: rows (value, Euler characteristic from there on).
    pub fn of_curves(name: impl Into<String>, curves: Vec<Vec<(f64, f64)>>) -> Series {
        Series { name: name.into(), data: SeriesData::Curves(curves) }
    }

    /// Whether it holds curves.
    pub fn is_curve(&self) -> bool {
        matches!(self.data, SeriesData::Curves(_))
    }

    /// How much it holds, in words.
    pub fn description(&self) -> String {
        match &self.data {
            SeriesData::Bars(bars) => bars_in_words(bars.len()),
            SeriesData::Curves(curves) => {
                let rows: usize = curves.iter().map(Vec::len).sum();
                let plural = |count| if count == 1 { "" } else { "s" };
                let (many, rows_many) = (plural(curves.len()), plural(rows));
                format!("{} curve{many}, {} row{rows_many}", curves.len(), ticks::grouped(rows))
            }
        }
    }

    /// The bars (birth, death) of a dimension.
    ///
    /// # Errors
    /// [`SeriesError`]: it holds curves, or pairs of cells, which have no dimensions.
    pub fn bars_of(&self, dim: usize) -> Result<Vec<(f64, f64)>, SeriesError> {
        let SeriesData::Bars(bars) = &self.data else { return Err(SeriesError::Curve) };
        if bars.iter().any(|bar| bar.dim.is_none()) {
            return Err(SeriesError::NoDimensions);
        }
        let dim = u32::try_from(dim).ok();
        Ok(bars.iter().filter(|bar| bar.dim == dim).map(|bar| (bar.birth, bar.death)).collect())
    }

    /// Its curves, if it holds any.
    pub(crate) fn curves(&self) -> &[Vec<(f64, f64)>] {
        match &self.data {
            SeriesData::Bars(_) => &[],
            SeriesData::Curves(curves) => curves,
        }
    }

    /// What it is, if it has no dimensions.
    fn without_dimensions(&self) -> Option<&'static str> {
        match &self.data {
            SeriesData::Curves(_) => Some("an Euler characteristic curve"),
            SeriesData::Bars(bars) => bars.iter().any(|bar| bar.dim.is_none()).then_some("pairs of cells"),
        }
    }

    fn bars(&self) -> &[PlottedBar] {
        match &self.data {
            SeriesData::Bars(bars) => bars,
            SeriesData::Curves(_) => &[],
        }
    }

    pub(crate) fn of_dim(&self, dim: Option<u32>) -> impl Iterator<Item = PlottedBar> + Clone + '_ {
        self.bars().iter().copied().filter(move |bar| bar.dim == dim)
    }
}

/// Why a result has no bars of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SeriesError {
    /// It is a curve.
    #[error("expected bars, found an Euler characteristic curve")]
    Curve,
    /// It is pairs of cells.
    #[error("expected bars with dimensions, found pairs of cells")]
    NoDimensions,
}

/// Why a picture cannot be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// Curves have no bars.
    #[error("{name}: expected bars for a picture of kind {kind}, found an Euler characteristic curve")]
    NoBars {
        /// The result.
        name: String,
        /// The kind of picture.
        kind: PlotKind,
    },
    /// Pairs of cells have no dimensions.
    #[error(
        "{name}: expected bars with dimensions, of which an Euler characteristic is the alternating sum, found pairs of cells"
    )]
    NoDimensions {
        /// The result.
        name: String,
    },
    /// There are no dimensions to choose some of.
    #[error("{name}: expected bars with dimensions, some of which are chosen, found {found}")]
    NoChoice {
        /// The result.
        name: String,
        /// What it is.
        found: &'static str,
    },
    /// More dimensions than anybody can look at.
    #[error("bars of {found} dimensions: expected at most {}, some of which can be chosen", MOST_DIMENSIONS)]
    Dimensions {
        /// How many there are.
        found: usize,
    },
    /// No room for a picture, or more than anybody can look at.
    #[error("a picture of {width} × {height} pixels: expected {} × {} to {} × {}", LEAST, LEAST, MOST, MOST)]
    Size {
        /// The width.
        width: u32,
        /// The height.
        height: u32,
    },
}

/// The least and the greatest width and height of a picture.
const LEAST: u32 = 160;
const MOST: u32 = 16_384;

/// The most dimensions of a picture.
const MOST_DIMENSIONS: usize = 64;

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    kind: PlotKind,
    size: Option<(u32, u32)>,
    title: Option<String>,
    dims: BTreeSet<u32>,
}

impl Plot {
    /// A picture of a kind, of the size that suits it, without a title, of all dimensions.
    pub fn new(kind: PlotKind) -> Plot {
        Plot { kind, size: None, title: None, dims: BTreeSet::new() }
    }

    /// With such a width and height in pixels of 1/96 inch.
    pub fn size(self, width: u32, height: u32) -> Plot {
        Plot { size: Some((width, height)), ..self }
    }

    /// With a title.
    pub fn title(self, title: impl Into<String>) -> Plot {
        Plot { title: Some(title.into()), ..self }
    }

    /// Of these dimensions alone; of all if there are none.
    pub fn dims(self, dims: impl IntoIterator<Item = u32>) -> Plot {
        Plot { dims: dims.into_iter().collect(), ..self }
    }

    /// Draws results over one another.
    ///
    /// # Errors
    /// [`PlotError`]: the results have no picture of this kind, or the size is none.
    pub fn draw(&self, series: &[Series]) -> Result<Canvas, PlotError> {
        if let Some((width, height)) = self.size
            && ![width, height].iter().all(|length| (LEAST..=MOST).contains(length))
        {
            return Err(PlotError::Size { width, height });
        }
        let chosen: Vec<Series> = series.iter().map(|series| self.chosen(series)).collect();
        for series in &chosen {
            let name = || series.name.clone();
            if self.kind != PlotKind::Ecc && series.is_curve() {
                return Err(PlotError::NoBars { name: name(), kind: self.kind });
            }
            if let Some(found) = series.without_dimensions().filter(|_| !self.dims.is_empty()) {
                return Err(PlotError::NoChoice { name: name(), found });
            }
            if self.kind == PlotKind::Ecc && series.bars().iter().any(|bar| bar.dim.is_none()) {
                return Err(PlotError::NoDimensions { name: name() });
            }
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

    /// A result without the dimensions that are not wanted.
    fn chosen(&self, series: &Series) -> Series {
        let is_wanted =
            |bar: &&PlottedBar| self.dims.is_empty() || bar.dim.is_none_or(|dim| self.dims.contains(&dim));
        let data = match &series.data {
            SeriesData::Bars(bars) => SeriesData::Bars(bars.iter().filter(is_wanted).copied().collect()),
            SeriesData::Curves(curves) => SeriesData::Curves(curves.clone()),
        };
        Series { name: series.name.clone(), data }
    }
}

/// The height of the title.
const TITLE: f64 = 30.0;

/// A picture under way: its title and legend are painted, and the rest of its area is free.
struct Sheet {
    canvas: Canvas,
    font: Font,
    area: Area,
}

impl Sheet {
    /// A picture of the size that was asked for, or else one with room for the title, the legend and what takes `size`.
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
            // In the middle of what is drawn, unless it is too wide for that.
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

    /// Says in an area, above its diagonal, that there is nothing in it.
    fn say_empty(&mut self, area: Area, words: &str) {
        let middle = ((area.left + area.right) / 2.0, area.top + area.height() / 3.0);
        self.canvas.text("empty", words, middle, axes::NORMAL, Anchor::Middle);
    }
}

/// The dimensions that occur, ascending.
pub(crate) fn dims_of(series: &[Series]) -> Vec<Option<u32>> {
    let dims: BTreeSet<Option<u32>> = series.iter().flat_map(Series::bars).map(|bar| bar.dim).collect();
    dims.into_iter().collect()
}

/// What a dimension is called.
pub(crate) fn name_of_dim(dim: Option<u32>) -> String {
    dim.map_or_else(|| "pairs".to_owned(), |dim| format!("H{}", ticks::lowered(dim)))
}

/// A number of bars in words.
fn bars_in_words(count: usize) -> String {
    format!("{} bar{}", ticks::grouped(count), if count == 1 { "" } else { "s" })
}

/// The number of a dimension among colours and marks.
fn number_of(dim: Option<u32>) -> u32 {
    dim.unwrap_or(2)
}

/// Entries for the dimensions and the inputs of lines or marks; `swatch` draws one of a dimension's and an input's number.
fn legend_of(
    series: &[Series],
    counts: bool,
    of_dim: impl Fn(Option<u32>) -> Swatch,
    of_input: impl Fn(usize) -> Swatch,
) -> Legend {
    let mut legend = Legend::default();
    if series.len() > 1 {
        let most = if matches!(of_input(0), Swatch::Line(_)) { palette::LINES } else { palette::MARKS };
        if series.len() > most {
            legend.add(Swatch::None, format!("Looks repeat after {most} inputs:"));
        }
        for (k, of_one) in series.iter().enumerate() {
            // Two inputs of one name are two entries.
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
