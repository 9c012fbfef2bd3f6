//! The commands of `oplus --help`, in groups.

use std::fmt::Write;

use clap::Command;

/// Commands in the order of the help text.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Research",
        &[
            "init", "run", "runs", "watch", "report", "compare", "screen", "rank", "discover",
            "evolve",
        ],
    ),
    ("Features and nets", &["features", "train", "net", "factorise"]),
    ("Games", &["uci", "match", "sprt", "tournament", "elo", "puzzles"]),
    ("Data", &["selfplay", "data", "archive"]),
    ("Tools", &["bench", "ablate", "work", "completions", "help"]),
];

/// The program with its commands in groups.
pub(crate) fn grouped(program: Command) -> Command {
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n{groups}\n{header}Options:{header:#}\n\
         {{options}}{{after-help}}",
        groups = groups(&program),
        header = program.get_styles().get_header(),
    );
    program.help_template(template)
}

fn groups(program: &Command) -> String {
    let width = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max();
    let width = width.unwrap_or_default();
    let (header, literal) = (program.get_styles().get_header(), program.get_styles().get_literal());
    let mut text = String::new();
    for (group, names) in GROUPS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{header}{group}:{header:#}");
        for name in names {
            let about = about(program, name);
            let _ = writeln!(text, "  {literal}{name:width$}{literal:#}  {about}");
        }
    }
    text
}

/// The first sentence of a command.
fn about(program: &Command, name: &str) -> String {
    match program.find_subcommand(name).and_then(Command::get_about) {
        Some(about) => about.to_string(),
        // Only clap's own `help` is missing before the program is built.
        None => "Print this message or the help of a command".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_is_in_one_group() {
        let program = Cli::command();
        let mut own: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        own.push("help");
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        own.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(own, grouped);
        let abouts = own.iter().map(|name| about(&program, name).chars().count());
        assert!(abouts.max() <= Some(84), "a line of help has 100 columns");
    }
}
