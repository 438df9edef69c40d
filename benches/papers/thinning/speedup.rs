//! The paper's claimed speedup over one thread of the processor.

use lacuna::cubical::thinning::cuda::Prepared;
use lacuna::cubical::thinning::{BitImage, Rule, ThinningRequest, thin};
use rayon::ThreadPoolBuilder;

use super::profile::stand_ins;
use super::{Bench, images, row, seconds, table as untitled, verified, words};
use crate::Failure;
use crate::rows::{Row, Table, Unit};

pub const TITLE: &str = "Figures 10 and 11. The device against one thread";

const NOTES: &[&str] = &[
    "The paper's *about 29×* is the best of its images over its own thread, which takes a byte a pixel and skips white ones. Ours is over our own thread, which takes 64 pixels a word, in \
     vectors, and looks at no tile in which nothing can change: so a factor here says nothing about the paper's factor but how far either processor's program is from its device's.",
    "By Amdahl's law the paper's limit was 33.33×, 125× over a thread that does not skip white; the values of its Figure 11 are in a picture only.",
    "*device*: image to skeleton on the device; *bits to bits*: from the host and back.",
];

/// The paper's best speedup.
const PAPER: f64 = 29.0;

pub fn table(bench: &Bench) -> Result<Table, Failure> {
    let mut cases = vec![("black 8000 × 8000", images::black(bench.side())?)];
    for (name, image) in stand_ins(bench)? {
        cases.push((name, BitImage::of(&image, |voxel| voxel > 0)));
    }
    let mut rows = Vec::new();
    for (name, image) in &cases {
        for rule in [Rule::Kashani, Rule::GuoHall] {
            rows.extend(case(bench, &format!("{name}, {rule}"), image, rule)?);
        }
    }
    Ok(untitled(NOTES, rows))
}

fn case(bench: &Bench, input: &str, image: &BitImage, rule: Rule) -> Result<Vec<Row>, Failure> {
    let prepared = bench.gpu.as_ref().map(|gpu| Prepared::new(gpu, rule)).transpose()?;
    verified(image, rule, prepared.as_ref())?;
    let request = ThinningRequest { rule: Some(rule), iterations: None };
    let one = ThreadPoolBuilder::new().num_threads(1).build()?;
    let alone = seconds(1, || Ok(one.install(|| thin(image, &request, &mut |_| ()))?))?;
    let all = seconds(bench.runs, || Ok(thin(image, &request, &mut |_| ())?))?;
    let verified = words(bench.gpu.is_some());
    let mut rows = Vec::new();
    let mut add = |quantity: &str, took: f64, backend, remark: &str| {
        let remark = format!("{:.2} ms against {:.1} ms of one thread{remark}", 1e3 * took, 1e3 * alone);
        rows.push(row(
            input,
            quantity,
            Unit::Times,
            (Some(PAPER), alone / took),
            [backend, verified, &remark],
        ));
    };
    if let Some(prepared) = &prepared {
        let mut times = Vec::new();
        for _ in 0..bench.runs {
            let mut resident = prepared.bring(image)?;
            times.push(seconds(1, || Ok(resident.thin(None, &mut |_| ())?))?);
        }
        times.sort_unstable_by(f64::total_cmp);
        add("device, over one thread", times[times.len() / 2], "cuda", "");
        let bits = seconds(bench.runs, || Ok(prepared.thin(image, None, &mut |_| ())?))?;
        add("bits to bits, over one thread", bits, "cuda", "");
    }
    add("all threads, over one", all, "cpu", &format!("; {} threads", bench.threads));
    Ok(rows)
}
