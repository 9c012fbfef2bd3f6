//! Drafts of experiment files, from an inspection of a user's data.

use std::fmt::{self, Write};
use std::path::{Path, PathBuf};

use super::config::Experiment;
use super::error::ExperimentError;
use super::forecast::games_planned;
use super::grid;
use super::read::{self, Overrides};
use base::format::{counted, duration, grouped, percentage};
use data::inspect::Inspection;

/// Share of the games that validates.
const VALIDATION: f64 = 0.05;

/// Share of captures and checks below which the data count as filtered already.
const ALREADY_QUIET: f64 = 0.01;

/// Passes over the positions, if there are enough of them.
const PASSES: u64 = 8;

/// Input of a draft.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// Name of the experiment.
    pub name: &'a str,
    /// Paths as the file names them, and inspections.
    pub data: &'a [(PathBuf, Inspection)],
    /// Puzzle file, if there is one.
    pub puzzles: Option<&'a Path>,
    /// Forecast of the time on this machine, in seconds.
    pub seconds: fn(&Experiment) -> Result<f64, ExperimentError>,
}

#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    #[error(
        "none of the {positions} positions has a score or a result; `oplus data \
         rescore` adds scores"
    )]
    NoTargets { positions: u64 },
    #[error(
        "{positions} positions with {target} are too few for a comparison of feature sets: the minimum is \
         some hundred thousand; `oplus selfplay` generates more"
    )]
    TooFew { positions: u64, target: DraftTarget },
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
}

/// Labels that nets are trained on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftTarget {
    /// Scores, and results where they are known.
    Scores,
    /// Results alone: nothing has a score.
    Results,
}

impl fmt::Display for DraftTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scores => "scores",
            Self::Results => "results",
        })
    }
}

/// Sums over all files.
#[derive(Default)]
struct DataSummary {
    games: Option<u64>,
    /// Whether lists of positions without games are among them.
    lists: bool,
    positions: u64,
    scored: u64,
    unknown_results: u64,
    known_results: u64,
    checks: u64,
    tactical: u64,
    /// The scale on which results follow scores.
    scale: Option<Scale>,
}

/// Mean of the fitted scales of several files, weighted by positions.
struct Scale {
    centipawns: f64,
    least: f64,
    most: f64,
    error: f64,
    error_of_mean: f64,
}

impl DataSummary {
    fn of(data: &[(PathBuf, Inspection)]) -> Self {
        let sum = |of: fn(&Inspection) -> u64| data.iter().map(|(_, it)| of(it)).sum();
        let games: u64 = data.iter().filter_map(|(_, it)| it.games).sum();
        Self {
            games: Some(games).filter(|&games| games > 0),
            lists: data.iter().any(|(_, it)| it.games.is_none()),
            positions: sum(|it| it.positions),
            scored: sum(|it| it.positions - it.unscored),
            unknown_results: sum(|it| it.results[3]),
            known_results: sum(|it| it.results[..3].iter().sum()),
            checks: sum(|it| it.checks),
            tactical: sum(|it| it.tactical),
            scale: Scale::of(data),
        }
    }

    fn share(&self, count: u64) -> f64 {
        count as f64 / self.positions.max(1) as f64
    }

    fn target(&self) -> DraftTarget {
        if self.scored > 0 { DraftTarget::Scores } else { DraftTarget::Results }
    }

    /// Positions with a label.
    fn with_target(&self) -> u64 {
        match self.target() {
            DraftTarget::Scores => self.scored,
            DraftTarget::Results => self.known_results,
        }
    }

    fn is_quiet_already(&self) -> bool {
        self.share(self.tactical) < ALREADY_QUIET && self.share(self.checks) < ALREADY_QUIET
    }

    /// Estimated training positions.
    fn to_train(&self) -> u64 {
        let loud = if self.is_quiet_already() { 0 } else { self.tactical + self.checks };
        let quiet = 1.0 - self.share(loud).min(0.9);
        (self.with_target() as f64 * quiet * (1.0 - VALIDATION)) as u64
    }
}

