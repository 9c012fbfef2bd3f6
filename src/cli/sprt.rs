//! `oplus sprt`: a sequential probability ratio test.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::games::Account;
use super::match_flags::{MatchFlags, PairFlags, SETTINGS_HELP, Wanted};
use super::signals::stop_flag;
use super::{Failure, games, json, standings};
use arena::{Decision, EloModel, Player, PlayerId, RatingScale, Sprt, TournamentSchedule};
use measure::tournament;

/// Test whether one player is stronger than another (SPRT)
///
/// The match ends when its log-likelihood ratio decides between two hypotheses: the first player is
/// `--elo0` stronger (H0), or `--elo1` (H1). Pairs are tested in order, so the end does not depend
/// on the number of threads. The Elo of a decided test overstates the difference.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{SETTINGS_HELP}"))]
pub(super) struct SprtArgs {
    #[command(flatten)]
    pair: PairFlags,
    /// Elo of the first player under H0
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// Elo of the first player under H1
    #[arg(long, value_name = "ELO", default_value_t = 5.0, allow_negative_numbers = true)]
    elo1: f64,
    /// Probability of accepting H1 under H0
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    alpha: f64,
    /// Probability of accepting H0 under H1
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    beta: f64,
    /// Scale of both Elo values
    #[arg(long, value_enum, default_value = "normalised")]
    model: EloModel,
    /// Maximum number of games (or the number of book openings)
    #[arg(long, default_value_t = 40_000)]
    games: usize,
    #[command(flatten)]
    flags: MatchFlags,
}

const EXAMPLES: &str = "\
Examples:
  oplus sprt new.oplus old.oplus                     is it better by 0 or by 5 normalised Elo?
  oplus sprt new.oplus old.oplus --elo0 -5 --elo1 0  is it no worse?
  oplus sprt new.oplus old.oplus --movetime 20 --log sprt.jsonl --report sprt
  oplus sprt pesto material --elo1 50 --model logistic --nodes 500";

pub(super) fn main(args: SprtArgs) -> Result<(), Failure> {
    let SprtArgs { elo0, elo1, alpha, beta, model, .. } = args;
    let sprt = Sprt { elo0, elo1, alpha, beta, model }
        .checked()
        .map_err(|error| Failure::usage(format!("{error}; see --elo0, --elo1, --alpha, --beta")))?;
    let (began, stop) = (Instant::now(), stop_flag());
    let flags = &args.flags;
    let contenders = args.pair.contenders(flags)?;
    let config =
        flags.config(&contenders, TournamentSchedule::RoundRobin, Wanted::AtMost(args.games))?;
    let make_player =
        |PlayerId(i): PlayerId| -> Box<dyn Player + '_> { contenders[i].player(stop) };
    let (ended, warnings) = games::watched(&contenders, || {
        games::test(&config, &sprt, &make_player, flags.output(), stop)
    });
    let ended = ended?;
    let scale = RatingScale::from(PlayerId(1));
    let account = Account { command: "oplus sprt", scale, sprt: Some(&sprt), warnings, began };
    if flags.json {
        json::print(&json::tested(&ended.result, &sprt, &ended.status, &account.warnings));
    } else if let Some(pairing) = ended.result.pairings.first() {
        print!("{}", standings::files(&contenders));
        print!("{}", standings::of_match(&config.identity.players, pairing));
        println!("{}", tournament::verdict(&config.identity.players[0], pairing, &sprt));
        games::warn(&account);
    }
    games::keep(flags, &ended.result, &account)?;
    let undecided = ended.status.decision == Decision::Continue;
    match undecided && stop.load(Ordering::Relaxed) {
        true => Err(games::stopped(flags.log.as_deref())),
        false => Ok(()),
    }
}
