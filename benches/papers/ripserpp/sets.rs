//! The data sets, the paper's numbers for them, and the answers.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use lacuna::compare::compare;
use lacuna::compare::read::read_bytes;
use lacuna::metric::{Distances, PointCloud};
use lacuna::rips::plain;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use sha2::{Digest, Sha256};

use crate::{Failure, Run};

/// A data set.
pub struct Set {
    pub name: &'static str,
    /// The file's name.
    file: &'static str,
    /// The program's name for the file's format.
    pub format: &'static str,
    pub max_dim: usize,
    /// The greatest diameter.
    pub threshold: f64,
    /// The path of the file.
    pub path: PathBuf,
    answer: Answer,
    /// The paper's numbers.
    pub paper: Option<Paper>,
}

/// The bars of a set.
enum Answer {
    /// The SHA-256 of the bars as Ripser 1.2.1 writes them, without the lines before the first heading.
    Ripser(&'static str),
    /// The bars as text, computed by `rips::plain`.
    Plain(String),
}

/// The paper's numbers for a set. Of two numbers the first is Ripser++'s, the second Ripser's.
#[derive(Clone, Copy)]
pub struct Paper {
    /// Table 1: apparent, shortcut, emergent, all.
    pub counts: [u64; 4],
    /// Table 2, in seconds.
    pub times: [f64; 2],
    /// Table 2, in gigabytes.
    pub device_memory: f64,
    /// Table 2, in gigabytes.
    pub memory: [f64; 2],
    /// Table 2.
    pub speedup: f64,
    /// Table 3, in pairs per second.
    pub writes: [f64; 2],
    /// Table 3.
    pub reads: [f64; 2],
    /// Table 3, in seconds.
    pub read_seconds: [f64; 2],
}

/// A wrong number in the paper: set, column, printed, right. One digit differs: the printed number of emergent pairs
/// exceeds the number of columns that reduction leaves without an addition by ten thousand.
pub const SLIP: (&str, usize, u64, u64) = ("HIV", 2, 214_040_521, 214_030_521);

impl Set {
    /// The right counts: the paper's with the wrong number corrected.
    pub fn counts(&self) -> Option<[u64; 4]> {
        let mut counts = self.paper?.counts;
        let (name, column, printed, counted) = SLIP;
        if self.name == name && counts[column] == printed {
            counts[column] = counted;
        }
        Some(counts)
    }

    /// The source against which bars and counts are verified.
    pub fn verified(&self) -> &'static str {
        match self.answer {
            Answer::Ripser(_) => "bars: Ripser 1.2.1's text; counts: the paper's",
            Answer::Plain(_) => "bars: plain reduction; counts: between machines",
        }
    }

    /// Compares the text of a run with the answer.
    ///
    /// # Errors
    /// The text has other bars.
    pub fn check(&self, text: &[u8]) -> Result<(), Failure> {
        let bars = bars(text);
        let is_same = match &self.answer {
            Answer::Ripser(sum) => hex(&Sha256::digest(bars)) == *sum,
            Answer::Plain(answer) => {
                let [found, expected] =
                    [bars, answer.as_bytes()].map(|text| read_bytes(self.name, text, None));
                // The text has six digits.
                compare(&found?.barcode, &expected?.barcode, 1e-5)?.is_same()
            }
        };
        if is_same { Ok(()) } else { Err(format!("{}: wrong bars", self.name).into()) }
    }
}

