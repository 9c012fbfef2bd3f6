//! `oplus screen`: which of many feature sets would help a net.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Failure;
use super::inputs;
use super::progress::Progress;
use super::signals::stop_flag;
use arena::contender::Evaluation;
use base::format::fixed;
use base::{Observer, write_atomically};
use discovery::{
    By, Candidate, CandidateGain, Findings, GRAMMARS, Grammar, ScreenResult, Screener, ns_of_moves,
    tables,
};
use experiment::Runs;
use features::FeatureSet;
use plan::Control;
use report::render::{csv, json};

/// Rank many feature sets by their loss reduction beside a net, without training
///
/// Fits one weight per feature of each candidate to the residuals of a fixed net, and reports the
/// loss reduction on held-out games with an interval over games. q is the false discovery rate of
/// the many candidates; candidates with q of at most 0.05 are *discoveries*. The table has the cost
/// of each set in an engine beside its gain.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus screen --candidates \"PH; PV; PASSED\" --data games.pgn.zst
  oplus screen --base quickstart:ALL --grammar default --data self-play.oarc --positions 200000
  oplus screen --base ALL --with \"PAWN-PAIRS\" --grammar names --data games/ --csv next.csv
Gains are a first estimate: one weight per feature captures less than a trained net. docs/discovery.md
explains the fit and the columns.")]
pub(super) struct ScreenArgs {
    /// The net: a file, a run, an expression with trained nets, or `bundled`
    #[arg(long, value_name = "NET", default_value = Evaluation::BUNDLED)]
    base: String,
    /// Feature sets, separated by `;`
    #[arg(long, value_name = "EXPRS", required_unless_present = "grammar")]
    candidates: Option<String>,
    /// Candidates of a grammar, less the information of the net's features
    #[arg(long, value_name = "NAME", value_parser = grammar_names())]
    grammar: Option<String>,
    /// Maximum size of a set of the grammar, in features
    #[arg(long, value_name = "FEATURES", default_value_t = 100_000)]
    most_features: usize,
    /// Set that counts as part of the net: its information is not a gain
    #[arg(long, value_name = "EXPR")]
    with: Option<String>,
    /// Games and lists of positions with scores, filtered to quiet positions; files or folders
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Maximum number of positions, from a sample of the games
    #[arg(long, default_value_t = 2_000_000)]
    positions: usize,
    /// Held-out share of the games, for the gains; weights are fitted on the others
    #[arg(long, default_value_t = Screener::HELD_OUT, value_parser = share)]
    held_out: f64,
    /// Standard deviation of the prior of a weight, in centipawns; it regularises rare features
    #[arg(long, value_name = "CP", default_value_t = 20.0, value_parser = centipawns)]
    prior: f64,
    /// Folder of runs
    #[arg(long, value_name = "DIR", default_value = Runs::FOLDER)]
    runs: PathBuf,
    /// Output CSV of all figures
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Output SVG: gains and costs of the printed candidates
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,
    /// Candidates to print, the best first
    #[arg(long, default_value_t = 30)]
    top: usize,
    /// Sort criterion
    #[arg(long, value_enum, default_value_t = Order::Gain)]
    by: Order,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Order of candidates.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Order {
    /// Gain.
    Gain,
    /// Gain per cost; candidates that are not discoveries come last.
    Pay,
}

impl From<Order> for By {
    fn from(order: Order) -> Self {
        match order {
            Order::Gain => By::Gain,
            Order::Pay => By::Pay,
        }
    }
}

fn grammar_names() -> clap::builder::PossibleValuesParser {
    let value =
        |grammar: &Grammar| clap::builder::PossibleValue::new(grammar.name).help(grammar.about);
    clap::builder::PossibleValuesParser::new(GRAMMARS.iter().map(value))
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "no number".to_owned())?;
    let is_share = (0.05..=0.95).contains(&share);
    is_share.then_some(share).ok_or_else(|| "expected a share from 0.05 to 0.95".to_owned())
}

fn centipawns(text: &str) -> Result<f64, String> {
    let cp: f64 = text.parse().map_err(|_| "no number".to_owned())?;
    let is_good = (1.0..=10_000.0).contains(&cp);
    is_good.then_some(cp).ok_or_else(|| "expected 1 to 10000 centipawns".to_owned())
}

