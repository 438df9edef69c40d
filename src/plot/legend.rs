//! The legend, right of the picture: explains colours, marks, dashes and shades.

use super::axes::{Area, SMALL};
use super::canvas::{Anchor, Canvas, Colour, Mark, Shape, Stroke, polyline};
use super::density::{SHADES, share};
use super::font::Font;
use super::palette;
use super::ticks::grouped;

/// Height of a line.
const LINE: f64 = 19.0;

/// Radius of marks that explain a shape or colour.
pub(super) const LEGEND_MARK: f64 = 4.2;

/// Width of the swatch before the words.
const SWATCH: f64 = 26.0;

/// Greatest share of the picture's width that a legend takes.
const MOST: f64 = 0.36;

/// Greatest width of a legend in a picture without a given size.
const WIDEST: f64 = 260.0;

/// Sample before the words of an entry.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Swatch {
    /// A mark of this radius.
    Mark(Mark, f64),
    Line(Stroke),
    Bar(Colour),
    /// The shades from one bar to this number.
    Densities(usize),
    /// No sample: the words begin at the edge.
    None,
}

/// The entries from top to bottom.
#[derive(Debug, Clone, Default)]
pub(super) struct Legend(Vec<(Swatch, String)>);

impl Legend {
    pub(super) fn add(&mut self, swatch: Swatch, words: impl Into<String>) {
        let entry = (swatch, words.into());
        if !self.0.contains(&entry) {
            self.0.push(entry);
        }
    }

    /// Width of the legend in a picture of a given width.
    pub(super) fn width(&self, font: &Font, picture: f64) -> f64 {
        self.natural_width(font).min(MOST * picture)
    }

    /// Width of the legend in a picture without a given size.
    pub(super) fn natural_width(&self, font: &Font) -> f64 {
        let of_entry = |(swatch, words): &(Swatch, String)| {
            let swatch = if *swatch == Swatch::None { 0.0 } else { SWATCH };
            swatch + font.width(words, SMALL)
        };
        let widest = self.0.iter().map(of_entry).fold(0.0, f64::max);
        if self.0.is_empty() { 0.0 } else { (widest + 24.0).min(WIDEST) }
    }

    /// Draws the entries from the upper left corner of an area, as far as there is room.
    pub(super) fn draw(&self, canvas: &mut Canvas, font: &Font, area: Area) {
        let (left, mut top) = (area.left, area.top + 8.0);
        for (k, (swatch, words)) in self.0.iter().enumerate() {
            let needed = match swatch {
                Swatch::Densities(_) => 128.0,
                Swatch::Mark(_, radius) => LINE.max(2.0 * radius + 4.0),
                _ => LINE,
            };
            if top + needed > area.bottom && k + 1 < self.0.len() {
                let more = format!("and {} more", self.0.len() - k);
                canvas.text("legend", &more, (left, top + 13.0), SMALL, Anchor::Start);
                return;
            }
            let middle = top + if matches!(swatch, Swatch::Mark(..)) { needed } else { LINE } / 2.0;
            let indent = if *swatch == Swatch::None { 0.0 } else { SWATCH };
            let shown = font.fitted(words, SMALL, area.width() - indent - 8.0);
            match swatch {
                Swatch::Mark(mark, radius) => {
                    let at = vec![(left + 10.0, middle)];
                    canvas.add("legend-mark", words, Shape::Marks { mark: *mark, radius: *radius, at });
                }
                Swatch::Line(stroke) => {
                    let line = polyline(&[(left, middle), (left + SWATCH - 6.0, middle)]);
                    canvas.stroke("legend-line", words, line, *stroke);
                }
                Swatch::Bar(fill) => {
                    let right = left + SWATCH - 6.0;
                    let bar = Area { left, top: middle - 4.0, right, bottom: middle + 4.0 };
                    canvas.fill("legend-bar", words, bar.outline(), *fill);
                }
                Swatch::Densities(most) => {
                    canvas.text("legend", &shown, (left, middle + 4.0), SMALL, Anchor::Start);
                    draw_densities(canvas, (left, top + LINE + 2.0), *most);
                    top += needed;
                    continue;
                }
                Swatch::None => {}
            }
            canvas.text("legend", &shown, (left + indent, middle + 4.0), SMALL, Anchor::Start);
            top += needed;
        }
    }
}

/// A column of shades labelled with powers of ten.
fn draw_densities(canvas: &mut Canvas, (left, top): (f64, f64), most: usize) {
    const HEIGHT: f64 = 96.0;
    for k in 0..SHADES {
        let (y0, y1) = (HEIGHT * k as f64 / SHADES as f64, HEIGHT * (k + 1) as f64 / SHADES as f64);
        let share = 1.0 - (k as f64 + 0.5) / SHADES as f64;
        let shade = Area { left, top: top + y0, right: left + 14.0, bottom: top + y1 };
        canvas.fill("density-scale", "", shade.outline(), palette::density(share));
    }
    let powers = (0..20).map(|power| 10usize.pow(power)).take_while(|&count| count <= most);
    for count in powers {
        let y = top + HEIGHT * (1.0 - share(count, most));
        canvas.line("tick-line", (left + 14.0, y), (left + 18.0, y), Stroke::new(Colour::LINE, 1.0));
        canvas.text("density-tick", &grouped(count), (left + 22.0, y + 4.0), SMALL, Anchor::Start);
    }
}
