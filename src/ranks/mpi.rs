//! Calls of an MPI library that is opened at run time: the only file with `unsafe` code of this folder.
//!
//! A message is exchanged in pieces, so that its length is bounded by memory and not by the `int` with which MPI
//! counts, and so that what MPI itself needs for a message stays small. A call that fails ends all processes, as MPI's
//! default error handler does.
#![allow(unsafe_code)]

use std::error::Error;
use std::ffi::{c_int, c_void};
use std::ops::ControlFlow;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use libloading::Library;

use super::launcher::Launched;
use super::{Ranks, RanksError, Take, Traffic, World};
use crate::memory::{self, Refused};
use crate::parallel::{Unwound, lock};

/// Most bytes that a rank sends or receives by one call.
const PIECE: usize = 16 << 20;

/// Number of tags of messages in which numbers are dealt out.
const TAGS: u32 = 1 << 14;

/// The tag of the message that ends the waiting of a rank. All libraries have tags to 32,767.
const ASIDE: c_int = 1 << 14;

/// Shortest time between two looks for a message.
const PAUSE: Duration = Duration::from_micros(20);

/// Longest time between two looks of rank 0 for messages of ranks that take numbers, and wait for the answer.
const LONG_PAUSE: Duration = Duration::from_millis(1);

/// Longest time between two looks of a rank that waits aside.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Memory of at least the bytes in which a library tells of a message.
type Status = [u64; 16];

/// A handle of libraries whose handles are pointers.
#[repr(transparent)]
#[derive(Debug, Clone, Copy)]
struct Pointer(*mut c_void);

// SAFETY: a handle is a name that only the library reads; it says nothing about memory of this thread.
unsafe impl Send for Pointer {}
// SAFETY: see above.
unsafe impl Sync for Pointer {}

/// Handles of type `H`, and constants, of a binary interface.
#[derive(Debug, Clone, Copy)]
struct Handles<H> {
    world: H,
    byte: H,
    int64: H,
    sum: H,
    /// Any rank as the sender of a message.
    any: c_int,
    /// Levels of threads at which any thread may call, one at a time, `MPI_THREAD_SERIALIZED`, and beside others,
    /// `MPI_THREAD_MULTIPLE`.
    serialized: c_int,
    multiple: c_int,
}

/// The standard's binary interface (MPI 5.0, appendix A.1).
fn standard() -> Handles<Pointer> {
    let fixed = |value: usize| Pointer(ptr::without_provenance_mut(value));
    Handles {
        world: fixed(0x101),
        byte: fixed(0x247),
        int64: fixed(0x258),
        sum: fixed(0x21),
        any: -1,
        serialized: 2048,
        multiple: 4096,
    }
}

/// MPICH's binary interface.
const MPICH: Handles<c_int> = Handles {
    world: 0x4400_0000,
    byte: 0x4c00_010d,
    int64: 0x4c00_083a,
    sum: 0x5800_0003,
    any: -2,
    serialized: 2,
    multiple: 3,
};

/// The functions of a library, named as in the standard without `MPI_`.
#[derive(Clone, Copy)]
struct Functions<H> {
    init_thread: unsafe extern "C" fn(*mut c_int, *mut c_void, c_int, *mut c_int) -> c_int,
    comm_rank: unsafe extern "C" fn(H, *mut c_int) -> c_int,
    comm_size: unsafe extern "C" fn(H, *mut c_int) -> c_int,
    comm_split: unsafe extern "C" fn(H, c_int, c_int, *mut H) -> c_int,
    bcast: unsafe extern "C" fn(*mut c_void, c_int, H, c_int, H) -> c_int,
    allreduce: unsafe extern "C" fn(*const c_void, *mut c_void, c_int, H, H, H) -> c_int,
    alltoallv: unsafe extern "C" fn(
        *const c_void,
        *const c_int,
        *const c_int,
        H,
        *mut c_void,
        *const c_int,
        *const c_int,
        H,
        H,
    ) -> c_int,
    iprobe: unsafe extern "C" fn(c_int, c_int, H, *mut c_int, *mut c_void) -> c_int,
    recv: unsafe extern "C" fn(*mut c_void, c_int, H, c_int, c_int, H, *mut c_void) -> c_int,
    send: unsafe extern "C" fn(*const c_void, c_int, H, c_int, c_int, H) -> c_int,
    finalize: unsafe extern "C" fn() -> c_int,
    abort: unsafe extern "C" fn(H, c_int) -> c_int,
}

