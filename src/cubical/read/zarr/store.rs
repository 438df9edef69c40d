//! The array of a directory: the directory itself, or one in a group.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Component, Path};

use serde_json::Value;

use super::metadata::{Array, Json, texts};
use crate::cubical::read::bytes::regular;
use crate::cubical::read::error::{Fault, ImageProblem, Place, some};
use crate::cubical::read::{is_zarr, no_store};
use crate::input::source;

/// Greatest length of a file of JSON. Those of groups may hold the metadata of all their arrays.
const LONGEST: u64 = 16 << 20;

/// The array at `path`: the only one, the finest of the image of OME-Zarr, or the one that `key` names.
pub(super) fn array(path: &Path, key: Option<&str>) -> Result<Array, Fault> {
    if let Some(key) = key {
        return match inside(path, key.trim_matches('/'))? {
            Some(array) => Ok(array),
            None => Err(Fault::of(format!("an array called {key:?}"), names(path)?)),
        };
    }
    if let Some(array) = of(path)? {
        return Ok(array);
    }
    if !is_zarr(path) {
        return Err(no_store().into());
    }
    let (third, second) = (json(path, "zarr.json")?, json(path, ".zattrs")?);
    let third = third.as_ref().and_then(|json| json.get("attributes"));
    let attributes = third.or(second.as_ref()).unwrap_or(&Value::Null);
    let file = if third.is_some() { "zarr.json" } else { ".zattrs" };
    let images = attributes["ome"].get("multiscales").or_else(|| attributes.get("multiscales"));
    let Some(images) = images.and_then(Value::as_array).filter(|images| !images.is_empty()) else {
        let found = format!("a group: {}", names(path)?);
        let problem = ImageProblem::whole("an array, or the images of OME-Zarr", found);
        return Err(problem.note("--key NAME takes one of the arrays").into());
    };
    let problem =
        |expected: &str, found: String| ImageProblem::new(Place::Named(file.to_owned()), expected, found);
    if images.len() > 1 {
        let problem = problem("one image in multiscales", images.len().to_string());
        return Err(problem.note("--key NAME takes one of the arrays").into());
    }
    let finest = &images[0]["datasets"][0]["path"];
    let name = finest.as_str().ok_or_else(|| problem("the path of the finest image", finest.to_string()))?;
    let mut array =
        inside(path, name)?.ok_or_else(|| problem("the path of an array", format!("{name:?}")))?;
    // Axes are objects from version 0.4 on, and letters before.
    if let Some(axes) = images[0]["axes"].as_array() {
        let name = |axis: &Value| axis["name"].as_str().or(axis.as_str()).unwrap_or("").to_owned();
        array.names = axes.iter().map(name).collect();
        if array.names.len() != array.extents.len() {
            let expected = format!("{} axes", array.extents.len());
            return Err(problem(&expected, format!("{:?}", array.names)).into());
        }
    }
    Ok(array)
}

/// The array in a directory of the store. Nothing outside of the store is opened.
fn inside(store: &Path, name: &str) -> Result<Option<Array>, Fault> {
    let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if Path::new(name).components().all(is_inside) { of(&store.join(name)) } else { Ok(None) }
}

/// The array whose metadata are in the directory.
fn of(path: &Path) -> Result<Option<Array>, Fault> {
    if let Some(value) = json(path, "zarr.json")? {
        let array = || Array::third(path.to_owned(), &Json { file: "zarr.json", value: &value });
        return Ok((value["node_type"] == "array").then(array).transpose()?);
    }
    let Some(value) = json(path, ".zarray")? else { return Ok(None) };
    let mut array = Array::second(path.to_owned(), &Json { file: ".zarray", value: &value })?;
    // Names that xarray gives to axes.
    let attributes = json(path, ".zattrs")?.unwrap_or_default();
    let names = attributes["_ARRAY_DIMENSIONS"].as_array();
    let names = names.filter(|names| names.len() == array.extents.len());
    array.names = names.map(|names| texts(names)).unwrap_or_default();
    Ok(Some(array))
}

/// The content of a file of JSON; `None` if there is no such file.
fn json(path: &Path, file: &str) -> Result<Option<Value>, Fault> {
    let (opened, length) = match regular(&path.join(file)) {
        Ok(opened) => opened,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    let problem =
        |expected: String, found| ImageProblem::new(Place::Named(file.to_owned()), expected, found).into();
    if length > LONGEST {
        return Err(problem(format!("at most {LONGEST} bytes of metadata"), length.to_string()));
    }
    let bytes = source::all_of(&mut opened.take(LONGEST), length as usize)?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| problem("JSON".to_owned(), error.to_string()))
}

/// The names of the arrays in a group, for messages.
fn names(path: &Path) -> Result<String, Fault> {
    let is_array = |path: &Path| path.join(".zarray").is_file() || path.join("zarr.json").is_file();
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if is_array(&path) {
            names.push(path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default());
        }
    }
    names.sort();
    let some = some(names.iter().map(String::as_str));
    Ok(if names.is_empty() { "no arrays".to_owned() } else { format!("arrays {some}") })
}
