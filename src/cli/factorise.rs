//! `oplus factorise`: piece-square tables in fewer words.

mod games;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Failure;
use super::command_line::command_line;
use super::inputs;
use super::progress::Progress;
use super::signals::stop_flag;
use base::Observer;
use base::atomic::write_atomically;
use base::format::{counted, grouped};
use data::sample_positions;
use engine::PieceTables;
use evolution::factorisation::page::approximations;
use evolution::factorisation::{
    self, FactorBudget, FactorLoss, FactorMethod, FactorProgress, FactorSettings, FactorTarget,
    Language, MOST_COMPONENTS, Occupancies, Packed, Record, cells_of, factorise, tables_of,
    tables_of_cells,
};
use experiment::compare::{self, CompareError};
use experiment::{Runs, preflight};
use nnue::NET_FILE;
use nnue::Net;
use report::Provenance;

/// Compress piece-square tables: binary components and small weights
///
/// A component is a set of squares, one 64-bit word. Each table has a weight per component; the
/// value of a square is the sum of the weights of its components. Ctrl-C keeps the best result so
/// far.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus factorise pesto
  oplus factorise pesto --n 5,8,12 --loss evaluation --data games.pgn.zst --out few
  oplus factorise pesto --method genetic               as published
  oplus factorise runs/linear/RUN/net.oplus --n 10     tables of a linear net or of a psqt head
  oplus factorise pesto --n 5,12 --games 1000          and their loss in games
TABLES may be a table file (FILE.csv): twelve tables of eight lines of eight numbers, a8 to h1, pawn
to king in the middlegame and then in the endgame; values of the pieces are included, or follow the
name of a table: `pawn,middlegame,82`.

Files in --out for each N, named after method, loss, N and seed: .csv, tables for `oplus match` and
`oplus uci --eval`; .json, all figures; .cs, .h and .rs, constants with code that unpacks them.
index.html shows all approximations in the folder, those of earlier calls included.")]
pub(super) struct FactoriseArgs {
    /// `pesto`, a table file (FILE.csv), or a net that is linear or has a psqt head: FILE.oplus, or
    /// the folder, name or name prefix of a run
    tables: String,
    /// Number of components; several numbers for several approximations
    #[arg(long, default_value = "12", value_delimiter = ',',
          value_parser = clap::value_parser!(u8).range(1..=MOST_COMPONENTS as i64))]
    n: Vec<u8>,
    /// Search method
    #[arg(long, value_enum, default_value_t = FactorMethod::Annealing)]
    method: FactorMethod,
    /// Loss of the approximation; all but `plain` need --data
    #[arg(long, value_enum, default_value_t = FactorLoss::Plain)]
    loss: FactorLoss,
    /// File of games or positions that weight the errors and test the result
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Maximum number of positions from it; the second half is held out
    #[arg(long, default_value_t = 100_000,
          value_parser = clap::value_parser!(u32).range(2 * Occupancies::LEAST as i64..))]
    positions: u32,
    /// Time per N, in seconds
    #[arg(long, default_value_t = 60.0, value_parser = seconds)]
    seconds: f64,
    /// Seed of the start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Parallel searches, the best one is the result; 0 for one per core
    #[arg(long, default_value_t = 0, value_parser = super::threads::any())]
    threads: usize,
    /// Bucket, for nets with tables per bucket
    #[arg(long)]
    bucket: Option<usize>,
    /// Output folder
    #[arg(long, value_name = "DIR", default_value = "factors")]
    out: PathBuf,
    #[command(flatten)]
    games: games::Flags,
}

fn seconds(text: &str) -> Result<f64, String> {
    let time: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    match (0.01..=1e6).contains(&time) {
        true => Ok(time),
        false => Err("0.01 to 1,000,000 seconds".to_owned()),
    }
}

pub(super) fn main(args: FactoriseArgs) -> Result<(), Failure> {
    if args.loss != FactorLoss::Plain && args.data.is_none() {
        return Err(Failure::usage("this loss needs positions: give --data FILE, or --loss plain"));
    }
    let began = Instant::now();
    let tables = read_tables(&args)?;
    preflight::folder("--out", &args.out)?;
    let mut progress = Progress::default();
    let occupancies =
        args.data.as_deref().map(|data| read(data, &args, &mut progress)).transpose()?;
    let target = target(&tables, args.loss, occupancies.as_ref());
    let mut records = Vec::new();
    for &count in &args.n {
        let record = one(&args, &target, count.into(), occupancies.as_ref(), &mut progress);
        write(&args.out, &record)?;
        records.push(record);
        if stop_flag().load(Ordering::Relaxed) {
            break;
        }
    }
    if args.games.are_wanted() && !stop_flag().load(Ordering::Relaxed) {
        args.games.play(&tables, &mut records)?;
        records.iter().try_for_each(|record| write(&args.out, record))?;
    }
    println!("{}", approximations(&records));
    println!("{}", write_page(&args.out, &args.tables, &tables, began)?.display());
    Ok(())
}

