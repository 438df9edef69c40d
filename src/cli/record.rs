//! The JSON object of `--stats FILE`.
//!
//! | key | value |
//! |---|---|
//! | `version` | of the program |
//! | `file`, `format` | the input, and what it was read as |
//! | `backend`, `threads` | what did the work |
//! | `plan` | the choices, as `--explain` prints them; a `threshold` of `null` is infinity |
//! | `landmarks` | `null` without `--landmarks`; else their `points`, 0-based, `of` how many they are, and the `covering_radius`, `null` for infinity |
//! | `unfinished` | the first dimension that was not done when `--time-limit` was up; missing if all are |
//! | `read_seconds`, `write_seconds`, `total_seconds` | input file to distances; bars to output; the whole run, up to this file |
//! | `rank_seconds`, `components_seconds` | distances to ranks; pairs of dimension 0 |
//! | `collapse` | `null` where no edge was tried; else edges `before`, how many were `tried`, the last first, and `after`, how many of these are `shifted` to a greater distance, `seconds`, the last dimension `ordered` by computing it again (`null`: none), and `order_seconds` for that |
//! | `dimensions` | counts and times of each dimension from 1 up: [`lacuna::rips::DimensionStats`] |
//!
//! For several inputs:
//!
//! | key | value |
//! |---|---|
//! | `version` | of the program |
//! | `inputs` | the object above, of each input that has an answer |
//! | `failed` | the number of the others |
//! | `total_seconds` | the whole run, up to this file |

use std::time::Instant;

use lacuna::rips::{Landmarks, Plan, Stats};
use serde::Serialize;

use super::batch::Ran;
use super::notes::Times;

/// Version of the program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Statistics of one input.
#[derive(Debug, Serialize)]
pub(crate) struct Record {
    pub(crate) version: &'static str,
    pub(crate) file: String,
    pub(crate) format: String,
    pub(crate) backend: String,
    pub(crate) threads: usize,
    pub(crate) plan: Plan,
    pub(crate) landmarks: Option<Landmarks>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unfinished: Option<usize>,
    #[serde(flatten)]
    pub(crate) times: Seconds,
    #[serde(flatten)]
    pub(crate) stats: Stats,
}

/// Times of the stages in seconds.
#[derive(Debug, Serialize)]
pub(crate) struct Seconds {
    read_seconds: f64,
    write_seconds: f64,
    total_seconds: f64,
}

impl From<Times> for Seconds {
    fn from(times: Times) -> Self {
        Seconds {
            read_seconds: times.read.as_secs_f64(),
            write_seconds: times.write.as_secs_f64(),
            total_seconds: times.total.as_secs_f64(),
        }
    }
}

/// Statistics of several inputs.
#[derive(Debug, Serialize)]
pub(crate) struct Records<'a> {
    version: &'static str,
    inputs: &'a [Record],
    failed: usize,
    total_seconds: f64,
}

impl<'a> Records<'a> {
    pub(crate) fn new(ran: &'a Ran<Record>, start: Instant) -> Records<'a> {
        let Ran { found, failed, .. } = ran;
        let total_seconds = start.elapsed().as_secs_f64();
        Records { version: VERSION, inputs: found, failed: *failed, total_seconds }
    }
}
