//! `lacuna plot` and `--plot`: the structure of pictures, and the options.

use std::fs;

use predicates::str::{contains, is_empty};
use roxmltree::{Document, Node};

use super::{SQUARE, Scratch, data, lacuna, rips, rips_of, text_of};

/// The picture that `lacuna plot` draws of bars or curves on standard input.
fn drawn(input: &str, options: &[&str]) -> String {
    text_of(lacuna("plot", [&["-", "-q"][..], options].concat()).write_stdin(input))
}

fn of_class<'a>(svg: &'a Document<'_>, class: &str) -> Vec<Node<'a, 'a>> {
    svg.descendants().filter(|node| node.attribute("class") == Some(class)).collect()
}

fn label<'a>(node: &Node<'a, 'a>) -> &'a str {
    node.attribute("aria-label").unwrap_or("")
}

fn labels<'a>(svg: &'a Document<'_>, class: &str) -> Vec<&'a str> {
    of_class(svg, class).iter().map(label).collect()
}

/// Numbers in a path.
fn numbers(path: &Node<'_, '_>) -> Vec<f64> {
    let data = path.attribute("d").unwrap();
    let numbers = data.split(|c: char| c.is_ascii_alphabetic() || c == ' ').filter(|word| !word.is_empty());
    numbers.map(|number| number.parse().unwrap()).collect()
}

/// Points of the marks with a label.
fn marks(svg: &Document<'_>, name: &str) -> Vec<(f64, f64)> {
    let of_name = of_class(svg, "bars").into_iter().filter(|node| label(node) == name);
    let number = |node: &Node<'_, '_>, key| node.attribute(key).unwrap().parse().unwrap();
    let uses = of_name.flat_map(|node| node.children().filter(Node::is_element).collect::<Vec<_>>());
    uses.map(|node| (number(&node, "x"), number(&node, "y"))).collect()
}

/// Map from values to pixels along an axis, by its first and last tick.
fn axis(svg: &Document<'_>, class: &str) -> impl Fn(f64) -> f64 {
    let tick = |text: &Node<'_, '_>| {
        let value: f64 = label(text).replace('−', "-").parse().ok()?;
        let line = numbers(&text.prev_sibling_element()?);
        Some((value, if class == "tick-x" { line[0] } else { line[1] }))
    };
    let ticks: Vec<(f64, f64)> = of_class(svg, class).iter().filter_map(tick).collect();
    let (first, last) = (ticks[0], ticks[ticks.len() - 1]);
    move |value| first.1 + (value - first.0) / (last.0 - first.0) * (last.1 - first.1)
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 0.05, "found {found}, expected {expected}");
}

#[test]
fn every_bar_of_a_torus_is_where_its_birth_and_death_are() {
    let scratch = Scratch::new();
    let (bars, picture) = (scratch.name("bars.csv"), scratch.name("diagram.svg"));
    let options = ["--max-dim", "2", "--threshold", "2", "-o", &bars, "--plot", &picture];
    rips(options).arg(data("torus.pts")).assert().success();
    let text = fs::read_to_string(&picture).unwrap();
    let svg = Document::parse(&text).unwrap();
    let (x, y) = (axis(&svg, "tick-x"), axis(&svg, "tick-y"));
    let infinity = numbers(&of_class(&svg, "infinity")[0])[1];
    assert!(infinity < y(2.0), "above all finite values");
    for (dim, name) in ["H₀", "H₁", "H₂"].into_iter().enumerate() {
        let mut found = marks(&svg, name);
        let of_dim = fs::read_to_string(&bars).unwrap();
        let of_dim: Vec<Vec<f64>> = of_dim
            .lines()
            .skip(1)
            .map(|line| line.split(',').map(|word| word.parse().unwrap()).collect())
            .filter(|bar: &Vec<f64>| bar[0] == dim as f64)
            .collect();
        assert_eq!(found.len(), of_dim.len());
        assert!(labels(&svg, "legend").contains(&format!("{name}: {} bars", found.len()).as_str()));
        for bar in of_dim {
            let expected = (x(bar[1]), if bar[2].is_infinite() { infinity } else { y(bar[2]) });
            let near = |at: &(f64, f64)| (at.0 - expected.0).abs() < 0.05 && (at.1 - expected.1).abs() < 0.05;
            let place = found.iter().position(near).unwrap_or_else(|| panic!("no mark of {bar:?}"));
            found.swap_remove(place);
        }
    }
    let diagonal = of_class(&svg, "diagonal")[0];
    assert!(diagonal.attribute("stroke-dasharray").is_some());
    let ends = numbers(&diagonal);
    // Equal axes: the same value has the same horizontal and vertical distance.
    assert_near(x(1.0) - x(0.0), y(0.0) - y(1.0));
    assert_near(ends[2] - ends[0], ends[1] - ends[3]);
    assert_near(ends[1] - y(0.0), x(0.0) - ends[0]);
}

