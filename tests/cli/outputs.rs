//! Outputs that must be refused, and outputs that must be written.

use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::process::Command as Process;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

use super::{SQUARE, SQUARE_TEXT, Scratch, TRIANGLE, data, lacuna, read, rips, rips_of, skipped};

/// Runs a command whose output is its input: it is refused before anything is read or written.
fn refused(subcommand: &str, arguments: &[&str], input: &Path) {
    let before = fs::read(input).unwrap();
    let run = lacuna(subcommand, arguments).assert().code(2).stdout(is_empty());
    let said = contains("expected an output that is not the input");
    run.stderr(said.and(contains(input.file_name().unwrap().to_str().unwrap())));
    assert!(fs::read(input).unwrap() == before, "{subcommand} {arguments:?} has overwritten its input");
}

#[test]
fn the_input_is_never_overwritten() {
    let scratch = Scratch::new();
    let image = scratch.path("image.npy");
    fs::copy(data("cubical/shell.npy"), &image).unwrap();
    let square = scratch.file("square.txt", SQUARE);
    let matrix = scratch.file("matrix.dat", TRIANGLE);
    let [i, s, m] = [&image, &square, &matrix].map(|path| path.to_str().unwrap());
    for (subcommand, arguments, input) in [
        ("rips", &[s, "-o", s][..], &square),
        ("rips", &[s, "--stats", s], &square),
        ("reduce", &[m, "-o", m], &matrix),
        ("reduce", &[m, "--stats", m], &matrix),
        ("phat", &["--ascii", m, m], &matrix),
        ("cubical", &[i, "-o", i], &image),
        ("cubical", &[i, "--stats", i], &image),
        ("ecc", &[i, "-o", i], &image),
        ("ecc", &[i, "--stats", i], &image),
        ("thin", &[i, "-o", i], &image),
        ("thin", &[i, "--output", "npy", "-o", "-", "--stats", i], &image),
        ("convert", &[i, i], &image),
    ] {
        refused(subcommand, arguments, input);
    }
}

#[cfg(unix)]
#[test]
fn nor_is_it_by_another_name() {
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new();
    let square = scratch.file("square.txt", SQUARE);
    let (hard, soft) = (scratch.path("hard"), scratch.path("soft"));
    fs::hard_link(&square, &hard).unwrap();
    symlink("square.txt", &soft).unwrap();
    for output in [&hard, &soft] {
        refused("rips", &[square.to_str().unwrap(), "-o", output.to_str().unwrap()], &square);
        refused("rips", &[output.to_str().unwrap(), "-o", square.to_str().unwrap()], output);
    }
    let mut run = Process::new(env!("CARGO_BIN_EXE_lacuna"));
    run.args(["rips", "-", "-o"]).arg(&square).stdin(fs::File::open(&square).unwrap());
    assert_eq!(run.output().unwrap().status.code(), Some(2));
    assert_eq!(read(&square), SQUARE);
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_makes_its_target() {
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("deep")).unwrap();
    symlink("deep/second", scratch.path("first")).unwrap();
    symlink("target", scratch.path("deep/second")).unwrap();
    rips_of(SQUARE, &["-o", &scratch.name("first")]).assert().success();
    for link in ["first", "deep/second"] {
        assert!(fs::symlink_metadata(scratch.path(link)).unwrap().is_symlink(), "{link}");
    }
    assert_eq!(read(&scratch.path("deep/target")), SQUARE_TEXT);
    symlink("round", scratch.path("round")).unwrap();
    rips_of(SQUARE, &["-o", &scratch.name("round")]).assert().code(2).stderr(contains("round: "));
}

#[cfg(unix)]
mod unprivileged {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    use super::*;

    /// User without privileges; if the tests run without privileges, it is their user.
    const NOBODY: u32 = 65_534;

