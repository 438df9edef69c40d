//! The thread that keeps pages of the file from filling the memory of the process.
//!
//! It looks every few milliseconds how many pages of files the process has. Where they are more than their part of the limit allows, it goes
//! round the file and takes pages out of the process: they stay in the system's cache of files, which has them written, and which the
//! system gives to whoever needs memory. A page that is touched again comes back from there, or from the disk.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::thread;
use std::time::Duration;

use lacuna::internals::{spill_window, spilled_now};
use libc::MADV_DONTNEED;

/// Time between two looks.
const PERIOD: Duration = Duration::from_millis(5);

/// Time until the next look where a whole round has not been enough.
const PAUSE: Duration = Duration::from_millis(50);

/// Bytes that are taken out at a time.
const STEP: usize = 16 << 20;

/// The part of what files may have that is left when pages are taken out.
const LEFT: f64 = 0.5;

/// Starts the thread, for a file that is mapped from an address on.
pub(super) fn start(start: usize) -> io::Result<()> {
    let statistics = File::open("/proc/self/statm")?;
    // SAFETY: the call has a number alone.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    let keeper = Keeper { statistics, page, start, at: 0 };
    thread::Builder::new().name("spill".into()).stack_size(64 << 10).spawn(move || keeper.run()).map(drop)
}

struct Keeper {
    statistics: File,
    /// Bytes of a page.
    page: u64,
    start: usize,
    /// Where the next pages are taken out.
    at: usize,
}

impl Keeper {
    fn run(mut self) {
        // The program itself.
        let base = self.pages_of_files();
        loop {
            thread::sleep(PERIOD);
            if spilled_now() == 0 {
                continue;
            }
            let window = spill_window();
            let over = |keeper: &Self, part: f64| {
                keeper.pages_of_files().saturating_sub(base) as f64 > part * window as f64
            };
            if over(&self, 1.0) {
                // One round at most: pages may come back as fast as they go.
                let mut rounds = self.end().div_ceil(STEP);
                while rounds > 0 && over(&self, LEFT) {
                    self.take_out();
                    rounds -= 1;
                }
                if rounds == 0 {
                    // They come back at once, or are those of other files.
                    thread::sleep(PAUSE);
                }
            }
        }
    }

    /// Behind the last byte of the file that was ever in use.
    fn end(&self) -> usize {
        super::with_heap(|heap| heap.blocks.end()).unwrap_or(0)
    }

    /// Takes the next pages out of the process.
    fn take_out(&mut self) {
        let end = self.end();
        if self.at >= end {
            self.at = 0;
        }
        let length = STEP.min(end - self.at);
        // SAFETY: the part lies in a mapping that is shared with the file, so that what pages hold is in the file's cache, and is seen again when they are
        // looked at.
        unsafe {
            libc::madvise((self.start + self.at) as *mut libc::c_void, length, MADV_DONTNEED);
        }
        self.at += length;
    }

    /// Bytes of the pages of files that are in the memory of the process.
    fn pages_of_files(&self) -> u64 {
        let mut text = [0; 128];
        let length = self.statistics.read_at(&mut text, 0).unwrap_or(0);
        // Pages of the process, of those the ones in memory, of those the ones of files.
        let text = str::from_utf8(&text[..length]).unwrap_or("");
        let pages: u64 = text.split_whitespace().nth(2).and_then(|pages| pages.parse().ok()).unwrap_or(0);
        pages * self.page
    }
}