#[test]
fn bars_that_go_down_lie_below_the_diagonal() {
    let text = drawn("dim,birth,death\n0,5,2\n1,4,1\n0,6,-inf\n", &[]);
    let svg = Document::parse(&text).unwrap();
    let (x, y) = (axis(&svg, "tick-x"), axis(&svg, "tick-y"));
    let found = marks(&svg, "H₀");
    assert_near(found[0].0, x(5.0));
    assert_near(found[0].1, y(2.0));
    let infinity = numbers(&of_class(&svg, "infinity")[0])[1];
    assert_near(found[1].1, infinity);
    assert!(infinity > y(1.0));
    assert!(labels(&svg, "tick-y").contains(&"−∞") && !labels(&svg, "tick-y").contains(&"∞"));
}

#[test]
fn results_that_lie_over_one_another_differ_in_marks_and_dimensions_in_colours() {
    let scratch = Scratch::new();
    fs::write(scratch.path("one.csv"), "dim,birth,death\n0,0,inf\n1,1,2\n").unwrap();
    // A file name that must be escaped in markup.
    let (one, two) = (scratch.path("one.csv"), scratch.path("<b>&\".csv"));
    fs::write(&two, "dim,birth,death\n0,0,inf\n1,1.5,3\n").unwrap();
    let text = text_of(lacuna("plot", ["-q"]).arg(&one).arg(&two));
    let svg = Document::parse(&text).unwrap();
    let legend = labels(&svg, "legend");
    assert!(legend.contains(&"one.csv") && legend.contains(&"H₁: 2 bars"), "{legend:?}");
    assert!(legend.contains(&"<b>&\".csv"), "{legend:?}");
    let groups = of_class(&svg, "bars");
    let of = |input: &str, dim: &str| {
        let name = format!("{input}, {dim}");
        let group = groups.iter().find(|node| label(node) == name).unwrap_or_else(|| panic!("no {name}"));
        let mark = group.first_element_child().unwrap().attribute("href").unwrap().to_owned();
        (group.attribute("fill").unwrap().to_owned(), mark)
    };
    for dim in ["H₀", "H₁"] {
        let (one, two) = (of("one.csv", dim), of("<b>&\".csv", dim));
        assert!(one.0 == two.0 && one.1 != two.1, "{one:?}, {two:?}");
    }
    assert_ne!(of("one.csv", "H₀").0, of("one.csv", "H₁").0);
}

#[test]
fn bars_at_one_place_share_a_larger_mark() {
    let text = drawn("dim,birth,death\n0,0,2\n0,0,1\n0,0,1\n0,-0,1\n1,0,1\n0,0,inf\n", &[]);
    let svg = Document::parse(&text).unwrap();
    let found = ["H₀", "H₀, 3 bars each", "H₁"].map(|name| marks(&svg, name).len());
    assert_eq!(found, [2, 1, 1]);
    let legend = labels(&svg, "legend");
    assert!(legend.contains(&"3 bars at one place") && legend.contains(&"H₀: 5 bars"), "{legend:?}");
    let name =
        |group: Node<'_, '_>| group.first_element_child().unwrap().attribute("href").unwrap().to_owned();
    let groups = of_class(&svg, "bars");
    let of = |words: &str| name(*groups.iter().find(|node| label(node) == words).unwrap());
    let radius = |name: String| -> f64 { name.rsplit_once('-').unwrap().1.parse().unwrap() };
    assert!(radius(of("H₀, 3 bars each")) > 1.3 * radius(of("H₀")));
    // Without coinciding bars, the legend does not mention them.
    assert!(!drawn("dim,birth,death\n0,0,2\n0,0,1\n1,0,1\n", &[]).contains("at one place"));
}

