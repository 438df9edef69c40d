//! Decides whether a device or the processor runs a stage.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use super::{BackendError, BackendRequest, Choice, guarded};
use crate::cuda::{self, CudaError, Gpu};
use crate::memory::{Bytes, available};
use crate::parallel::lock;
use crate::ranks::Place;

/// Estimated duration of a piece of work, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimate {
    /// Description of the work.
    pub(crate) work: String,
    /// Seconds on the processor.
    pub(crate) cpu: f64,
    /// Seconds on an open device.
    pub(crate) device: f64,
}

impl Estimate {
    /// The estimate of one of several processes that share the work.
    pub(crate) fn shared_by(self, processes: usize) -> Self {
        let share = 1.0 / processes as f64;
        Estimate { cpu: self.cpu * share, device: self.device * share, ..self }
    }
}

/// Seconds to open a device, including creation of its context and compilation of its kernels. Measured on an H100
/// and an H200.
pub(crate) const OPENING: f64 = 0.35;

/// Bytes of this process's memory that CUDA's driver takes for an open device. Measured on an H100: 195 MB.
const DRIVER: u64 = 256 << 20;

/// The memory that is left, if it is too little for CUDA's driver. This reads files of the system, so it is asked last.
fn too_little_for_driver() -> Option<Bytes> {
    available().filter(|&bytes| bytes < DRIVER).map(Bytes)
}

/// A duration in seconds, displayed in milliseconds if it is short.
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

/// The device or processor that runs a stage, and the reason. `G` is the type of a device; tests use a substitute.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Decision<G = Gpu> {
    /// The devices; empty if the processor runs the stage.
    pub(crate) gpus: Vec<G>,
    /// Whether the processor verifies the results of a device.
    pub self_check: bool,
    /// Whether the processor may replace a device that fails.
    pub may_fall_back: bool,
    /// The reason, in words. After a device has failed, the failure is appended.
    pub why: String,
}

impl<G> fmt::Display for Decision<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.machine(), self.why)
    }
}

impl<G> Decision<G> {
    /// A decision for the processor.
    pub(crate) fn processor(why: String) -> Self {
        Decision { gpus: Vec::new(), self_check: false, may_fall_back: false, why }
    }

    /// The name of what runs or ran the stage in messages and statistics: `cpu` or `cuda`.
    pub fn machine(&self) -> &'static str {
        if self.gpus.is_empty() { "cpu" } else { "cuda" }
    }
}

impl Decision {
    /// Peak memory use of the first device in bytes; 0 for the processor.
    pub fn peak(&self) -> u64 {
        self.gpus.first().map_or(0, Gpu::peak)
    }
}

/// The devices that a run may use, from which a decision is made for each stage. Clones share the devices.
///
/// Each piece of work alone may be too small to open a device for, but many together may not. So the time that an
/// open device would have saved is accumulated, and when it reaches the opening time, devices are opened in the
/// background for later work. This costs at most twice as much as if all work had been known beforehand.
#[derive(Debug, Clone)]
pub struct Backend {
    request: Arc<BackendRequest>,
    devices: Arc<Devices>,
}

/// The devices of a request, and the time that they would have saved.
#[derive(Debug, Default)]
struct Devices {
    /// The devices once they are open, or the reason why they cannot be opened.
    opened: OnceLock<Result<Vec<Gpu>, CudaError>>,
    /// The process among those of this machine that divide the devices.
    place: Place,
    /// Set when a thread has been started that opens them.
    has_begun: OnceLock<()>,
    /// Seconds that open devices would have saved so far.
    missed: Mutex<f64>,
}

impl Default for Backend {
    /// The backend that uses the processor alone.
    fn default() -> Self {
        Backend::new(BackendRequest { choice: Choice::Cpu, ..BackendRequest::default() })
    }
}

impl Backend {
    /// Creates the backend for a request. Explicitly requested devices are opened in the background.
    pub fn new(request: BackendRequest) -> Self {
        Backend::among(request, Place::default())
    }

    /// Creates the backend of one of several processes of a machine, which divide the devices between them.
    #[doc(hidden)]
    pub fn among(request: BackendRequest, place: Place) -> Self {
        Backend::sharing(Arc::new(Devices { place, ..Devices::default() }), request)
    }

    /// Returns a backend with the same devices but another choice. Devices that one of the two opens are open for the
    /// other.
    pub fn choosing(&self, choice: Choice) -> Self {
        let request = BackendRequest { choice, ..BackendRequest::clone(&self.request) };
        Backend::sharing(Arc::clone(&self.devices), request)
    }

    fn sharing(devices: Arc<Devices>, request: BackendRequest) -> Self {
        let backend = Backend { request: Arc::new(request), devices };
        if backend.insists_on_devices() {
            backend.begin();
        }
        backend
    }

