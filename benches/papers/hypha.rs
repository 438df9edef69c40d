//! HYPHA (Zhang, Xiao, Guo, Geng, Wang, Zhang 2019): Tables 1 and 2, Figures 7 to 11.
//!
//! One of the five matrices is the paper's (18-sphere, generated here), and four are stand-ins. Files in `--data
//! DIR`, or in its folder `hypha`:
//!
//! | file | content |
//! |---|---|
//! | `high_genus.bin.gz`, `torus.bin.gz` | binary matrices of PHAT, compressed with gzip |
//! | `saddle64.npy` | 64³ voxels as doubles |
//! | `mumford.npy` | 50 × 8 coordinates as doubles |
//!
//! `bin/make-matrices` generates them (CONTRIBUTING.md), with the points in `mumford.npy`; the pairs of each have the
//! checksum of PHAT's. Every timed run is verified: its pairs are compared with those of the standard algorithm, and
//! these with the checksum.
//!
//! | module | tables |
//! |---|---|
//! | `inputs` | the matrices |
//! | `subject` | a matrix with its pairs, and ways to reduce it |
//! | `counts` | Tables 1 and 2, Figure 7: columns and additions |
//! | `ss_plus` | Figure 8: SS+ compared with SS |
//! | `scan` | Figure 9: throughput of the scan |
//! | `speedup` | Figures 10 and 11: every algorithm compared with standard; the sources of HYPHA's savings |

mod counts;
mod inputs;
mod scan;
mod speedup;
mod ss_plus;
mod subject;

use lacuna::internals::Gpu;

use self::inputs::DATA_SETS;
use self::subject::Subject;
use crate::rows::{Row, Table, Unit};
use crate::{Failure, Run};

/// The titles in the paper's order.
const TITLES: [&str; 7] = [
    "Table 1. Columns by their additions",
    "Table 2. Tail-addition columns",
    "Figure 7. Column additions",
    "Figure 8. SS+ against SS",
    "Figure 9. Throughput of the scan",
    "Figure 10. Speedup over the standard algorithm",
    "Figure 11. Time removed by HYPHA-TWIST",
];

const PAPER_MACHINE: &str =
    "two Xeon Gold 6148 (as far as the paper can be read), 40 cores in all, 2.4 GHz; one Tesla V100, 16 GB";

/// Verifies and measures the requested tables.
pub fn measure(run: &Run, add: &mut dyn FnMut(Table) -> Result<(), Failure>) -> Result<(), Failure> {
    if !TITLES.iter().any(|title| run.wants(title)) {
        return Ok(());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(run.threads).build()?;
    // Everything runs inside one pool, so that no run starts threads.
    let tables = pool.install(|| tables(run).map_err(|error| error.to_string()))?;
    tables.into_iter().filter(|table| !table.rows.is_empty()).try_for_each(add)
}

/// The tables, computed matrix by matrix, so that only one matrix is in memory.
fn tables(run: &Run) -> Result<Vec<Table>, Failure> {
    let mut tables: Vec<Table> =
        TITLES.iter().zip(notes()).map(|(title, notes)| table(title, notes)).collect();
    let gpu = Gpu::open(0, None).ok();
    for set in &DATA_SETS {
        let subject = Subject::new(set, run)?;
        for (number, table) in tables.iter_mut().enumerate().filter(|(_, table)| run.wants(&table.title)) {
            eprintln!("HYPHA: {}, {}", set.name, table.title);
            table.rows.extend(match number {
                0 => counts::table_1(&subject),
                1 => counts::table_2(&subject),
                2 => counts::figure_7(&subject)?,
                3 => ss_plus::figure_8(&subject)?,
                4 => scan::figure_9(&subject, gpu.as_ref())?,
                5 => speedup::figure_10(&subject, gpu.as_ref())?,
                _ => speedup::figure_11(&subject, gpu.as_ref())?,
            });
        }
    }
    Ok(tables)
}

fn table(title: &str, notes: Vec<String>) -> Table {
    Table {
        paper: String::from("HYPHA"),
        title: title.to_owned(),
        paper_machine: PAPER_MACHINE.to_owned(),
        notes,
        rows: Vec::new(),
    }
}

/// Definitions of the quantities of each table and of their measurement.
fn notes() -> [Vec<String>; 7] {
    let tail = "The tail are the fewest columns that take more than half of all additions of the standard algorithm; of columns with equally \
                many those further to the left come first.";
    let clock = "Matrix in memory to pairs in memory, bit trees unless said, primal; medians of 5 runs, or one run where that takes more than 2 s.";
    let notes: [&[&str]; 7] = [
        &[tail],
        &[tail, "A creator is a column that reduces to zero."],
        &["HYPHA's count has the additions of compression in it; SS and SS+ do the additions of twist."],
        &[
            clock,
            "Runs of SS and SS+ alternate. \"No clearing\" adds the columns of creators down to zero.",
            "saved: the share of the time of SS that SS+ does not take.",
        ],
        &[
            "Throughput: fully reduced columns found, those of zeros and those that clearing zeroes included, by the time that it takes.",
            "HYPHA: from the matrix in the host's memory to look-up table, destroyers and unstable columns there; on a device with both copies, \
             device open and kernels loaded.",
            "Baseline: twist, on one thread, over the columns to which it adds nothing, from the matrix to the look-up table; columns that it has \
             cleared by pairs of other columns are zero before.",
        ],
        &[clock, "The paper does not say whether its times have the reading of the file in them."],
        &[
            "0-addition, non-tail and tail columns are those of Table 1. Twist's time for columns of the last two is taken column by column; what is \
             left of its time is that of the first. HYPHA's scan, clearing and compression are added to the first.",
        ],
    ];
    notes.map(|notes| notes.iter().map(|note| (*note).to_owned()).collect())
}

/// A row of the table for a matrix.
fn row(subject: &Subject<'_>, quantity: impl Into<String>, unit: Unit, paper: Option<f64>, ours: f64) -> Row {
    let set = subject.set;
    let input =
        if set.differs.is_empty() { set.paper.to_owned() } else { format!("{}: {}", set.paper, set.differs) };
    let digits = |value: f64| (value * 1e4).round();
    let agrees = unit == Unit::Fraction && paper.is_some_and(|paper| digits(paper) == digits(ours));
    Row {
        input,
        quantity: quantity.into(),
        unit,
        paper,
        ours,
        backend: String::from("cpu"),
        verified: subject.verified().to_owned(),
        remark: if agrees { String::from("equal in the paper's digits") } else { String::new() },
    }
}