impl Scale {
    fn of(data: &[(PathBuf, Inspection)]) -> Option<Self> {
        let fits: Vec<_> = data.iter().filter_map(|(_, it)| it.agreement.as_ref()).collect();
        let positions: u64 = fits.iter().map(|fit| fit.positions).sum();
        let mean = |of: fn(&data::inspect::Agreement) -> f64| {
            fits.iter().map(|fit| of(fit) * fit.positions as f64).sum::<f64>() / positions as f64
        };
        let scales = || fits.iter().map(|fit| fit.scale);
        (positions > 0).then(|| Self {
            centipawns: mean(|fit| fit.scale),
            least: scales().fold(f64::INFINITY, f64::min),
            most: scales().fold(0.0, f64::max),
            error: mean(|fit| fit.error),
            error_of_mean: mean(|fit| fit.error_of_mean),
        })
    }
}

/// The text of the file, with comments on findings and choices.
///
/// # Errors
/// Data without labels, or too few positions.
pub fn draft(draft: &Draft<'_>) -> Result<String, DraftError> {
    let found = DataSummary::of(draft.data);
    let (positions, target) = (found.with_target(), found.target());
    if positions == 0 {
        return Err(DraftError::NoTargets { positions: found.positions });
    }
    let training = Training::of(&found);
    if found.to_train() < u64::from(training.batch) * 10 {
        return Err(DraftError::TooFew { positions, target });
    }
    let without = text(draft, &found, &training, "");
    let experiment = read::parse(draft.name, &without, &Overrides::default())?;
    let takes = format!(
        "# {} and {} games: about {} in all on this machine.\n",
        counted(grid::expand(&experiment)?.len() as u64, "net"),
        grouped(games_planned(&experiment)?),
        duration((draft.seconds)(&experiment)?),
    );
    Ok(text(draft, &found, &training, &takes))
}

/// Length and batch of the training.
struct Training {
    epochs: u64,
    per_epoch: u64,
    batch: u32,
}

impl Training {
    fn of(found: &DataSummary) -> Self {
        let positions = found.to_train();
        let batch = match positions {
            0..500_000 => 1_024,
            500_000..4_000_000 => 4_096,
            _ => 16_384,
        };
        let total = (positions * PASSES).clamp(600_000, 200_000_000);
        let per_epoch = rounded(positions.clamp(60_000, 10_000_000));
        let epochs = total.div_ceil(per_epoch).clamp(8, 40);
        Self { epochs, per_epoch, batch }
    }
}

/// To one digit and zeros.
fn rounded(number: u64) -> u64 {
    let unit = 10u64.pow(number.max(1).ilog10());
    (number + unit / 2) / unit * unit
}

