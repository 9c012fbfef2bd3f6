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

/// Which of many feature sets would help a net, without training any
///
/// Fits one weight per feature of each candidate to the residuals of a net, which stays fixed,
/// and reports the loss reduction on held-out games with an interval over games. With many
/// candidates some gain by chance: q is the false discovery rate, and candidates with q of at
/// most 0.05 are called discoveries. The cost of each set for an engine stands beside its gain.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus screen --candidates \"PH; PV; PASSED\" --data games.pgn.zst
  oplus screen --base quickstart:ALL --grammar default --data self-play.oarc --positions 200000
  oplus screen --base ALL --with \"PAWN-PAIRS\" --grammar names --data games/ --csv next.csv
A gain is a first look: weights of one number see less than a trained net does. docs/discovery.md
says what is fitted and what the figures mean.")]
pub(super) struct ScreenArgs {
    /// The net: a file, a run, an expression with trained nets, or `bundled`
    #[arg(long, value_name = "NET", default_value = Evaluation::BUNDLED)]
    base: String,
    /// Feature sets, separated by `;`
    #[arg(long, value_name = "EXPRS", required_unless_present = "grammar")]
    candidates: Option<String>,
    /// Candidates of a grammar, without information that the net's features already have
    #[arg(long, value_name = "NAME", value_parser = grammar_names())]
    grammar: Option<String>,
    /// Of a grammar: sets of more features are left out
    #[arg(long, value_name = "FEATURES", default_value_t = 100_000)]
    most_features: usize,
    /// A set that counts as part of the net: its information is no gain
    #[arg(long, value_name = "EXPR")]
    with: Option<String>,
    /// Games and lists of positions with scores, filtered to quiet positions; folders too
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Most positions, from games drawn by their moves
    #[arg(long, default_value_t = 2_000_000)]
    positions: usize,
    /// Share of games held out for the gains; weights are fitted on the others
    #[arg(long, default_value_t = Screener::HELD_OUT, value_parser = share)]
    held_out: f64,
    /// Standard deviation of the prior of a weight, in centipawns; it regularises rare features
    #[arg(long, value_name = "CP", default_value_t = 20.0, value_parser = centipawns)]
    prior: f64,
    /// Where runs lie
    #[arg(long, value_name = "DIR", default_value = Runs::FOLDER)]
    runs: PathBuf,
    /// Write all figures into this file, as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the candidates that are printed into this file: gains and costs, as SVG
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,
    /// Number of candidates to print, the best first
    #[arg(long, default_value_t = 30)]
    top: usize,
    /// Criterion of the order
    #[arg(long, value_enum, default_value_t = Order::Gain)]
    by: Order,
    /// Print all figures as JSON
    #[arg(long)]
    json: bool,
}

/// Order of candidates.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Order {
    /// Its gain.
    Gain,
    /// Its gain per cost; those that are no discoveries come last.
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
    is_share.then_some(share).ok_or_else(|| "a share from 0.05 to 0.95 is wanted".to_owned())
}

fn centipawns(text: &str) -> Result<f64, String> {
    let cp: f64 = text.parse().map_err(|_| "no number".to_owned())?;
    let is_good = (1.0..=10_000.0).contains(&cp);
    is_good.then_some(cp).ok_or_else(|| "from 1 to 10000 centipawns are wanted".to_owned())
}

pub(super) fn main(args: ScreenArgs) -> Result<(), Failure> {
    let net = experiment::compare::net(&args.base, &args.runs)?;
    let own = with(net.features(), args.with.as_deref())?;
    let candidates = candidates(&args, &own)?;
    let mut progress = Progress::default();
    for image in candidates.iter().filter(|candidate| own.has_image(&candidate.set)) {
        progress.warn(&format!(
            "`{}` is a linear image of the net's features, which have nothing to learn from it",
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
        "loss {}; one more weight for each of the net's own features lowers it by {} % of it\n",
        fixed(findings.loss, 6),
        findings.own_gain.signed(),
    );
    println!("{}", tables::candidates(shown));
    println!(
        "{} of {} are discoveries (*): their gains are above 0, one in 20 of them by chance",
        findings.discoveries(),
        findings.all.len()
    );
}
