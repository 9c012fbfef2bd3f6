//! `oplus data inspect`: summary of a file.

use std::path::{Path, PathBuf};

use crate::cli::Failure;
use crate::cli::inputs::{check_not_empty, check_not_read, inspected};
use crate::cli::signals::stop_flag;
use base::atomic::write_atomically;
use base::format::grouped;
use chess::Color;
use data::inspect::{Inspection, Observed, SCORE_CLASSES};
use data::{place, sample_positions};
use report::board;
use report::plot::legal_moves::MoveCounts;
use report::plot::{self, agreement::ScoreClass};

/// Summarise files of games or positions
///
/// Games, positions, results, scores and how they agree, zeros that stand for no score, phases,
/// duplicates, checks and captures, and a few positions drawn evenly from the file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus data inspect games.pgn.zst
  oplus data inspect test80.min.binpack               how many scores are placeholders
  oplus data inspect selfplay.oarc --boards 4
  oplus data inspect selfplay.oarc --plot agreement.svg
  oplus data inspect games.pgn --legal-moves moves.svg
  oplus data inspect *.oarc --json")]
pub(super) struct DataInspectArgs {
    /// Files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Positions to draw
    #[arg(long, value_name = "COUNT", default_value_t = 2)]
    boards: usize,
    /// Draw how scores and results agree, as SVG; of one file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Draw the numbers of legal moves by move of the game, as SVG; of one file
    #[arg(long, value_name = "FILE")]
    legal_moves: Option<PathBuf>,
    /// For a program, one line a file
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &DataInspectArgs) -> Result<(), Failure> {
    let files = place::expand(&args.files)?;
    for (flag, plot) in [("--plot", &args.plot), ("--legal-moves", &args.legal_moves)] {
        if plot.is_some() && files.len() > 1 {
            let message = format!("{flag} draws one file, and there are several");
            return Err(Failure::usage(message));
        }
        plot.iter().try_for_each(|plot| check_not_read(&files, plot))?;
    }
    let mut empty = Vec::new();
    for path in &files {
        let found = inspected(path)?;
        if found.games.unwrap_or(found.positions) == 0 {
            empty.push(path.clone());
        }
        if let Some(plot) = &args.plot {
            draw(&found, plot)?;
        }
        if let Some(plot) = &args.legal_moves {
            draw_legal_moves(&found, plot)?;
        }
        if args.json {
            println!("{}", serde_json::to_string(&found)?);
            continue;
        }
        println!("{}", path.display());
        show(&found);
        if args.boards > 0 && found.positions > 0 && !place::is_read_once(path) {
            let drawn = sample_positions(path, args.boards, 1, &mut |_| {}, stop_flag());
            for position in drawn?.positions {
                println!("\n  {position}");
                board::draw(position.board()).lines().for_each(|line| println!("  {line}"));
            }
        }
    }
    check_not_empty(&empty)
}

/// Draws how scores and results agree.
fn draw(found: &Inspection, file: &Path) -> Result<(), Failure> {
    let Some(agreement) = &found.agreement else {
        return Err(Failure::message("--plot: there are no positions with both score and result"));
    };
    let class = |&Observed { centipawns, points, positions }: &Observed| ScoreClass {
        centipawns,
        points,
        positions,
    };
    let classes: Vec<ScoreClass> = agreement.observed.iter().map(class).collect();
    let picture = plot::agreement::draw(&classes, agreement.scale)?;
    write_atomically(file, &[picture.standalone().as_bytes()])?;
    eprintln!("{}", file.display());
    Ok(())
}

/// Draws the map of legal moves.
fn draw_legal_moves(found: &Inspection, file: &Path) -> Result<(), Failure> {
    let of = |title, turn| MoveCounts { title, positions: found.legal_moves.by_move(turn) };
    let panels = [of("White to move", Color::White), of("Black to move", Color::Black)];
    if panels.iter().all(|panel| panel.positions.is_empty()) {
        return Err(Failure::message(
            "--legal-moves: there are no positions of the first 100 moves",
        ));
    }
    let picture = plot::legal_moves::draw(&panels)?;
    write_atomically(file, &[picture.standalone().as_bytes()])?;
    eprintln!("{}", file.display());
    Ok(())
}

