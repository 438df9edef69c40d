//! Axes: positions of values, ticks, titles, and lines for infinite values.

use super::canvas::{Anchor, Canvas, Colour, Segment, Stroke, polygon};
use super::font::Font;
use super::ticks::Ticks;

/// Font sizes in pixels.
pub(super) const SMALL: f64 = 11.0;
pub(super) const NORMAL: f64 = 12.5;
pub(super) const LARGE: f64 = 15.0;

/// Pixels between the end of the finite values and the line of infinity.
const GUTTER: f64 = 24.0;

/// A rectangle of the picture.
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

    /// The part that the labels and titles of a panel with this vertical axis leave for the data; without labels if
    /// there is none.
    pub(super) fn inside(&self, font: &Font, ordinates: Option<&Axis>, with_title: bool) -> Area {
        let Area { left, top, right, bottom } = *self;
        let left = left + ordinates.map_or(10.0, |axis| axis.widest(font) + 34.0);
        let bottom = bottom - if with_title { 44.0 } else { 24.0 };
        Area { left, top: top + 8.0, right: right - 14.0, bottom }
    }

    pub(super) fn outline(&self) -> Vec<Segment> {
        let Area { left, top, right, bottom } = *self;
        polygon(&[(left, top), (right, top), (right, bottom), (left, bottom)])
    }

    /// Cell in row `row` of `rows` and column `column` of `columns`.
    pub(super) fn cell(&self, (row, rows): (usize, usize), (column, columns): (usize, usize)) -> Area {
        let (width, height) = (self.width() / columns as f64, self.height() / rows as f64);
        let (left, top) = (self.left + width * column as f64, self.top + height * row as f64);
        Area { left, top, right: left + width, bottom: top + height }
    }
}

/// Range of values on an axis: the finite ones, and which infinities occur.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extent {
    low: f64,
    high: f64,
    below: bool,
    above: bool,
}

impl Extent {
    /// Range of some values, none of them NaN.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Extent {
        let none = Extent { low: f64::INFINITY, high: f64::NEG_INFINITY, below: false, above: false };
        values.into_iter().fold(none, |extent, value| match value {
            f64::INFINITY => Extent { above: true, ..extent },
            f64::NEG_INFINITY => Extent { below: true, ..extent },
            _ => Extent { low: extent.low.min(value), high: extent.high.max(value), ..extent },
        })
    }

    /// Replaces the infinities by those of another range.
    pub(super) fn with_infinities_of(self, other: Extent) -> Extent {
        Extent { below: other.below, above: other.above, ..self }
    }

    pub(super) fn without_infinities(self) -> Extent {
        Extent { below: false, above: false, ..self }
    }

    /// The range with some padding: 0 to 1 if it is empty, and for a single value a padding that suits its size.
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

/// An axis: maps values to a range of pixels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    extent: Extent,
    /// Pixels of the least and the greatest finite value.
    from: f64,
    to: f64,
    pub(super) ticks: Ticks,
    /// Number of ticks that fit.
    wanted: usize,
    title: String,
}

impl Axis {
    /// Makes the axis of `extent` from pixel `from`, at the least value, to pixel `to`, with ticks at least `spacing`
    /// pixels apart.
    pub(super) fn new(extent: Extent, from: f64, to: f64, spacing: f64, title: &str) -> Axis {
        let toward = (to - from).signum();
        let from = if extent.below { from + toward * GUTTER } else { from };
        let to = if extent.above { to - toward * GUTTER } else { to };
        let wanted = ((to - from).abs() / spacing).max(1.0) as usize;
        let ticks = Ticks::new(extent.low, extent.high, wanted, false);
        Axis { extent, from, to, ticks, wanted, title: title.to_owned() }
    }

    /// Restricts the ticks to whole numbers.
    pub(super) fn whole(mut self) -> Axis {
        self.ticks = Ticks::new(self.extent.low, self.extent.high, self.wanted, true);
        self
    }

