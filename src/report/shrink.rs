//! Whether a page would give way to one that shows less.

use std::collections::HashMap;
use std::path::Path;

/// Content of the sheets in a folder that new ones of the same names lack, as text: rows by their
/// first column, numbers, seeds or games.
pub(super) fn lost(folder: &Path, sheets: &[(&str, Vec<u8>)]) -> Vec<String> {
    let lost = |(name, new): &(&str, Vec<u8>)| match Sheet::read_file(&folder.join(name)) {
        Some(old) => old.lost_in(&Sheet::read(new)),
        None => Vec::new(),
    };
    sheets.iter().flat_map(lost).collect()
}

/// Rows by the first column, then cells by the names of the others.
#[derive(Default)]
struct Sheet {
    rows: Vec<(String, HashMap<String, String>)>,
}

impl Sheet {
    fn read_file(path: &Path) -> Option<Self> {
        Some(Self::read(&std::fs::read(path).ok()?))
    }

    /// Unreadable text has no values.
    fn read(bytes: &[u8]) -> Self {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
        let Ok(header) = reader.headers().cloned() else { return Self::default() };
        let row = |record: csv::StringRecord| {
            let cells = header.iter().zip(&record).skip(1);
            let key = record.get(0).unwrap_or_default().to_owned();
            (key, cells.map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect())
        };
        Self { rows: reader.records().map_while(Result::ok).map(row).collect() }
    }

    fn lost_in(&self, new: &Self) -> Vec<String> {
        let mut lost = Vec::new();
        for (key, cells) in &self.rows {
            match new.rows.iter().find(|(other, _)| other == key) {
                None => lost.push(format!("`{key}`")),
                Some((_, others)) => {
                    let mut of_row: Vec<String> = cells
                        .iter()
                        .filter_map(|(name, cell)| lost_cell(name, cell, others.get(name)))
                        .collect();
                    of_row.sort();
                    lost.extend(of_row.into_iter().map(|what| format!("{what} of `{key}`")));
                }
            }
        }
        lost
    }
}

/// Content of a cell whose place is empty now or counts less.
fn lost_cell(name: &str, old: &str, new: Option<&String>) -> Option<String> {
    // Ends of intervals go with their values, and words are no measurements.
    let is_end = ["_low", "_high", "_slowest", "_fastest"].iter().any(|end| name.ends_with(end));
    let is_word = ["variant", "forfeits"].contains(&name) || name.contains('.');
    if old.is_empty() || is_end || is_word {
        return None;
    }
    let new = new.map_or("", String::as_str);
    if new.is_empty() {
        return Some(readable(name));
    }
    let is_count = name == "seeds" || name == "games" || name.starts_with("games_");
    let [old, new] = [old, new].map(|count| count.parse::<u64>().ok());
    match (is_count, old, new) {
        (true, Some(old), Some(new)) if new < old => {
            Some(format!("{} of {old} {}", old - new, readable(name)))
        }
        _ => None,
    }
}

/// A column for people: `games at 1000 nodes` of `games_nodes_1000`.
fn readable(name: &str) -> String {
    let under_limit = |what, word| {
        let nodes = name.strip_prefix(what)?.strip_prefix("_nodes_")?;
        Some(format!("{word} at {nodes} nodes"))
    };
    let limit = under_limit("games", "games").or_else(|| under_limit("elo", "Elo"));
    limit.unwrap_or_else(|| name.replace('_', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost_between(old: &str, new: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("results.csv"), old).unwrap();
        lost(folder.path(), &[("results.csv", new.as_bytes().to_vec()), ("other.csv", Vec::new())])
    }

    #[test]
    fn rows_numbers_seeds_and_games_can_be_lost() {
        let old =
            "set,seeds,loss,loss_low,games_nodes_60,elo\nA,3,0.1,0.05,60,12\n\"B, C\",3,0.2,,60,\n";
        assert!(lost_between(old, old).is_empty());
        let more = "set,seeds,loss,games_nodes_60,elo,new\nA,4,0.3,80,1,9\n\"B, C\",3,0.2,60,5,\nD,1,,,,\n";
        assert!(lost_between(old, more).is_empty());
        let less = "set,seeds,loss,games_nodes_60,elo\nA,1,,40,\n";
        assert_eq!(
            lost_between(old, less),
            [
                "2 of 3 seeds of `A`",
                "20 of 60 games at 60 nodes of `A`",
                "elo of `A`",
                "loss of `A`",
                "`B, C`"
            ]
        );
        assert_eq!(lost_between(old, ""), ["`A`", "`B, C`"]);
    }
}
