//! The content of data/ for `lacuna reduce`: the inputs, and the runs whose answers are committed.

use lacuna::matrix::read::MatrixFormat;

use super::complexes::{self, Complex, Image};

/// The origin of an input.
pub(super) enum Shape {
    /// A cell complex.
    Complex(Complex),
    /// An image.
    Image(Image),
}

/// A committed input.
pub(super) struct Input {
    /// The file name.
    pub(super) file: &'static str,
    /// The format of the file.
    pub(super) format: MatrixFormat,
    /// The call that generates the input.
    pub(super) generator: &'static str,
    /// A description of the input, and what its pairs should show and why.
    pub(super) shows: &'static str,
    /// The complex or image.
    pub(super) shape: Shape,
}

/// A run whose output is committed as `expected/FILE`.
pub(super) struct Case {
    /// The input's file name.
    pub(super) file: &'static str,
    /// The output's format.
    pub(super) answer: Answer,
    /// The file name of the output.
    pub(super) expected: &'static str,
}

/// The formats of answers.
#[derive(Clone, Copy)]
pub(super) enum Answer {
    /// Pairs of cells as PHAT's text.
    PhatAscii,
    /// Pairs of cells as PHAT's binary file.
    PhatBinary,
    /// Bars, as comma-separated values.
    Csv,
    /// Bars, as a DIPHA diagram.
    Dipha,
}

impl Answer {
    /// The name of the format for `--output`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Answer::PhatAscii => "phat-ascii",
            Answer::PhatBinary => "phat-binary",
            Answer::Csv => "csv",
            Answer::Dipha => "dipha",
        }
    }
}

const fn case(file: &'static str, answer: Answer, expected: &'static str) -> Case {
    Case { file, answer, expected }
}

/// Every run with a committed answer.
pub(super) const CASES: [Case; 11] = [
    case("triangle.dat", Answer::PhatAscii, "triangle_pairs.dat"),
    case("triangle.mtx", Answer::PhatAscii, "triangle_pairs.dat"),
    case("triangle.npz", Answer::PhatAscii, "triangle_pairs.dat"),
    case("octahedron_surface.dat", Answer::PhatAscii, "octahedron_surface_pairs.dat"),
    case("octahedron_surface.bin", Answer::PhatBinary, "octahedron_surface_pairs.bin"),
    case("torus_surface.bin", Answer::PhatBinary, "torus_surface_pairs.bin"),
    case("projective_plane_surface.dat", Answer::PhatAscii, "projective_plane_surface_pairs.dat"),
    case("octahedron_height.complex", Answer::Csv, "octahedron_height.csv"),
    case("octahedron_height.complex", Answer::Dipha, "octahedron_height.diagram"),
    case("rings.complex", Answer::Csv, "rings.csv"),
    case("rings.complex", Answer::Dipha, "rings.diagram"),
];

/// Every committed input.
pub(super) fn inputs() -> Vec<Input> {
    let complex = |file, format, generator, shows, complex| Input {
        file,
        format,
        generator,
        shows,
        shape: Shape::Complex(complex),
    };
    vec![
        complex(
            "triangle.dat",
            MatrixFormat::PhatAscii,
            "triangle()",
            "a triangle with its faces: two edges join its vertices, the third closes a loop that the triangle fills; \
             one essential class",
            complexes::triangle(),
        ),
        complex(
            "triangle.mtx",
            MatrixFormat::MatrixMarket,
            "triangle()",
            "the same as a sparse matrix of Matrix Market, whose dimensions are those that boundaries tell",
            complexes::triangle(),
        ),
        complex(
            "triangle.npz",
            MatrixFormat::Npz,
            "triangle()",
            "the same as SciPy's sparse matrix",
            complexes::triangle(),
        ),
        complex(
            "octahedron_surface.dat",
            MatrixFormat::PhatAscii,
            "octahedron()",
            "the octahedron's surface by dimension: essential classes in dimensions 0 and 2",
            complexes::octahedron(),
        ),
        complex(
            "octahedron_surface.bin",
            MatrixFormat::PhatBinary,
            "octahedron()",
            "the same in binary",
            complexes::octahedron(),
        ),
        complex(
            "torus_surface.bin",
            MatrixFormat::PhatBinary,
            "torus()",
            "the torus of nine vertices, swept along one of its circles: essential classes 1, 2, 1",
            complexes::torus(),
        ),
        complex(
            "projective_plane_surface.dat",
            MatrixFormat::PhatAscii,
            "projective_plane()",
            "the projective plane of six vertices: over Z/2 an essential class in each of the dimensions 0, 1, 2",
            complexes::projective_plane(),
        ),
        complex(
            "octahedron_height.complex",
            MatrixFormat::Dipha,
            "octahedron_by_height()",
            "the octahedron's surface with heights: [0, ∞) in dimension 0, and [2.5, ∞) in dimension 2, which a DIPHA \
             diagram leaves out, as all essential classes of the greatest dimension",
            complexes::octahedron_by_height(),
        ),
        Input {
            file: "rings.complex",
            format: MatrixFormat::Dipha,
            generator: "rings()",
            shows: "an image of two dark rings and a dark dot: three bars in dimension 0, two in dimension 1, for each \
                    ring one from its own value to that of the brightest pixel inside",
            shape: Shape::Image(complexes::rings()),
        },
    ]
}

impl Input {
    /// The cell complex, also for an image.
    pub(super) fn complex(&self) -> Complex {
        match &self.shape {
            Shape::Complex(complex) => complex.clone(),
            Shape::Image(image) => image.complex(),
        }
    }
}
