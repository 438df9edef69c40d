//! The end of the program when an allocation fails that no caller can report, or when a page of an input file is
//! missing: a message and the exit code of the machine's failures instead of an abort.
//!
//! Nothing here may allocate: the message is built on the stack.

use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};
use std::time::Duration;
use std::{panic, thread};

use lacuna::memory::Refused;
use signal_hook::consts::SIGBUS;
use signal_hook::low_level::register;

use super::notes::over_a_bar;
use super::temporary;

/// Capacity of the message in bytes.
const MOST: usize = 512;

/// How long a thread waits while another ends the program.
const PATIENCE: Duration = Duration::from_secs(1);

/// Exit code of a run that ends here.
static CODE: AtomicI32 = AtomicI32::new(1);

/// The message for a page of a mapped file that cannot be read.
const MISSING: &str =
    "error: a page of an input file is missing: the file became shorter during the run, or its disk failed\n";

/// Makes the allocator count from now on, and sets the exit code for a run that finds no memory or misses a page.
#[allow(unsafe_code)]
pub(crate) fn prepare(code: i32) {
    CODE.store(code, Relaxed);
    lacuna::internals::counts();
    // Without a handler the signal ends the program, too.
    // SAFETY: a handler of a signal may write, and end the process.
    let _ = unsafe { register(SIGBUS, || missing_page()) };
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        // A thread that finds no memory for its signal stack panics before it does anything else.
        if panic
            .payload_as_str()
            .is_some_and(|text| text.starts_with("failed to allocate an alternative stack"))
        {
            end_out_of_memory(STACK);
        }
        others(panic);
    }));
}

/// Approximate size in bytes of a thread's signal stack.
const STACK: u64 = 8 << 10;

/// Ends the program after a page of a file that is mapped could not be read.
fn missing_page() -> ! {
    tell(MISSING.as_bytes());
    end()
}

/// Ends the program after a request for `bytes` bytes was refused.
pub(crate) fn end_out_of_memory(bytes: u64) -> ! {
    static ENDS: AtomicBool = AtomicBool::new(false);
    if !ENDS.swap(true, Relaxed) {
        let mut message = Cursor::new([0; MOST]);
        // A message that does not fit is cut.
        let _ = writeln!(message, "{}error: {}", over_a_bar(), Refused::of_bytes(bytes));
        let length = message.position() as usize;
        tell(&message.get_ref()[..length]);
        temporary::remove_what_is_known();
        end();
    }
    // Either another thread is ending the program, or this thread failed again while ending it.
    thread::sleep(PATIENCE);
    end()
}

/// Writes to standard error without its lock, which the current thread may already hold.
#[allow(unsafe_code)]
fn tell(message: &[u8]) {
    // SAFETY: the pointer and the length are those of a slice, which is only read.
    unsafe {
        libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
    }
}

/// Ends the process at once: the destructors and handlers of an ordinary exit may allocate.
#[allow(unsafe_code)]
fn end() -> ! {
    // SAFETY: the call takes a number, and does not return.
    unsafe { libc::_exit(CODE.load(Relaxed)) }
}
