//! `oplus report`: the page again, from the results.

use std::path::{Path, PathBuf};

use super::Failure;
use super::progress::Progress;
use super::study;
use experiment::read::Overrides;
use experiment::{Earlier, Files, Named, Note, Runs, Study, Workspace, publish};
use measure::expected_elo::{self, EloSlopes};
use measure::loss_elo::kept::{self, Lines};
use measure::{SheetError, several};
use plan::Results;
use report::Table;
use report::render::terminal;

/// Write the report of an experiment again from its results
///
/// A page with more results (other sets, more seeds, more measurements) is not replaced: the error
/// lists the missing results, and the keys of the file that differ from the last run.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus report experiments/quickstart.toml
  oplus report quickstart                                            the last run of that name
  oplus report experiments/quickstart.toml --scale 0.1 --out small    as given to `oplus run`
  oplus report laptop-axes laptop-lines --name axes                  one page of several
  oplus report experiments/quickstart.toml --card                    a picture for sharing
  oplus report experiments/quickstart.toml --keep-results            results for other machines
  oplus report experiments/quickstart.toml --as-run                  with the keys of the last run
  oplus report experiments/discovery.toml                            of a finished search
  oplus report --loss-elo reports/*                                  Elo per per cent of loss
  oplus report --loss-elo reports/calibration-* --together           and of all these pages as one
  oplus report --expected-elo reports/calibration-*                  Elo at equal time from loss and time")]
pub(super) struct ReportArgs {
    /// File or name of the experiment
    ///
    /// Several files: one page of all their kept results; sets with the same reference share a table
    #[arg(required_unless_present_any = ["loss_elo", "expected_elo"], num_args = 1.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Name of the page of several experiments
    #[arg(long, value_name = "NAME", conflicts_with = "loss_elo")]
    name: Option<String>,
    /// Folder of the reports
    #[arg(long, default_value = "reports", value_name = "FOLDER")]
    out: PathBuf,
    /// Override a key, as in `oplus run` (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Scale, as in `oplus run`
    #[arg(long, value_name = "FACTOR")]
    scale: Option<f64>,
    /// Use all keys of the last run; of the file, only the name counts
    #[arg(long, conflicts_with_all = ["set", "scale"])]
    as_run: bool,
    /// Write a picture, 1200 × 630 pixels: card.svg and card.png beside the page
    #[arg(long)]
    card: bool,
    /// Keep the results of the jobs beside the page; `oplus run` continues from them on any machine
    /// with the page
    #[arg(long)]
    keep_results: bool,
    /// Replace a page that has more results
    #[arg(long)]
    replace: bool,
    /// Print the Elo per 1 % of validation loss of the pages in these folders, instead of writing a page
    #[arg(long, value_name = "FOLDER", num_args = 1.., conflicts_with_all = ["files", "set", "scale", "as_run", "card", "keep_results", "replace", "out"])]
    loss_elo: Vec<PathBuf>,
    /// Fit one line across all these pages as well; they must share filter, target and loss exponent
    #[arg(long, requires = "loss_elo", conflicts_with = "files")]
    together: bool,
    /// Print the expected Elo at equal time of the sets on the pages in these folders, from validation loss
    /// and time per node, instead of writing a page
    #[arg(long, value_name = "FOLDER", num_args = 1.., conflicts_with_all = ["files", "name", "set", "scale", "as_run", "card", "keep_results", "replace", "out", "loss_elo"])]
    expected_elo: Vec<PathBuf>,
    /// Elo for a loss lower by 1 %
    #[arg(long, requires = "expected_elo", conflicts_with = "files", value_name = "ELO", value_parser = above_zero, default_value_t = EloSlopes::MEASURED.per_percent)]
    elo_per_percent: f64,
    /// Elo lost by a node of twice the time
    #[arg(long, requires = "expected_elo", conflicts_with = "files", value_name = "ELO", value_parser = above_zero, default_value_t = EloSlopes::MEASURED.per_doubling)]
    elo_per_doubling: f64,
}

impl ReportArgs {
    fn lines(&self) -> Lines {
        if self.together { Lines::AndTogether } else { Lines::OfEach }
    }

    fn slopes(&self) -> EloSlopes {
        EloSlopes { per_percent: self.elo_per_percent, per_doubling: self.elo_per_doubling }
    }
}

fn above_zero(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "expected a number above 0".to_owned())
}

pub(super) fn main(args: ReportArgs) -> Result<(), Failure> {
    let file = match args.files.as_slice() {
        [] if !args.expected_elo.is_empty() => {
            let folders = folders("--expected-elo", &args.expected_elo)?;
            return print(expected_elo::table(&folders, args.slopes()));
        }
        [] => {
            let folders = folders("--loss-elo", &args.loss_elo)?;
            return print(kept::table(&folders, args.lines()));
        }
        [_] if args.name.is_some() => {
            return Err(Failure::usage("--name is for a page of several experiments"));
        }
        [file] => file.clone(),
        files => return write_several(files, &args),
    };
    let overrides = Overrides { set: args.set, scale: args.scale };
    let workspace = Workspace::here(None);
    let runs = Runs::of(&workspace.runs);
    let mut study = study::named(&Named::find(&file, &runs)?, &overrides)?;
    let name = study.name().to_owned();
    let never_run = || {
        let (command, file) = (study.command(), file.display());
        let kept = match Results::are_in(&args.out.join(&name)) {
            true => ", which starts from the results beside the page",
            false => "",
        };
        Failure::message(format!("no results yet: run `oplus {command} {file}`{kept}"))
    };
    let note = runs.note(&name)?.ok_or_else(never_run)?;
    if args.as_run {
        study = study::read(&note).map_err(Failure::of_job)?;
    }
    let dir = workspace.run_dir(&*study);
    let known = study.plan(Files::Known(note.contents.clone()), &dir, &mut Progress::default());
    let known = known.map_err(Failure::of_job)?;
    if known.grows() {
        return Err(unfinished(&*study, &note));
    }
    let earlier = if args.replace { Earlier::IsReplaced } else { Earlier::Stays };
    let folder = args.out.join(&name);
    let page = publish(&*study, &note, &dir, &folder, earlier).map_err(Failure::of_job)?;
    if args.keep_results || Results::are_in(&folder) {
        dir.results().keep(&known.plan, &folder)?;
    }
    study::print(&page, false, &mut Progress::default());
    if args.card {
        let card = study.card(&note, &dir).map_err(Failure::of_job)?;
        let none = || {
            Failure::usage(
                "--card is for experiments on a grid only, not for generations and searches",
            )
        };
        let folder = page.path.parent().unwrap_or(Path::new("."));
        for picture in report::write_card(&card.ok_or_else(none)?, folder)? {
            println!("card: {}", picture.display());
        }
    }
    Ok(())
}

/// Writes one page of the kept results of several experiments.
fn write_several(files: &[PathBuf], args: &ReportArgs) -> Result<(), Failure> {
    let is_of_one = !args.set.is_empty() || args.scale.is_some() || args.as_run;
    if is_of_one || args.card || args.keep_results {
        return Err(Failure::usage(
            "--set, --scale, --as-run, --card and --keep-results are for one experiment",
        ));
    }
    let folders = files.iter().map(|file| page_folder(file, &args.out));
    let folders: Vec<PathBuf> = folders.collect::<Result<_, _>>()?;
    let names = folders.iter().map(|folder| folder.file_name().unwrap_or_default());
    let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
    let name = args.name.clone().unwrap_or_else(|| names.join("+"));
    let page = several::page(&names.join(", "), &folders)
        .map_err(|error| Failure::message(error.to_string()))?;
    let path = page.write(&args.out.join(name))?.page;
    anstream::print!("{}", terminal::coloured_page(&page, terminal::width()));
    println!("report: {}", path.display());
    Ok(())
}

/// The folder of a page: as given, or by the name of its experiment.
fn page_folder(file: &Path, reports: &Path) -> Result<PathBuf, Failure> {
    match file.is_dir() {
        true => Ok(file.to_owned()),
        false => Ok(reports.join(Named::name(&file.display().to_string())?)),
    }
}

/// Folders of kept pages; files among them, as `reports/*` names them, are passed over.
fn folders(flag: &str, paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        return Err(Failure::usage(format!("{flag}: no such folder: {}", missing.display())));
    }
    let folders: Vec<PathBuf> = paths.iter().filter(|path| path.is_dir()).cloned().collect();
    if folders.is_empty() {
        let message =
            format!("{flag}: none of these is a folder; give those of pages, reports/NAME");
        return Err(Failure::usage(message));
    }
    Ok(folders)
}

/// Prints a table of kept pages.
fn print(table: Result<Table, SheetError>) -> Result<(), Failure> {
    println!("{}", table.map_err(|error| Failure::message(error.to_string()))?);
    Ok(())
}

/// Of a study that is as it was begun, or of another one.
fn unfinished(study: &dyn Study, note: &Note) -> Failure {
    let name = study.name();
    let how = format!("`{}` resumes it, `oplus watch {name}` shows its progress", note.command);
    Failure::message(match study.changed(note) {
        None => format!("{name} is not finished: {how}"),
        Some(changed) => format!(
            "{name} is not complete with the keys of its file: since the last run {changed}; \
             --as-run uses the keys of the last run, and {how}"
        ),
    })
}
