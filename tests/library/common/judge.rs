//! An independent check of cocycles and cycles: every property is tested by definition, by ranks of matrices over
//! Z/p.

use lacuna::Bar;
use lacuna::rips::{CocycleScale, Representative};

use super::chains::{Filtration, Scale};
use super::spans::{Span, Vector, dot, is_zero};

/// A bar of dimension 1 or more, with its cocycle and its cycle as vectors.
struct Judged {
    bar: Bar,
    cocycle: Vector,
    cycle: Vector,
}

/// Checks that each bar of dimension 1 and above has simplices, a cocycle up to the requested scale and a cycle that
/// represent it; and, if the bars are `all` bars, that the representatives of a dimension form bases of cohomology
/// and homology.
pub(crate) fn judge<'a>(
    filtration: &Filtration,
    found: impl Iterator<Item = &'a Representative> + Clone,
    at: CocycleScale,
    all: bool,
    what: &str,
) {
    let dimensions = found.clone().map(|found| found.dim).max().unwrap_or(0);
    for dim in 1..=dimensions {
        let of_dimension = found.clone().filter(|found| found.dim == dim);
        let judged: Vec<Judged> = of_dimension
            .map(|found| {
                let what = format!("{what}, bar {}:{} {:?}", found.dim, found.index, found.bar);
                simplices(filtration, found, &what);
                let cocycle = cocycle(filtration, found, at, &what);
                Judged { bar: found.bar, cocycle, cycle: cycle(filtration, found, &what) }
            })
            .collect();
        if all {
            bases(filtration, dim, &judged, at, &format!("{what}, dimension {dim}"));
        }
    }
}

/// Checks that the simplices have the diameters of the bar.
fn simplices(filtration: &Filtration, found: &Representative, what: &str) {
    let Representative { bar, dim, birth, death, .. } = found;
    let dim = *dim;
    assert_eq!(filtration.diameter(dim, filtration.place(birth)), bar.birth, "{what}: birth simplex");
    let death = death.as_ref().map(|death| filtration.diameter(dim + 1, filtration.place(death)));
    assert_eq!(death.unwrap_or(f64::INFINITY), bar.death, "{what}: death simplex");
}

/// Checks that the cocycle has only simplices of allowed diameters, has coboundary zero, and is not a coboundary.
fn cocycle(filtration: &Filtration, found: &Representative, at: CocycleScale, what: &str) -> Vector {
    let (dim, Bar { birth, death }) = (found.dim, found.bar);
    let cocycle = filtration.vector(found.cocycle.as_ref().expect("cocycles were asked for"));
    let first = Scale::AtMost(birth);
    let last = match at {
        CocycleScale::Birth => first,
        _ => Scale::Below(death),
    };
    let outside = filtration.restricted(dim, &cocycle, |d| d < birth || !last.admits(d));
    assert!(is_zero(&outside), "{what}: the cocycle has simplices outside {first:?} to {last:?}");
    assert_ne!(cocycle[filtration.place(&found.birth)], 0, "{what}: the birth simplex is not in the cocycle");
    let coboundary = filtration.coboundary(dim, &cocycle, last);
    assert!(coboundary.is_empty(), "{what}: the coboundary of the cocycle at {last:?} has {coboundary:?}");
    for scale in [first, last] {
        let there = filtration.restricted(dim, &cocycle, |diameter| scale.admits(diameter));
        let coboundaries = filtration.coboundaries(dim, scale);
        assert!(!coboundaries.contains(there), "{what}: the cocycle is a coboundary at {scale:?}");
    }
    cocycle
}

/// Checks that the cycle represents its bar and contains the birth simplex.
fn cycle(filtration: &Filtration, found: &Representative, what: &str) -> Vector {
    let cycle = filtration.vector(found.cycle.as_ref().expect("cycles were asked for"));
    assert_ne!(cycle[filtration.place(&found.birth)], 0, "{what}: the birth simplex is not in the cycle");
    judge_cycle(filtration, found.dim, found.bar, &cycle, what);
    cycle
}

/// Checks that the cycle has boundary zero, is born at birth and not before, and bounds at death and not before.
pub(crate) fn judge_cycle(filtration: &Filtration, dim: usize, bar: Bar, cycle: &[u32], what: &str) {
    let Bar { birth, death } = bar;
    let boundary = if dim == 0 { Vector::new() } else { filtration.boundary(dim, cycle) };
    assert!(is_zero(&boundary), "{what}: the cycle has a boundary");
    let longer = filtration.restricted(dim, cycle, |diameter| diameter > birth);
    assert!(is_zero(&longer), "{what}: the cycle has simplices that are not there at birth");
    // If it were born before, it would be homologous to a cycle without the newest simplices.
    let newest = filtration.restricted(dim, cycle, |diameter| diameter == birth);
    assert!(!filtration.boundaries_on(dim, birth).contains(newest), "{what}: the cycle is born before");
    let before = filtration.boundaries(dim, Scale::Below(death));
    assert!(!before.contains(cycle.to_vec()), "{what}: the cycle bounds before death");
    let at_death = filtration.boundaries(dim, Scale::AtMost(death));
    assert_eq!(at_death.contains(cycle.to_vec()), death.is_finite(), "{what}: the cycle at death");
}

/// Checks that at a scale the cycles of the living bars form a basis of homology.
pub(crate) fn judge_basis<'a>(
    filtration: &Filtration,
    dim: usize,
    scale: Scale,
    alive: impl ExactSizeIterator<Item = &'a Vector>,
    what: &str,
) {
    assert_eq!(filtration.betti(dim, scale), alive.len(), "{what}: Betti number at {scale:?}");
    let mut boundaries = filtration.boundaries(dim, scale);
    for cycle in alive {
        assert!(boundaries.add(cycle.clone()), "{what}: cycles depend on each other at {scale:?}");
    }
}

/// Checks that at the birth of each bar the cycles of the living bars form a basis of homology and their cocycles one
/// of cohomology, and that the two pair without degeneracy. Cocycles up to birth are valid at one scale only, so in
/// that case only the bar born there is paired.
fn bases(filtration: &Filtration, dim: usize, judged: &[Judged], at: CocycleScale, what: &str) {
    let mut scales: Vec<f64> = judged.iter().map(|judged| judged.bar.birth).collect();
    scales.dedup();
    for birth in scales {
        let scale = Scale::AtMost(birth);
        let alive = judged.iter().filter(|judged| judged.bar.birth <= birth && birth < judged.bar.death);
        let alive: Vec<&Judged> = alive.collect();
        judge_basis(filtration, dim, scale, alive.iter().map(|judged| &judged.cycle), what);
        if at == CocycleScale::Birth && alive.len() > 1 {
            continue;
        }
        let mut coboundaries = filtration.coboundaries(dim, scale);
        for judged in &alive {
            let cocycle = filtration.restricted(dim, &judged.cocycle, |diameter| scale.admits(diameter));
            assert!(coboundaries.add(cocycle), "{what}: cocycles depend on each other at {scale:?}");
        }
        let pairings = alive
            .iter()
            .map(|a| alive.iter().map(|b| dot(&a.cocycle, &b.cycle, filtration.modulus)).collect::<Vector>());
        let rank = Span::new(filtration.modulus, pairings).rank();
        assert_eq!(rank, alive.len(), "{what}: the pairing of cocycles and cycles at {scale:?}");
    }
}
