//! Persistence diagrams: one mark per bar, birth against death, on equal axes, with a dashed diagonal and lines for
//! infinite values.
//!
//! Bars at the same point share a mark, which grows with their number; the legend shows how. More bars than
//! [`MOST_MARKS`] are counted in hexagons, in a panel for each dimension and input.

use hashbrown::HashMap;

use super::axes::{Area, Axis, Extent, NORMAL, Panel};
use super::canvas::{Anchor, Canvas, Colour, Shape, Stroke};
use super::density::Hexagons;
use super::legend::{LEGEND_MARK, Legend, Swatch};
use super::{
    Plot, PlottedBar, Series, Sheet, bars_in_words, dims_of, label_of, legend_of, name_of_dim, number_of,
    palette,
};
use crate::sort;

/// Maximal number of bars in a picture that are drawn as marks.
const MOST_MARKS: usize = 5000;

/// Number of marks beyond which their radius is smaller.
const FEW_MARKS: usize = 600;

pub(super) fn draw(plot: &Plot, series: &[Series]) -> Canvas {
    let count: usize = series.iter().map(|series| series.bars().len()).sum();
    if count > MOST_MARKS { draw_densities(plot, series, count) } else { draw_marks(plot, series, count) }
}

fn draw_marks(plot: &Plot, series: &[Series], count: usize) -> Canvas {
    let is_one = series.len() < 2;
    let radius = if count > FEW_MARKS { 2.7 } else { 3.8 };
    let colour = |dim| palette::colour(number_of(dim));
    let mark =
        |input: usize, dim| palette::mark(if is_one { number_of(dim) as usize } else { input }, colour(dim));
    let mut legend = legend_of(
        series,
        true,
        &|dim| if is_one { Swatch::Mark(mark(0, dim), LEGEND_MARK) } else { Swatch::Bar(colour(dim)) },
        &|input| Swatch::Mark(palette::mark(input, Colour::LINE), LEGEND_MARK),
    );
    let mut groups = Vec::new();
    for dim in dims_of(series) {
        for (input, of_one) in series.iter().enumerate() {
            groups.push((input, dim, places(of_one.of_dim(dim))));
        }
    }
    let most = groups.iter().flat_map(|(.., places)| places).map(|&(count, _)| count).max().unwrap_or(1);
    let powers = (1..).map(|power| 10usize.pow(power)).take_while(|&count| count < most);
    for count in powers.chain([most]).filter(|&count| count > 1) {
        let swatch = Swatch::Mark(palette::mark(0, Colour::LINE), radius * growth(count));
        legend.add(swatch, format!("{} at one place", bars_in_words(count)));
    }
    let mut sheet = Sheet::new(plot, series, (490.0, 500.0), &legend);
    let all = || series.iter().flat_map(Series::bars);
    let axes = Axes::new(values(all()), infinities(all()), &sheet, sheet.area);
    axes.draw_below(&mut sheet);
    // Rare dimensions lie above frequent ones, and small marks above large ones.
    sort::stable(&mut groups, &|(.., a), (.., b)| b.len().cmp(&a.len()));
    for (input, dim, mut places) in groups {
        sort::stable(&mut places, &|a, b| b.0.cmp(&a.0));
        let label = label_of(series, input, dim);
        for alike in places.chunk_by(|p, q| p.0 == q.0) {
            let count = alike[0].0;
            let label =
                if count == 1 { label.clone() } else { format!("{label}, {} each", bars_in_words(count)) };
            let at = alike.iter().map(|(_, bar)| axes.at(bar)).collect();
            let shape = Shape::Marks { mark: mark(input, dim), radius: radius * growth(count), at };
            sheet.canvas.add("bars", label, shape);
        }
    }
    if count == 0 {
        sheet.say_empty(axes.area, "no bars");
    }
    axes.draw_above(&mut sheet);
    sheet.canvas
}

/// Points of bars with multiplicities, in the order of their first bars.
fn places(bars: impl Iterator<Item = PlottedBar>) -> Vec<(usize, PlottedBar)> {
    let mut places: Vec<(usize, PlottedBar)> = Vec::new();
    let mut numbers: HashMap<[u64; 2], usize> = HashMap::new();
    for bar in bars {
        // Adding 0 makes negative zero positive.
        let ends = [bar.birth, bar.death].map(|end| (end + 0.0).to_bits());
        let number = *numbers.entry(ends).or_insert(places.len());
        if number == places.len() {
            places.push((0, bar));
        }
        places[number].0 += 1;
    }
    places
}

/// Factor on the radius of a mark for `count` bars: its area grows by the same amount with each doubling.
fn growth(count: usize) -> f64 {
    (1.0 + 0.6 * (count as f64).log2()).sqrt()
}