/// Reads a symbol of a library: a function as a pointer to it, a variable as its address.
///
/// # Safety
/// `T` is a pointer to what the symbol is.
unsafe fn symbol<T: Copy>(library: &Library, name: &str) -> Result<T, libloading::Error> {
    // SAFETY: as the caller promises.
    unsafe { library.get::<T>(name) }.map(|symbol| *symbol)
}

impl<H> Functions<H> {
    /// The functions of a library.
    ///
    /// # Safety
    /// The library is one of MPI with handles of type `H`.
    unsafe fn of(library: &Library) -> Result<Self, libloading::Error> {
        // SAFETY: the types are those of the standard, which all versions share.
        unsafe {
            Ok(Functions {
                init_thread: symbol(library, "MPI_Init_thread")?,
                comm_rank: symbol(library, "MPI_Comm_rank")?,
                comm_size: symbol(library, "MPI_Comm_size")?,
                comm_split: symbol(library, "MPI_Comm_split")?,
                bcast: symbol(library, "MPI_Bcast")?,
                allreduce: symbol(library, "MPI_Allreduce")?,
                alltoallv: symbol(library, "MPI_Alltoallv")?,
                iprobe: symbol(library, "MPI_Iprobe")?,
                recv: symbol(library, "MPI_Recv")?,
                send: symbol(library, "MPI_Send")?,
                finalize: symbol(library, "MPI_Finalize")?,
                abort: symbol(library, "MPI_Abort")?,
            })
        }
    }
}

/// Processes that a launcher has started, connected by a library.
struct Connected<H> {
    functions: Functions<H>,
    /// Handles, of which `world` is that of these processes.
    handles: Handles<H>,
    /// The handle of all processes, which end together.
    all: H,
    rank: usize,
    size: usize,
    /// Number of times that numbers were dealt out.
    deals: AtomicU32,
    /// Calls and bytes so far; locked during each call but that of [`World::abort`].
    traffic: Mutex<Traffic>,
}

/// Opens the library of the launcher that has started this process, and connects the processes. To be called once, by
/// the program's first thread.
///
/// # Errors
/// [`RanksError`]: no library is found, or it does not connect the processes.
pub fn start(launched: Launched) -> Result<Box<dyn World>, RanksError> {
    let mut tried = Vec::new();
    for path in launched.libraries() {
        // SAFETY: the initialisers of a library of MPI, which the user has installed, are sound.
        match unsafe { Library::new(&path) } {
            Ok(library) => return connect(library, &path, launched),
            Err(error) => tried.push(cause(&error)),
        }
    }
    Err(RanksError::NoLibrary { launched, tried: tried.join("; ") })
}

/// The cause of an error, in the system's words, which name the library and the symbol.
fn cause(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

fn connect(library: Library, path: &Path, launched: Launched) -> Result<Box<dyn World>, RanksError> {
    let incomplete = |error: libloading::Error| RanksError::Incomplete {
        library: path.to_path_buf(),
        problem: cause(&error),
    };
    // The functions stay valid: a library that is never closed.
    let library: &'static Library = Box::leak(Box::new(library));
    if has_standard_handles(library) {
        return connect_by(library, standard(), path, launched);
    }
    // SAFETY: the symbols are variables of Open MPI, read as their addresses, which are its handles.
    let variable = |name: &str| unsafe { symbol::<*mut c_void>(library, name) }.map(Pointer);
    match variable("ompi_mpi_comm_world") {
        Ok(world) => {
            let handles = Handles {
                world,
                byte: variable("ompi_mpi_byte").map_err(incomplete)?,
                int64: variable("ompi_mpi_int64_t").map_err(incomplete)?,
                sum: variable("ompi_mpi_op_sum").map_err(incomplete)?,
                any: -1,
                serialized: 2,
                multiple: 3,
            };
            connect_by(library, handles, path, launched)
        }
        Err(_) => connect_by(library, MPICH, path, launched),
    }
}

/// Whether a library has the standard's binary interface. One of MPI 5 with another answers −1, older ones lack the
/// function.
fn has_standard_handles(library: &Library) -> bool {
    type AbiVersion = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    let (mut major, mut minor) = (-1, -1);
    // SAFETY: the type is that of MPI 5.0.
    let found = unsafe { symbol::<AbiVersion>(library, "MPI_Abi_get_version") };
    // SAFETY: both arguments are variables of this function, and it may be called before MPI is started.
    found.is_ok_and(|version| unsafe { version(&raw mut major, &raw mut minor) } == 0) && major >= 1
}

fn connect_by<H: Copy + Send + Sync + 'static>(
    library: &Library,
    handles: Handles<H>,
    path: &Path,
    launched: Launched,
) -> Result<Box<dyn World>, RanksError> {
    let library_path = || path.to_path_buf();
    // SAFETY: the handles are those of this library, as was found out.
    let functions = unsafe { Functions::<H>::of(library) };
    let functions = functions
        .map_err(|error| RanksError::Incomplete { library: library_path(), problem: cause(&error) })?;
    let mut level = 0;
    // SAFETY: MPI is started once, without arguments, which the standard allows; `level` is written before the return.
    let code = unsafe {
        (functions.init_thread)(ptr::null_mut(), ptr::null_mut(), handles.multiple, &raw mut level)
    };
    let problem = match code {
        0 if level >= handles.serialized => None,
        0 => Some("it does not support threads (MPI_THREAD_SERIALIZED)".to_owned()),
        code => Some(format!("error {code}")),
    };
    if let Some(problem) = problem {
        return Err(RanksError::Start { library: library_path(), problem });
    }
    let connected = Connected::by(functions, handles, handles.world);
    let size = connected.size;
    let is_connected = launched.size.map_or(size > 1 || launched.rank == 0, |expected| expected == size);
    if !is_connected {
        return Err(RanksError::WrongLibrary { launched, library: library_path() });
    }
    Ok(Box::new(connected))
}

