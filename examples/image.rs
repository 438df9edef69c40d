//! Persistence of an image: a ring of dark pixels around a bright one is a loop of the sublevel sets.
//!
//! ```sh
//! cargo run --release --example image
//! ```

use std::error::Error;

use lacuna::cubical::persistence::PersistenceRequest;
use lacuna::cubical::{AnyImage, Construction, Cubical};

fn main() -> Result<(), Box<dyn Error>> {
    #[rustfmt::skip]
    let pixels: [u8; 25] = [
        9, 9, 9, 9, 9,
        9, 1, 2, 1, 9,
        9, 2, 7, 2, 9,
        9, 1, 2, 1, 9,
        9, 9, 9, 9, 9,
    ];
    // Rows and columns; the columns vary fastest. The pixels are the vertices of the complex.
    let image = AnyImage::from_slice(&pixels, &[5, 5])?;
    let request = PersistenceRequest { construction: Construction::V, ..PersistenceRequest::default() };
    let outcome = Cubical::new(&image, request).solve(&())?;
    let at = |place: usize| image.shape().coordinates(place);
    for (dim, classes) in outcome.classes.dimensions.iter().enumerate() {
        for class in classes {
            let birth = format!("[{}, ", pixels[class.birth]);
            match class.death {
                Some(death) => {
                    let (from, to) = (at(class.birth), at(death));
                    println!("dimension {dim}: {birth}{}) from {from:?} to {to:?}", pixels[death]);
                }
                None => println!("dimension {dim}: {birth}inf) from {:?}", at(class.birth)),
            }
        }
    }
    assert_eq!(outcome.classes.dimensions[1].len(), 1);
    Ok(())
}
