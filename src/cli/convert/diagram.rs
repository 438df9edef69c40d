//! Converts bars to bars and pairs of cells to pairs of cells.

use lacuna::compare::Barcode;
use lacuna::compare::read::{BarcodeFormat, read_path};
use lacuna::compare::write::BarcodeFile;

use super::{Arguments, Converted};
use crate::cli::error::{CliError, Result};
use crate::cli::frame::Frame;
use crate::cli::notes::counted;

/// Reads the bars or pairs and checks that the format holds them.
pub(super) fn convert(
    arguments: &Arguments,
    input: Option<BarcodeFormat>,
    format: BarcodeFile,
    frame: &mut Frame<'_>,
) -> Result<Converted> {
    let loaded = frame.read(|_| read_path(&arguments.input, input))??;
    let name = frame.name.clone();
    frame.detected(loaded.detection.map(|why| format!("{} ({why})", loaded.format)));
    let barcode = loaded.barcode;
    let format = if arguments.output.is_none() { format.of_content(&barcode) } else { format };
    format.holds(&barcode).map_err(|why| CliError::about(&name, why))?;
    if let Some(left_out) = loaded.left_out {
        frame.note(format_args!("{name}: {left_out} are left out"));
    }
    if format.loses_essential(&barcode) {
        frame.note(format_args!(
            "{name}: the cells of essential classes are left out, which {format} cannot hold"
        ));
    }
    let (kind, size) = match &barcode {
        Barcode::Bars(bars) => {
            if format != BarcodeFile::Json {
                // JSON output states it itself.
                frame.notes.warn_of_unfinished(&name, &bars.unfinished, |_| true);
            }
            ("bars", counted(bars.bars.len(), "bar"))
        }
        Barcode::CellPairs(pairs) => ("pairs of cells", counted(pairs.pairs.len(), "pair")),
    };
    let format_name = format.to_string();
    let write = Box::new(move |out: &mut dyn std::io::Write| format.write(&barcode, out));
    Ok(Converted { format: format_name, kind, size, length: None, hint: None, write })
}
