//! `dist/`: the files of a release. A target has the wheel of the Python package, and an archive with the program, its
//! manual pages and completions, the README and the licences. Both contain the licences of all dependencies and of
//! Rust's standard library. `SHA256SUMS` has the checksums of all files.
//!
//! Files for Linux are linked by zig against glibc 2.28, on Linux too, so that they run wherever a wheel of
//! manylinux_2_28 does. Zig links those for macOS elsewhere, too. Files for Windows are linked by MinGW or, on Windows
//! only, by Visual C++: with zig, maturin 1.16 has the linker export a function of the module's dotted name, which
//! there is not.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use clap::builder::PossibleValuesParser;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use sha2::{Digest, Sha256};

/// All targets. Files of `x86_64-pc-windows-gnu` run on the same machines as those of `x86_64-pc-windows-msvc`.
const TARGETS: [&str; 6] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-pc-windows-gnu",
    "x86_64-pc-windows-msvc",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
];

/// The oldest glibc on which files for Linux run.
const GLIBC: &str = "2.28";

/// The oldest macOS on which files for macOS run. Without it, zig takes a recent one for the program.
const MACOS: (&str, &str) = ("MACOSX_DEPLOYMENT_TARGET", "11.0");

/// The linker of `x86_64-pc-windows-gnu`, which Cargo starts.
const MINGW: &str = "x86_64-w64-mingw32-gcc";

/// Shells, and the names under which they look for completions.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "lacuna.bash"),
    ("zsh", "_lacuna"),
    ("fish", "lacuna.fish"),
    ("powershell", "_lacuna.ps1"),
    ("elvish", "lacuna.elv"),
];

const SUMS: &str = "SHA256SUMS";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Targets to build for; by default all those that can be built for on this machine.
    #[arg(long, value_name = "TRIPLE", value_delimiter = ',', value_parser = PossibleValuesParser::new(TARGETS))]
    target: Vec<String>,
    /// Build nothing; print what each target lacks on this machine.
    #[arg(long)]
    check: bool,
    /// The folder to write to. What an earlier run made there is removed first.
    #[arg(default_value = "dist")]
    directory: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{target}: expected a machine that can build for it, found one that lacks {}", lacks.join(", "))]
    Lacks { target: &'static str, lacks: Vec<String> },
    #[error("expected a target that can be built here, found none")]
    NoTarget,
    #[error("{program}: expected a program that can be started")]
    Start { program: String, source: io::Error },
    #[error("{command}: expected success, found {status}")]
    Failed { command: String, status: ExitStatus },
    #[error("{}: expected no files but those of an earlier run, which its {SUMS} names", path.display())]
    NotOurs { path: PathBuf },
    #[error("cargo metadata: expected JSON")]
    Metadata(#[from] serde_json::Error),
    #[error("git log: expected the seconds of the last commit, found {found:?}")]
    Time { found: String },
    #[error("{}", path.display())]
    File { path: PathBuf, source: io::Error },
}

impl Error {
    fn of_file(path: &Path) -> impl FnOnce(io::Error) -> Error {
        |source| Error::File { path: path.to_path_buf(), source }
    }
}

/// Makes the files, and returns what to say about them.
pub(crate) fn run(options: &Options) -> Result<String, Error> {
    let is_asked = |target: &&str| options.target.iter().any(|asked| asked == target);
    let asked = TARGETS.into_iter().filter(|target| options.target.is_empty() || is_asked(target));
    let found: Vec<_> = asked.map(|target| (target, lacks(target))).collect();
    if options.check {
        let line = |(target, lacks): &(&str, Vec<String>)| match lacks.as_slice() {
            [] => format!("{target}: can be built"),
            lacks => format!("{target}: lacks {}", lacks.join(", ")),
        };
        return Ok(found.iter().map(line).collect::<Vec<_>>().join("\n"));
    }
    let mut targets = Vec::new();
    for (target, lacks) in found {
        if lacks.is_empty() {
            targets.push(target);
        } else if options.target.is_empty() {
            eprintln!("{target}: left out, it lacks {}", lacks.join(", "));
        } else {
            return Err(Error::Lacks { target, lacks });
        }
    }
    if targets.is_empty() {
        return Err(Error::NoTarget);
    }
    let directory = std::path::absolute(&options.directory).map_err(Error::of_file(&options.directory))?;
    fs::create_dir_all(&directory).map_err(Error::of_file(&directory))?;
    clear(&directory)?;
    let shared = shared_members(&directory)?;
    for target in &targets {
        let licences = [licences(target)?, licences_of_rust()?];
        build_wheel(target, &licences, &directory)?;
        let program = Member { is_program: true, ..Member::file(&build_program(target)?)? };
        pack(target, &[&[program], &licences[..], &*shared].concat(), &directory)?;
    }
    let files = write_sums(&directory)?;
    Ok(format!("{}: {files} files written, for {}", directory.display(), targets.join(", ")))
}

/// Removes what an earlier run made. Nothing else may be in the folder, so that it holds only what this run makes: with
/// anything else in it, nothing is removed.
fn clear(directory: &Path) -> Result<(), Error> {
    let sums = directory.join(SUMS);
    let text = if sums.is_file() {
        fs::read_to_string(&sums).map_err(Error::of_file(&sums))?
    } else {
        String::new()
    };
    // Another project's folder may have a file of this name, too.
    let names: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("  ")).map(|(_, name)| name).collect();
    let is_ours = |path: &Path| {
        let is_listed = |name: &str| name == SUMS || name.starts_with("lacuna") && names.contains(&name);
        path.is_file() && path.file_name().and_then(OsStr::to_str).is_some_and(is_listed)
    };
    let entries =
        fs::read_dir(directory).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let paths: Vec<PathBuf> = entries.map_err(Error::of_file(directory))?;
    if let Some(path) = paths.iter().find(|path| !is_ours(path)) {
        return Err(Error::NotOurs { path: path.clone() });
    }
    paths.iter().try_for_each(|path| fs::remove_file(path).map_err(Error::of_file(path)))
}

