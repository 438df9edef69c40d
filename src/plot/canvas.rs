//! What a picture is made of: paths, marks and texts, in the order in which they are painted.
//!
//! Lengths are pixels of 1/96 inch, from the upper left corner. All colours are opaque: what is to look transparent is mixed with white
//! beforehand, so that every format shows the same.

use super::font::Font;

/// A colour without transparency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    pub(super) const WHITE: Colour = Colour(255, 255, 255);
    pub(super) const TEXT: Colour = Colour(0x22, 0x22, 0x22);
    pub(super) const LINE: Colour = Colour(0x66, 0x66, 0x66);
    pub(super) const GRID: Colour = Colour(0xe6, 0xe6, 0xe6);

    /// This colour with a share of another, from 0 to 1.
    pub(super) fn mixed(self, other: Colour, share: f64) -> Colour {
        let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
        Colour(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

/// A piece of an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Segment {
    /// Begins at a point.
    Move(f64, f64),
    /// A line to a point.
    Line(f64, f64),
    /// A quadratic curve: its control point and its end.
    Quad(f64, f64, f64, f64),
    /// A cubic curve: its two control points and its end.
    Cubic(f64, f64, f64, f64, f64, f64),
    /// Back to where the piece began.
    Close,
}

/// How a line is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Stroke {
    /// Its colour.
    pub colour: Colour,
    /// Its width.
    pub width: f64,
    /// Lengths of dashes and gaps; none for a line without.
    pub dashes: Vec<f64>,
}

impl Stroke {
    pub(super) fn new(colour: Colour, width: f64) -> Stroke {
        Stroke { colour, width, dashes: Vec::new() }
    }

    pub(super) fn dashed(self, dashes: &[f64]) -> Stroke {
        Stroke { dashes: dashes.to_vec(), ..self }
    }
}

/// The shape of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// A disc.
    Circle,
    /// A triangle that stands on a side.
    Triangle,
    /// A square.
    Square,
    /// A square that stands on a corner.
    Diamond,
    /// A triangle that stands on a corner.
    TriangleDown,
    /// An upright cross.
    Plus,
    /// A slanted cross.
    Cross,
    /// A star with five points.
    Star,
}

impl Symbol {
    pub(super) const ALL: [Symbol; 8] = [
        Symbol::Circle,
        Symbol::Triangle,
        Symbol::Square,
        Symbol::Diamond,
        Symbol::TriangleDown,
        Symbol::Plus,
        Symbol::Cross,
        Symbol::Star,
    ];

