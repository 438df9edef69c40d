//! The thread that keeps pages of the file from filling the memory of the process.
//!
//! Every few milliseconds it reads how much file-backed memory the process has. If that exceeds its share of the limit,
//! it walks through the file and unmaps pages from the process. They stay in the system's page cache, which writes them
//! to disk and is given up when memory is needed. A page that is touched again comes back from the cache or the disk.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::thread;
use std::time::Duration;

use lacuna::internals::{spill_window, spilled_now};
use libc::MADV_DONTNEED;

/// Interval between two checks.
const PERIOD: Duration = Duration::from_millis(5);

/// Interval after a full walk that was not enough.
const PAUSE: Duration = Duration::from_millis(50);

/// Bytes that are unmapped at a time.
const STEP: usize = 16 << 20;

/// Fraction of the share for file pages that is left when pages are unmapped.
const LEFT: f64 = 0.5;

/// Starts the thread for a file that is mapped at `start`.
pub(super) fn start(start: usize) -> io::Result<()> {
    let statistics = File::open("/proc/self/statm")?;
    // SAFETY: the call takes a number only.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    let keeper = Keeper { statistics, page, start, at: 0 };
    thread::Builder::new().name("spill".into()).stack_size(64 << 10).spawn(move || keeper.run()).map(drop)
}

struct Keeper {
    statistics: File,
    /// Bytes of a page.
    page: u64,
    start: usize,
    /// Offset of the next pages to unmap.
    at: usize,
}

impl Keeper {
    fn run(mut self) {
        // File-backed pages of the program itself.
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
                // At most one walk: pages may come back as fast as they are unmapped.
                let mut rounds = self.end().div_ceil(STEP);
                while rounds > 0 && over(&self, LEFT) {
                    self.take_out();
                    rounds -= 1;
                }
                if rounds == 0 {
                    // The pages come back at once, or belong to other files.
                    thread::sleep(PAUSE);
                }
            }
        }
    }

    /// End of the last byte of the file that was ever in use.
    fn end(&self) -> usize {
        super::with_heap(|heap| heap.blocks.end()).unwrap_or(0)
    }

    /// Unmaps the next pages from the process.
    fn take_out(&mut self) {
        let end = self.end();
        if self.at >= end {
            self.at = 0;
        }
        let length = STEP.min(end - self.at);
        // SAFETY: the range lies in a shared mapping of the file, so the page cache keeps the content, and it reappears
        // when it is next accessed.
        unsafe {
            libc::madvise((self.start + self.at) as *mut libc::c_void, length, MADV_DONTNEED);
        }
        self.at += length;
    }

    /// Bytes of file-backed pages in the memory of the process.
    fn pages_of_files(&self) -> u64 {
        let mut text = [0; 128];
        let length = self.statistics.read_at(&mut text, 0).unwrap_or(0);
        // The fields are: pages of the process, resident pages, resident file-backed pages.
        let text = str::from_utf8(&text[..length]).unwrap_or("");
        let pages: u64 = text.split_whitespace().nth(2).and_then(|pages| pages.parse().ok()).unwrap_or(0);
        pages * self.page
    }
}
