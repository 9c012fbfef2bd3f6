//! `oplus elo`: Elo of given results.

use serde_json::json;

use super::{Failure, json, standings};
use arena::{EloModel, Estimate, Pentanomial, Sprt, Trinomial, bayes_elo_llr};
use base::format::{ascii, ascii_signed, likelihood, percentage};

/// Elo with its interval, normalised Elo, and LLR of a test, from given results
///
/// Formulas and scales are those of fastchess and fishtest. For openings with both colours give
/// pairs: intervals of single games are too wide there.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus elo --pairs 13 37 50 25 3                    pairs of 0, ½, 1, 1½ and 2 points
  oplus elo --pairs 13 37 50 25 3 --elo0 0 --elo1 4  LLR of a test
  oplus elo --games 136 111 96                       wins, draws and losses")]
pub(super) struct EloArgs {
    /// Pairs with 0, ½, 1, 1½ and 2 points of the first player
    #[arg(long, num_args = 5, value_name = "PAIRS", required_unless_present = "games", value_parser = count())]
    pairs: Option<Vec<u64>>,
    /// Wins, draws and losses of the first player
    #[arg(long, num_args = 3, value_name = "GAMES", conflicts_with = "pairs", value_parser = count())]
    games: Option<Vec<u64>>,
    /// Elo under H0
    #[arg(long, value_name = "ELO", requires = "elo1", allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// Elo under H1
    #[arg(long, value_name = "ELO", requires = "elo0", allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// Scale of both [default: all scales]
    #[arg(long, value_enum)]
    model: Option<EloModel>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// No match is longer; sums of such counts are exact.
const MOST_GAMES: u64 = 1_000_000_000_000;

fn count() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=MOST_GAMES)
}

/// Results, as pairs or as single games.
enum Results {
    Pairs(Pentanomial),
    Games(Trinomial),
}

pub(super) fn main(args: EloArgs) -> Result<(), Failure> {
    let results = results(&args)?;
    let (score, elo, normalised, superiority) = match &results {
        Results::Pairs(pairs) => {
            (pairs.score(), pairs.elo(), pairs.normalised_elo(), pairs.superiority())
        }
        Results::Games(games) => {
            (games.score(), games.elo(), games.normalised_elo(), games.superiority())
        }
    };
    let (Some(score), Some(elo)) = (score, elo) else {
        return Err(Failure::usage("no Elo without results: all counts are 0"));
    };
    if args.json {
        let tests = match (args.elo0, args.elo1) {
            (Some(elo0), Some(elo1)) => tests(&results, elo0, elo1, args.model)?,
            _ => Vec::new(),
        };
        let test = |(sprt, llr): (Sprt, f64)| json!({ "model": sprt.model.to_string(), "llr": llr, "bounds": sprt.bounds() });
        json::print(&json!({
            "score": score, "elo": json::estimate(&elo),
            "normalised_elo": normalised.as_ref().map(json::estimate),
            "superiority": superiority,
            "tests": tests.into_iter().map(test).collect::<Vec<_>>(),
        }));
        return Ok(());
    }
    println!("score           {}", percentage(score, 2));
    println!("Elo             {}", text(&elo));
    if let Some(normalised) = normalised {
        println!("normalised Elo  {}", text(&normalised));
    }
    println!("superiority     {}", likelihood(superiority, 2));
    if let (Some(elo0), Some(elo1)) = (args.elo0, args.elo1) {
        print_tests(&results, elo0, elo1, args.model)?;
    }
    Ok(())
}

fn results(args: &EloArgs) -> Result<Results, Failure> {
    if let Some(Ok(counts)) = args.pairs.clone().map(<[u64; 5]>::try_from) {
        return Ok(Results::Pairs(Pentanomial { counts }));
    }
    if let Some(Ok([wins, draws, losses])) = args.games.clone().map(<[u64; 3]>::try_from) {
        return Ok(Results::Games(Trinomial { wins, draws, losses }));
    }
    Err(Failure::usage("give five counts with --pairs, or three with --games"))
}

/// Tests by each model, with their LLR.
fn tests(
    results: &Results,
    elo0: f64,
    elo1: f64,
    model: Option<EloModel>,
) -> Result<Vec<(Sprt, f64)>, Failure> {
    let models = match model {
        Some(model) => vec![model],
        None => vec![EloModel::Normalised, EloModel::Logistic],
    };
    let test = |model| {
        let sprt = Sprt::new(elo0, elo1, model).map_err(|e| Failure::usage(e.to_string()))?;
        let llr = match results {
            Results::Pairs(pairs) => sprt.llr(pairs),
            Results::Games(games) => sprt.llr_of_games(games),
        };
        Ok((sprt, llr))
    };
    models.into_iter().map(test).collect()
}

fn print_tests(
    results: &Results,
    elo0: f64,
    elo1: f64,
    model: Option<EloModel>,
) -> Result<(), Failure> {
    for (sprt, llr) in tests(results, elo0, elo1, model)? {
        println!("{:<15} {}", sprt.model.to_string(), standings::llr(&sprt, llr));
    }
    if let (Results::Games(games), None) = (results, model) {
        let llr = ascii(bayes_elo_llr(elo0, elo1, games), 2);
        println!("{:<15} LLR {llr}", "BayesElo");
    }
    Ok(())
}

/// `+12.34 (-4.10 to +28.70, 95 %)`.
fn text(Estimate { value, low, high }: &Estimate) -> String {
    let [value, low, high] = [value, low, high].map(|&number| ascii_signed(number, 2));
    format!("{value} ({low} to {high}, 95 %)")
}
