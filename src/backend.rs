//! Which machine does the regular, independent work of a run: the processor, or GPUs beside it.
//!
//! The choice is made once, when it is known what there is to do. Opening a device takes longer than many a run: with
//! `auto` none is opened unless the estimates say that it will pay; with `cuda` it is opened in the background at once.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use crate::cuda::{CudaError, Gpu, Starting};

/// What the user asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Choice {
    /// Whatever finishes first here.
    #[default]
    Auto,
    /// The processor's cores.
    Cpu,
    /// CUDA devices.
    #[cfg_attr(feature = "cli", value(alias = "gpu"))]
    Cuda,
}

/// All of what the user asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// Which machine.
    pub choice: Choice,
    /// Which devices; the first when there are none here.
    pub devices: Vec<usize>,
    /// Bytes of each device's memory to use at most; all that is free when `None`.
    pub memory: Option<u64>,
    /// Whether the processor does the work too, and what both find is compared.
    pub self_check: bool,
}

/// Seconds that the work on hand should take.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// What there is to do.
    pub work: String,
    /// On the processor.
    pub cpu: f64,
    /// On a device that is open.
    pub device: f64,
}

/// A time as it reads best: short ones as milliseconds.
struct Seconds(f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Seconds(seconds) = *self;
        match seconds {
            ..5e-5 => f.write_str("less than 0.1 ms"),
            ..0.1 => write!(f, "{:.1} ms", 1e3 * seconds),
            _ => write!(f, "{seconds:.2} s"),
        }
    }
}

/// Seconds until a device is open, as measured on an H100 and an H200: context, and kernels compiled.
pub const OPENING: f64 = 0.35;

/// Why there is no such backend.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BackendError {
    /// A GPU was asked for.
    #[error("backend cuda")]
    Cuda(#[from] CudaError),
}

/// What does the work, and why. `G` is a device: tests put something else in its place.
#[derive(Debug, Clone)]
pub struct Decision<G = Gpu> {
    /// The devices; none when it is the processor.
    pub gpus: Vec<G>,
    /// Whether the processor checks them.
    pub self_check: bool,
    /// Whether a device that fails may be replaced by the processor.
    pub may_fall_back: bool,
    /// Why.
    pub why: String,
}

impl<G> fmt::Display for Decision<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.machine(), self.why)
    }
}

impl<G> Decision<G> {
    /// What does the work, or did it, as messages and statistics call it: `cpu` or `cuda`.
    pub fn machine(&self) -> &'static str {
        if self.gpus.is_empty() { "cpu" } else { "cuda" }
    }

    /// Does work on the first device. None when the processor is to do it: there is no device, or it failed and may be replaced, which
    /// is recorded here and nowhere else. A device fails by an error of its driver, or by a panic of the code that drives it.
    ///
    /// # Errors
    /// The device fails, and may not be replaced.
    pub fn on_device<T, E: From<CudaError> + fmt::Display>(
        &mut self,
        work: impl FnOnce(&G) -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        let Some(device) = self.gpus.first() else { return Ok(None) };
        match guarded(|| work(device)) {
            Ok(found) => Ok(Some(found)),
            Err(error) if self.may_fall_back => {
                self.fall_back(&error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The processor goes on, because the devices fail with this error.
    pub fn fall_back(&mut self, error: &dyn fmt::Display) {
        self.why = format!("{}, but {error}", self.why);
        self.gpus.clear();
    }
}

impl Decision {
    /// The most memory of the first device that was in use at a time, in bytes; 0 for the processor.
    pub fn peak(&self) -> u64 {
        self.gpus.first().map_or(0, Gpu::peak)
    }
}

/// Does work that drives a device; a panic is a failure of the device like any other.
///
/// # Errors
/// Those of the work, and [`CudaError::Panicked`].
pub fn guarded<T, E: From<CudaError>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    // What the work was changing is not used any more: a device that failed is given up, and so is what was on it.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let reason = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason is known");
        Err(CudaError::Panicked { reason: reason.to_owned() }.into())
    })
}

/// The machines of a run, to be decided among.
#[derive(Debug, Clone)]
pub struct Backend {
    request: Arc<Request>,
    starting: Arc<Mutex<Option<Starting>>>,
}

impl Default for Backend {
    /// The processor.
    fn default() -> Self {
        Backend::new(Request { choice: Choice::Cpu, ..Request::default() })
    }
}

impl Backend {
    /// For a request; devices asked for begin to be opened.
    pub fn new(request: Request) -> Self {
        let backend = Backend { request: Arc::new(request), starting: Arc::default() };
        if backend.request.choice == Choice::Cuda || backend.request.self_check {
            backend.begin();
        }
        backend
    }

    /// What was asked for.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Told of an early estimate, so that devices that will pay begin to be opened.
    pub fn expect(&self, estimate: &Estimate) {
        if self.request.choice == Choice::Auto && estimate.device + OPENING < estimate.cpu {
            self.begin();
        }
    }

    /// The first device, if devices have begun to be opened and are open by now.
    pub fn ready(&self) -> Option<Gpu> {
        self.lock().as_mut()?.ready()?.first().cloned()
    }

