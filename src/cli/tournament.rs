//! `oplus tournament`: many players against each other, or against one.

use std::time::Instant;

use super::games::Account;
use super::match_flags::{MatchFlags, SETTINGS_HELP, Wanted};
use super::signals::stop_flag;
use super::{Failure, games, json, standings};
use arena::contender::Contender;
use arena::{
    Bootstrap, Player, PlayerId, RatingScale, Ratings, TournamentConfig, TournamentResult,
    TournamentSchedule,
};
use report::render::terminal;

/// Rate many nets and engines: round robin, or gauntlet
///
/// All pairings play the same openings, each with both colours. Ratings are maximum-likelihood
/// estimates over all games, intervals a bootstrap over openings.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{SETTINGS_HELP}"))]
pub(super) struct TournamentArgs {
    /// Players: nets, `bundled`, `pesto`, `material`, or commands of UCI engines
    #[arg(required = true, num_args = 2..)]
    players: Vec<String>,
    /// Pairings of the first player only
    #[arg(long)]
    gauntlet: bool,
    /// Setting of one player, by its number on the command line; `all` for all players
    #[arg(long = "set", value_name = "PLAYER:KEY=VALUE")]
    settings: Vec<String>,
    /// Player with a fixed Elo, by its number [default: the first one at 0]
    #[arg(long = "anchor", value_name = "PLAYER=ELO")]
    anchors: Vec<String>,
    /// Model White's advantage in the ratings, as Ordo does with -W
    #[arg(long)]
    white_advantage: bool,
    /// Games per pairing, rounded up to whole pairs
    #[arg(long, default_value_t = 200)]
    games: usize,
    #[command(flatten)]
    flags: MatchFlags,
}

const EXAMPLES: &str = "\
Examples:
  oplus tournament a.oplus b.oplus c.oplus pesto
  oplus tournament new.oplus stockfish glaurung --gauntlet --tc 1+0.02 \\
      --set all:option.Threads=1 --set \"2:option.Skill Level=10\" --set 3:option.OwnBook=false
  oplus tournament pesto material bundled --nodes 500 --games 100 --anchor 1=2000 --report ladder";

pub(super) fn main(args: TournamentArgs) -> Result<(), Failure> {
    let (began, stop) = (Instant::now(), stop_flag());
    let flags = &args.flags;
    let scale = scale(&args)?;
    let contenders = contenders(&args)?;
    let config = config(&args, &contenders)?;
    let make_player =
        |PlayerId(i): PlayerId| -> Box<dyn Player + '_> { contenders[i].player(stop) };
    let (result, warnings) = games::watched(&contenders, || {
        games::play("tournament", &config, &make_player, flags.output(), stop)
    });
    let result = result?;
    let account = Account { command: "oplus tournament", scale, sprt: None, warnings, began };
    games::keep(flags, &result, &account)?;
    if !flags.json {
        print!("{}", standings::files(&contenders));
    }
    print_results(flags, &result, &account)?;
    games::finished(&result, args.flags.log.as_deref())
}

fn contenders(args: &TournamentArgs) -> Result<Vec<Contender>, Failure> {
    let mut players: Vec<(&str, Vec<String>)> =
        args.players.iter().map(|text| (text.as_str(), Vec::new())).collect();
    for setting in &args.settings {
        let (player, setting) = setting.split_once(':').ok_or_else(|| {
            Failure::usage(format!(
                "`--set {setting}`: write PLAYER:KEY=VALUE, such as 2:nodes=500"
            ))
        })?;
        if player == "all" {
            players.iter_mut().for_each(|(_, own)| own.push(setting.to_owned()));
        } else {
            let PlayerId(place) = place(player, players.len())?;
            players[place].1.push(setting.to_owned());
        }
    }
    args.flags.contenders(&players)
}

fn config(args: &TournamentArgs, contenders: &[Contender]) -> Result<TournamentConfig, Failure> {
    let schedule = match args.gauntlet {
        true => TournamentSchedule::Gauntlet(PlayerId(0)),
        false => TournamentSchedule::RoundRobin,
    };
    args.flags.config(contenders, schedule, Wanted::Games(args.games))
}

/// A player by its place on the command line, counted from 1.
fn place(text: &str, players: usize) -> Result<PlayerId, Failure> {
    let place = text.trim().parse().ok().filter(|place| (1..=players).contains(place));
    place
        .map(|place| PlayerId(place - 1))
        .ok_or_else(|| Failure::usage(format!("no player `{text}`: players are 1 to {players}")))
}

fn scale(args: &TournamentArgs) -> Result<RatingScale, Failure> {
    let players = args.players.len();
    let anchor = |text: &String| {
        let parts = text.split_once('=').and_then(|(player, elo)| {
            Some((player, elo.trim().parse::<f64>().ok().filter(|elo| elo.abs() <= 10_000.0)?))
        });
        let (player, elo) = parts.ok_or_else(|| {
            Failure::usage(format!("`--anchor {text}`: write PLAYER=ELO, such as 1=2000"))
        })?;
        Ok((place(player, players)?, elo))
    };
    let anchors: Vec<(PlayerId, f64)> =
        args.anchors.iter().map(anchor).collect::<Result<_, Failure>>()?;
    let twice = anchors.iter().enumerate().find(|(i, a)| anchors[..*i].iter().any(|b| b.0 == a.0));
    if let Some((_, (PlayerId(player), _))) = twice {
        return Err(Failure::usage(format!("player {} has two anchors", player + 1)));
    }
    Ok(RatingScale { anchors, white_advantage: args.white_advantage, reference: PlayerId(0) })
}

fn print_results(
    flags: &MatchFlags,
    result: &TournamentResult,
    account: &Account<'_>,
) -> Result<(), Failure> {
    let ratings = match Ratings::of(result, &account.scale, Bootstrap::default()) {
        // Stopped before the first pair.
        Err(_) if !result.is_complete() => return Ok(()),
        rated => rated?,
    };
    if flags.json {
        json::print(&json::rated(result, &ratings, &account.warnings));
        return Ok(());
    }
    let page = games::page(flags, result, &ratings, account)?;
    anstream::print!("{}", terminal::coloured_page(&page, terminal::width()));
    Ok(())
}
