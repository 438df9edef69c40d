//! The predicted memory of a run, by stage and table.
//!
//! It covers what is known before a run begins. What grows during the run, such as the columns of a reduction, is not
//! predicted, but counted against the limit as it grows.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Bytes, LITTLE, budget, room};
use crate::sort;

/// Predicted memory of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryPlan {
    /// Memory limit in bytes, if the user gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Room in bytes of the spill file, if there is one (`--spill`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spill: Option<u64>,
    /// Stages in the order of the run.
    pub stages: Vec<MemoryStage>,
    /// Tables that are given up to stay within the limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shed: Vec<Shed>,
}

/// A stage with the tables that exist at its peak.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryStage {
    /// Name of the stage.
    pub stage: String,
    /// Existing tables, including those of earlier stages.
    pub uses: Vec<MemoryUse>,
    /// Whether the stage allocates more, of unknown size.
    #[serde(default)]
    pub grows: bool,
}

/// A table, or all tables of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Content of the table.
    pub what: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// A table or feature that a run gives up to save memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shed {
    /// The thing that is given up, and its replacement.
    pub what: String,
    /// Reason why it does not fit.
    pub why: String,
}

impl MemoryPlan {
    /// An empty plan, within the limit of this process.
    pub(crate) fn new() -> Self {
        MemoryPlan { limit: budget::given(), spill: budget::files(), ..MemoryPlan::default() }
    }

    /// Adds a stage with the tables that exist at its peak. Empty tables are omitted.
    pub(crate) fn stage<'a>(
        mut self,
        stage: &str,
        uses: impl IntoIterator<Item = (&'a str, u64)>,
        grows: bool,
    ) -> Self {
        let uses = uses.into_iter().filter(|&(_, bytes)| bytes > 0);
        let uses = uses.map(|(what, bytes)| MemoryUse { what: what.to_owned(), bytes }).collect();
        self.stages.push(MemoryStage { stage: stage.to_owned(), uses, grows });
        self
    }

    /// Records something that is given up.
    pub(crate) fn shed(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.shed.push(Shed { what: what.into(), why: why.into() });
    }

    /// Peak of all stages in bytes, without what grows.
    pub fn peak(&self) -> u64 {
        self.stages.iter().map(MemoryStage::bytes).max().unwrap_or(0)
    }

    /// Largest size of the tables of this name in any stage, in bytes.
    pub fn bytes_of(&self, what: &str) -> u64 {
        let uses = self.stages.iter().flat_map(|stage| &stage.uses).filter(|part| part.what == what);
        uses.map(|part| part.bytes).max().unwrap_or(0)
    }

    /// Checks that the largest stage fits into the available memory, given that the input has already taken `taken`
    /// bytes. `helps` is advice on reducing it.
    ///
    /// # Errors
    /// [`DoesNotFit`].
    pub fn check(&self, taken: u64, helps: &'static str) -> Result<(), DoesNotFit> {
        let available = if self.peak() <= LITTLE { None } else { room() };
        let limit = budget::given().filter(|_| budget::is_the_given());
        self.check_against(available.map(|available| available.saturating_add(taken)), limit, helps)
    }

    fn check_against(
        &self,
        available: Option<u64>,
        limit: Option<u64>,
        helps: &'static str,
    ) -> Result<(), DoesNotFit> {
        let Some(stage) = self.stages.iter().max_by_key(|stage| stage.bytes()) else { return Ok(()) };
        match available {
            Some(available) if stage.bytes() > available => {
                let mut stage = stage.clone();
                sort::stable(&mut stage.uses, &|a, b| b.bytes.cmp(&a.bytes));
                Err(DoesNotFit { stage, available, helps, limit })
            }
            _ => Ok(()),
        }
    }
}

/// A run that was not started because it needs more memory than available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct DoesNotFit {
    /// The largest stage, its tables in descending order of size.
    pub stage: MemoryStage,
    /// Bytes available.
    pub available: u64,
    /// Advice on reducing the need.
    pub helps: &'static str,
    /// The memory limit in bytes, if it is the cause and the user gave it.
    limit: Option<u64>,
}

impl fmt::Display for DoesNotFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DoesNotFit { stage, available, helps, limit } = self;
        let (needed, available) = (Bytes(stage.bytes()), Bytes(*available));
        write!(
            f,
            "memory: the stage {} needs {needed} at the least, {available} are available",
            stage.stage
        )?;
        match limit {
            None => {}
            Some(limit) if budget::is_counting() => {
                let program = Bytes(budget::UNCOUNTED);
                write!(
                    f,
                    " of the {} of --memory, in which the program itself has {program}",
                    Bytes(*limit)
                )?;
            }
            Some(limit) => {
                write!(f, " of the limit of {}, in which all counts that the process has", Bytes(*limit))?
            }
        }
        f.write_str("; ")?;
        for MemoryUse { what, bytes } in stage.uses.iter().take(3) {
            write!(f, "{what}: {}; ", Bytes(*bytes))?;
        }
        f.write_str(helps)?;
        if limit.is_some() && budget::is_counting() && !budget::spills() {
            f.write_str("; --spill DIR lets tables lie in a file there")?;
        }
        Ok(())
    }
}

