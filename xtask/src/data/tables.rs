//! The list of cases and the provenance table.

use super::catalogue::{Case, Input};
use super::images::Image;
use super::{cubical, reductions, thinning};

const README: &str = include_str!("README.head.md");
const REDUCTIONS: &str = include_str!("README.reductions.md");
const CUBICAL: &str = include_str!("README.cubical.md");
const THINNING: &str = include_str!("README.thinning.md");
const IMAGES: &str = include_str!("README.images.md");

/// cases.tsv: one line per case.
pub(super) fn cases(cases: &[Case], inputs: &[Input]) -> String {
    let row = |case: &Case| {
        let input = inputs.iter().find(|input| input.file == case.file);
        let format = input.map_or_else(String::new, |input| input.format.to_string());
        format!("{}\t{}\t{format}\t{}\texpected/{}.txt\n", case.name, case.file, case.arguments(), case.name)
    };
    "name\tfile\tformat\targuments\texpected\n".to_owned() + &cases.iter().map(row).collect::<String>()
}

/// reductions.tsv: one line per case.
pub(super) fn reductions(cases: &[reductions::Case], inputs: &[reductions::Input]) -> String {
    let row = |case: &reductions::Case| {
        let input = inputs.iter().find(|input| input.file == case.file);
        let format = input.map_or_else(String::new, |input| input.format.to_string());
        format!("{}\t{format}\t--output {}\texpected/{}\n", case.file, case.answer.name(), case.expected)
    };
    "file\tformat\targuments\texpected\n".to_owned() + &cases.iter().map(row).collect::<String>()
}

/// cubical.tsv: one line per case.
pub(super) fn cubical(cases: &[cubical::Case]) -> String {
    let row =
        |case: &cubical::Case| format!("{}\t{}\texpected/{}\n", case.file, case.arguments(), case.expected);
    "file\targuments\texpected\n".to_owned() + &cases.iter().map(row).collect::<String>()
}

/// thinning.tsv: one line per case.
pub(super) fn thinning(cases: &[thinning::Case]) -> String {
    "file\targuments\texpected\n".to_owned() + &cases.iter().map(thinning::Case::row).collect::<String>()
}

/// images.tsv: one line per image.
pub(super) fn images(images: &[Image]) -> String {
    let row = |image: &Image| {
        let Image { file, format, options, dtype, .. } = image;
        format!("images/{file}\t{format}\t{options}\t{}\t{dtype}\n", extents(image, ","))
    };
    "file\tformat\toptions\tshape\tdtype\n".to_owned() + &images.iter().map(row).collect::<String>()
}

fn extents(image: &Image, separator: &str) -> String {
    let extents: Vec<String> = image.shape().iter().map(usize::to_string).collect();
    extents.join(separator)
}

/// README.md: the text of README.head.md with one row per input, and likewise for the complexes and the images.
pub(super) fn readme(
    inputs: &[Input],
    complexes: &[reductions::Input],
    images: &[cubical::Input],
    formats: &[Image],
    thick: &[thinning::Input],
) -> String {
    let row = |input: &Input| {
        let seed = input.seed.map_or("–".to_owned(), |seed| seed.to_string());
        format!(
            "| `{}` | {} | `{}` | {seed} | {} | {} |\n",
            input.file,
            input.format,
            input.generator,
            input.space.len(),
            input.shows
        )
    };
    let cells = |input: &reductions::Input| {
        let reductions::Input { file, format, generator, shows, .. } = input;
        format!("| `{file}` | {format} | `{generator}` | {} | {shows} |\n", input.complex().cells.len())
    };
    let spaces: String = inputs.iter().map(row).collect();
    let complexes: String = complexes.iter().map(cells).collect();
    let images: String = images.iter().map(cubical::Input::row).collect();
    let image = |image: &Image| {
        let Image { file, format, dtype, .. } = image;
        format!("| `images/{file}` | {format} | {} | {dtype} |\n", extents(image, " × "))
    };
    let formats: String = formats.iter().map(image).collect();
    let thick: String = thick.iter().map(thinning::Input::row).collect();
    [README, &spaces, REDUCTIONS, &complexes, CUBICAL, &images, IMAGES, &formats, THINNING, &thick].concat()
}
