//! The extension module `lacuna_tda._lacuna`: the interface between the Python package and the library.
//!
//! | module | content |
//! |---|---|
//! | `run` | runs work on kept threads, without the interpreter's lock, until Ctrl-C, with limits and a checkpoint |
//! | `threads` | threads that are kept between calls |
//! | `huge_pages` | on Linux: the allocator, which asks for huge pages for large tables |
//! | `error` | the library's errors as exceptions |
//! | `choices` | choices by their names, among them the backend, whose devices the first call opens that uses them |
//! | `distances` | conversion of arrays to distances and points |
//! | `rips` | barcodes of distances |
//! | `representatives` | representatives of bars as arrays |
//! | `matrix` | pairs of boundary matrices |
//! | `image` | conversion of arrays to images |
//! | `pinned` | pins that keep NumPy from resizing an array while it is read |
//! | `device_array` | arrays on a device as images |
//! | `cubical` | bars, curves and skeletons of images, and the graphs of skeletons |
//! | `diagram_distances` | distances between diagrams |
//! | `ect` | Euler characteristic transforms |
//! | `vectors` | diagrams as vectors |
//! | `files` | files of all kinds |
//! | `generate` | points and images of known shapes |
//! | `report` | pages about bars |
//! | `machine` | description of the machine |
//!
//! These functions take arguments that the Python functions of the package have normalised: arrays of the right
//! types, full names. Defaults and documentation are in the package. All computation is in the library.

mod choices;
mod cubical;
mod device_array;
mod diagram_distances;
mod distances;
mod ect;
mod error;
mod files;
mod generate;
#[cfg(target_os = "linux")]
mod huge_pages;
mod image;
mod machine;
mod matrix;
mod pinned;
mod report;
mod representatives;
mod rips;
mod run;
mod threads;
mod vectors;

#[pyo3::pymodule(gil_used = false)]
mod _lacuna {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::cubical::{cubical, cubical_many, ecc, skeleton_graph, thin};
    #[pymodule_export]
    use crate::device_array::{DeviceArray, bars_of_planes, ecc_on_device, thin_on_device};
    #[pymodule_export]
    use crate::diagram_distances::diagram_distance;
    #[pymodule_export]
    use crate::distances::{Distances, clouds, condensed, edges, matrix, points};
    #[pymodule_export]
    use crate::ect::{ect_of_complex, ect_of_image};
    #[pymodule_export]
    use crate::files::{Content, kind_of_file, kinds_written};
    #[pymodule_export]
    use crate::generate::{generate_image, generate_points};
    #[pymodule_export]
    use crate::machine::machine;
    #[pymodule_export]
    use crate::matrix::{reduce_file, reduce_matrix};
    #[pymodule_export]
    use crate::report::report_page;
    #[pymodule_export]
    use crate::rips::{rips, rips_many};
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::vectors::vectors;

    /// The importing thread does small work itself.
    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::threads::works_alone();
        Ok(())
    }

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python calls it so")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
