//! PDF: one page of the size of the picture; a pixel is 3/4 point.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::{Content, Filter, Finish, Pdf, Rect, Ref, TextStr};

use super::canvas::{Canvas, Colour, Segment, Stroke};

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
    let mut content = Content::new();
    content.transform([POINTS, 0.0, 0.0, -POINTS, 0.0, height]);
    canvas.paint(&mut |outline, (right, down), fill, stroke| {
        if !outline.is_empty() {
            let there = |(x, y)| ((x + right) as f32, (y + down) as f32);
            let outline = outline.iter().map(|segment| segment.map(there));
            paint(&mut content, outline, fill, stroke);
        }
    });
    content.finish().into_vec()
}

fn paint(
    content: &mut Content,
    outline: impl Iterator<Item = Segment<f32>>,
    fill: Option<Colour>,
    stroke: Option<&Stroke>,
) {
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
        match segment {
            Segment::Move((x, y)) => content.move_to(x, y),
            Segment::Line((x, y)) => content.line_to(x, y),
            // PDF has only cubic curves.
            Segment::Quad((a, b), (x, y)) => {
                let near = |from: f32, control: f32| from + (control - from) * (2.0 / 3.0);
                content.cubic_to(near(last.0, a), near(last.1, b), near(x, a), near(y, b), x, y)
            }
            Segment::Cubic((a, b), (c, d), (x, y)) => content.cubic_to(a, b, c, d, x, y),
            Segment::Close => content.close_path(),
        };
        if let Segment::Move(to) | Segment::Line(to) | Segment::Quad(_, to) | Segment::Cubic(.., to) = segment
        {
            last = to;
        }
    }
    match (fill, stroke) {
        (Some(_), Some(_)) => content.fill_nonzero_and_stroke(),
        (Some(_), None) => content.fill_nonzero(),
        (None, Some(_)) => content.stroke(),
        (None, None) => content.end_path(),
    };
}
