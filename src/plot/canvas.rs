//! Elements of a picture: paths, marks and texts, in drawing order.
//!
//! Lengths are in pixels of 1/96 inch, from the upper left corner. All colours are opaque: apparent transparency is
//! mixed with white beforehand, so that every format shows the same.

use serde::Serialize;
use strum::VariantArray;

use super::font::Font;
use crate::names::named;

/// An opaque colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    pub(super) const WHITE: Colour = Colour(255, 255, 255);
    pub(super) const TEXT: Colour = Colour(0x22, 0x22, 0x22);
    pub(super) const LINE: Colour = Colour(0x66, 0x66, 0x66);
    pub(super) const GRID: Colour = Colour(0xe6, 0xe6, 0xe6);

    /// Mixes this colour with a share, from 0 to 1, of another.
    pub(super) fn mixed(self, other: Colour, share: f64) -> Colour {
        let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
        Colour(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

/// A point, or any pair of coordinates.
pub(super) type Point<T = f64> = (T, T);

/// A segment of an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Segment<T = f64> {
    /// Start of a subpath at a point.
    Move(Point<T>),
    /// Line to a point.
    Line(Point<T>),
    /// Quadratic Bézier curve: control point and end point.
    Quad(Point<T>, Point<T>),
    /// Cubic Bézier curve: two control points and end point.
    Cubic(Point<T>, Point<T>, Point<T>),
    /// Closes the subpath.
    Close,
}

impl Segment {
    /// The segment with all points mapped.
    pub(super) fn map<T>(self, map: impl Fn(Point) -> Point<T>) -> Segment<T> {
        match self {
            Segment::Move(to) => Segment::Move(map(to)),
            Segment::Line(to) => Segment::Line(map(to)),
            Segment::Quad(by, to) => Segment::Quad(map(by), map(to)),
            Segment::Cubic(first, second, to) => Segment::Cubic(map(first), map(second), map(to)),
            Segment::Close => Segment::Close,
        }
    }
}

/// Style of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// Colour of the line.
    pub colour: Colour,
    /// Width in pixels.
    pub width: f64,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub dashes: &'static [f64],
}

impl Stroke {
    pub(super) fn new(colour: Colour, width: f64) -> Stroke {
        Stroke { colour, width, dashes: &[] }
    }

    pub(super) fn dashed(self, dashes: &'static [f64]) -> Stroke {
        Stroke { dashes, ..self }
    }
}

/// Shape of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum Symbol {
    /// A disc.
    Circle,
    /// A triangle standing on a side.
    Triangle,
    /// A square.
    Square,
    /// A square standing on a corner.
    Diamond,
    /// A triangle standing on a corner.
    TriangleDown,
    /// An upright cross.
    Plus,
    /// A slanted cross.
    Cross,
    /// A star with five points.
    Star,
}

named!(Symbol);

impl Symbol {
    /// Outline around (0, 0). All symbols of one radius cover about the same area.
    pub fn outline(self, radius: f64) -> Vec<Segment> {
        let r = radius;
        match self {
            Symbol::Circle => {
                // Four cubic curves, the usual approximation of a circle.
                let c = 0.552_284_75 * r;
                vec![
                    Segment::Move((r, 0.0)),
                    Segment::Cubic((r, c), (c, r), (0.0, r)),
                    Segment::Cubic((-c, r), (-r, c), (-r, 0.0)),
                    Segment::Cubic((-r, -c), (-c, -r), (0.0, -r)),
                    Segment::Cubic((c, -r), (r, -c), (r, 0.0)),
                    Segment::Close,
                ]
            }
            Symbol::Triangle => polygon(&ring(3, 1.35 * r, -90.0)),
            Symbol::TriangleDown => polygon(&ring(3, 1.35 * r, 90.0)),
            Symbol::Square => polygon(&ring(4, 1.25 * r, 45.0)),
            Symbol::Diamond => polygon(&ring(4, 1.3 * r, 0.0)),
            Symbol::Plus => polygon(&cross(r, 0.0)),
            Symbol::Cross => polygon(&cross(r, 45.0)),
            Symbol::Star => {
                let (outer, inner) = (ring(5, 1.5 * r, -90.0), ring(5, 0.65 * r, -54.0));
                polygon(&outer.into_iter().zip(inner).flat_map(|(a, b)| [a, b]).collect::<Vec<_>>())
            }
        }
    }
}

/// Style of a mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// Shape of the mark.
    pub symbol: Symbol,
    /// Fill colour.
    pub fill: Colour,
    /// Outline, which separates overlapping marks.
    pub edge: Stroke,
}

/// Points on a circle, beginning at an angle in degrees.
fn ring(count: usize, radius: f64, from: f64) -> Vec<(f64, f64)> {
    let at = |k: usize| (from + 360.0 * k as f64 / count as f64).to_radians();
    (0..count).map(|k| (radius * at(k).cos(), radius * at(k).sin())).collect()
}

fn cross(radius: f64, turned: f64) -> Vec<(f64, f64)> {
    let (long, short) = (1.4 * radius, 0.5 * radius);
    let quarter = [(long, -short), (long, short), (short, short)];
    let turn = |(x, y): (f64, f64), degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        (x * cos - y * sin, x * sin + y * cos)
    };
    (0..4).flat_map(|k| quarter.map(|point| turn(point, turned + 90.0 * f64::from(k)))).collect()
}

/// Closed outline through points.
pub(super) fn polygon(points: &[(f64, f64)]) -> Vec<Segment> {
    let mut outline = polyline(points);
    outline.push(Segment::Close);
    outline
}

