//! PNG: two dots per pixel of the picture in each direction, so that it is sharp on screens and in print.

use std::io::{self, ErrorKind, Write};

use tiny_skia::{
    FillRule, IntSize, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, StrokeDash, Transform,
};

use super::canvas::{Canvas, Colour, Segment, Stroke};
use crate::memory;

/// Dots per pixel of 1/96 inch.
const SCALE: f32 = 2.0;

/// Dots per metre.
const DENSITY: u32 = 7559;

pub(super) fn write(canvas: &Canvas, out: &mut dyn Write) -> io::Result<()> {
    let dots = |length: f64| (length as f32 * SCALE).ceil() as u32;
    let (width, height) = (dots(canvas.width), dots(canvas.height));
    let mut pixmap = blank(width, height)?;
    pixmap.fill(tiny_skia::Color::WHITE);
    canvas.paint(&mut |outline, (right, down), fill, stroke| {
        let Some(path) = path(outline) else { return };
        let there = Transform::from_scale(SCALE, SCALE).pre_translate(right as f32, down as f32);
        if let Some(fill) = fill {
            pixmap.fill_path(&path, &paint(fill), FillRule::Winding, there, None);
        }
        if let Some(stroke) = stroke {
            pixmap.stroke_path(&path, &paint(stroke.colour), &style(stroke), there, None);
        }
    });
    encode(&pixmap, out)
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

fn style(stroke: &Stroke) -> tiny_skia::Stroke {
    tiny_skia::Stroke {
        width: stroke.width as f32,
        line_cap: LineCap::Butt,
        line_join: LineJoin::Miter,
        dash: StrokeDash::new(stroke.dashes.iter().map(|&length| length as f32).collect(), 0.0),
        ..tiny_skia::Stroke::default()
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
        match segment.map(|(x, y)| (x as f32, y as f32)) {
            Segment::Move((x, y)) => builder.move_to(x, y),
            Segment::Line((x, y)) => builder.line_to(x, y),
            Segment::Quad((a, b), (x, y)) => builder.quad_to(a, b, x, y),
            Segment::Cubic((a, b), (c, d), (x, y)) => builder.cubic_to(a, b, c, d, x, y),
            Segment::Close => builder.close(),
        }
    }
    builder.finish()
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
