//! What a run will take, as data: stage by stage, table by table.
//!
//! Figures are of what is known before a run begins. What grows while it runs, such as the columns of a reduction, has no figure; it is
//! counted against the limit as it grows.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Bytes, budget};

/// What a run takes, known before it begins.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryPlan {
    /// The limit in bytes that was given, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// The stages in their order.
    pub stages: Vec<MemoryStage>,
    /// What is done without, to stay within the limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shed: Vec<Shed>,
}

/// A stage, and what is there at its peak.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryStage {
    /// What the stage is called.
    pub stage: String,
    /// What is there, what was made before included.
    pub uses: Vec<MemoryUse>,
    /// Whether the stage makes more, which nobody knows beforehand.
    #[serde(default)]
    pub grows: bool,
}

/// A table, or tables of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// What it holds.
    pub what: String,
    /// How many bytes it takes.
    pub bytes: u64,
}

/// Something that a run does without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shed {
    /// What is done without, and what is done instead.
    pub what: String,
    /// Why it does not fit.
    pub why: String,
}

impl MemoryPlan {
    /// A plan of no stages, within the limit of this process.
    pub(crate) fn new() -> Self {
        MemoryPlan { limit: budget::given(), ..MemoryPlan::default() }
    }

    /// Adds a stage, with what is there at its peak. What takes nothing is left out.
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

    /// Notes what is done without.
    pub(crate) fn shed(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.shed.push(Shed { what: what.into(), why: why.into() });
    }

    /// Bytes at the greatest peak of all stages, without what grows.
    pub fn peak(&self) -> u64 {
        self.stages.iter().map(MemoryStage::bytes).max().unwrap_or(0)
    }
}

impl MemoryStage {
    /// Bytes of all that is there.
    pub fn bytes(&self) -> u64 {
        self.uses.iter().fold(0, |sum, part| sum.saturating_add(part.bytes))
    }
}

/// Lines with the names of `--explain`: the peak, the tables of each stage, and what is done without.
impl fmt::Display for MemoryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = match self.limit {
            Some(limit) => format!("of {} allowed", Bytes(limit)),
            None => "within what the system leaves".to_owned(),
        };
        let peak = Bytes(self.peak());
        write!(f, "{:<13} {peak} planned at the peak, {of}", "memory")?;
        for MemoryStage { stage, uses, grows } in &self.stages {
            for MemoryUse { what, bytes } in uses {
                write!(f, "\n{:<13} {:>9}  {stage}: {what}", "", Bytes(*bytes).to_string())?;
            }
            if *grows {
                write!(f, "\n{:<13} {:>9}  {stage}: what grows with the run, held to the limit", "", "…")?;
            }
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
        let mut plan = MemoryPlan::default()
            .stage("rank", [("keys", 3_000_000), ("ranks", 0)], false)
            .stage("reduce", [("ranks", 2_000_000), ("columns", 500)], true);
        plan.shed("a copy of the graph for each thread", "2 MB would not fit");
        assert_eq!(plan.peak(), 3_000_000);
        let lines = [
            "memory        3.0 MB planned at the peak, within what the system leaves",
            "                 3.0 MB  rank: keys",
            "                 2.0 MB  reduce: ranks",
            "              500 bytes  reduce: columns",
            "                      …  reduce: what grows with the run, held to the limit",
            "shed          a copy of the graph for each thread: 2 MB would not fit",
        ];
        assert_eq!(plan.to_string(), lines.join("\n"));
        let limited = MemoryPlan { limit: Some(1 << 30), ..plan };
        assert!(limited.to_string().starts_with("memory        3.0 MB planned at the peak, of 1.1 GB allowed"));
        let json = serde_json::to_string(&limited).unwrap();
        assert_eq!(serde_json::from_str::<MemoryPlan>(&json).unwrap(), limited);
    }

    #[test]
    fn nothing_takes_nothing() {
        assert_eq!(MemoryPlan::default().peak(), 0);
    }
}
