//! The numbers of the page as CSV: nothing is drawn that cannot be taken into
//! another program. Numbers are written so that they read back the same;
//! infinite ends are `inf` and `-inf`, what was not measured is empty.

use super::lineup::Lineup;
use super::model::{Report, RunRow, SetRow};
use crate::sheet::{Sheet, ends, triple};

/// One row per set in the report's order; every axis of the grid has a column, and Elo columns
/// carry their limit (`elo_nodes_1000`).
pub fn results(report: &Report) -> Result<Vec<u8>, csv::Error> {
    let limits = Lineup::of(report).limits;
    let mut sheet = Sheet::new();
    let mut header: Vec<String> = ["set", "features", "variant"].map(String::from).into();
    let axes = axes(report);
    header.extend(axes.iter().map(|axis| (*axis).to_owned()));
    header.extend(["inputs", "seeds"].map(String::from));
    let estimates =
        ["validation_loss", "puzzle_accuracy", "one_ply_accuracy", "nodes_per_second", "cost"];
    for name in estimates.into_iter().chain(["elo_expected_on_the_clock"]) {
        header.extend(triple(name));
    }
    header.extend(["rows_updated_per_node", "rows_refreshed_per_node"].map(String::from));
    for limit in &limits {
        let name = format!("elo_{}", limit.slug());
        header.push(format!("games_{}", limit.slug()));
        header.extend(triple(&name));
    }
    header.push("verdict".to_owned());
    sheet.write_record(&header)?;
    for set in &report.sets {
        let mut row = vec![set.label(), set.features.clone(), set.variant.clone()];
        row.extend(axes.iter().map(|axis| setting(set, axis)));
        row.extend([set.size, set.runs.len()].map(|count| count.to_string()));
        let SetRow { validation_loss, puzzle_accuracy, one_ply, nodes_per_second, .. } = set;

        let shown = [validation_loss, puzzle_accuracy, one_ply, nodes_per_second];
        let estimates = shown.into_iter().chain([&set.cost, &set.expected]);
        row.extend(estimates.flat_map(|one| ends(*one)));
        row.extend([set.rows_updated_per_node, set.rows_refreshed_per_node].map(number));
        for &limit in &limits {
            let elo = set.elo_at(limit);
            row.push(elo.map_or(String::new(), |elo| elo.games.to_string()));
            row.extend(ends(elo.map(|elo| elo.estimate)));
        }
        row.push(set.pays.as_ref().map_or(String::new(), |pays| pays.told.clone()));
        sheet.write_record(&row)?;
    }
    sheet.finished()
}

/// One row per net: its seed, its losses, and its own Elo against the reference.
pub fn nets(report: &Report) -> Result<Vec<u8>, csv::Error> {
    let (axes, limits) = (axes(report), Lineup::of(report).limits);
    let mut sheet = Sheet::new();
    let mut header: Vec<String> = ["net", "set"].map(String::from).into();
    header.extend(axes.iter().map(|axis| (*axis).to_owned()));
    header.extend(["seed", "validation_loss", "quantised_loss"].map(String::from));
    for limit in &limits {
        header.push(format!("games_{}", limit.slug()));
        header.extend(triple(&format!("elo_{}", limit.slug())));
    }
    sheet.write_record(&header)?;
    for (set, run) in report.sets.iter().flat_map(|set| set.runs.iter().map(move |run| (set, run)))
    {
        let net = run.net.clone().unwrap_or_else(|| format!("{} seed {}", set.label(), seed(run)));
        let mut row = vec![net, set.label()];
        row.extend(axes.iter().map(|axis| setting(set, axis)));
        row.extend([seed(run), number(run.validation_loss), number(run.quantised_loss)]);
        for &limit in &limits {
            let elo = run.elo.iter().find(|elo| elo.limit == limit);
            row.push(elo.map_or(String::new(), |elo| elo.games.to_string()));
            row.extend(ends(elo.map(|elo| elo.estimate)));
        }
        sheet.write_record(&row)?;
    }
    sheet.finished()
}

