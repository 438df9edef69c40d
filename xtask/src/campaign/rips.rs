//! Vietoris–Rips barcodes: the fast version against the plain one, and transformations that must not change the bars.

use lacuna::backend::Backend;
use lacuna::compare::{Barcode, Bars, compare, read};
use lacuna::internals::{Dense, Level, Ranks, take_part};
use lacuna::metric::{Distances, SparseDistances, Value};
use lacuna::output;
use lacuna::rips::filtration_construction::{Construction, construct};
use lacuna::rips::pair_store::Pivots;
use lacuna::rips::plain::{self, Class};
use lacuna::rips::rank::{Ranking, rank};
use lacuna::rips::{Collapse, Outcome, Representative, RepresentativesRequest, Rips, RipsError, SecondLayer};
use lacuna::{Bar, Diagram};
use phat_formats::dipha::DiagramPoint;

use super::pools::{Machine, Pools, draw_ranks};
use super::spaces::{Space, pairs};
use super::subject::{Subject, same};
use lacuna::generate::Random;

/// Barcodes of distances.
pub(super) struct RipsBars;

/// Distances with the requested computation.
#[derive(Debug, Clone)]
pub(super) struct Case {
    space: Space,
    /// Whether distances are doubles.
    double: bool,
    max_dim: usize,
    limit: Limit,
    modulus: u32,
    sorted: bool,
    machine: Machine,
    /// Number of ranks that find the same bars together, if they do.
    ranks: Option<usize>,
    relation: Relation,
}

/// End of the filtration.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Limit {
    Enclosing,
    Value(f64),
}

/// Comparison in addition to the plain version.
#[derive(Debug, Clone, PartialEq)]
enum Relation {
    /// No other comparison.
    Plain,
    /// The distances as a graph: the same bars in the same order.
    Edges,
    /// The edges among isolated points, whose number is this multiple; entries get wider, the bars stay.
    Scattered(usize),
    /// Points in another order: the same multiset of bars.
    Relabelled(Vec<usize>),
    /// A point repeated: the same multiset of bars.
    Repeated(usize),
    /// A point farther from all others than they are from each other: all classes die at that distance.
    Cone,
    /// Distances scaled by a power of two: the bars scale likewise.
    Scaled(i32),
    /// Bars written and read back: the same multiset.
    Written(usize),
    /// Residues of all dimensions, at every width of ranks and every level of vector instructions: the same columns.
    Assembled,
    /// Collapsed graph: the same bars in the same order.
    Collapsed,
    /// Points with births taken from the numbers of the space, by index: the bars of the plain version, also for the
    /// collapsed graph.
    Born(Vec<usize>),
    /// With the simplices of the bars: those of the plain version.
    Simplices,
    /// Number of landmarks, modulo the number of points: the bars of these points.
    Landmarks(usize),
}

const MODULI: [u32; 10] = [2, 2, 2, 2, 3, 5, 7, 251, 32749, 65521];

impl Subject for RipsBars {
    type Case = Case;
    const NAME: &'static str = "rips";
    const CROSSED: &'static str = "shape, precision, --max-dim, threshold, modulus, pair store, collapse, threads, vectors, ranks, relation";

    fn draw(random: &mut Random) -> Case {
        let double = random.once_in(3);
        let max_dim = random.pick(&[0, 1, 1, 1, 2, 2, 2, 3, 4]);
        let n = points(max_dim, random);
        let relation = Relation::draw(n, double, random);
        let space = match relation {
            // Squared distances are exact at every scale.
            Relation::Scaled(_) if random.once_in(2) => lattice(n, random),
            _ => Space::draw(n, double, random),
        };
        if random.once_in(150) {
            let space = Space::hubs(random);
            let relation = Relation::draw(space.len(), double, random);
            let (max_dim, machine) = (random.pick(&[1, 2]), Machine::draw(random));
            let limit = Limit::draw(&space, random);
            return Case {
                space,
                double,
                max_dim,
                limit,
                modulus: 2,
                sorted: random.once_in(2),
                machine,
                ranks: random.once_in(4).then(|| draw_ranks(random)),
                relation,
            };
        }
        Case {
            limit: Limit::draw(&space, random),
            space,
            double,
            max_dim,
            modulus: random.pick(&MODULI),
            sorted: random.once_in(2),
            machine: Machine::draw(random),
            ranks: random.once_in(4).then(|| draw_ranks(random)),
            relation,
        }
    }

