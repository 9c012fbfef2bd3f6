//! Values of an experiment file that are numbers and lists as they should be, and still
//! no experiment: games of no moves, lists of nothing.

use super::config::{Experiment, MatchConfig};

/// Something in an experiment that cannot be meant.
pub struct Misfit {
    /// The key that says it.
    pub key: &'static str,
    pub message: String,
    /// What to write.
    pub help: &'static str,
}

/// Most games of a pairing: nobody plays more, and their openings stand in memory.
const MOST_GAMES: u64 = 10_000_000;

/// Largest transposition table of a player, in MiB.
const MOST_HASH: usize = 1 << 16;

/// The first value of data, grid and evaluation that cannot be meant.
pub(crate) fn of_values(experiment: &Experiment) -> Option<Misfit> {
    let Experiment { grid, data, evaluation, .. } = experiment;
    let misfit = |key, message, help| Some(Misfit { key, message, help });
    let lists = [
        ("layers", grid.layers.is_empty(), "leave it out for `512 -> 32 -> 1`"),
        ("seed", grid.seed.is_empty(), "for example `seed = [1, 2, 3]`"),
    ];
    if let Some((key, _, help)) = lists.into_iter().find(|(_, is_empty, _)| *is_empty) {
        return misfit(key, format!("{key} is an empty list"), help);
    }
    if let Some(seed) = twice(&grid.seed) {
        let help = "each seed is one net; give other numbers";
        return misfit("seed", format!("seed {seed} is listed twice"), help);
    }
    if data.positions == Some(0) {
        let message = "positions = 0 leaves nothing to train on".to_owned();
        return misfit("positions", message, "leave it out to use all positions");
    }
    if !(1..=MOST_HASH).contains(&evaluation.hash_mb) {
        let message =
            format!("hash_mb = {} is no table that a player could have", evaluation.hash_mb);
        return misfit("hash_mb", message, "4 is the default; write a number from 1 to 65536");
    }
    evaluation.matches.iter().find_map(of_match)
}

fn of_match(config: &MatchConfig) -> Option<Misfit> {
    let MatchConfig { games, .. } = *config;
    let misfit = |message, help| Some(Misfit { key: "match", message, help });
    if games == 0 {
        let message = "games = 0 plays nothing".to_owned();
        return misfit(
            message,
            "write how many games each pairing plays, such as 400, or leave the match out",
        );
    }
    if games > MOST_GAMES {
        let message = format!("games = {games} are more than can be played");
        return misfit(message, "write at most 10_000_000; 2_000 tell 15 Elo apart");
    }
    None
}

/// A value that a list has twice.
fn twice<T: PartialEq + Copy>(list: &[T]) -> Option<T> {
    list.iter().enumerate().find(|(i, value)| list[..*i].contains(value)).map(|(_, value)| *value)
}
