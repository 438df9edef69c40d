//! A JSON object: the bars and the statistics of the run.

use std::io::{self, Write};

use serde::{Serialize, Serializer};

use super::Barcode;
use super::table::BarTable;
use crate::rips::{Chain, Representative};

#[derive(Serialize)]
struct Head<'a> {
    points: usize,
    modulus: u16,
    /// serde_json writes infinity as `null`.
    threshold: f64,
    max_dim: usize,
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    unfinished: &'a [usize],
    #[serde(skip_serializing_if = "Option::is_none")]
    landmarks: Option<&'a [usize]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    covering_radius: Option<f64>,
}

/// The representative of a bar.
#[derive(Serialize)]
struct Simplices<'a> {
    dim: usize,
    index: usize,
    birth: f64,
    death: f64,
    birth_simplex: &'a [u32],
    death_simplex: Option<&'a [u32]>,
    birth_edge: Option<[u32; 2]>,
    death_edge: Option<[u32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cocycle: Option<Rows<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle: Option<Rows<'a>>,
}

/// A chain as rows: the vertices of each simplex, then its coefficient.
struct Rows<'a>(&'a Chain);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = |(simplex, coefficient): (&[u32], u16)| [simplex, &[u32::from(coefficient)]].concat();
        serializer.collect_seq(self.0.iter().map(row))
    }
}

impl<'a> From<&'a Representative> for Simplices<'a> {
    fn from(found: &'a Representative) -> Self {
        Simplices {
            dim: found.dim,
            index: found.index,
            birth: found.bar.birth,
            death: found.bar.death,
            birth_simplex: &found.birth,
            death_simplex: found.death.as_deref(),
            birth_edge: found.birth_edge,
            death_edge: found.death_edge,
            cocycle: found.cocycle.as_deref().map(Rows),
            cycle: found.cycle.as_deref().map(Rows),
        }
    }
}

/// Writes the object with one line per bar and one per representative.
///
/// # Errors
/// Errors of `out`.
pub fn write(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Barcode { diagram, summary, modulus, landmarks, representatives, unfinished } = barcode;
    let head = Head {
        points: summary.points,
        modulus: *modulus,
        threshold: summary.threshold,
        max_dim: diagram.len().saturating_sub(1),
        unfinished,
        landmarks: landmarks.map(|landmarks| &*landmarks.points),
        covering_radius: landmarks.map(|landmarks| landmarks.covering_radius),
    };
    let mut object = Object::begin(serde_json::to_string(&head)?, out)?;
    object.bars(&BarTable::of_diagram(diagram))?;
    if let Some(representatives) = representatives {
        object.list("representatives", representatives.iter().map(Simplices::from))?;
    }
    object.end()
}

/// An object that is being written, with lists of one line per element.
pub(crate) struct Object<'a> {
    out: &'a mut dyn Write,
    is_empty: bool,
}

impl<'a> Object<'a> {
    /// Begins an object with the keys of `head`, which is an object too.
    pub(crate) fn begin(mut head: String, out: &'a mut dyn Write) -> io::Result<Self> {
        head.pop();
        out.write_all(head.as_bytes())?;
        Ok(Object { out, is_empty: head == "{" })
    }

    /// Writes a key, and returns the output for its value.
    pub(crate) fn key(&mut self, name: &str) -> io::Result<&mut dyn Write> {
        let separator = if std::mem::take(&mut self.is_empty) { "" } else { "," };
        write!(self.out, "{separator}\"{name}\":")?;
        Ok(self.out)
    }

    /// Writes a list.
    pub(crate) fn list(
        &mut self,
        name: &str,
        elements: impl Iterator<Item = impl Serialize>,
    ) -> io::Result<()> {
        let out = self.key(name)?;
        out.write_all(b"[")?;
        for (k, element) in elements.enumerate() {
            out.write_all(if k == 0 { b"\n" } else { b",\n" })?;
            serde_json::to_writer(&mut *out, &element)?;
        }
        out.write_all(b"\n]")
    }

    /// Writes the list `bars`. JSON has no infinity, so infinite values are strings.
    pub(crate) fn bars(&mut self, table: &BarTable<'_>) -> io::Result<()> {
        let out = self.key("bars")?;
        out.write_all(b"[")?;
        let mut before = 0;
        for (section, &(_, length)) in table.sections().iter().enumerate() {
            table.write_lines(section, out, &|index, row, line| {
                line.push_str(if before + index == 0 { "\n{\"dim\":" } else { ",\n{\"dim\":" });
                line.push_str(itoa::Buffer::new().format(row.dim));
                line.push_str(",\"birth\":");
                row.birth.push_quoted("\"", line);
                line.push_str(",\"death\":");
                if row.is_essential {
                    line.push_str("null");
                } else {
                    row.death.push_quoted("\"", line);
                }
                line.push('}');
            })?;
            before += length;
        }
        out.write_all(b"\n]")
    }

    /// Ends the object.
    pub(crate) fn end(self) -> io::Result<()> {
        self.out.write_all(b"}\n")
    }
}
