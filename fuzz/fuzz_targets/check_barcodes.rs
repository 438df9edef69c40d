//! What has to hold for any bytes: the readers of barcodes give an answer or an error; what they read is the same as itself in
//! another order, and as what is written of it. The fuzz target and the plain test of the corpus share it.
//!
//! The first byte of an input picks a format, or none, the rest is the file.

use lacuna::compare::read::{BarcodeFormat, Loaded, read_bytes};
use lacuna::compare::{Barcode, Bars, CellPairs, compare};
use std::fmt::Write;

/// The name of the file, which says a dimension, as that of Perseus' output does.
const NAME: &str = "f_1";

/// A file in one of the formats, or one whose format is not given.
pub(crate) fn barcodes(input: &[u8]) -> Option<Loaded> {
    let (&choice, file) = input.split_first()?;
    let format = BarcodeFormat::ALL.get(usize::from(choice) % (BarcodeFormat::ALL.len() + 1)).copied();
    let loaded = read_bytes(NAME, file, format).ok()?;
    let again = read_bytes(NAME, file, Some(loaded.format)).expect("the detected format reads the file");
    assert_eq!(again.barcode, loaded.barcode);
    for tolerance in [0.0, 0.5] {
        same(&loaded.barcode, &reversed(&loaded.barcode), tolerance);
    }
    match &loaded.barcode {
        Barcode::Bars(bars) if bars.bars.iter().all(|bar| bar.essential || bar.death != f64::INFINITY) => {
            same(&loaded.barcode, &read(&csv(bars), BarcodeFormat::Csv), 0.0);
        }
        // DIPHA can write a bar that dies at infinity and is not essential, other formats cannot.
        Barcode::Bars(_) => {}
        Barcode::CellPairs(pairs) => same(&loaded.barcode, &read(&json(pairs), BarcodeFormat::Json), 0.0),
    }
    Some(loaded)
}

fn same(a: &Barcode, b: &Barcode, tolerance: f64) {
    let found = compare(a, b, tolerance).expect("they are of one kind");
    assert!(found.is_same(), "{found:?}");
}

fn read(text: &str, format: BarcodeFormat) -> Barcode {
    read_bytes("again", text.as_bytes(), Some(format)).expect("what was written").barcode
}

fn reversed(barcode: &Barcode) -> Barcode {
    let mut barcode = barcode.clone();
    match &mut barcode {
        Barcode::Bars(bars) => bars.bars.reverse(),
        Barcode::CellPairs(pairs) => pairs.pairs.reverse(),
    }
    barcode
}

fn csv(bars: &Bars) -> String {
    let mut text = "dim,birth,death\n".to_owned();
    for bar in &bars.bars {
        let death = if bar.essential { f64::INFINITY } else { bar.death };
        writeln!(text, "{},{:?},{death:?}", bar.dim, bar.birth).expect("writing to a string");
    }
    text
}

fn json(pairs: &CellPairs) -> String {
    let list: Vec<String> = pairs.pairs.iter().map(|(birth, death)| format!("[{birth},{death}]")).collect();
    let essential = pairs.essential.as_ref().map_or("null".to_owned(), |cells| format!("{cells:?}"));
    format!("{{\"pairs\":[{}],\"essential\":{essential}}}", list.join(","))
}