/// The parts that this machine lacks to build for a target, each with where to get it.
fn lacks(target: &str) -> Vec<String> {
    let mut lacks = Vec::new();
    let found = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let library =
        found.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())).unwrap_or_default();
    if !library.is_dir() {
        lacks.push(format!("Rust's standard library (rustup target add {target})"));
    }
    if !starts("maturin", &["--version"]) {
        lacks.push("maturin (pip install maturin)".to_owned());
    }
    if target.ends_with("msvc") && !cfg!(windows) {
        lacks.push("Windows, with Visual C++".to_owned());
    } else if target.ends_with("windows-gnu") && !starts(MINGW, &["--version"]) {
        lacks.push(format!("{MINGW} (apt-get install gcc-mingw-w64-x86-64)"));
    } else if needs_zig(target) {
        if !starts("cargo-zigbuild", &["--version"]) {
            lacks.push("cargo-zigbuild (pip install cargo-zigbuild)".to_owned());
        }
        if !starts("python3", &["-m", "ziglang", "version"]) && !starts("zig", &["version"]) {
            lacks.push("zig (pip install ziglang)".to_owned());
        }
    }
    lacks
}

fn starts(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    let quiet = command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Whether zig links for a target on this machine.
fn needs_zig(target: &str) -> bool {
    is_linux(target) || target.ends_with("apple-darwin") && !cfg!(target_os = "macos")
}

fn is_linux(target: &str) -> bool {
    target.contains("linux")
}

/// Builds the wheel. It contains all licences that lie beside its `pyproject.toml`.
fn build_wheel(target: &str, licences: &[Member], directory: &Path) -> Result<(), Error> {
    let paths: Vec<PathBuf> = licences.iter().map(|file| root().join("python").join(&file.name)).collect();
    for (path, file) in paths.iter().zip(licences) {
        fs::write(path, &file.content).map_err(Error::of_file(path))?;
    }
    let mut maturin = Command::new("maturin");
    maturin.args([
        "build",
        "--release",
        "--locked",
        "--manifest-path",
        "python/Cargo.toml",
        "--target",
        target,
    ]);
    if needs_zig(target) {
        maturin.arg("--zig");
    }
    if is_linux(target) {
        maturin.arg("--compatibility").arg(format!("manylinux_{}", GLIBC.replace('.', "_")));
    }
    let built = output_of(maturin.arg("--out").arg(directory).env(MACOS.0, MACOS.1));
    for path in &paths {
        fs::remove_file(path).map_err(Error::of_file(path))?;
    }
    built.map(drop)
}

/// Builds the program and returns its path.
fn build_program(target: &str) -> Result<PathBuf, Error> {
    let with_glibc = if is_linux(target) { format!("{target}.{GLIBC}") } else { target.to_owned() };
    let mut command = cargo(if needs_zig(target) { "zigbuild" } else { "build" });
    output_of(command.env(MACOS.0, MACOS.1).args([
        "--release",
        "--package",
        "lacuna",
        "--bin",
        "lacuna",
        "--target",
        &with_glibc,
    ]))?;
    // This program is TARGET/release/xtask.
    let this = env::current_exe().map_err(Error::of_file(Path::new("xtask")))?;
    let release = this.parent().and_then(Path::parent).unwrap_or(&this).join(target).join("release");
    Ok(release.join(if target.contains("windows") { "lacuna.exe" } else { "lacuna" }))
}

/// A member of an archive.
#[derive(Debug, Clone)]
struct Member {
    /// Path in the archive, with `/` between folders.
    name: String,
    content: Vec<u8>,
    is_program: bool,
}

impl Member {
    /// A file under its own name.
    fn file(path: &Path) -> Result<Member, Error> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let content = fs::read(path).map_err(Error::of_file(path))?;
        Ok(Member { name, content, is_program: false })
    }
}

