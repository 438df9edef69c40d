//! Headers of text: lines of a name, a separator and a value.

use std::str::FromStr;

use super::error::ImageProblem;
use crate::cubical::voxel::VoxelType;
use crate::input::text::quote;

/// A line of a header.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    /// Number of the line, counted from 1.
    pub(super) line: usize,
    pub(super) name: String,
    pub(super) value: String,
}

/// The lines of a header.
#[derive(Debug, Default)]
pub(super) struct Fields(pub(super) Vec<Field>);

impl Fields {
    /// The fields in numbered lines, each of which is blank or as `expected`. Lines after the one named as `data` whose
    /// value begins with the word `LIST` are names of files, and are left.
    pub(super) fn of_lines(
        lines: &mut dyn Iterator<Item = (usize, &str)>,
        separator: char,
        expected: &str,
        data: &[&str],
    ) -> Result<Fields, ImageProblem> {
        let mut fields = Fields::default();
        for line in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let field = fields.add(line, separator, expected)?;
            if field.is(data) && field.value.split_whitespace().next() == Some("LIST") {
                break;
            }
        }
        Ok(fields)
    }

    /// The line with this name, in letters of any case. A format may know a field by several names.
    ///
    /// # Errors
    /// There are several such lines.
    pub(super) fn get(&self, names: &[&str]) -> Result<Option<&Field>, ImageProblem> {
        let mut found = self.0.iter().filter(|field| field.is(names));
        match (found.next(), found.next()) {
            (first, None) => Ok(first),
            (_, Some(second)) => {
                let expected = format!("one line {}", quote(names[0].as_bytes()));
                Err(ImageProblem::line(second.line, expected, "another"))
            }
        }
    }

    /// Adds a line, which is to be as `expected`: a name, the separator and a value.
    pub(super) fn add(
        &mut self,
        (number, line): (usize, &str),
        separator: char,
        expected: &str,
    ) -> Result<&Field, ImageProblem> {
        let Some((name, value)) = line.split_once(separator) else {
            return Err(ImageProblem::line(number, expected, quote(line.as_bytes())));
        };
        let [name, value] = [name, value].map(|part| part.trim().to_owned());
        Ok(self.0.push_mut(Field { line: number, name, value }))
    }

    /// Whether the numbers are big-endian by the line with this name, which has to be there if that `matters`.
    pub(super) fn big_endian(
        &self,
        names: &[&str],
        numbers: VoxelType,
        matters: bool,
    ) -> Result<bool, ImageProblem> {
        match self.get(names)? {
            None if matters => {
                let expected =
                    format!("a line {}, little or big, for numbers of {numbers}", quote(names[0].as_bytes()));
                Err(ImageProblem::whole(expected, "a header without one"))
            }
            None => Ok(false),
            Some(field) if field.value.eq_ignore_ascii_case("little") => Ok(false),
            Some(field) if field.value.eq_ignore_ascii_case("big") => Ok(true),
            Some(field) => Err(field.problem("little or big")),
        }
    }

    /// The lines with one of these names, in letters of any case, as they are written with this separator.
    pub(super) fn lines(&self, names: &[&str], separator: &str) -> Vec<String> {
        let line = |Field { name, value, .. }: &Field| format!("{name}{separator}{value}");
        self.0.iter().filter(|field| field.is(names)).map(line).collect()
    }

    /// Like [`Fields::get`], of a line that has to be there.
    pub(super) fn need(&self, names: &[&str]) -> Result<&Field, ImageProblem> {
        self.get(names)?.ok_or_else(|| {
            let expected = format!("a header with a line {}", quote(names[0].as_bytes()));
            ImageProblem::whole(expected, "a header without one")
        })
    }
}

