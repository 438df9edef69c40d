//! `compare` finds every change of a bar and accepts every order, between all formats.

use std::collections::BTreeMap;

use lacuna::compare::read::{BarcodeFormat, read_bytes};
use lacuna::compare::{Barcode, CompareError, Comparison, Entry, Kind, Note, compare};
use lacuna::output;
use lacuna::rips::Summary;
use lacuna::{Bar, Diagram};
use phat_formats::dipha::{DiagramPoint, write_diagram};
use phat_formats::phat::pairs;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The formats that hold bars.
const BARS: [BarcodeFormat; 6] = [
    BarcodeFormat::Ripser,
    BarcodeFormat::Csv,
    BarcodeFormat::Json,
    BarcodeFormat::Npy,
    BarcodeFormat::Npz,
    BarcodeFormat::Dipha,
];

/// The end of the filtrations of these tests, after all bars.
const END: f64 = 1000.0;

/// Random bars with values that are exact in six digits, many of them equal.
fn random_bars(rng: &mut impl Rng) -> Vec<DiagramPoint> {
    let count = rng.random_range(1..30);
    let values = rng.random_range(1..40);
    (0..count).map(|_| random_bar(rng, values)).collect()
}

fn random_bar(rng: &mut impl Rng, values: u32) -> DiagramPoint {
    let birth = f64::from(rng.random_range(0..values)) / 8.0;
    let length = f64::from(rng.random_range(1..=values)) / 8.0;
    let essential = rng.random_range(0..5) == 0;
    let death = if essential { f64::INFINITY } else { birth + length };
    DiagramPoint { dim: rng.random_range(0..4), birth, death, essential }
}

/// The same bars with one change: of a birth, death or dimension, of whether a bar is essential, or of its presence.
fn mutated(bars: &[DiagramPoint], change: usize, rng: &mut impl Rng) -> Vec<DiagramPoint> {
    let mut bars = bars.to_vec();
    let k = rng.random_range(0..bars.len());
    let step = f64::from(rng.random_range(1..20)) / 8.0;
    let bar = &mut bars[k];
    match change {
        0 => bar.birth -= step,
        1 if !bar.essential => bar.death += step,
        1 | 2 => bar.dim += rng.random_range(1..3),
        3 => {
            bar.essential = !bar.essential;
            bar.death = if bar.essential { f64::INFINITY } else { bar.birth + step };
        }
        4 => drop(bars.remove(k)),
        5 => bars.push(bars[k]),
        _ => bars.push(random_bar(rng, 40)),
    }
    bars
}

const CHANGES: usize = 7;

fn shuffle<T>(list: &mut [T], rng: &mut impl Rng) {
    for k in (1..list.len()).rev() {
        list.swap(k, rng.random_range(0..=k));
    }
}

/// A file of these bars in this order.
fn written(bars: &[DiagramPoint], format: BarcodeFormat) -> Vec<u8> {
    let mut file = Vec::new();
    let as_output = match format {
        BarcodeFormat::Ripser => output::OutputFormat::Text,
        BarcodeFormat::Csv => output::OutputFormat::Csv,
        BarcodeFormat::Json => output::OutputFormat::Json,
        BarcodeFormat::Npy => output::OutputFormat::Npy,
        BarcodeFormat::Npz => output::OutputFormat::Npz,
        BarcodeFormat::Dipha => {
            let death = |bar: &DiagramPoint| if bar.essential { END } else { bar.death };
            let points = bars.iter().map(|bar| DiagramPoint { death: death(bar), ..*bar });
            write_diagram(&mut file, points).unwrap();
            return file;
        }
        format => panic!("{format} is no format of bars"),
    };
    let dims = bars.iter().map(|bar| bar.dim as usize + 1).max().unwrap_or(1);
    let mut dimensions = vec![Vec::new(); dims];
    for bar in bars {
        dimensions[bar.dim as usize].push(Bar { birth: bar.birth, death: bar.death });
    }
    let summary = Summary {
        points: 3,
        precision: lacuna::metric::Precision::Double,
        ambient_dimension: None,
        edge_list: false,
        value_range: None,
        edges: 3,
        threshold: END,
        enclosing_radius: true,
    };
    let diagram = Diagram::new(dimensions);
    as_output
        .write(
            &output::Barcode {
                diagram: &diagram,
                summary: &summary,
                modulus: 2,
                landmarks: None,
                representatives: None,
                unfinished: &[],
            },
            &mut file,
        )
        .unwrap();
    file
}