fn draw_densities(plot: &Plot, series: &[Series], count: usize) -> Canvas {
    let dims = dims_of(series);
    let legend = |most| {
        let mut legend = Legend::default();
        legend.add(Swatch::None, bars_in_words(count));
        legend.add(Swatch::Densities(most), "bars a hexagon");
        legend
    };
    let columns = dims.len() as f64;
    let size = (columns * 310.0, series.len() as f64 * 330.0 + 20.0);
    // The greatest count of the scale is known only once the hexagons are, but it hardly affects the width.
    let blank = Sheet::new(plot, series, size, &legend(count));
    // Computed once for all panels: there may be many of them with few bars each.
    let all = || series.iter().flat_map(Series::bars);
    let infinite = infinities(all());
    let values: Vec<Extent> = dims.iter().map(|&dim| values(all().filter(|bar| bar.dim == dim))).collect();
    let values = values.as_slice();
    let panels: Vec<(Axes, Hexagons, String)> = series
        .iter()
        .enumerate()
        .flat_map(|(row, of_one)| {
            dims.iter().enumerate().map(move |(column, &dim)| (row, of_one, column, dim))
        })
        .map(|(row, of_one, column, dim)| {
            let mut area = blank.area.cell((row, series.len()), (column, dims.len()));
            area.top += 24.0;
            let axes = Axes::new(values[column], infinite, &blank, area);
            let hexagons = Hexagons::of(of_one.of_dim(dim).map(|bar| axes.at(&bar)));
            let bars = format!("{}: {}", name_of_dim(dim), bars_in_words(of_one.of_dim(dim).count()));
            let name = if series.len() > 1 { format!("{}, {bars}", of_one.name) } else { bars };
            (axes, hexagons, name)
        })
        .collect();
    let most = panels.iter().map(|(_, hexagons, _)| hexagons.most()).max().unwrap_or(1);
    let mut sheet = Sheet::new(plot, series, size, &legend(most));
    for (axes, hexagons, name) in &panels {
        axes.draw_below(&mut sheet);
        hexagons.draw(&mut sheet.canvas, name, most);
        axes.draw_above(&mut sheet);
        let Area { left, top, right, .. } = axes.area;
        let shown = sheet.font.fitted(name, NORMAL, right - left + 40.0);
        sheet.canvas.text("panel-title", &shown, ((left + right) / 2.0, top - 8.0), NORMAL, Anchor::Middle);
    }
    sheet.canvas
}

/// Range of the births and deaths of bars.
fn values<'a>(bars: impl Iterator<Item = &'a PlottedBar>) -> Extent {
    Extent::of(bars.flat_map(|bar| [bar.birth, bar.death]))
}

/// Range of the births, and that of the deaths, of bars.
fn infinities<'a>(bars: impl Iterator<Item = &'a PlottedBar> + Clone) -> [Extent; 2] {
    [Extent::of(bars.clone().map(|bar| bar.birth)), Extent::of(bars.map(|bar| bar.death))]
}

/// Equal axes: births horizontally, deaths vertically.
struct Axes {
    area: Area,
    births: Axis,
    deaths: Axis,
}

impl Axes {
    /// Axes for the values of some bars, with lines for the infinities among the births and deaths of all, so that
    /// neighbouring panels are alike.
    fn new(values: Extent, [births, deaths]: [Extent; 2], sheet: &Sheet, area: Area) -> Axes {
        let both = values.padded(0.05);
        let (births, deaths) = (both.with_infinities_of(births), both.with_infinities_of(deaths));
        let axis = |extent, from, to, title| Axis::new(extent, from, to, 58.0, title);
        // The width of labels depends on the ticks, whose number depends on the room.
        let draft = axis(deaths, area.bottom, area.top, "death");
        let inside = area.inside(&sheet.font, Some(&draft), true);
        let room = |extent: Extent| {
            let draft = axis(extent, 0.0, 1e4, "");
            1e4 - (draft.finite().1 - draft.finite().0)
        };
        let side = (inside.width() - room(births)).min(inside.height() - room(deaths)).max(20.0);
        let right = inside.left + side + room(births);
        let bottom = inside.top + side + room(deaths);
        let area = Area { right, bottom, ..inside };
        let births = axis(births, area.left, area.right, "birth");
        let deaths = axis(deaths, area.bottom, area.top, "death");
        Axes { area, births, deaths }
    }

    fn at(&self, bar: &PlottedBar) -> (f64, f64) {
        (self.births.at(bar.birth), self.deaths.at(bar.death))
    }

    fn panel(&self) -> Panel<'_> {
        Panel { area: self.area, abscissas: &self.births, ordinates: Some(&self.deaths) }
    }

    fn draw_below(&self, sheet: &mut Sheet) {
        self.panel().draw_below(&mut sheet.canvas);
        let ((left, right), (bottom, top)) = (self.births.finite(), self.deaths.finite());
        let dashed = Stroke::new(Colour::LINE, 1.2).dashed(&[5.0, 4.0]);
        sheet.canvas.line("diagonal", (left, bottom), (right, top), dashed);
    }

    fn draw_above(&self, sheet: &mut Sheet) {
        self.panel().draw_above(&mut sheet.canvas, &sheet.font, true);
    }
}
