//! Files that are written are read back unchanged.

use phat_formats::dipha::DiagramPoint;

use super::*;
use crate::compare::read::read_bytes;
use crate::compare::{Barcode, Bars, CellPairs, compare};

fn bars() -> Barcode {
    let bar = |dim, birth, death: f64| DiagramPoint { dim, birth, death, essential: death.is_infinite() };
    let inf = f64::INFINITY;
    Barcode::Bars(Bars::new(vec![
        bar(0, 0.1, 1.0 / 3.0),
        bar(0, -2.5, inf),
        bar(2, 1e-300, 1e300),
        bar(0, 0.1, 1.0 / 3.0),
        bar(1, 7.0, 8.5),
    ]))
}

fn pairs() -> Barcode {
    Barcode::CellPairs(CellPairs { pairs: vec![(1, 3), (2, 4), (5, 6)], essential: Some(vec![0]) })
}

#[test]
fn every_format_holds_the_same_as_every_other() {
    for barcode in [bars(), pairs()] {
        for first in BarcodeFile::ALL.into_iter().filter(|format| format.holds(&barcode).is_ok()) {
            let mut file = Vec::new();
            first.write(&barcode, &mut file).unwrap();
            let read = read_bytes("file", &file, None).unwrap_or_else(|error| panic!("{first}: {error}"));
            assert!(compare(&barcode, &read.barcode, 0.0).unwrap().is_same(), "{first}");
            for second in BarcodeFile::ALL.into_iter().filter(|format| format.holds(&read.barcode).is_ok()) {
                let mut file = Vec::new();
                second.write(&read.barcode, &mut file).unwrap();
                let again = read_bytes("file", &file, None).unwrap().barcode;
                assert!(compare(&barcode, &again, 0.0).unwrap().is_same(), "{first} {second}");
            }
        }
    }
}

/// The sign of infinity is kept, with finite bars that descend and without any.
#[test]
fn essential_bars_of_superlevel_sets_go_down() {
    let down = f64::NEG_INFINITY;
    let essential = DiagramPoint { dim: 0, birth: 5.0, death: down, essential: true };
    let finite = DiagramPoint { dim: 1, birth: 4.0, death: 2.0, essential: false };
    for bars in [vec![essential], vec![essential, finite]] {
        let mut texts = vec![br#"{"superlevel":true,"bars":[{"dim":0,"birth":5,"death":null}]}"#.to_vec()];
        for format in [BarcodeFile::Text, BarcodeFile::Csv, BarcodeFile::Json, BarcodeFile::Npy] {
            let mut file = Vec::new();
            format.write(&Barcode::Bars(Bars::new(bars.clone())), &mut file).unwrap();
            texts.push(file);
        }
        for text in texts {
            let Barcode::Bars(read) = read_bytes("f", &text, None).unwrap().barcode else {
                panic!("no bars")
            };
            let found = read.bars.iter().find(|bar| bar.essential);
            assert_eq!(found, Some(&essential), "{}", String::from_utf8_lossy(&text));
        }
    }
    let up = Barcode::Bars(Bars::new(vec![DiagramPoint { death: f64::INFINITY, ..essential }]));
    let mut file = Vec::new();
    BarcodeFile::Text.write(&up, &mut file).unwrap();
    assert!(file.starts_with(b"persistence intervals"));
}

#[test]
fn what_does_not_fit_is_refused() {
    assert!(BarcodeFile::PhatAscii.holds(&bars()).is_err() && BarcodeFile::Csv.holds(&pairs()).is_err());
    assert!(BarcodeFile::PhatBinary.loses_essential(&pairs()) && !BarcodeFile::Npz.loses_essential(&pairs()));
    let at_infinity = DiagramPoint { dim: 1, birth: 0.0, death: f64::INFINITY, essential: false };
    let barcode = Barcode::Bars(Bars { tells_essential: true, ..Bars::new(vec![at_infinity]) });
    for format in [BarcodeFile::Text, BarcodeFile::Csv, BarcodeFile::Npy, BarcodeFile::Npz] {
        let error = format.holds(&barcode).unwrap_err().to_string();
        let expected =
            "expected essential bars alone to die at infinity, found a bar of dimension 1 that does";
        assert!(error.starts_with(&format!("format {format}: {expected}")), "{error}");
    }
    for format in [BarcodeFile::Json, BarcodeFile::Dipha] {
        let mut file = Vec::new();
        format.write(&barcode, &mut file).unwrap();
        assert!(compare(&barcode, &read_bytes("f", &file, None).unwrap().barcode, 0.0).unwrap().is_same());
    }
}
