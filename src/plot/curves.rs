//! Betti curves, persistence landscapes and Euler characteristic curves: functions of the filtration value.
//!
//! Each dimension has its own panel and vertical scale, since most data has far more components than loops. Lines with
//! more corners than the picture has columns are drawn through the least and greatest values of each column.

use super::axes::{Area, Axis, Extent, Panel};
use super::canvas::{Canvas, Colour, Stroke, polygon, polyline};
use super::legend::{Legend, Swatch};
use super::{Plot, Series, Sheet, dims_of, label_of, legend_of, name_of_dim, number_of, palette};
use crate::diagram::betti::StepFunction;
use crate::diagram::landscape::Landscape;

/// Number of landscape functions that are drawn.
const LAYERS: usize = 5;

/// Columns per pixel for thinning a line.
const COLUMNS: f64 = 2.0;

/// A line: its corners, and whether it is a step function.
struct Curve {
    corners: Vec<(f64, f64)>,
    steps: bool,
    label: String,
    stroke: Stroke,
    /// Fill colour between the line and 0.
    below: Option<Colour>,
}

/// The lines of a panel.
#[derive(Default)]
struct Chart {
    title: String,
    whole: bool,
    curves: Vec<Curve>,
}

pub(super) fn draw_betti(plot: &Plot, series: &[Series]) -> Canvas {
    let is_one = series.len() < 2;
    let stroke = |input: usize, dim| palette::line(input, palette::colour(number_of(dim)));
    let legend = legend_of(series, false, &|dim| Swatch::Line(stroke(0, dim)), &|input| {
        Swatch::Line(palette::line(input, Colour::LINE))
    });
    let charts = dims_of(series).into_iter().map(|dim| {
        let curve = |(input, of_one): (usize, &Series)| {
            let function = StepFunction::betti(of_one.of_dim(dim).map(|bar| (bar.birth, bar.death)));
            let stroke = stroke(input, dim);
            let below = is_one.then(|| stroke.colour.mixed(Colour::WHITE, 0.8));
            Curve {
                corners: corners(&function),
                steps: true,
                label: label_of(series, input, dim),
                stroke,
                below,
            }
        };
        let subscript = dim.map(super::ticks::lowered).unwrap_or_default();
        Chart {
            title: format!("β{subscript}"),
            whole: true,
            curves: series.iter().enumerate().map(curve).collect(),
        }
    });
    draw(plot, series, &legend, charts.collect())
}

pub(super) fn draw_landscape(plot: &Plot, series: &[Series]) -> Canvas {
    let tint = |layer: usize| layer as f64 * 0.17;
    let line = |colour: Colour, layer, input| palette::line(input, colour.mixed(Colour::WHITE, tint(layer)));
    let mut legend =
        legend_of(series, false, &|dim| Swatch::Bar(palette::colour(number_of(dim))), &|input| {
            Swatch::Line(line(Colour::LINE, 0, input))
        });
    let mut deepest = 0;
    let mut charts = Vec::new();
    for dim in dims_of(series) {
        let mut curves = Vec::new();
        for (input, of_one) in series.iter().enumerate() {
            let landscape = Landscape::of(of_one.of_dim(dim).map(|bar| (bar.birth, bar.death)), LAYERS);
            deepest = deepest.max(landscape.layers().len());
            for (layer, corners) in landscape.layers().iter().enumerate().rev() {
                let label =
                    format!("{}, λ{}", label_of(series, input, dim), super::ticks::lowered(layer + 1));
                let stroke = line(palette::colour(number_of(dim)), layer, input);
                curves.push(Curve { corners: corners.clone(), steps: false, label, stroke, below: None });
            }
        }
        charts.push(Chart { title: format!("λ of {}", name_of_dim(dim)), whole: false, curves });
    }
    for layer in 0..deepest {
        let name = format!("λ{}", super::ticks::lowered(layer + 1));
        legend.add(Swatch::Line(line(Colour::TEXT, layer, 0)), name);
    }
    let is_infinite = |bar: &&super::PlottedBar| !bar.birth.is_finite() || !bar.death.is_finite();
    let infinite = series.iter().flat_map(Series::bars).filter(is_infinite).count();
    if infinite > 0 {
        legend.add(Swatch::None, format!("without {}", super::bars_in_words(infinite)));
        legend.add(Swatch::None, if infinite == 1 { "that is infinite" } else { "that are infinite" });
    }
    draw(plot, series, &legend, charts)
}

