//! The format of an output, by `--output` or by the name of its file.

use std::path::Path;

use clap::ValueEnum;
use lacuna::internals::FileFormat;

use super::error::{CliError, Result, usage};
use super::sink::Content;

/// Names of the binary formats, which are not written to a terminal.
const BINARY: [&str; 14] = [
    "binary",
    "dipha",
    "metaimage",
    "nifti",
    "nifti-gz",
    "npy",
    "npz",
    "nrrd",
    "pdf",
    "phat-binary",
    "png",
    "raw",
    "tiff",
    "vtk",
];

/// A set of output formats that the command line names.
pub(crate) trait OutputFormat: FileFormat + ValueEnum {
    /// The name on the command line.
    fn name(self) -> String {
        self.to_string()
    }

    /// Whether a file of this format is text or binary.
    fn content(self) -> Content {
        if BINARY.contains(&&*self.name()) { Content::Binary } else { Content::Text }
    }
}

impl<F: FileFormat + ValueEnum> OutputFormat for F {}

/// The format `given` by `--output`, or else the one that the file name at `path` implies; `None` if there is no path,
/// or its name has no extension.
///
/// # Errors
/// The name implies another format, or the extension is unknown.
pub(crate) fn format_of<F: OutputFormat>(given: Option<F>, path: Option<&Path>) -> Result<Option<F>> {
    match (given, path.and_then(F::of_file), path) {
        (Some(given), Some(formats), Some(path)) if !formats.contains(&given) => Err(usage(format_args!(
            "--output {}: expected another file name, found {}, whose extension stands for {}",
            given.name(),
            path.display(),
            formats[0].name()
        ))),
        (Some(given), _, _) => Ok(Some(given)),
        (None, Some(formats), _) => Ok(Some(formats[0])),
        (None, None, Some(path)) if has_other_ending(path) => {
            Err(unknown_ending(path, &endings::<F>().collect::<Vec<_>>()))
        }
        (None, None, _) => Ok(None),
    }
}

/// Like [`format_of`], but `default` if no format is implied. Endings of text in general do not contradict a default
/// that is text.
pub(crate) fn format_or<F: OutputFormat>(default: F, given: Option<F>, path: Option<&Path>) -> Result<F> {
    let ending = path.and_then(Path::extension).map(|ending| ending.to_string_lossy().to_lowercase());
    let is_text = ending.is_some_and(|ending| ["txt", "out", "log"].contains(&&*ending));
    let is_open = given.is_none() && path.and_then(F::of_file).is_none();
    if is_open && is_text && default.content() == Content::Text {
        return Ok(default);
    }
    Ok(format_of(given, path)?.unwrap_or(default))
}

/// Whether a file has an extension, other than that of a compressed file, which may be a part of another.
pub(crate) fn has_other_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending != "gz")
}

/// The extensions of a set of formats.
pub(crate) fn endings<F: OutputFormat>() -> impl Iterator<Item = &'static str> {
    F::extensions().map(|(extension, _)| extension)
}

/// The error of a file whose extension is not one of `known`.
pub(crate) fn unknown_ending(path: &Path, known: &[&str]) -> CliError {
    let (path, endings) = (path.display(), either(".", known.iter().copied()));
    usage(format_args!(
        "{path}: expected a name that ends in {endings}, or --output FORMAT, found another name"
    ))
}

/// The names of all formats of an output, for messages.
pub(crate) fn names<F: ValueEnum>() -> String {
    let names = F::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    names.map(|name| name.get_name().to_owned()).collect::<Vec<_>>().join(", ")
}

/// The default extension for files of a format.
pub(crate) fn extension_of<F: OutputFormat>(format: F) -> String {
    let name = format.name();
    let named = F::extensions().find(|(_, formats)| formats.split(',').next() == Some(&*name));
    named.map_or_else(|| name.clone(), |(extension, _)| extension.to_owned())
}

/// The format of the drawing or picture, which messages call `what`, in the file at `path`.
///
/// # Errors
/// The extension is none of such a format.
pub(crate) fn format_named<F: OutputFormat>(what: &str, path: &Path) -> Result<F> {
    let formats = F::of_file(path).ok_or_else(|| {
        let (endings, found) = (either("*.", endings::<F>()), path.display());
        usage(format_args!("{what}: expected a file named {endings}, found {found}"))
    })?;
    Ok(formats[0])
}

/// Extensions with something before each, as alternatives.
fn either<'a>(before: &str, endings: impl Iterator<Item = &'a str>) -> String {
    let endings: Vec<String> = endings.map(|ending| format!("{before}{ending}")).collect();
    let endings = endings.join(", ");
    endings.rsplit_once(", ").map(|(others, last)| format!("{others} or {last}")).unwrap_or(endings)
}

#[cfg(test)]
mod tests {
    use lacuna::cubical::write::ImageFile;
    use lacuna::metric::write::DistanceFile;

    use super::*;

    #[test]
    fn contents_go_by_the_names() {
        let contents = [DistanceFile::Binary, DistanceFile::Sparse].map(OutputFormat::content);
        assert_eq!(contents, [Content::Binary, Content::Text]);
        assert_eq!(ImageFile::Perseus.content(), Content::Text);
    }
}
