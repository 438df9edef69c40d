//! Rejects files of other programs, with advice on how to get distances or points from them.

use super::error::{Place, Problem};
use crate::input::foreign::{Kind, recognize};

/// Rejects a file whose kind holds distances or points only for other programs.
pub(super) fn check(bytes: &[u8]) -> Result<(), Problem> {
    match recognize(bytes, Some(bytes.len() as u64)).and_then(|(what, kind)| Some((what, advice(kind)?))) {
        Some((what, advice)) => Err(Problem::new(Place::Byte(0), "distances or points", what).note(advice)),
        None => Ok(()),
    }
}

/// Advice for a kind of file; `None` for kinds that are read.
fn advice(kind: Kind) -> Option<String> {
    Some(match kind {
        Kind::Numpy => return None,
        Kind::Image => "lacuna cubical reads images".into(),
        Kind::LossyImage | Kind::OtherImage | Kind::ColorImage | Kind::MetaImage | Kind::Vol | Kind::Dicom => {
            "lacuna cubical reads images, as PNG, TIFF or NIfTI".into()
        }
        Kind::Loadable(call) => format!("numpy.save(\"x.npy\", {call}) makes an array of it"),
        Kind::Vtk => "numpy.save(\"x.npy\", pyvista.read(FILE).points) makes an array of its points".into(),
        Kind::Matlab => "writematrix(D, \"x.csv\") in MATLAB or numpy.save(\"x.npy\", scipy.io.loadmat(FILE)[NAME]) makes a table \
                         or an array of it"
            .into(),
        Kind::Matlab73 => "writematrix(D, \"x.csv\") in MATLAB makes a table of it".into(),
        Kind::Pandas(function) => {
            format!("numpy.save(\"x.npy\", pandas.{function}(FILE).to_numpy()) makes an array of it")
        }
        Kind::Sheet | Kind::Document => "export its table as CSV".into(),
        Kind::R => "write.table(as.matrix(D), \"x.txt\") in R makes a table of it".into(),
        Kind::Compressed(program) => format!("unpack it: {program} FILE | lacuna rips -"),
        Kind::Phat => "lacuna reduce reads it".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_named_with_what_helps() {
        for (bytes, what, remedy) in [
            (&b"\x89HDF\r\n\x1a\n...."[..], "HDF5", "numpy.save"),
            (b"MATLAB 5.0 MAT-file, Platform", "MATLAB", "writematrix"),
            (b"PAR1\x15...", "Parquet", "read_parquet"),
            (b"\x80\x04\x95..........", "pickle", "numpy.save"),
            (b"\x89PNG\r\n\x1a\n", "PNG", "lacuna cubical"),
            (b"PK\x03\x04....[Content_Types].xml", "Excel", "CSV"),
            (&[&[1, 0, 0, 0, 0, 0, 0, 0][..], &[0; 16]].concat(), "PHAT", "lacuna reduce"),
        ] {
            let message = check(bytes).unwrap_err().to_string();
            assert!(message.contains(what) && message.contains(remedy), "{message}");
        }
        for bytes in [&b"1 2\n"[..], b"", b"\x80\x3f\0\0\0\0\x80\x3f", &[0; 24], b"\x93NUMPY\x01\0"] {
            assert!(check(bytes).is_ok(), "{bytes:?}");
        }
    }
}
