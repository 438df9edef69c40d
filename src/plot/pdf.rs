//! PDF: one page of the size of the picture; a pixel is 3/4 point.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::{Content, Filter, Finish, Pdf, Rect, Ref, TextStr};

use super::canvas::{Canvas, Colour, Mark, Placed, Segment, Shape, Stroke, mapped};
use super::font::Font;
use super::png::Segment32;

/// Points per pixel.
const POINTS: f32 = 0.75;

pub(super) fn write(canvas: &Canvas, out: &mut dyn Write) -> io::Result<()> {
    let [catalog, pages, page, contents, information] = [1, 2, 3, 4, 5].map(Ref::new);
    let (width, height) = (canvas.width as f32 * POINTS, canvas.height as f32 * POINTS);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut only = pdf.page(page);
    only.media_box(Rect::new(0.0, 0.0, width, height)).parent(pages).contents(contents);
    only.resources();
    only.finish();
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&content(canvas, height))?;
    pdf.stream(contents, &encoder.finish()?).filter(Filter::FlateDecode);
    pdf.document_info(information).title(TextStr(&canvas.title)).creator(TextStr("lacuna"));
    out.write_all(&pdf.finish())
}

fn content(canvas: &Canvas, height: f32) -> Vec<u8> {
    let font = Font::new();
    let mut content = Content::new();
    content.transform([POINTS, 0.0, 0.0, -POINTS, 0.0, height]);
    for element in &canvas.elements {
        match &element.shape {
            Shape::Path { outline, fill, stroke } => paint(&mut content, outline, *fill, stroke.as_ref()),
            Shape::Marks { mark: Mark { symbol, fill, edge }, radius, at } => {
                let outline = symbol.outline(*radius);
                for &(x, y) in at {
                    let there = mapped(&outline, |right, down| (x + right, y + down));
                    paint(&mut content, &there, Some(*fill), Some(edge));
                }
            }
            Shape::Text { text, at, size, anchor, upwards, fill } => {
                let placed = Placed::new(&font, text, *at, *size, *anchor, *upwards);
                for &(glyph, right) in &placed.glyphs {
                    let outline = mapped(&font.outline(glyph), |x, y| placed.point(right, x, y));
                    paint(&mut content, &outline, Some(*fill), None);
                }
            }
        }
    }
    content.finish().into_vec()
}

fn paint(content: &mut Content, outline: &[Segment], fill: Option<Colour>, stroke: Option<&Stroke>) {
    if outline.is_empty() {
        return;
    }
    let rgb = |Colour(red, green, blue): Colour| [red, green, blue].map(|part| f32::from(part) / 255.0);
    if let Some(fill) = fill {
        let [red, green, blue] = rgb(fill);
        content.set_fill_rgb(red, green, blue);
    }
    if let Some(Stroke { colour, width, dashes }) = stroke {
        let [red, green, blue] = rgb(*colour);
        content.set_stroke_rgb(red, green, blue);
        content.set_line_width(*width as f32);
        content.set_dash_pattern(dashes.iter().map(|&length| length as f32), 0.0);
    }
    let mut last = (0.0, 0.0);
    for segment in outline {
        match segment.map32() {
            Segment32::Move([x, y]) => {
                content.move_to(x, y);
                last = (x, y);
            }
            Segment32::Line([x, y]) => {
                content.line_to(x, y);
                last = (x, y);
            }
            // PDF has only cubic curves.
            Segment32::Quad([a, b, x, y]) => {
                let near = |from: f32, control: f32| from + (control - from) * (2.0 / 3.0);
                content.cubic_to(near(last.0, a), near(last.1, b), near(x, a), near(y, b), x, y);
                last = (x, y);
            }
            Segment32::Cubic([a, b, c, d, x, y]) => {
                content.cubic_to(a, b, c, d, x, y);
                last = (x, y);
            }
            Segment32::Close => {
                content.close_path();
            }
        }
    }
    match (fill, stroke) {
        (Some(_), Some(_)) => content.fill_nonzero_and_stroke(),
        (Some(_), None) => content.fill_nonzero(),
        (None, Some(_)) => content.stroke(),
        (None, None) => content.end_path(),
    };
}