    /// Runs `lacuna rips` on [`SQUARE`] into `output`, without the privilege to write everywhere.
    fn rips_into(scratch: &Scratch, output: &Path) -> std::process::Output {
        let square = scratch.file("square.txt", SQUARE);
        // A copy that other users may execute, since the build folder may be closed to them. A separate process makes
        // it: if this one had the file open for writing, a process started by another test would inherit it and briefly
        // prevent its execution.
        let program = scratch.path("lacuna");
        let copied = Process::new("cp").arg(env!("CARGO_BIN_EXE_lacuna")).arg(&program).status().unwrap();
        assert!(copied.success());
        fs::set_permissions(scratch.0.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let mut run = Process::new(program);
        run.args(["rips", "--quiet"]).arg(square).arg("-o").arg(output);
        if fs::metadata(scratch.0.path()).is_ok_and(|found| std::os::unix::fs::MetadataExt::uid(&found) == 0)
        {
            run.uid(NOBODY).gid(NOBODY);
        }
        run.output().unwrap()
    }

    #[test]
    fn a_file_that_may_be_written_in_a_directory_that_may_not() {
        let scratch = Scratch::new();
        let closed = scratch.path("closed");
        fs::create_dir(&closed).unwrap();
        let bars = scratch
            .file("closed/bars.txt", "something longer than the bars, and much longer at that".repeat(9));
        fs::set_permissions(&bars, fs::Permissions::from_mode(0o666)).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
        let output = rips_into(&scratch, &bars);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(read(&bars), SQUARE_TEXT);
        let output = rips_into(&scratch, &closed.join("new.txt"));
        assert_eq!(output.status.code(), Some(2));
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// A mount point cannot be renamed over, only written.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_mounted() {
    let scratch = Scratch::new();
    let (square, bars) = (scratch.file("square.txt", SQUARE), scratch.file("bars.txt", "old ".repeat(99)));
    let beneath = scratch.file("beneath.txt", "old ".repeat(99));
    let script = "mount --bind \"$1\" \"$2\" || exit 77; exec \"$0\" rips --quiet \"$3\" -o \"$2\"";
    let mut run = Process::new("unshare");
    run.args(["--mount", "--map-root-user", "sh", "-c", script, env!("CARGO_BIN_EXE_lacuna")]);
    let run = run.args([&beneath, &bars, &square]).output();
    let Some(output) =
        run.ok().filter(|output| output.status.code() != Some(77) && !refuses_namespaces(output))
    else {
        return skipped("this system lets nobody mount");
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(read(&beneath), SQUARE_TEXT);
    assert_eq!(scratch.names(), ["bars.txt", "beneath.txt", "square.txt"]);
}

#[cfg(target_os = "linux")]
fn refuses_namespaces(output: &std::process::Output) -> bool {
    output.stderr.starts_with(b"unshare: ")
}

/// Standard output is a device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure() {
    for arguments in
        [&["--help"][..], &["--version"], &["rips", "--help"], &["help"], &["phat", "-h"], &["info"]]
    {
        let mut run = Process::new(env!("CARGO_BIN_EXE_lacuna"));
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = run.args(arguments).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.starts_with("error: cannot write standard output: "), "{arguments:?}: {said}");
    }
}

#[test]
fn the_name_of_the_output_decides_its_format() {
    let scratch = Scratch::new();
    let square = scratch.file("square.txt", SQUARE);
    let first = |name: &str| fs::read(scratch.path(name)).unwrap()[..6].to_vec();
    let image = data("cubical/shell.npy");
    let matrix = data("octahedron_surface.dat");
    for (subcommand, input, name, start) in [
        ("rips", &square, "bars.csv", "dim,bi"),
        ("rips", &square, "bars.JSON", "{\"poin"),
        ("rips", &square, "bars.npy", "\u{93}NUMPY"),
        ("rips", &square, "bars.npz", "PK\u{3}\u{4}\u{14}"),
        ("rips", &square, "bars.txt", "value "),
        ("rips", &square, "bars.out", "value "),
        ("cubical", &image, "bars.csv", "dim,bi"),
        ("cubical", &image, "bars.npy", "\u{93}NUMPY"),
        ("ecc", &image, "curve.npy", "\u{93}NUMPY"),
        ("ecc", &image, "curve.json", "{\"shap"),
        ("ecc", &image, "curve.csv", "value,"),
        ("reduce", &matrix, "pairs.json", "{\"cell"),
        ("reduce", &matrix, "pairs.csv", "dim,bi"),
        ("reduce", &matrix, "pairs.bin", "\u{c}\0\0\0\0\0"),
        ("reduce", &matrix, "pairs.dat", "12\n1 6"),
    ] {
        let arguments = [input.to_str().unwrap(), "-q", "-o", &scratch.name(name)];
        lacuna(subcommand, arguments).assert().success();
        let start: Vec<u8> = start.chars().map(|c| c as u8).collect();
        assert!(first(name).starts_with(&start[..5]), "{subcommand} -o {name}: {:?}", first(name));
    }
}

#[test]
fn a_format_and_a_name_that_contradict_are_refused() {
    let scratch = Scratch::new();
    let image = data("cubical/shell.npy");
    let image = image.to_str().unwrap();
    let matrix = data("octahedron_surface.dat");
    let square = scratch.file("square.txt", SQUARE);
    for (subcommand, input, format, name) in [
        ("rips", square.to_str().unwrap(), "json", "bars.csv"),
        ("cubical", image, "csv", "bars.npy"),
        ("ecc", image, "csv", "curve.npy"),
        ("reduce", matrix.to_str().unwrap(), "phat-ascii", "pairs.json"),
        ("thin", image, "npy", "skeleton.png"),
    ] {
        let arguments = [input, "--output", format, "-o", &scratch.name(name)];
        let said = contains(format!("--output {format}: ")).and(contains(name));
        lacuna(subcommand, arguments).assert().code(2).stdout(is_empty()).stderr(said);
    }
    let convert = ["--output", "dipha", image, &scratch.name("matrix.bin")];
    lacuna("convert", convert).assert().code(2).stderr(contains("--output dipha: "));
    assert_eq!(scratch.names(), ["square.txt"]);
    let cripser = [image, "--output", "cripser", "-q", "-o", &scratch.name("bars.csv")];
    lacuna("cubical", cripser).assert().success();
    let any = [square.to_str().unwrap(), "--output", "csv", "-q", "-o", &scratch.name("bars.table")];
    rips(any).assert().success();
}

/// Standard output is a terminal, provided by `script` of util-linux.
#[cfg(target_os = "linux")]
#[test]
fn nothing_binary_goes_to_a_terminal() {
    let scratch = Scratch::new();
    let square = scratch.file("square.txt", SQUARE);
    let program = env!("CARGO_BIN_EXE_lacuna");
    let line = format!("{program} rips --quiet --output npy {}", square.display());
    let run = Process::new("script").args(["--quiet", "--return", "--command", &line, "/dev/null"]).output();
    let Ok(output) = run else { return skipped("there is no program script") };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("binary") && said.contains("-o FILE") && !said.contains("NUMPY"), "{said}");
}