impl MemoryStage {
    /// Total size of the tables in bytes.
    pub fn bytes(&self) -> u64 {
        self.uses.iter().fold(0, |sum, part| sum.saturating_add(part.bytes))
    }
}

/// Displays the lines of `--explain`: the peak, a line per stage with its tables, and what is given up.
impl fmt::Display for MemoryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = match self.limit {
            Some(limit) => format!("of the {} allowed", Bytes(limit)),
            None => "within what the system leaves".to_owned(),
        };
        let (peak, program) = (Bytes(self.peak()), Bytes(budget::UNCOUNTED));
        write!(
            f,
            "{:<13} {peak} planned at the peak, beside {program} of the program itself, {of}",
            "memory"
        )?;
        for stage in &self.stages {
            let bytes = Bytes(stage.bytes()).to_string();
            let uses = stage.uses.iter().map(|part| format!("{} {}", part.what, Bytes(part.bytes)));
            let grows = stage.grows.then(|| "what grows with the run".to_owned());
            let uses: Vec<String> = uses.chain(grows).collect();
            write!(f, "\n{:<13} {bytes:>10}  {}: {}", "", stage.stage, uses.join(", "))?;
        }
        if let Some(room) = self.spill {
            let room = Bytes(room);
            write!(f, "\n{:<13} what finds no room lies in a file, which has {room}", "spill")?;
        }
        for Shed { what, why } in &self.shed {
            write!(f, "\n{:<13} {what}: {why}", "shed")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_a_table_with_the_greatest_peak_on_top() {
        let mut plan = MemoryPlan::default().stage("rank", [("keys", 3_000_000), ("ranks", 0)], false).stage(
            "reduce",
            [("ranks", 2_000_000), ("columns", 500)],
            true,
        );
        plan.shed("a copy of the graph for each thread", "2 MB would not fit");
        assert_eq!((MemoryPlan::default().peak(), plan.peak()), (0, 3_000_000));
        let lines = [
            "memory        3.0 MB planned at the peak, beside 12.6 MB of the program itself, within what the system leaves",
            "                  3.0 MB  rank: keys 3.0 MB",
            "                  2.0 MB  reduce: ranks 2.0 MB, columns 500 bytes, what grows with the run",
            "shed          a copy of the graph for each thread: 2 MB would not fit",
        ];
        assert_eq!(plan.to_string(), lines.join("\n"));
        let limited = MemoryPlan { limit: Some(1 << 30), spill: Some(1 << 40), ..plan };
        assert!(limited.to_string().contains(" of the 1.1 GB allowed"));
        assert!(
            limited
                .to_string()
                .contains("\nspill         what finds no room lies in a file, which has 1.1 TB\n")
        );
        let json = serde_json::to_string(&limited).unwrap();
        assert_eq!(serde_json::from_str::<MemoryPlan>(&json).unwrap(), limited);
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_greatest_tables() {
        let plan = MemoryPlan::default().stage("read", [("the image", 1_000_000)], false).stage(
            "order",
            [("the image", 1_000_000), ("words", 16_000_000)],
            false,
        );
        assert_eq!(plan.check_against(None, None, ""), Ok(()));
        assert_eq!(plan.check_against(Some(17_000_000), None, ""), Ok(()));
        assert_eq!(
            plan.check_against(Some(16_999_999), None, "a part of the image takes less")
                .unwrap_err()
                .to_string(),
            "memory: the stage order needs 17.0 MB at the least, 17.0 MB are available; words: 16.0 MB; the image: 1.0 MB; \
             a part of the image takes less"
        );
        let limited = plan.check_against(Some(0), Some(12_000_000), "a part").unwrap_err().to_string();
        // Another test may have the allocator count.
        let ends = [
            "of the 12.0 MB of --memory, in which the program",
            "of the limit of 12.0 MB, in which all counts",
        ];
        let is_told = ends.iter().any(|end| limited.contains(&format!("0 bytes are available {end}")));
        assert!(is_told, "{limited}");
        assert!(
            MemoryPlan::default().stage("x", [("all", u64::MAX)], true).check(0, "").is_err()
                || !cfg!(target_os = "linux")
        );
    }
}