/// Keys that the grid varies, in the order in which sets name them.
fn axes(report: &Report) -> Vec<&str> {
    let mut axes: Vec<&str> = Vec::new();
    for (key, _) in report.sets.iter().flat_map(|set| &set.settings) {
        if !axes.contains(&key.as_str()) {
            axes.push(key);
        }
    }
    axes
}

/// What a key is in a set; empty where it is not varied.
fn setting(set: &SetRow, axis: &str) -> String {
    let found = set.settings.iter().find(|(key, _)| key == axis);
    found.map_or(String::new(), |(_, value)| value.clone())
}

/// One row per set and number of positions: its lead over the reference on as many, and what
/// was said of it.
pub fn learning(report: &Report) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    let mut header: Vec<String> = ["set", "different_positions", "unit"].map(String::from).into();
    header.extend(triple("lead"));
    header.extend(triple("foretold"));
    header.push("verdict".to_owned());
    sheet.write_record(&header)?;
    for row in report.learning.iter().flat_map(|curves| &curves.rows) {
        for (i, (positions, lead)) in row.leads.iter().enumerate() {
            let is_largest = i + 1 == row.leads.len();
            let mut record = vec![row.label.clone(), positions.to_string(), row.unit.to_owned()];
            record.extend(ends(Some(*lead)));
            record.extend(ends(row.foretold.filter(|_| is_largest)));
            record.push(if is_largest { row.told.clone() } else { String::new() });
            sheet.write_record(&record)?;
        }
    }
    sheet.finished()
}

/// One row per set, seed and epoch.
pub fn losses(report: &Report) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    sheet.write_record(["set", "seed", "epoch", "train", "validation"])?;
    for (set, run) in report.sets.iter().flat_map(|set| set.runs.iter().map(move |run| (set, run)))
    {
        for loss in &run.losses {
            sheet.write_record([
                set.label(),
                seed(run),
                loss.epoch.to_string(),
                number(loss.train),
                number(loss.validation),
            ])?;
        }
    }
    sheet.finished()
}

/// One row per pair of sets and limit; pairs of games are counted by the score
/// of `first`.
pub fn games(report: &Report) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    let head = ["first", "second", "limit", "wins", "draws", "losses"].map(String::from);
    let pairs = ["pairs_0", "pairs_0.5", "pairs_1", "pairs_1.5", "pairs_2"].map(String::from);
    let tail = ["duplicates", "forfeits"].map(String::from);
    sheet.write_record(head.into_iter().chain(pairs).chain(triple("elo")).chain(tail))?;
    for pairing in &report.games {
        let counts = [pairing.wins, pairing.draws, pairing.losses].map(|count| count.to_string());
        let pairs = pairing.pentanomial.map(|count| count.to_string());
        let names = [pairing.first.clone(), pairing.second.clone(), pairing.limit.slug()];
        let tail = [pairing.duplicates, pairing.forfeits].map(|count| count.to_string());
        let row = names.into_iter().chain(counts).chain(pairs).chain(ends(pairing.elo)).chain(tail);
        sheet.write_record(row)?;
    }
    sheet.finished()
}

/// One row per set and range of puzzle ratings.
pub fn puzzles(report: &Report) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    let head = ["set", "rating_from", "rating_to", "puzzles"].map(String::from);
    sheet.write_record(head.into_iter().chain(triple("accuracy")))?;
    for set in &report.sets {
        for bucket in &set.puzzle_buckets {
            let head = [
                set.label(),
                bucket.from.to_string(),
                bucket.to.to_string(),
                bucket.puzzles.to_string(),
            ];
            sheet.write_record(head.into_iter().chain(ends(Some(bucket.accuracy))))?;
        }
    }
    sheet.finished()
}

/// One row per set, seed and whole centipawn between the float net and the
/// quantised one; the last has all that differ by more.
pub fn quantisation(report: &Report) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    sheet.write_record(["set", "seed", "cp_from", "positions"])?;
    for (set, run) in report.sets.iter().flat_map(|set| set.runs.iter().map(move |run| (set, run)))
    {
        let histogram = run.quantisation.and_then(|error| error.histogram);
        for (cp, positions) in histogram.into_iter().flatten().enumerate() {
            let row = [seed(run), cp.to_string(), positions.to_string()];
            sheet.write_record([set.label()].into_iter().chain(row))?;
        }
    }
    sheet.finished()
}

