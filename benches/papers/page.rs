//! Generates the page `benches/PAPERS.md`: the tables of the papers in order, with ours for comparison.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::rows::{Measured, Row, Table, Unit};

/// Writes the page of the rows in `files`. Rows of small inputs are refused, since they say nothing about speed.
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
    render_summary(&mut text, measured)?;
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

/// Renders one table, with both machines.
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
    render_rows(text, &table.rows)
}

/// Renders the rows; notes that several rows share are printed once below them.
fn render_rows(text: &mut String, rows: &[Row]) -> std::fmt::Result {
    let verified = distinct(rows.iter().map(|row| row.verified.as_str()));
    let remarks = distinct(rows.iter().map(|row| row.remark.as_str()));
    text.push_str(
        "| input | quantity | paper | ours | by | factor | notes |\n|---|---|---|---|---|---|---|\n",
    );
    let mut input = "";
    for row in rows {
        let number =
            |texts: &[&str], text: &str| texts.iter().position(|other| *other == text).map(|k| k + 1);
        let mut notes: Vec<String> = Vec::new();
        if verified.len() > 1 {
            notes.extend(number(&verified, &row.verified).map(|k| format!("v{k}")));
        }
        notes.extend(number(&remarks, &row.remark).map(|k| k.to_string()));
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            if row.input == input { "" } else { &row.input },
            row.quantity,
            row.paper.map_or_else(|| String::from("–"), |value| figure(value, row.unit)),
            figure(row.ours, row.unit),
            row.backend,
            comparison(row),
            notes.join(", ")
        )?;
        input = &row.input;
    }
    text.push('\n');
    match verified[..] {
        [all] => writeln!(text, "Verified against {all}.")?,
        _ => {
            for (k, what) in verified.iter().enumerate() {
                writeln!(text, "- v{}: verified against {what}.", k + 1)?;
            }
        }
    }
    if !remarks.is_empty() {
        text.push('\n');
    }
    remarks.iter().enumerate().try_for_each(|(k, remark)| writeln!(text, "{}. {remark}.", k + 1))
}

/// The non-empty texts in order, without repetition.
fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for text in texts.filter(|text| !text.is_empty()) {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// Renders one line per table: the number of rows that equal the paper's, and the factors of the others.
fn render_summary(text: &mut String, measured: &[Measured]) -> std::fmt::Result {
    text.push_str("\n## At a glance\n\n");
    text.push_str("| paper | table | counts and shares | equal | rows that a device times | at least 10× | median factor | least factor |\n");
    text.push_str("|---|---|---|---|---|---|---|---|\n");
    for table in measured.iter().flat_map(|one| &one.tables) {
        let printed: Vec<&Row> = table.rows.iter().filter(|row| row.paper.is_some()).collect();
        let counts: Vec<&&Row> =
            printed.iter().filter(|row| row.factor().is_none() && row.unit != Unit::Share).collect();
        let equal = counts.iter().filter(|row| comparison(row) == "equal").count();
        let is_timed = |row: &&&Row| row.backend.contains("cuda") && row.unit.is_of_time();
        let mut factors: Vec<f64> = printed.iter().filter(is_timed).filter_map(|row| row.factor()).collect();
        factors.sort_by(f64::total_cmp);
        let tenfold = factors.iter().filter(|factor| **factor >= 10.0).count();
        let [median, least] = [factors.len() / 2, 0]
            .map(|place| factors.get(place).map_or_else(|| String::from("–"), |factor| times(*factor)));
        writeln!(
            text,
            "| {} | {} | {} | {equal} | {} | {tenfold} | {median} | {least} |",
            table.paper,
            table.title,
            counts.len(),
            factors.len()
        )?;
    }
    Ok(())
}

/// Whether our number equals the paper's in all printed digits; trailing zeros of a whole number do not count.
fn agrees(paper: f64, ours: f64) -> bool {
    let printed = format!("{paper}");
    match printed.split_once('.') {
        Some((_, decimals)) => format!("{ours:.0$}", decimals.len()) == printed,
        None => {
            let zeros = printed.len() - printed.trim_end_matches('0').len();
            ours == paper || zeros > 0 && (ours - paper).abs() <= 0.5 * 10f64.powi(zeros as i32)
        }
    }
}

/// A factor with meaningful digits.
fn times(factor: f64) -> String {
    if factor >= 10.0 { format!("{factor:.0}×") } else { format!("{factor:.2}×") }
}

/// The comparison of a row: a factor, or whether two counts are equal.
fn comparison(row: &Row) -> String {
    match (row.factor(), row.paper) {
        (Some(factor), _) => times(factor),
        (None, _) if row.unit == Unit::Share => String::from("–"),
        (None, Some(paper)) if agrees(paper, row.ours) => String::from("equal"),
        (None, Some(_)) => String::from("differs"),
        (None, None) => String::from("–"),
    }
}

/// A number with its unit, with three significant digits; counts are whole.
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

/// Three significant digits, or all digits before the point.
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
