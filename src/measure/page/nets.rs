//! The nets of all sets, one by one: a table, and sheets of their losses and quantisation errors.

use super::lineup::Lineup;
use super::model::{Report, RunRow, SetRow};
use super::results::{axes, setting};
use crate::EloResult;
use arena::Limit;
use report::Format::{Count, Fixed, Id, Number, Signed, Text};
use report::{Cell, Column, Table};

/// A net with its set.
type Net<'a> = (&'a SetRow, &'a RunRow);

fn nets(report: &Report) -> impl Iterator<Item = Net<'_>> {
    report.sets.iter().flat_map(|set| set.runs.iter().map(move |run| (set, run)))
}

/// A row for each net: its losses, and its own Elo against the reference.
pub(super) fn table(report: &Report, lineup: &Lineup<'_>) -> Table {
    let file = Column::new("net", "net", Text);
    let file = match nets(report).any(|(_, run)| run.net.is_some()) {
        true => file,
        false => file.for_programs(),
    };
    let table = Table::of("nets", "Every run", nets(report))
        .column(Column::new("set", "feature set", Text), |(set, _)| set.label())
        .column(Column::new("features", "", Text).for_programs(), |(set, _)| &set.features)
        .columns(
            axes(report),
            |axis| Column::new(*axis, "", Text).for_programs(),
            |(set, _), axis| setting(set, axis),
        )
        .column(Column::new("seed", "seed", Id), |(_, run)| run.seed)
        .column(Column::new("epoch", "of epoch", Count), |(_, run)| epoch(run))
        .column(Column::new("training_loss", "training loss", Number), |(_, run)| {
            training_loss(run)
        })
        .column(Column::new("validation_loss", "validation loss", Number), |(_, run)| {
            validation_loss(run)
        })
        .column(Column::new("quantised_loss", "quantised loss", Number), |(_, run)| {
            run.quantised_loss
        });
    let elo = |run: &RunRow, limit: Limit| -> Option<EloResult> {
        run.elo.iter().find(|elo| elo.limit == limit).copied()
    };
    lineup
        .limits
        .iter()
        .fold(table, |table, &limit| {
            let slug = limit.slug();
            table
                .column(
                    Column::estimate(format!("elo_{slug}"), format!("Elo, {limit}"), Signed(1)),
                    |(_, run)| elo(run, limit).map(|elo| elo.estimate),
                )
                .column(
                    Column::new(format!("games_{slug}"), "", Count).for_programs(),
                    |(_, run)| elo(run, limit).map(|elo| elo.games),
                )
        })
        .column(
            Column::new("quantisation_mean", "quantisation error", Fixed(2)).unit("cp"),
            |(_, run)| run.quantisation.map(|error| error.mean),
        )
        .column(Column::new("quantisation_largest", "largest", Fixed(1)).unit("cp"), |(_, run)| {
            run.quantisation.map(|error| error.largest)
        })
        .column(file, |(set, run)| match (&run.net, run.seed) {
            (Some(net), _) => net.clone(),
            (None, Some(seed)) => format!("{} seed {seed}", set.label()),
            (None, None) => format!("{} seed ", set.label()),
        })
        .table()
}

/// The epoch of the net, which need not be the last one.
fn epoch(run: &RunRow) -> Cell {
    match (run.kept, run.losses.last()) {
        (Some(kept), _) => kept.into(),
        (None, Some(last)) => format!("{}, in training", last.epoch).into(),
        (None, None) => Cell::default(),
    }
}

/// Value of the net's own epoch; of the last one during training.
fn training_loss(run: &RunRow) -> Option<f64> {
    let kept = |kept: u32| run.losses.iter().find(|loss| loss.epoch == kept);
    run.kept.map_or(run.losses.last(), kept)?.train
}

/// Value of the net; of the last epoch with one during training.
fn validation_loss(run: &RunRow) -> Option<f64> {
    match run.kept {
        Some(_) => run.validation_loss,
        None => run.losses.iter().rev().find_map(|epoch| epoch.validation),
    }
}

/// A row for each set, seed and epoch.
pub(super) fn losses(report: &Report) -> Table {
    let epochs = nets(report).flat_map(|net| net.1.losses.iter().map(move |epoch| (net, epoch)));
    Table::of("losses", "Losses by epoch", epochs)
        .column(Column::new("set", "feature set", Text), |((set, _), _)| set.label())
        .column(Column::new("seed", "seed", Id), |((_, run), _)| run.seed)
        .column(Column::new("epoch", "epoch", Count), |(_, epoch)| epoch.epoch)
        .column(Column::new("train", "training loss", Number), |(_, epoch)| epoch.train)
        .column(Column::new("validation", "validation loss", Number), |(_, epoch)| epoch.validation)
        .table()
}