    fn options(case: &Case) -> String {
        let Case { space, double, max_dim, limit, modulus, sorted, machine, ranks, relation } = case;
        let shape = match space {
            Space::Table { .. } => "table",
            Space::Cloud { .. } => "cloud",
            Space::Graph { .. } => "graph",
        };
        let limit = match limit {
            Limit::Enclosing => "enclosing",
            Limit::Value(value) if value.is_infinite() => "none",
            Limit::Value(_) => "value",
        };
        let relation = std::mem::discriminant(relation);
        format!("{shape} {double} {max_dim} {limit} {modulus} {sorted} {machine:?} {ranks:?} {relation:?}")
    }

    fn check(case: &Case, pools: &Pools) -> Result<(), String> {
        if case.double { check::<f64>(case, pools) } else { check::<f32>(case, pools) }
    }

    fn smaller(case: &Case) -> Vec<Case> {
        let mut smaller = Vec::new();
        for space in case.space.smaller() {
            let n = space.len();
            let relation = match &case.relation {
                Relation::Relabelled(order) => {
                    Relation::Relabelled(order.iter().copied().filter(|&point| point < n).collect())
                }
                Relation::Repeated(point) => Relation::Repeated(point % n),
                other => other.clone(),
            };
            smaller.push(Case { space, relation, ..case.clone() });
        }
        smaller.extend(case.machine.smaller().into_iter().map(|machine| Case { machine, ..case.clone() }));
        if let Some(ranks) = case.ranks {
            let fewer = [None, Some(2)].into_iter().filter(|&fewer| fewer < Some(ranks));
            smaller.extend(fewer.map(|ranks| Case { ranks, ..case.clone() }));
        }
        if case.relation != Relation::Plain {
            smaller.push(Case { relation: Relation::Plain, ..case.clone() });
        }
        if case.sorted {
            smaller.push(Case { sorted: false, ..case.clone() });
        }
        if case.modulus != 2 {
            smaller.push(Case { modulus: 2, ..case.clone() });
        }
        if case.max_dim > 0 {
            smaller.push(Case { max_dim: case.max_dim - 1, ..case.clone() });
        }
        smaller
    }
}

/// Few enough points for the plain version; occasionally enough to fill a vector of any level.
fn points(max_dim: usize, random: &mut Random) -> usize {
    if max_dim <= 1 && random.once_in(60) {
        return random.pick(&[15, 16, 17, 31, 32, 33]);
    }
    let most = [14, 11, 9, 8, 8][max_dim];
    let most = if random.once_in(4) { most } else { 7 };
    1 + random.below(most)
}

/// Points with small whole coordinates.
fn lattice(n: usize, random: &mut Random) -> Space {
    let m = random.within(1, 3) as usize;
    Space::Cloud { m, coordinates: (0..n * m).map(|_| random.within(-9, 9) as f64).collect() }
}

impl Limit {
    /// Draws numbers of the space and nearby ones, rounded to single precision, which both precisions represent.
    fn draw(space: &Space, random: &mut Random) -> Limit {
        let numbers = space.numbers();
        let some = if numbers.is_empty() { 1.0 } else { random.pick(&numbers).abs() };
        let single = |x: f64| f64::from(x as f32);
        match random.below(8) {
            0..=2 => Limit::Enclosing,
            3 | 4 => Limit::Value(f64::INFINITY),
            5 => Limit::Value(some),
            6 => Limit::Value(single(some * random.between(0.5, 2.5))),
            _ => Limit::Value(random.pick(&[0.0, some.next_down().max(0.0), some.next_up()])),
        }
    }
}