fn show(found: &Inspection) {
    let share = |count: u64| 100.0 * count as f64 / found.positions.max(1) as f64;
    let line = |what: &str, count: u64| {
        println!("  {what:<26}{:>14}{:>8.2} %", grouped(count), share(count));
    };
    println!("  {:<26}{:>14}", "format", found.format);
    println!("  {:<26}{:>14}", "bytes", grouped(found.bytes));
    if let Some(games) = found.games {
        println!("  {:<26}{:>14}", "games", grouped(games));
    }
    println!("  {:<26}{:>14}", "positions", grouped(found.positions));
    if found.skipped > 0 {
        println!("  {:<26}{:>14}", "not read", grouped(found.skipped));
        found.first_skipped.iter().for_each(|message| println!("    {message}"));
    }
    println!();
    let results = ["White won", "drawn", "Black won", "result unknown"];
    let [lost, drawn, won, unknown] = found.results;
    results.into_iter().zip([won, drawn, lost, unknown]).for_each(|(what, n)| line(what, n));
    println!();
    line("no score", found.unscored);
    line("mate", found.mates);
    line("probable placeholders (0)", found.placeholders);
    if found.placeholders > 0 {
        let [quiet, loud] = [found.zeros.quiet, found.zeros.loud].map(|it| 100.0 * it.share());
        println!(
            "    (score 0 in {loud:.1} % of captures, promotions and checks, in {quiet:.1} % of the \
             others; the filter `quiet` drops these positions)"
        );
    }
    scores(found);
    if let Some(agreement) = &found.agreement {
        println!(
            "\n  results follow the scores with scale {:.0} cp: squared error {:.4}, without scores \
             {:.4}",
            agreement.scale, agreement.error, agreement.error_of_mean
        );
        println!("  (`out_scaling` of training; a picture of it: --plot)");
    }
    println!();
    phases(found);
    println!();
    line("Black to move", found.black_to_move);
    line("in check", found.checks);
    line("capture or promotion", found.tactical);
    line("seen before", found.duplicates);
    if found.remembered < found.positions {
        println!("    (among the first {} positions)", grouped(found.remembered));
    }
}

/// A histogram of scores, White's view, from the worst for White.
fn scores(found: &Inspection) {
    let [black, white] = found.scores;
    // The last class holds all that is larger.
    let ends = |to: &u32| if Some(to) == SCORE_CLASSES.last() { None } else { Some(*to) };
    let ranges = || [0].into_iter().chain(SCORE_CLASSES).zip(SCORE_CLASSES.iter().map(ends));
    let range = |(from, to): (u32, Option<u32>)| match to {
        Some(to) => format!("{from} to {to} cp"),
        None => format!("{from} cp and more"),
    };
    let for_black = ranges().zip(black).map(|(class, count)| {
        // Level positions are counted with Black.
        let level = if class.0 == 0 { "level, " } else { "" };
        (format!("{level}Black by {}", range(class)), count)
    });
    let for_white =
        ranges().zip(white).map(|(class, count)| (format!("White by {}", range(class)), count));
    let for_black: Vec<_> = for_black.collect();
    bars(for_black.into_iter().rev().chain(for_white), found.positions);
}

/// A histogram of the number of pieces.
fn phases(found: &Inspection) {
    let classes = [(2, 6), (7, 10), (11, 14), (15, 18), (19, 22), (23, 26), (27, 30), (31, 32)];
    let count = |(from, to): (usize, usize)| {
        let counts = found.pieces.get(from..=to).unwrap_or_default();
        (format!("{from} to {to} pieces"), counts.iter().sum())
    };
    bars(classes.into_iter().rev().map(count), found.positions);
}

fn bars(classes: impl Iterator<Item = (String, u64)>, total: u64) {
    const WIDTH: f64 = 100.0;
    for (name, count) in classes {
        let share = count as f64 / total.max(1) as f64;
        let bar = "█".repeat((WIDTH * share).round() as usize);
        println!("  {name:<26}{:>14}{:>8.2} % {bar}", grouped(count), 100.0 * share);
    }
}
