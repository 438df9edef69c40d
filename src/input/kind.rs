//! Detection of the kind of a file from its beginning, its name, and the format and the name of the output.
//!
//! The beginning or the name of a file leaves one or several candidate kinds. They are narrowed to those that have the
//! format that was given and those that can be converted to the output. If several are left, a NumPy array is an image,
//! a table of numbers holds distances or points, and any other file is an error that names the candidates.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::{gzip, npz};
use crate::compare::read::BarcodeFormat;
use crate::compare::write::BarcodeFile;
use crate::cubical::read::ImageFormat;
use crate::cubical::write::ImageFile;
use crate::matrix::read::MatrixFormat;
use crate::metric::read::DistanceFormat;
use crate::metric::write::DistanceFile;
use crate::output::naming::FileFormat;

/// Kinds of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display, strum::IntoStaticStr)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[strum(serialize_all = "kebab-case")]
pub enum Kind {
    /// Images
    Image,
    /// Boundary matrices
    Matrix,
    /// Distances and points
    Distances,
    /// Bars, or pairs of cells
    Diagram,
}

use Kind::{Diagram, Distances, Image, Matrix};

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 4] = [Image, Matrix, Distances, Diagram];

    /// Whether the kind has an input format of this name.
    fn reads(self, name: &str) -> bool {
        match self {
            Image => name.parse::<ImageFormat>().is_ok(),
            Matrix => name.parse::<MatrixFormat>().is_ok(),
            Distances => name.parse::<DistanceFormat>().is_ok(),
            Diagram => name.parse::<BarcodeFormat>().is_ok(),
        }
    }

    /// Whether an output, by the name of its format or else by its own, is a file of this kind.
    pub fn writes(self, format: Option<&str>, out: &Path) -> bool {
        fn is_of<F: FileFormat>(format: Option<&str>, out: &Path) -> bool {
            match format {
                Some(name) => F::of_name(name).is_some(),
                None => F::of_file(out).is_some(),
            }
        }
        match self {
            Image => is_of::<ImageFile>(format, out),
            Matrix => is_of::<MatrixFormat>(format, out),
            Distances => is_of::<DistanceFile>(format, out),
            Diagram => is_of::<BarcodeFile>(format, out),
        }
    }

    /// Whether a file of this kind can be converted to an output of the kind `to`, or else to any by the output's
    /// format or name.
    pub fn becomes(self, to: Option<Kind>, format: Option<&str>, out: &Path) -> bool {
        match (self, to) {
            (Image, Some(to)) => matches!(to, Image | Matrix),
            (kind, Some(to)) => kind == to,
            (Image, None) => Image.writes(format, out) || Matrix.writes(format, out),
            (kind, None) => kind.writes(format, out),
        }
    }

    /// The kind of a file of the given format, if any, that `suits` if any does.
    ///
    /// # Errors
    /// Several kinds are possible.
    pub fn of_input(
        path: &Path,
        format: Option<&str>,
        suits: &dyn Fn(Kind) -> bool,
    ) -> Result<Kind, Vec<Kind>> {
        let found = of_file(path);
        let mut kinds = found.to_vec();
        if let Some(format) = format {
            kinds = narrowed(&Kind::ALL, |kind| kind.reads(format));
            // A format that belongs to one kind overrules the content of the file.
            kinds = narrowed(&kinds, |kind| kinds.len() == 1 || found.contains(&kind));
        }
        kinds = narrowed(&kinds, suits);
        match kinds[..] {
            [kind] => Ok(kind),
            // Arrays and piped inputs are images unless an option says otherwise.
            _ if kinds.contains(&Image) => Ok(Image),
            // Tables of numbers are distances or points.
            [Distances, Diagram] => Ok(Distances),
            _ => Err(kinds),
        }
    }

    /// The kind of a file that is one of `kinds`.
    ///
    /// # Errors
    /// More than one of them is possible.
    pub fn among(path: &Path, kinds: &[Kind]) -> Result<Kind, Vec<Kind>> {
        let left = narrowed(of_file(path), |kind| kinds.contains(&kind));
        if let [kind] = left[..] { Ok(kind) } else { Err(left) }
    }
}

/// The kinds for which `holds` is true, or all of them if it is true for none.
fn narrowed(kinds: &[Kind], holds: impl Fn(Kind) -> bool) -> Vec<Kind> {
    let left: Vec<Kind> = kinds.iter().copied().filter(|&kind| holds(kind)).collect();
    if left.is_empty() { kinds.to_vec() } else { left }
}

