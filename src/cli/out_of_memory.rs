//! How the program ends where memory ends and nobody has asked for it in a way that a refusal can be told: with a message and the exit
//! code of a machine's failure, and without an abort.
//!
//! Nothing here may allocate: the message is made on the stack.

use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};
use std::time::Duration;
use std::{panic, thread};

use lacuna::memory::Refused;

use super::notes::over_a_bar;
use super::temporary;

/// Bytes that the message has at most.
const MOST: usize = 512;

/// How long a thread waits while another ends the program.
const PATIENCE: Duration = Duration::from_secs(1);

/// The exit code of a run that ends here.
static CODE: AtomicI32 = AtomicI32::new(1);

/// Counts what the allocator gives out from now on; a run that finds no memory is to end with this exit code.
pub(crate) fn prepare(code: i32) {
    CODE.store(code, Relaxed);
    lacuna::internals::counts();
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        // A thread for whose second stack, that of signals, there is no memory panics before it does anything.
        if panic
            .payload_as_str()
            .is_some_and(|text| text.starts_with("failed to allocate an alternative stack"))
        {
            end_out_of_memory(STACK);
        }
        others(panic);
    }));
}

/// Bytes of the stack that a thread has for signals, about.
const STACK: u64 = 8 << 10;

/// Ends the program, which was refused so many bytes.
pub(crate) fn end_out_of_memory(bytes: u64) -> ! {
    static ENDS: AtomicBool = AtomicBool::new(false);
    if !ENDS.swap(true, Relaxed) {
        let mut message = Cursor::new([0; MOST]);
        // What has no room is left out.
        let _ = writeln!(message, "{}error: {}", over_a_bar(), Refused::of_bytes(bytes));
        let length = message.position() as usize;
        tell(&message.get_ref()[..length]);
        temporary::remove_what_is_known();
        end();
    }
    // Another thread ends the program, or this one, which found no memory for that either.
    thread::sleep(PATIENCE);
    end()
}

/// Writes to standard error without a lock, which the thread may hold that found no memory.
#[allow(unsafe_code)]
fn tell(message: &[u8]) {
    // SAFETY: the pointer and the length are those of a slice, which is only read.
    unsafe {
        libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
    }
}

/// Ends the process at once: what would run at an ordinary end may allocate.
#[allow(unsafe_code)]
fn end() -> ! {
    // SAFETY: the call takes a number, and does not return.
    unsafe { libc::_exit(CODE.load(Relaxed)) }
}
