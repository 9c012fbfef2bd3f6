//! The tables of a page as CSV.

use super::GamesReport;
use crate::ReportError;
use crate::sheet::Sheet;
use base::estimate::Estimate;
use base::format::ascii;

/// A file's name and content.
type Named = (&'static str, Vec<u8>);

/// Sheets that have rows.
pub(super) fn of(report: &GamesReport) -> Result<Vec<Named>, ReportError> {
    let sheets = [
        ("players.csv", players(report), !report.players.is_empty()),
        ("meetings.csv", meetings(report), !report.meetings.is_empty()),
        ("generations.csv", generations(report), !report.generations.is_empty()),
        ("course.csv", course(report), !report.course.is_empty()),
        ("llr.csv", llr(report), report.test.is_some()),
    ];
    sheets
        .into_iter()
        .filter(|(_, _, has_rows)| *has_rows)
        .map(|(name, bytes, _)| match bytes {
            Ok(bytes) => Ok((name, bytes)),
            Err(source) => Err(ReportError::Sheet { name: name.to_owned(), source }),
        })
        .collect()
}

fn players(report: &GamesReport) -> Result<Vec<u8>, csv::Error> {
    let header = "player,elo,elo_low,elo_high,score,games,forfeits";
    let rows = report.players.iter().map(|player| {
        let mut row = vec![player.name.clone()];
        row.extend(ends(Some(&player.elo)));
        row.extend([format!("{:.4}", player.score), player.games.to_string()]);
        row.push(player.forfeits.clone());
        row
    });
    lay_out(header, rows)
}

fn meetings(report: &GamesReport) -> Result<Vec<u8>, csv::Error> {
    let header = "first,second,wins,draws,losses,pairs_0,pairs_half,pairs_1,pairs_1half,pairs_2,\
                  elo,elo_low,elo_high,normalised_elo,normalised_low,normalised_high,white_score,\
                  duplicates";
    let rows = report.meetings.iter().map(|meeting| {
        let mut row = vec![meeting.first.clone(), meeting.second.clone()];
        row.extend(meeting.games.iter().chain(&meeting.pairs).map(u64::to_string));
        row.extend(ends(meeting.elo.as_ref()));
        row.extend(ends(meeting.normalised_elo.as_ref()));
        row.extend([format!("{:.4}", meeting.white_score), meeting.duplicates.to_string()]);
        row
    });
    lay_out(header, rows)
}

fn generations(report: &GamesReport) -> Result<Vec<u8>, csv::Error> {
    let header = "net,games_by,games,positions,drawn,trained_on,validation_loss,puzzles,\
                  puzzles_low,puzzles_high,nodes_per_second,nodes_per_second_low,nodes_per_second_high,elo,elo_low,elo_high";
    let rows = report.generations.iter().map(|generation| {
        let mut row = vec![generation.name.clone(), generation.player.clone()];
        row.extend([generation.games, generation.positions].map(|count| count.to_string()));
        row.extend([format!("{:.4}", generation.drawn), generation.trained_on.to_string()]);
        row.push(generation.validation_loss.map_or(String::new(), |loss| loss.to_string()));
        let per_cent = generation.puzzles.map(|share| share.scaled(100.0));
        row.extend(ends(per_cent.as_ref()));
        row.extend(ends(generation.nodes_per_second.as_ref()));
        row.extend(ends(generation.gain.as_ref()));
        row
    });
    lay_out(header, rows)
}

fn course(report: &GamesReport) -> Result<Vec<u8>, csv::Error> {
    let rows = report
        .course
        .iter()
        .map(|point| [vec![point.pairs.to_string()], ends(Some(&point.elo)).to_vec()].concat());
    lay_out("pairs,elo,elo_low,elo_high", rows)
}

fn llr(report: &GamesReport) -> Result<Vec<u8>, csv::Error> {
    let points = report.test.iter().flat_map(|test| &test.points);
    lay_out("pairs,llr", points.map(|(pairs, llr)| vec![pairs.to_string(), ascii(*llr, 4)]))
}

/// Value and interval; an open end is left empty.
fn ends(estimate: Option<&Estimate>) -> [String; 3] {
    let number = |number: f64| number.is_finite().then(|| ascii(number, 2));
    match estimate {
        Some(Estimate { value, low, high }) => {
            [value, low, high].map(|&end| number(end).unwrap_or_default())
        }
        None => Default::default(),
    }
}

fn lay_out(header: &str, rows: impl Iterator<Item = Vec<String>>) -> Result<Vec<u8>, csv::Error> {
    let mut sheet = Sheet::new();
    sheet.write_record(header.split(','))?;
    for row in rows {
        sheet.write_record(row)?;
    }
    sheet.finished()
}