/// The barcode of a file whose format must be detected.
fn barcode(file: &[u8], format: BarcodeFormat) -> Barcode {
    let loaded = read_bytes("file", file, None).unwrap_or_else(|error| panic!("{format}: {error}"));
    assert_eq!(loaded.format, format);
    loaded.barcode
}

/// The surplus of one list of bars over another, in order.
fn surplus(bars: &[DiagramPoint], other: &[DiagramPoint]) -> Vec<Entry> {
    let key =
        |bar: &DiagramPoint| (bar.dim, (bar.birth * 8.0) as i64, bar.essential, (bar.death * 8.0) as i64);
    let mut counts = BTreeMap::new();
    for bar in bars {
        counts.entry(key(bar)).or_insert((*bar, 0)).1 += 1;
    }
    for bar in other {
        if let Some((_, count)) = counts.get_mut(&key(bar)) {
            *count -= 1;
        }
    }
    let more = counts.into_values().filter(|(_, count)| *count > 0);
    more.flat_map(|(bar, count)| std::iter::repeat_n(Entry::Bar(bar), count as usize)).collect()
}

#[test]
fn every_change_of_a_bar_is_found() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for round in 0..12_000 {
        let bars = random_bars(&mut rng);
        let changed = mutated(&bars, round % CHANGES, &mut rng);
        let [format_a, format_b] = [0, 1].map(|_| BARS[rng.random_range(0..BARS.len())]);
        let (mut a, mut b) = (bars.clone(), changed.clone());
        shuffle(&mut a, &mut rng);
        shuffle(&mut b, &mut rng);
        let (a, b) = (barcode(&written(&a, format_a), format_a), barcode(&written(&b, format_b), format_b));
        // Values differ by more than the second tolerance.
        for tolerance in [0.0, 0.06] {
            let found = compare(&a, &b, tolerance).unwrap();
            assert!(!found.is_same(), "{format_a}, {format_b}: {bars:?}, {changed:?}");
            assert_eq!(found.sizes, [bars.len(), changed.len()]);
            assert_eq!(found.matched + found.only[0].len(), bars.len());
            if format_a != BarcodeFormat::Dipha || format_b != BarcodeFormat::Dipha {
                assert_eq!(found.only, [surplus(&bars, &changed), surplus(&changed, &bars)]);
            }
            let back = compare(&b, &a, tolerance).unwrap();
            assert_eq!([&back.only[1], &back.only[0]], [&found.only[0], &found.only[1]]);
        }
    }
}

#[test]
fn every_order_is_accepted() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for _ in 0..400 {
        let bars = random_bars(&mut rng);
        let files = BARS.map(|format| {
            let mut bars = bars.clone();
            shuffle(&mut bars, &mut rng);
            barcode(&written(&bars, format), format)
        });
        for a in &files {
            for b in &files {
                for tolerance in [0.0, 0.3, f64::INFINITY] {
                    let found = compare(a, b, tolerance).unwrap();
                    assert!(found.is_same(), "{a:?}, {b:?}: {found:?}");
                    assert_eq!(found.matched, bars.len());
                }
            }
        }
    }
}

/// Six digits against full precision: the tolerance covers rounding and nothing more.
#[test]
fn rounded_values_are_accepted_within_the_tolerance() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    for round in 0..2_000 {
        let count = rng.random_range(1..200);
        let bar = |_| {
            let birth = rng.random::<f64>();
            let essential = rng.random_range(0..9) == 0;
            let death = if essential { f64::INFINITY } else { birth + 0.01 + 8.0 * rng.random::<f64>() };
            DiagramPoint { dim: rng.random_range(0..3), birth, death, essential }
        };
        let bars: Vec<DiagramPoint> = (0..count).map(bar).collect();
        let mut reordered = bars.clone();
        shuffle(&mut reordered, &mut rng);
        let text = barcode(&written(&reordered, BarcodeFormat::Ripser), BarcodeFormat::Ripser);
        for format in [BarcodeFormat::Csv, BarcodeFormat::Json, BarcodeFormat::Npy, BarcodeFormat::Dipha] {
            let full = barcode(&written(&bars, format), format);
            assert!(compare(&text, &full, 5.1e-6).unwrap().is_same());
            assert!(!compare(&text, &full, 0.0).unwrap().is_same());
            let changed = mutated(&bars, round % CHANGES, &mut rng);
            let changed = barcode(&written(&changed, format), format);
            assert!(!compare(&text, &changed, 5.1e-6).unwrap().is_same());
        }
    }
}

