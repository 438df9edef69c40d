use lacuna::matrix::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t = a[2].parse().unwrap();
    rayon::ThreadPoolBuilder::new().num_threads(t).build_global().unwrap();
    let b = std::fs::read(&a[1]).unwrap();
    let w = |i: usize| i64::from_le_bytes(b[8 * i..8 * i + 8].try_into().unwrap()) as usize;
    let n = w(0);
    let mut m = BoundaryMatrix::<u32>::new();
    let mut p = 1;
    let mut r = vec![];
    for _ in 0..n {
        let c = w(p + 1);
        r.clear();
        r.extend((0..c).map(|k| w(p + 2 + k)));
        m.push(w(p) as u8, &r).unwrap();
        p += 2 + c;
    }
    let reps: usize = a.get(3).map_or(1, |s| s.parse().unwrap());
    let mut best = f64::MAX;
    let mut last = None;
    for _ in 0..reps {
        let s = std::time::Instant::now();
        let x = sieve_reduce(
            &m,
            match a.get(5).map(|s| s.as_str()) {
                Some("on") => Dualize::On,
                Some("off") => Dualize::Off,
                _ => Dualize::Auto,
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
        "{} best {:.1} ms adds {} pairs {}: {}",
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
