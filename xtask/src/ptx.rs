//! `kernels/ptx/`: the kernels, compiled for every width with which they are used, and compressed with gzip.
//!
//! NVRTC generates the same PTX from the same source on every machine, so the committed files can be checked:
//! everywhere by their first line, which contains a checksum of the sources; and the whole text where NVRTC is
//! installed. `zcat` shows a file.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts, sys};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// Turns each section of constants into an entry: the name of the kernel file, and the constants with their names.
macro_rules! constants {
    ($($(#[$file_doc:meta])* $file:ident { $($(#[$doc:meta])* $name:ident = $value:literal;)* })*) => {
        pub(crate) const ALL: &[(&str, &[(&str, u32)])] = &[$((stringify!($file), &[$((stringify!($name), $value)),*])),*];
    };
}

#[path = "../../src/cuda/constants.rs"]
mod constants;

/// The only version of NVRTC whose PTX is committed; drivers from 550 on load it.
const VERSION: (i32, i32) = (12, 4);

/// A kernel file, and the macros for each of its PTX files.
struct Source {
    stem: &'static str,
    /// The headers that it includes.
    headers: &'static [&'static str],
    variants: &'static [(&'static str, &'static [&'static str])],
}

const COMMON: &[&str] = &["common.cuh"];
const ACTIVE: &[&str] = &["active.cuh", "common.cuh"];
const VOXEL: &[&str] = &["voxel.cuh", "common.cuh"];

const SOURCES: &[Source] = &[
    Source {
        stem: "array",
        headers: COMMON,
        variants: &[
            ("_u8", &["-DVOXEL=u8"]),
            ("_i8", &["-DVOXEL=i8"]),
            ("_u16", &["-DVOXEL=u16"]),
            ("_i16", &["-DVOXEL=i16"]),
            ("_u32", &["-DVOXEL=u32"]),
            ("_i32", &["-DVOXEL=i32"]),
            ("_u64", &["-DVOXEL=u64"]),
            ("_i64", &["-DVOXEL=i64"]),
            ("_f32", &["-DVOXEL=float"]),
            ("_f64", &["-DVOXEL=double"]),
        ],
    },
    Source {
        stem: "ecc",
        headers: VOXEL,
        variants: &[
            ("_u8", &["-DVOXEL=u8", "-DBITS=8"]),
            ("_u16", &["-DVOXEL=u16", "-DBITS=16"]),
            ("_u32", &["-DVOXEL=u32", "-DBITS=32"]),
        ],
    },
    Source {
        stem: "ecc_rows",
        headers: VOXEL,
        variants: &[
            ("_u8", &["-DVOXEL=u8", "-DBITS=8"]),
            ("_u16", &["-DVOXEL=u16", "-DBITS=16"]),
            ("_u32", &["-DVOXEL=u32", "-DBITS=32", "-DLIMBS=1"]),
            ("_u64", &["-DVOXEL=u64", "-DBITS=64", "-DLIMBS=2"]),
            ("_f32", &["-DVOXEL=u32", "-DBITS=32", "-DLIMBS=1", "-DFLOATING=32"]),
            ("_f64", &["-DVOXEL=u64", "-DBITS=64", "-DLIMBS=2", "-DFLOATING=64"]),
        ],
    },
    Source {
        stem: "filtration_construction",
        headers: COMMON,
        variants: &[
            ("_u16_1", &["-DRANK=u16", "-DLIMBS=1", "-DPAIRS_TOO=false"]),
            ("_u16_1_pairs", &["-DRANK=u16", "-DLIMBS=1", "-DPAIRS_TOO=true"]),
            ("_u16_2", &["-DRANK=u16", "-DLIMBS=2", "-DPAIRS_TOO=false", "--device-int128"]),
            ("_u16_2_pairs", &["-DRANK=u16", "-DLIMBS=2", "-DPAIRS_TOO=true", "--device-int128"]),
            ("_u32_1", &["-DRANK=u32", "-DLIMBS=1", "-DPAIRS_TOO=false"]),
            ("_u32_1_pairs", &["-DRANK=u32", "-DLIMBS=1", "-DPAIRS_TOO=true"]),
            ("_u32_2", &["-DRANK=u32", "-DLIMBS=2", "-DPAIRS_TOO=false", "--device-int128"]),
            ("_u32_2_pairs", &["-DRANK=u32", "-DLIMBS=2", "-DPAIRS_TOO=true", "--device-int128"]),
        ],
    },
    Source {
        stem: "leftmost_ones",
        headers: COMMON,
        variants: &[("_u32", &["-DINDEX=u32"]), ("_u64", &["-DINDEX=u64"])],
    },
    Source { stem: "gradient", headers: COMMON, variants: &[("", &[])] },
    Source { stem: "merge_tree", headers: COMMON, variants: &[("", &[])] },
    Source {
        stem: "smooth",
        headers: COMMON,
        variants: &[
            ("", &[]),
            ("_1", &["-DRADIUS=1"]),
            ("_2", &["-DRADIUS=2"]),
            ("_3", &["-DRADIUS=3"]),
            ("_4", &["-DRADIUS=4"]),
            ("_5", &["-DRADIUS=5"]),
            ("_6", &["-DRADIUS=6"]),
            ("_7", &["-DRADIUS=7"]),
            ("_8", &["-DRADIUS=8"]),
        ],
    },
    Source { stem: "thinning", headers: ACTIVE, variants: &[("", &[])] },
    Source { stem: "thinning_subfields", headers: ACTIVE, variants: &[("", &[])] },
    Source { stem: "sort", headers: COMMON, variants: &[("_1", &["-DLIMBS=1"]), ("_2", &["-DLIMBS=2"])] },
];

