//! Tables 4 to 7, an iteration on the square; Figure 8, the decreasing cost of iterations; Figure 9, the parts of the
//! work.

use lacuna::cubical::thinning::cuda::{Prepared, Resident};
use lacuna::cubical::thinning::{BitImage, Rule, ThinningRequest, thin};

use super::{Bench, images, row, seconds, table as untitled, verified, words};
use crate::Failure;
use crate::rows::{Row, Table, Unit};

pub const TITLE: &str = "Tables 4–7. One iteration, 8000 × 8000 all black";
pub const DECAY: &str = "Figure 8. An iteration in the course of a run, 8000 × 8000 all black";
pub const SWEEP: &str = "Figure 9. How the work is cut, 8000 × 8000 all black";

const NOTES: &[&str] = &[
    "The paper's ms are of one iteration; which one is not said. Ours: *average*, the run over its iterations, on the device from image to skeleton; *first 16*, the iterations of the \
     first launch, of which each looks at all of the image, over 16; *first alone*, one iteration and the answer whether it deleted anything, as the paper's host asks after each.",
    "A pixel is a bit here and a byte there; a launch is 16 iterations of tiles in shared memory; tiles in which nothing can change are on no list.",
    "`kashani` is the paper's rule as published, `kashani-safe` keeps one pixel of an isolated 2×2 block, the others have two subiterations and are not the paper's.",
    "The rows of *pixel_equality*, *and_reduction*, *memcpy device→device* and *memset* have no counterpart: the pass counts what it deletes, and that is all that says when to end.",
    "Nothing and one pixel are left of an even square by `kashani` and `kashani-safe`, after half as many iterations as it has rows: compared before the clock was started.",
];

/// Milliseconds per iteration of GPU_1 to GPU_4: the pass; the transfer of the image or the flag to the host; in
/// total.
const PAPER: [(&str, [f64; 3]); 4] = [
    ("GPU_1", [53.879, 38.218, 92.983]),
    ("GPU_2", [53.422, 0.161, 77.682]),
    ("GPU_3", [30.652, 0.179, 57.435]),
    ("GPU_4", [40.842, 0.106, 49.255]),
];
const PLANE: [Rule; 4] = [Rule::Kashani, Rule::KashaniSafe, Rule::GuoHall, Rule::ZhangSuen];
/// Number of iterations in a launch.
const LAUNCH: usize = 16;

/// Number of whole thinnings on the processor, each of which takes seconds.
const PROCESSOR_RUNS: usize = 1;

pub fn table(bench: &Bench) -> Result<Table, Failure> {
    let (side, mut rows) = (bench.side(), Vec::new());
    let image = images::black(side)?;
    for rule in PLANE {
        let prepared = bench.gpu.as_ref().map(|gpu| Prepared::new(gpu, rule)).transpose()?;
        let (skeleton, passes) = verified(&image, rule, prepared.as_ref())?;
        let left = [(Rule::Kashani, 0), (Rule::KashaniSafe, 1)].into_iter().find(|(of, _)| *of == rule);
        if left.is_some_and(|(_, left)| skeleton.count() != left || passes.len() != side / 2) {
            return Err(format!(
                "{rule}: {} pixels left after {} iterations",
                skeleton.count(),
                passes.len()
            )
            .into());
        }
        let of = Of { bench, image: &image, rule, iterations: passes.len() };
        if let Some(prepared) = &prepared {
            rows.extend(of.device_rows(prepared)?);
        }
        rows.push(of.processor_row()?);
    }
    Ok(untitled(NOTES, rows))
}

/// The rows of a rule.
struct Of<'a> {
    bench: &'a Bench,
    image: &'a BitImage,
    rule: Rule,
    iterations: usize,
}

impl Of<'_> {
    fn device_rows(&self, prepared: &Prepared) -> Result<Vec<Row>, Failure> {
        let &Of { bench, image, rule, iterations } = self;
        let whole = on_device(bench, prepared, image, |resident| Ok(resident.thin(None, &mut |_| ())?))?;
        let launch =
            on_device(bench, prepared, image, |resident| Ok(resident.thin(Some(LAUNCH), &mut |_| ())?))?;
        let alone = on_device(bench, prepared, image, |resident| Ok(resident.thin(Some(1), &mut |_| ())?))?;
        let moved = seconds(bench.runs, || {
            let resident = prepared.bring(image)?;
            Ok(resident.fetch()?)
        })?;
        let average = 1e3 * whole / iterations as f64;
        let pixels = image.shape().count() as f64;
        let mut rows = Vec::new();
        let mut add = |version: &str, quantity: &str, unit, paper: Option<f64>, ours, remark: &str| {
            let input =
                if version.is_empty() { rule.to_string() } else { format!("{rule}, beside {version}") };
            rows.push(row(&input, quantity, unit, (paper, ours), ["cuda", words(true), remark]));
        };
        let beside: &[_] = if rule == Rule::Kashani { &PAPER } else { &[("", [0.0; 3])] };
        for &(version, [pass, copied, all]) in beside {
            let paper = |value: f64| (!version.is_empty()).then_some(value);
            let run = format!("{iterations} iterations in {:.2} ms", 1e3 * whole);
            add(version, "iteration, average", Unit::Milliseconds, paper(all), average, &run);
            add(
                version,
                "iteration, first alone",
                Unit::Milliseconds,
                paper(all),
                1e3 * alone,
                "a launch, and an answer to the host",
            );
            add(
                version,
                "pass, first 16",
                Unit::Milliseconds,
                paper(pass),
                1e3 * launch / LAUNCH as f64,
                "with the answer to the host, once",
            );
            let bits = "of the whole run, over its iterations: the image as bits to the device and back";
            let moved = 1e3 * moved / iterations as f64;
            add(version, "memcpy", Unit::Milliseconds, paper(copied), moved, bits);
            let rate = |ms: f64| pixels / (ms / 1e3);
            add(
                version,
                "iteration, average",
                Unit::VoxelsPerSecond,
                paper(rate(all)),
                rate(average),
                "pixels of the whole image an iteration",
            );
        }
        Ok(rows)
    }

    fn processor_row(&self) -> Result<Row, Failure> {
        let &Of { bench, image, rule, iterations } = self;
        let request = ThinningRequest { rule: Some(rule), iterations: None };
        let whole = seconds(PROCESSOR_RUNS, || Ok(thin(image, &request, &mut |_| ())?))?;
        let remark = format!("{} threads; the whole run takes {whole:.3} s", bench.threads);
        let paper = (rule == Rule::Kashani).then_some(PAPER[3].1[2]);
        let average = 1e3 * whole / iterations as f64;
        let by = ["cpu", words(bench.gpu.is_some()), &remark];
        let input = if paper.is_some() { format!("{rule}, beside GPU_4") } else { rule.to_string() };
        Ok(row(&input, "iteration, average", Unit::Milliseconds, (paper, average), by))
    }
}

