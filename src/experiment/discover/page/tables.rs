//! The tables of a search: those of each round on the page, those of all rounds as CSV.

use base::format::{counted, fixed, grouped};
use discovery::{CandidateGain, tables};
use measure::EloResult;
use report::Format::{Count, Factor, Fixed, Percent, Signed, Text, Thousands, Words};
use report::{Cell, Column, Mark, Table, TableOf};

use super::FoundSet;
use crate::discover::baseline::Baseline;
use crate::discover::history::{Challenger, History, Round};
use crate::discover::pruning::Pruned;
use crate::discover::testing::{Outcome, Test, Trial};
use crate::discover::training::TrainedCandidate;

type Numbered<'p> = (usize, &'p Round);

/// The tables of all rounds.
pub(super) const ALL: [fn(&[Numbered<'_>]) -> Table; 4] = [screened, tried, pruned, tests];

/// Candidates that the table of a round lists.
const LISTED: usize = 15;

/// The tables of a round, which have no sheets of their own.
pub(super) fn of_round(numbered: Numbered<'_>) -> Vec<Table> {
    let shown = ALL.iter().map(|table| Table { key: String::new(), ..table(&[numbered]) });
    let mut shown: Vec<Table> = shown.filter(|table| !table.rows.is_empty()).collect();
    if let Some(screened) = shown.first_mut() {
        screened.rows.truncate(LISTED);
    }
    let (_, round) = numbered;
    let notes = |table: &mut Table| match table.title.as_str() {
        "Screened" => table.notes.push(counts(round)),
        "Tested" => table.notes.push(end(round)),
        _ => (),
    };
    shown.iter_mut().for_each(notes);
    shown
}

/// A table with a row for each of several things of each round.
fn begun<'p, T: Copy>(
    key: &str,
    title: &str,
    rounds: &[Numbered<'p>],
    things: impl Fn(&'p Round) -> Vec<T>,
) -> TableOf<(Numbered<'p>, T)> {
    let rows = rounds.iter().flat_map(|&(number, round)| {
        things(round).into_iter().map(move |thing| ((number, round), thing))
    });
    Table::of(key, title, rows)
        .column(Column::new("round", "", Count).for_programs(), |((number, _), _)| number)
}

fn base() -> Column {
    Column::new("base", "", Text).for_programs()
}

fn screened(rounds: &[Numbered<'_>]) -> Table {
    let was_trained = |((_, round), finding): (Numbered<'_>, &CandidateGain)| {
        round.tried.iter().any(|tried| tried.finding.candidate == finding.candidate)
    };
    begun("screened", "Screened", rounds, |round| round.findings.all.iter().collect())
        .column(base(), |((_, round), _)| &round.base.expression)
        .column(Column::new("candidate", "candidate", Text), |(_, it)| &it.candidate)
        .column(Column::new("features", "features", Count), |(_, it)| it.features)
        .column(tables::q(), |(_, it)| it.q)
        .column(tables::ns_per_move(), |(_, it)| it.ns_per_move)
        .column(Column::new("trained", "", Text).for_programs(), was_trained)
        .column(tables::gain(2), |(_, it)| it.percent())
        .column(Column::new("", "outcome", Text).for_people(), |row| {
            match (was_trained(row), row.1.is_discovery()) {
                (true, _) => Cell::remark("trained"),
                (false, true) => Cell::remark(""),
                (false, false) => Cell::remark("no discovery"),
            }
        })
        .table()
}

/// `228 candidates, 20 discoveries. The loss was 0.002312; ...`
fn counts(round: &Round) -> String {
    let findings = &round.findings;
    let discoveries = match findings.discoveries() {
        1 => "1 discovery".to_owned(),
        found => format!("{found} discoveries"),
    };
    let own = findings.own_gain;
    let [value, low, high] = [own.value, own.low, own.high].map(|number| fixed(number, 2));
    format!(
        "{}, {discoveries}. Loss: {}; one more weight per feature of the net itself \
         reduces it by {value} ({low} to {high}) %.",
        counted(findings.all.len() as u64, "candidate"),
        fixed(findings.loss, 6)
    )
}

fn tried(rounds: &[Numbered<'_>]) -> Table {
    let fate = |((_, round), tried): (Numbered<'_>, &TrainedCandidate)| fate(round, tried);
    begun("tried", "Trained", rounds, |round| round.tried.iter().collect())
        .column(base(), |((_, round), _)| &round.base.expression)
        .column(Column::new("candidate", "candidate", Text), |(_, it)| &it.finding.candidate)
        .column(Column::new("share_of_training", "share of the training", Percent(0)), |(_, it)| {
            it.gain.map(|gain| gain.share)
        })
        .column(Column::new("expected_elo", "expected Elo", Signed(0)), |(_, it)| {
            Some(it.expected).filter(|elo| elo.is_finite())
        })
        .column(Column::new("fate", "", Text).for_programs(), fate)
        .column(tables::gain(2), |(_, it)| it.gain.map(|gain| gain.percent))
        .column(Column::estimate("cost", "time per node", Factor(2)), |(_, it)| it.cost)
        .column(Column::new("", "outcome", Words).for_people(), fate)
        .caption(
            "Gains over the base after the same training, on games outside training and \
             screening.",
        )
        .table()
}

fn pruned(rounds: &[Numbered<'_>]) -> Table {
    fn all(round: &Round) -> Vec<(&Challenger, &Pruned)> {
        let all = round.challengers.iter();
        all.flat_map(|it| it.pruned.iter().map(move |step| (it, step))).collect()
    }
    begun("pruned", "Pruned", rounds, all)
        .column(Column::new("candidate", "candidate", Text), |(_, (it, _))| {
            &it.tried.finding.candidate
        })
        .column(Column::new("of", "rows before", Count), |(_, (it, _))| it.tried.finding.features)
        .column(Column::new("rows", "rows kept", Count), |(_, (_, step))| step.rows)
        .column(Column::new("borne", "", Text).for_programs(), |(_, (_, step))| step.is_borne)
        .column(tables::gain(2), |(_, (_, step))| step.gain)
        .column(Column::new("", "outcome", Text).for_people(), |(_, (_, step))| {
            Cell::remark(if step.is_borne { "kept" } else { "too little gain left" })
        })
        .table()
}

fn tests(rounds: &[Numbered<'_>]) -> Table {
    fn all(round: &Round) -> Vec<(&Challenger, &Test)> {
        let trials = round.challengers.iter().filter_map(|it| Some((it, it.trial.as_ref()?)));
        trials.flat_map(|(it, trial)| trial.tests().map(move |test| (it, test))).collect()
    }
    begun("tests", "Tested", rounds, all)
        .column(Column::new("challenger", "challenger", Text), |(_, (it, _))| &it.model.expression)
        .column(base(), |((_, round), _)| &round.base.expression)
        .column(Column::new("limit", "limit", Text), |(_, (_, test))| test.limit.to_string())
        .column(Column::new("games", "games", Count), |(_, (_, test))| {
            2 * test.tested.played.result.pentanomial.pairs()
        })
        .column(Column::new("llr", "LLR", Fixed(2)), |(_, (_, test))| test.tested.llr)
        .column(Column::new("decision", "decision", Words), |(_, (_, test))| decision(test))
        .column(Column::estimate("elo", "Elo", Signed(1)), |(_, (_, test))| test.tested.elo())
        .table()
}

fn decision(test: &Test) -> String {
    match test.outcome() {
        Outcome::Stronger => "stronger".to_owned(),
        Outcome::NoStronger => "no stronger".to_owned(),
        Outcome::Open => "undecided after all games".to_owned(),
        Outcome::NoVerdict(forfeits) => format!("no verdict: {forfeits}"),
    }
}

/// Outcome of the games of a round.
fn end(round: &Round) -> String {
    match round.taken() {
        Some(taken) => {
            format!("{} replaces {} as the base.", taken.model.expression, round.base.expression)
        }
        None if round.is_over => format!("{} remains the base.", round.base.expression),
        None => "More tests follow.".to_owned(),
    }
}

const UNDER_WAY: &str = "running";

/// Outcome of a trained candidate.
fn fate(round: &Round, tried: &TrainedCandidate) -> &'static str {
    let is_it = |one: &&Challenger| one.tried.finding.candidate == tried.finding.candidate;
    if let Some(challenger) = round.challengers.iter().find(is_it) {
        return match &challenger.trial {
            Some(trial) if trial.is_passed() => "new base",
            Some(trial) if trial.is_refused() => "no stronger at fixed nodes",
            Some(Trial { time: Some(test), .. })
                if matches!(test.outcome(), Outcome::NoVerdict(_)) =>
            {
                "no verdict: too many forfeits"
            }
            Some(Trial { time: Some(test), .. }) if test.outcome() == Outcome::Open => {
                "undecided at equal time, without a lead"
            }
            Some(Trial { time: Some(_), .. }) => "no stronger at equal time",
            Some(Trial { time: None, .. }) | None => UNDER_WAY,
        };
    }
    let share = |one: &TrainedCandidate| one.gain.map_or(0.0, |gain| gain.share);
    let furthest = round.tried.iter().map(share).fold(0.0, f64::max);
    match tried.gain {
        Some(gain) if gain.share < furthest => {
            "others had more expected Elo after the same training"
        }
        _ if !round.is_over => UNDER_WAY,
        None => "its training failed",
        Some(gain) if gain.percent.low <= 0.0 => "no measurable gain in loss",
        Some(_) if tried.expected <= 0.0 => "gains too little for its cost",
        Some(_) if round.taken().is_some() => "another one passed first",
        Some(_) => "others had more expected Elo",
    }
}

/// The set found, against its baseline.
pub(super) fn verdict(found: &FoundSet) -> Table {
    let elo = |result: &EloResult| match result.too_many_forfeits {
        Some(_) => Cell::remark("no verdict").marked(Mark::NoVerdict),
        None => Cell::judged(result.estimate),
    };
    let played = |result: &&EloResult| {
        let title = format!("Elo, {}, {} games", result.limit, grouped(result.games.into()));
        Column::estimate(format!("elo_{}", result.limit.slug()), title, Signed(1))
    };
    let seed = |(seed, _): &(usize, _)| {
        Column::estimate(format!("gain_{seed}"), format!("loss reduction, seed {seed}"), Fixed(2))
            .unit("%")
    };
    Table::of("verdict", "Verdict", [found])
        .column(Column::new("set", "set", Text), |it| &it.set)
        .column(Column::new("baseline", "against", Text), |it| &it.baseline)
        .columns(found.results(), played, |_, result| elo(result))
        .column(Column::estimate("cost", "time per node", Factor(2)), |it| it.cost)
        .columns((1..).zip(&found.gains), seed, |_, (_, gain)| **gain)
        .caption(
            "Confirmation by nets of other seeds, in other games and on other positions than \
             those of the selection.",
        )
        .table()
}

/// The sets of the grid.
pub(super) fn baselines(start: &str, history: &History) -> Table {
    let fate = |baseline: &Baseline| {
        let is_chosen = history.baseline().is_some_and(|one| one.model.net == baseline.model.net);
        match (is_chosen, baseline.is_affordable) {
            (true, _) => "opponent of the found set: the strongest at no more cost",
            (false, true) => "costs no more, and is weaker",
            (false, false) => "costs more per node than the found set",
        }
    };
    Table::of("baselines", "Baselines of the grid", &history.baselines)
        .column(Column::new("set", "set", Text), |it| &it.model.expression)
        .column(Column::estimate("nodes_per_second", "nodes/s", Thousands), |it| {
            it.pace.nodes_per_second()
        })
        .column(Column::estimate("elo", format!("Elo over {start}"), Signed(1)), |it| it.elo)
        .column(Column::new("fate", "outcome", Words), fate)
        .table()
}