pub(super) fn draw_euler(plot: &Plot, series: &[Series]) -> Canvas {
    let mut curves = Vec::new();
    for of_one in series {
        let of_one_input: Vec<Vec<(f64, f64)>> = if of_one.is_curve() {
            of_one.curves.iter().map(|rows| ascending(rows)).collect()
        } else {
            let bars = of_one.bars.iter().filter_map(|bar| Some((bar.dim?, bar.birth, bar.death)));
            vec![corners(&StepFunction::euler(bars))]
        };
        let scales = of_one_input.len();
        for (scale, corners) in of_one_input.into_iter().enumerate() {
            let number = curves.len();
            let label =
                if scales > 1 { format!("{}, smoothed {scale}×", of_one.name) } else { of_one.name.clone() };
            let stroke = palette::line(number, palette::colour(number as u32));
            curves.push(Curve { corners, steps: true, label, stroke, below: None });
        }
    }
    let mut legend = Legend::default();
    if curves.len() > 1 {
        for curve in &curves {
            legend.add(Swatch::Line(curve.stroke), curve.label.clone());
        }
    }
    let chart = Chart { title: "Euler characteristic".to_owned(), whole: true, curves };
    draw(plot, series, &legend, vec![chart])
}

fn corners(function: &StepFunction) -> Vec<(f64, f64)> {
    function.steps().iter().map(|&(value, level)| (value, level as f64)).collect()
}

/// Steps of a curve by ascending value. Rows of superlevel sets descend, and each holds from its value down to the
/// next.
pub(crate) fn ascending(rows: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let descends = rows.windows(2).any(|pair| pair[1].0 < pair[0].0);
    if !descends {
        return rows.to_vec();
    }
    // Below the last value the last row holds, and above the first value there is nothing.
    let levels = rows.iter().rev().skip(1).map(|row| row.1).chain([0.0]);
    let steps = rows.iter().rev().map(|row| row.0).zip(levels);
    let first = rows.last().map(|row| (f64::NEG_INFINITY, row.1));
    first.into_iter().chain(steps).collect()
}

fn draw(plot: &Plot, series: &[Series], legend: &Legend, mut charts: Vec<Chart>) -> Canvas {
    let nothing = if charts.is_empty() { "no bars" } else { "nothing to draw" };
    if charts.is_empty() {
        charts.push(Chart::default());
    }
    let count = charts.len();
    let height = if count == 1 { 400.0 } else { 60.0 + 170.0 * count as f64 };
    let mut sheet = Sheet::new(plot, series, (620.0, height), legend);
    let all = || charts.iter().flat_map(|chart| &chart.curves).flat_map(|curve| &curve.corners);
    let values = Extent::of(all().map(|corner| corner.0)).without_infinities().padded(0.03);
    // All panels begin at the same pixel, right of the widest label.
    let mut area = sheet.area;
    area.bottom -= 20.0;
    let inside = |(k, chart)| {
        let area = area.cell((k, count), (0, 1));
        area.inside(&sheet.font, Some(&ordinates(chart, area.bottom, area.top)), false)
    };
    let insides: Vec<Area> = charts.iter().enumerate().map(inside).collect();
    let left = insides.iter().map(|inside| inside.left).fold(0.0, f64::max);
    for (k, (chart, inside)) in charts.iter().zip(insides).enumerate() {
        let inside = Area { left, ..inside };
        let axis = Axis::new(values, inside.left, inside.right, 80.0, "filtration value");
        let upwards = ordinates(chart, inside.bottom, inside.top);
        let panel = Panel { area: inside, abscissas: &axis, ordinates: Some(&upwards) };
        panel.draw_below(&mut sheet.canvas);
        for curve in &chart.curves {
            draw_curve(&mut sheet.canvas, curve, &axis, &upwards, inside);
        }
        if chart.curves.iter().all(|curve| curve.corners.is_empty()) {
            sheet.say_empty(inside, nothing);
        }
        panel.draw_above(&mut sheet.canvas, &sheet.font, k + 1 == count);
    }
    sheet.canvas
}

