//! Description of the machine and the build.

use std::fs;
use std::process::Command;

use crate::rows::Machine;

/// This machine with `threads` worker threads.
pub fn describe(threads: usize) -> Machine {
    let processor = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let device = output("nvidia-smi", &["--query-gpu=name", "--format=csv,noheader"]);
    Machine {
        processor: processor.unwrap_or_else(|| String::from("processor not known")),
        threads,
        device: device.and_then(|text| text.lines().next().map(str::to_owned)),
        // A machine to which the binary was carried has no repository: there the variable gives the commit.
        commit: std::env::var("LACUNA_COMMIT")
            .ok()
            .or_else(|| output("git", &["rev-parse", "--short", "HEAD"]))
            .unwrap_or_else(|| String::from("not known")),
        rust: String::from(env!("CARGO_PKG_RUST_VERSION")),
    }
}

/// The output of a program, if it exists and succeeds.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let done = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(done.stdout).ok()?;
    (done.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
