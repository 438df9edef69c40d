//! Lines of text, formatted by all threads.

use std::io::{self, Write};
use std::mem;
use std::ops::Range;

use crate::parallel;

/// Number of lines that a task formats.
const CHUNK: usize = 1 << 13;

/// Number of chunks per thread whose text is in memory at the same time.
const CHUNKS: usize = 4;

/// A writer of lines, which keeps the memory of their text.
#[derive(Default)]
pub(super) struct Lines {
    /// The text of each chunk.
    texts: Vec<String>,
}

impl Lines {
    /// Number of lines whose text is in memory at the same time.
    pub(super) fn at_once() -> usize {
        CHUNK * CHUNKS * rayon::current_num_threads()
    }

    /// Writes `length` lines; `format` appends those in a range. A single chunk is formatted by the calling thread, and
    /// no other is started.
    pub(super) fn write(
        &mut self,
        length: usize,
        out: &mut dyn Write,
        format: &(dyn Fn(Range<usize>, &mut String) + Sync),
    ) -> io::Result<()> {
        if length <= CHUNK {
            let mut text = String::new();
            format(0..length, &mut text);
            return out.write_all(text.as_bytes());
        }
        let at_once = Lines::at_once();
        self.texts.resize(at_once.min(length).div_ceil(CHUNK).max(self.texts.len()), String::new());
        for start in (0..length).step_by(at_once) {
            let count = (length - start).min(at_once).div_ceil(CHUNK);
            parallel::pieces_mut(&mut self.texts[..count], 1, &|chunk, text| {
                // Lengths of neighbouring strings share a cache line, which the threads would take from each other.
                let mut lines = mem::take(&mut text[0]);
                lines.clear();
                let start = start + chunk * CHUNK;
                format(start..length.min(start + CHUNK), &mut lines);
                text[0] = lines;
            });
            self.texts[..count].iter().try_for_each(|text| out.write_all(text.as_bytes()))?;
        }
        Ok(())
    }
}
