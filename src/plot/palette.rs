//! Colours, marks and dashes: dimensions differ in colour, inputs in mark and dash.
//!
//! The colours are those of Okabe and Ito, "Color universal design" (2008), which can be distinguished with any colour
//! vision. They are ordered so that low dimensions also differ in lightness, for prints without colour. With a single
//! input, dimensions also differ in marks and dashes.

use super::canvas::{Colour, Mark, Stroke, Symbol};

const OKABE_ITO: [Colour; 7] = [
    Colour(0x00, 0x72, 0xb2),
    Colour(0xe6, 0x9f, 0x00),
    Colour(0x00, 0x00, 0x00),
    Colour(0x00, 0x9e, 0x73),
    Colour(0xcc, 0x79, 0xa7),
    Colour(0x56, 0xb4, 0xe9),
    Colour(0xd5, 0x5e, 0x00),
];

/// Dashes and gaps of lines, easily distinguished.
const DASHES: [&[f64]; 5] = [&[], &[7.0, 3.0], &[2.0, 2.0], &[9.0, 3.0, 2.0, 3.0], &[4.0, 4.0]];

/// Width of lines, and the widths used once all dashes are taken.
const WIDTHS: [f64; 3] = [1.7, 3.2, 0.8];

/// Number of distinct marks, and of distinct lines.
pub(super) const MARKS: usize = 3 * Symbol::ALL.len();
pub(super) const LINES: usize = WIDTHS.len() * DASHES.len();

/// Colours of a density, from one bar to the maximum of a cell: light ochre to dark blue, ever darker, similar to
/// cividis (Nuñez, Anderton, Renslow 2018).
const DENSITY: [Colour; 4] =
    [Colour(0xd8, 0xb6, 0x4a), Colour(0x8f, 0x89, 0x76), Colour(0x4b, 0x55, 0x6d), Colour(0x00, 0x1f, 0x4a)];

/// Colour of a dimension.
pub(super) fn colour(dim: u32) -> Colour {
    OKABE_ITO[dim as usize % OKABE_ITO.len()]
}

/// Mark of an input in the colour of a dimension: first full, then hollow, then pale.
pub(super) fn mark(input: usize, colour: Colour) -> Mark {
    let (fill, edge) = match input / Symbol::ALL.len() % 3 {
        // The outline is lighter than the mark but not white, so that a crowd keeps its colour.
        0 => (colour, Stroke::new(colour.mixed(Colour::WHITE, 0.55), 0.6)),
        1 => (Colour::WHITE, Stroke::new(colour, 1.3)),
        _ => (colour.mixed(Colour::WHITE, 0.6), Stroke::new(colour, 0.8)),
    };
    Mark { symbol: Symbol::ALL[input % Symbol::ALL.len()], fill, edge }
}

/// Line of an input in the colour of a dimension.
pub(super) fn line(input: usize, colour: Colour) -> Stroke {
    let width = WIDTHS[input / DASHES.len() % WIDTHS.len()];
    Stroke::new(colour, width).dashed(DASHES[input % DASHES.len()])
}

/// Colour of a density from 0 to 1.
pub(super) fn density(share: f64) -> Colour {
    let at = share.clamp(0.0, 1.0) * (DENSITY.len() - 1) as f64;
    let k = (at as usize).min(DENSITY.len() - 2);
    DENSITY[k].mixed(DENSITY[k + 1], at - k as f64)
}