impl Relation {
    fn draw(n: usize, double: bool, random: &mut Random) -> Relation {
        match random.below(19) {
            18 => Relation::Simplices,
            15 => Relation::Landmarks(random.below(1 << 8)),
            0 => Relation::Plain,
            1 | 2 => Relation::Assembled,
            3 => Relation::Edges,
            4 => Relation::Scattered(if random.once_in(40) { 600 } else { random.pick(&[3, 4, 9, 40]) }),
            5 | 6 => Relation::Relabelled(random.order(n)),
            7 => Relation::Repeated(random.below(n)),
            8 => Relation::Cone,
            9 | 10 => {
                let most = if double { 900 } else { 100 };
                Relation::Scaled(random.within(-most, most) as i32)
            }
            11 | 12 => Relation::Collapsed,
            13 | 14 => Relation::Born((0..n).map(|_| random.below(1 << 16)).collect()),
            _ => Relation::Written(random.below(output::OutputFormat::ALL.len())),
        }
    }
}

impl Case {
    fn run<T: Value>(
        &self,
        space: Distances<T>,
        limit: Limit,
        max_dim: usize,
        pools: &Pools,
    ) -> Result<Outcome, String> {
        self.run_collapsed(space, limit, max_dim, Collapse::Off, pools)
    }

    fn run_collapsed<T: Value>(
        &self,
        space: Distances<T>,
        limit: Limit,
        max_dim: usize,
        collapse: Collapse,
        pools: &Pools,
    ) -> Result<Outcome, String> {
        // Above the dimensions of the case, the sorted layer of a graph with hubs may be refused for lack of memory.
        let sorted = self.sorted && max_dim <= self.max_dim;
        let store = if sorted { SecondLayer::Sorted } else { SecondLayer::Implicit };
        let rips =
            Rips::new(space).max_dim(max_dim).modulus(self.modulus).pair_store(store).collapse(collapse);
        let rips = match limit {
            Limit::Enclosing => rips,
            Limit::Value(value) => rips.threshold(value),
        };
        self.solve(&rips, pools)
    }

    /// Solves by one process. If the case has ranks, they have to find the same bars and simplices.
    fn solve<T: Value>(&self, rips: &Rips<T>, pools: &Pools) -> Result<Outcome, String> {
        let refused = |error: RipsError| format!("the run is refused: {error}");
        let outcome = pools.run(self.machine, || rips.clone().solve(&())).map_err(refused)?;
        let Some(ranks) = self.ranks else { return Ok(outcome) };
        let together = |ranks: &dyn Ranks| match ranks.rank() {
            0 => rips.clone().prepare(ranks, &())?.solve_with(ranks, &()).map(Some),
            _ => take_part(ranks, &Backend::default()).map(|()| None),
        };
        let found: Result<Vec<_>, _> = pools.on_ranks(ranks, self.machine, together).into_iter().collect();
        let found = found.map_err(refused)?.swap_remove(0).ok_or("no outcome of rank 0")?;
        same(&format!("bars of {ranks} ranks"), &found.diagram, &outcome.diagram)?;
        same(&format!("simplices of {ranks} ranks"), &found.representatives(), &outcome.representatives())?;
        Ok(outcome)
    }
}

/// The threshold as a number.
fn value_of<T: Value>(limit: Limit, distances: &Distances<T>) -> f64 {
    match (limit, distances) {
        (Limit::Value(value), _) => value,
        (Limit::Enclosing, Distances::Sparse(_)) => f64::INFINITY,
        (Limit::Enclosing, _) => plain::enclosing_radius(distances),
    }
}

