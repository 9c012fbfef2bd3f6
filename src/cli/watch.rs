//! `oplus watch`: the page of an experiment while it goes on.

use std::path::PathBuf;

use super::Failure;
use super::study;
use experiment::watch::{Server, WatchSubject, WatchView};
use experiment::{Named, Runs, Workspace};

/// Default port, fixed so that its address stays.
const PORT: u16 = 6464;

/// Serve the page of a running experiment
///
/// Serves the report on this machine alone (127.0.0.1), with the running jobs at the top: stages,
/// losses, learning rate, speed, time left, match scores. The page refreshes itself. The experiment
/// runs in another process, or on a cluster that shares the folder, and does not depend on this one.
/// Ctrl-C ends the server.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus watch                        the newest experiment, on http://127.0.0.1:6464/
  oplus watch quickstart             an experiment by name, or experiments/quickstart.toml
  oplus watch runs/my-net            a net of `oplus train`
  ssh -L 6464:localhost:6464 HOST    the page of another machine")]
pub(super) struct WatchArgs {
    /// An experiment, its file or its folder, or the folder of a training [default: the newest]
    subject: Option<String>,
    /// Port; 0 for any free one
    #[arg(long, default_value_t = PORT, value_name = "PORT")]
    port: u16,
    /// Folder of runs
    #[arg(long, default_value = Runs::FOLDER, value_name = "FOLDER")]
    runs: PathBuf,
}

pub(super) fn main(args: WatchArgs) -> Result<(), Failure> {
    let runs = Runs::of(&args.runs);
    let subject = match &args.subject {
        Some(name) => WatchSubject::named(&runs, &Named::name(name)?),
        None => WatchSubject::newest(&runs),
    };
    let subject = subject.map_err(|error| Failure::usage(error.to_string()))?;
    let name = subject.name();
    let workspace = Workspace { runs: args.runs, ..Workspace::here(None) };
    let view = WatchView::new(workspace, subject, study::read);
    let server = Server::new(view, args.port)?;
    if let Some(address) = server.address() {
        println!("{name}: http://{address}/  (Ctrl-C ends)");
    }
    server.serve().map_err(Failure::from)
}
