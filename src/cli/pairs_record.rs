//! Statistics of a reduction, for `reduce` and `phat`: the object of `--stats` and the lines of `-v`.

use lacuna::matrix::read::MatrixFormat;
use lacuna::matrix::{Algorithm, Figures, Plan};
use lacuna::memory::MemoryPlan;
use lacuna::report::Report;
use serde::Serialize;

use super::notes::{counted, tell, timing_line};
use super::planning;

/// The JSON object of `--stats FILE`.
///
/// | key | value |
/// |---|---|
/// | `version` | of the program |
/// | `file`, `format` | the input, and what it was read as |
/// | `cells`, `entries`, `max_dim` | columns of the matrix, its ones, the greatest dimension of a cell |
/// | `index_bits` | width of the integers that number cells |
/// | `backend` | what scanned in the end: `cpu` or `cuda` |
/// | `plan` | algorithm, columns, dualize, threads: [`lacuna::matrix::Plan`] |
/// | `pairs`, `essential` | how many |
/// | `read_seconds`, `check_seconds` | input file to matrix; whether ∂∂ = 0, if that was checked |
/// | `reduce_seconds` | matrix to pairs, dualizing included |
/// | `cycles`, `cycles_additions`, `cycles_seconds` | how many, the columns added for them, pairs to cycles; only if they were asked for |
/// | `write_seconds`, `total_seconds` | pairs to output; the whole run, up to this file |
/// | `device_memory` | the most that was in use of a device, in bytes; 0 without |
/// | `figures` | what the reduction counted, and its stages: [`lacuna::matrix::Figures`] |
#[derive(Debug, Serialize)]
pub(crate) struct PairsRecord {
    pub(crate) version: &'static str,
    pub(crate) file: String,
    pub(crate) format: MatrixFormat,
    pub(crate) cells: usize,
    pub(crate) entries: usize,
    pub(crate) max_dim: Option<u8>,
    pub(crate) index_bits: usize,
    pub(crate) backend: String,
    pub(crate) plan: Plan,
    pub(crate) memory: MemoryPlan,
    pub(crate) pairs: usize,
    pub(crate) essential: usize,
    pub(crate) read_seconds: f64,
    pub(crate) check_seconds: Option<f64>,
    pub(crate) reduce_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cycles: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cycles_additions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cycles_seconds: Option<f64>,
    pub(crate) write_seconds: f64,
    pub(crate) total_seconds: f64,
    pub(crate) device_memory: u64,
    pub(crate) figures: Figures,
}

impl PairsRecord {
    /// Adds the input and the time of each stage to a page about the run.
    pub(crate) fn describe(&self, report: &mut Report) {
        report.fact("file", &self.file).fact("format", self.format).fact("cells", self.cells);
        report
            .fact("entries", self.entries)
            .fact("pairs", self.pairs)
            .fact("essential classes", self.essential);
        report.stage("read", self.read_seconds);
        if let Some(seconds) = self.check_seconds {
            report.stage("check", seconds);
        }
        report.stage("reduce", self.reduce_seconds);
        if let Some(seconds) = self.cycles_seconds {
            report.stage("cycles", seconds);
        }
        report.stage("write", self.write_seconds).stage("total", self.total_seconds);
    }

    /// Prints the lines of `-v`: size, time of each stage, counters.
    pub(crate) fn tell(&self) {
        tell(format_args!(
            "{}, {}, {}, {} essential",
            counted(self.cells, "cell"),
            if self.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", self.entries) },
            counted(self.pairs, "pair"),
            self.essential
        ));
        let stages = self.figures.stages.iter().map(|(stage, seconds)| (format!("  {stage}"), *seconds));
        let before = [Some(("read", self.read_seconds)), self.check_seconds.map(|s| ("check", s))];
        let after = [("reduce", self.reduce_seconds)];
        for (stage, seconds) in before.into_iter().flatten().chain(after) {
            tell(timing_line(stage, seconds));
        }
        for (stage, seconds) in stages {
            tell(timing_line(&stage, seconds));
        }
        if let Some(seconds) = self.cycles_seconds {
            tell(timing_line("cycles", seconds));
        }
        tell(timing_line("write", self.write_seconds));
        tell(timing_line("total", self.total_seconds));
        self.tell_figures();
    }

    /// Prints the counters of HYPHA's tables, as far as the algorithm has them.
    fn tell_figures(&self) {
        let figure = |what: &str, value: &dyn std::fmt::Display| tell(format_args!("{what:<40} {value:>12}"));
        figure("additions", &self.figures.additions);
        if let Some((cycles, additions)) = self.cycles.zip(self.cycles_additions) {
            figure("cycles", &cycles);
            figure("cycles: additions", &additions);
        }
        if let Some(hypha) = &self.figures.hypha {
            figure("scan: stable columns (0 additions)", &hypha.stable);
            figure("scan: columns cleared", &hypha.scan_cleared);
            figure("scan: unstable columns", &hypha.unstable);
            figure("clearing: columns", &hypha.cleared_columns);
            figure("clearing: entries", &hypha.cleared_entries);
            figure("compression: columns", &hypha.compressed_columns);
            figure("compression: entries", &hypha.compressed_entries);
            figure("compression: additions", &hypha.compression_additions);
        }
        if let Some(found) = &self.figures.distribution {
            let share = |columns: usize| format!("{columns} ({:.2} %)", percent(columns, found.columns));
            figure("columns without additions", &share(found.without_additions));
            figure("columns with additions, not of the tail", &share(found.non_tail));
            figure("columns of the tail", &share(found.tail));
            figure(
                "of these creators",
                &format!("{} ({:.2} %)", found.tail_creators, percent(found.tail_creators, found.tail)),
            );
            figure("least additions of a column of the tail", &found.tail_least);
            figure("most additions of a column", &found.most);
        }
        if self.plan.algorithm == Algorithm::Sieve {
            planning::explain_blocks(&self.figures);
        }
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}
