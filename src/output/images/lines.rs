//! Output lines formatted by all threads.

use std::io::{self, Write};

use rayon::prelude::*;

use super::{Bar, Barcode};
use crate::cubical::persistence::Class;

/// Number of classes whose lines a task formats.
const CHUNK: usize = 1 << 13;

/// Number of chunks per thread whose lines are in memory at the same time.
const CHUNKS: usize = 4;

/// Writes a line for each class; `push` appends it to a string.
pub(super) fn write(
    barcode: &Barcode<'_>,
    classes: &[Class],
    out: &mut dyn Write,
    push: impl Fn(&Bar, &mut String) + Sync,
) -> io::Result<()> {
    let chunks = CHUNKS * rayon::current_num_threads();
    let mut texts = vec![String::new(); chunks.min(classes.len().div_ceil(CHUNK))];
    for classes in classes.chunks(CHUNK * chunks) {
        let parts = texts.par_iter_mut().zip(classes.par_chunks(CHUNK));
        parts.for_each(|(text, classes)| {
            text.clear();
            barcode.bars(classes).for_each(|bar| push(&bar, text));
        });
        let written = classes.len().div_ceil(CHUNK);
        texts[..written].iter().try_for_each(|text| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}