    /// What the mark is called in an SVG file.
    pub fn name(self) -> &'static str {
        match self {
            Symbol::Circle => "circle",
            Symbol::Triangle => "triangle",
            Symbol::Square => "square",
            Symbol::Diamond => "diamond",
            Symbol::TriangleDown => "triangle-down",
            Symbol::Plus => "plus",
            Symbol::Cross => "cross",
            Symbol::Star => "star",
        }
    }

    /// The outline around (0, 0). All symbols of one radius cover about the same area.
    pub fn outline(self, radius: f64) -> Vec<Segment> {
        let r = radius;
        match self {
            Symbol::Circle => {
                // Four cubic curves, the usual approximation of a circle.
                let c = 0.552_284_75 * r;
                vec![
                    Segment::Move(r, 0.0),
                    Segment::Cubic(r, c, c, r, 0.0, r),
                    Segment::Cubic(-c, r, -r, c, -r, 0.0),
                    Segment::Cubic(-r, -c, -c, -r, 0.0, -r),
                    Segment::Cubic(c, -r, r, -c, r, 0.0),
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

/// How a mark looks.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Its shape.
    pub symbol: Symbol,
    /// Its colour inside.
    pub fill: Colour,
    /// The line around it, by which marks that overlap are told apart.
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

/// A closed outline through points.
pub(super) fn polygon(points: &[(f64, f64)]) -> Vec<Segment> {
    let mut outline = polyline(points);
    outline.push(Segment::Close);
    outline
}

/// Lines from point to point.
pub(super) fn polyline(points: &[(f64, f64)]) -> Vec<Segment> {
    let segment = |(k, &(x, y)): (usize, &(f64, f64))| match k {
        0 => Segment::Move(x, y),
        _ => Segment::Line(x, y),
    };
    points.iter().enumerate().map(segment).collect()
}

/// Where a text is relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// What is painted.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// An outline, filled or drawn or both.
    Path {
        /// The outline.
        outline: Vec<Segment>,
        /// Its colour inside.
        fill: Option<Colour>,
        /// Its line.
        stroke: Option<Stroke>,
    },
    /// Many marks of one kind.
    Marks {
        /// How each looks.
        mark: Mark,
        /// Their radius.
        radius: f64,
        /// Their centres.
        at: Vec<(f64, f64)>,
    },
    /// A line of text, drawn as outlines.
    Text {
        /// The text.
        text: String,
        /// The point that it is at; of the height of its base line.
        at: (f64, f64),
        /// The size of the font.
        size: f64,
        /// Where the text is relative to its point.
        anchor: Anchor,
        /// Whether it runs upwards.
        upwards: bool,
        /// Its colour.
        fill: Colour,
    },
}

/// A shape, what it is and what it is of. Both stand in SVG files.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// What it is: `bar`, `diagonal`, `tick`, ….
    pub class: &'static str,
    /// What it is of, in words.
    pub label: String,
    /// How it is painted.
    pub shape: Shape,
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Canvas {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// What it shows, for those who do not see it.
    pub title: String,
    /// What is painted, the first below the others.
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
        let shape = Shape::Text { text: text.into(), at, size, anchor, upwards: false, fill: Colour::TEXT };
        self.add(class, text, shape);
    }

    pub(super) fn text_upwards(&mut self, class: &'static str, text: &str, at: (f64, f64), size: f64) {
        let anchor = Anchor::Middle;
        let shape = Shape::Text { text: text.into(), at, size, anchor, upwards: true, fill: Colour::TEXT };
        self.add(class, text, shape);
    }
}

/// A text as outlines.
pub(super) struct Placed {
    /// The glyphs, and how far right of the beginning each is, in units of the font.
    pub(super) glyphs: Vec<(u16, f64)>,
    /// Pixels a unit of the font.
    pub(super) scale: f64,
    /// Where the text begins.
    pub(super) at: (f64, f64),
    pub(super) upwards: bool,
}

impl Placed {
    pub(super) fn new(
        font: &Font,
        text: &str,
        at: (f64, f64),
        size: f64,
        anchor: Anchor,
        upwards: bool,
    ) -> Placed {
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

    /// Where a point of a glyph is, given in units of the font, ordinates upwards.
    pub(super) fn point(&self, right: f64, x: f64, y: f64) -> (f64, f64) {
        let (along, across) = ((right + x) * self.scale, y * self.scale);
        if self.upwards {
            (self.at.0 - across, self.at.1 - along)
        } else {
            (self.at.0 + along, self.at.1 - across)
        }
    }
}

/// An outline with its points moved.
pub(super) fn mapped(outline: &[Segment], map: impl Fn(f64, f64) -> (f64, f64)) -> Vec<Segment> {
    let segment = |segment: &Segment| match *segment {
        Segment::Move(x, y) => {
            let (x, y) = map(x, y);
            Segment::Move(x, y)
        }
        Segment::Line(x, y) => {
            let (x, y) = map(x, y);
            Segment::Line(x, y)
        }
        Segment::Quad(a, b, x, y) => {
            let ((a, b), (x, y)) = (map(a, b), map(x, y));
            Segment::Quad(a, b, x, y)
        }
        Segment::Cubic(a, b, c, d, x, y) => {
            let ((a, b), (c, d), (x, y)) = (map(a, b), map(c, d), map(x, y));
            Segment::Cubic(a, b, c, d, x, y)
        }
        Segment::Close => Segment::Close,
    };
    outline.iter().map(segment).collect()
}