/// Names that imply a directory or compression.
#[test]
fn names_of_directories_and_of_compressed_files_are_refused() {
    let scratch = Scratch::new();
    let square = scratch.file("square.txt", SQUARE);
    let (square, image) = (square.to_str().unwrap(), data("cubical/shell.npy"));
    let folder = format!("{}/", scratch.name("stats"));
    rips([square, "--stats", &folder]).assert().code(2).stderr(contains("one that ends in /"));
    let packed = scratch.name("bars.csv.gz");
    let refused = || contains("does not end in .gz").and(contains("-o - | gzip"));
    rips([square, "-o", &packed]).assert().code(2).stderr(refused());
    let image = image.to_str().unwrap();
    for command in ["cubical", "ecc"] {
        lacuna(command, [image, "-o", &packed]).assert().code(2).stderr(refused());
    }
    lacuna("convert", [image, &packed]).assert().code(2).stderr(refused());
    assert_eq!(scratch.names(), ["square.txt"]);
    lacuna("convert", [image, &scratch.name("volume.nii.gz")]).assert().success();
}

/// Every command that chooses a format by name refuses names that imply none, and lists those that do.
#[test]
fn an_ending_that_tells_no_format_is_refused() {
    let scratch = Scratch::new();
    let square = scratch.name("square.txt");
    fs::write(&square, SQUARE).unwrap();
    let bars = scratch.name("bars.csv");
    fs::write(&bars, "dim,birth,death\n0,0,1\n").unwrap();
    let image = scratch.name("image.npy");
    lacuna("generate", ["field", "--shape", "4,2", "-q", "-o", &image]).assert().success();
    let matrix = scratch.name("matrix.bin");
    lacuna("convert", ["-q", &image, &matrix]).assert().success();
    let before = scratch.names();
    let refused = |command: &str, arguments: &[&str], out: &str, expected: &str| {
        let out = scratch.name(out);
        let run = lacuna(command, arguments).args(["-o", &out]).assert().code(2);
        run.stdout(is_empty()).stderr(contains(expected).and(contains("--output FORMAT, found")));
    };
    let of_bars = "expected a name that ends in .txt, .csv, .json, .npy or .npz, or";
    refused("rips", &[&square], "bars.xyz", of_bars);
    refused("cubical", &[&image], "bars.png", "expected a name that ends in .txt, .csv");
    refused("reduce", &[&matrix], "pairs.mha", "expected a name that ends in .txt, .dat, .bin");
    refused("ecc", &[&image], "curve.h5", "expected a name that ends in .csv, .json or .npy");
    refused("vectorize", &[&bars], "v.json", "expected a name that ends in .csv or .npy");
    refused("distance", &[&bars, &bars], "d.xlsx", "expected a name that ends in .txt, .csv, .json or .npy");
    let circle = ["circle", "--points", "3"];
    refused("generate", &circle, "c.png", "expected a name that ends in .lower");
    refused("generate", &["field", "--shape", "4,2"], "x.mnc", "expected a name that ends in .png");
    refused("generate", &["field", "--shape", "4,2"], "x.txt", "expected a name that ends in .png");
    for out in ["x.nhdr", "x.mhd", "x.h5", "x.foo"] {
        let expected =
            contains("expected a name that ends in .bin, .complex, .dat, .dipha").and(contains(".tiff"));
        lacuna("convert", [&image, &scratch.name(out)]).assert().code(2).stderr(expected);
    }
    let expected = contains("expected a name that ends in .lower");
    lacuna("convert", [&square, &scratch.name("x.png"), "--from", "distances"])
        .assert()
        .code(2)
        .stderr(expected);
    let plot = lacuna("plot", [&bars, "-o", &scratch.name("x.gif")]).assert().code(2);
    plot.stderr(contains("expected a file named *.svg, *.png or *.pdf"));
    assert_eq!(scratch.names(), before);
    // With an explicit format, any name is accepted.
    lacuna("generate", circle).args(["--output", "npy", "-o", &scratch.name("x.mha")]).assert().success();
    lacuna("generate", circle).args(["-o", &scratch.name("x.out")]).assert().success();
    lacuna("convert", [&image, &scratch.name("x")]).assert().success();
}