    /// The request.
    pub fn request(&self) -> &BackendRequest {
        &self.request
    }

    /// Takes an early estimate, so that devices that will pay are opened in the background. Returns whether they are.
    pub(crate) fn expect(&self, estimate: &Estimate) -> bool {
        let pays = self.request.choice == Choice::Auto
            && estimate.device + OPENING < estimate.cpu
            && too_little_for_driver().is_none();
        if pays {
            self.begin();
        }
        pays
    }

    /// Whether a device should finish first; false if this machine has no driver for one.
    pub(crate) fn prefers_device(&self, estimate: &Estimate) -> bool {
        estimate.device + self.opening() < estimate.cpu
            && cuda::has_driver()
            && (self.ready().is_some() || too_little_for_driver().is_none())
    }

    /// Seconds until a device is open; 0 if one is.
    pub(crate) fn opening(&self) -> f64 {
        if self.ready().is_some() { 0.0 } else { OPENING }
    }

    /// The first device, if devices are open by now.
    pub(crate) fn ready(&self) -> Option<Gpu> {
        self.devices.opened.get()?.as_ref().ok()?.first().cloned()
    }

    /// Decides between device and processor for the work of an estimate. Devices that are opened for it stay open for
    /// later work.
    ///
    /// # Errors
    /// [`BackendError`]: a GPU was requested, and none can be used.
    pub(crate) fn decide(&self, estimate: &Estimate) -> Result<Decision, BackendError> {
        let forced = self.insists_on_devices();
        if self.request.choice == Choice::Cpu && !forced {
            return Ok(Decision::processor("as asked".into()));
        }
        let &Estimate { ref work, cpu, device } = estimate;
        let figures = format!("{work}: {} on the processor, {} on a GPU", Seconds(cpu), Seconds(device));
        let opening = self.opening();
        let after =
            if opening > 0.0 { format!(" after {} to open it", Seconds(opening)) } else { String::new() };
        if !forced && device + opening >= cpu {
            self.miss(cpu - device);
            return Ok(Decision::processor(figures + &after));
        }
        if !forced
            && opening > 0.0
            && let Some(left) = too_little_for_driver()
        {
            let driver = Bytes(DRIVER);
            return Ok(Decision::processor(format!(
                "{figures}, but its driver may take {driver} of memory, and {left} are left"
            )));
        }
        match self.open() {
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
            Err(error) => Ok(Decision::processor(format!("{figures}, but {error}"))),
        }
    }

    /// Waits until the devices are open.
    ///
    /// # Errors
    /// No GPU can be used.
    pub(crate) fn open(&self) -> Result<Vec<Gpu>, CudaError> {
        self.devices.open(&self.request)
    }

    /// Whether a run without a device is an error.
    pub(crate) fn insists_on_devices(&self) -> bool {
        self.request.choice == Choice::Cuda || self.request.self_check
    }

    /// Accumulates the time that open devices would have saved, and begins to open devices when it reaches the
    /// opening time.
    fn miss(&self, seconds: f64) {
        let mut missed = lock(&self.devices.missed);
        *missed += seconds.max(0.0);
        let is_enough = *missed >= OPENING && self.devices.has_begun.get().is_none();
        drop(missed);
        if is_enough && too_little_for_driver().is_none() {
            self.begin();
        }
    }

    /// Whether the opening of devices has begun.
    #[cfg(test)]
    pub(super) fn has_begun(&self) -> bool {
        self.devices.has_begun.get().is_some()
    }

    /// Begins to open the devices in the background, unless that has begun. Creating a context takes 0.2–0.3 s, during
    /// which the processor reads and ranks. A run that needs the devices waits for them; one that does not ends without
    /// waiting.
    fn begin(&self) {
        self.devices.has_begun.get_or_init(|| {
            let (devices, request) = (Arc::clone(&self.devices), Arc::clone(&self.request));
            // The thread is not joined, since it may still be in the driver when the program ends without the devices.
            // If none can be started, whoever needs the devices opens them.
            let open = move || drop(devices.open(&request));
            drop(thread::Builder::new().name("cuda".into()).spawn(open));
        });
    }
}

impl Devices {
    /// Waits until the devices are open, and opens them if nobody does.
    fn open(&self, request: &BackendRequest) -> Result<Vec<Gpu>, CudaError> {
        let open = || {
            let ordinals = match &request.devices[..] {
                [] if self.place.of == 1 => vec![0],
                [] => vec![self.place.number % cuda::devices()?.1.len().max(1)],
                all => self.place.share(all),
            };
            ordinals.into_iter().map(|ordinal| Gpu::open(ordinal, request.memory)).collect()
        };
        self.opened.get_or_init(|| guarded(open)).clone()
    }
}
