//! `json`: an object with `bars`, or with `pairs` and `essential`; see [`crate::output`]. Other keys are ignored.
//!
//! The death of an essential bar is `null`: infinity, or minus infinity if `superlevel` is true or other bars
//! descend. Infinite filtration values are the strings `"inf"` and `"-inf"`.

use phat_formats::dipha::DiagramPoint;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeSet;
use std::fmt;

use super::Problem;
use crate::compare::{Barcode, Bars, CellPairs};

#[derive(Deserialize)]
struct Object {
    bars: Option<Vec<Bar>>,
    max_dim: Option<u32>,
    unfinished: Option<BTreeSet<u32>>,
    superlevel: Option<serde_json::Value>,
    pairs: Option<Vec<(u64, u64)>>,
    essential: Option<Vec<u64>>,
    cells: Option<u64>,
}

#[derive(Deserialize)]
struct Bar {
    dim: u32,
    birth: JsonNumber,
    #[serde(deserialize_with = "nullable")]
    death: Option<JsonNumber>,
}

/// Unlike a plain `Option`, this does not accept a missing death as `null`.
fn nullable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<JsonNumber>, D::Error> {
    Option::deserialize(deserializer)
}

/// A number, or the string `"inf"` or `"-inf"`, since JSON has no infinite numbers.
pub(crate) struct JsonNumber(pub(crate) f64);

impl<'de> Deserialize<'de> for JsonNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = JsonNumber;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, \"inf\" or \"-inf\"")
    }

    fn visit_f64<E>(self, number: f64) -> Result<JsonNumber, E> {
        Ok(JsonNumber(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<JsonNumber, E> {
        Ok(JsonNumber(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<JsonNumber, E> {
        Ok(JsonNumber(number as f64))
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<JsonNumber, E> {
        match word {
            "inf" => Ok(JsonNumber(f64::INFINITY)),
            "-inf" => Ok(JsonNumber(f64::NEG_INFINITY)),
            _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
        }
    }
}

/// Maximum value of `max_dim` in an object.
const MOST_DIM: u32 = u16::MAX as u32;

/// Reads the barcode of a text.
pub(super) fn read(text: &[u8]) -> Result<Barcode, Problem> {
    let object: Object = serde_json::from_slice(text)
        .map_err(|error| Problem::line(error.line(), "an object with bars, or with pairs", error))?;
    if let Some(found) = object.max_dim.filter(|&most| most > MOST_DIM) {
        return Err(Problem::whole(format!("a max_dim up to {MOST_DIM}"), found));
    }
    match (object.bars, object.pairs) {
        (Some(bars), None) => {
            let is_superlevel = object.superlevel.is_some_and(|value| value == true);
            let bars = bars_of(bars, object.max_dim).going_down_if(is_superlevel);
            Ok(Barcode::Bars(Bars { unfinished: object.unfinished.unwrap_or_default(), ..bars }))
        }
        (None, Some(pairs)) => pairs_of(pairs, object.essential, object.cells).map(Barcode::CellPairs),
        (None, None) => Err(Problem::whole("bars or pairs", "neither")),
        (Some(_), Some(_)) => Err(Problem::whole("bars or pairs", "both")),
    }
}

fn bars_of(bars: Vec<Bar>, max_dim: Option<u32>) -> Bars {
    let point = |Bar { dim, birth, death }: Bar| DiagramPoint {
        dim,
        birth: birth.0,
        essential: death.is_none(),
        death: death.map_or(f64::INFINITY, |JsonNumber(death)| death),
    };
    let bars = Bars::new(bars.into_iter().map(point).collect());
    Bars { max_dim, tells_essential: true, ..bars }
}

fn pairs_of(
    pairs: Vec<(u64, u64)>,
    essential: Option<Vec<u64>>,
    cells: Option<u64>,
) -> Result<CellPairs, Problem> {
    let is_cell = |cell: u64| cells.is_none_or(|cells| cell < cells);
    for (k, &(birth, death)) in pairs.iter().enumerate() {
        if birth >= death {
            return Err(Problem::whole(format!("pair {}: a death above the birth {birth}", k + 1), death));
        }
    }
    let named =
        pairs.iter().flat_map(|&(birth, death)| [birth, death]).chain(essential.iter().flatten().copied());
    if let (Some(cells), Some(cell)) = (cells, named.into_iter().find(|&cell| !is_cell(cell))) {
        return Err(Problem::whole(format!("cells below {cells}"), cell));
    }
    Ok(CellPairs { pairs, essential })
}
