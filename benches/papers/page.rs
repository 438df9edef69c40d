//! The page `benches/PAPERS.md`: tables of the papers in their order, ours beside.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::rows::{Measured, Row, Table, Unit};

/// Writes the page of the rows in `files`. Rows of small inputs are refused: they say nothing about speed.
pub fn write(page: &Path, files: &[PathBuf]) -> Result<(), Failure> {
    let mut measured = Vec::new();
    for file in files {
        let text = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let one: Measured =
            serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        if one.small {
            return Err(format!("{}: measured with --small", file.display()).into());
        }
        measured.push(one);
    }
    Ok(fs::write(page, render(&measured)?)?)
}

/// The text of the page.
fn render(measured: &[Measured]) -> Result<String, std::fmt::Error> {
    let mut text = String::from(include_str!("preface.md"));
    let mut papers: Vec<&str> = Vec::new();
    for table in measured.iter().flat_map(|one| &one.tables) {
        if !papers.contains(&table.paper.as_str()) {
            papers.push(&table.paper);
        }
    }
    for paper in papers {
        write!(text, "\n## {paper}\n")?;
        for one in measured {
            for table in one.tables.iter().filter(|table| table.paper == paper) {
                render_table(&mut text, one, table)?;
            }
        }
    }
    text.push('\n');
    text.push_str(include_str!("findings.md"));
    Ok(text)
}

/// One table, with the machines of both.
fn render_table(text: &mut String, one: &Measured, table: &Table) -> std::fmt::Result {
    let machine = &one.machine;
    let device = machine.device.as_deref().unwrap_or("no device");
    write!(text, "\n### {}\n\n", table.title)?;
    writeln!(
        text,
        "Paper: {}. Ours: {device}, {}, {} threads; commit {}, Rust {}.",
        table.paper_machine, machine.processor, machine.threads, machine.commit, machine.rust
    )?;
    writeln!(text, "`{}`\n", one.command)?;
    for note in &table.notes {
        writeln!(text, "- {note}")?;
    }
    if !table.notes.is_empty() {
        text.push('\n');
    }
    text.push_str("| input | quantity | paper | ours | by | factor | verified against | remark |\n|---|---|---|---|---|---|---|---|\n");
    for row in &table.rows {
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            row.input,
            row.quantity,
            row.paper.map_or_else(|| String::from("picture only"), |value| figure(value, row.unit)),
            figure(row.ours, row.unit),
            row.backend,
            comparison(row),
            row.verified,
            row.remark
        )?;
    }
    Ok(())
}

/// How ours compares: a factor, or whether two counts are equal.
fn comparison(row: &Row) -> String {
    match (row.factor(), row.paper) {
        (Some(factor), _) if factor >= 10.0 => format!("{factor:.0}×"),
        (Some(factor), _) => format!("{factor:.2}×"),
        (None, _) if row.unit == Unit::Share => String::from("–"),
        (None, Some(paper)) if figure(paper, row.unit) == figure(row.ours, row.unit) => String::from("equal"),
        (None, Some(_)) => String::from("differs"),
        (None, None) => String::from("–"),
    }
}

/// A figure with its unit, in three significant digits; counts whole.
fn figure(value: f64, unit: Unit) -> String {
    let scaled = |steps: &[(f64, &str)], plain: &str| {
        let step = steps.iter().find(|(size, _)| value.abs() >= *size);
        step.map_or_else(
            || format!("{} {plain}", digits(value)),
            |(size, name)| format!("{} {name}", digits(value / size)),
        )
    };
    match unit {
        Unit::Seconds => format!("{} s", digits(value)),
        Unit::Milliseconds => format!("{} ms", digits(value)),
        Unit::Bytes => scaled(&[(1e9, "GB"), (1e6, "MB"), (1e3, "kB")], "B"),
        Unit::PerSecond => scaled(&[(1e9, "G/s"), (1e6, "M/s"), (1e3, "k/s")], "/s"),
        Unit::VoxelsPerSecond => format!("{} GVox/s", digits(value / 1e9)),
        Unit::Hertz => format!("{} Hz", digits(value)),
        Unit::Count | Unit::Work => grouped(value),
        Unit::Fraction => format!("{:.5} %", value * 100.0),
        Unit::Share => format!("{:.1} %", value * 100.0),
        Unit::Times => format!("{}×", digits(value)),
    }
}

/// Three significant digits, or all before the point.
fn digits(value: f64) -> String {
    let magnitude = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    let decimals = (2.0 - magnitude).clamp(0.0, 6.0) as usize;
    format!("{value:.decimals$}")
}

/// A whole number in groups of three digits.
fn grouped(value: f64) -> String {
    let plain = format!("{value:.0}");
    let digits = plain.trim_start_matches('-');
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if plain.starts_with('-') { format!("-{text}") } else { text }
}
