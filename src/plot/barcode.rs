//! Barcodes: one line per bar, from birth to death, sorted by dimension, input, birth and death.
//!
//! If there are too many bars, a line stands for many consecutive ones: it is darkest where all of them are alive and
//! lightest where few are.

use super::axes::{Area, Axis, Extent, NORMAL, Panel};
use super::canvas::{Anchor, Canvas, Colour, Segment, Shape, Stroke};
use super::legend::{LEGEND_MARK, Swatch};
use super::{Plot, PlottedBar, Series, Sheet, dims_of, label_of, legend_of, name_of_dim, number_of, palette};

/// Height of a bar if there is enough room, and the smallest at which each bar has its own line.
const ROOMY: f64 = 7.0;
const TIGHT: f64 = 1.3;

/// Height of a line that stands for many bars.
const BAND: f64 = 2.0;

/// Pixels between dimensions or inputs.
const GAP: f64 = 10.0;

/// Shares of the bars of a line that are alive, and the share of white in their colours.
const SHARES: [(f64, f64); 4] = [(0.0, 0.72), (0.25, 0.48), (0.5, 0.24), (0.75, 0.0)];

/// The bars of one dimension and input.
struct Section {
    dim: Option<u32>,
    input: usize,
    /// Each bar from its lesser to its greater end.
    bars: Vec<(f64, f64)>,
}

pub(super) fn draw(plot: &Plot, series: &[Series]) -> Canvas {
    let sections = sections(series);
    let count: usize = sections.iter().map(|section| section.bars.len()).sum();
    let gaps = GAP * (sections.len() + 1) as f64;
    let height = (count as f64 * ROOMY + gaps + 70.0).clamp(220.0, 640.0);
    let mut legend = legend_of(series, true, &|dim| Swatch::Bar(palette::colour(number_of(dim))), &|input| {
        Swatch::Mark(palette::mark(input, Colour::LINE), LEGEND_MARK)
    });
    let sheet = |legend: &_| Sheet::new(plot, series, (560.0, height), legend);
    let inside = |sheet: &Sheet| {
        let inside = sheet.area.inside(&sheet.font, None, true);
        Area { left: inside.left + 34.0, ..inside }
    };
    // The legend takes width only, so the height is known before the legend is complete.
    let heights = heights(&sections, inside(&sheet(&legend)).height() - gaps);
    let is_dense =
        sections.iter().zip(&heights).any(|(section, height)| height / (section.bars.len() as f64) < TIGHT);
    if is_dense {
        legend.add(Swatch::None, "Lines stand for many bars each:");
        for (share, white) in SHARES.iter().rev() {
            let words = match *share {
                0.0 => "some are alive".to_owned(),
                share => format!("{} % or more are alive", share * 100.0),
            };
            legend.add(Swatch::Bar(Colour::TEXT.mixed(Colour::WHITE, *white)), words);
        }
    }
    let mut sheet = sheet(&legend);
    let inside = inside(&sheet);
    let ends = sections.iter().flat_map(|section| &section.bars).flat_map(|&(first, last)| [first, last]);
    let extent = Extent::of(ends).padded(0.02);
    let axis = Axis::new(extent, inside.left, inside.right, 70.0, "filtration value");
    let panel = Panel { area: inside, abscissas: &axis, ordinates: None };
    panel.draw_below(&mut sheet.canvas);
    let mut top = inside.top + GAP;
    for (section, height) in sections.iter().zip(heights) {
        let area = Area { top, bottom: top + height, ..inside };
        draw_section(&mut sheet, series, section, &axis, area);
        top += height + GAP;
    }
    if count == 0 {
        sheet.say_empty(inside, "no bars");
    }
    panel.draw_above(&mut sheet.canvas, &sheet.font, true);
    sheet.canvas
}

fn sections(series: &[Series]) -> Vec<Section> {
    let mut sections = Vec::new();
    for dim in dims_of(series) {
        for (input, of_one) in series.iter().enumerate() {
            let turned = |PlottedBar { birth, death, .. }: PlottedBar| (birth, death);
            let mut bars: Vec<(f64, f64)> = of_one.of_dim(dim).map(turned).collect();
            // In the order of the filtration: in superlevel filtrations the greatest births come first.
            let goes_down = bars.iter().any(|(birth, death)| death < birth);
            bars.sort_unstable_by(|a, b| {
                let order = a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
                if goes_down { order.reverse() } else { order }
            });
            let bars: Vec<_> = bars.into_iter().map(|(a, b)| if a <= b { (a, b) } else { (b, a) }).collect();
            if !bars.is_empty() {
                sections.push(Section { dim, input, bars });
            }
        }
    }
    sections
}