/// The members that all archives share. Those that the program writes are written by the program of this machine.
fn shared_members(directory: &Path) -> Result<Vec<Member>, Error> {
    let texts = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
    let mut members =
        texts.iter().map(|name| Member::file(&root().join(name))).collect::<Result<Vec<_>, _>>()?;
    for (shell, name) in COMPLETIONS {
        let content = output_of(super::program().args(["completions", shell]))?;
        members.push(Member { name: format!("completions/{name}"), content, is_program: false });
    }
    let pages = directory.join("man");
    output_of(super::program().arg("manual").arg(&pages))?;
    for path in files_in(&pages)? {
        let page = Member::file(&path)?;
        members.push(Member { name: format!("man/{}", page.name), ..page });
    }
    fs::remove_dir_all(&pages).map_err(Error::of_file(&pages))?;
    Ok(members)
}

/// The licences of the packages that the program or the wheel contains: a line for each with name, version, licence and
/// repository, and the texts, each once with the packages that have it.
fn licences(target: &str) -> Result<Member, Error> {
    let mut tree = cargo("tree");
    tree.args(["--package", "lacuna", "--package", "lacuna-python", "--target", target]);
    tree.args([
        "--edges",
        "normal,no-proc-macro",
        "--no-dedupe",
        "--prefix",
        "none",
        "--format",
        "{p}\t{l}\t{r}",
    ]);
    let packages = String::from_utf8_lossy(&output_of(&mut tree)?).into_owned();
    // Packages of this repository have a path.
    let mut packages: Vec<&str> =
        packages.lines().filter(|line| !line.is_empty() && !line.contains(" (")).collect();
    packages.sort_unstable();
    packages.dedup();
    let mut texts = BTreeMap::new();
    for (package, folder, authors) in folders(target)? {
        if !packages.iter().any(|line| line.split('\t').next() == Some(&package)) {
            continue;
        }
        let mut found = Vec::new();
        find_licences(&folder, &mut found)?;
        if found.is_empty() {
            found.push(format!("A package without the text of its licence. Its authors: {authors}"));
        }
        for text in found {
            // The same text may be broken into other lines.
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let (_, packages) = texts.entry(words).or_insert((text, Vec::new()));
            if !packages.contains(&package) {
                packages.push(package.clone());
            }
        }
    }
    let mut content = "Packages that are contained: name, version, licence, repository.\n\n".to_owned();
    content += &(packages.join("\n") + "\n");
    for (text, packages) in texts.values() {
        let line = "-".repeat(80);
        content += &format!("\n{line}\n{}\n{line}\n\n{}\n", packages.join(", "), text.trim_end());
    }
    Ok(Member { name: "LICENSES-OF-DEPENDENCIES.txt".into(), content: content.into(), is_program: false })
}

