//! Files and standard input.

use std::io::{self, Read};
use std::path::Path;

/// How messages call the file at `path`; `-` is standard input.
pub fn name_of(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// All of the file at `path`, or of standard input when it is `-`.
///
/// # Errors
/// What the system says.
pub fn read_all(path: &Path) -> io::Result<Vec<u8>> {
    if path != Path::new("-") {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}
