//! `oplus rank`: which blocks and rows of a net matter.

use std::path::{Path, PathBuf};

use super::Failure;
use super::progress::Progress;
use super::{inputs, output};
use arena::contender::Evaluation;
use base::format::fixed;
use base::write_atomically;
use discovery::{Ranking, RowRank, by_square, rank, tables};
use experiment::Runs;
use features::{Feature, FeatureSet};
use report::plot::piece_boards;

/// Importance of the blocks and rows of a net
///
/// Loss increase with the rows of a block at zero, or at their mean; gradient of the loss; share of
/// positions in which a row is active; and changes per move, which are the cost. The same for single
/// rows: `top(EXPR, "rows.txt")` keeps the best ones.
///
/// A loss increase above zero proves that this net uses a block, not that it needs it: a superfluous
/// block had +1.8 ± 0.4 %. The value of a block is measured by a net trained without it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus rank --data games.pgn.zst                                the bundled net
  oplus rank runs/threats/RUN/net.oplus --data self-play.oarc --rows 40
  oplus rank --data games.pgn.zst --picture squares.svg          by piece and square
  oplus rank threats:\"ALL + THREATS\" --data games/ --block THREATS --top 8000 --out rows.txt
docs/discovery.md explains the columns.")]
pub(super) struct RankArgs {
    /// The net: a file, a run, an expression with trained nets, or `bundled`
    #[arg(value_name = "NET", default_value = Evaluation::BUNDLED)]
    net: String,
    /// Games and lists of positions with scores, filtered to quiet positions; files or folders
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Maximum number of positions, from a sample of the games
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    positions: u32,
    /// Rows to print, the most important first
    #[arg(long, default_value_t = 20)]
    rows: usize,
    /// Only rows of this summand of the net's features
    #[arg(long, value_name = "EXPR")]
    block: Option<String>,
    /// Measure of importance of a row
    #[arg(long, value_enum, default_value_t = By::Saliency)]
    by: By,
    /// Number of rows in --out, the most important ones, for `top(EXPR, "FILE")`
    #[arg(long, value_name = "K", requires = "out")]
    top: Option<usize>,
    /// Output file of --top; indices are those of the --block, or of the whole set
    #[arg(long, value_name = "FILE", requires = "top")]
    out: Option<PathBuf>,
    /// Output SVG: loss increase without rows, by piece and square
    #[arg(long, value_name = "SVG")]
    picture: Option<PathBuf>,
    /// Print JSON, with all rows
    #[arg(long)]
    json: bool,
    /// Folder of runs
    #[arg(long, value_name = "DIR", default_value = Runs::FOLDER)]
    runs: PathBuf,
}

/// Measures of importance.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum By {
    /// Mean loss increase with its deviation from the mean removed, and doubled.
    Saliency,
    /// Loss increase with its row replaced by the mean contribution.
    Mean,
    /// Loss increase with its row at zero.
    Zero,
    /// Share of the gradient norm.
    Pull,
    /// Share of positions and perspectives in which it is active.
    Frequency,
}

impl By {
    fn of(self, row: &RowRank) -> f64 {
        match self {
            By::Saliency => row.saliency,
            By::Mean => row.mean,
            By::Zero => row.zero,
            By::Pull => row.pull,
            By::Frequency => row.frequency,
        }
    }
}

pub(super) fn main(args: RankArgs) -> Result<(), Failure> {
    let net = experiment::compare::net(&args.net, &args.runs)?;
    let set = net.features();
    let rows_of = block(set, args.block.as_deref())?;
    let mut progress = Progress::default();
    let sets = std::iter::once(&**set);
    let games = inputs::quiet_games(&args.data, args.positions as usize, sets, &mut progress)?;
    if games.games() < 2 {
        return Err(Failure::usage(
            "the spread between games needs at least two games; give more data",
        ));
    }
    let target = inputs::target_of(&net, &mut progress);
    let ranking = rank(&net.to_floats(), set, &games, &target, &mut progress);
    let mut rows: Vec<RowRank> = ranking.rows[rows_of.clone()].to_vec();
    rows.sort_by(|a, b| args.by.of(b).total_cmp(&args.by.of(a)));
    if let (Some(top), Some(out)) = (args.top, &args.out) {
        write(out, &rows[..top.min(rows.len())], rows_of.start, set)?;
    }
    if let Some(path) = &args.picture {
        draw(path, &args.net, set, &rows, ranking.loss)?;
    }
    match args.json {
        true => output::print_json(&ranking)?,
        false => print(&ranking, &rows[..args.rows.min(rows.len())], set),
    }
    Ok(())
}

/// Where the features of a summand lie; of the whole set without one.
fn block(set: &FeatureSet, block: Option<&str>) -> Result<std::ops::Range<usize>, Failure> {
    let Some(text) = block else { return Ok(0..set.size()) };
    let wanted = FeatureSet::parse(text)?;
    let summands = set.summands().iter();
    let found = summands
        .clone()
        .find(|summand| summand.text == text || summand.definition == wanted.canonical());
    let Some(summand) = found else {
        let all: Vec<&str> = summands.map(|summand| summand.text.as_str()).collect();
        let all = all.join("`, `");
        return Err(Failure::usage(format!(
            "`{text}` is not a summand of the net, which has `{all}`"
        )));
    };
    Ok(summand.offset..summand.offset + summand.size)
}

fn write(path: &Path, rows: &[RowRank], start: usize, set: &FeatureSet) -> Result<(), Failure> {
    let mut kept: Vec<&RowRank> = rows.iter().collect();
    // In the order of the set, so that features stay neighbours that were.
    kept.sort_unstable_by_key(|row| row.feature);
    let line = |row: &&RowRank| {
        let index = row.feature as usize - start;
        format!("{index} # {}\n", set.describe(Feature(row.feature)))
    };
    let text: String = kept.iter().map(line).collect();
    write_atomically(path, &[text.as_bytes()]).map_err(Failure::from)
}

/// Worth is the rise of the loss with rows at their mean, in per cent of the loss.
fn draw(
    path: &Path,
    net: &str,
    set: &FeatureSet,
    rows: &[RowRank],
    loss: f64,
) -> Result<(), Failure> {
    let worth = by_square(set, rows, |row| 100.0 * row.mean / loss);
    let title = format!("Loss increase of {net} with rows at their mean activity");
    let picture = piece_boards::draw(&title, "%", &worth)?;
    write_atomically(path, &[picture.standalone().as_bytes()]).map_err(Failure::from)
}

fn print(ranking: &Ranking, rows: &[RowRank], set: &FeatureSet) {
    println!("loss {}; increases are in per cent of it\n", fixed(ranking.loss, 6));
    println!("{}\n", tables::blocks(ranking));
    println!("{}", tables::ranked_rows(rows, ranking.loss, set));
}
