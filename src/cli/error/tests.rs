use lacuna::backend::BackendError;
use lacuna::backend::CudaError;
use lacuna::cubical::curves::CurvesError;
use lacuna::cubical::ecc::cuda::DeviceError;
use lacuna::cubical::ecc::scales::ScalesError;
use lacuna::cubical::persistence::MachineError as DeviceOrProcessorError;
use lacuna::cubical::persistence::via_matrix::ViaMatrixError;
use lacuna::cubical::thinning::machine::MachineError as ThinError;
use lacuna::cubical::thinning::two_valued::TwoValuedError;
use lacuna::matrix::leftmost_ones::ScanError;
use lacuna::rips::RipsError;

use std::io;

use super::{CliError, PathError, UsageError};
use crate::cli::curves::CurveFileError;

fn curve(error: CurvesError) -> CliError {
    CurveFileError { file: String::new(), error }.into()
}

/// A missing device is the machine's fault, whichever command asks for it.
#[test]
fn a_missing_device_is_the_machine_s_fault_everywhere() {
    let backend = || BackendError::Cuda(CudaError::NoDriver);
    let device = || DeviceError::Cuda(CudaError::NoDriver);
    let errors: [CliError; 11] = [
        backend().into(),
        RipsError::Backend(backend()).into(),
        ScanError::Backend(backend()).into(),
        DeviceOrProcessorError::Backend(backend()).into(),
        DeviceOrProcessorError::Device(CudaError::NoDevice).into(),
        ViaMatrixError::Scan(ScanError::Backend(backend())).into(),
        ThinError::Backend(backend()).into(),
        CliError::about("file", TwoValuedError::Thin(ThinError::Backend(backend()))),
        curve(CurvesError::Backend(backend())),
        curve(CurvesError::Device(device())),
        curve(CurvesError::Scales(ScalesError::Device(device()))),
    ];
    for error in errors {
        assert_eq!(error.exit_code(), 1, "{error:?}");
    }
    let wrong: [CliError; 3] = [
        RipsError::Modulus(4).into(),
        curve(CurvesError::ReadOnce),
        UsageError::NeedsDirectory { found: "there are 2 inputs".into() }.into(),
    ];
    assert!(wrong.iter().all(|error| error.exit_code() == 2));
}

/// A batch continues after a bad file, but not after an error that concerns all inputs.
#[test]
fn a_missing_device_ends_a_batch_and_a_bad_file_does_not() {
    let missing = || BackendError::Cuda(CudaError::NoDriver);
    let (rips, curve) = (RipsError::Backend(missing()), curve(CurvesError::Backend(missing())));
    assert!(!CliError::from(rips).concerns_one_input() && !curve.concerns_one_input());
    assert!(CliError::from(RipsError::TooManyDistances).concerns_one_input());
    assert!(CliError::from(PathError::Directory { path: "out".into() }).concerns_one_input());
}

/// `compare` returns exit code 1 only where the files differ.
#[test]
fn what_compare_cannot_do_is_told_as_an_error_of_the_input() {
    let error = CliError::write("standard output".to_owned(), io::ErrorKind::StorageFull.into());
    assert_eq!(error.exit_code(), 1);
    let told = error.into_input_error();
    assert_eq!((told.exit_code(), told.to_string()), (2, "cannot write standard output".to_owned()));
}