/// Number of leading bytes that are read to detect the kind of a text.
const HEAD: u64 = 1 << 16;

/// Candidate kinds, the likeliest first.
type Kinds = &'static [Kind];

/// Candidate kinds by the beginning and the name of a file. A file that cannot be read is reported by its reader.
fn of_file(path: &Path) -> Kinds {
    if path == Path::new("-") {
        return &Kind::ALL;
    }
    let mut head = Vec::new();
    if File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head)).is_err() {
        return &Kind::ALL;
    }
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    if head.starts_with(b"\x1f\x8b") {
        let unpacked = gzip::beginning(&head, HEAD);
        if !unpacked.is_empty() {
            return of_head(&unpacked, &name);
        }
    }
    if head.starts_with(b"PK\x03\x04") {
        return of_archive(&std::fs::read(path).unwrap_or_default());
    }
    of_head(&head, &name)
}

/// Candidate kinds by the names of the arrays in an archive.
fn of_archive(bytes: &[u8]) -> Kinds {
    let names = npz::arrays_of_archive(bytes);
    let has = |name: &str| names.iter().any(|found| found == name);
    if has("format") && has("shape") {
        &[Matrix, Distances]
    } else if has("bars") || has("pairs") || has("dgms") {
        &[Diagram]
    } else {
        &[Image, Distances]
    }
}

