//! An HTML page about a run: its input, plan and times, linked pictures of its bars, cycles, curves, and a table.
//!
//! The page is self-contained and loads nothing from a network. It consists of `page.html` with the style of
//! `page.css`, the script of `page.js`, and the result as JSON, in which the numbers of the bars are little-endian
//! doubles in base64. The script inserts every text as text, never as HTML, so file names may contain anything.
//!
//! ```
//! use lacuna::plot::{PlottedBar, Series};
//! use lacuna::report::Report;
//!
//! let bar = PlottedBar { dim: Some(0), birth: 0.0, death: f64::INFINITY };
//! let mut report = Report::new("one point", &Series::of_bars("one point", vec![bar]));
//! report.fact("points", 1).stage("rank", 0.001);
//! let mut page = Vec::new();
//! report.write(&mut page)?;
//! assert!(page.starts_with(b"<!doctype html>"));
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fmt::Display;
use std::io::{self, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;

use crate::output::geometry::CloudCoordinates;
use crate::plot::{PlottedBar, Series};
use crate::rips::Representatives;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Content of the page, as its script reads it.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    title: String,
    version: &'static str,
    facts: Vec<(String, String)>,
    plan: String,
    /// Stages with their seconds.
    stages: Vec<(String, f64)>,
    dims: Vec<Dimension>,
    /// Births and deaths of the bars of all dimensions, one dimension after another.
    births: String,
    deaths: String,
    /// For bars, by their index among all: the vertices of the simplices with which they are born and die.
    simplices: Vec<(usize, String, Option<String>)>,
    curves: Vec<Curve>,
    /// Three coordinates per point, if cycles are drawn.
    points: Option<String>,
    /// Number of these coordinates that are used, 2 or 3.
    coordinates: usize,
    /// For bars: their index, the number of vertices of a cell, and the vertices of all cells of their cycles.
    cycles: Vec<(usize, usize, Vec<u32>)>,
}

#[derive(Debug, Clone, Serialize)]
struct Dimension {
    name: String,
    dim: u32,
    count: usize,
}

#[derive(Debug, Clone, Serialize)]
struct Curve {
    values: String,
    levels: String,
}

impl Report {
    /// Makes a page about a result.
    pub fn new(title: impl Into<String>, series: &Series) -> Report {
        let dims = crate::plot::dims_of(std::slice::from_ref(series));
        let mut births = Vec::new();
        let mut deaths = Vec::new();
        let mut dimensions = Vec::new();
        for dim in dims {
            let before = births.len();
            for PlottedBar { birth, death, .. } in series.of_dim(dim) {
                births.push(birth);
                deaths.push(death);
            }
            let name = crate::plot::name_of_dim(dim);
            dimensions.push(Dimension { name, dim: dim.unwrap_or(0), count: births.len() - before });
        }
        let curve = |rows: &[(f64, f64)]| {
            let steps = crate::plot::ascending(rows);
            let column = |of: fn(&(f64, f64)) -> f64| encoded(&steps.iter().map(of).collect::<Vec<_>>());
            Curve { values: column(|step| step.0), levels: column(|step| step.1) }
        };
        Report {
            title: title.into(),
            version: env!("CARGO_PKG_VERSION"),
            facts: Vec::new(),
            plan: String::new(),
            stages: Vec::new(),
            dims: dimensions,
            births: encoded(&births),
            deaths: encoded(&deaths),
            simplices: Vec::new(),
            curves: series.curves().iter().map(|rows| curve(rows)).collect(),
            points: None,
            coordinates: 0,
            cycles: Vec::new(),
        }
    }

    /// Adds a fact about the input.
    pub fn fact(&mut self, name: impl Into<String>, value: impl Display) -> &mut Report {
        self.facts.push((name.into(), value.to_string()));
        self
    }

    /// Adds the time of a stage in seconds.
    pub fn stage(&mut self, name: impl Into<String>, seconds: f64) -> &mut Report {
        self.stages.push((name.into(), seconds));
        self
    }

    /// Sets the choices and their reasons: the lines of `--explain`.
    pub fn plan(&mut self, lines: impl Display) -> &mut Report {
        self.plan = lines.to_string();
        self
    }

