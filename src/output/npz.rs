//! A zip archive of NumPy arrays, as `numpy.savez` writes it: the bars, and the simplices of their representatives.
//!
//! Arrays are stored without compression.

use std::io::{self, Write};
use std::iter;

use npyz::AutoSerialize;
use rawzip::{ErrorKind, ZipArchiveWriter};

use super::table::BarTable;
use super::{Barcode, npy};
use crate::input::npy::write_rows;
use crate::rips::{Chain, Representatives};

/// Writes the archive.
///
/// # Errors
/// Errors of `out`.
pub fn write(barcode: &Barcode<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut archive = Archive::new(out);
    archive.bars(&BarTable::of_diagram(barcode.diagram))?;
    if let Some(representatives) = barcode.representatives {
        for dim in 0..representatives.dimensions() {
            add_dimension(&mut archive, representatives, dim)?;
        }
    }
    archive.finish()
}

/// Adds the arrays of one dimension.
fn add_dimension(archive: &mut Archive<'_>, representatives: &Representatives, dim: usize) -> io::Result<()> {
    let rows = representatives.of_dimension(dim);
    // An essential bar has no death simplex.
    let padded = |vertices: Option<&[u32]>, width: usize| {
        let vertices = vertices.unwrap_or_default().iter().map(|&vertex| i64::from(vertex));
        vertices.chain(iter::repeat(-1)).take(width).collect::<Vec<i64>>()
    };
    let edge = |edge: &Option<[u32; 2]>| padded(edge.as_ref().map(|edge| &edge[..]), 2);
    let name = |array: &str| format!("{array}_{dim}");
    let births = rows.iter().flat_map(|found| padded(Some(&found.birth), dim + 1));
    archive.numbers(&name("birth_simplices"), &[rows.len(), dim + 1], births)?;
    let deaths = rows.iter().flat_map(|found| padded(found.death.as_deref(), dim + 2));
    archive.numbers(&name("death_simplices"), &[rows.len(), dim + 2], deaths)?;
    if dim > 0 {
        let edges = rows.iter().flat_map(|found| edge(&found.birth_edge));
        archive.numbers(&name("birth_edges"), &[rows.len(), 2], edges)?;
    }
    let edges = rows.iter().flat_map(|found| edge(&found.death_edge));
    archive.numbers(&name("death_edges"), &[rows.len(), 2], edges)?;
    archive.numbers(&name("index"), &[rows.len()], rows.iter().map(|found| found.index as i64))?;
    let cocycles: Vec<&Chain> = rows.iter().filter_map(|found| found.cocycle.as_deref()).collect();
    add_chains(archive, "cocycle", dim, &cocycles)?;
    let cycles: Vec<&Chain> = rows.iter().filter_map(|found| found.cycle.as_deref()).collect();
    add_chains(archive, "cycle", dim, &cycles)
}

/// Adds the arrays of chains: the start of each chain and then the number of simplices, and the vertices and
/// coefficients of the concatenated chains.
fn add_chains(archive: &mut Archive<'_>, name: &str, dim: usize, chains: &[&Chain]) -> io::Result<()> {
    if chains.is_empty() {
        return Ok(());
    }
    let simplices = chains.iter().map(|chain| chain.len()).sum();
    archive.offsets(&format!("{name}_offsets_{dim}"), chains.iter().map(|chain| chain.len()))?;
    let vertices = chains.iter().flat_map(|chain| chain.vertices()).map(|&vertex| i64::from(vertex));
    archive.numbers(&format!("{name}_simplices_{dim}"), &[simplices, dim + 1], vertices)?;
    let coefficients = chains.iter().flat_map(|chain| chain.coefficients()).map(|&c| i64::from(c));
    archive.numbers(&format!("{name}_coefficients_{dim}"), &[simplices], coefficients)
}

/// An archive that is being written.
pub(crate) struct Archive<'a>(ZipArchiveWriter<&'a mut dyn Write>);

impl<'a> Archive<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Archive(ZipArchiveWriter::new(out))
    }

    /// Adds an array that `write`, which is called once, writes.
    pub(crate) fn add(
        &mut self,
        name: &str,
        write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let (mut entry, config) = self.0.new_file(format!("{name}.npy")).start().map_err(io_error)?;
        let mut member = config.wrap(&mut entry);
        write(&mut member)?;
        let (_, descriptor) = member.finish().map_err(io_error)?;
        entry.finish(descriptor).map_err(io_error).map(drop)
    }

    /// Adds the bars, one row per bar: dim, birth, death.
    pub(crate) fn bars(&mut self, table: &BarTable<'_>) -> io::Result<()> {
        self.add("bars", &mut |member| npy::write(table, member))
    }

    /// Adds an array of this shape, in C order.
    pub(crate) fn numbers<T: AutoSerialize>(
        &mut self,
        name: &str,
        shape: &[usize],
        numbers: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        let mut numbers = numbers.into_iter();
        self.add(name, &mut |member| write_rows(shape, [Ok(numbers.by_ref())], member))
    }

    /// Adds pairs of cells, and the cells of essential classes, if they are known.
    pub(crate) fn pairs(
        &mut self,
        pairs: impl ExactSizeIterator<Item = (u64, u64)>,
        essential: Option<impl ExactSizeIterator<Item = u64>>,
    ) -> io::Result<()> {
        let shape = [pairs.len(), 2];
        self.numbers("pairs", &shape, pairs.flat_map(|(birth, death)| [birth as i64, death as i64]))?;
        let Some(essential) = essential else { return Ok(()) };
        let shape = [essential.len()];
        self.numbers("essential", &shape, essential.map(|cell| cell as i64))
    }

    /// Adds the start of each of the lists of the given lengths, and then the sum of the lengths.
    pub(crate) fn offsets(
        &mut self,
        name: &str,
        lengths: impl ExactSizeIterator<Item = usize>,
    ) -> io::Result<()> {
        let shape = [lengths.len() + 1];
        let ends = lengths.scan(0, |end, length| {
            *end += length as i64;
            Some(*end)
        });
        self.numbers(name, &shape, iter::once(0).chain(ends))
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        self.0.finish().map_err(io_error).map(drop)
    }
}

/// Converts the error of an archive to that of its output.
fn io_error(error: rawzip::Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::IO(error) => error,
        other => io::Error::other(other.to_string()),
    }
}