/// The packages of `Cargo.lock` that a target needs, as name and version, each with the folder of its sources and its
/// authors.
fn folders(target: &str) -> Result<Vec<(String, PathBuf, String)>, Error> {
    #[derive(serde::Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    #[derive(serde::Deserialize)]
    struct Package {
        name: String,
        version: String,
        authors: Vec<String>,
        manifest_path: PathBuf,
    }
    let found = output_of(cargo("metadata").args(["--format-version", "1", "--filter-platform", target]))?;
    let Metadata { packages } = serde_json::from_slice(&found)?;
    let folder = |package: &Package| package.manifest_path.parent().unwrap_or(Path::new("")).to_path_buf();
    let of = |package: Package| {
        (format!("{} v{}", package.name, package.version), folder(&package), package.authors.join(", "))
    };
    Ok(packages.into_iter().map(of).collect())
}

/// Adds the texts of licences in a folder and the folders in it: fonts, for instance, have one of their own.
fn find_licences(folder: &Path, found: &mut Vec<String>) -> Result<(), Error> {
    const BEGIN: [&str; 5] = ["COPYING", "COPYRIGHT", "LICEN", "NOTICE", "UNLICENSE"];
    let is_licence = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        BEGIN.iter().any(|begin| name.starts_with(begin)) && !name.ends_with(".RS")
    };
    for path in files_in(folder)?.iter().filter(is_licence) {
        let text = fs::read(path).map_err(Error::of_file(path))?;
        found.push(String::from_utf8_lossy(&text).into_owned());
    }
    let entries = fs::read_dir(folder).map_err(Error::of_file(folder))?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.iter().try_for_each(|folder| find_licences(folder, found))
}

/// The licences of Rust's standard library, which everything contains. They come with the compiler.
fn licences_of_rust() -> Result<Member, Error> {
    let root = output_of(Command::new("rustc").args(["--print", "sysroot"]))?;
    let root = PathBuf::from(String::from_utf8_lossy(&root).trim());
    let file = Member::file(&root.join("share/doc/rust/COPYRIGHT-library.html"))?;
    Ok(Member { name: "LICENSES-OF-RUST.html".into(), ..file })
}

/// Writes the archive of a target: `.zip` for Windows, `.tar.gz` for others.
fn pack(target: &str, members: &[Member], directory: &Path) -> Result<(), Error> {
    let folder = format!("lacuna-{}-{target}", env!("CARGO_PKG_VERSION"));
    let time = output_of(Command::new("git").args(["log", "-1", "--format=%ct"]))?;
    let time = String::from_utf8_lossy(&time);
    let seconds = time.trim().parse().map_err(|_| Error::Time { found: time.trim().to_owned() })?;
    let is_zip = target.contains("windows");
    let path = directory.join(format!("{folder}.{}", if is_zip { "zip" } else { "tar.gz" }));
    let pack = if is_zip { pack_zip } else { pack_tar };
    let packed = File::create(&path).and_then(|file| pack(&folder, seconds, members, file));
    packed.map_err(Error::of_file(&path))
}

fn pack_tar(folder: &str, seconds: u64, members: &[Member], file: File) -> io::Result<()> {
    let mut tar = tar::Builder::new(GzEncoder::new(file, Compression::best()));
    for member in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(member.content.len() as u64);
        header.set_mode(mode(member));
        header.set_mtime(seconds);
        tar.append_data(&mut header, format!("{folder}/{}", member.name), &*member.content)?;
    }
    tar.into_inner()?.finish().map(drop)
}

