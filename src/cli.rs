//! The command line: one file per subcommand, each turning arguments into a
//! call to a room and its answer into output. No logic lives here.
//!
//! Exit codes: 0 done, 1 something failed on the way, 2 the request itself
//! was wrong (an unknown key, a misspelt feature set), 75 stopped with all that was done
//! kept, 130 stopped with nothing kept.

mod ablate;
mod archive;
mod bench;
mod bench_engines;
mod bench_eval;
mod bench_train;
mod common;
mod compare;
mod completions;
mod data;
mod discover;
mod elo;
mod evolve;
mod factorise;
mod features;
mod find_rate;
mod games;
mod groups;
mod init;
mod json;
mod matches;
mod net;
mod puzzles;
mod rank;
mod report;
mod run;
mod runs;
mod screen;
mod selfplay;
mod sprt;
mod standings;
mod tournament;
mod train;
mod uci;
mod watch;
mod work;

use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use common::failure::Failure;
use common::{
    appearance, cluster, command_line, define, inputs, match_flags, output, progress, signals,
    study, techniques, threads, training_flags, warnings,
};

/// From one line of algebra to a trained chess network, an engine that plays
/// it, and a report that says whether the features pay.
#[derive(Debug, Parser)]
#[command(name = "oplus", version = VERSION.as_str(), max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    appearance: appearance::AppearanceFlags,
}

/// As `--version` says it.
static VERSION: LazyLock<String> = LazyLock::new(base::version);

const EXAMPLES: &str = "\
Examples:
  oplus run experiments/quickstart.toml          train, judge and compare; writes a report
  oplus run experiments/quickstart.toml --dry-run
  oplus features \"ALL + PH\"                      explains the expression
  oplus uci --net runs/quickstart/RUN/net.oplus  play a trained net in any chess program

Exit codes: 0 done, 1 failed, 2 wrong use, 75 stopped with everything kept (the same command goes
on), 130 stopped with nothing kept.";

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::InitArgs),
    Run(run::RunArgs),
    Runs(runs::RunsArgs),
    Watch(watch::WatchArgs),
    Report(report::ReportArgs),
    Features(features::FeaturesArgs),
    Train(Box<train::TrainArgs>),
    Net(net::NetArgs),
    Uci(uci::UciArgs),
    Bench(bench::BenchArgs),
    Puzzles(puzzles::PuzzlesArgs),
    Match(Box<matches::MatchesArgs>),
    Sprt(Box<sprt::SprtArgs>),
    Tournament(Box<tournament::TournamentArgs>),
    Compare(Box<compare::CompareArgs>),
    Elo(elo::EloArgs),
    Rank(rank::RankArgs),
    Screen(screen::ScreenArgs),
    Discover(discover::DiscoverArgs),
    Factorise(factorise::FactoriseArgs),
    Evolve(evolve::EvolveArgs),
    Ablate(ablate::AblateArgs),
    Selfplay(Box<selfplay::SelfplayArgs>),
    Data(data::DataArgs),
    Archive(archive::ArchiveArgs),
    Work(work::WorkArgs),
    Completions(completions::CompletionsArgs),
}

/// Runs the command line.
pub fn main() -> ExitCode {
    output::end_where_printing_fails();
    threads::as_many_as_given();
    let arguments = groups::grouped(Cli::command()).get_matches();
    let cli = match Cli::from_arg_matches(&arguments) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    cli.appearance.apply();
    let done = match cli.command {
        Command::Run(args) => run::main(args),
        Command::Data(args) => data::main(args),
        Command::Archive(args) => archive::main(args),
        Command::Work(args) => work::main(&args),
        Command::Completions(args) => completions::main(args),
        Command::Init(args) => init::main(&args),
        Command::Runs(args) => runs::main(args),
        Command::Watch(args) => watch::main(args),
        Command::Report(args) => report::main(args),
        Command::Features(args) => features::main(args),
        Command::Train(args) => train::main(*args),
        Command::Net(args) => net::main(args),
        Command::Uci(args) => uci::main(args),
        Command::Bench(args) => bench::main(args),
        Command::Puzzles(args) => puzzles::main(args),
        Command::Match(args) => matches::main(*args),
        Command::Sprt(args) => sprt::main(*args),
        Command::Tournament(args) => tournament::main(*args),
        Command::Compare(args) => compare::main(*args),
        Command::Elo(args) => elo::main(args),
        Command::Rank(args) => rank::main(args),
        Command::Screen(args) => screen::main(args),
        Command::Discover(args) => discover::main(args),
        Command::Factorise(args) => factorise::main(args),
        Command::Evolve(args) => evolve::main(args),
        Command::Ablate(args) => ablate::main(args),
        Command::Selfplay(args) => selfplay::main(*args),
    };
    match done.and_then(|()| output::flush().map_err(Failure::unwritten)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.show(),
    }
}
