//! Axes: where a value lies, ticks, titles, and lines for values that are infinite.

use super::canvas::{Anchor, Canvas, Colour, Stroke, polygon};
use super::font::Font;
use super::ticks::Ticks;

/// The sizes of texts.
pub(super) const SMALL: f64 = 11.0;
pub(super) const NORMAL: f64 = 12.5;
pub(super) const LARGE: f64 = 15.0;

/// Pixels between the end of the finite values and the line of infinity.
const GUTTER: f64 = 24.0;

/// A part of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The part in row `row` of `rows` and column `column` of `columns`.
    pub(super) fn cell(&self, (row, rows): (usize, usize), (column, columns): (usize, usize)) -> Area {
        let (width, height) = (self.width() / columns as f64, self.height() / rows as f64);
        let (left, top) = (self.left + width * column as f64, self.top + height * row as f64);
        Area { left, top, right: left + width, bottom: top + height }
    }
}

/// The values of an axis: those that are finite, and which infinities there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extent {
    low: f64,
    high: f64,
    below: bool,
    above: bool,
}

impl Extent {
    /// That of some values, none of them NaN.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Extent {
        let none = Extent { low: f64::INFINITY, high: f64::NEG_INFINITY, below: false, above: false };
        values.into_iter().fold(none, |extent, value| match value {
            f64::INFINITY => Extent { above: true, ..extent },
            f64::NEG_INFINITY => Extent { below: true, ..extent },
            _ => Extent { low: extent.low.min(value), high: extent.high.max(value), ..extent },
        })
    }

    /// The same finite values with the infinities of another.
    pub(super) fn with_infinities_of(self, other: Extent) -> Extent {
        Extent { below: other.below, above: other.above, ..self }
    }

    pub(super) fn without_infinities(self) -> Extent {
        Extent { below: false, above: false, ..self }
    }

    /// The finite values with some room around them: 0 to 1 if there are none, and around a single one room that suits its size.
    pub(super) fn padded(self, share: f64) -> Extent {
        let Extent { low, high, .. } = self;
        let size = low.abs().max(high.abs());
        let (low, high) = if low > high {
            (0.0, 1.0)
        } else if high / 2.0 - low / 2.0 <= 1e-12 * size || size < f64::MIN_POSITIVE {
            let room = if size < f64::MIN_POSITIVE { 0.5 } else { size * 0.1 };
            (low - room, high + room)
        } else {
            let room = share * 2.0 * (high / 2.0 - low / 2.0);
            ((low - room).max(-f64::MAX), (high + room).min(f64::MAX))
        };
        Extent { low: low.max(-f64::MAX), high: high.min(f64::MAX), ..self }
    }
}

/// An axis: values along a range of pixels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    extent: Extent,
    /// The pixels of the least and the greatest finite value.
    from: f64,
    to: f64,
    pub(super) ticks: Ticks,
    /// How many ticks there is room for.
    wanted: usize,
    title: String,
}

/// How close ticks are, in pixels.
pub(super) struct Spacing(pub(super) f64);

impl Axis {
    /// The axis of `extent` from pixel `from`, where the least value is, to pixel `to`.
    pub(super) fn new(extent: Extent, from: f64, to: f64, spacing: Spacing, title: &str) -> Axis {
        let toward = (to - from).signum();
        let from = if extent.below { from + toward * GUTTER } else { from };
        let to = if extent.above { to - toward * GUTTER } else { to };
        let wanted = ((to - from).abs() / spacing.0).max(1.0) as usize;
        let ticks = Ticks::new(extent.low, extent.high, wanted, false);
        Axis { extent, from, to, ticks, wanted, title: title.to_owned() }
    }

    /// The same axis with ticks at whole numbers alone.
    pub(super) fn whole(mut self) -> Axis {
        self.ticks = Ticks::new(self.extent.low, self.extent.high, self.wanted, true);
        self
    }

    /// The pixel of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        let Axis { extent: Extent { low, high, .. }, from, to, .. } = *self;
        let half = GUTTER * 0.6 * (to - from).signum();
        match value {
            f64::INFINITY => to + half,
            f64::NEG_INFINITY => from - half,
            _ => from + (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) * (to - from),
        }
    }

    /// The pixels of the finite values.
    pub(super) fn finite(&self) -> (f64, f64) {
        (self.from, self.to)
    }

    /// The infinities that have lines, and what stands beside them.
    fn infinities(&self) -> impl Iterator<Item = (f64, &'static str)> {
        let Extent { below, above, .. } = self.extent;
        let both = [(below, f64::NEG_INFINITY, "−∞"), (above, f64::INFINITY, "∞")];
        both.into_iter().filter(|(is, ..)| *is).map(|(_, value, label)| (value, label))
    }

    /// Ticks and infinities: their pixels and labels.
    fn marks(&self) -> Vec<(f64, String)> {
        let finite = self.ticks.values.iter().zip(&self.ticks.labels);
        let finite = finite.map(|(&value, label)| (self.at(value), label.clone()));
        finite.chain(self.infinities().map(|(value, label)| (self.at(value), label.to_owned()))).collect()
    }

    /// The width of its labels.
    fn widest(&self, font: &Font) -> f64 {
        self.marks().iter().fold(0.0, |most, (_, label)| font.width(label, SMALL).max(most))
    }
}

