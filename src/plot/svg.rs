//! SVG: marks and glyphs are defined once and referenced many times.
//!
//! The attribute `class` holds the class of an element, `aria-label` its label. Texts are outlines, with their text as
//! label.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use super::canvas::{Canvas, Colour, Mark, Placed, Segment, Shape, Stroke, Symbol, Text};
use super::font::Font;

pub(super) fn write(canvas: &Canvas, out: &mut dyn Write) -> io::Result<()> {
    let font = Font::new();
    let Canvas { width, height, title, .. } = canvas;
    write!(out, r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" "#)?;
    writeln!(out, r#"viewBox="0 0 {width} {height}" role="img" aria-label="{}">"#, escaped(title))?;
    writeln!(out, "<title>{}</title>", escaped(title))?;
    write_definitions(canvas, &font, out)?;
    writeln!(
        out,
        r#"<rect class="background" width="{width}" height="{height}" fill="{}"/>"#,
        hex(Colour::WHITE)
    )?;
    for element in &canvas.elements {
        let label = escaped(&element.label);
        let label = if label.is_empty() { label } else { format!(r#" aria-label="{label}""#) };
        write!(out, r#"<{} class="{}"{label}"#, tag(&element.shape), element.class)?;
        match &element.shape {
            Shape::Path { outline, fill, stroke } => {
                write!(out, r#" fill="{}""#, fill.map_or_else(|| "none".to_owned(), hex))?;
                if let Some(stroke) = stroke {
                    write_stroke(stroke, out)?;
                }
                writeln!(out, r#" d="{}"/>"#, data(outline))?;
            }
            Shape::Marks { mark: Mark { symbol, fill, edge }, radius, at } => {
                write!(out, r#" fill="{}""#, hex(*fill))?;
                write_stroke(edge, out)?;
                writeln!(out, ">")?;
                for &(x, y) in at {
                    let (x, y) = (number(x), number(y));
                    writeln!(out, r##"<use href="#{}" x="{x}" y="{y}"/>"##, name(*symbol, *radius))?;
                }
                writeln!(out, "</g>")?;
            }
            Shape::Text(text) => {
                let placed = Placed::new(&font, text);
                let turn = if text.upwards { " rotate(-90)" } else { "" };
                let (x, y) = (number(placed.at.0), number(placed.at.1));
                let scale = format!("{:.5}", placed.scale);
                write!(out, r#" fill="{}" "#, hex(Colour::TEXT))?;
                write!(out, r#"transform="translate({x} {y}){turn} scale({scale} -{scale})">"#)?;
                for (glyph, right) in placed.glyphs {
                    write!(out, r##"<use href="#g{glyph}" x="{right}"/>"##)?;
                }
                writeln!(out, "</g>")?;
            }
        }
    }
    writeln!(out, "</svg>")
}

fn tag(shape: &Shape) -> &'static str {
    if matches!(shape, Shape::Path { .. }) { "path" } else { "g" }
}

/// Writes the outlines of all glyphs and marks that occur.
fn write_definitions(canvas: &Canvas, font: &Font, out: &mut dyn Write) -> io::Result<()> {
    let mut glyphs: BTreeSet<u16> = BTreeSet::new();
    let mut marks: BTreeMap<String, Vec<Segment>> = BTreeMap::new();
    for element in &canvas.elements {
        match &element.shape {
            Shape::Text(Text { text, .. }) => {
                glyphs.extend(font.lay_out(text).0.iter().map(|(glyph, _)| glyph))
            }
            Shape::Marks { mark: Mark { symbol, .. }, radius, .. } => {
                marks.entry(name(*symbol, *radius)).or_insert_with(|| symbol.outline(*radius));
            }
            Shape::Path { .. } => {}
        }
    }
    writeln!(out, "<defs>")?;
    for glyph in glyphs {
        writeln!(out, r#"<path id="g{glyph}" d="{}"/>"#, data(&font.outline(glyph)))?;
    }
    for (name, outline) in marks {
        writeln!(out, r#"<path id="{name}" d="{}"/>"#, data(&outline))?;
    }
    writeln!(out, "</defs>")
}

fn name(symbol: Symbol, radius: f64) -> String {
    format!("{symbol}-{}", (10.0 * radius).round())
}

fn write_stroke(stroke: &Stroke, out: &mut dyn Write) -> io::Result<()> {
    let Stroke { colour, width, dashes } = stroke;
    write!(out, r#" stroke="{}" stroke-width="{}""#, hex(*colour), number(*width))?;
    if !dashes.is_empty() {
        let dashes: Vec<String> = dashes.iter().map(|&length| number(length)).collect();
        write!(out, r#" stroke-dasharray="{}""#, dashes.join(" "))?;
    }
    Ok(())
}

fn hex(Colour(red, green, blue): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn data(outline: &[Segment]) -> String {
    let mut text = String::new();
    for segment in outline {
        let (letter, points) = match *segment {
            Segment::Move(to) => ('M', vec![to]),
            Segment::Line(to) => ('L', vec![to]),
            Segment::Quad(by, to) => ('Q', vec![by, to]),
            Segment::Cubic(first, second, to) => ('C', vec![first, second, to]),
            Segment::Close => ('Z', vec![]),
        };
        text.push(letter);
        let numbers: Vec<String> = points.iter().flat_map(|&(x, y)| [x, y]).map(number).collect();
        text.push_str(&numbers.join(" "));
    }
    text
}

/// Formats a number of pixels to a hundredth.
fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML does not allow other control characters.
            _ if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                safe.push('\u{fffd}')
            }
            _ => safe.push(character),
        }
    }
    safe
}