fn read_tables(args: &FactoriseArgs) -> Result<PieceTables, Failure> {
    let text = args.tables.as_str();
    let path = Path::new(text);
    if text == "pesto" {
        return Ok((**PieceTables::pesto()).clone());
    }
    if path.extension().is_some_and(|extension| extension == "csv") {
        return Ok(PieceTables::load(path)?);
    }
    let net = match path.join(NET_FILE) {
        of_run if of_run.exists() => Arc::new(Net::load(&of_run)?),
        _ => compare::net(text, Path::new(Runs::FOLDER)).map_err(|error| unknown(text, error))?,
    };
    tables_of(&net, args.bucket).map_err(|why| Failure::message(format!("{text}: {why}")))
}

fn unknown(text: &str, error: CompareError) -> Failure {
    match error {
        CompareError::Unknown { .. } => Failure::usage(format!(
            "`{text}` is none of: pesto, a table file (FILE.csv), a net (FILE.oplus), a run in {}",
            Runs::FOLDER
        )),
        other => other.into(),
    }
}

fn read(
    data: &Path,
    args: &FactoriseArgs,
    progress: &mut Progress,
) -> Result<Occupancies, Failure> {
    let count = args.positions as usize;
    let sample = inputs::drawn(sample_positions, data, count, args.seed, progress)?;
    let found = sample.positions.len();
    let wanted = 2 * Occupancies::LEAST;
    if found < wanted {
        return Err(Failure::message(format!(
            "{}: {}, expected {}: one per cell of the tables, and as many held out",
            data.display(),
            counted(found as u64, "position"),
            grouped(wanted as u64)
        )));
    }
    let (seen, held_out) = sample.positions.split_at(found / 2);
    let mut occupancies = Occupancies::default();
    seen.iter().for_each(|position| occupancies.seen.add(position.board()));
    held_out.iter().for_each(|position| occupancies.held_out.add(position.board()));
    Ok(occupancies)
}

fn target(
    tables: &PieceTables,
    loss: FactorLoss,
    occupancies: Option<&Occupancies>,
) -> FactorTarget {
    match (loss, occupancies) {
        (FactorLoss::Cells | FactorLoss::Evaluation, Some(occupancies)) => {
            FactorTarget::weighted(cells_of(tables), &occupancies.seen)
        }
        _ => FactorTarget::plain(cells_of(tables)),
    }
}

fn one(
    args: &FactoriseArgs,
    target: &FactorTarget,
    count: usize,
    occupancies: Option<&Occupancies>,
    progress: &mut Progress,
) -> Record {
    const PARTS: f64 = 1_000.0;
    let cores = base::cores;
    let settings = FactorSettings {
        count,
        method: args.method,
        budget: FactorBudget::Time(Duration::from_secs_f64(args.seconds)),
        seed: args.seed,
        threads: if args.threads == 0 { cores() } else { args.threads },
    };
    let evaluation = occupancies.filter(|_| args.loss == FactorLoss::Evaluation);
    progress.begin(&counted(count as u64, "component"), PARTS as u64, "‰");
    let started = Instant::now();
    let advance = &mut |FactorProgress { share, cost }: FactorProgress| {
        progress.advance((share * PARTS) as u64, &format!("error {cost:.1}"));
    };
    let occupancy = evaluation.map(|occupancies| &occupancies.seen);
    let factors = factorise(target, occupancy, settings, stop_flag(), advance);
    let seconds = started.elapsed().as_secs_f64();
    let record =
        Record::new(&args.tables, target, &factors, &settings, args.loss, seconds, occupancies);
    progress.end(&format!("mean squared error {:.1}", record.mean_squared_error));
    record
}

/// Writes all files of an approximation.
fn write(folder: &Path, record: &Record) -> Result<(), Failure> {
    let Some(factors) = record.factors() else { return Ok(()) };
    let (stem, count) = (record.stem(), factors.count());
    let file = |extension: &str, text: String| {
        let path = folder.join(format!("{stem}.{extension}"));
        write_atomically(&path, &[text.as_bytes()]).map_err(Failure::from)
    };
    std::fs::create_dir_all(folder)?;
    file("csv", tables_of_cells(&factors.cells()).sheet())?;
    file("json", serde_json::to_string_pretty(record)? + "\n")?;
    let heading = format!(
        "Piece-square tables of `{}` as {count} components: mean squared error {:.1} cp2.",
        record.tables.escape_debug(),
        record.mean_squared_error
    );
    let packed = Packed::pack(&factors);
    Language::ALL
        .iter()
        .try_for_each(|language| file(language.extension(), language.write(&packed, &heading)))
}

/// Writes the page of all approximations in a folder; its path.
fn write_page(
    folder: &Path,
    tables: &str,
    original: &PieceTables,
    began: Instant,
) -> Result<PathBuf, Failure> {
    let mut records = Record::all_in(folder)?;
    records.retain(|record| record.tables == tables);
    records.sort_by_key(|record| (record.kind(), record.components.len(), record.seed));
    let seconds = began.elapsed().as_secs_f64();
    let provenance = Provenance::here(command_line(), base::cores(), seconds);
    let page = factorisation::page::of(tables, &cells_of(original), &records, provenance)?;
    Ok(page.write(folder)?.page)
}
