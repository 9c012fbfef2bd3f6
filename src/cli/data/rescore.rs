//! `oplus data rescore`: the same games with the scores of another player.

use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::output::LayoutFlags;
use crate::cli::Failure;
use crate::cli::inputs::{check_not_read, is_same_file, sources};
use crate::cli::signals::stop_flag;
use crate::cli::study::{self, StudyFlags};
use crate::cli::{json, threads};
use arena::contender;
use base::format::grouped;
use base::{PartialFile, Shard, WriteError};
use chess::Syzygy;
use data::{DataError, Filter, Share, place};
use experiment::games_file::{GamesFile, GamesSource, Rescoring};
use selfplay::rescore::{
    Annotator, EndgameTables, LabelEffort, LabelRequest, Merge, RescoreError, RescoreFile,
    Rescored, write_commands,
};
use selfplay::{Start, Throughput};

/// Give games and positions the scores of another player
///
/// Games stay as they are, move for move; only their scores are replaced. The player is our own
/// search with a net, or any UCI engine. Its tables are cleared for every game, so scores depend on
/// that game alone: not on threads, shards or interruptions. Stopped (Ctrl-C) or killed, the same
/// command resumes there.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data rescore games.oarc labelled.oarc --player stockfish --nodes 100 --filter quiet
  oplus data rescore games.oarc labelled.oarc --player 'stockfish' --depth 6 --option Hash=1
  oplus data rescore games.oarc labelled.oarc --player best.oplus --nodes 2500
  oplus data rescore games.oarc labelled.oarc --player bundled --static
  oplus data rescore games.oarc third.oarc --player stockfish --nodes 100 --shard 3/16
        a part of the work; `oplus data convert first.oarc second.oarc … all.oarc` joins the
        parts, in their order, into the file of one process
  oplus data rescore games.oarc labelled.oarc --player stockfish --nodes 100 --slurm --parallel 100
        shards on a cluster; the last job writes the file
  oplus data rescore gm.pgn.zst all.oarc --player stockfish --nodes 1000 --keep-played
        only positions that have no score yet

Scores are kept in OUT.journal until the file is complete; OUT.rescore.json has the settings of a
finished file. With other settings the same name is refused, unless --fresh starts again.
docs/rescoring.md has the behaviour of engines.")]
pub(super) struct DataRescoreArgs {
    /// Files of games or positions to read
    #[arg(required = true, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// File to write
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// Annotator: a net, `bundled`, `pesto`, `material`, or a UCI engine's command
    #[arg(long, value_name = "PLAYER")]
    player: String,
    #[command(flatten)]
    effort: EffortFlags,
    /// An option of the engine, as often as needed
    #[arg(long, value_name = "NAME=VALUE", value_parser = option)]
    option: Vec<(String, String)>,
    /// Games at once, each with a thread or an engine of its own; 0 for one per core
    #[arg(long, default_value_t = 0, value_parser = threads::any())]
    threads: usize,
    /// Timeout of an engine's answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    patience: u32,

    /// Score only positions that this filter keeps, with any score before; the others have none
    /// afterwards
    #[arg(long, value_name = "FILTER", default_value = "none", help_heading = WHAT)]
    filter: Filter,
    /// Keep the scores of the file; score only positions without one
    #[arg(long, conflicts_with = "blend", help_heading = WHAT)]
    keep_played: bool,
    /// Weight of the file's scores in the mean with the new ones, from 0 to 1
    #[arg(long, value_name = "WEIGHT", value_parser = share, help_heading = WHAT)]
    blend: Option<Share>,
    /// Folder of Syzygy tables: a game gets the result of its first position that they know
    #[arg(long, value_name = "PATH", help_heading = WHAT)]
    syzygy: Option<String>,
    /// Shard of the games: the third of sixteen is 3/16
    #[arg(long, value_name = "N/OF", default_value_t = Shard::ALL, help_heading = WHAT)]
    shard: Shard,

    /// Replace an earlier file of this name
    #[arg(long)]
    fresh: bool,
    /// Score nothing: write the UCI commands of the work into this file
    #[arg(long, value_name = "FILE")]
    commands: Option<PathBuf>,
    #[command(flatten)]
    study: StudyFlags,
    #[command(flatten)]
    layout: LayoutFlags,
}

const WHAT: &str = "Positions and labels";

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct EffortFlags {
    /// Nodes for each position
    #[arg(long)]
    nodes: Option<NonZeroU64>,
    /// Plies for each position
    #[arg(long)]
    depth: Option<NonZeroU32>,
    /// No search: the evaluation of the position as it stands
    #[arg(long = "static")]
    is_static: bool,
}

fn option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.to_owned())),
        None => Err("write NAME=VALUE".to_owned()),
    }
}

fn share(text: &str) -> Result<Share, String> {
    let number: f64 = text.parse().map_err(|_| "write a number from 0 to 1".to_owned())?;
    Share::try_from(number).map_err(|error| error.to_string())
}

