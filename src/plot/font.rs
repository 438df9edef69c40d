//! Texts as outlines of one font, DejaVu Sans, so that a picture looks the same everywhere.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::canvas::Segment;

/// The font DejaVu Sans.
pub(super) struct Font(Face<'static>);

impl Font {
    pub(super) fn new() -> Font {
        Font(Face::parse(dejavu::sans::regular(), 0).expect("the font comes with the crate and is whole"))
    }

    /// Font units per em.
    pub(super) fn units(&self) -> f64 {
        f64::from(self.0.units_per_em())
    }

    /// Glyphs of a text with their horizontal offsets, and the width of the text, in font units. A missing glyph is a
    /// box.
    pub(super) fn lay_out(&self, text: &str) -> (Vec<(u16, f64)>, f64) {
        let mut right = 0.0;
        let mut place = |character: char| {
            let glyph = self.0.glyph_index(character).unwrap_or(GlyphId(0));
            let here = right;
            right += f64::from(self.0.glyph_hor_advance(glyph).unwrap_or(0));
            (glyph.0, here)
        };
        let glyphs = text.chars().filter(|character| !character.is_control()).map(&mut place).collect();
        (glyphs, right)
    }

    /// Width of a text in pixels.
    pub(super) fn width(&self, text: &str, size: f64) -> f64 {
        self.lay_out(text).1 * size / self.units()
    }

    /// The text, cut with an ellipsis if it is too wide.
    pub(super) fn fitted(&self, text: &str, size: f64, most: f64) -> String {
        if self.width(text, size) <= most {
            return text.to_owned();
        }
        let room = most - self.width("…", size);
        let mut right = 0.0;
        let fits = |character: &char| {
            right += self.width(character.encode_utf8(&mut [0; 4]), size);
            right <= room
        };
        text.chars().take_while(fits).chain(['…']).collect()
    }

    /// Outline of a glyph in font units, with the vertical axis upwards. A blank has none.
    pub(super) fn outline(&self, glyph: u16) -> Vec<Segment> {
        let mut outline = Outline(Vec::new());
        let _ = self.0.outline_glyph(GlyphId(glyph), &mut outline);
        outline.0
    }
}

struct Outline(Vec<Segment>);

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.push(Segment::Move((x.into(), y.into())));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.push(Segment::Line((x.into(), y.into())));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.push(Segment::Quad((x1.into(), y1.into()), (x.into(), y.into())));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (first, second) = ((x1.into(), y1.into()), (x2.into(), y2.into()));
        self.0.push(Segment::Cubic(first, second, (x.into(), y.into())));
    }

    fn close(&mut self) {
        self.0.push(Segment::Close);
    }
}