/// The lines of a text from the first heading on.
fn bars(text: &[u8]) -> &[u8] {
    let heading = b"persistence intervals";
    let start = text.windows(heading.len()).position(|window| window == heading);
    &text[start.unwrap_or(text.len())..]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The sets of a run: the paper's, in the data folder; or with `--small` small ones, generated in `scratch`.
///
/// # Errors
/// A file is missing.
pub fn all(run: &Run, scratch: &Path) -> Result<Vec<Set>, Failure> {
    if run.small {
        return [("24 points", 24, 3, f64::INFINITY), ("40 points, t = 0.8", 40, 2, 0.8)]
            .map(|(name, points, max_dim, threshold)| small(name, points, max_dim, threshold, scratch))
            .into_iter()
            .collect();
    }
    let folder = run.data.as_ref().ok_or("Ripser++'s data sets: --data DIR names their folder")?;
    let mut sets = papers();
    for set in &mut sets {
        set.path = folder.join(set.file);
        if !set.path.is_file() {
            return Err(format!("{}: no such file, of Ripser++'s data sets", set.path.display()).into());
        }
    }
    Ok(sets)
}

/// Random points in a cube.
fn small(
    name: &'static str,
    points: usize,
    max_dim: usize,
    threshold: f64,
    scratch: &Path,
) -> Result<Set, Failure> {
    let mut random = Pcg64::seed_from_u64(points as u64);
    let coordinates: Vec<f32> = (0..3 * points).map(|_| random.random_range(0.0..1.0)).collect();
    let lines = coordinates.chunks_exact(3).map(|p| format!("{} {} {}\n", p[0], p[1], p[2]));
    let path = scratch.join(format!("{points}.pts"));
    fs::write(&path, lines.collect::<String>())?;
    let distances = Distances::from(PointCloud::new(3, coordinates)?);
    let diagram = plain::barcode(&distances, max_dim, threshold, 2);
    let mut text = String::new();
    for dim in 0..=max_dim {
        writeln!(text, "persistence intervals in dim {dim}:")?;
        for bar in diagram.bars(dim) {
            let death = if bar.is_essential() { String::from(" ") } else { bar.death.to_string() };
            writeln!(text, " [{},{death})", bar.birth)?;
        }
    }
    let answer = Answer::Plain(text);
    Ok(Set { name, file: "", format: "point-cloud", max_dim, threshold, path, answer, paper: None })
}

/// The paper's data sets with its numbers.
fn papers() -> Vec<Set> {
    let set = |name, file, format, max_dim, bars, paper| Set {
        name,
        file,
        format,
        max_dim,
        threshold: f64::INFINITY,
        path: PathBuf::new(),
        answer: Answer::Ripser(bars),
        paper: Some(paper),
    };
    vec![
        set("celegans", "celegans.dist", "distance", 3, CELEGANS_BARS, CELEGANS),
        set("dragon1000", "dragon1000.dist", "distance", 2, DRAGON_BARS, DRAGON),
        set("HIV", "HIV.dist", "distance", 2, HIV_BARS, HIV),
        Set { threshold: 1.4, ..set("o3, t = 1.4", "o3_4096.pts", "point-cloud", 3, O3_BARS, O3) },
        set("sphere_3_192", "sphere_3_192.lower", "lower-distance", 3, SPHERE_BARS, SPHERE),
        set("Vicsek300", "vicsek300.dist", "distance", 3, VICSEK_BARS, VICSEK),
    ]
}

const CELEGANS_BARS: &str = "98e075ce812443e3de2fb5ea2cfb271e81fcbfe896fd7011b1e7f8aa660d8605";
const CELEGANS: Paper = Paper {
    counts: [317_664_839, 317_723_916, 317_723_974, 317_735_650],
    times: [7.30, 228.56],
    device_memory: 16.84,
    memory: [10.53, 23.84],
    speedup: 31.33,
    writes: [7.21e8, 6.98e7],
    reads: [3.22e4, 5.81e8],
    read_seconds: [0.00100, 11.43],
};
const DRAGON_BARS: &str = "59359cb2c88b4dbec9e7120121d8320c45c8e526800e15f2848aabb86c4037a5";
const DRAGON: Paper = Paper {
    counts: [166_132_946, 166_160_587, 166_160_665, 166_167_000],
    times: [5.79, 48.98],
    device_memory: 8.81,
    memory: [3.75, 5.79],
    speedup: 8.46,
    writes: [7.62e8, 6.29e7],
    reads: [1.19e5, 1.12e8],
    read_seconds: [0.00460, 1.28],
};
const HIV_BARS: &str = "a66ddf9cbbb6ef2d60650acf5024535f7c194be25c8f779de9883b2aad859224";
const HIV: Paper = Paper {
    counts: [214_000_996, 214_030_431, 214_040_521, 214_060_736],
    times: [7.11, 147.18],
    device_memory: 11.36,
    memory: [6.68, 14.59],
    speedup: 20.69,
    writes: [7.06e8, 8.85e7],
    reads: [1.57e5, 3.10e8],
    read_seconds: [0.00130, 5.52],
};
const O3_BARS: &str = "11f826ec01090268bcf49cb731eaeea8e64fe12462e4924ddfe565b2204900dc";
const O3: Paper = Paper {
    counts: [43_480_968, 43_940_030, 43_940_686, 44_081_360],
    times: [11.62, 64.18],
    device_memory: 18.76,
    memory: [2.77, 3.86],
    speedup: 5.52,
    writes: [4.78e8, 6.88e7],
    reads: [1.65e6, 8.85e7],
    read_seconds: [0.01500, 0.56],
};
const SPHERE_BARS: &str = "1767c7c4ed93261bff19a6f0342451b18dd33b088ad2104e90402ac28df9f5a3";
const SPHERE: Paper = Paper {
    counts: [54_779_316, 54_871_199, 54_871_214, 54_888_625],
    times: [2.43, 36.96],
    device_memory: 2.92,
    memory: [2.03, 4.32],
    speedup: 15.21,
    writes: [7.32e8, 9.41e7],
    reads: [2.71e5, 9.37e7],
    read_seconds: [0.00068, 0.30],
};
const VICSEK_BARS: &str = "f963a648eea597b946fea04ae0db18be6339032ae649b0b5c89f27cf1acb58c2";
const VICSEK: Paper = Paper {
    counts: [330_724_672, 330_818_491, 330_818_507, 330_835_726],
    times: [9.98, 248.72],
    device_memory: 17.53,
    memory: [11.46, 27.78],
    speedup: 24.92,
    writes: [6.80e8, 8.82e7],
    reads: [2.12e5, 5.67e8],
    read_seconds: [0.00053, 10.81],
};