const OPTIONS: &[&str] = &["--std=c++17"];
const ARCHITECTURE: &str = "compute_75";

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(
        "NVRTC {}.{} cannot be loaded; pip install --target DIR nvidia-cuda-nvrtc-cu12==12.4.127 has it, \
         in DIR/nvidia/cuda_nvrtc/lib, to be put on LD_LIBRARY_PATH",
        VERSION.0,
        VERSION.1
    )]
    NoCompiler,
    #[error("NVRTC: expected version {}.{}, found {}.{}", VERSION.0, VERSION.1, found.0, found.1)]
    Version { found: (i32, i32) },
    #[error("{}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{stem}: {log}")]
    Compile { stem: &'static str, log: String },
    #[error("{}: not what its sources give; run cargo xtask ptx", path.display())]
    Stale { path: PathBuf },
    #[error("{}: made from no source", path.display())]
    Orphan { path: PathBuf },
}

/// Compiles everything and returns the number of files.
pub(crate) fn write() -> Result<usize, Error> {
    let files = compile_all()?;
    for (path, text) in &files {
        // A file whose text is the same stays, whatever version of zlib compressed it.
        if !read_compressed(path).is_ok_and(|found| found == *text) {
            write_compressed(path, text).map_err(|source| Error::File { path: path.clone(), source })?;
        }
    }
    Ok(files.len())
}

/// Compiles everything and compares the result with the committed files.
pub(crate) fn check() -> Result<usize, Error> {
    check_sums()?;
    let files = compile_all()?;
    for (path, text) in &files {
        if read_compressed(path)? != *text {
            return Err(Error::Stale { path: path.clone() });
        }
    }
    Ok(files.len())
}

/// Compares the checksums in the files with those of their sources, which needs no compiler.
fn check_sums() -> Result<usize, Error> {
    let mut expected = Vec::new();
    for (source, suffix, options) in variants() {
        let path = ptx(source, suffix);
        if read_compressed(&path)?.lines().next() != Some(header(source, options)?.trim_end()) {
            return Err(Error::Stale { path });
        }
        expected.push(path);
    }
    let folder = kernels().join("ptx");
    let failed = |error| Error::File { path: folder.clone(), source: error };
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if !expected.contains(&path) {
            return Err(Error::Orphan { path });
        }
    }
    Ok(expected.len())
}

