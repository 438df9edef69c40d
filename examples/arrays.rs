//! Arrays of `ndarray` as input and output: distances in, a row (dimension, birth, death) for each bar out.
//!
//! ```sh
//! cargo run --release --example arrays
//! ```

use std::error::Error;

use lacuna::metric::DistanceMatrix;
use lacuna::rips::Rips;
use ndarray::Array2;

fn main() -> Result<(), Box<dyn Error>> {
    // Twelve points along a cycle; the distance of two is the number of steps between them.
    let distances = Array2::from_shape_fn((12, 12), |(i, j)| {
        let steps = i.abs_diff(j);
        steps.min(12 - steps) as f64
    });
    let diagram = Rips::new(DistanceMatrix::try_from(distances.view())?).run()?;
    let bars = diagram.to_array();
    println!("{bars}");
    let loops: Vec<_> = bars.rows().into_iter().filter(|bar| bar[0] == 1.0).collect();
    assert!(loops.len() == 1 && loops[0].to_vec() == [1.0, 1.0, 4.0]);
    Ok(())
}
