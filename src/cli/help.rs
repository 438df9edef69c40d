//! The layout of the help: the first example stands above the options, the others and the exit codes end the long help.

use super::exit_codes;

/// The last line of the short help.
pub(crate) const MORE: &str = "See --help for all options, more examples and exit codes.";

/// The help page of a command with the first of its examples.
pub(crate) fn template(examples: &str) -> String {
    let first = examples.lines().nth(1).unwrap_or_default().trim();
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\nExample: {first}\n\n{{all-args}}{{after-help}}"
    )
}

/// The end of the long help: all examples, and the exit codes of the command.
pub(crate) fn after(examples: &str, codes: &[&str]) -> String {
    format!("{examples}\n\n{}", exit_codes::section(codes))
}

#[cfg(test)]
mod tests {
    use clap::builder::StyledStr;
    use clap::{Arg, Command, CommandFactory};
    use lacuna::cubical::read::ImageFormat;

    use crate::cli::Cli;

    /// Lines that a screen shows.
    const SCREEN: usize = 60;

    fn commands() -> Vec<Command> {
        let mut program = Cli::command();
        program.build();
        program.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect()
    }

    /// Helps of commands that take inputs of several kinds list the formats of each kind by hand.
    #[test]
    fn all_formats_of_images_are_in_the_helps() {
        for name in ["convert", "ect"] {
            let mut all = commands().into_iter().filter(|command| command.get_name() == name);
            let command = all.next().unwrap();
            let option = command.get_arguments().find(|option| option.get_id() == "format").unwrap();
            let help = option.get_long_help().unwrap().to_string();
            let (_, images) = help.split_once("images").unwrap();
            let end = images.find("\nmatrices").or(images.find("\npoints")).unwrap();
            let mut listed: Vec<&str> = images[..end].split(',').map(str::trim).collect();
            let mut known = ImageFormat::ALL.map(|format| format.to_string()).to_vec();
            listed.sort_unstable();
            known.sort_unstable();
            assert_eq!(listed, known, "{name}");
        }
    }

    #[test]
    fn the_short_help_of_each_command_fits_a_screen() {
        for mut command in commands() {
            let help = command.render_help().to_string();
            assert!(
                help.lines().count() <= SCREEN,
                "{}: {}\n{help}",
                command.get_name(),
                help.lines().count()
            );
            assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        }
    }

    /// Choices that clap does not list by itself.
    fn unlisted(option: &Arg) -> Vec<String> {
        let choices =
            if option.is_hide_possible_values_set() { option.get_possible_values() } else { Vec::new() };
        choices.iter().map(|choice| choice.get_name().to_owned()).collect()
    }

    #[test]
    fn the_help_of_each_option_lists_its_choices() {
        let mut count = 0;
        for command in commands() {
            for option in command.get_arguments() {
                let texts = [option.get_help(), option.get_long_help()];
                let values = option.get_value_names().into_iter().flatten().map(ToString::to_string);
                let texts = texts.into_iter().flatten().map(StyledStr::to_string).chain(values);
                let text = texts.collect::<Vec<_>>().join("\n");
                for choice in unlisted(option) {
                    let is_named =
                        text.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == choice);
                    assert!(is_named, "{} {option}: {choice} is not in\n{text}", command.get_name());
                    count += 1;
                }
            }
        }
        assert!(count > 50, "{count}");
    }
}