pub(super) fn main(args: &DataRescoreArgs) -> Result<(), Failure> {
    let from = args.files()?;
    if let Some(path) = from.iter().find(|path| place::is_read_once(path)) {
        return Err(DataError::ReadOnce { path: path.clone() }.into());
    }
    if let Some(path) = &args.commands {
        check_not_read(&from, path)?;
        return args.write_commands(&from, path);
    }
    if !args.study.runs_here() {
        return study::main(&args.games_file(from)?, &args.study);
    }
    let annotator = args.annotator()?;
    let mut progress = args.study.observer();
    annotator.warnings().iter().for_each(|warning| progress.warn(warning));
    let tables = args.tables()?;
    let (request, layout) = (args.request(), args.layout.layout()?);
    let file = RescoreFile {
        from: &from,
        path: &args.to,
        layout: &layout,
        request: &request,
        annotator: &annotator,
        tables: tables.as_ref().map(|(paths, table)| EndgameTables { paths, table }),
        threads: args.threads,
        start: if args.fresh { Start::Fresh } else { Start::Resume },
    };
    let outcome = file.make(&mut *progress, stop_flag())?;
    let (made, throughput) = outcome.made().ok_or(study::STOPPED)?;
    match args.study.is_json() {
        true => json::print(&json::of_games(&args.to, made, throughput)),
        false => println!("{}", summary(&args.to, &made, throughput)),
    }
    Ok(())
}

impl DataRescoreArgs {
    /// Files to read. A folder may have the output of an earlier call, which is no input. With
    /// --fresh that file is refused: it may be the only copy of some games.
    fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        if self.fresh {
            return sources(&self.from, &[&self.to]);
        }
        check_not_read(&self.from, &self.to)?;
        let (outputs, files): (Vec<PathBuf>, Vec<PathBuf>) =
            place::expand(&self.from)?.into_iter().partition(|path| is_same_file(path, &self.to));
        if files.is_empty() {
            check_not_read(&outputs, &self.to)?;
        }
        Ok(files)
    }

    fn request(&self) -> LabelRequest {
        LabelRequest { filter: self.filter.clone(), merge: self.merge(), shard: self.shard }
    }

    fn merge(&self) -> Merge {
        match self.blend {
            _ if self.keep_played => Merge::KeepPlayed,
            Some(share) => Merge::Blend(share),
            None => Merge::Replace,
        }
    }

    fn games_file(&self, from: Vec<PathBuf>) -> Result<GamesFile, Failure> {
        if self.shard != Shard::ALL || !self.layout.is_default() {
            return Err(Failure::usage(
                "--shard, --mode, --access, --block and --model are for this machine: a scheduler \
                 gets all shards, and `oplus data convert` lays out the file",
            ));
        }
        let rescoring = Rescoring {
            from,
            player: self.player.clone(),
            options: self.option.clone(),
            patience: self.patience,
            effort: self.effort.effort(),
            filter: self.filter.clone(),
            merge: self.merge(),
            syzygy: self.syzygy.clone(),
        };
        let source = GamesSource::Rescoring(rescoring);
        Ok(GamesFile::new(self.to.clone(), self.fresh, source, self.threads))
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(self.patience.into())
    }

    fn annotator(&self) -> Result<Annotator, Failure> {
        let options = self.option.clone();
        Annotator::new(&self.player, self.effort.effort(), options, self.patience(), stop_flag())
            .map_err(|error| RescoreError::from(error).into())
    }

    fn tables(&self) -> Result<Option<(String, Syzygy)>, Failure> {
        let Some(paths) = &self.syzygy else { return Ok(None) };
        let table = Syzygy::open(paths)?;
        Ok(Some((paths.clone(), table)))
    }

    fn write_commands(&self, from: &[PathBuf], path: &Path) -> Result<(), Failure> {
        let program = contender::program(&self.player, self.option.clone(), self.patience())
            .map_err(|error| Failure::usage(error.to_string()))?;
        let unwritable = |source| WriteError { path: path.to_owned(), source };
        let mut out = PartialFile::create(path).map_err(unwritable)?;
        let questions = write_commands(
            from,
            &self.request(),
            &program,
            self.effort.effort(),
            &mut out,
            stop_flag(),
        )?;
        out.finish().map_err(unwritable)?;
        println!("{}: {} questions", path.display(), grouped(questions));
        Ok(())
    }
}

impl EffortFlags {
    fn effort(&self) -> LabelEffort {
        match (self.nodes, self.depth) {
            (Some(nodes), _) => LabelEffort::Nodes(nodes),
            (None, Some(depth)) => LabelEffort::Depth(depth),
            (None, None) => LabelEffort::Static,
        }
    }
}

/// Summary of the file; the speed is that of the session, if there was one.
fn summary(out: &Path, made: &Rescored, throughput: Option<Throughput>) -> String {
    let Rescored { entries, positions, judged, mates, unanswered, corrected } = *made;
    let share = 100.0 * judged as f64 / positions.max(1) as f64;
    let mut lines = vec![
        out.display().to_string(),
        format!("games      {}", grouped(entries)),
        format!(
            "positions  {}: {} with a new score ({share:.1} %), {} of these mates",
            grouped(positions),
            grouped(judged),
            grouped(mates)
        ),
    ];
    if unanswered > 0 {
        lines.push(format!("unanswered {}", grouped(unanswered)));
    }
    if corrected > 0 {
        lines.push(format!("results    {} corrected by endgame tables", grouped(corrected)));
    }
    let speed = throughput.filter(|added| added.positions > 0);
    lines.extend(speed.map(|Throughput { positions, seconds }| {
        format!("speed      {:.0} positions/s", positions as f64 / seconds.max(1e-9))
    }));
    lines.join("\n")
}
