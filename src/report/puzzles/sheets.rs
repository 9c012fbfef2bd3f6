//! The numbers of the page as CSV.

use super::model::{PuzzleReport, difference, rating, share};
use crate::sheet::{Sheet, ends, triple};
use puzzles::{Proportion, RatingBucket};

/// One row per player.
pub fn players(report: &PuzzleReport) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    let head = ["player", "fingerprint", "puzzles"].map(String::from);
    let names = ["solved", "moves_found", "puzzle_rating"].map(triple).concat();
    sheet.write_record(head.into_iter().chain(names).chain(["seconds".to_owned()]))?;
    for player in &report.players {
        let summary = &player.summary;
        let head =
            [player.name.clone(), player.fingerprint.clone(), summary.solved.trials.to_string()];
        let estimates = [share(summary.solved), share(summary.moves), summary.rating.map(rating)];
        let numbers = estimates.into_iter().flat_map(ends);
        let seconds = format!("{:.3}", player.seconds);
        sheet.write_record(head.into_iter().chain(numbers).chain([seconds]))?;
    }
    sheet.finished()
}

/// One row per player and range of ratings.
pub fn ratings(report: &PuzzleReport) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    let head = ["player", "rating_from", "rating_to", "puzzles", "solved"].map(String::from);
    sheet.write_record(head.into_iter().chain(triple("share")))?;
    for player in &report.players {
        for bucket in &player.summary.by_rating {
            let (from, to) = (bucket.from, bucket.from + RatingBucket::WIDTH);
            let place = [player.name.clone(), from.to_string(), to.to_string()];
            sheet.write_record(place.into_iter().chain(counts(bucket.solved)))?;
        }
    }
    sheet.finished()
}

/// One row per player and theme.
pub fn themes(report: &PuzzleReport) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    let head = ["player", "theme", "puzzles", "solved"].map(String::from);
    sheet.write_record(head.into_iter().chain(triple("share")))?;
    for player in &report.players {
        for (theme, solved) in &player.summary.by_theme {
            let place = [player.name.clone(), theme.clone()];
            sheet.write_record(place.into_iter().chain(counts(*solved)))?;
        }
    }
    sheet.finished()
}

/// One row per player after the first: the paired test against it.
pub fn pairs(report: &PuzzleReport) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    let head = ["player", "against", "both", "only_player", "only_against", "neither"];
    let head = head.map(String::from).into_iter().chain(triple("difference"));
    sheet.write_record(head.chain(["p_value".to_owned()]))?;
    let against = report.players.first().map_or("", |first| &first.name);
    for (player, paired) in report.compared() {
        let names = [player.name.clone(), against.to_owned()];
        let counts = [paired.both, paired.first_only, paired.second_only, paired.neither];
        let row = names.into_iter().chain(counts.map(|count| count.to_string()));
        let row = row.chain(ends(Some(difference(paired))));
        sheet.write_record(row.chain([paired.p_value().to_string()]))?;
    }
    sheet.finished()
}

/// One row per puzzle; of each player the moves it was asked for and found.
pub fn outcomes(report: &PuzzleReport) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    let mut head = vec!["puzzle".to_owned(), "rating".to_owned()];
    for player in &report.players {
        head.extend(["moves", "found"].map(|what| format!("{} {what}", player.name)));
    }
    sheet.write_record(&head)?;
    for row in &report.outcomes {
        let rating = row.rating.map_or(String::new(), |rating| rating.to_string());
        let moves = row.moves.iter().flat_map(|&(asked, found)| [asked, found]);
        let numbers = moves.map(|number| number.to_string());
        sheet.write_record([row.id.clone(), rating].into_iter().chain(numbers))?;
    }
    sheet.finished()
}

/// Puzzles, solved, and the share with its interval.
fn counts(of: Proportion) -> impl Iterator<Item = String> {
    let counts = [of.trials, of.successes].map(|count| count.to_string());
    counts.into_iter().chain(ends(share(of)))
}
