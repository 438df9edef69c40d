//! Which machine computes: the options that the commands share.

use lacuna::backend::{Backend, Choice, Request};

use super::parse;

#[derive(Debug, clap::Args)]
pub(crate) struct BackendArguments {
    /// What does the regular work; auto takes a GPU when it should finish first, cuda insists on one
    #[arg(long, value_name = "BACKEND", help_heading = "Computation", default_value = "auto",
        value_parser = parse::one_of::<Choice>())]
    backend: Choice,

    /// CUDA devices to use, with commas between [default: the first, 0]
    #[arg(long, value_name = "N,...", help_heading = "Computation", value_delimiter = ',',
        value_parser = parse::device, allow_hyphen_values = true)]
    devices: Vec<usize>,

    /// Bytes of each device's memory to use at most, as 256M or 2G [default: what is free]
    #[arg(long, value_name = "BYTES", help_heading = "Computation",
        value_parser = parse::bytes, allow_hyphen_values = true)]
    device_memory: Option<u64>,

    /// Let both processor and GPU do the work, stage by stage, and compare
    #[arg(long, help_heading = "Computation")]
    self_check: bool,
}

impl BackendArguments {
    /// Whether nothing but a GPU will do.
    pub(crate) fn insist_on_gpu(&self) -> bool {
        self.backend == Choice::Cuda || self.self_check
    }

    /// The machines; a GPU that is asked for begins to be opened.
    pub(crate) fn backend(&self) -> Backend {
        Backend::new(Request {
            choice: self.backend,
            devices: self.devices.clone(),
            memory: self.device_memory,
            self_check: self.self_check,
        })
    }
}