/// Polyline through points.
pub(super) fn polyline(points: &[(f64, f64)]) -> Vec<Segment> {
    let segment = |(k, &to)| if k == 0 { Segment::Move(to) } else { Segment::Line(to) };
    points.iter().enumerate().map(segment).collect()
}

/// Position of a text relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// The text is centred at the point.
    Middle,
    /// The text ends at the point.
    End,
}

/// A drawn shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// An outline, filled, stroked or both.
    Path {
        /// The outline.
        outline: Vec<Segment>,
        /// Fill colour, if filled.
        fill: Option<Colour>,
        /// Line style, if stroked.
        stroke: Option<Stroke>,
    },
    /// Many marks of one style.
    Marks {
        /// Style of the marks.
        mark: Mark,
        /// Radius in pixels.
        radius: f64,
        /// Centres of the marks.
        at: Vec<(f64, f64)>,
    },
    /// A line of text, drawn as outlines.
    Text(Text),
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Position of the text, on its baseline.
    pub at: (f64, f64),
    /// Font size in pixels.
    pub size: f64,
    /// Position of the text relative to `at`.
    pub anchor: Anchor,
    /// Whether the text runs upwards.
    pub upwards: bool,
}

/// A shape with its class and label, which appear in SVG files.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// Class of the element: `bar`, `diagonal`, `tick`, ….
    pub class: &'static str,
    /// Label in words, such as a dimension or an input.
    pub label: String,
    /// The drawn shape.
    pub shape: Shape,
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Canvas {
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// Description of the picture, for accessibility.
    pub title: String,
    /// Drawn elements, from bottom to top.
    pub elements: Vec<Element>,
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64, title: String) -> Canvas {
        Canvas { width, height, title, elements: Vec::new() }
    }

    pub(super) fn add(&mut self, class: &'static str, label: impl Into<String>, shape: Shape) {
        self.elements.push(Element { class, label: label.into(), shape });
    }

    pub(super) fn line(&mut self, class: &'static str, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        self.stroke(class, "", polyline(&[from, to]), stroke);
    }

    pub(super) fn stroke(
        &mut self,
        class: &'static str,
        label: impl Into<String>,
        outline: Vec<Segment>,
        stroke: Stroke,
    ) {
        self.add(class, label, Shape::Path { outline, fill: None, stroke: Some(stroke) });
    }

    pub(super) fn fill(
        &mut self,
        class: &'static str,
        label: impl Into<String>,
        outline: Vec<Segment>,
        fill: Colour,
    ) {
        self.add(class, label, Shape::Path { outline, fill: Some(fill), stroke: None });
    }

    pub(super) fn text(
        &mut self,
        class: &'static str,
        text: &str,
        at: (f64, f64),
        size: f64,
        anchor: Anchor,
    ) {
        let upwards = false;
        self.add(class, text, Shape::Text(Text { text: text.into(), at, size, anchor, upwards }));
    }

    pub(super) fn text_upwards(&mut self, class: &'static str, text: &str, at: (f64, f64), size: f64) {
        let anchor = Anchor::Middle;
        self.add(class, text, Shape::Text(Text { text: text.into(), at, size, anchor, upwards: true }));
    }

    /// Calls `paint` with each outline, in drawing order: its segments, their offset, and how they are filled and
    /// stroked.
    pub(super) fn paint(&self, paint: &mut Paint<'_>) {
        let font = Font::new();
        for element in &self.elements {
            match &element.shape {
                Shape::Path { outline, fill, stroke } => paint(outline, (0.0, 0.0), *fill, stroke.as_ref()),
                Shape::Marks { mark: Mark { symbol, fill, edge }, radius, at } => {
                    let outline = symbol.outline(*radius);
                    at.iter().for_each(|&at| paint(&outline, at, Some(*fill), Some(edge)));
                }
                Shape::Text(text) => {
                    let placed = Placed::new(&font, text);
                    for &(glyph, right) in &placed.glyphs {
                        let outline = font.outline(glyph).into_iter();
                        let outline: Vec<Segment> =
                            outline.map(|segment| segment.map(|at| placed.point(right, at))).collect();
                        paint(&outline, (0.0, 0.0), Some(Colour::TEXT), None);
                    }
                }
            }
        }
    }
}

/// Draws an outline at an offset, filled and stroked.
type Paint<'a> = dyn FnMut(&[Segment], Point, Option<Colour>, Option<&Stroke>) + 'a;

/// A text laid out as glyphs.
pub(super) struct Placed {
    /// The glyphs, each with its horizontal offset in font units.
    pub(super) glyphs: Vec<(u16, f64)>,
    /// Pixels per font unit.
    pub(super) scale: f64,
    /// Start of the text.
    pub(super) at: (f64, f64),
    pub(super) upwards: bool,
}

impl Placed {
    pub(super) fn new(font: &Font, text: &Text) -> Placed {
        let &Text { ref text, at, size, anchor, upwards } = text;
        let (glyphs, width) = font.lay_out(text);
        let scale = size / font.units();
        let back = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        } * width
            * scale;
        let at = if upwards { (at.0, at.1 + back) } else { (at.0 - back, at.1) };
        Placed { glyphs, scale, at, upwards }
    }

    /// Position of a point of a glyph, given in font units with the vertical axis upwards.
    pub(super) fn point(&self, right: f64, (x, y): Point) -> Point {
        let (along, across) = ((right + x) * self.scale, y * self.scale);
        if self.upwards {
            (self.at.0 - across, self.at.1 - along)
        } else {
            (self.at.0 + along, self.at.1 - across)
        }
    }
}
