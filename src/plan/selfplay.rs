//! Self-play while somebody watches.

use std::sync::atomic::AtomicBool;

use ::selfplay::file::Progress;
use ::selfplay::{FileError, Outcome, Production, SelfplayFile, Target};
use base::Observer;

/// Makes a file of self-play and tells how far it is; `title` names the stage.
///
/// # Errors
///
/// As [`SelfplayFile::make`].
pub fn make(
    file: &SelfplayFile<'_>,
    title: &str,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Outcome, FileError> {
    let enough = file.config.enough();
    let (total, unit) = match enough {
        Target::Games(games) => (games, "games"),
        Target::Positions(positions) => (positions, "positions"),
    };
    observer.begin(title, total, unit);
    let mut advance = |progress: Progress| match progress {
        Progress::Playing(made) => observer.advance(of_target(&made, enough), &told(&made)),
        Progress::Played(made) => {
            observer.end(&format!("{} positions in {}", made.positions, told(&made)));
            let name = file.path.file_name().unwrap_or(file.path.as_os_str());
            observer.begin(&format!("writing {}", name.display()), made.games, "games");
        }
        Progress::Writing(games) => observer.advance(games, ""),
    };
    let outcome = file.make(&mut advance, stop)?;
    match outcome {
        Outcome::Complete(made) => {
            observer.end(&format!("{} positions are there already", made.positions));
        }
        Outcome::Finished(..) => observer.end(""),
        Outcome::Stopped(made) => observer.end(&format!("stopped at {}", told(&made))),
    }
    Ok(outcome)
}

fn of_target(made: &Production, target: Target) -> u64 {
    match target {
        Target::Games(_) => made.games,
        Target::Positions(_) => made.positions,
    }
}

fn told(made: &Production) -> String {
    format!("{} games, {} draws", made.games, made.draws)
}