/// The room that labels and titles of a panel take.
pub(super) struct Margins {
    left: f64,
    bottom: f64,
}

impl Margins {
    /// Those of a panel with such an axis of ordinates; without labels on it, if there are none.
    pub(super) fn of(font: &Font, ordinates: Option<&Axis>, with_title: bool) -> Margins {
        let left = ordinates.map_or(10.0, |axis| axis.widest(font) + 34.0);
        Margins { left, bottom: if with_title { 44.0 } else { 24.0 } }
    }

    /// What is left of an area for what is drawn.
    pub(super) fn inside(&self, area: Area) -> Area {
        let Area { left, top, right, bottom } = area;
        Area { left: left + self.left, top: top + 8.0, right: right - 14.0, bottom: bottom - self.bottom }
    }
}

/// The axes of a panel. Its title stands above it, if it has one.
pub(super) struct Panel<'a> {
    pub(super) area: Area,
    pub(super) abscissas: &'a Axis,
    pub(super) ordinates: Option<&'a Axis>,
}

impl Panel<'_> {
    /// Paints what lies below the data: grid, and lines of infinities.
    pub(super) fn draw_below(&self, canvas: &mut Canvas) {
        let Area { left, top, right, bottom } = self.area;
        let grid = || Stroke::new(Colour::GRID, 1.0);
        for &value in &self.abscissas.ticks.values {
            let x = self.abscissas.at(value);
            canvas.line("grid", (x, top), (x, bottom), grid());
        }
        for &value in self.ordinates.iter().flat_map(|axis| &axis.ticks.values) {
            let y = self.ordinates.map_or(0.0, |axis| axis.at(value));
            canvas.line("grid", (left, y), (right, y), grid());
        }
        let line = || Stroke::new(Colour::LINE, 1.0).dashed(&[1.5, 2.5]);
        for (value, _) in self.abscissas.infinities() {
            let x = self.abscissas.at(value);
            canvas.line("infinity", (x, top), (x, bottom), line());
        }
        if let Some(axis) = self.ordinates {
            for (value, _) in axis.infinities() {
                canvas.line("infinity", (left, axis.at(value)), (right, axis.at(value)), line());
            }
        }
    }

    /// Paints what lies around the data: frame, ticks, labels, titles.
    pub(super) fn draw_above(&self, canvas: &mut Canvas, font: &Font, has_abscissas_title: bool) {
        let Area { left, top, right, bottom } = self.area;
        let frame = polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)]);
        canvas.stroke("frame", "", frame, Stroke::new(Colour::LINE, 1.0));
        let tick = || Stroke::new(Colour::LINE, 1.0);
        let mut taken: Vec<(f64, f64)> = Vec::new();
        // Finite values first, so that a label of an infinity can make room for that of the tick beside it.
        for (x, label) in self.abscissas.marks() {
            canvas.line("tick-line", (x, bottom), (x, bottom + 4.0), tick());
            let half = font.width(&label, SMALL) / 2.0 + 2.0;
            let over = |x: f64| {
                let over = taken.iter().map(|&(from, to)| (to - (x - half)).min(x + half - from));
                over.fold(0.0, f64::max)
            };
            let outwards = match label.as_str() {
                "∞" => over(x),
                "−∞" => -over(x),
                _ => 0.0,
            };
            let x = x + outwards;
            if over(x) > 1e-9 {
                continue;
            }
            taken.push((x - half, x + half));
            canvas.text("tick-x", &label, (x, bottom + 17.0), SMALL, Anchor::Middle);
        }
        let middle = ((left + right) / 2.0, (top + bottom) / 2.0);
        if has_abscissas_title {
            let title = self.abscissas.ticks.title(&self.abscissas.title);
            canvas.text("axis-title", &title, (middle.0, bottom + 36.0), NORMAL, Anchor::Middle);
        }
        let Some(axis) = self.ordinates else { return };
        for (y, label) in axis.marks() {
            canvas.line("tick-line", (left - 4.0, y), (left, y), tick());
            canvas.text("tick-y", &label, (left - 7.0, y + 0.36 * SMALL), SMALL, Anchor::End);
        }
        let beside = left - axis.widest(font) - 16.0;
        canvas.text_upwards("axis-title", &axis.ticks.title(&axis.title), (beside, middle.1), NORMAL);
    }
}
