//! `oplus match`: two players against each other.

use std::time::Instant;

use super::games::Account;
use super::match_flags::{MatchFlags, PairFlags, SETTINGS_HELP, Wanted};
use super::signals::stop_flag;
use super::{Failure, games, json, standings};
use arena::{Player, PlayerId, RatingScale, TournamentSchedule};

/// Play two nets or engines against each other
///
/// A player is a net file (`.oplus`), `bundled` (the net inside the program), `pesto`, `material`, a
/// table file of piece-square tables (`.csv`), or the command of a UCI engine (prefix `uci:` for
/// names that are ambiguous). Each opening is played twice with colours swapped; the interval counts
/// pairs. Without UCI engines and clocks the games depend on the seed alone, at any number of
/// threads.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{SETTINGS_HELP}"))]
pub(super) struct MatchesArgs {
    #[command(flatten)]
    pair: PairFlags,
    /// Games, rounded up to whole pairs
    #[arg(long, default_value_t = 400)]
    games: usize,
    #[command(flatten)]
    flags: MatchFlags,
}

const EXAMPLES: &str = "\
Examples:
  oplus match new.oplus old.oplus
  oplus match new.oplus pesto --games 1000 --nodes 5000 --pgn games.pgn --report match
  oplus match new.oplus old.oplus --openings UHO_4060_v4.epd.zst
  oplus match pesto stockfish --tc 1+0.02 --second \"option.Skill Level=6\" --second option.Threads=1
  oplus match new.oplus glaurung --first nodes=20000 --second movetime=100 \\
      --second option.Threads=1 --second option.OwnBook=false
  oplus match \"uci:oplus uci --net new.oplus\" pesto --movetime 10";

pub(super) fn main(args: MatchesArgs) -> Result<(), Failure> {
    let (began, stop) = (Instant::now(), stop_flag());
    let flags = &args.flags;
    let contenders = args.pair.contenders(flags)?;
    let config =
        flags.config(&contenders, TournamentSchedule::RoundRobin, Wanted::Games(args.games))?;
    let make_player =
        |PlayerId(i): PlayerId| -> Box<dyn Player + '_> { contenders[i].player(stop) };
    let (result, warnings) = games::watched(&contenders, || {
        games::play("match", &config, &make_player, flags.output(), stop)
    });
    let result = result?;
    let scale = RatingScale::from(PlayerId(1));
    let account = Account { command: "oplus match", scale, sprt: None, warnings, began };
    if flags.json {
        json::print(&json::result(&result, &account.warnings));
    } else if let Some(pairing) = result.pairings.first() {
        print!("{}", standings::files(&contenders));
        print!("{}", standings::of_match(&config.identity.players, pairing));
        games::warn(&account);
    }
    games::keep(flags, &result, &account)?;
    games::finished(&result, args.flags.log.as_deref())
}