fn check<T: Value>(case: &Case, pools: &Pools) -> Result<(), String> {
    let distances = case.space.distances::<T>();
    let value = value_of(case.limit, &distances);
    let expected = plain::barcode(&distances, case.max_dim, value, case.modulus);
    let outcome = case.run(distances.clone(), case.limit, case.max_dim, pools)?;
    let found = &outcome.diagram;
    same("bars of the fast and of the plain version", found, &expected)?;
    same("bars that are kept at ratio 1", &found.with_ratio(1.0, T::PRECISION), found)?;
    match &case.relation {
        Relation::Plain => Ok(()),
        Relation::Edges => {
            let edges = as_graph(&distances, f64::INFINITY, 1)?;
            let bars = case.run(edges.into(), Limit::Value(value), case.max_dim, pools)?.diagram;
            same("bars of the same distances as a graph", &bars, found)
        }
        Relation::Scattered(spread) => scattered(case, &distances, value, *spread, found, pools),
        Relation::Relabelled(order) => {
            let space = case.space.of_points(order).distances::<T>();
            let bars = case.run(space, case.limit, case.max_dim, pools)?.diagram;
            same("bars of relabelled points", &multiset(&bars), &multiset(found))
        }
        Relation::Repeated(point) => {
            let order: Vec<usize> = (0..case.space.len()).chain([*point]).collect();
            let space = case.space.of_points(&order).distances::<T>();
            let bars = case.run(space, case.limit, case.max_dim, pools)?.diagram;
            same("bars with a point repeated", &multiset(&bars), &multiset(found))
        }
        // The collapse needs a square matrix of ranks.
        Relation::Collapsed if distances.len() > 4096 => Ok(()),
        Relation::Collapsed => {
            let outcome = case.run_collapsed(distances, case.limit, case.max_dim, Collapse::On, pools)?;
            same("bars of the collapsed graph", &outcome.diagram, found)
        }
        Relation::Born(places) => born(case, &distances, places, pools),
        Relation::Landmarks(count) => of_landmarks(case, distances, *count, pools),
        Relation::Simplices => simplices(case, distances, value, found, pools),
        Relation::Cone => cone(case, &distances, pools),
        Relation::Scaled(exponent) => scaled::<T>(case, *exponent, found, pools),
        Relation::Written(format) => written(*format, &outcome),
        // The rows of a dense matrix of many points would not fit its entries.
        Relation::Assembled if distances.len() > 40 => Ok(()),
        Relation::Assembled => pools.run(case.machine, || assembled(case, &distances, value)),
    }
}

/// Pairs up to a length as a graph with spread ids.
fn as_graph<T: Value>(
    distances: &Distances<T>,
    longest: f64,
    spread: usize,
) -> Result<SparseDistances<T>, String> {
    let n = distances.len();
    let longest: f64 = T::from_f64(longest).into();
    let all: Vec<(u32, u32, T)> = match distances {
        Distances::Matrix(matrix) => pairs(n).map(|(i, j)| (i as u32, j as u32, matrix.get(i, j))).collect(),
        Distances::Points(points) => {
            pairs(n).map(|(i, j)| (i as u32, j as u32, points.distance(i, j))).collect()
        }
        Distances::Sparse(graph) => {
            graph.edges().iter().map(|edge| (edge.i, edge.j, edge.distance)).collect()
        }
    };
    let kept = all.into_iter().filter(|edge| edge.2.into() <= longest);
    let id = |point: u32| point * spread as u32;
    let edges = kept.map(|(i, j, length)| (id(i), id(j), length));
    SparseDistances::new(n * spread, edges).map_err(|error| format!("no graph: {error}"))
}