#[test]
fn inputs_of_which_there_are_many_look_different() {
    let scratch = Scratch::new();
    for (kind, class, most) in [("diagram", "bars", 24), ("betti", "curve", 15)] {
        let names: Vec<String> = (0..most).map(|k| scratch.name(&format!("{k}.csv"))).collect();
        for (k, name) in names.iter().enumerate() {
            fs::write(name, format!("dim,birth,death\n1,{k},99\n")).unwrap();
        }
        let text = text_of(lacuna("plot", ["-q", "--kind", kind]).args(&names));
        let svg = Document::parse(&text).unwrap();
        let look = |node: &Node<'_, '_>| {
            let keys = ["fill", "stroke", "stroke-width", "stroke-dasharray"];
            let mark = node.first_element_child().and_then(|mark| mark.attribute("href"));
            (keys.map(|key| node.attribute(key).map(str::to_owned)), mark.map(str::to_owned))
        };
        let looks: std::collections::BTreeSet<_> = of_class(&svg, class).iter().map(look).collect();
        assert_eq!(looks.len(), most, "{kind}");
        assert!(!text.contains("Looks repeat"));
        let again = scratch.name("again.csv");
        fs::write(&again, "dim,birth,death\n1,50,99\n").unwrap();
        let text = text_of(lacuna("plot", ["-q", "--kind", kind]).args(&names).arg(&again));
        let said = format!("Looks repeat after {most} inputs:");
        assert!(labels(&Document::parse(&text).unwrap(), "legend").contains(&said.as_str()), "{kind}");
    }
}

#[test]
fn ticks_beside_an_infinity_have_labels() {
    for last in ["1.99", "2", "1.97", "20", "19.9", "0.002"] {
        let bars = format!("dim,birth,death\n0,0,inf\n0,0,{last}\n1,-inf,{last}\n");
        for kind in ["barcode", "diagram"] {
            let text = drawn(&bars, &["--kind", kind]);
            let svg = Document::parse(&text).unwrap();
            // Ticks of the horizontal axis are vertical.
            let ticks =
                of_class(&svg, "tick-line").iter().map(numbers).filter(|line| line[0] == line[2]).count();
            assert_eq!(labels(&svg, "tick-x").len(), ticks, "{kind} up to {last}");
        }
    }
}

#[test]
fn a_picture_for_which_there_is_no_memory_is_refused() {
    let scratch = Scratch::new();
    let (bars, picture) = (scratch.name("bars.csv"), scratch.name("large.png"));
    fs::write(&bars, "dim,birth,death\n0,0,2\n").unwrap();
    let options = ["--size", "16384x16384", "--memory", "1G", "-o", &picture, &bars];
    let said = contains("a picture of 32768 × 32768 dots: out of memory");
    lacuna("plot", options).assert().failure().stderr(said);
    assert_eq!(scratch.names(), ["bars.csv"]);
}

/// Many bars, one of them long.
fn many() -> String {
    let bar =
        |k: u32| format!("1,{},{}\n", f64::from(k % 997), f64::from(k % 997) + f64::from(k % 61 + 1) / 7.0);
    let bars: String = (0..20_000).map(bar).collect();
    format!("dim,birth,death\n{bars}1,100,900\n")
}

#[test]
fn many_bars_become_a_density_that_is_told() {
    let many = many();
    for kind in ["diagram", "barcode"] {
        let text = drawn(&many, &["--kind", kind]);
        let svg = Document::parse(&text).unwrap();
        assert!(of_class(&svg, "bars").is_empty() && !of_class(&svg, "density").is_empty(), "{kind}");
        let legend = labels(&svg, "legend");
        let words = if kind == "diagram" { "bars a hexagon" } else { "Lines stand for many bars each:" };
        assert!(legend.contains(&words), "{legend:?}");
        assert!(text.len() < 300_000, "{kind}: {} bytes", text.len());
    }
    let text = drawn(&many, &[]);
    let svg = Document::parse(&text).unwrap();
    let (x, y) = (axis(&svg, "tick-x"), axis(&svg, "tick-y"));
    // The long bar is alone in a hexagon around its point.
    let corners: Vec<f64> = of_class(&svg, "density").iter().flat_map(numbers).collect();
    let far = corners.chunks(2).filter(|at| at[1] < y(850.0) && at[0] < x(150.0)).collect::<Vec<_>>();
    assert_eq!(far.len(), 6);
    let middle = |k: usize| far.iter().map(|at| at[k]).sum::<f64>() / 6.0;
    assert!((middle(0) - x(100.0)).hypot(middle(1) - y(900.0)) < 3.0);
}

