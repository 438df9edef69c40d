//! The format of an output, by `--output` or by the name of its file.

use std::fmt::Display;
use std::path::Path;

use clap::ValueEnum;
use lacuna::cells::MatrixFile;
use lacuna::cubical::write;
use lacuna::output::{self, curves, geometry, images, pairs, vectors};
use lacuna::plot::PlotFormat;

use super::error::UsageError;
use super::sink::Content;

/// A set of output formats.
pub(crate) trait OutputFormat: Copy + PartialEq + Display + 'static {
    /// File name extensions in lower case, each with the formats that it may stand for; the first is the default.
    const EXTENSIONS: &'static [(&'static str, &'static [Self])];

    /// The binary formats, which are not written to a terminal.
    const BINARY: &'static [Self];

    /// Whether a file of this format is text or binary.
    fn content(self) -> Content {
        if Self::BINARY.contains(&self) { Content::Binary } else { Content::Text }
    }
}

/// The formats that the name of the file at `path` may stand for, the likeliest first; `None` if it implies none.
fn named<F: OutputFormat>(path: &Path) -> Option<&'static [F]> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let ends_in = |extension: &str| name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.'));
    F::EXTENSIONS.iter().find(|(extension, _)| ends_in(extension)).map(|&(_, formats)| formats)
}

/// The format `given` by `--output`, or else the one that the file name at `path` implies; `None` if there is no path,
/// or its name has no extension.
///
/// # Errors
/// [`UsageError::Contradiction`]: the name implies another format. [`UsageError::UnknownEnding`]: the extension is
/// unknown.
pub(crate) fn format_of<F: OutputFormat>(
    given: Option<F>,
    path: Option<&Path>,
) -> Result<Option<F>, UsageError> {
    match (given, path.and_then(named::<F>), path) {
        (Some(given), Some(formats), Some(path)) if !formats.contains(&given) => {
            Err(UsageError::Contradiction {
                given: given.to_string(),
                named: formats[0].to_string(),
                path: path.to_path_buf(),
            })
        }
        (Some(given), _, _) => Ok(Some(given)),
        (None, Some(formats), _) => Ok(Some(formats[0])),
        (None, None, Some(path)) if has_other_ending(path) => {
            Err(unknown_ending(path, &endings::<F>().collect::<Vec<_>>()))
        }
        (None, None, _) => Ok(None),
    }
}

/// Like [`format_of`], with a default. A text default also accepts the usual names of text files.
///
/// # Errors
/// As [`format_of`].
pub(crate) fn format_or<F: OutputFormat>(
    default: F,
    given: Option<F>,
    path: Option<&Path>,
) -> Result<F, UsageError> {
    let ending = path.and_then(Path::extension).map(|ending| ending.to_string_lossy().to_lowercase());
    let is_text = ending.is_some_and(|ending| ["txt", "out", "log"].contains(&&*ending));
    match format_of(given, path) {
        Err(UsageError::UnknownEnding { .. }) if is_text && default.content() == Content::Text => Ok(default),
        format => format.map(|format| format.unwrap_or(default)),
    }
}

/// Whether a name that implies no format has an extension. A name in `.gz` is rejected when the file is opened.
pub(crate) fn has_other_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending != "gz")
}

/// The extensions that imply a format.
pub(crate) fn endings<F: OutputFormat>() -> impl Iterator<Item = &'static str> {
    F::EXTENSIONS.iter().map(|&(extension, _)| extension)
}

/// The error for a name whose extension is unknown.
pub(crate) fn unknown_ending(path: &Path, known: &[&str]) -> UsageError {
    let mut endings = String::new();
    for (place, ending) in known.iter().enumerate() {
        endings += match place {
            0 => ".",
            _ if place + 1 == known.len() => " or .",
            _ => ", .",
        };
        endings += ending;
    }
    UsageError::UnknownEnding { path: path.to_path_buf(), endings }
}

