//! Generations: games by a player, a net by these games, and again with that net.

use std::path::PathBuf;
use std::sync::Arc;

use super::judge::{self, Contestant};
use super::{Context, TrainedRun, prepare, train};
use crate::error::ExperimentError;
use crate::generations::{Generations, TrainOn};
use crate::measure::{GenerationRecord, TournamentRecord, kind};
use crate::{grid, selfplay};
use ::selfplay::{Outcome, Production, SelfplayFile, Start, fingerprint};
use arena::contender::Evaluation;
use data::Ingredient;

/// Makes all generations that are not made yet, and lets them play each other.
pub fn all(context: &mut Context<'_>, config: &Generations) -> Result<(), ExperimentError> {
    let mut player = Evaluation::Pesto;
    let (mut files, mut nets) = (Vec::new(), Vec::new());
    for number in 1..=config.generations.get() {
        let Some((file, made)) = play(context, config, number, &player)? else { return Ok(()) };
        files.push(Ingredient::new(file));
        let of_net = match config.train_on {
            TrainOn::All => files.as_slice(),
            TrainOn::Latest => &files[files.len() - 1..],
        };
        let Some((net, positions)) = teach(context, number, of_net)? else { return Ok(()) };
        let record = GenerationRecord { run: net.id.clone(), made, positions };
        let subject = Generations::player(number);
        context.registry.put(&context.experiment.name, &subject, kind::GENERATION, &record)?;
        player = Evaluation::Net(net.net.clone());
        nets.push(net);
    }
    judge::speed(context, &nets)?;
    judge::puzzles(context, &nets)?;
    rate(context, &nets)
}

/// The games of a generation, from their file or newly played; `None` if stopped.
fn play(
    context: &mut Context<'_>,
    config: &Generations,
    number: u32,
    player: &Evaluation,
) -> Result<Option<(PathBuf, Production)>, ExperimentError> {
    let config = config.production(number);
    // Named by what decides the games, as runs are: other games are another file.
    let key = &fingerprint(player, &config).to_hex()[..12];
    let path = context.folder.join(format!("generation-{number}-{key}.oarc"));
    let file = SelfplayFile { path: &path, player, config: &config, start: Start::GoOn };
    let title = format!("games of {}", Generations::player(number - 1));
    let outcome = selfplay::make(&file, &title, context.observer, context.stop)?;
    Ok(match outcome {
        Outcome::Stopped(_) => None,
        Outcome::Complete(made) | Outcome::Finished(made, _) => Some((path, made)),
    })
}

/// The net of a generation, and how many positions it was trained on; `None` if stopped.
fn teach(
    context: &mut Context<'_>,
    number: u32,
    files: &[Ingredient],
) -> Result<Option<(TrainedRun, u64)>, ExperimentError> {
    let Some(data) = prepare::load_data(context, files)? else { return Ok(None) };
    prepare::note_experiment(context, &data)?;
    let experiment = context.experiment;
    // The file's reader has made sure that the grid is of one net.
    let Some(spec) = grid::expand(experiment)?.into_iter().next() else { return Ok(None) };
    let id = spec.id(&experiment.training, &data.hash().to_string());
    let label = Generations::player(number);
    let title = format!("training {label}");
    let Some(net) = train::one(context, &spec, &id, &title, &data)? else { return Ok(None) };
    let run = TrainedRun { spec, label, id, net: Arc::new(net) };
    Ok(Some((run, data.train.len() as u64)))
}

/// Lets everybody play everybody, PeSTO included.
fn rate(context: &mut Context<'_>, nets: &[TrainedRun]) -> Result<(), ExperimentError> {
    if context.stopped() {
        return Ok(());
    }
    let experiment = context.experiment;
    let nets_by_name = (1..).zip(nets).map(|(number, net)| Contestant {
        name: Generations::player(number),
        evaluation: Evaluation::Net(net.net.clone()),
    });
    let pesto = Contestant { name: Generations::player(0), evaluation: Evaluation::Pesto };
    let players: Vec<Contestant> = std::iter::once(pesto).chain(nets_by_name).collect();
    let (config, seed) = (&experiment.evaluation.matches[0], experiment.grid.seed[0]);
    let Some(result) = judge::play(context, config, seed, &players, None)? else { return Ok(()) };
    let runs = nets.iter().map(|net| net.id.clone()).collect();
    let record = TournamentRecord { runs, result };
    context.registry.put(&experiment.name, TournamentRecord::SUBJECT, kind::TOURNAMENT, &record)
}