#[test]
fn a_barcode_has_a_line_a_bar() {
    let text = drawn("dim,birth,death\n0,0,inf\n0,0,1\n1,-inf,2\n1,1,4\n", &["--kind", "barcode"]);
    let svg = Document::parse(&text).unwrap();
    let x = axis(&svg, "tick-x");
    let lines = |name: &str| -> Vec<Vec<f64>> {
        let path = of_class(&svg, "bars").into_iter().find(|node| label(node) == name).unwrap();
        numbers(&path).chunks(4).map(<[f64]>::to_vec).collect()
    };
    let (components, loops) = (lines("H₀"), lines("H₁"));
    assert_eq!((components.len(), loops.len()), (2, 2));
    assert_near(components[0][0], x(0.0));
    assert_near(components[0][2], x(1.0));
    assert_near(loops[1][0], x(1.0));
    assert_near(loops[1][2], x(4.0));
    let mut infinities: Vec<f64> = of_class(&svg, "infinity").iter().map(|line| numbers(line)[0]).collect();
    infinities.sort_by(f64::total_cmp);
    assert_near(components[1][2], infinities[1]);
    assert_near(loops[0][0], infinities[0]);
}

#[test]
fn curves_are_as_high_as_they_count() {
    let bars = "dim,birth,death\n0,0,inf\n0,0,3\n0,0,2\n1,1,2\n";
    let text = drawn(bars, &["--kind", "betti", "--dim", "0"]);
    let svg = Document::parse(&text).unwrap();
    let (x, y) = (axis(&svg, "tick-x"), axis(&svg, "tick-y"));
    let curves = of_class(&svg, "curve");
    assert_eq!(curves.iter().map(label).collect::<Vec<_>>(), ["H₀"]);
    let points = numbers(&curves[0]);
    let expected = [(0.0, 0.0), (0.0, 3.0), (2.0, 3.0), (2.0, 2.0), (3.0, 2.0), (3.0, 1.0)];
    for (found, (value, height)) in points[2..].chunks(2).zip(expected) {
        assert_near(found[0], x(value));
        assert_near(found[1], y(height));
    }
    let text = drawn(bars, &["--kind", "landscape"]);
    let svg = Document::parse(&text).unwrap();
    assert!(labels(&svg, "curve").contains(&"H₀, λ₂") && labels(&svg, "legend").contains(&"without 1 bar"));
}

#[test]
fn a_curve_of_an_image_is_that_of_its_bars() {
    let scratch = Scratch::new();
    let image = data("cubical/waves.npy");
    let [rows, bars, direct] = ["rows.json", "bars.csv", "direct.svg"].map(|name| scratch.name(name));
    lacuna("ecc", ["-q", "-o", &rows, "--plot", &direct]).arg(&image).assert().success();
    lacuna("cubical", ["-q", "-o", &bars]).arg(&image).assert().success();
    let corners = |text: &str| -> Vec<(f64, f64)> {
        let svg = Document::parse(text).unwrap();
        let (x, y) = (axis(&svg, "tick-x"), axis(&svg, "tick-y"));
        let (x0, y0) = (x(0.0), y(0.0));
        let (unit_x, unit_y) = (x(1.0) - x0, y(1.0) - y0);
        let points = numbers(&of_class(&svg, "curve")[0]);
        let values = points.chunks(2).map(|at| ((at[0] - x0) / unit_x, (at[1] - y0) / unit_y));
        let rounded = |x: f64| (x * 50.0).round() / 50.0;
        let mut corners: Vec<(f64, f64)> = values.map(|(x, y)| (rounded(x), y.round())).collect();
        corners.dedup();
        corners
    };
    let of_rows = drawn(&fs::read_to_string(&rows).unwrap(), &[]);
    assert_eq!(corners(&of_rows), corners(&fs::read_to_string(&direct).unwrap()));
    let of_bars = drawn(&fs::read_to_string(&bars).unwrap(), &["--kind", "ecc"]);
    // Both curves begin at 0, have the same extrema and end at 1; where steps are closer than two pixels, the drawings
    // may differ.
    let heights = |corners: &[(f64, f64)]| {
        let of = |at: fn(f64, f64) -> f64| corners.iter().map(|corner| corner.1).reduce(at).unwrap();
        (of(f64::min), of(f64::max), corners[0].1, corners[corners.len() - 1].1)
    };
    assert_eq!(heights(&corners(&of_bars)), heights(&corners(&of_rows)));
}

