//! NumPy arrays as files and in archives.

use std::io::{self, Write};

use npyz::WriterBuilder as _;

/// Encodes an array as a `.npy` file.
pub(super) fn npy<T>(axes: &[usize], order: npyz::Order, values: Vec<T>) -> io::Result<Vec<u8>>
where
    T: npyz::AutoSerialize,
{
    let axes: Vec<u64> = axes.iter().map(|&extent| extent as u64).collect();
    let mut bytes = Vec::new();
    let options = npyz::WriteOptions::<T>::new().default_dtype().shape(&axes).order(order);
    let mut writer = options.writer(&mut bytes).begin_nd()?;
    writer.extend(values)?;
    writer.finish()?;
    Ok(bytes)
}

/// Encodes an ASCII text as a `.npy` file, as NumPy stores `numpy.array(b"coo")`.
pub(super) fn npy_text(text: &str) -> io::Result<Vec<u8>> {
    let dtype = npyz::DType::Plain(format!("|S{}", text.len()).parse().map_err(io::Error::other)?);
    let mut bytes = Vec::new();
    let mut writer =
        npyz::WriteOptions::<[u8]>::new().dtype(dtype).shape(&[]).writer(&mut bytes).begin_nd()?;
    writer.push(text.as_bytes())?;
    writer.finish()?;
    Ok(bytes)
}

/// Builds an archive of named `.npy` files, as `numpy.savez` writes it.
pub(super) fn npz(arrays: &[(&str, Vec<u8>)]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut zip = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (name, array) in arrays {
        let member = format!("{name}.npy");
        let (mut entry, config) = zip.new_file(&member).start().map_err(io::Error::other)?;
        let mut writer = config.wrap(&mut entry);
        writer.write_all(array)?;
        let (_, descriptor) = writer.finish().map_err(io::Error::other)?;
        entry.finish(descriptor).map_err(io::Error::other)?;
    }
    zip.finish().map_err(io::Error::other)?;
    Ok(bytes)
}
