//! Persistence of an image: a ring of dark pixels around a bright one is a loop of the sublevel sets.
//!
//! ```sh
//! cargo run --release --example image
//! ```

use std::error::Error;

use lacuna::cubical::persistence::{Request, persistence};
use lacuna::cubical::{Image, Order, Shape};

fn main() -> Result<(), Box<dyn Error>> {
    #[rustfmt::skip]
    let pixels: Vec<u8> = vec![
        9, 9, 9, 9, 9,
        9, 1, 2, 1, 9,
        9, 2, 7, 2, 9,
        9, 1, 2, 1, 9,
        9, 9, 9, 9, 9,
    ];
    // Rows and columns; the columns vary fastest.
    let image = Image::new(Shape::new(&[5, 5], Order::C)?, pixels)?;
    let classes = persistence(&image, &Request::default())?;
    for (dim, classes) in classes.dimensions.iter().enumerate() {
        for class in classes {
            let value = |place: usize| image.voxels()[place];
            let birth = image.shape().coordinates(class.birth);
            match class.death {
                Some(death) => {
                    let at = image.shape().coordinates(death);
                    println!(
                        "dimension {dim}: [{}, {}) from {birth:?} to {at:?}",
                        value(class.birth),
                        value(death)
                    );
                }
                None => println!("dimension {dim}: [{}, inf) from {birth:?}", value(class.birth)),
            }
        }
    }
    assert_eq!(classes.dimensions[1].len(), 1);
    Ok(())
}
