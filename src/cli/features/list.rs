//! The catalogue as tables.

use comfy_table::{Row, Table};

use super::table;
use crate::cli::Failure;
use crate::features::FeatureSet;
use crate::features::catalogue::{CATALOGUE, SCHEMES};
use crate::report::format::grouped;

/// Named sets, then named schemes.
pub fn print() -> Result<(), Failure> {
    let mut sets = Vec::with_capacity(CATALOGUE.len());
    for named in CATALOGUE {
        let set = FeatureSet::parse(named.name)?;
        let [size, active] = [set.size(), set.max_active()].map(|n| grouped(n as u64));
        sets.push([
            named.name.to_owned(),
            size,
            active,
            named.about.into(),
            named.expression.into(),
        ]);
    }
    println!("{}\n", fitted(&["name", "size", "max active", "what it says", "definition"], sets));
    let schemes = SCHEMES.iter().map(|scheme| {
        let classes = classes(scheme.numbers).to_string();
        [scheme.name.to_owned(), classes, scheme.about.into(), scheme.numbers.into()]
    });
    let header = ["scheme", "classes", "what it says", "definition"];
    println!("{}\n", fitted(&header, schemes.collect()));
    println!("a set is used by its name, a scheme after `/`: `king(SQUARES / BUCKETS-9) * ALL`");
    Ok(())
}

/// Fewer characters of a definition say nothing.
const NARROWEST_DEFINITION: usize = 16;

/// A table with one line a row, of a name, numbers, a sentence and a
/// definition. The definition is cut to what room the terminal leaves, and
/// left out where that is too little.
fn fitted<const N: usize>(header: &[&str; N], rows: Vec<[String; N]>) -> Table {
    let last = N - 1;
    let widest = |at: usize| {
        let cells = rows.iter().map(|row| row[at].chars().count());
        cells.chain([header[at].len()]).max().unwrap_or(0)
    };
    let padding = 3;
    let used: usize = (0..last).map(|at| widest(at) + padding).sum();
    let numbers: Vec<usize> = (1..last - 1).collect();
    let room = Table::new().width().map(|width| usize::from(width).saturating_sub(used + padding));
    let is_wide = room.is_none_or(|room| room >= NARROWEST_DEFINITION);
    let columns = if is_wide { N } else { last };
    let mut table = table(&header[..columns], &numbers, &[columns - 1]);
    for cells in &rows {
        let mut row = Row::from(&cells[..columns]);
        row.max_height(1);
        table.add_row(row);
    }
    table
}

/// How many classes a list of class numbers makes.
fn classes(numbers: &str) -> usize {
    let words = numbers.split(|c: char| !c.is_ascii_digit());
    words.filter_map(|word| word.parse::<usize>().ok()).max().map_or(0, |most| most + 1)
}
