//! Images in unsupported formats: the Python statements in the error message make the same image.
//!
//! `LACUNA_PYTHON` names a Python with the modules (default `python3`). Missing modules are reported.

use std::env;
use std::path::Path;
use std::process::Command;

use lacuna::cubical::read::{ImageOptions, read};

use super::{Scratch, lacuna, packed, skipped};

/// Extents of the image, whose voxels are 0, 1, 2, …, the first axis fastest.
const EXTENTS: [usize; 3] = [2, 3, 4];

fn voxels() -> Vec<u8> {
    (0..24).collect()
}

/// The statements in the program's refusal of a file.
fn statements(path: &Path) -> String {
    let output = lacuna("cubical", [path]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let (_, advice) = said.split_once("; in Python, ").unwrap_or_else(|| panic!("no statements: {said}"));
    let (statements, _) = advice.rsplit_once(" makes ").unwrap();
    statements.to_owned()
}

/// Runs the statements from the refusal of a file, in an empty directory, and compares the resulting image.
fn check(name: &str, contents: &[(&str, Vec<u8>)], array: &str) {
    let scratch = Scratch::new();
    for (name, content) in contents {
        scratch.file(name, content);
    }
    let statements = statements(&scratch.path(name)).replace("FILE", &format!("{name:?}"));
    let statements = statements.replace("NAME", &format!("{array:?}"));
    // Modules are the importable names before a dot.
    let script = format!(
        "import importlib, re\n\
         for name in ['numpy'] + re.findall(r'\\b([A-Za-z]+)\\.', {statements:?}):\n\
         \x20   try: globals()[name] = importlib.import_module(name)\n\
         \x20   except ImportError: pass\n\
         {statements}\n"
    );
    let python = env::var_os("LACUNA_PYTHON").unwrap_or_else(|| "python3".into());
    let output = Command::new(python).current_dir(scratch.path(".")).args(["-c", &script]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("NameError") {
        return skipped(&format!(
            "{name}: a module is not installed: {}",
            said.lines().last().unwrap_or_default()
        ));
    }
    assert!(output.status.success(), "{statements}\n{said}");
    let made = scratch.path("x.npy");
    let image = read(&made, &ImageOptions::default()).unwrap();
    assert_eq!(image.shape().axes()[..3], EXTENTS, "{name}");
    let mut coordinates = vec![0; image.shape().axes().len()];
    for place in 0..image.shape().count() {
        coordinates.copy_from_slice(&image.shape().coordinates(place));
        let expected = coordinates[0] + 2 * (coordinates[1] + 3 * coordinates[2]);
        assert_eq!(image.value(place), expected as f64, "{name} {coordinates:?}");
    }
}

#[test]
fn vtk() {
    let mut file =
        b"# vtk DataFile Version 3.0\nby hand\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS 2 3 4\n\
        ORIGIN 0 0 0\nSPACING 1 1 1\nPOINT_DATA 24\nSCALARS density unsigned_char 1\nLOOKUP_TABLE default\n"
            .to_vec();
    file.extend(voxels());
    check("a.vtk", &[("a.vtk", file)], "density");
}

#[test]
fn freesurfer() {
    let mut file = [1_i32, 2, 3, 4, 1, 0, 0].map(i32::to_be_bytes).concat();
    file.resize(284, 0);
    file.extend(voxels());
    check("b.mgz", &[("b.mgz", packed(&file))], "");
    check("a.mgh", &[("a.mgh", file)], "");
}

#[test]
fn analyze() {
    let mut header = vec![0; 348];
    let mut put = |place: usize, bytes: &[u8]| header[place..place + bytes.len()].copy_from_slice(bytes);
    put(0, &348_i32.to_le_bytes());
    put(32, &16_384_i32.to_le_bytes());
    put(38, b"r");
    for (place, number) in [(40, 4_i16), (42, 2), (44, 3), (46, 4), (48, 1), (70, 2), (72, 8)] {
        put(place, &number.to_le_bytes());
    }
    for place in [80, 84, 88] {
        put(place, &1_f32.to_le_bytes());
    }
    check("a.hdr", &[("a.hdr", header.clone()), ("a.img", voxels())], "");
    check("a.img", &[("a.hdr", header), ("a.img", voxels())], "");
}