/// Checks that the landmarks alone have the bars of a run with landmarks on all points.
fn of_landmarks<T: Value>(
    case: &Case,
    distances: Distances<T>,
    count: usize,
    pools: &Pools,
) -> Result<(), String> {
    if let Distances::Sparse(_) = distances {
        return Ok(());
    }
    let count = 1 + count % distances.len();
    let rips = Rips::new(distances).max_dim(case.max_dim).modulus(case.modulus).landmarks(Some(count));
    let outcome = case.solve(&rips, pools)?;
    let landmarks = outcome.landmarks.ok_or("no landmarks")?;
    same("landmarks", &(landmarks.points.len(), landmarks.points[0]), &(count, 0))?;
    let sample = case.space.of_points(&landmarks.points).distances::<T>();
    let value = value_of(Limit::Enclosing, &sample);
    let expected = plain::barcode(&sample, case.max_dim, value, case.modulus);
    same("bars of landmarks", &outcome.diagram, &expected)
}

/// Checks the simplices with which classes are born and die, and that the bars stay the same.
fn simplices<T: Value>(
    case: &Case,
    distances: Distances<T>,
    value: f64,
    found: &Diagram,
    pools: &Pools,
) -> Result<(), String> {
    let expected = plain::classes(&distances, case.max_dim, value, case.modulus);
    let rips = Rips::new(distances).max_dim(case.max_dim).modulus(case.modulus).threshold(value);
    let rips = rips.representatives(RepresentativesRequest::default());
    let outcome = case.solve(&rips, pools)?;
    same("bars beside simplices", &outcome.diagram, found)?;
    let representatives = outcome.representatives().ok_or("no representatives")?;
    let points = |simplex: &[u32]| simplex.iter().map(|&vertex| vertex as usize).collect();
    let class = |of: &Representative| Class {
        bar: of.bar,
        birth: points(&of.birth),
        death: of.death.as_deref().map(points),
    };
    for (dim, expected) in expected.iter().enumerate() {
        let found: Vec<Class> = representatives.of_dimension(dim).iter().map(class).collect();
        same("simplices of the fast and of the plain version", &found, expected)?;
    }
    Ok(())
}

/// Checks points born at half a distance, a distance, or 0, as the graph with its edges raised to the births.
fn born<T: Value>(
    case: &Case,
    distances: &Distances<T>,
    places: &[usize],
    pools: &Pools,
) -> Result<(), String> {
    let graph = as_graph(distances, f64::INFINITY, 1)?;
    let edges = graph.edges();
    let birth = |point: usize| match (places.get(point).copied().unwrap_or_default(), edges.len()) {
        (_, 0) => 0.0,
        (place, _) if place % 4 == 0 => 0.0,
        (place, count) if place % 4 == 1 => edges[place % count].distance.into() / 2.0,
        (place, count) => edges[place % count].distance.into(),
    };
    let births: Vec<T> = (0..graph.len()).map(|point| T::from_f64(birth(point))).collect();
    let raised = edges.iter().map(|edge| {
        let [i, j] = [edge.i, edge.j].map(|point| births[point as usize]);
        let later = if i > j { i } else { j };
        (edge.i, edge.j, if edge.distance > later { edge.distance } else { later })
    });
    let refused = |error: &dyn std::fmt::Display| format!("no weighted graph: {error}");
    let weighted = SparseDistances::new(graph.len(), raised).map_err(|error| refused(&error))?;
    let weighted = weighted.with_births(births).map_err(|error| refused(&error))?;
    let distances: Distances<T> = weighted.into();
    let value = value_of(case.limit, &distances);
    let expected = plain::barcode(&distances, case.max_dim, value, case.modulus);
    for collapse in [Collapse::Off, Collapse::On] {
        // The collapse needs a square matrix of ranks.
        if collapse == Collapse::On && distances.len() > 4096 {
            continue;
        }
        let bars = case.run_collapsed(distances.clone(), case.limit, case.max_dim, collapse, pools)?.diagram;
        same("bars of points with births", &bars, &expected)?;
    }
    Ok(())
}

