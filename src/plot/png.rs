//! PNG: two dots per pixel of the picture in each direction, so that it is sharp on screens and in print.

use std::io::{self, ErrorKind, Write};

use tiny_skia::{
    FillRule, IntSize, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, StrokeDash, Transform,
};

use super::canvas::{Canvas, Colour, Mark, Placed, Segment, Shape, Stroke};
use super::font::Font;
use crate::memory;

/// Dots per pixel of 1/96 inch.
const SCALE: f32 = 2.0;

/// Dots per metre.
const DENSITY: u32 = 7559;

pub(super) fn write(canvas: &Canvas, out: &mut dyn Write) -> io::Result<()> {
    let font = Font::new();
    let dots = |length: f64| (length as f32 * SCALE).ceil() as u32;
    let (width, height) = (dots(canvas.width), dots(canvas.height));
    let mut pixmap = blank(width, height)?;
    pixmap.fill(tiny_skia::Color::WHITE);
    let mut painter = Painter { pixmap, font };
    for element in &canvas.elements {
        painter.paint(&element.shape);
    }
    encode(&painter.pixmap, out)
}

/// An empty picture.
fn blank(width: u32, height: u32) -> io::Result<Pixmap> {
    let what = || format!("a picture of {width} × {height} dots");
    let bytes = 4 * u64::from(width) * u64::from(height);
    let refused = |refused| io::Error::new(ErrorKind::OutOfMemory, format!("{}: {refused}", what()));
    memory::probe(bytes).map_err(refused)?;
    // A size that exceeds `usize` has been refused.
    let dots = memory::zeroed(bytes as usize).map_err(refused)?;
    let size = IntSize::from_wh(width, height);
    let pixmap = size.and_then(|size| Pixmap::from_vec(dots, size));
    pixmap.ok_or_else(|| io::Error::other(format!("{} has no dots", what())))
}

struct Painter {
    pixmap: Pixmap,
    font: Font,
}

impl Painter {
    fn paint(&mut self, shape: &Shape) {
        let upright = Transform::from_scale(SCALE, SCALE);
        match shape {
            Shape::Path { outline, fill, stroke } => {
                let Some(path) = path(outline) else { return };
                if let Some(fill) = fill {
                    self.fill(&path, *fill, upright);
                }
                if let Some(stroke) = stroke {
                    self.stroke(&path, stroke, upright);
                }
            }
            Shape::Marks { mark: Mark { symbol, fill, edge }, radius, at } => {
                let Some(path) = path(&symbol.outline(*radius)) else { return };
                for &(x, y) in at {
                    let there = upright.pre_translate(x as f32, y as f32);
                    self.fill(&path, *fill, there);
                    self.stroke(&path, edge, there);
                }
            }
            Shape::Text { text, at, size, anchor, upwards, fill } => {
                let placed = Placed::new(&self.font, text, *at, *size, *anchor, *upwards);
                for &(glyph, right) in &placed.glyphs {
                    let outline = self.font.outline(glyph);
                    let outline = super::canvas::mapped(&outline, |x, y| placed.point(right, x, y));
                    if let Some(path) = path(&outline) {
                        self.fill(&path, *fill, upright);
                    }
                }
            }
        }
    }

    fn fill(&mut self, path: &Path, colour: Colour, transform: Transform) {
        self.pixmap.fill_path(path, &paint(colour), FillRule::Winding, transform, None);
    }

    fn stroke(&mut self, path: &Path, stroke: &Stroke, transform: Transform) {
        let dash = StrokeDash::new(stroke.dashes.iter().map(|&length| length as f32).collect(), 0.0);
        let style = tiny_skia::Stroke {
            width: stroke.width as f32,
            line_cap: LineCap::Butt,
            line_join: LineJoin::Miter,
            dash,
            ..tiny_skia::Stroke::default()
        };
        self.pixmap.stroke_path(path, &paint(stroke.colour), &style, transform, None);
    }
}

fn paint(Colour(red, green, blue): Colour) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, 255);
    paint.anti_alias = true;
    paint
}

/// Builds the path, unless it is empty.
fn path(outline: &[Segment]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for segment in outline {
        match segment.map32() {
            Segment32::Move([x, y]) => builder.move_to(x, y),
            Segment32::Line([x, y]) => builder.line_to(x, y),
            Segment32::Quad([a, b, x, y]) => builder.quad_to(a, b, x, y),
            Segment32::Cubic([a, b, c, d, x, y]) => builder.cubic_to(a, b, c, d, x, y),
            Segment32::Close => builder.close(),
        }
    }
    builder.finish()
}

/// A [`Segment`] in single precision.
pub(super) enum Segment32 {
    Move([f32; 2]),
    Line([f32; 2]),
    Quad([f32; 4]),
    Cubic([f32; 6]),
    Close,
}

impl Segment {
    pub(super) fn map32(self) -> Segment32 {
        match self {
            Segment::Move(x, y) => Segment32::Move([x, y].map(|n| n as f32)),
            Segment::Line(x, y) => Segment32::Line([x, y].map(|n| n as f32)),
            Segment::Quad(a, b, x, y) => Segment32::Quad([a, b, x, y].map(|n| n as f32)),
            Segment::Cubic(a, b, c, d, x, y) => Segment32::Cubic([a, b, c, d, x, y].map(|n| n as f32)),
            Segment::Close => Segment32::Close,
        }
    }
}

fn encode(pixmap: &Pixmap, out: &mut dyn Write) -> io::Result<()> {
    let mut encoder = png::Encoder::new(out, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let dimensions = png::PixelDimensions { xppu: DENSITY, yppu: DENSITY, unit: png::Unit::Meter };
    encoder.set_pixel_dims(Some(dimensions));
    let mut writer = encoder.write_header()?;
    let mut rows = writer.stream_writer()?;
    let mut row = Vec::new();
    for dots in pixmap.data().chunks_exact(4 * pixmap.width() as usize) {
        row.clear();
        // All dots are opaque.
        row.extend(dots.chunks_exact(4).flat_map(|dot| [dot[0], dot[1], dot[2]]));
        rows.write_all(&row)?;
    }
    rows.finish()?;
    Ok(writer.finish()?)
}
