//! Persistence pairs of a boundary matrix: a hollow tetrahedron, a sphere, whose faces close one cavity.
//!
//! ```sh
//! cargo run --release --example boundary_matrix
//! ```

use std::error::Error;

use lacuna::matrix::{BoundaryMatrix, Plan, ReductionRequest, reduce};

fn main() -> Result<(), Box<dyn Error>> {
    // Cells in the order of the filtration, facets before cofacets: 4 vertices, 6 edges, 4 triangles.
    let mut sphere = BoundaryMatrix::<u32>::new();
    for _ in 0..4 {
        sphere.push(0, &[])?;
    }
    for edge in [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]] {
        sphere.push(1, &edge)?;
    }
    for triangle in [[4, 5, 6], [4, 7, 8], [5, 7, 9], [6, 8, 9]] {
        sphere.push(2, &triangle)?;
    }
    sphere.check()?;
    let (plan, reasons) = Plan::choose(&sphere, &ReductionRequest::default());
    for reason in reasons {
        println!("{}: {} ({})", reason.what, reason.choice, reason.why);
    }
    let pairs = reduce(&sphere, &plan);
    for (birth, death) in &pairs.pairs {
        println!(
            "cell {birth} creates what cell {death} destroys, in dimension {}",
            sphere.dim(*birth as usize)
        );
    }
    // The first vertex creates the component, the last triangle the cavity.
    assert_eq!(pairs.essential(), [0, 13]);
    println!("cells {:?} create what is never destroyed", pairs.essential());
    Ok(())
}