/// First bytes of files, and the kinds of these.
const BEGINNINGS: [(&[&[u8]], Kinds); 3] = [
    (&[b"\x93NUMPY"], &[Image, Distances, Diagram]),
    (&[b"ply\n", b"ply\r"], &[Distances]),
    (&[b"\x89PNG", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+", b"NRRD000", b"{volume"], &[Image]),
];

fn of_head(head: &[u8], name: &str) -> Kinds {
    let starts = |magic: &[u8]| head.starts_with(magic);
    if let Some((_, kinds)) = BEGINNINGS.iter().find(|(magic, _)| magic.iter().any(|magic| starts(magic))) {
        return kinds;
    }
    if let Ok(file_type) = phat_formats::dipha::file_type(head) {
        use phat_formats::dipha::FileType;
        return match file_type {
            FileType::BoundaryMatrix => &[Matrix],
            FileType::Image => &[Image],
            FileType::Diagram => &[Diagram],
            FileType::DistanceMatrix | FileType::SparseDistanceMatrix => &[Distances],
        };
    }
    let is_nifti = head.get(344..348).is_some_and(|magic| matches!(magic, b"n+1\0" | b"ni1\0"))
        || head.get(4..8).is_some_and(|magic| matches!(magic, b"n+2\0" | b"ni2\0"));
    if is_nifti {
        return &[Image];
    }
    if head.len() >= 14 && head[..14].eq_ignore_ascii_case(b"%%MatrixMarket") {
        let banner = head.split(|&byte| byte == b'\n').next().unwrap_or_default().to_ascii_lowercase();
        let is_symmetric = banner.windows(9).any(|word| word == b"symmetric");
        let is_array = banner.windows(5).any(|word| word == b"array");
        return if is_symmetric || is_array { &[Distances] } else { &[Matrix, Distances] };
    }
    let by_name = of_name(name.strip_suffix(".gz").unwrap_or(name));
    if starts(b"\x1f\x8b") {
        return by_name.unwrap_or(&Kind::ALL);
    }
    // Text contains NUL bytes only in UTF-16, which the readers of tables accept.
    if head.contains(&0) && !starts(b"\xff\xfe") && !starts(b"\xfe\xff") {
        return of_words(head).or(by_name).unwrap_or(&[Matrix, Distances, Diagram]);
    }
    let netpbm = matches!(head, [b'P', b'1' | b'2' | b'4' | b'5', blank, ..] if blank.is_ascii_whitespace());
    if netpbm { &[Image] } else { of_text(head).or(by_name).unwrap_or(&[Distances, Diagram]) }
}

/// Candidate kinds by the first 64-bit words. PHAT's matrix begins with its number of cells and a vertex without
/// boundary; PHAT's pairs begin with their number, and the second cell of a pair comes after the first. Read as
/// single-precision numbers, such words are almost 0.
fn of_words(head: &[u8]) -> Option<Kinds> {
    const MOST: i64 = 0xff_ffff_ffff;
    let words = head.as_chunks::<8>().0.iter().map(|&word| i64::from_le_bytes(word));
    match words.take(3).collect::<Vec<_>>()[..] {
        [1..=MOST, 0, 0] => Some(&[Matrix]),
        [1..=MOST, birth @ 0..=MOST, death @ 0..=MOST] if birth < death => Some(&[Diagram]),
        _ => None,
    }
}

/// Candidate kinds by the ending of a name.
fn of_name(name: &str) -> Option<Kinds> {
    let (_, ending) = name.rsplit_once('.')?;
    match ending {
        "png" | "pgm" | "pbm" | "tif" | "tiff" | "nii" | "perseus" | "raw" | "nrrd" | "nhdr" | "mha"
        | "mhd" | "vgi" | "vol" => Some(&[Image]),
        "diagram" | "pairs" => Some(&[Diagram]),
        "dat" => Some(&[Matrix]),
        "bin" => Some(&[Matrix, Distances, Diagram]),
        "pts" | "xyz" | "off" | "obj" | "ply" | "edges" | "coo" | "condensed" | "pdist" => Some(&[Distances]),
        _ => {
            let is_start = |start| ending.starts_with(start);
            let is_distances = ["lower", "upper", "dist", "point", "sparse"].into_iter().any(is_start);
            is_distances.then_some(&[Distances])
        }
    }
}

/// Candidate kinds by the first lines of a text, if they decide.
fn of_text(head: &[u8]) -> Option<Kinds> {
    let text = String::from_utf8_lossy(head);
    let lines = || text.trim_start_matches('\u{feff}').lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines().next()?;
    if first.starts_with('{')
        || first.to_ascii_lowercase().replace(' ', "").starts_with("dim,birth,death")
        || lines().take(8).any(|line| line.starts_with("persistence intervals in dim"))
    {
        return Some(&[Diagram]);
    }
    let whole =
        |line: &str| -> Option<Vec<u64>> { line.split_whitespace().map(|word| word.parse().ok()).collect() };
    let numbers: Vec<Vec<u64>> =
        lines().filter(|line| !line.starts_with('#')).take(2).map_while(whole).collect();
    match (&numbers.first()?[..], numbers.get(1).map(Vec::as_slice)) {
        // A PHAT matrix begins with a vertex.
        ([0], _) => Some(&[Matrix]),
        ([_], Some([_, _])) => Some(&[Diagram]),
        ([1..=3], Some([_])) => Some(&[Image, Distances]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_and_names() {
        for (head, name, kinds) in [
            (&b"\x93NUMPY\x01\0"[..], "a.npy", &[Image, Distances, Diagram][..]),
            (b"\x89PNG\r\n", "a", &[Image]),
            (b"P5 3 3", "a", &[Image]),
            (b"%%MatrixMarket matrix coordinate pattern general\n", "a", &[Matrix, Distances]),
            (b"%%MatrixMarket matrix array real symmetric\n", "a", &[Distances]),
            (b"{\"bars\":[]}", "a", &[Diagram]),
            (b"value range: [1,2]\ndistance matrix\npersistence intervals in dim 0:\n", "a.txt", &[Diagram]),
            (
                b"point cloud\nvalue range\ndistance matrix\npersistence intervals in dim 0:\n",
                "a.txt",
                &[Diagram],
            ),
            (b"dim,birth,death\n", "a.csv", &[Diagram]),
            (b"0\n0\n1 0 1\n", "a.txt", &[Matrix]),
            (b"3\n1 2\n3 4\n", "a.txt", &[Diagram]),
            (b"2\n3\n3\n1\n", "a.txt", &[Image, Distances]),
            (b"0.5 1\n2 3\n", "a.txt", &[Distances, Diagram]),
            (b"0.5 1\n2 3\n", "a.pts", &[Distances]),
            (&[0; 24], "a.bin", &[Matrix, Distances, Diagram]),
            (&[3, 1, 3].map(i64::to_le_bytes).concat(), "a", &[Diagram]),
            (&[3, 0, 0].map(i64::to_le_bytes).concat(), "a", &[Matrix]),
            (&[0.5_f32; 6].map(f32::to_le_bytes).concat(), "a.bin", &[Matrix, Distances, Diagram]),
            (b"\x1f\x8b\x08", "a.nii.gz", &[Image]),
            (b"\x1f\x8b\x08", "a.lower_distance.gz", &[Distances]),
        ] {
            assert_eq!(of_head(head, name), kinds, "{name}");
        }
        let dipha = |file_type: i64| [8_067_171_840_i64, file_type].map(i64::to_le_bytes).concat();
        let kinds = [0, 1, 2, 7, 8].map(|file_type| of_head(&dipha(file_type), "a")[0]);
        assert_eq!(kinds, [Matrix, Image, Diagram, Distances, Distances]);
    }
}
