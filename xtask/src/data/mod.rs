//! data/: generated as a whole, so that the committed files can be checked against their generator.

mod arrays;
mod catalogue;
mod complexes;
mod cubical;
mod encode;
mod expected;
pub(crate) mod images;
mod reductions;
mod spaces;
mod tables;
mod thinning;
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use lacuna::cubical::ShapeError;
use lacuna::metric::MetricError;

use catalogue::CASES;

/// The error of a data/ that cannot be written or differs from the generated one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DataError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A generator returned invalid distances.
    #[error("a generator is wrong: {0}")]
    Space(#[from] MetricError),
    /// A generator returned voxels that do not fill a shape.
    #[error("a generator is wrong: {0}")]
    Shape(#[from] ShapeError),
    /// A case names an input that does not exist.
    #[error("case {case}: no input is called {file}")]
    NoInput {
        /// The name of the case.
        case: &'static str,
        /// The file that it names.
        file: &'static str,
    },
    /// Committed files differ from the generated ones, are missing, or are not generated.
    #[error("not as generated (run `cargo xtask data` and look at the difference): {}", .0.join(", "))]
    Differs(Vec<String>),
}

/// Maps the path relative to data/ to the content.
type Files = BTreeMap<String, Vec<u8>>;

/// Writes data/ and returns the number of files.
pub(crate) fn write() -> Result<usize, DataError> {
    let files = generate()?;
    for (name, bytes) in &files {
        let path = root().join(name);
        let folder = path.parent().unwrap_or(Path::new("."));
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, bytes));
        written.map_err(|source| DataError::Io { path, source })?;
    }
    Ok(files.len())
}

/// Compares data/ with the output of [`write()`], and returns the number of files.
pub(crate) fn check() -> Result<usize, DataError> {
    let files = generate()?;
    let committed = committed(&root())?;
    let names = files.keys().chain(committed.keys().filter(|name| !files.contains_key(*name)));
    let differing: Vec<String> =
        names.filter(|name| files.get(*name) != committed.get(*name)).cloned().collect();
    if differing.is_empty() { Ok(files.len()) } else { Err(DataError::Differs(differing)) }
}

/// Generates every file of data/.
fn generate() -> Result<Files, DataError> {
    let inputs = catalogue::inputs()?;
    let mut files = Files::new();
    for input in &inputs {
        let bytes = encode::encode(input);
        let bytes = bytes.map_err(|source| DataError::Io { path: input.file.into(), source })?;
        files.insert(input.file.to_owned(), bytes);
    }
    for case in &CASES {
        let input = inputs.iter().find(|input| input.file == case.file);
        let input = input.ok_or(DataError::NoInput { case: case.name, file: case.file })?;
        files.insert(format!("expected/{}.txt", case.name), expected::text(case, input)?);
    }
    let complexes = reductions::inputs();
    reduction_files(&complexes, &mut files)?;
    let images = cubical::inputs()?;
    image_files(&images, &mut files)?;
    files.insert("cubical.tsv".to_owned(), tables::cubical(&cubical::CASES).into_bytes());
    files.insert("cases.tsv".to_owned(), tables::cases(&CASES, &inputs).into_bytes());
    files
        .insert("reductions.tsv".to_owned(), tables::reductions(&reductions::CASES, &complexes).into_bytes());
    let formats = images::images().map_err(|source| DataError::Io { path: "images".into(), source })?;
    for image in &formats {
        files.insert(format!("images/{}", image.file), image.bytes.clone());
    }
    files.insert("images.tsv".to_owned(), tables::images(&formats).into_bytes());
    let thick = thinning::inputs()?;
    thinning_files(&thick, &mut files)?;
    files.insert("thinning.tsv".to_owned(), tables::thinning(&thinning::CASES).into_bytes());
    let readme = tables::readme(&inputs, &complexes, &images, &formats, &thick);
    files.insert("README.md".to_owned(), readme.into_bytes());
    Ok(files)
}

/// Generates the inputs of `lacuna reduce` with the expected answers.
fn reduction_files(inputs: &[reductions::Input], files: &mut Files) -> Result<(), DataError> {
    for input in inputs {
        let bytes =
            words::input(input).map_err(|source| DataError::Io { path: input.file.into(), source })?;
        files.insert(input.file.to_owned(), bytes);
    }
    for case in &reductions::CASES {
        let input = inputs.iter().find(|input| input.file == case.file);
        let input = input.ok_or(DataError::NoInput { case: case.expected, file: case.file })?;
        files.insert(format!("expected/{}", case.expected), words::answer(&input.complex(), case.answer));
    }
    Ok(())
}

/// Generates the inputs of `lacuna thin` with their skeletons.
fn thinning_files(inputs: &[thinning::Input], files: &mut Files) -> Result<(), DataError> {
    let failed = |file: &str| {
        let path = file.into();
        |source| DataError::Io { path, source }
    };
    for input in inputs {
        files.insert(input.file.to_owned(), input.bytes().map_err(failed(input.file))?);
    }
    for case in &thinning::CASES {
        let input = inputs.iter().find(|input| input.file == case.file);
        let input = input.ok_or(DataError::NoInput { case: case.expected, file: case.file })?;
        let answer = case.answer(input).map_err(failed(case.expected))?;
        files.insert(format!("expected/{}", case.expected), answer);
    }
    Ok(())
}

/// Generates the inputs of `lacuna cubical` with the expected answers.
fn image_files(inputs: &[cubical::Input], files: &mut Files) -> Result<(), DataError> {
    let failed = |file: &str| {
        let path = file.into();
        |source| DataError::Io { path, source }
    };
    for input in inputs {
        files.insert(input.file.to_owned(), input.bytes().map_err(failed(input.file))?);
    }
    for case in &cubical::CASES {
        let input = inputs.iter().find(|input| input.file == case.file);
        let input = input.ok_or(DataError::NoInput { case: case.expected, file: case.file })?;
        let answer = case.answer(input).map_err(failed(case.expected))?;
        files.insert(format!("expected/{}", case.expected), answer);
    }
    Ok(())
}

/// Reads every file under `folder`.
fn committed(folder: &Path) -> Result<Files, DataError> {
    let mut files = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(path) = folders.pop() {
        let fail = |source| DataError::Io { path: path.clone(), source };
        for entry in fs::read_dir(&path).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).map_err(|source| DataError::Io { path: path.clone(), source })?;
                files.insert(relative(&path, folder), bytes);
            }
        }
    }
    Ok(files)
}

/// `path` relative to `folder`, with forward slashes on every platform.
fn relative(path: &Path, folder: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data")
}

#[cfg(test)]
mod tests {
    #[test]
    fn committed_data_is_what_the_generator_writes() {
        let checked = super::check();
        assert!(checked.is_ok(), "{}", checked.unwrap_err());
    }
}