    /// What is to do the work of this estimate. Devices that it opens stay open for the next.
    ///
    /// # Errors
    /// [`BackendError`]: a GPU was asked for, and there is none that will do.
    pub fn decide(&self, estimate: &Estimate) -> Result<Decision, BackendError> {
        let on_cpu = |why| Decision { gpus: Vec::new(), self_check: false, may_fall_back: false, why };
        let forced = self.request.choice == Choice::Cuda || self.request.self_check;
        if self.request.choice == Choice::Cpu && !self.request.self_check {
            return Ok(on_cpu("as asked".into()));
        }
        let &Estimate { ref work, cpu, device } = estimate;
        let figures = format!("{work}: {} on the processor, {} on a GPU", Seconds(cpu), Seconds(device));
        let (opening, after) = match self.ready() {
            Some(_) => (0.0, String::new()),
            None => (OPENING, format!(" after {} to open it", Seconds(OPENING))),
        };
        if !forced && device + opening >= cpu {
            return Ok(on_cpu(figures + &after));
        }
        match self.wait() {
            Ok(gpus) => {
                let names: Vec<&str> = gpus.iter().map(Gpu::name).collect();
                let why = if forced { "as asked".to_string() } else { figures };
                Ok(Decision {
                    why: format!("{why}; {}", names.join(", ")),
                    self_check: self.request.self_check,
                    may_fall_back: !forced,
                    gpus,
                })
            }
            Err(error) if forced => Err(error.into()),
            Err(error) => Ok(on_cpu(format!("{figures}, but {error}"))),
        }
    }

    fn begin(&self) {
        let mut starting = self.lock();
        if starting.is_none() {
            *starting = Some(self.open());
        }
    }

    /// The devices, when they are open; begun if they are not.
    fn wait(&self) -> Result<Vec<Gpu>, CudaError> {
        self.lock().get_or_insert_with(|| self.open()).wait()
    }

    fn open(&self) -> Starting {
        let devices = if self.request.devices.is_empty() { vec![0] } else { self.request.devices.clone() };
        Starting::begin(devices, self.request.memory)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Starting>> {
        // What it holds is valid whoever panicked.
        self.starting.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(cpu: f64, device: f64) -> Estimate {
        Estimate { work: "work".into(), cpu, device }
    }

    fn backend(choice: Choice) -> Backend {
        Backend::new(Request { choice, ..Request::default() })
    }

    #[test]
    fn the_processor_when_asked_for_or_faster() {
        let asked = backend(Choice::Cpu).decide(&estimate(1e9, 0.0)).unwrap();
        assert_eq!((asked.gpus.len(), asked.to_string().as_str()), (0, "cpu: as asked"));
        let faster = backend(Choice::Auto).decide(&estimate(0.1, 0.0)).unwrap();
        assert!(faster.gpus.is_empty() && faster.why.contains("0.10 s on the processor"), "{faster}");
    }

    /// Stands in for a device that is there and fails.
    struct Broken;

    fn decision(may_fall_back: bool) -> Decision<Broken> {
        Decision { gpus: vec![Broken], self_check: false, may_fall_back, why: "it pays".into() }
    }

    #[test]
    fn the_processor_takes_the_place_of_a_device_that_fails() {
        let fail = |_: &Broken| Err::<(), _>(CudaError::NoThread);
        let panic = |_: &Broken| -> Result<(), CudaError> { panic!("{} of {}", 3, 2) };
        let mut failed = decision(true);
        assert_eq!((failed.machine(), failed.on_device(|_| Ok::<_, CudaError>(7))), ("cuda", Ok(Some(7))));
        assert_eq!((failed.on_device(fail), failed.machine()), (Ok(None), "cpu"));
        assert_eq!(failed.to_string(), format!("cpu: it pays, but {}", CudaError::NoThread));
        let mut panicked = decision(true);
        assert_eq!((panicked.on_device(panic), panicked.machine()), (Ok(None), "cpu"));
        assert!(panicked.why.ends_with("3 of 2"), "{panicked}");
        // Once is enough.
        assert_eq!(panicked.on_device(|_| Ok::<_, CudaError>(7)), Ok(None));
        let reason = "3 of 2".to_owned();
        assert_eq!(decision(false).on_device(panic), Err(CudaError::Panicked { reason }));
        assert_eq!(decision(false).on_device(fail), Err(CudaError::NoThread));
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
    #[ignore = "needs a CUDA device"]
    fn gpu_that_is_open_costs_nothing_to_open() {
        let backend = backend(Choice::Auto);
        assert!(backend.ready().is_none());
        let first = backend.decide(&estimate(100.0, 0.1)).unwrap();
        assert_eq!(first.gpus.len(), 1, "{first}");
        assert!(backend.ready().is_some());
        // Less than opening one takes.
        let second = backend.decide(&estimate(0.1, 0.05)).unwrap();
        assert_eq!(second.gpus.len(), 1, "{second}");
        let third = backend.decide(&estimate(0.05, 0.1)).unwrap();
        assert!(third.gpus.is_empty() && !third.why.contains("to open it"), "{third}");
    }

    #[test]
    fn a_gpu_that_is_not_there_is_an_error_only_when_asked_for() {
        // No machine has so many devices.
        let last = |choice| Backend::new(Request { choice, devices: vec![1023], ..Request::default() });
        assert!(last(Choice::Cuda).decide(&estimate(0.1, 0.0)).is_err());
        let replaced = last(Choice::Auto).decide(&estimate(100.0, 0.1)).unwrap();
        assert!(replaced.gpus.is_empty() && replaced.why.contains("but "), "{replaced}");
    }
}
