//! The catalogue as tables.

use comfy_table::Row;

use super::table;
use crate::cli::Failure;
use crate::features::FeatureSet;
use crate::features::catalogue::{CATALOGUE, SCHEMES};
use crate::report::format::grouped;

/// Named sets, then named schemes.
pub fn print() -> Result<(), Failure> {
    let header = ["name", "size", "max active", "what it says", "definition"];
    let mut sets = table(&header, &[1, 2], &[3, 4]);
    for named in CATALOGUE {
        let set = FeatureSet::parse(named.name)?;
        let (size, active) = (grouped(set.size() as u64), grouped(set.max_active() as u64));
        sets.add_row(one_line([named.name, &size, &active, named.about, named.expression]));
    }
    println!("{sets}\n");
    let mut schemes = table(&["scheme", "classes", "what it says", "definition"], &[1], &[2, 3]);
    for scheme in SCHEMES {
        let classes = classes(scheme.numbers).to_string();
        schemes.add_row(one_line([scheme.name, &classes, scheme.about, scheme.numbers]));
    }
    println!("{schemes}\n");
    println!("a set is used by its name, a scheme after `/`: `king(SQUARES / BUCKETS-9) * ALL`");
    Ok(())
}

fn one_line<const N: usize>(cells: [&str; N]) -> Row {
    let mut row = Row::from(cells);
    row.max_height(1);
    row
}

/// How many classes a list of class numbers makes.
fn classes(numbers: &str) -> usize {
    let words = numbers.split(|c: char| !c.is_ascii_digit());
    words.filter_map(|word| word.parse::<usize>().ok()).max().map_or(0, |most| most + 1)
}