/// Checks that each isolated point adds one essential class of dimension 0.
fn scattered<T: Value>(
    case: &Case,
    distances: &Distances<T>,
    value: f64,
    spread: usize,
    found: &Diagram,
    pools: &Pools,
) -> Result<(), String> {
    let graph = as_graph(distances, value, spread)?;
    let isolated = (spread - 1) * distances.len();
    // Large vertex ids and many vertices per simplex require the widest entries.
    let max_dim = if spread > 100 { 8 } else { case.max_dim };
    let bars = case.run(graph.into(), Limit::Enclosing, max_dim, pools)?.diagram;
    let (kept, last) = bars.bars(0).split_at(bars.bars(0).len().saturating_sub(isolated));
    same("isolated points", &(last.len(), last.iter().all(Bar::is_essential)), &(isolated, true))?;
    same("bars of dimension 0 among isolated points", &kept, &found.bars(0))?;
    let higher =
        |diagram: &Diagram| (1..=case.max_dim).map(|dim| diagram.bars(dim).to_vec()).collect::<Vec<_>>();
    same("bars among isolated points", &higher(&bars), &higher(found))
}

/// Checks the residue of each dimension without clearing, assembled with ranks of either width at every level.
fn assembled<T: Value>(case: &Case, distances: &Distances<T>, value: f64) -> Result<(), String> {
    let refused = |error: &dyn std::fmt::Debug| format!("refused: {error:?}");
    let ranking = rank(distances, T::from_f64(value)).map_err(|error| refused(&error))?;
    let Ranking { values, edges } = ranking;
    if values.count() > usize::from(u16::MAX) {
        return Ok(());
    }
    let n = distances.len();
    let narrow = edges.clone().square::<u16>().map_err(|error| refused(&error))?;
    let wide = edges.square::<u32>().map_err(|error| refused(&error))?;
    for dim in 1..=case.max_dim.min(n.saturating_sub(2)) {
        let mut expected = None;
        for level in Level::available() {
            for width in [16, 32] {
                let store = Pivots::<u64>::with_capacity(0).map_err(|error| refused(&error))?;
                let layer = if case.sorted { SecondLayer::Sorted } else { SecondLayer::Implicit };
                let construction = Construction::new(dim, layer, width, &());
                let columns = match width {
                    16 => construct(&Dense::new(n, narrow.clone(), level), &construction, &store).columns,
                    _ => construct(&Dense::new(n, wide.clone(), level), &construction, &store).columns,
                };
                let what = format!("columns of dimension {dim}, ranks of {width} bits, {}", level.name());
                same(&what, &columns, expected.get_or_insert_with(|| columns.clone()))?;
            }
        }
    }
    Ok(())
}

/// Checks that a new point at the greatest distance from all others kills every class but one there.
fn cone<T: Value>(case: &Case, distances: &Distances<T>, pools: &Pools) -> Result<(), String> {
    let n = distances.len();
    let graph = as_graph(distances, f64::INFINITY, 1)?;
    let apex = graph.edges().iter().map(|edge| edge.distance.into()).fold(0.0, f64::max);
    let whole = Limit::Value(f64::INFINITY);
    let base = case.run(graph.clone().into(), whole, case.max_dim, pools)?.diagram;
    let edges = graph.edges().iter().map(|edge| (edge.i, edge.j, edge.distance));
    let to_apex = (0..n as u32).map(|point| (n as u32, point, T::from_f64(apex)));
    let cone =
        SparseDistances::new(n + 1, edges.chain(to_apex)).map_err(|error| format!("no cone: {error}"))?;
    let found = case.run(cone.into(), whole, case.max_dim, pools)?.diagram;
    let ended = |(dim, bar): (usize, Bar)| (dim, Bar { death: bar.death.min(apex), ..bar });
    let mut expected: Vec<(usize, Bar)> =
        base.iter().map(ended).filter(|(_, bar)| bar.death > bar.birth).collect();
    expected.push((0, Bar { birth: 0.0, death: f64::INFINITY }));
    same("bars of the cone", &multiset(&found), &sorted(expected))
}