/// The ends of filtrations are compared if both files give them.
#[test]
fn ends_of_filtrations_are_compared_between_diagrams_of_dipha() {
    let point = |birth, death| DiagramPoint { dim: 0, birth, death, essential: true };
    let file = |points: &[DiagramPoint]| {
        let mut file = Vec::new();
        write_diagram(&mut file, points.iter().copied()).unwrap();
        barcode(&file, BarcodeFormat::Dipha)
    };
    let (a, b) = (file(&[point(0.0, 2.0)]), file(&[point(0.0, 2.5)]));
    let csv = barcode(b"dim,birth,death\n0,0,inf\n", BarcodeFormat::Csv);
    assert!(compare(&a, &a, 0.0).unwrap().is_same());
    assert!(!compare(&a, &b, 0.25).unwrap().is_same());
    assert!(compare(&a, &b, 0.5).unwrap().is_same());
    assert!(compare(&a, &csv, 0.0).unwrap().is_same() && compare(&csv, &b, 0.0).unwrap().is_same());
}

/// Random pairs of cells, each cell in at most one pair, and the cells in no pair.
fn random_pairs(rng: &mut impl Rng) -> (Vec<(u64, u64)>, Vec<u64>) {
    let mut cells: Vec<u64> = (0..rng.random_range(2..40)).collect();
    shuffle(&mut cells, rng);
    let essential = cells.split_off(rng.random_range(2..=cells.len()));
    let pair = |pair: &[u64]| (pair[0].min(pair[1]), pair[0].max(pair[1]));
    let pairs = cells.chunks_exact(2).map(pair).collect();
    (pairs, essential.into_iter().chain(cells.chunks_exact(2).remainder().iter().copied()).collect())
}

/// Files of these pairs, as `lacuna reduce` and PHAT write them.
fn pair_files(pairs: &[(u64, u64)], essential: &[u64]) -> [(Vec<u8>, BarcodeFormat); 4] {
    let mut files =
        [BarcodeFormat::PhatAscii, BarcodeFormat::PhatBinary, BarcodeFormat::Csv, BarcodeFormat::Json]
            .map(|f| (Vec::new(), f));
    pairs::write_ascii(&mut files[0].0, pairs.iter().copied()).unwrap();
    pairs::write_binary(&mut files[1].0, pairs.iter().copied()).unwrap();
    let mut csv = "dim,birth,death\n".to_owned();
    pairs.iter().for_each(|(birth, death)| csv.push_str(&format!("0,{birth},{death}\n")));
    essential.iter().for_each(|cell| csv.push_str(&format!("0,{cell},inf\n")));
    files[2].0 = csv.into_bytes();
    let pairs: Vec<String> = pairs.iter().map(|(birth, death)| format!("[{birth},{death}]")).collect();
    let json = format!("{{\"cells\":100,\"pairs\":[{}],\"essential\":{essential:?}}}", pairs.join(",\n"));
    files[3].0 = json.into_bytes();
    files
}

fn all_against_all(
    a: &[(Vec<u8>, BarcodeFormat)],
    b: &[(Vec<u8>, BarcodeFormat)],
    check: impl Fn(Comparison, BarcodeFormat, BarcodeFormat),
) {
    for (a, format_a) in a {
        for (b, format_b) in b {
            let found = compare(&barcode(a, *format_a), &barcode(b, *format_b), 0.0).unwrap();
            check(found, *format_a, *format_b);
        }
    }
}

