//! DIPHA's own files: inputs and diagrams in the folder that `LACUNA_SHARED` names (default: `../shared` beside the
//! repository). The tests are ignored by default; with `--ignored` they fail if it is missing.

use phat_formats::dipha::{
    DiagramPoint, DistanceMatrix, FileType, Image, SparseDistanceMatrix, file_type, read_boundary_matrix,
    read_diagram, write_diagram, write_image,
};
use std::fs;
use std::path::{Path, PathBuf};

/// Finds the folder.
fn folder() -> PathBuf {
    let named = std::env::var_os("LACUNA_SHARED").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let is_there = folder.join("data/dipha").is_dir() && folder.join("golden/dipha").is_dir();
    assert!(
        is_there,
        "no data/dipha and golden/dipha in {}: LACUNA_SHARED names the folder",
        folder.display()
    );
    folder
}

/// The files with this extension.
fn files(folder: &Path, extension: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|found| found == extension));
    paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
#[ignore = "needs LACUNA_SHARED"]
fn diagrams() {
    let folder = folder();
    let files = files(&folder.join("golden/dipha"), "diagram");
    assert!(!files.is_empty());
    for (path, file) in files {
        let points = read_diagram(&file).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // As DIPHA sorts, and with one greatest value for all classes that never die.
        let key = |point: &DiagramPoint| {
            let dim = i64::from(point.dim);
            (if point.essential { -dim - 1 } else { dim }, point.birth, point.death)
        };
        assert!(points.is_sorted_by_key(key), "{}", path.display());
        let mut essential = points.iter().filter(|point| point.essential).map(|point| point.death);
        assert!(essential.next().is_none_or(|death| essential.all(|other| other == death)));
        let mut again = Vec::new();
        write_diagram(&mut again, points.into_iter()).unwrap();
        assert_eq!(again, file, "{}", path.display());
    }
}

#[test]
#[ignore = "needs LACUNA_SHARED"]
fn inputs() {
    let folder = folder();
    let files = files(&folder.join("data/dipha"), "complex");
    assert!(!files.is_empty());
    for (path, file) in files {
        match file_type(&file).unwrap() {
            FileType::Image => {
                let image = Image::from_bytes(&file).unwrap();
                let mut again = Vec::new();
                write_image(&mut again, &image.shape, image.values.into_iter()).unwrap();
                assert_eq!(again, file, "{}", path.display());
            }
            FileType::BoundaryMatrix => {
                let complex = read_boundary_matrix::<u32>(&file).unwrap();
                assert_eq!(complex.matrix.check(), Ok(()), "{}", path.display());
                assert!(complex.values.is_sorted());
            }
            FileType::DistanceMatrix => assert_eq!(DistanceMatrix::from_bytes(&file).unwrap().len(), 32),
            FileType::SparseDistanceMatrix => {
                assert_eq!(SparseDistanceMatrix::from_bytes(&file).unwrap().len(), 32)
            }
            FileType::Diagram => panic!("{}: a diagram", path.display()),
        }
    }
}

/// DIPHA's tool made one from the other.
#[test]
#[ignore = "needs LACUNA_SHARED"]
fn a_complex_and_its_dual() {
    let folder = folder();
    let read = |name| fs::File::open(folder.join("data/dipha").join(name)).unwrap();
    let primal = read_boundary_matrix::<u32>(&read("primal_explicit.complex")).unwrap();
    let dual = read_boundary_matrix::<u32>(&read("dual_explicit.complex")).unwrap();
    assert_eq!((primal.matrix.len(), primal.matrix.entries(), primal.max_dim), (696, 1920, 2));
    assert_eq!(primal, dual);
}
