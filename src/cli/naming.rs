//! Which format an output has: the one that `--output` says, or the one that its name tells.

use std::path::Path;

use lacuna::cubical::write;
use lacuna::matrix::read::Format as MatrixFormat;
use lacuna::output::{self, curves, images, pairs};

use super::error::CliError;
use super::sink::Content;

/// A format that files of some name have.
pub(crate) trait Named: Copy + PartialEq + 'static {
    /// Extensions of names, in small letters, each with the formats that files of that name may have: the first unless another is
    /// asked for.
    const EXTENSIONS: &'static [(&'static str, &'static [Self])];

    /// What `--output` calls it.
    fn label(self) -> &'static str;

    /// Whether a terminal can show it.
    fn content(self) -> Content;
}

/// The format `given` by `--output`, or else that of the name of the file at `path`; none, if neither says.
///
/// # Errors
/// [`CliError::Contradiction`]: the name is that of another format.
pub(crate) fn format_of<F: Named>(given: Option<F>, path: Option<&Path>) -> Result<Option<F>, CliError> {
    let name =
        path.and_then(Path::file_name).map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let ends_in = |extension: &str| name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.'));
    let named = F::EXTENSIONS.iter().find(|(extension, _)| ends_in(extension)).map(|&(_, formats)| formats);
    match (given, named, path) {
        (Some(given), Some(formats), Some(path)) if !formats.contains(&given) => {
            Err(CliError::Contradiction {
                given: given.label(),
                named: formats[0].label(),
                path: path.to_path_buf(),
            })
        }
        (Some(given), _, _) => Ok(Some(given)),
        (None, named, _) => Ok(named.map(|formats| formats[0])),
    }
}

/// The extension of the files of a format that is given no name.
pub(crate) fn extension_of<F: Named>(format: F) -> &'static str {
    let named = F::EXTENSIONS.iter().find(|(_, formats)| formats[0] == format);
    named.map_or_else(|| format.label(), |(extension, _)| extension)
}

impl Named for output::OutputFormat {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] =
        &[("txt", &[Self::Text]), ("csv", &[Self::Csv]), ("json", &[Self::Json]), ("npy", &[Self::Npy])];

    fn label(self) -> &'static str {
        self.name()
    }

    fn content(self) -> Content {
        match self {
            Self::Text | Self::Csv | Self::Json => Content::Text,
            Self::Npy => Content::Binary,
        }
    }
}

impl Named for images::Format {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] = &[
        ("txt", &[Self::Text, Self::Cripser]),
        ("csv", &[Self::Csv, Self::Cripser]),
        ("json", &[Self::Json]),
        ("npy", &[Self::Npy]),
        ("diagram", &[Self::Dipha]),
        ("dipha", &[Self::Dipha]),
    ];

    fn label(self) -> &'static str {
        self.name()
    }

    fn content(self) -> Content {
        match self {
            Self::Text | Self::Csv | Self::Json | Self::Cripser => Content::Text,
            Self::Npy | Self::Dipha => Content::Binary,
        }
    }
}

impl Named for curves::Format {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] =
        &[("csv", &[Self::Csv]), ("json", &[Self::Json]), ("npy", &[Self::Npy])];

    fn label(self) -> &'static str {
        self.name()
    }

    fn content(self) -> Content {
        match self {
            Self::Csv | Self::Json => Content::Text,
            Self::Npy => Content::Binary,
        }
    }
}

impl Named for pairs::Format {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] = &[
        ("txt", &[Self::PhatAscii]),
        ("dat", &[Self::PhatAscii]),
        ("bin", &[Self::PhatBinary]),
        ("csv", &[Self::Csv]),
        ("json", &[Self::Json]),
        ("diagram", &[Self::Dipha]),
        ("dipha", &[Self::Dipha]),
    ];

    fn label(self) -> &'static str {
        self.name()
    }

    fn content(self) -> Content {
        match self {
            Self::PhatAscii | Self::Csv | Self::Json => Content::Text,
            Self::PhatBinary | Self::Dipha => Content::Binary,
        }
    }
}

impl Named for MatrixFormat {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] = &[
        ("txt", &[Self::PhatAscii]),
        ("dat", &[Self::PhatAscii]),
        ("bin", &[Self::PhatBinary]),
        ("complex", &[Self::Dipha]),
        ("dipha", &[Self::Dipha]),
    ];

    fn label(self) -> &'static str {
        self.name()
    }

    fn content(self) -> Content {
        match self {
            Self::PhatAscii | Self::MatrixMarket => Content::Text,
            Self::PhatBinary | Self::Dipha | Self::Npz => Content::Binary,
        }
    }
}

impl Named for write::Format {
    const EXTENSIONS: &'static [(&'static str, &'static [Self])] = &[
        ("png", &[Self::Png]),
        ("tif", &[Self::Tiff]),
        ("tiff", &[Self::Tiff]),
        ("npy", &[Self::Npy]),
        ("nii", &[Self::Nifti]),
        ("nii.gz", &[Self::NiftiGz]),
    ];

    fn label(self) -> &'static str {
        self.name()
    }

    fn content(self) -> Content {
        Content::Binary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_name_that_tells_it_but_for_cripser_s() {
        fn told<F: Named>(formats: &[F]) -> Vec<F> {
            let is_told = |format: &&F| F::EXTENSIONS.iter().any(|(_, formats)| formats[0] == **format);
            formats.iter().filter(is_told).copied().collect()
        }
        assert_eq!(told(&output::OutputFormat::ALL), output::OutputFormat::ALL);
        assert_eq!(told(&curves::Format::ALL), curves::Format::ALL);
        assert_eq!(told(&pairs::Format::ALL), pairs::Format::ALL);
        // The others are read alone.
        let written = [MatrixFormat::PhatAscii, MatrixFormat::PhatBinary, MatrixFormat::Dipha];
        assert_eq!(told(&MatrixFormat::ALL), written);
        assert_eq!(told(&write::Format::ALL), write::Format::ALL);
        assert_eq!(told(&images::Format::ALL).len(), images::Format::ALL.len() - 1);
    }

    #[test]
    fn the_option_then_the_name_then_nothing() {
        let format = |given, name: &str| format_of::<output::OutputFormat>(given, Some(Path::new(name)));
        use output::OutputFormat::{Csv, Json, Text};
        assert_eq!(format(None, "a.b/bars.CSV").unwrap(), Some(Csv));
        assert_eq!(format(None, "csv").unwrap(), None);
        assert_eq!(format(None, "bars.data").unwrap(), None);
        assert_eq!(format(Some(Json), "bars.data").unwrap(), Some(Json));
        assert_eq!(format(Some(Text), "bars.txt").unwrap(), Some(Text));
        assert_eq!(format_of::<output::OutputFormat>(None, None).unwrap(), None);
        let error = format(Some(Json), "bars.csv").unwrap_err();
        assert_eq!(
            error.to_string(),
            "--output json: expected a file of another name, found bars.csv, which is that of csv"
        );
    }
}