fn seed(run: &RunRow) -> String {
    run.seed.map_or(String::new(), |seed| seed.to_string())
}

fn number(number: Option<f64>) -> String {
    number.map_or(String::new(), |number| (number + 0.0).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Estimate;
    use crate::experiment::demo;

    fn rows(bytes: Vec<u8>) -> (csv::StringRecord, Vec<csv::StringRecord>) {
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let header = reader.headers().expect("a header").clone();
        (header, reader.records().map(|row| row.expect("a row")).collect())
    }

    #[test]
    fn results_read_back_to_the_same_numbers() {
        let mut report = demo::report();
        report.sets[1].features = "comma, \"quote\"\nand line".to_owned();
        report.sets[2].elo[0].estimate = Estimate::new(f64::INFINITY, 320.123456789, f64::INFINITY);
        let (header, rows) = rows(results(&report).expect("a sheet"));
        let column = |name: &str| header.iter().position(|cell| cell == name).expect("the column");
        assert_eq!(rows.len(), report.sets.len());
        for (set, row) in report.sets.iter().zip(&rows) {
            assert_eq!(row[column("features")], set.features);
            let elo = set.elo_at(demo::NODES).map(|elo| elo.estimate);
            let read = row[column("elo_nodes_1000")].parse().ok();
            assert_eq!(read, elo.map(|elo| elo.value));
            let high = row[column("validation_loss_high")].parse().ok();
            assert_eq!(high, set.validation_loss.map(|loss| loss.high));
        }
    }

    #[test]
    fn axes_have_columns_and_nets_their_own_elo() {
        let mut report = demo::report();
        for (set, epochs) in report.sets.iter_mut().zip(["8", "16"]) {
            set.settings = vec![("training.epochs".to_owned(), epochs.to_owned())];
        }
        for sheet in [results(&report), nets(&report)] {
            let (header, rows) = rows(sheet.expect("a sheet"));
            let axis = header.iter().position(|cell| cell == "training.epochs").expect("an axis");
            let epochs: std::collections::BTreeSet<&str> =
                rows.iter().map(|row| &row[axis]).collect();
            assert!(epochs.contains("8") && epochs.contains("16"), "{epochs:?}");
        }
        let (header, rows) = rows(nets(&report).expect("a sheet"));
        let elo = header.iter().position(|cell| cell == "elo_nodes_1000").expect("the column");
        let runs: Vec<&RunRow> = report.sets.iter().flat_map(|set| &set.runs).collect();
        assert_eq!(rows.len(), runs.len());
        for (run, row) in runs.iter().zip(&rows) {
            let own = run.elo.iter().find(|elo| elo.limit == demo::NODES);
            assert_eq!(row[elo].parse().ok(), own.map(|own| own.estimate.value));
        }
        assert!(runs.iter().any(|run| !run.elo.is_empty()), "some net has an Elo");
    }

    #[test]
    fn losses_hold_every_epoch_of_every_seed() {
        let report = demo::report();
        let (_, rows) = rows(losses(&report).expect("a sheet"));
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
        let (_, rows) = rows(quantisation(&report).expect("a sheet"));
        let runs = report.sets.iter().flat_map(|set| &set.runs);
        let histograms = runs.filter_map(|run| run.quantisation?.histogram);
        let counts: Vec<u32> = histograms.flatten().collect();
        let read: Vec<u32> = rows.iter().map(|row| row[3].parse().expect("a count")).collect();
        assert_eq!(read, counts);
    }

    #[test]
    fn games_hold_every_pairing() {
        let report = demo::report();
        let (header, rows) = rows(games(&report).expect("a sheet"));
        assert_eq!(rows.len(), report.games.len());
        for (pairing, row) in report.games.iter().zip(&rows) {
            assert_eq!(row.len(), header.len());
            assert_eq!(row[3].parse(), Ok(pairing.wins));
            assert_eq!(&row[2], pairing.limit.slug());
        }
    }
}