/// Vertical axis of a chart, which includes 0.
fn ordinates(chart: &Chart, bottom: f64, top: f64) -> Axis {
    let heights = chart.curves.iter().flat_map(|curve| &curve.corners).map(|corner| corner.1);
    let extent = Extent::of(heights.chain([0.0])).padded(0.06);
    let axis = Axis::new(extent, bottom, top, 42.0, &chart.title);
    if chart.whole { axis.whole() } else { axis }
}

fn draw_curve(canvas: &mut Canvas, curve: &Curve, axis: &Axis, upwards: &Axis, inside: Area) {
    if curve.corners.is_empty() {
        return;
    }
    let zero = upwards.at(0.0);
    let mut points = vec![(inside.left, zero)];
    let mut last = zero;
    for &(value, height) in &curve.corners {
        if value == f64::INFINITY {
            break;
        }
        // An infinite value lies left of the panel.
        let (x, y) = (axis.at(value).clamp(inside.left, inside.right), upwards.at(height));
        if curve.steps {
            points.push((x, last));
        }
        points.push((x, y));
        last = y;
    }
    points.push((inside.right, last));
    let points = thinned(&points);
    if let Some(below) = curve.below {
        let closed: Vec<_> =
            points.iter().copied().chain([(inside.right, zero), (inside.left, zero)]).collect();
        canvas.fill("below", "", polygon(&closed), below);
    }
    canvas.stroke("curve", curve.label.as_str(), polyline(&points), curve.stroke);
}

/// Thins a line that runs to the right: of each column, the first, least, greatest and last points are kept, in the
/// order of the line.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let column = |&(x, _): &(f64, f64)| (x * COLUMNS).floor() as i64;
    let mut thinned: Vec<(f64, f64)> = Vec::new();
    for here in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |a: &usize, b: &usize| here[*a].1.total_cmp(&here[*b].1);
        let least = (0..here.len()).min_by(by_height).unwrap_or(0);
        let most = (0..here.len()).max_by(by_height).unwrap_or(0);
        let mut places = [0, least, most, here.len() - 1];
        places.sort_unstable();
        for place in places {
            if thinned.last() != Some(&here[place]) {
                thinned.push(here[place]);
            }
        }
    }
    thinned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_descend_are_turned() {
        let rows = [(5.0, 1.0), (3.0, -1.0), (2.0, 4.0)];
        // From 2 up to 3 the row of 3 holds, and above 5 there is nothing.
        assert_eq!(ascending(&rows), [(f64::NEG_INFINITY, 4.0), (2.0, -1.0), (3.0, 1.0), (5.0, 0.0)]);
        assert_eq!(ascending(&[(1.0, 2.0)]), [(1.0, 2.0)]);
    }

    #[test]
    fn a_line_of_many_points_keeps_its_peaks() {
        let points: Vec<(f64, f64)> =
            (0..100_000).map(|k| (f64::from(k) / 1000.0, f64::from(k * 31 % 977))).collect();
        let kept = thinned(&points);
        assert!(kept.len() <= 4 * 201, "{}", kept.len());
        let peak = |points: &[(f64, f64)]| points.iter().map(|point| point.1).fold(0.0, f64::max);
        assert_eq!(peak(&kept), peak(&points));
        assert_eq!((kept[0], kept.last()), (points[0], points.last()));
    }
}