fn variants() -> impl Iterator<Item = (&'static Source, &'static str, &'static [&'static str])> {
    SOURCES
        .iter()
        .flat_map(|source| source.variants.iter().map(move |&(suffix, options)| (source, suffix, options)))
}

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels")
}

fn ptx(source: &Source, suffix: &str) -> PathBuf {
    kernels().join("ptx").join(format!("{}{suffix}.ptx.gz", source.stem))
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::File { path: path.to_path_buf(), source })
}

fn read_compressed(path: &Path) -> Result<String, Error> {
    let text = fs::File::open(path).and_then(|file| io::read_to_string(GzDecoder::new(file)));
    text.map_err(|source| Error::File { path: path.to_path_buf(), source })
}

fn write_compressed(path: &Path, text: &str) -> io::Result<()> {
    let mut encoder = GzEncoder::new(fs::File::create(path)?, Compression::best());
    encoder.write_all(text.as_bytes())?;
    encoder.finish().map(drop)
}

/// The first line of a file, which identifies its sources.
fn header(source: &Source, options: &[&str]) -> Result<String, Error> {
    let mut sum = Sha256::new();
    sum.update(read(&kernels().join(format!("{}.cu", source.stem)))?);
    for header in source.headers {
        sum.update(read(&kernels().join(header))?);
    }
    let options = [defines(source), options.iter().map(ToString::to_string).collect()].concat();
    let mut line = format!("// kernels/{}.cu {}, sha256 of the sources ", source.stem, options.join(" "));
    for byte in sum.finalize() {
        let _ = write!(line, "{byte:02x}");
    }
    line.push('\n');
    Ok(line)
}

/// The options that define the constants that a kernel file shares with its launching code.
fn defines(source: &Source) -> Vec<String> {
    let sections = constants::ALL.iter().filter(|(file, _)| *file == source.stem);
    let numbers = sections.flat_map(|(_, numbers)| numbers.iter());
    numbers.map(|(name, number)| format!("-D{name}={number}")).collect()
}

fn compile_all() -> Result<Vec<(PathBuf, String)>, Error> {
    check_version()?;
    variants().map(|(source, suffix, options)| Ok((ptx(source, suffix), compile(source, options)?))).collect()
}

#[allow(unsafe_code)]
fn check_version() -> Result<(), Error> {
    // SAFETY: the library of that name is NVRTC; loading it runs only its initialisers.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::NoCompiler);
    }
    let mut found = (0, 0);
    // SAFETY: the call writes two integers.
    let status = unsafe { sys::nvrtcVersion(&mut found.0, &mut found.1) };
    if status != sys::nvrtcResult::NVRTC_SUCCESS || found != VERSION {
        return Err(Error::Version { found });
    }
    Ok(())
}

fn compile(source: &Source, options: &[&str]) -> Result<String, Error> {
    let text = read(&kernels().join(format!("{}.cu", source.stem)))?;
    let compiled = compile_ptx_with_opts(
        text,
        CompileOptions {
            arch: Some(ARCHITECTURE),
            include_paths: vec![kernels().display().to_string()],
            options: OPTIONS.iter().chain(options).map(ToString::to_string).chain(defines(source)).collect(),
            ..CompileOptions::default()
        },
    );
    let compiled = compiled.map_err(|error| Error::Compile {
        stem: source.stem,
        log: match error {
            CompileError::CompileError { log, .. } => log.to_string_lossy().into_owned(),
            other => other.to_string(),
        },
    })?;
    Ok(header(source, options)? + &compiled.to_src())
}

#[cfg(test)]
mod tests {
    #[test]
    fn ptx_is_that_of_its_sources() {
        super::check_sums().unwrap();
    }
}