    /// Pixel of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        let Axis { extent: Extent { low, high, .. }, from, to, .. } = *self;
        let half = GUTTER * 0.6 * (to - from).signum();
        match value {
            f64::INFINITY => to + half,
            f64::NEG_INFINITY => from - half,
            _ => from + (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) * (to - from),
        }
    }

    /// Pixels at the ends of the finite values.
    pub(super) fn finite(&self) -> (f64, f64) {
        (self.from, self.to)
    }

    /// The infinities that have lines, with their labels.
    fn infinities(&self) -> impl Iterator<Item = (f64, &'static str)> {
        let Extent { below, above, .. } = self.extent;
        let both = [(below, f64::NEG_INFINITY, "−∞"), (above, f64::INFINITY, "∞")];
        both.into_iter().filter(|(is, ..)| *is).map(|(_, value, label)| (value, label))
    }

    /// Pixels and labels of the ticks and infinities.
    fn marks(&self) -> Vec<(f64, String)> {
        let finite = self.ticks.values.iter().zip(&self.ticks.labels);
        let finite = finite.map(|(&value, label)| (self.at(value), label.clone()));
        finite.chain(self.infinities().map(|(value, label)| (self.at(value), label.to_owned()))).collect()
    }

    /// Width of the widest label.
    fn widest(&self, font: &Font) -> f64 {
        self.marks().iter().fold(0.0, |most, (_, label)| font.width(label, SMALL).max(most))
    }
}

/// The axes of a panel, with an optional title above it.
pub(super) struct Panel<'a> {
    pub(super) area: Area,
    pub(super) abscissas: &'a Axis,
    pub(super) ordinates: Option<&'a Axis>,
}

impl Panel<'_> {
    /// Draws what lies below the data: grid and lines of infinities.
    pub(super) fn draw_below(&self, canvas: &mut Canvas) {
        let Area { left, top, right, bottom } = self.area;
        let grid = Stroke::new(Colour::GRID, 1.0);
        for &value in &self.abscissas.ticks.values {
            let x = self.abscissas.at(value);
            canvas.line("grid", (x, top), (x, bottom), grid);
        }
        for &value in self.ordinates.iter().flat_map(|axis| &axis.ticks.values) {
            let y = self.ordinates.map_or(0.0, |axis| axis.at(value));
            canvas.line("grid", (left, y), (right, y), grid);
        }
        let line = Stroke::new(Colour::LINE, 1.0).dashed(&[1.5, 2.5]);
        for (value, _) in self.abscissas.infinities() {
            let x = self.abscissas.at(value);
            canvas.line("infinity", (x, top), (x, bottom), line);
        }
        if let Some(axis) = self.ordinates {
            for (value, _) in axis.infinities() {
                canvas.line("infinity", (left, axis.at(value)), (right, axis.at(value)), line);
            }
        }
    }

    /// Draws what lies around the data: frame, ticks, labels, titles.
    pub(super) fn draw_above(&self, canvas: &mut Canvas, font: &Font, has_abscissas_title: bool) {
        let Area { left, top, right, bottom } = self.area;
        let tick = Stroke::new(Colour::LINE, 1.0);
        canvas.stroke("frame", "", self.area.outline(), tick);
        let mut taken: Vec<(f64, f64)> = Vec::new();
        // Finite values come first, so that the label of an infinity can give way to that of a tick.
        for (x, label) in self.abscissas.marks() {
            canvas.line("tick-line", (x, bottom), (x, bottom + 4.0), tick);
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
            canvas.line("tick-line", (left - 4.0, y), (left, y), tick);
            canvas.text("tick-y", &label, (left - 7.0, y + 0.36 * SMALL), SMALL, Anchor::End);
        }
        let beside = left - axis.widest(font) - 16.0;
        canvas.text_upwards("axis-title", &axis.ticks.title(&axis.title), (beside, middle.1), NORMAL);
    }
}
