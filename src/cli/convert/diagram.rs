//! Converts bars to bars and pairs of cells to pairs of cells.

use std::time::Instant;

use lacuna::compare::read::{BarcodeFormat, read_path};
use lacuna::compare::write::BarcodeFile;
use lacuna::compare::{Barcode, Kind as BarcodeKind};

use super::Arguments;
use super::kind::Kind;
use crate::cli::error::CliError;
use crate::cli::naming::OutputFormat;
use crate::cli::notes::{counted, tell, timing_line};
use crate::cli::timing::timed;

/// Reads and writes.
pub(super) fn run(
    arguments: &Arguments,
    start: Instant,
    input: Option<BarcodeFormat>,
) -> Result<(), CliError> {
    let format: BarcodeFile = arguments.output_format(Kind::Diagram)?;
    // A text file name fits bars and pairs alike; the content of the input decides.
    let content = format.content();
    let mut frame = arguments.open(start, content)?;
    frame.meter.stage("reading");
    let (loaded, read) = timed(|| read_path(&arguments.input, input));
    let loaded = loaded?;
    let (name, notes) = (arguments.name(), frame.notes);
    if let Some(why) = loaded.detection {
        frame.meter.aside(|| notes.note(format_args!("{name}: {} ({why})", loaded.format)));
    }
    let barcode = loaded.barcode;
    let format = of_kind(format, &barcode, arguments);
    format.holds(&barcode).map_err(|why| CliError::about(&name, why))?;
    if let Some(left_out) = loaded.left_out {
        notes.note(format_args!("{name}: {left_out} are left out"));
    }
    if let (Barcode::Bars(bars), true) = (&barcode, format != BarcodeFile::Json) {
        // JSON output states it itself.
        notes.warn_of_unfinished(&name, &bars.unfinished, |_| true);
    }
    if format.loses_essential(&barcode) {
        notes.note(format_args!(
            "{name}: the cells of essential classes are left out, which {format} cannot hold"
        ));
    }
    let write = frame.write(|_, out| format.write(&barcode, out))?;
    frame.commit_answer()?;
    let is_bars = matches!(barcode, Barcode::Bars(_));
    arguments.say_written(notes, format, if is_bars { "bars" } else { "pairs of cells" });
    if arguments.verbosity.verbose {
        let what = match &barcode {
            Barcode::Bars(bars) => counted(bars.bars.len(), "bar"),
            Barcode::CellPairs(pairs) => counted(pairs.pairs.len(), "pair"),
        };
        tell(format_args!("{name}: {what}"));
        tell(timing_line("read", read.as_secs_f64()));
        tell(timing_line("write", write.as_secs_f64()));
        tell(timing_line("total", frame.seconds()));
    }
    Ok(())
}

/// The output format; where only the file name said that it is text, the text format that fits the barcode.
fn of_kind(format: BarcodeFile, barcode: &Barcode, arguments: &Arguments) -> BarcodeFile {
    let is_named = arguments.output.is_none();
    match (format, barcode.kind()) {
        (BarcodeFile::Text, BarcodeKind::CellPairs) if is_named => BarcodeFile::PhatAscii,
        _ => format,
    }
}