/// The names of all formats of an output, for messages.
pub(crate) fn names<F: ValueEnum>() -> String {
    let names = F::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    names.map(|name| name.get_name().to_owned()).collect::<Vec<_>>().join(", ")
}

/// The default extension for files of a format.
pub(crate) fn extension_of<F: OutputFormat>(format: F) -> String {
    let named = F::EXTENSIONS.iter().find(|(_, formats)| formats[0] == format);
    named.map_or_else(|| format.to_string(), |(extension, _)| (*extension).to_owned())
}

/// The format of the drawing in the file at `path`.
///
/// # Errors
/// [`UsageError::GeometryName`]: the extension is none of a drawing format.
pub(crate) fn geometry_format(path: &Path) -> Result<geometry::GeometryFormat, UsageError> {
    let formats = named(path).ok_or_else(|| UsageError::GeometryName { path: path.to_path_buf() })?;
    Ok(formats[0])
}

/// The format of the picture in the file at `path`.
///
/// # Errors
/// [`UsageError::PictureName`]: the extension is none of a picture format.
pub(crate) fn picture_format(path: &Path) -> Result<PlotFormat, UsageError> {
    let formats = named(path).ok_or_else(|| UsageError::PictureName { path: path.to_path_buf() })?;
    Ok(formats[0])
}

impl OutputFormat for PlotFormat {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] =
        &[("svg", &[Self::Svg]), ("png", &[Self::Png]), ("pdf", &[Self::Pdf])];

    const BINARY: &'static [Self] = &[Self::Png, Self::Pdf];
}

impl OutputFormat for output::OutputFormat {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] = &[
        ("txt", &[Self::Text]),
        ("csv", &[Self::Csv]),
        ("json", &[Self::Json]),
        ("npy", &[Self::Npy]),
        ("npz", &[Self::Npz]),
    ];

    const BINARY: &'static [Self] = &[Self::Npy, Self::Npz];
}

impl OutputFormat for geometry::GeometryFormat {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] =
        &[("vtk", &[Self::Vtk]), ("ply", &[Self::Ply]), ("obj", &[Self::Obj])];

    const BINARY: &'static [Self] = &[Self::Vtk];
}

impl OutputFormat for images::ImageBarsFormat {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] = &[
        ("txt", &[Self::Text, Self::Cripser]),
        ("csv", &[Self::Csv, Self::Cripser]),
        ("json", &[Self::Json]),
        ("npy", &[Self::Npy]),
        ("npz", &[Self::Npz]),
        ("diagram", &[Self::Dipha]),
        ("dipha", &[Self::Dipha]),
    ];

    const BINARY: &'static [Self] = &[Self::Npy, Self::Dipha, Self::Npz];
}

impl OutputFormat for curves::CurveFormat {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] =
        &[("csv", &[Self::Csv]), ("json", &[Self::Json]), ("npy", &[Self::Npy])];

    const BINARY: &'static [Self] = &[Self::Npy];
}

impl OutputFormat for vectors::VectorFormat {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] =
        &[("csv", &[Self::Csv]), ("npy", &[Self::Npy])];

    const BINARY: &'static [Self] = &[Self::Npy];
}

impl OutputFormat for pairs::PairsFormat {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] = &[
        ("txt", &[Self::PhatAscii]),
        ("dat", &[Self::PhatAscii]),
        ("bin", &[Self::PhatBinary]),
        ("csv", &[Self::Csv]),
        ("json", &[Self::Json]),
        ("npz", &[Self::Npz]),
        ("diagram", &[Self::Dipha]),
        ("dipha", &[Self::Dipha]),
    ];

    const BINARY: &'static [Self] = &[Self::PhatBinary, Self::Dipha, Self::Npz];
}

impl OutputFormat for MatrixFile {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] = &[
        ("txt", &[Self::PhatAscii]),
        ("dat", &[Self::PhatAscii]),
        ("bin", &[Self::PhatBinary]),
        ("complex", &[Self::Dipha]),
        ("dipha", &[Self::Dipha]),
        ("npz", &[Self::Npz]),
        ("mtx", &[Self::MatrixMarket]),
        ("mm", &[Self::MatrixMarket]),
    ];

    const BINARY: &'static [Self] = &[Self::PhatBinary, Self::Dipha, Self::Npz];
}