pub(super) fn main(args: ScreenArgs) -> Result<(), Failure> {
    let net = experiment::compare::net(&args.base, &args.runs)?;
    let own = with(net.features(), args.with.as_deref())?;
    let candidates = candidates(&args, &own)?;
    let mut progress = Progress::default();
    for image in candidates.iter().filter(|candidate| own.has_image(&candidate.set)) {
        progress.warn(&format!(
            "`{}` is a linear image of the net's features, so no gain is possible",
            image.name
        ));
    }
    let sets = candidates.iter().map(|candidate| &*candidate.set).chain([&*own]);
    let games = inputs::quiet_games(&args.data, args.positions, sets, &mut progress)?;
    let target = inputs::target_of(&net, &mut progress);
    let screener = Screener {
        net: &net,
        own: &own,
        target: &target,
        held_out: args.held_out,
        prior_cp: args.prior,
    };
    let mut control = Control { observer: &mut progress, stop: stop_flag() };
    let ScreenResult { loss, own_gain, candidates: found } =
        screener.screen(games, &candidates, &mut control)?;
    let width = net.architecture().layers.width();
    let costs = ns_of_moves(&candidates, width, "timing", &mut control)?;
    let findings = Findings::of(loss, &own_gain, found, &costs).sorted(args.by.into());
    if let Some(warning) = findings.untrained(&args.base) {
        progress.warn(&warning);
    }
    if let Some(path) = &args.csv {
        write(path, &findings)?;
    }
    let shown = &findings.all[..findings.all.len().min(args.top)];
    if let Some(path) = &args.picture {
        draw(path, shown)?;
    }
    match args.json {
        true => println!("{:#}", as_json(&findings)),
        false => print(&findings, shown),
    }
    Ok(())
}

/// The net's features and what counts as such.
fn with(
    base: &std::sync::Arc<FeatureSet>,
    with: Option<&str>,
) -> Result<std::sync::Arc<FeatureSet>, Failure> {
    let Some(with) = with else { return Ok(base.clone()) };
    // Parsed by itself first, so that an error points into the text of the user.
    FeatureSet::parse(with)?;
    Ok(FeatureSet::parse(&format!("{} + {with}", base.expression()))?)
}

fn candidates(args: &ScreenArgs, own: &FeatureSet) -> Result<Vec<Candidate>, Failure> {
    let mut all = Vec::new();
    for text in args.candidates.iter().flat_map(|texts| texts.split(';')) {
        all.push(Candidate::parse(text)?);
    }
    Candidate::check_all(&all, own)?;
    if let Some(grammar) = args.grammar.as_deref().and_then(Grammar::named) {
        let known: Vec<String> =
            all.iter().map(|candidate| candidate.set.canonical().to_owned()).collect();
        let proposed = grammar.beside(own, args.most_features).into_iter();
        all.extend(proposed.filter(|c| !known.iter().any(|known| known == c.set.canonical())));
    }
    Ok(all)
}

fn write(path: &Path, findings: &Findings) -> Result<(), Failure> {
    let sheet = csv::sheet(&tables::candidates(&findings.all))?;
    Ok(write_atomically(path, &[&sheet])?)
}

fn draw(path: &Path, findings: &[CandidateGain]) -> Result<(), Failure> {
    let picture = tables::picture(findings)?;
    Ok(write_atomically(path, &[picture.standalone().as_bytes()])?)
}

fn as_json(findings: &Findings) -> Value {
    json!({
        "loss": findings.loss,
        "own_gain": json::estimate(&findings.own_gain),
        "candidates": json::rows(&tables::candidates(&findings.all)),
    })
}

fn print(findings: &Findings, shown: &[CandidateGain]) {
    println!(
        "loss {}; one more weight per feature of the net itself reduces it by {} %\n",
        fixed(findings.loss, 6),
        findings.own_gain.signed(),
    );
    println!("{}", tables::candidates(shown));
    println!(
        "{} of {} are discoveries (*): gains above 0 at a false discovery rate of 5 %",
        findings.discoveries(),
        findings.all.len()
    );
}
