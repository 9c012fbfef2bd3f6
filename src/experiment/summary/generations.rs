//! From results to the page of generations.

use crate::config::{Experiment, MatchConfig};
use crate::error::ExperimentError;
use crate::generations::{Generations, TrainOn};
use crate::grid;
use crate::planning::Planning;
use crate::study::Note;
use crate::summary::provenance;
use arena::{Bootstrap, PairingResult, PlayerId, RatingScale, Ratings, TournamentResult};
use base::Estimate;
use data::job::Prepared;
use measure::{Report, SetRow, judge, search_note, tournament, tournament_of};
use plan::Results;
use report::Format::{Count, Number, Percent, Signed, Text, Thousands};
use report::plot::theme::Style;
use report::{Cell, Column, Finding, Page, Provenance, Table};
use selfplay::Production;

/// A net and the games that it was trained on.
struct Generation {
    number: u32,
    games: u64,
    /// Positions with a score.
    positions: u64,
    /// Share of the games, in [0, 1].
    drawn: f64,
    /// Positions that the net was trained on.
    trained_on: u64,
    validation_loss: Option<f64>,
    puzzles: Option<Estimate>,
    nodes_per_second: Option<Estimate>,
    /// Elo over the player who made the games; `None` with too many forfeits.
    gain: Option<Estimate>,
}

/// The page of an experiment with a `[selfplay]` table; `None` if its generations have not
/// all met yet.
///
/// # Errors
/// A result that cannot be read.
pub fn of(
    experiment: &Experiment,
    config: &Generations,
    planning: &Planning,
    results: &Results,
    note: &Note,
) -> Result<Option<Page>, ExperimentError> {
    let Some(result) = tournament_of(&planning.evaluation_plan, results)? else { return Ok(None) };
    let judged = judge(&planning.evaluation_plan, results)?;
    let scale = RatingScale::from(PlayerId(0));
    let made = provenance(&planning.plan, results, &note.command)?;
    let made = Provenance { conditions: conditions(experiment, config)?, ..made };
    let ratings = Ratings::of(&result, &scale, Bootstrap::default())?;
    let mut page = tournament::page(&experiment.name, made, &result, &ratings, None)?;
    let rows = (1..=config.generations.get())
        .map(|number| row(planning, results, &result, &judged, number))
        .collect::<Result<Vec<_>, _>>()?;
    let rows: Vec<Generation> = rows.into_iter().flatten().collect();
    page.question.clone_from(&experiment.question);
    page.findings.splice(0..0, rows.iter().filter_map(gain));
    page.sections.insert(0, table(&rows, &ratings).into());
    page.config.clone_from(&note.config);
    Ok(Some(page))
}

/// Results of a generation.
fn gain(generation: &Generation) -> Option<Finding> {
    let elo = generation.gain?;
    let player = Generations::player(generation.number - 1);
    Some(Finding {
        mark: elo.verdict().into(),
        subject: Generations::player(generation.number),
        text: format!("against {player}, the player of its training games: {} Elo.", elo.signed()),
    })
}

fn table(rows: &[Generation], ratings: &Ratings) -> Table {
    let ranking = ratings.ranking();
    let style = |it: &Generation| {
        let place = ranking.iter().position(|id| id.0 == it.number as usize);
        place.map_or(Style::REFERENCE, Style::nth)
    };
    Table::of("generations", "Generations", rows)
        .column(Column::new("net", "net", Text), |it| Generations::player(it.number))
        .column(Column::new("games_by", "games by", Text), |it| Generations::player(it.number - 1))
        .column(Column::new("games", "games", Count), |it| it.games)
        .column(Column::new("positions", "positions", Count), |it| it.positions)
        .column(Column::new("drawn", "drawn", Percent(1)), |it| it.drawn)
        .column(Column::new("trained_on", "trained on", Count), |it| it.trained_on)
        .column(
            Column::new("validation_loss", "validation loss", Number)
                .means("Validation losses of different generations are on different games and do not compare"),
            |it| it.validation_loss,
        )
        .column(Column::estimate("puzzles", "puzzles", Percent(1)), |it| it.puzzles)
        .column(
            Column::estimate("nodes_per_second", "nodes/s", Thousands)
                .means("The median of the rounds"),
            |it| it.nodes_per_second,
        )
        .column(Column::estimate("elo", "Elo over the previous one", Signed(1)), |it| {
            it.gain.map(Cell::judged)
        })
        .swatches(style)
        .caption(
            "A net is trained on games of the previous player; Elo over that player is from \
             their games against each other, with its 95 % interval.",
        )
        .notes(vec![search_note()])
        .summary()
        .table()
}

fn row(
    planning: &Planning,
    results: &Results,
    result: &TournamentResult,
    judged: &Report,
    number: u32,
) -> Result<Option<Generation>, ExperimentError> {
    let at = number as usize - 1;
    let made: Option<Production> = results.output(planning.generations[at])?;
    let prepared: Option<Prepared> = results.output(planning.positions[at])?;
    let (Some(made), Some(prepared)) = (made, prepared) else { return Ok(None) };
    let name = Generations::player(number);
    let set = judged.sets.iter().find(|set| set.label() == name);
    let players = [number, number - 1].map(|player| PlayerId(player as usize));
    let has_both = |one: &&PairingResult| {
        players.contains(&one.pairing.first) && players.contains(&one.pairing.second)
    };
    let is_sound =
        result.pairings.iter().find(has_both).and_then(tournament::too_many_forfeits).is_none();
    let pairs = result.head_to_head(players[0], players[1]).filter(|_| is_sound);
    let of_set = |of: fn(&SetRow) -> Option<Estimate>| set.and_then(of);
    Ok(Some(Generation {
        number,
        games: made.games,
        positions: made.positions,
        drawn: made.drawn(),
        trained_on: prepared.train,
        validation_loss: of_set(|set| set.validation_loss).map(|loss| loss.value),
        puzzles: of_set(|set| set.puzzle_accuracy),
        nodes_per_second: of_set(|set| set.nodes_per_second),
        gain: pairs.and_then(|pairs| pairs.elo()),
    }))
}

/// How games and nets were made, and how they were rated.
fn conditions(
    experiment: &Experiment,
    config: &Generations,
) -> Result<Vec<(String, String)>, ExperimentError> {
    let Generations { positions, nodes, random_plies, balance, seed, .. } = config;
    let nets = grid::expand(experiment)?.into_iter().map(|spec| spec.label());
    let trained_on = match config.train_on {
        TrainOn::All => "the games of all generations so far",
        TrainOn::Latest => "the games of its own generation",
    };
    let rated =
        experiment.evaluation.matches.iter().map(|MatchConfig { limit, games, .. }| {
            format!("{games} games per pairing at {limit}")
        });
    let named = [
        (
            "self-play",
            format!(
                "{positions} positions per generation at {nodes} nodes per move, {random_plies} random \
                 plies, balance {balance}, seed {seed}"
            ),
        ),
        ("nets", nets.collect()),
        ("trained on", trained_on.to_owned()),
        ("rated by", rated.collect()),
    ];
    Ok(named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
