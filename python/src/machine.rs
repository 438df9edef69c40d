//! Description of the machine.

use lacuna::internals::{Level, devices};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::threads::cores;

/// Returns the version, the number of threads, the vector instructions, and the devices or the reason why there are
/// none, as a dictionary.
#[pyfunction]
pub(crate) fn machine(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let machine = PyDict::new(py);
    machine.set_item("version", env!("CARGO_PKG_VERSION"))?;
    machine.set_item("threads", cores())?;
    machine.set_item("simd", Level::detect().name())?;
    let found = PyList::empty(py);
    match py.detach(devices) {
        Err(error) => machine.set_item("cuda", error.to_string())?,
        Ok((version, devices)) => {
            machine.set_item("cuda", format!("driver for {version}"))?;
            for device in devices {
                let told = PyDict::new(py);
                told.set_item("number", device.ordinal)?;
                told.set_item("name", device.name)?;
                told.set_item("capability", device.capability)?;
                told.set_item("memory", device.memory)?;
                found.append(told)?;
            }
        }
    }
    machine.set_item("devices", found)?;
    Ok(machine)
}