/// The median seconds of some work on an image on the device.
fn on_device(
    bench: &Bench,
    prepared: &Prepared,
    image: &BitImage,
    mut work: impl FnMut(&mut Resident<'_>) -> Result<(), Failure>,
) -> Result<f64, Failure> {
    let mut times = Vec::new();
    for _ in 0..bench.runs {
        let mut resident = prepared.bring(image)?;
        times.push(seconds(1, || work(&mut resident))?);
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

const DECAY_NOTES: &[&str] = &[
    "The paper's Figure 8a has the pass of GPU_4 in milliseconds, falling by about 30 % over a run as the image whitens; only that share is in the text.",
    "A tenth of the run at a time, from skeleton to skeleton on the device. What is left of the square is a smaller square: the tiles on its border are fewer from launch to launch, \
     and in the end a launch takes what it takes with next to no tiles.",
];

pub fn decay(bench: &Bench) -> Result<Table, Failure> {
    let (side, rule) = (bench.side(), Rule::Kashani);
    let image = images::black(side)?;
    let prepared = bench.gpu.as_ref().map(|gpu| Prepared::new(gpu, rule)).transpose()?;
    let (_, passes) = verified(&image, rule, prepared.as_ref())?;
    let step = (passes.len() / 10).max(1);
    let mut rows = Vec::new();
    let mut add = |part: usize, seconds: f64, first: f64, backend: &str| {
        let input = format!("iterations {} to {}", part * step + 1, (part + 1) * step);
        let remark = format!("{:.0} % of the first tenth", 100.0 * seconds / first);
        let by = [backend, words(bench.gpu.is_some()), &remark];
        rows.push(row(
            &input,
            "iteration, average",
            Unit::Milliseconds,
            (None, 1e3 * seconds / step as f64),
            by,
        ));
    };
    if let Some(prepared) = &prepared {
        let mut resident = prepared.bring(&image)?;
        let times: Vec<f64> = (0..10)
            .map(|_| seconds(1, || Ok(resident.thin(Some(step), &mut |_| ())?)))
            .collect::<Result<_, _>>()?;
        times.iter().enumerate().for_each(|(part, &time)| add(part, time, times[0], "cuda"));
    }
    let (mut times, mut start) = (Vec::new(), std::time::Instant::now());
    let request = ThinningRequest { rule: Some(rule), iterations: None };
    thin(&image, &request, &mut |pass| {
        if pass.iteration.is_multiple_of(step) {
            times.push(start.elapsed().as_secs_f64());
            start = std::time::Instant::now();
        }
    })?;
    times.iter().take(10).enumerate().for_each(|(part, &time)| add(part, time, times[0], "cpu"));
    Ok(untitled(DECAY_NOTES, rows))
}

const SWEEP_NOTES: &[&str] = &[
    "The paper's Figure 9 has the time by the size of a block, 128 threads being best. Here a tile is 64 × 64 pixels and a block 512 threads, compiled in; what can be chosen is how many \
     iterations a launch makes before the host asks what they deleted: 1 is the paper's way, 16 the most that the collar of a tile allows, more are several launches in a row.",
    "The first 256 iterations of the square, `kashani`.",
];

pub fn sweep(bench: &Bench) -> Result<Table, Failure> {
    let (side, rule) = (bench.side(), Rule::Kashani);
    let image = images::black(side)?;
    let Some(gpu) = &bench.gpu else {
        let notes =
            [SWEEP_NOTES, &["There is nothing to choose on the processor, and no device here."]].concat();
        return Ok(untitled(&notes, Vec::new()));
    };
    let prepared = Prepared::new(gpu, rule)?;
    verified(&image, rule, Some(&prepared))?;
    let all = 256.min(side / 2) / LAUNCH * LAUNCH;
    let mut rows = Vec::new();
    for together in [1, 2, 4, 8, LAUNCH, 4 * LAUNCH] {
        let whole = on_device(bench, &prepared, &image, |resident| {
            (0..all.div_ceil(together)).try_for_each(|_| Ok(resident.thin(Some(together), &mut |_| ())?))
        })?;
        let input = format!("{together} between questions of the host");
        let remark = format!("{} of them in {:.3} ms", all, 1e3 * whole);
        let by = ["cuda", words(true), &remark];
        rows.push(row(
            &input,
            "iteration, average",
            Unit::Milliseconds,
            (None, 1e3 * whole / all as f64),
            by,
        ));
    }
    Ok(untitled(SWEEP_NOTES, rows))
}