/// Checks that bars scale as distances do, if all numbers and bars stay in the range of normal numbers.
fn scaled<T: Value>(case: &Case, exponent: i32, found: &Diagram, pools: &Pools) -> Result<(), String> {
    let scale = 2f64.powi(exponent);
    let (least, most) = if case.double { (-1020, 1020) } else { (-124, 124) };
    let is_normal = |x: f64| x == 0.0 || x.is_infinite() || (least..=most).contains(&exponent_of(x));
    let numbers = case.space.numbers();
    let limit = match case.limit {
        Limit::Enclosing => Limit::Enclosing,
        Limit::Value(value) => Limit::Value(value * scale),
    };
    let ends = match case.limit {
        Limit::Value(value) => vec![value],
        Limit::Enclosing => Vec::new(),
    };
    let bars = found.iter().flat_map(|(_, bar)| [bar.birth, bar.death]);
    let all: Vec<f64> = numbers.iter().copied().chain(ends).chain(bars).collect();
    if !all.iter().all(|&x| is_normal(x) && is_normal(x * scale)) {
        return Ok(());
    }
    // Squares of small whole coordinates are exact, so rounding does not depend on the scale.
    if matches!(case.space, Space::Cloud { .. })
        && !numbers.iter().all(|x| x.fract() == 0.0 && x.abs() < 1000.0)
    {
        return Ok(());
    }
    let space = case.space.map(|x| x * scale).distances::<T>();
    let bars = case.run(space, limit, case.max_dim, pools)?.diagram;
    let times = |bar: &Bar| Bar { birth: bar.birth * scale, death: bar.death * scale };
    let expected = (0..found.len()).map(|dim| found.bars(dim).iter().map(times).collect()).collect();
    same("bars of scaled distances", &bars, &Diagram::new(expected))
}

/// Binary exponent of a nonzero number.
fn exponent_of(x: f64) -> i32 {
    x.abs().log2().floor() as i32
}

/// Checks that the reader of barcodes reads what the writer wrote.
fn written(format: usize, outcome: &Outcome) -> Result<(), String> {
    let format = output::OutputFormat::ALL[format];
    let Outcome { diagram, summary, plan, .. } = outcome;
    let mut file = Vec::new();
    let barcode = output::Barcode {
        diagram,
        summary,
        modulus: plan.modulus,
        landmarks: None,
        representatives: None,
        unfinished: &[],
    };
    format.write(&barcode, &mut file).map_err(|error| format!("{format} is not written: {error}"))?;
    let loaded = read::read_bytes("bars", &file, None)
        .map_err(|error| format!("{format} is not read: {error}\n  {}", String::from_utf8_lossy(&file)))?;
    if format == output::OutputFormat::Text {
        // Six digits do not suffice to distinguish bars, only to count them.
        let Barcode::Bars(bars) = loaded.barcode else { return Err("text holds no bars".to_owned()) };
        return same("number of bars in text", &bars.bars.len(), &diagram.iter().count());
    }
    let expected = Barcode::Bars(Bars::new(diagram.iter().map(point).collect()));
    let comparison = compare(&loaded.barcode, &expected, 0.0).map_err(|error| error.to_string())?;
    same(&format!("bars read and written as {format}"), &comparison.differences(), &Vec::new())
}

fn point((dim, bar): (usize, Bar)) -> DiagramPoint {
    DiagramPoint { dim: dim as u32, birth: bar.birth, death: bar.death, essential: bar.is_essential() }
}

/// Bars of all dimensions, sorted by value.
fn multiset(diagram: &Diagram) -> Vec<(usize, Bar)> {
    sorted(diagram.iter().collect())
}

fn sorted(mut bars: Vec<(usize, Bar)>) -> Vec<(usize, Bar)> {
    bars.sort_by(|(d, a), (e, b)| {
        d.cmp(e).then(a.birth.total_cmp(&b.birth)).then(a.death.total_cmp(&b.death))
    });
    bars
}