/// A number of elements as MPI counts them.
fn count(elements: usize) -> c_int {
    c_int::try_from(elements).expect("a piece is short")
}

impl<H: Copy + Send + Sync + 'static> Connected<H> {
    /// The processes of `handles.world`.
    fn by(functions: Functions<H>, handles: Handles<H>, all: H) -> Self {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: MPI is started, and both numbers are variables of this function.
        unsafe {
            (functions.comm_rank)(handles.world, &raw mut rank);
            (functions.comm_size)(handles.world, &raw mut size);
        }
        let [rank, size] = [rank, size].map(|number| usize::try_from(number).unwrap_or(0));
        Connected { functions, handles, all, rank, size, deals: AtomicU32::new(0), traffic: Mutex::default() }
    }

    /// Calls the library, one thread at a time. An error that the library returns, although by default it ends all
    /// processes itself, does so here.
    fn call(&self, call: impl FnOnce(&Functions<H>, Handles<H>) -> c_int) -> MutexGuard<'_, Traffic> {
        let traffic = lock(&self.traffic);
        if call(&self.functions, self.handles) != 0 {
            drop(traffic);
            self.abort(1);
        }
        traffic
    }

    /// Calls a function that all ranks call together.
    fn call_together(
        &self,
        call: impl FnOnce(&Functions<H>, Handles<H>) -> c_int,
    ) -> MutexGuard<'_, Traffic> {
        let mut traffic = self.call(call);
        traffic.calls += 1;
        traffic
    }

    /// Sends a message of two numbers to a rank.
    fn send(&self, to: usize, tag: c_int, message: [u64; 2]) {
        // SAFETY: the message has 16 bytes, and is sent before the return.
        drop(self.call(|functions, Handles { byte, world, .. }| unsafe {
            (functions.send)(message.as_ptr().cast(), 16, byte, count(to), tag, world)
        }));
    }

    /// Receives a message of two numbers from any rank, if one is there.
    fn receive(&self, tag: c_int) -> Option<[u64; 2]> {
        let (mut message, mut status, mut is_there) = ([0_u64; 2], Status::default(), 0);
        // SAFETY: messages of such a tag have 16 bytes, what is told of them fits into `status`, and all three are
        // variables of this function.
        let mut traffic = self.call(|functions, Handles { byte, world, any, .. }| unsafe {
            let (start, status) = (message.as_mut_ptr().cast(), status.as_mut_ptr().cast());
            match (functions.iprobe)(any, tag, world, &raw mut is_there, status) {
                0 if is_there != 0 => (functions.recv)(start, 16, byte, any, tag, world, status),
                code => code,
            }
        });
        (is_there != 0).then(|| {
            traffic.received_bytes += 16;
            message
        })
    }

    /// Sends a message of two numbers to rank 0, and waits for the first of its answer.
    fn ask(&self, tag: c_int, message: [u64; 2]) -> u64 {
        let (mut answer, mut status) = ([0_u64; 2], Status::default());
        // SAFETY: both messages have 16 bytes, and what is told of one fits into `status`.
        let mut traffic = self.call(|functions, Handles { byte, world, .. }| unsafe {
            match (functions.send)(message.as_ptr().cast(), 16, byte, 0, tag, world) {
                0 => {
                    let (start, status) = (answer.as_mut_ptr().cast(), status.as_mut_ptr().cast());
                    (functions.recv)(start, 16, byte, 0, tag, world, status)
                }
                code => code,
            }
        });
        traffic.received_bytes += 16;
        answer[0]
    }

    /// Deals out numbers from `next` on to the other ranks, until all of them have told that they are done.
    fn answer(&self, tag: c_int, next: &AtomicU64, is_stopped: &AtomicBool) {
        let (mut busy, mut last) = (self.size - 1, Instant::now());
        while busy > 0 && !is_stopped.load(Ordering::Relaxed) {
            match self.receive(tag) {
                // Where messages are rare, looks are, too: each takes the core from a thread that works.
                None => thread::sleep((last.elapsed() / 32).clamp(PAUSE, LONG_PAUSE)),
                Some([_, 0]) => busy -= 1,
                Some([rank, numbers]) => {
                    last = Instant::now();
                    self.send(rank as usize, tag, [next.fetch_add(numbers, Ordering::Relaxed), 0]);
                }
            }
        }
    }

    /// Sends `to[r]` to each rank r, and appends the `from[r]` bytes that it sends to `into[r]`. All bytes that a rank
    /// sends or receives fit into a piece.
    fn exchange(&self, to: &[&[u8]], from: &[usize], into: &mut [Vec<u8>]) {
        let places = |lengths: &[usize]| {
            let mut end = 0;
            let places = lengths.iter().map(|length| {
                end += length;
                count(end - length)
            });
            (places.collect::<Vec<_>>(), lengths.iter().map(|&length| count(length)).collect::<Vec<_>>())
        };
        let lengths: Vec<usize> = to.iter().map(|part| part.len()).collect();
        let ((to_places, to_counts), (from_places, from_counts)) = (places(&lengths), places(from));
        // Each buffer has a byte of its own: the address of an empty one may be 1, which means `MPI_IN_PLACE`.
        let mut sent = to.concat();
        sent.push(0);
        let mut received = vec![0_u8; from.iter().sum::<usize>() + 1];
        // SAFETY: counts and places of both sides have one element for each rank and lie within the buffers, and rank r
        // sends as many bytes as are expected of it here, since both follow from the lengths that all ranks know.
        let mut traffic = self.call_together(|functions, handles| unsafe {
            (functions.alltoallv)(
                sent.as_ptr().cast(),
                to_counts.as_ptr(),
                to_places.as_ptr(),
                handles.byte,
                received.as_mut_ptr().cast(),
                from_counts.as_ptr(),
                from_places.as_ptr(),
                handles.byte,
                handles.world,
            )
        });
        traffic.received_bytes += (received.len() - 1 - from[self.rank]) as u64;
        drop(traffic);
        let mut rest = &received[..];
        for (into, &length) in into.iter_mut().zip(from) {
            let (part, after) = rest.split_at(length);
            into.extend_from_slice(part);
            rest = after;
        }
    }
}