fn pack_zip(folder: &str, seconds: u64, members: &[Member], file: File) -> io::Result<()> {
    let mut zip = rawzip::ZipArchiveWriter::new(file);
    for member in members {
        let name = format!("{folder}/{}", member.name);
        let new = zip.new_file(&name).compression_method(rawzip::CompressionMethod::DEFLATE);
        let new = new
            .unix_permissions(mode(member))
            .last_modified(rawzip::time::UtcDateTime::from_unix(seconds as i64));
        let (mut entry, config) = new.start().map_err(io::Error::other)?;
        let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::best()));
        writer.write_all(&member.content)?;
        let (encoder, descriptor) = writer.finish().map_err(io::Error::other)?;
        encoder.finish()?;
        entry.finish(descriptor).map_err(io::Error::other)?;
    }
    zip.finish().map(drop).map_err(io::Error::other)
}

fn mode(member: &Member) -> u32 {
    if member.is_program { 0o755 } else { 0o644 }
}

/// Writes the checksums, as `sha256sum --check` reads them, and returns the number of files.
fn write_sums(directory: &Path) -> Result<usize, Error> {
    let sums = directory.join(SUMS);
    let mut files = files_in(directory)?;
    files.retain(|path| *path != sums);
    let mut lines = String::new();
    for path in &files {
        let file = Member::file(path)?;
        lines += &format!("{:x}  {}\n", Sha256::digest(&file.content), file.name);
    }
    fs::write(&sums, lines).map_err(Error::of_file(&sums))?;
    Ok(files.len() + 1)
}

/// The files in a folder, by name.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    let mut paths: Vec<PathBuf> = entries.map_err(Error::of_file(folder))?;
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A command of Cargo that takes the versions of `Cargo.lock`.
fn cargo(task: &str) -> Command {
    let mut command = super::cargo();
    command.args([task, "--locked"]);
    command
}

/// Runs a command in the root of the repository and returns its standard output.
fn output_of(command: &mut Command) -> Result<Vec<u8>, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.current_dir(root()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|source| Error::Start { program, source })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let command = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    Err(Error::Failed { command, status: output.status })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_cleared_of_an_earlier_run_only() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        clear(folder.path()).unwrap();
        fs::write(at("lacuna-old.whl"), "old").unwrap();
        write_sums(folder.path()).unwrap();
        clear(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        fs::write(at("lacuna-old.whl"), "old").unwrap();
        write_sums(folder.path()).unwrap();
        fs::write(at("mine.txt"), "mine").unwrap();
        let error = clear(folder.path()).unwrap_err();
        assert!(matches!(error, Error::NotOurs { ref path } if *path == at("mine.txt")), "{error}");
        assert!(at("lacuna-old.whl").exists() && at(SUMS).exists());
        // Somebody else's sums, and a line without a name.
        fs::write(at(SUMS), "00  mine.txt\n00  lacuna-old.whl\n00  \n").unwrap();
        assert!(matches!(clear(folder.path()), Err(Error::NotOurs { path }) if path == at("mine.txt")));
        assert!(["mine.txt", "lacuna-old.whl", SUMS].iter().all(|name| at(name).exists()));
    }

    #[test]
    fn every_package_has_its_licences() {
        let Member { content, .. } = licences(TARGETS[0]).unwrap();
        let text = String::from_utf8(content).unwrap();
        let (list, texts) = text.split_once("\n---").unwrap();
        let packages: Vec<&str> = list.lines().skip(2).filter_map(|line| line.split('\t').next()).collect();
        assert!(packages.len() > 50 && packages.is_sorted());
        for package in packages {
            assert!(texts.contains(package), "{package}");
        }
        // The fonts of the package `dejavu` have a licence of their own.
        assert!(texts.contains("Bitstream Vera"));
    }

    #[test]
    fn what_states_the_version_states_that_of_the_workspace() {
        for name in ["CITATION.cff", "conda/recipe.yaml"] {
            let text = fs::read_to_string(root().join(name)).unwrap();
            let stated: Vec<&str> =
                text.lines().filter_map(|line| line.trim_start().strip_prefix("version: ")).collect();
            assert_eq!(stated.first(), Some(&env!("CARGO_PKG_VERSION")), "{name}");
        }
    }
}