/// Distributes pixels among the sections: in proportion to the number of bars or, if these are too many, to its square
/// root, so that small sections remain visible.
fn heights(sections: &[Section], pixels: f64) -> Vec<f64> {
    let pixels = pixels.max(1.0);
    let counts: Vec<f64> = sections.iter().map(|section| section.bars.len() as f64).collect();
    let count: f64 = counts.iter().sum();
    if count * TIGHT <= pixels {
        let pitch = (pixels / count).min(2.0 * ROOMY);
        return counts.into_iter().map(|of_one| of_one * pitch).collect();
    }
    let roots: f64 = counts.iter().map(|of_one| of_one.sqrt()).sum();
    let share = |of_one: f64| (pixels * of_one.sqrt() / roots).max(ROOMY).min(of_one * ROOMY);
    let heights: Vec<f64> = counts.into_iter().map(share).collect();
    let fits = (pixels / heights.iter().sum::<f64>()).min(1.0);
    heights.into_iter().map(|height| height * fits).collect()
}

fn draw_section(sheet: &mut Sheet, series: &[Series], section: &Section, axis: &Axis, area: Area) {
    let colour = palette::colour(number_of(section.dim));
    let name = name_of_dim(section.dim);
    let middle = (area.top + area.bottom) / 2.0;
    let label = label_of(series, section.input, section.dim);
    let words = area.left - if series.len() > 1 { 20.0 } else { 8.0 };
    sheet.canvas.text("section", &name, (words, middle + 4.5), NORMAL, Anchor::End);
    if series.len() > 1 {
        let at = vec![(area.left - 10.0, middle)];
        let mark = palette::mark(section.input, Colour::LINE);
        sheet.canvas.add("section-mark", "", Shape::Marks { mark, radius: 4.0, at });
    }
    let pitch = area.height() / section.bars.len() as f64;
    if pitch >= TIGHT {
        let line = |(k, &(first, last)): (usize, &(f64, f64))| {
            let y = area.top + (k as f64 + 0.5) * pitch;
            let (x0, x1) = (axis.at(first), axis.at(last));
            [Segment::Move((x0, y)), Segment::Line((x1.max(x0 + 0.8), y))]
        };
        let lines = section.bars.iter().enumerate().flat_map(line).collect();
        let width = (pitch * 0.72).clamp(1.0, 5.0);
        sheet.canvas.stroke("bars", label, lines, Stroke::new(colour, width));
        return;
    }
    for ((_, white), outline) in SHARES.iter().zip(bands(&section.bars, axis, area)) {
        sheet.canvas.fill("density", label.as_str(), outline, colour.mixed(Colour::WHITE, *white));
    }
}

/// For each share, the rectangles within which more than that share of the bars of a line are alive.
fn bands(bars: &[(f64, f64)], axis: &Axis, area: Area) -> [Vec<Segment>; SHARES.len()] {
    let lines = ((area.height() / BAND) as usize).clamp(1, bars.len());
    let mut outlines = [const { Vec::new() }; SHARES.len()];
    for line in 0..lines {
        let here = &bars[line * bars.len() / lines..(line + 1) * bars.len() / lines];
        let (y0, y1) = (
            area.top + area.height() * line as f64 / lines as f64,
            area.top + area.height() * (line + 1) as f64 / lines as f64,
        );
        for ((share, _), outline) in SHARES.iter().zip(&mut outlines) {
            for (first, last) in alive(here, *share) {
                let (x0, x1) = (axis.at(first), axis.at(last));
                let x1 = x1.max(x0 + 0.8);
                outline.extend(Area { left: x0, top: y0, right: x1, bottom: y1 }.outline());
            }
        }
    }
    outlines
}

/// Intervals in which more than a share of the bars, and at least one, is alive.
fn alive(bars: &[(f64, f64)], share: f64) -> Vec<(f64, f64)> {
    let mut ends: Vec<(f64, i64)> = bars.iter().flat_map(|&(first, last)| [(first, 1), (last, -1)]).collect();
    // At equal values births come first, so that touching bars join.
    ends.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let least = ((share * bars.len() as f64).ceil() as i64).max(1);
    let (mut level, mut from) = (0, None);
    let mut found = Vec::new();
    for (value, change) in ends {
        level += change;
        match from {
            None if level >= least => from = Some(value),
            Some(first) if level < least => {
                found.push((first, value));
                from = None;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_where_that_many_are_alive() {
        let bars = [(0.0, 4.0), (0.0, 2.0), (1.0, 2.0), (6.0, 7.0)];
        assert_eq!(alive(&bars, 0.0), [(0.0, 4.0), (6.0, 7.0)]);
        assert_eq!(alive(&bars, 0.5), [(0.0, 2.0)]);
        assert_eq!(alive(&bars, 0.75), [(1.0, 2.0)]);
        assert_eq!(alive(&bars, 1.0), []);
    }
}
