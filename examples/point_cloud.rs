//! Barcode of a point cloud: 40 points around a circle have one loop that lives long.
//!
//! ```sh
//! cargo run --release --example point_cloud
//! ```

use std::error::Error;
use std::f64::consts::TAU;

use lacuna::metric::PointCloud;
use lacuna::rips::Rips;

fn main() -> Result<(), Box<dyn Error>> {
    let circle = (0..40).flat_map(|k| {
        let angle = TAU * f64::from(k) / 40.0;
        [angle.cos(), angle.sin()]
    });
    let points = PointCloud::new(2, circle.collect())?;
    let diagram = Rips::new(points).max_dim(1).run()?;
    println!("dimension  birth  death");
    for (dim, bar) in diagram.iter() {
        println!("{dim:>9}  {:.3}  {:.3}", bar.birth, bar.death);
    }
    let loops = diagram.bars(1);
    assert!(loops.len() == 1 && loops[0].death > 10.0 * loops[0].birth);
    Ok(())
}