impl Field {
    /// Whether the field has one of these names, in letters of any case.
    fn is(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.name.eq_ignore_ascii_case(name))
    }

    /// The error that the value is not what the format allows.
    pub(super) fn problem(&self, expected: impl Into<String>) -> ImageProblem {
        ImageProblem::line(self.line, expected, format!("{} {}", self.name, quote(self.value.as_bytes())))
    }

    /// The value as a number.
    pub(super) fn number<T: FromStr>(&self) -> Result<T, ImageProblem> {
        self.value.parse().map_err(|_| self.problem("a whole number"))
    }

    /// The value as a number of bytes before the voxels; `None` for −1, if these are the last bytes. That is an error
    /// if it may not be, which says where it `may` be.
    pub(super) fn skip(&self, is_plain: bool, may: &str) -> Result<Option<u64>, ImageProblem> {
        match self.number::<i64>()? {
            -1 if is_plain => Ok(None),
            -1 => Err(self.problem(may)),
            skip => u64::try_from(skip).map(Some).map_err(|_| self.problem("-1, or a number from 0 on")),
        }
    }

    /// The value as numbers between blanks.
    pub(super) fn numbers(&self) -> Result<Vec<u64>, ImageProblem> {
        let numbers: Result<_, _> = self.value.split_whitespace().map(str::parse).collect();
        numbers.map_err(|_| self.problem("whole numbers"))
    }

    /// The value as a truth value.
    pub(super) fn truth(&self) -> Result<bool, ImageProblem> {
        match self.value.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" | "yes" | "y" => Ok(true),
            "false" | "f" | "0" | "no" | "n" => Ok(false),
            _ => Err(self.problem("True or False")),
        }
    }

    /// Names of the files that the value states: one, numbered ones, or for the value `LIST` those in the lines `after`
    /// it.
    pub(super) fn files<'a>(
        &self,
        after: impl Iterator<Item = (usize, &'a str)>,
    ) -> Result<Vec<String>, ImageProblem> {
        let words: Vec<&str> = self.value.split_whitespace().collect();
        match words[..] {
            ["LIST"] | ["LIST", _] => {
                let names = after.map(|(_, line)| line.trim().to_owned()).filter(|name| !name.is_empty());
                let names: Vec<String> = names.collect();
                let is_none = names.is_empty();
                if is_none { Err(self.problem("a line for each file after LIST")) } else { Ok(names) }
            }
            // Another number may follow: how many axes a file has, which its size says as well.
            [pattern, first, last, step] | [pattern, first, last, step, _] if pattern.contains('%') => {
                let numbers = [first, last, step].map(|word| word.parse::<i64>().ok());
                let [Some(first), Some(last), Some(step)] = numbers else {
                    return Err(self.problem("a pattern, first and last number, and a step"));
                };
                numbered(self, pattern, [first, last, step])
            }
            _ => Ok(vec![self.value.clone()]),
        }
    }
}

/// The names of numbered files, as `pattern` of C's `printf` writes the numbers from `first` to `last`.
///
/// # Errors
/// The pattern has not exactly one `%d`, or there are no numbers.
fn numbered(
    field: &Field,
    pattern: &str,
    [first, last, step]: [i64; 3],
) -> Result<Vec<String>, ImageProblem> {
    /// Greatest number of files.
    const MOST: u64 = 1 << 20;
    let problem = || field.problem("a pattern such as slice%03d.raw, first and last number, and a step");
    let (before, rest) = pattern.split_once('%').ok_or_else(problem)?;
    let (width, after) = rest.split_once('d').ok_or_else(problem)?;
    let is_padded = width.starts_with('0');
    let digits: usize = if width.is_empty() { 0 } else { width.parse().map_err(|_| problem())? };
    let span = if step > 0 { last.checked_sub(first) } else { first.checked_sub(last) };
    let count = span.and_then(|span| u64::try_from(span).ok()?.checked_div(step.unsigned_abs()));
    let Some(count) = count.filter(|&count| count < MOST && digits < 32 && !after.contains('%')) else {
        return Err(problem());
    };
    let numbers = (0..=count).map(|k| first + step * k as i64);
    Ok(if is_padded {
        numbers.map(|number| format!("{before}{number:0digits$}{after}")).collect()
    } else {
        numbers.map(|number| format!("{before}{number:digits$}{after}")).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_files() {
        let names = |pattern: &str, numbers| {
            let field = Field { line: 3, name: "file".to_owned(), value: pattern.to_owned() };
            numbered(&field, pattern, numbers).map_err(|problem| problem.to_string())
        };
        assert_eq!(names("a%03d.raw", [8, 10, 1]).unwrap(), ["a008.raw", "a009.raw", "a010.raw"]);
        assert_eq!(names("a%d", [9, 12, 2]).unwrap(), ["a9", "a11"]);
        assert_eq!(names("%d", [2, 0, -1]).unwrap(), ["2", "1", "0"]);
        for (pattern, numbers) in [
            ("a", [0, 1, 1]),
            ("a%s", [0, 1, 1]),
            ("a%d%d", [0, 1, 1]),
            ("a%d", [1, 0, 1]),
            ("a%d", [0, 1, 0]),
            ("a%d", [i64::MIN, i64::MAX, 1]),
            ("a%d", [0, 1 << 40, 1]),
            ("a%099d", [0, 1, 1]),
        ] {
            let message = names(pattern, numbers).unwrap_err();
            assert!(message.starts_with("line 3: expected a pattern such as slice%03d.raw"), "{message}");
        }
    }
}