impl<H: Copy + Send + Sync + 'static> Ranks for Connected<H> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn broadcast(&self, bytes: &mut Vec<u8>) {
        let send = |piece: &mut [u8]| {
            // SAFETY: the piece has this many bytes, on every rank as the lengths are the same.
            let mut traffic = self.call_together(|functions, handles| unsafe {
                let start = piece.as_mut_ptr().cast();
                (functions.bcast)(start, count(piece.len()), handles.byte, 0, handles.world)
            });
            traffic.broadcast_bytes += piece.len() as u64;
        };
        let mut length = (bytes.len() as u64).to_le_bytes();
        send(&mut length);
        bytes.resize(u64::from_le_bytes(length) as usize, 0);
        bytes.chunks_mut(PIECE).for_each(send);
    }

    fn sum(&self, numbers: &mut [i64]) {
        for piece in numbers.chunks_mut(PIECE / size_of::<i64>()) {
            let own = piece.to_vec();
            // SAFETY: both buffers have this many numbers, and are different ones.
            let mut traffic = self.call_together(|functions, handles| unsafe {
                let (from, to) = (own.as_ptr().cast(), piece.as_mut_ptr().cast());
                (functions.allreduce)(from, to, count(own.len()), handles.int64, handles.sum, handles.world)
            });
            traffic.summed_bytes += size_of_val(piece) as u64;
        }
    }

    fn deal(&self, work: &mut dyn FnMut(Take<'_>) -> ControlFlow<()>) {
        // Messages of the deal before, which another rank may still wait for, have another tag.
        let tag = (self.deals.fetch_add(1, Ordering::Relaxed) % TAGS) as c_int;
        if self.rank > 0 {
            let _ = work(&|numbers| self.ask(tag, [self.rank as u64, numbers]));
            return self.send(0, tag, [self.rank as u64, 0]);
        }
        let (next, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            let answer = || self.answer(tag, &next, &is_stopped);
            let answering = thread::Builder::new().spawn_scoped(scope, answer);
            // A run that ends early waits for no others.
            let unwound = Unwound(&is_stopped);
            if work(&|numbers| next.fetch_add(numbers, Ordering::Relaxed)).is_break() {
                is_stopped.store(true, Ordering::Relaxed);
            }
            drop(unwound);
            // Without a thread of their own, the others are answered late.
            if answering.is_err() {
                answer();
            }
        });
    }

    fn all_to_all(&self, to: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Refused> {
        assert_eq!(to.len(), self.size, "one message for each rank");
        let size = self.size;
        // Each rank says how long its message is, and the longest of its messages, from which the number of pieces
        // follows.
        let own = to.iter().map(Vec::len).max().unwrap_or(0);
        let words: Vec<[u8; 16]> =
            to.iter().map(|message| (message.len() as u128 | (own as u128) << 64).to_le_bytes()).collect();
        let words: Vec<&[u8]> = words.iter().map(|word| &word[..]).collect();
        let mut told = vec![Vec::new(); size];
        self.exchange(&words, &vec![16; size], &mut told);
        let told = told.iter().map(|word| u128::from_le_bytes(word[..].try_into().expect("16 bytes")));
        let (from, longest): (Vec<usize>, Vec<usize>) =
            told.map(|word| (word as u64 as usize, (word >> 64) as usize)).unzip();
        let longest = longest.into_iter().max().unwrap_or(0);
        let mut into = vec![Vec::new(); size];
        into.iter_mut().zip(&from).try_for_each(|(into, &length)| memory::reserve(into, length))?;
        let most = (PIECE / size).max(1);
        for start in (0..longest).step_by(most) {
            let parts: Vec<&[u8]> = to
                .iter()
                .map(|message| &message[start.min(message.len())..message.len().min(start + most)])
                .collect();
            let expected: Vec<usize> =
                from.iter().map(|length| length.saturating_sub(start).min(most)).collect();
            self.exchange(&parts, &expected, &mut into);
        }
        Ok(into)
    }
}