/// A row for each set, seed and whole centipawn between the trained weights and the integers; the
/// last one has all that differ by more.
pub(super) fn quantisation(report: &Report) -> Table {
    let bins = nets(report).flat_map(|net| {
        let histogram = net.1.quantisation.map(|error| error.histogram);
        histogram.into_iter().flatten().enumerate().map(move |bin| (net, bin))
    });
    Table::of("quantisation", "Quantisation error", bins)
        .column(Column::new("set", "feature set", Text), |((set, _), _)| set.label())
        .column(Column::new("seed", "seed", Id), |((_, run), _)| run.seed)
        .column(Column::new("cp_from", "from", Count).unit("cp"), |(_, (cp, _))| cp)
        .column(Column::new("positions", "positions", Count), |(_, (_, positions))| positions)
        .table()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::demo;

    fn rows(table: &Table) -> (csv::StringRecord, Vec<csv::StringRecord>) {
        let bytes = report::render::csv::sheet(table).expect("a sheet");
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let header = reader.headers().expect("a header").clone();
        (header, reader.records().map(|row| row.expect("a row")).collect())
    }

    #[test]
    fn axes_have_columns_and_nets_their_own_elo() {
        let mut report = demo::report();
        for (set, epochs) in report.sets.iter_mut().zip(["8", "16"]) {
            set.settings = vec![("training.epochs".to_owned(), epochs.to_owned())];
        }
        let (header, rows) = rows(&table(&report, &Lineup::of(&report)));
        let column = |name: &str| header.iter().position(|cell| cell == name).expect("the column");
        let axis = column("training.epochs");
        let epochs: std::collections::BTreeSet<&str> = rows.iter().map(|row| &row[axis]).collect();
        assert!(epochs.contains("8") && epochs.contains("16"), "{epochs:?}");
        let (elo, loss, net) = (column("elo_nodes_1000"), column("validation_loss"), column("net"));
        let runs: Vec<&RunRow> = report.sets.iter().flat_map(|set| &set.runs).collect();
        assert_eq!(rows.len(), runs.len());
        for (run, row) in runs.iter().zip(&rows) {
            let own = run.elo.iter().find(|elo| elo.limit == demo::NODES);
            assert_eq!(row[elo].parse().ok(), own.map(|own| own.estimate.value));
            assert_eq!(row[loss].parse().ok(), run.validation_loss);
            assert_eq!(Some(&row[net]), run.net.as_deref());
        }
        assert!(runs.iter().any(|run| !run.elo.is_empty()), "some net has an Elo");
    }

    #[test]
    fn a_net_in_training_has_the_losses_of_its_last_epoch() {
        let mut report = demo::report();
        report.sets.truncate(1);
        let run = &mut report.sets[0].runs[0];
        (run.kept, run.validation_loss) = (None, None);
        let last = run.losses[63];
        let rows = report::render::json::rows(&table(&report, &Lineup::of(&report)));
        assert_eq!(rows[0]["epoch"], "64, in training");
        assert_eq!(rows[0]["training_loss"].as_f64(), last.train);
        assert_eq!(rows[0]["validation_loss"].as_f64(), last.validation);
    }

    #[test]
    fn losses_hold_every_epoch_of_every_seed() {
        let report = demo::report();
        let (_, rows) = rows(&losses(&report));
        let epochs: usize =
            report.sets.iter().flat_map(|set| &set.runs).map(|run| run.losses.len()).sum();
        assert_eq!(rows.len(), epochs);
        let first = &report.sets[0].runs[0].losses[0];
        assert_eq!(rows[0][3].parse().ok(), first.train);
    }

    #[test]
    fn quantisation_holds_every_position_of_every_seed() {
        let mut report = demo::report();
        report.sets[1].runs[0].quantisation = None;
        let (_, rows) = rows(&quantisation(&report));
        let runs = report.sets.iter().flat_map(|set| &set.runs);
        let counts: Vec<u32> =
            runs.filter_map(|run| run.quantisation).flat_map(|error| error.histogram).collect();
        let read: Vec<u32> = rows.iter().map(|row| row[3].parse().expect("a count")).collect();
        assert_eq!(read, counts);
    }
}
