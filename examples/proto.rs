use lacuna::matrix::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    rayon::ThreadPoolBuilder::new().num_threads(a[2].parse().unwrap()).build_global().unwrap();
    let s0 = std::time::Instant::now();
    let m: BoundaryMatrix<u32> =
        phat_formats::phat::matrix::read_binary(&std::fs::File::open(&a[1]).unwrap()).unwrap().matrix;
    let read = s0.elapsed().as_secs_f64() * 1e3;
    let reps: usize = a.get(3).map_or(1, |s| s.parse().unwrap());
    let d = match a.get(5).map(|s| s.as_str()) {
        Some("on") => Dualize::On,
        Some("off") => Dualize::Off,
        _ => Dualize::Auto,
    };
    let mut best = f64::MAX;
    let mut last = None;
    for _ in 0..reps {
        let s = std::time::Instant::now();
        let x = reduce(
            &m,
            &Plan {
                algorithm: Algorithm::Sieve,
                columns: Representation::BitTree,
                dualize: d,
                threads: rayon::current_num_threads(),
            },
        );
        let e = s.elapsed().as_secs_f64();
        if e < best {
            best = e;
            last = Some(x);
        }
    }
    let x = last.unwrap();
    println!(
        "{} read {read:.1} best {:.1} ms adds {} pairs {}: {}",
        a[1],
        best * 1e3,
        x.figures.additions,
        x.pairs.len(),
        x.figures.stages.iter().map(|(n, s)| format!("{n} {:.1}", s * 1e3)).collect::<Vec<_>>().join(", ")
    );
    if let Some(o) = a.get(4) {
        use std::io::Write;
        let mut f = std::io::BufWriter::new(std::fs::File::create(o).unwrap());
        for (k, (i, j)) in x.pairs.iter().enumerate() {
            if k > 0 {
                f.write_all(b"\n").unwrap();
            }
            write!(f, "{i} {j}").unwrap();
        }
    }
}
