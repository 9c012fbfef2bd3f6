//! `oplus runs note`: a text of the user with a run or an experiment.

use super::Failure;
use experiment::{Noted, Runs};

/// Write, print or remove a note on a run or an experiment
///
/// `oplus runs list` and `oplus runs show` print notes, and `oplus runs list --contains` finds them.
/// A note is the file `note.txt` in the folder of the run, and goes with it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus runs note quickstart \"first try, before the new filter\"
  oplus runs note all-64-16-s1 \"baseline of the paper\"
  oplus runs note all-64-16-s1                    print it
  oplus runs note all-64-16-s1 --clear            remove it")]
pub(super) struct RunsNoteArgs {
    /// Name of an experiment, or a prefix of a run's name
    name: String,
    /// The note; without one the present note is printed
    text: Option<String>,
    /// Remove the note
    #[arg(long, conflicts_with = "text")]
    clear: bool,
}

pub(super) fn main(runs: &Runs, args: &RunsNoteArgs) -> Result<(), Failure> {
    let noted = Noted::find(runs, &args.name)?;
    match &args.text {
        Some(text) => runs.write_user_note(&noted, text)?,
        None if args.clear => runs.remove_user_note(&noted)?,
        None => match runs.user_note(&noted) {
            Some(note) => println!("{note}"),
            None => println!("{} has no note", noted.name()),
        },
    }
    Ok(())
}
