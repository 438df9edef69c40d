//! `lacuna info`: the hardware and drivers that the program can use.

use std::io::{self, Write};

use lacuna::internals::{KERNELS, Level, Version, devices};

use super::error::Result;
use super::sink::{Content, Sink};
use super::threads;

/// Show the threads, vector instructions, CUDA driver, devices and kernels available
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments) -> Result<()> {
    Sink::open(None, Content::Text)?.fill(describe)
}

fn describe(out: &mut dyn Write) -> io::Result<()> {
    let levels: Vec<&str> = Level::available().into_iter().map(Level::name).collect();
    writeln!(out, "{:<13} {}", "lacuna", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "{:<13} {}", "threads", threads::cores())?;
    writeln!(out, "{:<13} {} (of {})", "simd", levels[0], levels.join(", "))?;
    match devices() {
        Err(error) => writeln!(out, "{:<13} {error}", "cuda")?,
        Ok((version, found)) => {
            writeln!(out, "{:<13} driver for {version}, needed {}", "cuda", Version::NEEDED)?;
            for device in found {
                let (major, minor) = device.capability;
                writeln!(
                    out,
                    "{:<13} {}, compute capability {major}.{minor}, {} multiprocessors, {} MiB",
                    format!("device {}", device.ordinal),
                    device.name,
                    device.multiprocessors,
                    device.memory >> 20
                )?;
            }
        }
    }
    writeln!(out, "{:<13} {} (PTX for compute capability 7.5)", "kernels", KERNELS.join(", "))
}