#[test]
fn pairs_of_cells_are_compared_exactly() {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    for round in 0..500 {
        let (mut pairs, mut essential) = random_pairs(&mut rng);
        let files = pair_files(&pairs, &essential);
        let changed = {
            let mut pairs = pairs.clone();
            let k = rng.random_range(0..pairs.len());
            match round % 4 {
                0 => pairs[k].1 = 50,
                1 => drop(pairs.remove(k)),
                2 => pairs.push((60, 61)),
                _ => pairs[k] = (70, 71),
            }
            pair_files(&pairs, &essential)
        };
        shuffle(&mut pairs, &mut rng);
        shuffle(&mut essential, &mut rng);
        let reordered = pair_files(&pairs, &essential);
        all_against_all(&files, &reordered, |found, a, b| assert!(found.is_same(), "{a}, {b}: {found:?}"));
        all_against_all(&files, &changed, |found, a, b| {
            assert!(!found.is_same(), "{a}, {b}");
            assert!(found.only[0].len() + found.only[1].len() <= 2);
        });
    }
}

#[test]
fn essential_cells_are_compared_where_both_give_them() {
    let [ascii, _, csv, json] = pair_files(&[(1, 3)], &[0, 2]);
    let [_, _, other_csv, other_json] = pair_files(&[(1, 3)], &[0]);
    let read = |(file, format): &(Vec<u8>, BarcodeFormat)| barcode(file, *format);
    for (a, b) in [(&csv, &other_json), (&json, &other_csv), (&json, &other_json)] {
        let found = compare(&read(a), &read(b), 0.0).unwrap();
        assert_eq!(found.only, [vec![Entry::EssentialCell { birth: 2 }], vec![]]);
        assert_eq!((found.sizes, found.matched), ([3, 2], 2));
    }
    let found = compare(&read(&json), &read(&ascii), 0.0).unwrap();
    assert!(found.is_same());
    assert_eq!(found.notes, [Note::NoEssentialCells { side: 1 }]);
}

#[test]
fn bars_and_pairs_cannot_be_compared() {
    let pairs = barcode(b"1\n1 3\n", BarcodeFormat::PhatAscii);
    for format in BARS {
        let bar = DiagramPoint { dim: 0, birth: 1.0, death: 3.0, essential: false };
        let bars = barcode(&written(&[bar], format), format);
        let error = compare(&bars, &pairs, 0.0).unwrap_err();
        assert_eq!(error, CompareError::Kinds { kinds: [Kind::Bars, Kind::CellPairs] });
        assert_eq!(
            error.to_string(),
            "expected two files of one kind, found bars with values and pairs of cells: they cannot be compared"
        );
    }
    for found in [-1.0, f64::NAN] {
        let error = compare(&pairs, &pairs, found).unwrap_err();
        assert!(error.to_string().starts_with("tolerance: expected a non-negative number, found"));
    }
}

#[test]
fn dimensions_of_one_side_are_noted() {
    let text = b"persistence intervals in dim 0:\n [0, )\npersistence intervals in dim 1:\n";
    let text = barcode(text, BarcodeFormat::Ripser);
    let csv = barcode(b"0,0.0,inf\n3,0.0,1.0\n", BarcodeFormat::Csv);
    let found = compare(&text, &csv, 0.0).unwrap();
    let absent = |dim, side| Note::AbsentDimension { dim, side };
    let object = |text: &str| read_bytes("f", text.as_bytes(), None).unwrap().barcode;
    let [whole, part] = [
        object(r#"{"max_dim":2,"bars":[{"dim":1,"birth":1,"death":2}]}"#),
        object(r#"{"max_dim":0,"unfinished":[1,2],"bars":[]}"#),
    ];
    let unfinished = compare(&whole, &part, 0.0).unwrap();
    // The complete file has dimension 2, without bars.
    let notes = [1, 2].map(|dim| Note::UnfinishedDimension { dim, side: 1 });
    assert_eq!((unfinished.is_same(), &unfinished.notes[..]), (false, &notes[..]));
    assert_eq!(notes[1].text(["a", "b"]), "dimension 2 is unfinished in b: taken as it is");
    assert_eq!(compare(&part, &part, 0.0).unwrap().notes, []);
    assert_eq!(found.notes, [absent(1, 1), absent(3, 0)]);
    assert_eq!(found.notes[1].text(["a", "b"]), "dimension 3 is absent from a: taken as empty");
    let json = barcode(b"{\"max_dim\":65535,\"bars\":[]}", BarcodeFormat::Json);
    assert_eq!(compare(&csv, &json, 0.0).unwrap().notes, []);
}
