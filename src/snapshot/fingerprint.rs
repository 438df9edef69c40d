//! Fingerprint of a run: everything that its answer depends on.

use std::fmt;
use std::io::{self, Read};

use xxhash_rust::xxh3::Xxh3;

use super::{Facts, facts};

/// Everything that determines the answer of a run: the command, the program version, the input and the options, each
/// with a name. Settings that only affect the duration, or the place of the answer, are not included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    pub(super) items: Facts,
}

impl Fingerprint {
    /// Begins the fingerprint of a run with the command and the version of Lacuna.
    pub fn new(command: &str) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Fingerprint { items: facts([("command", command.to_owned()), ("version of lacuna", version)]) }
    }

    /// Adds a named item. Options are named as on the command line.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.items.push((name.to_owned(), value.to_string()));
        self
    }

    /// Differences of this run from a run with the items `before`, in the order of its items.
    pub(super) fn differences(&self, before: &Facts) -> Vec<String> {
        let now = &self.items;
        let value = |items: &Facts, name: &str| {
            items.iter().find(|item| item.0 == name).map_or("not given".to_owned(), |item| item.1.clone())
        };
        let only_before = before.iter().filter(|(name, _)| now.iter().all(|item| item.0 != *name));
        let names = now.iter().chain(only_before).map(|(name, _)| name);
        let changes = names.map(|name| (name, value(before, name), value(now, name)));
        let changes = changes.filter(|(_, was, is)| was != is);
        changes.map(|(name, was, is)| format!("{name} was {was}, is {is}")).collect()
    }
}

/// Size of the read buffer in bytes.
const BUFFER: usize = 1 << 18;

/// Reads `input` to its end; returns the 128-bit checksum and the number of bytes.
///
/// # Errors
/// Those of the input.
pub fn checksum(input: &mut dyn Read) -> io::Result<(u128, u64)> {
    let (mut sum, mut length, mut buffer) = (Xxh3::new(), 0, vec![0; BUFFER]);
    loop {
        match input.read(&mut buffer) {
            Ok(0) => return Ok((sum.digest128(), length)),
            Ok(read) => {
                sum.update(&buffer[..read]);
                length += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