impl OutputFormat for write::ImageOutputFormat {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] = &[
        ("png", &[Self::Png]),
        ("tif", &[Self::Tiff]),
        ("tiff", &[Self::Tiff]),
        ("npy", &[Self::Npy]),
        ("nii", &[Self::Nifti]),
        ("nii.gz", &[Self::NiftiGz]),
    ];

    const BINARY: &'static [Self] = &[Self::Png, Self::Tiff, Self::Npy, Self::Nifti, Self::NiftiGz];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_name_that_tells_it_but_for_cripser_s() {
        fn untold<F: OutputFormat + ValueEnum>() -> Vec<F> {
            let is_told = |format: &&F| F::EXTENSIONS.iter().any(|(_, formats)| formats[0] == **format);
            F::value_variants().iter().filter(|format| !is_told(format)).copied().collect()
        }
        assert_eq!(untold::<output::OutputFormat>(), []);
        assert_eq!(untold::<curves::CurveFormat>(), []);
        assert_eq!(untold::<pairs::PairsFormat>(), []);
        assert_eq!(untold::<geometry::GeometryFormat>(), []);
        assert_eq!(untold::<PlotFormat>(), []);
        assert_eq!(untold::<vectors::VectorFormat>(), []);
        assert_eq!(untold::<MatrixFile>(), []);
        assert_eq!(untold::<write::ImageOutputFormat>(), []);
        assert_eq!(untold::<write::ImageFile>(), []);
        assert_eq!(untold::<lacuna::metric::write::DistanceFile>(), []);
        assert_eq!(untold::<lacuna::compare::write::BarcodeFile>(), []);
        assert_eq!(untold::<images::ImageBarsFormat>(), [images::ImageBarsFormat::Cripser]);
    }

    #[test]
    fn the_option_then_the_name_then_nothing() {
        let format = |given, name: &str| format_of::<output::OutputFormat>(given, Some(Path::new(name)));
        use output::OutputFormat::{Csv, Json, Text};
        assert_eq!(format(None, "a.b/bars.CSV").unwrap(), Some(Csv));
        assert_eq!(format(None, "csv").unwrap(), None);
        assert_eq!(format(None, "a.b/bars").unwrap(), None);
        assert_eq!(format(Some(Json), "bars.data").unwrap(), Some(Json));
        assert_eq!(format(Some(Text), "bars.txt").unwrap(), Some(Text));
        assert_eq!(format_of::<output::OutputFormat>(None, None).unwrap(), None);
        let error = format(Some(Json), "bars.csv").unwrap_err();
        assert_eq!(
            error.to_string(),
            "--output json: expected another file name, found bars.csv, whose extension stands for csv"
        );
        assert_eq!(
            format(None, "bars.data").unwrap_err().to_string(),
            "bars.data: expected a name that ends in .txt, .csv, .json, .npy or .npz, or --output FORMAT, found another name"
        );
    }

    #[test]
    fn a_default_that_is_text_takes_the_names_of_texts() {
        use lacuna::cubical::write::ImageFile;
        use lacuna::metric::write::DistanceFile;
        let points = |name: &str| format_or(DistanceFile::PointCloud, None, Some(Path::new(name)));
        for name in ["a", "a.txt", "a.OUT", "a.log", "a.pts"] {
            assert_eq!(points(name).unwrap(), DistanceFile::PointCloud, "{name}");
        }
        assert!(points("a.png").is_err() && points("a.gz").is_ok());
        let image = |name: &str| format_or(ImageFile::Npy, None, Some(Path::new(name)));
        assert_eq!(image("a").unwrap(), ImageFile::Npy);
        assert!(image("a.txt").is_err() && image("a.mha").is_err());
    }
}