    /// Adds the simplices with which bars are born and die, and draws their cycles if `coordinates` of the points are
    /// given. Cycles of dimension 3 and above are omitted.
    pub fn representatives(
        &mut self,
        found: &Representatives,
        coordinates: Option<&CloudCoordinates>,
    ) -> &mut Report {
        let words = |simplex: &[u32]| {
            let vertices: Vec<String> = simplex.iter().map(ToString::to_string).collect();
            vertices.join(" ")
        };
        for one in found.iter() {
            let Some(bar) = self.place(one.dim, one.index) else { continue };
            self.simplices.push((bar, words(&one.birth), one.death.as_deref().map(words)));
            let drawn = one
                .cycle
                .as_deref()
                .filter(|cycle| coordinates.is_some() && matches!(cycle.dimension(), 1 | 2));
            if let Some(cycle) = drawn {
                self.cycles.push((bar, cycle.dimension() + 1, cycle.vertices().to_vec()));
            }
        }
        if let Some(points) = coordinates.map(CloudCoordinates::points).filter(|_| !self.cycles.is_empty()) {
            self.coordinates = if points.iter().any(|point| point[2] != 0.0) { 3 } else { 2 };
            self.points = Some(encoded(points.as_flattened()));
        }
        self
    }

    /// Index of a bar among all bars.
    fn place(&self, dim: usize, index: usize) -> Option<usize> {
        let mut before = 0;
        for of_dim in &self.dims {
            if of_dim.dim as usize == dim {
                return (index < of_dim.count).then_some(before + index);
            }
            before += of_dim.count;
        }
        None
    }

    /// Writes the page to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        // Escaped so that neither `</script>` nor `<!--` can end the data element.
        let data = serde_json::to_string(self)?.replace('<', "\\u003c");
        let mut rest = PAGE;
        for (mark, text) in [
            ("{{title}}", escaped(&self.title)),
            ("{{style}}", STYLE.to_owned()),
            ("{{data}}", data),
            ("{{script}}", SCRIPT.to_owned()),
        ] {
            let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
            out.write_all(before.as_bytes())?;
            out.write_all(text.as_bytes())?;
            rest = after;
        }
        out.write_all(rest.as_bytes())
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Encodes little-endian doubles in base64.
fn encoded(numbers: &[f64]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    BASE64_STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(report: &Report) -> String {
        let mut page = Vec::new();
        report.write(&mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    /// Extracts the data of a page, as its script reads it.
    fn data(page: &str) -> serde_json::Value {
        let (_, rest) = page.split_once(r#"<script id="data" type="application/json">"#).unwrap();
        serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
    }

    fn bar(dim: u32, birth: f64, death: f64) -> PlottedBar {
        PlottedBar { dim: Some(dim), birth, death }
    }

    #[test]
    fn bars_go_by_dimension_with_all_their_bits() {
        let bars = vec![bar(1, 0.1, f64::INFINITY), bar(0, f64::NEG_INFINITY, 1e-300), bar(1, 2.0, 3.0)];
        let data = data(&page(&Report::new("x", &Series::of_bars("x", bars))));
        let numbers = |key: &str| -> Vec<f64> {
            let bytes = BASE64_STANDARD.decode(data[key].as_str().unwrap()).unwrap();
            bytes.chunks(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect()
        };
        assert_eq!(numbers("births"), [f64::NEG_INFINITY, 0.1, 2.0]);
        assert_eq!(numbers("deaths"), [1e-300, f64::INFINITY, 3.0]);
        assert_eq!(data["dims"][1]["count"], 2);
    }

    #[test]
    fn texts_end_no_element() {
        let hostile = "</script><script>alert(1)</script><!--";
        let mut report = Report::new(hostile, &Series::of_bars("x", vec![]));
        report.fact(hostile, hostile).plan(hostile);
        let page = page(&report);
        assert!(!page.contains("alert(1)</script>"));
        assert_eq!(data(&page)["title"], hostile);
        assert_eq!(page.matches("<script").count(), 2);
        assert!(page.len() < 400_000, "{} bytes", page.len());
    }

    #[test]
    fn nothing_is_fetched() {
        let own = [PAGE, STYLE, SCRIPT].concat();
        let namespace = "http://www.w3.org/2000/svg";
        for word in ["http://", "https://", "import ", "fetch(", "src=", "url("] {
            assert_eq!(own.replace(namespace, "").find(word), None, "{word}");
        }
    }
}
