//! `json`: an object with `bars`, or with `pairs` and `essential`; see [`crate::output`]. Other keys are ignored.

use phat_formats::dipha::DiagramPoint;
use serde::{Deserialize, Deserializer};

use crate::compare::{Barcode, Bars, CellPairs};
use crate::metric::read::{Place, Problem};

#[derive(Deserialize)]
struct Object {
    bars: Option<Vec<Bar>>,
    max_dim: Option<u32>,
    pairs: Option<Vec<(u64, u64)>>,
    essential: Option<Vec<u64>>,
    cells: Option<u64>,
}

#[derive(Deserialize)]
struct Bar {
    dim: u32,
    birth: f64,
    #[serde(deserialize_with = "null_is_infinity")]
    death: f64,
}

/// Unlike a plain `Option`, this does not take a missing death for `null`.
fn null_is_infinity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}

/// The barcode of a text.
pub(super) fn read(text: &[u8]) -> Result<Barcode, Problem> {
    let object: Object = serde_json::from_slice(text).map_err(|error| {
        Problem::new(Place::Line(error.line()), "an object with bars, or with pairs", error.to_string())
    })?;
    match (object.bars, object.pairs) {
        (Some(bars), None) => Ok(Barcode::Bars(bars_of(bars, object.max_dim))),
        (None, Some(pairs)) => pairs_of(pairs, object.essential, object.cells).map(Barcode::CellPairs),
        (None, None) => Err(Problem::new(Place::Whole, "bars or pairs", "neither")),
        (Some(_), Some(_)) => Err(Problem::new(Place::Whole, "bars or pairs", "both")),
    }
}

fn bars_of(bars: Vec<Bar>, max_dim: Option<u32>) -> Bars {
    let point = |Bar { dim, birth, death }: Bar| DiagramPoint {
        dim,
        birth,
        death,
        essential: death == f64::INFINITY,
    };
    Bars { max_dim, ..Bars::new(bars.into_iter().map(point).collect()) }
}

fn pairs_of(
    pairs: Vec<(u64, u64)>,
    essential: Option<Vec<u64>>,
    cells: Option<u64>,
) -> Result<CellPairs, Problem> {
    let is_cell = |cell: u64| cells.is_none_or(|cells| cell < cells);
    for (k, &(birth, death)) in pairs.iter().enumerate() {
        if birth >= death {
            let expected = format!("pair {}: a death above the birth {birth}", k + 1);
            return Err(Problem::new(Place::Whole, expected, death.to_string()));
        }
    }
    let named =
        pairs.iter().flat_map(|&(birth, death)| [birth, death]).chain(essential.iter().flatten().copied());
    if let (Some(cells), Some(cell)) = (cells, named.into_iter().find(|&cell| !is_cell(cell))) {
        return Err(Problem::new(Place::Whole, format!("cells below {cells}"), cell.to_string()));
    }
    Ok(CellPairs { pairs, essential })
}