impl<H: Copy + Send + Sync + 'static> World for Connected<H> {
    fn traffic(&self) -> Traffic {
        *lock(&self.traffic)
    }

    fn split(&self, works: bool) -> Box<dyn World> {
        let mut handles = self.handles;
        // SAFETY: the new handle is a variable of this function, which is written before the return.
        drop(self.call_together(|functions, Handles { world, .. }| unsafe {
            (functions.comm_split)(world, works.into(), count(self.rank), &raw mut handles.world)
        }));
        Box::new(Connected::by(self.functions, handles, self.all))
    }

    fn wait_aside(&self) {
        // A wait becomes a sixteenth longer at most, and takes little from those who work.
        let start = Instant::now();
        while self.receive(ASIDE).is_none() {
            thread::sleep((start.elapsed() / 16).clamp(PAUSE, LONGEST_PAUSE));
        }
    }

    fn release(&self, rank: usize) {
        self.send(rank, ASIDE, [0; 2]);
    }

    fn finish(&self) {
        // SAFETY: MPI is started, and this is its last call.
        drop(self.call(|functions, _| unsafe { (functions.finalize)() }));
    }

    fn abort(&self, code: u8) -> ! {
        // SAFETY: MPI is started. Another thread may be in a call, for ever; a call beside it is what threads were
        // asked for. A library that lacks it may fail, which ends this process and so the others.
        unsafe { (self.functions.abort)(self.all, code.into()) };
        std::process::exit(code.into())
    }
}
