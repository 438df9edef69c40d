//! Whole runs with a GPU compared with runs without. They are ignored by default, since they need a device.

use crate::common::metrics::{Family, Metric, generator};
use crate::common::shared::{Case, cases, folder};
use lacuna::backend::{Backend, BackendRequest, Choice};
use lacuna::internals;
use lacuna::metric::read::{Input, read_path};
use lacuna::metric::{Distances, Value};
use lacuna::rips::{Outcome, Rips, SecondLayer};

/// Number of devices.
fn devices() -> usize {
    internals::devices().unwrap().1.len()
}

fn cuda_backend(devices: Vec<usize>, self_check: bool) -> Backend {
    Backend::new(BackendRequest { choice: Choice::Cuda, devices, self_check, memory: None })
}

/// Runs on the processor and on devices, and compares bars and counts.
fn same<T: Value>(name: &str, rips: &Rips<T>, backend: Backend) {
    let solve = |rips: &Rips<T>| rips.clone().solve(&()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (own, found) = (solve(rips), solve(&rips.clone().backend(backend)));
    assert!(found.notes.is_empty(), "{name}: {:?}", found.notes);
    assert_eq!(found.plan.backend_name(), "cuda", "{name}");
    assert_eq!(own.diagram, found.diagram, "{name}");
    let counts = |outcome: &Outcome| {
        let dimensions = outcome.stats.dimensions.iter();
        dimensions
            .map(|d| {
                [d.simplices, d.cleared, d.apparent, d.shortcut, d.emergent, d.pairs, d.essential, d.residue]
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(&own), counts(&found), "{name}");
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_barcodes_are_the_processors() {
    let count = devices();
    let families = [
        Family::Ties(3),
        Family::Zeros(2),
        Family::Generic,
        Family::Graph(0.6),
        Family::Paths,
        Family::Cloud(3),
        Family::Grid(2),
        Family::Duplicates,
        Family::Extremes,
        Family::Double,
    ];
    let mut rng = generator(41);
    for family in families {
        for (n, dim) in [(1, 2), (2, 1), (7, 5), (31, 3), (33, 3), (64, 2)] {
            let metric = Metric::random(family, n, &mut rng);
            for modulus in [2, 3] {
                for layer in [SecondLayer::Implicit, SecondLayer::Sorted] {
                    let rips =
                        Rips::new(metric.matrix::<f64>()).max_dim(dim).modulus(modulus).pair_store(layer);
                    let name = format!("{family:?}, {n} points, {layer:?}");
                    same(&name, &rips, cuda_backend(Vec::new(), true));
                    same(&name, &rips.threshold(f64::INFINITY), cuda_backend((0..count).collect(), false));
                }
            }
        }
    }
}

fn of_case(case: &Case) -> Option<Vec<String>> {
    // Some of these cases would take minutes on the processor.
    (!case.name.contains("rp2_600")).then(|| case.arguments.clone())
}

fn asked<T: Value>(distances: Distances<T>, arguments: &[String]) -> Rips<T> {
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        Some(arguments[at + 1].as_str())
    };
    let number = |name| value(name).map(|text| text.parse::<f64>().unwrap());
    let mut rips = Rips::new(distances);
    if let Some(dim) = value("--dim") {
        rips = rips.max_dim(dim.parse().unwrap());
    }
    if let Some(t) = number("--threshold") {
        rips = rips.threshold(t);
    }
    if let Some(p) = value("--modulus") {
        rips = rips.modulus(p.parse().unwrap());
    }
    rips
}

#[test]
#[ignore = "needs a CUDA device, and LACUNA_SHARED"]
fn gpu_real_inputs_give_the_processors_barcodes() {
    let folder = folder();
    let mut ran = 0;
    for case in cases(&folder).iter().filter(|case| case.file.is_file()) {
        let Some(arguments) = of_case(case) else { continue };
        let loaded = read_path(&case.file, Some(case.format.parse().unwrap())).unwrap();
        for self_check in [false, true] {
            let backend = cuda_backend(Vec::new(), self_check);
            match loaded.input.clone() {
                Input::Single(distances) => same(&case.name, &asked(distances, &arguments), backend),
                Input::Double(distances) => same(&case.name, &asked(distances, &arguments), backend),
            }
        }
        ran += 1;
    }
    assert!(ran > 0, "no input of {} is there", folder.display());
}
