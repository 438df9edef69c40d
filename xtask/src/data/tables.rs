//! The list of cases and the provenance table.

use super::catalogue::{Case, Input};

const README: &str = include_str!("README.head.md");

/// cases.tsv: a line a case.
pub(super) fn cases(cases: &[Case], inputs: &[Input]) -> String {
    let row = |case: &Case| {
        let input = inputs.iter().find(|input| input.file == case.file);
        let format = input.map_or("", |input| input.format.name());
        format!("{}\t{}\t{format}\t{}\texpected/{}.txt\n", case.name, case.file, case.arguments(), case.name)
    };
    "name\tfile\tformat\targuments\texpected\n".to_owned() + &cases.iter().map(row).collect::<String>()
}

/// README.md: the text in README.head.md, then a row an input.
pub(super) fn readme(inputs: &[Input]) -> String {
    let row = |input: &Input| {
        let seed = input.seed.map_or("–".to_owned(), |seed| seed.to_string());
        format!(
            "| `{}` | {} | `{}` | {seed} | {} | {} |\n",
            input.file,
            input.format.name(),
            input.generator,
            input.space.len(),
            input.shows
        )
    };
    README.to_owned() + &inputs.iter().map(row).collect::<String>()
}
