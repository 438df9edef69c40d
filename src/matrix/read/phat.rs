//! `phat-ascii`, `phat-binary`: PHAT's boundary matrices.

use phat_formats::phat::matrix::{self, Read};
use phat_formats::{Index, Source};

use super::{Cells, Content, Input, Problem, Watch};

/// The matrix of a binary file.
pub(super) fn read_binary(source: &(impl Source + ?Sized), watch: &impl Watch) -> Result<Content, Problem> {
    let size = matrix::size(source)?;
    if size.fits::<u32>() {
        watch.begin::<u32>(size);
        Ok(content(matrix::read_binary_showing(source, |part| watch.narrow(&part))?, Input::Narrow))
    } else {
        watch.begin::<u64>(size);
        Ok(content(matrix::read_binary_showing(source, |part| watch.wide(&part))?, Input::Wide))
    }
}

/// The matrix of a text.
pub(super) fn read_ascii(text: &[u8]) -> Result<Content, Problem> {
    // A column has two bytes at the least, and so has a row.
    if text.len() / 2 < u32::MOST {
        Ok(content(matrix::read_ascii(text)?, Input::Narrow))
    } else {
        Ok(content(matrix::read_ascii(text)?, Input::Wide))
    }
}

fn content<I: Index>(read: Read<I>, input: impl FnOnce(Cells<I>) -> Input) -> Content {
    let Read { matrix, unsorted, first_unsorted } = read;
    let warning = first_unsorted.map(|first| {
        let columns = if unsorted == 1 { "1 column".to_owned() } else { format!("{unsorted} columns") };
        format!("{}: expected ascending rows in column {}; sorted {columns}", first.place, first.column)
    });
    let max_dim = matrix.max_dim().unwrap_or(0);
    Content {
        input: input(Cells { matrix, values: None, max_dim, cut: false }),
        warning,
        gives_boundaries: true,
    }
}