fn text(draft: &Draft<'_>, found: &DataSummary, training: &Training, takes: &str) -> String {
    let Draft { name, data, puzzles, .. } = draft;
    let files: Vec<String> = data.iter().map(|(path, _)| quoted(&path.to_string_lossy())).collect();
    let Training { epochs, per_epoch, batch } = training;
    let puzzles = puzzles.map_or(String::new(), |path| {
        format!("puzzles = {{ file = {}, nodes = 1_000 }}\n", quoted(&path.to_string_lossy()))
    });
    format!(
        "\
# Written by `oplus init` from the data.
# docs/experiment.md documents every key.
#
#     oplus run FILE --dry-run      forecast of time and disk space, and preflight checks
#     oplus run FILE                and oplus watch {name} beside it
#
{takes}
name = {quoted_name}
question = \"Do neighbours on a file pay, on top of squares?\"

[grid]                  # a net for every combination of these lists
# Piece on square, without and with pairs of neighbours on a file;
# `oplus features \"ALL + PV\"` explains them, docs/algebra.md has the language.
features = [\"ALL\", \"ALL + PV\"]
layers = [\"256 screlu -> 1, buckets 8\"]
seed = [1, 2]           # one seed alone shows no spread between nets

[data]
{data}train = [{files}]
validation = {VALIDATION}       # of the games
{filter}

[training]
epochs = {epochs}
positions_per_epoch = {per_epoch}     # about {passes} passes over the training split
batch = {batch}
learning_rate = 1e-3
schedule = {{ kind = \"cosine\", final = 1e-5 }}
{scale}
[evaluation]
reference = \"ALL\"
{puzzles}# At equal nodes: a better evaluation? At equal time: does it pay?
match = [{{ nodes = 1_000, games = 400 }}, {{ nodes = 1_000, equal_time = true, games = 400 }}]
",
        quoted_name = quoted(name),
        data = data_comment(found),
        files = files.join(", "),
        filter = filter(found),
        per_epoch = underscored(*per_epoch),
        batch = underscored(u64::from(*batch)),
        passes = (epochs * per_epoch).div_ceil(found.to_train().max(1)),
        scale = scale(found),
    )
}

fn data_comment(found: &DataSummary) -> String {
    let games = found.games.map_or(String::new(), |games| format!("{}, ", counted(games, "game")));
    let scored = percentage(found.share(found.scored), 1);
    let mut text =
        format!("# {games}{}, {scored} with scores.\n", counted(found.positions, "position"));
    if found.target() == DraftTarget::Results {
        text += "# So the targets are results alone; `oplus data rescore` adds scores.\n";
    }
    if found.unknown_results > 0 {
        let share = percentage(found.share(found.unknown_results), 1);
        let _ = writeln!(text, "# The result of {share} is unknown: `training.wdl` excludes them.");
    }
    text
}

fn filter(found: &DataSummary) -> String {
    let checks = percentage(found.share(found.checks), 1);
    let tactical = match found.lists {
        true => "lists have no moves, hence no captures".to_owned(),
        false => {
            let tactical = percentage(found.share(found.tactical), 1);
            format!("{tactical} are captures or promotions")
        }
    };
    let why = match found.is_quiet_already() {
        true => "the file is filtered already",
        false => "a search evaluates quiet positions",
    };
    format!("filter = {:14} # {tactical}, {checks} in check: {why}", rules(found))
}

/// The filter as TOML: `"quiet"`, `{ quiet_lists = true, unscored = true }`.
fn rules(found: &DataSummary) -> String {
    let base = if found.is_quiet_already() { "none" } else { "quiet" };
    let mut rules = Vec::new();
    rules.extend((base == "none").then_some("base = \"none\""));
    rules.extend((base == "quiet" && found.lists).then_some("quiet_lists = true"));
    rules.extend((found.target() == DraftTarget::Results).then_some("unscored = true"));
    match rules.as_slice() {
        [] | ["base = \"none\""] => format!("\"{base}\""),
        rules => format!("{{ {} }}", rules.join(", ")),
    }
}

fn scale(found: &DataSummary) -> String {
    let Some(Scale { centipawns, least, most, error, error_of_mean }) = &found.scale else {
        let none = "# No position has both score and result, so no scale can be fitted to them.\n";
        return match found.target() {
            DraftTarget::Scores => none.to_owned(),
            DraftTarget::Results => format!("{none}wdl = 1.0    # results alone\n"),
        };
    };
    let mut text = format!(
        "# Scale fitted to results: squared error {error:.4}, {error_of_mean:.4} without scores.\n"
    );
    if most / least > 1.2 {
        let _ = writeln!(
            text,
            "# The files differ, from {least:.0} to {most:.0}: their scores may be in different units."
        );
    }
    let _ = writeln!(text, "out_scaling = {:.1}", centipawns.round());
    text
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// With underscores: `2_000_000`.
fn underscored(number: u64) -> String {
    grouped(number).replace(',', "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use data::inspect::Agreement;

    fn inspection(positions: u64, tactical: u64) -> Inspection {
        let agreement = Agreement {
            scale: 197.4,
            error: 0.1,
            error_of_mean: 0.18,
            positions,
            observed: Vec::new(),
        };
        Inspection {
            games: Some(positions / 100),
            positions,
            tactical,
            agreement: Some(agreement),
            ..Inspection::default()
        }
    }

    fn drafted(files: &[Inspection]) -> Result<String, DraftError> {
        let data: Vec<_> =
            files.iter().map(|it| (PathBuf::from("my \"games\".viri"), it.clone())).collect();
        draft(&Draft { name: "mine", data: &data, puzzles: None, seconds: |_| Ok(600.0) })
    }

    #[test]
    fn drafts_are_experiments() {
        for positions in [100_000, 1_000_000, 30_000_000, 4_000_000_000] {
            let text = drafted(&[inspection(positions, positions / 5)]).unwrap();
            let experiment = read::parse("mine", &text, &Overrides::default()).unwrap();
            assert_eq!(experiment.name, "mine");
            assert_eq!(experiment.training.out_scaling, 197.0);
            assert!(text.contains("filter = \"quiet\""), "{text}");
            let takes = "# 4 nets and 1,800 games: about 10 min 00 s in all on this machine.";
            assert!(text.contains(takes), "{text}");
        }
    }

    #[test]
    fn quiet_data_are_not_filtered_again() {
        let text = drafted(&[inspection(1_000_000, 0)]).unwrap();
        assert!(text.contains("filter = \"none\""), "{text}");
    }

    #[test]
    fn results_alone_are_enough() {
        let results = Inspection {
            games: None,
            unscored: 1_000_000,
            results: [300_000, 300_000, 300_000, 100_000],
            agreement: None,
            checks: 50_000,
            ..inspection(1_000_000, 0)
        };
        let text = drafted(std::slice::from_ref(&results)).unwrap();
        assert!(text.contains("filter = { quiet_lists = true, unscored = true }"), "{text}");
        assert!(text.contains("\nwdl = 1.0"), "{text}");
        let text = drafted(&[Inspection { checks: 0, ..results.clone() }]).unwrap();
        assert!(text.contains("filter = { base = \"none\", unscored = true }"), "{text}");
        let games = Inspection { games: Some(10_000), tactical: 200_000, ..results };
        let text = drafted(&[games]).unwrap();
        assert!(text.contains("filter = { unscored = true }"), "{text}");
    }

    /// Lists have no moves to test for captures.
    #[test]
    fn lists_count_as_quiet() {
        let list = Inspection { games: None, checks: 50_000, ..inspection(1_000_000, 0) };
        let text = drafted(&[list]).unwrap();
        assert!(text.contains("filter = { quiet_lists = true }"), "{text}");
    }

    #[test]
    fn scores_in_different_units_are_noted() {
        let mut other = inspection(1_000_000, 0);
        if let Some(agreement) = &mut other.agreement {
            agreement.scale = 400.0;
        }
        let text = drafted(&[inspection(1_000_000, 0), other]).unwrap();
        assert!(text.contains("The files differ, from 197 to 400"), "{text}");
    }

    #[test]
    fn data_without_labels_are_refused() {
        let unscored = Inspection { unscored: 1_000, ..inspection(1_000, 0) };
        assert!(matches!(drafted(&[unscored]), Err(DraftError::NoTargets { positions: 1_000 })));
        let few = drafted(&[inspection(1_000, 0)]);
        assert!(matches!(few, Err(DraftError::TooFew { positions: 1_000, .. })));
    }

    #[test]
    fn numbers_are_round() {
        assert_eq!([1, 949, 950, 1_234_567].map(rounded), [1, 900, 1_000, 1_000_000]);
    }
}
