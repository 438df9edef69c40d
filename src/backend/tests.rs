//! Tests of decisions with and without a device, and of fall-back and verification by the processor.

use std::convert::Infallible;

use super::*;
use crate::cuda::CudaError;
use crate::progress::{Interrupted, Progress, check, interruptible};

fn estimate(cpu: f64, device: f64) -> Estimate {
    Estimate { work: "work".into(), cpu, device }
}

fn backend(choice: Choice) -> Backend {
    Backend::new(BackendRequest { choice, ..BackendRequest::default() })
}

#[test]
fn the_processor_when_asked_for_or_faster() {
    let asked = backend(Choice::Cpu).decide(&estimate(1e9, 0.0)).unwrap();
    assert_eq!((asked.gpus.len(), asked.to_string().as_str()), (0, "cpu: as asked"));
    let faster = backend(Choice::Auto).decide(&estimate(0.1, 0.0)).unwrap();
    assert!(faster.gpus.is_empty() && faster.why.contains("0.10 s on the processor"), "{faster}");
}

/// Substitute for a device.
struct Device;

fn decision(may_fall_back: bool) -> Decision<Device> {
    Decision { gpus: vec![Device], self_check: false, may_fall_back, why: "it pays".into() }
}

#[test]
fn the_processor_takes_the_place_of_a_device_that_fails() {
    let fail = |_: &Device| Err::<(), _>(CudaError::NoThread);
    let panic = |_: &Device| -> Result<(), CudaError> { panic!("{} of {}", 3, 2) };
    let mut failed = decision(true);
    assert_eq!((failed.machine(), failed.on_device(|_| Ok::<_, CudaError>(7))), ("cuda", Ok(Some(7))));
    assert_eq!((failed.on_device(fail), failed.machine()), (Ok(None), "cpu"));
    assert_eq!(failed.to_string(), format!("cpu: it pays, but {}", CudaError::NoThread));
    let mut panicked = decision(true);
    assert_eq!((panicked.on_device(panic), panicked.machine()), (Ok(None), "cpu"));
    assert!(panicked.why.ends_with("3 of 2"), "{panicked}");
    // A device that failed is not used again.
    assert_eq!(panicked.on_device(|_| Ok::<_, CudaError>(7)), Ok(None));
    let reason = "3 of 2".to_owned();
    assert_eq!(decision(false).on_device(panic), Err(CudaError::Panicked { reason }));
    assert_eq!(decision(false).on_device(fail), Err(CudaError::NoThread));
}

/// A stage whose result on the processor is 7.
struct Seven {
    device: fn() -> Result<u32, MachineError<Infallible>>,
    /// Number of times that the processor has computed the result.
    found: u32,
}

impl Stage<Device> for Seven {
    type Found = u32;
    type Error = Infallible;

    fn on_device(&mut self, _: &Device) -> Result<u32, MachineError<Infallible>> {
        (self.device)()
    }

    fn on_processor(&mut self) -> Result<u32, Infallible> {
        self.found += 1;
        Ok(7)
    }

    fn check(&mut self, &found: &u32) -> Result<(), MachineError<Infallible>> {
        self.found += 1;
        Ok(expect_same(|| "the number".to_owned(), found, 7)?)
    }
}

#[test]
fn a_stage_runs_where_it_was_decided_and_is_checked_when_asked() {
    let run = |mut decision: Decision<Device>, device| {
        let mut stage = Seven { device, found: 0 };
        let found = decision.run(&mut stage);
        (found.map_err(|error| error.to_string()), stage.found, decision.to_string())
    };
    let checked = || Decision { self_check: true, ..decision(false) };
    let pays = "cuda: it pays".to_owned();
    assert_eq!(run(decision(true), || Ok(8)), (Ok(8), 0, pays.clone()));
    assert_eq!(run(Decision::processor("few".into()), || Ok(8)), (Ok(7), 1, "cpu: few".into()));
    assert_eq!(run(checked(), || Ok(7)), (Ok(7), 1, pays.clone()));
    let differs = "self-check: the number: 8 on the device, 7 on the processor".to_owned();
    assert_eq!(run(checked(), || Ok(8)), (Err(differs), 1, pays.clone()));
    let fail = || Err(MachineError::Device(CudaError::NoThread));
    assert_eq!(run(decision(true), fail), (Ok(7), 1, format!("cpu: it pays, but {}", CudaError::NoThread)));
    assert_eq!(run(decision(false), fail), (Err("backend cuda".into()), 0, pays.clone()));
    // An error of the stage is not one of the device: the processor would fail too.
    let refuse = || Err(BackendError::Cuda(CudaError::NoDevice).into());
    assert_eq!(run(decision(true), refuse), (Err("backend cuda".into()), 0, pays));
}