#[test]
fn odd_diagrams_have_pictures_of_every_kind() {
    let diagrams = [
        "dim,birth,death\n".to_owned(),
        "1,2,3\n".to_owned(),
        "1,1,2\n".repeat(50),
        "0,1e-30,3e-30\n1,2e-30,9e-30\n".to_owned(),
        "0,-1e30,3e30\n1,2e30,9e30\n".to_owned(),
        "0,-inf,inf\n0,-inf,3\n1,inf,inf\n".to_owned(),
        "0,-1.7e308,1.7e308\n".to_owned(),
        "0,5e-324,1e-323\n".to_owned(),
        "0,1,1.0000000000000002\n".to_owned(),
    ];
    for bars in &diagrams {
        for kind in ["diagram", "barcode", "betti", "landscape", "ecc"] {
            let text = drawn(bars, &["--kind", kind, "--size", "400x300", "--title", "a < b"]);
            let svg = Document::parse(&text).unwrap();
            assert!(!text.contains("NaN") && !text.contains("inf\""), "{bars} as {kind}: {text}");
            assert_eq!(svg.root_element().attribute("viewBox"), Some("0 0 400 300"));
            assert_eq!(labels(&svg, "title"), ["a < b"]);
        }
    }
}

#[test]
fn every_format_has_the_size_that_was_asked_for() {
    let scratch = Scratch::new();
    let file = |name: &str| {
        let file = scratch.name(name);
        let options = ["-q", "--plot", &file, "--plot-kind", "barcode"];
        rips_of(SQUARE, &options).assert().success().stderr(is_empty());
        lacuna("plot", ["-", "-q", "--size", "320x240", "-o", &file])
            .write_stdin("0,1,2\n")
            .assert()
            .success();
        fs::read(file).unwrap()
    };
    let png = file("a.png");
    let decoder = png::Decoder::new(std::io::Cursor::new(&png));
    let mut reader = decoder.read_info().unwrap();
    let mut dots = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut dots).unwrap();
    assert_eq!((reader.info().width, reader.info().height), (640, 480));
    assert!(dots.chunks(3).any(|dot| dot == [0x00, 0x72, 0xb2]), "the mark's colour");
    let pdf = file("a.PDF");
    assert!(pdf.starts_with(b"%PDF-") && pdf.trim_ascii_end().ends_with(b"%%EOF"));
    let text = String::from_utf8_lossy(&pdf);
    assert!(text.contains("/MediaBox [0 0 240 180]"), "{text}");
}

#[test]
fn pictures_that_cannot_be_drawn_are_refused() {
    let scratch = Scratch::new();
    let curve = scratch.name("curve.csv");
    fs::write(&curve, "value,vcec,ecc\n1,1,1\n").unwrap();
    let refused = |arguments: &[&str], expected: &str| {
        lacuna("plot", arguments).assert().code(2).stderr(contains(expected));
    };
    refused(&[&curve, "--kind", "betti"], "expected bars for a picture of kind betti");
    refused(&[&curve, "--size", "9x9"], "expected 160 × 160 to 16384 × 16384");
    refused(&[&curve, "--size", "9"], "such as 640x480");
    refused(&[&curve, "-o", "a.jpg"], "expected a file named *.svg, *.png or *.pdf");
    refused(&[&curve, "-o", "a.svg", "--output", "png"], "expected another file name");
    refused(&["-", "-"], "standard input twice");
    let pairs = scratch.name("pairs.txt");
    fs::write(&pairs, "1\n2 3\n").unwrap();
    refused(&[&pairs, "--kind", "ecc"], "expected bars with dimensions");
    rips(["--plot", "a.jpg"]).arg(data("torus.pts")).assert().code(2).stderr(contains("*.svg"));
    let both = scratch.name("x.svg");
    rips(["-q", "--output", "text", "-o", &both, "--plot", &both])
        .arg(data("torus.pts"))
        .assert()
        .code(2)
        .stderr(contains("the same"));
    assert_eq!(scratch.names(), ["curve.csv", "pairs.txt"]);
}

