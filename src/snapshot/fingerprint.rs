//! Fingerprint of a run: everything that its answer depends on.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// Everything that determines the answer of a run: the command, the program version, the input and the options, each
/// with a name. Settings that only affect the duration, or the place of the answer, are not included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    command: String,
    version: String,
    parts: Vec<(String, String)>,
}

/// A difference between two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Name of the item; an option as on the command line.
    pub name: String,
    /// Value in the checkpoint, if present.
    pub was: Option<String>,
    /// Value in this run, if present.
    pub is: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { name, was, is } = self;
        let told = |value: &Option<String>| value.clone().unwrap_or_else(|| "not given".to_owned());
        write!(f, "{name} was {}, is {}", told(was), told(is))
    }
}

impl Fingerprint {
    /// Begins the fingerprint of a run with the command and the version of Lacuna.
    pub fn new(command: &str) -> Self {
        Fingerprint {
            command: command.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            parts: Vec::new(),
        }
    }

    /// Adds a named item. Options are named as on the command line.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.parts.push((name.to_owned(), value.to_string()));
        self
    }

    /// Adds an option, if it is given.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl fmt::Display>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The command.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The version of Lacuna.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Input and options, each with its name.
    pub fn parts(&self) -> &[(String, String)] {
        &self.parts
    }

    /// Differences of this run from the run `before`, in the order of its items.
    pub fn differences(&self, before: &Fingerprint) -> Vec<Difference> {
        let all = |run: &Fingerprint| {
            let own = [("command", &run.command), ("version of lacuna", &run.version)];
            let own = own.map(|(name, value)| (name.to_owned(), value.clone()));
            own.into_iter().chain(run.parts.iter().cloned()).collect::<Vec<_>>()
        };
        let (now, then) = (all(self), all(before));
        let was: BTreeMap<&str, &str> = then.iter().map(|(name, value)| (&**name, &**value)).collect();
        let is: BTreeMap<&str, &str> = now.iter().map(|(name, value)| (&**name, &**value)).collect();
        let names = now.iter().chain(then.iter().filter(|(name, _)| !is.contains_key(&**name)));
        let of = |values: &BTreeMap<&str, &str>, name: &str| values.get(name).map(|&value| value.to_owned());
        let difference = |(name, _): &(String, String)| {
            let (was, is) = (of(&was, name), of(&is, name));
            (was != is).then(|| Difference { name: name.clone(), was, is })
        };
        names.filter_map(difference).collect()
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
