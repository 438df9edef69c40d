//! The extension module `lacuna_tda._lacuna`: what the Python package calls of the library.
//!
//! | module | holds |
//! |---|---|
//! | `run` | how all work is done: on threads that are kept, without the interpreter's lock, ended by Ctrl-C |
//! | `threads` | the threads that are kept between calls |
//! | `error` | the library's errors as exceptions |
//! | `backend` | devices, open from the first call that uses them |
//! | `distances` | arrays as distances and points |
//! | `rips` | barcodes of distances |
//! | `representatives` | what bars are made of, as arrays |
//! | `matrix` | pairs of boundary matrices |
//! | `image` | arrays as images |
//! | `pinned` | arrays that stay where they are while they are read |
//! | `device_array` | arrays on a device as images |
//! | `cubical` | bars, curves and skeletons of images |
//! | `diagram_distances` | distances between diagrams |
//! | `machine` | what there is to compute with |
//!
//! Functions here take what the Python functions of the package have brought into form: arrays of the right kinds, names in full. Defaults and
//! documentation are there. Work is done by the library alone.

mod backend;
mod cubical;
mod device_array;
mod diagram_distances;
mod distances;
mod error;
mod image;
mod machine;
mod matrix;
mod pinned;
mod representatives;
mod rips;
mod run;
mod threads;

#[pyo3::pymodule(gil_used = false)]
mod _lacuna {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::cubical::{cubical, ecc, thin};
    #[pymodule_export]
    use crate::device_array::{DeviceArray, ecc_on_device, thin_on_device};
    #[pymodule_export]
    use crate::diagram_distances::diagram_distance;
    #[pymodule_export]
    use crate::distances::{Distances, clouds, condensed, edges, matrix, points};
    #[pymodule_export]
    use crate::machine::machine;
    #[pymodule_export]
    use crate::matrix::{reduce_file, reduce_matrix};
    #[pymodule_export]
    use crate::rips::{rips, rips_many};

    /// The thread that imports the module works alone where there is little to do.
    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::threads::works_alone();
        Ok(())
    }

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python calls it so")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