#[test]
fn cells_have_pictures_too() {
    let scratch = Scratch::new();
    let picture = scratch.name("cells.svg");
    lacuna("reduce", ["-q", "--plot", &picture]).arg(data("octahedron_surface.dat")).assert().success();
    let text = fs::read_to_string(&picture).unwrap();
    let svg = Document::parse(&text).unwrap();
    // 5 merges, 7 fillings, and the sphere's two essential classes.
    assert_eq!([marks(&svg, "H₀").len(), marks(&svg, "H₁").len(), marks(&svg, "H₂").len()], [6, 7, 1]);
}

/// The data of a page about a run, as its script reads it.
fn page(path: &str) -> serde_json::Value {
    let page = fs::read_to_string(path).unwrap();
    let (_, data) = page.split_once("type=\"application/json\">").unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn pages_about_runs_hold_what_the_run_knows() {
    let scratch = Scratch::new();
    let [report, bars] = ["page.html", "bars.json"].map(|name| scratch.name(name));
    let options = ["--report", &report, "-o", &bars, "--representatives", "simplices,cycles", "-q"];
    rips_of(SQUARE, &options).assert().success();
    let data = page(&report);
    assert_eq!((&data["dims"][0]["count"], &data["dims"][1]["count"]), (&4.into(), &1.into()));
    // A matrix has no coordinates for a drawing, but the loop still has simplices.
    assert!(data["points"].is_null());
    let written: serde_json::Value = serde_json::from_str(&fs::read_to_string(&bars).unwrap()).unwrap();
    let simplex = |key| {
        let vertices = written["representatives"][4][key].as_array().unwrap();
        vertices.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let [birth, death] = ["birth_simplex", "death_simplex"].map(simplex);
    assert_eq!(data["simplices"][4], serde_json::json!([4, birth, death]));
    assert!(data["plan"].as_str().unwrap().contains("threshold"));
    let facts = data["facts"].as_array().unwrap();
    assert!(facts.contains(&serde_json::json!(["points", "4"])), "{facts:?}");

    let drawn =
        ["--report", &report, "-o", &bars, "--representatives", "cycles", "--format", "point-cloud", "-q"];
    rips_of("0 0\n1 0\n1 1\n0 1\n", &drawn).assert().success();
    let data = page(&report);
    assert_eq!(
        (&data["coordinates"], &data["cycles"][0][0], &data["cycles"][0][1]),
        (&2.into(), &4.into(), &2.into())
    );
    assert_eq!(data["cycles"][0][2].as_array().unwrap().len(), 8);

    let curve = ["-q", "--report", &report];
    lacuna("ecc", curve).arg(super::data("cubical/waves.npy")).assert().success();
    let data = page(&report);
    assert_eq!((data["curves"].as_array().unwrap().len(), data["dims"].as_array().unwrap().len()), (1, 0));
}

#[test]
fn pages_that_cannot_be_written_are_refused() {
    let scratch = Scratch::new();
    let refused = |options: &[&str], expected: &str| {
        rips(options).arg(data("torus.pts")).assert().code(2).stderr(contains(expected));
    };
    refused(&["--report", "page.svg"], "expected a file named *.html");
    let page = scratch.name("page.html");
    refused(&["--report", &page, "--output", "text", "-o", &page], "the report and the answer");
    refused(&["--report", &page, "--stats", &page], "the report and the statistics");
    let folder = scratch.name("bars");
    rips(["--report", &page, "-o", &folder]).args([data("torus.pts"), data("cube.pts")]).assert().code(2);
    assert!(!scratch.path("page.html").exists());
}

#[test]
fn dimensions_that_no_bar_has_are_not_all_and_too_many_are_refused() {
    let scratch = Scratch::new();
    let bars: String = (0..65).map(|dim| format!("{dim},0,1\n")).collect();
    let file = scratch.file("bars.csv", format!("dim,birth,death\n{bars}"));
    let plot = |dims: &[&str]| lacuna("plot", ["-q"]).args(dims).arg(&file).assert();
    plot(&["--dim", "5000000000"]).code(2).stderr(contains("from 0 to 4294967295, found 5000000000"));
    plot(&[]).code(2).stderr(contains("bars of 65 dimensions: expected at most 64"));
    plot(&["--dim", "3,64"]).success();
    let curve = scratch.file("curve.csv", "value,vcec,ecc\n1,1,1\n");
    lacuna("plot", ["-q", "--dim", "1"])
        .arg(curve)
        .assert()
        .code(2)
        .stderr(contains("found an Euler characteristic curve"));
}