/// Wants to be interrupted.
struct AtOnce;

impl Progress for AtOnce {
    fn is_interrupted(&self) -> bool {
        true
    }
}

/// An interruption while a device works ends the run: the device is not blamed, and the processor does not begin again.
#[test]
fn an_interruption_is_no_failure_of_the_device() {
    for may_fall_back in [true, false] {
        let mut decision = decision(may_fall_back);
        let device = || -> Result<u32, MachineError<Infallible>> {
            check(&AtOnce);
            Ok(7)
        };
        let mut stage = Seven { device, found: 0 };
        let found: Result<_, Interrupted> = interruptible(&AtOnce, |_| Ok(decision.run(&mut stage)));
        assert_eq!(found, Err(Interrupted::default()));
        assert_eq!((decision.to_string().as_str(), stage.found), ("cuda: it pays", 0));
    }
}

#[test]
fn differences_name_the_place_if_there_is_one() {
    let difference = |place: &str| Difference {
        place: place.into(),
        device: "4 iterations".into(),
        processor: "3".into(),
    };
    assert_eq!(difference("").to_string(), "4 iterations on the device, 3 on the processor");
    let within = difference("row 2").within("scan");
    assert_eq!(within.to_string(), "scan: row 2: 4 iterations on the device, 3 on the processor");
}

#[test]
fn short_times_have_digits() {
    let faster = backend(Choice::Auto).decide(&estimate(0.0017, 0.0123)).unwrap();
    let expected = "cpu: work: 1.7 ms on the processor, 12.3 ms on a GPU after 0.35 s to open it";
    assert_eq!(faster.to_string(), expected);
    let least = backend(Choice::Auto).decide(&estimate(1e-6, 0.0123)).unwrap();
    assert!(least.why.starts_with("work: less than 0.1 ms on the processor, 12.3 ms"), "{least}");
}

#[test]
fn devices_are_opened_when_they_would_have_saved_what_opening_takes() {
    let backend = backend(Choice::Auto);
    let (lost, saved) = (estimate(0.1, 0.4), estimate(0.15, 0.05));
    for work in [&lost, &saved, &lost, &saved, &lost, &saved] {
        assert!(backend.decide(work).unwrap().gpus.is_empty());
        assert!(!backend.has_begun());
    }
    // Decisions of a backend for the processor neither accumulate time nor open devices; devices are shared.
    let processor = backend.choosing(Choice::Cpu);
    (0..9).for_each(|_| assert!(processor.decide(&saved).unwrap().gpus.is_empty()));
    assert!(!processor.has_begun());
    backend.decide(&saved).unwrap();
    assert!(backend.has_begun() && processor.has_begun());
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_that_is_open_costs_nothing_to_open() {
    let backend = backend(Choice::Auto);
    assert!(backend.ready().is_none());
    let first = backend.decide(&estimate(100.0, 0.1)).unwrap();
    assert_eq!(first.gpus.len(), 1, "{first}");
    assert!(backend.ready().is_some());
    // The work takes less than opening a device would.
    let second = backend.decide(&estimate(0.1, 0.05)).unwrap();
    assert_eq!(second.gpus.len(), 1, "{second}");
    let third = backend.decide(&estimate(0.05, 0.1)).unwrap();
    assert!(third.gpus.is_empty() && !third.why.contains("to open it"), "{third}");
}

#[test]
fn a_gpu_that_is_not_there_is_an_error_only_when_asked_for() {
    // No machine has 1024 devices.
    let last =
        |choice| Backend::new(BackendRequest { choice, devices: vec![1023], ..BackendRequest::default() });
    assert!(last(Choice::Cuda).decide(&estimate(0.1, 0.0)).is_err());
    let replaced = last(Choice::Auto).decide(&estimate(100.0, 0.1)).unwrap();
    assert!(replaced.gpus.is_empty() && replaced.why.contains("but "), "{replaced}");
}
