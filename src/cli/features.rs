//! `oplus features`: what an expression means.

use comfy_table::{CellAlignment, Table, presets};

use super::Failure;
use crate::chess::{Color, Position, Scene};
use crate::features::catalogue::CATALOGUE;
use crate::features::{Feature, FeatureSet, Names};
use crate::report::board;

/// Explain a feature expression: blocks, sizes, index order, active features
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  oplus features --list
  oplus features \"ALL + PH\"
  oplus features \"H + V\" --fen \"4k3/8/8/8/8/8/8/R3K3 w - - 0 1\"
  oplus features \"CENTRE + ALL\" --define \"CENTRE=piece({d4, e4, d5, e5} * PIECES)\"")]
pub struct Args {
    /// The expression, such as "ALL + pair(FILES * PIECES * PIECES)"
    #[arg(required_unless_present = "list")]
    expression: Option<String>,
    /// List the active features of a position, for both perspectives
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Define a name for use in the expression (repeatable)
    #[arg(long, value_name = "NAME=EXPRESSION")]
    define: Vec<String>,
    /// List the named feature sets
    #[arg(long)]
    list: bool,
}

pub fn main(args: Args) -> Result<(), Failure> {
    if args.list {
        println!("{}", catalogue_table()?);
    }
    let Some(expression) = &args.expression else { return Ok(()) };
    let set = FeatureSet::compile(expression, &names(&args.define)?)?;
    println!("{}", breakdown(&set));
    if let Some(fen) = &args.fen {
        let position = Position::from_fen(fen).map_err(Failure::from_error)?;
        println!("{}", board::draw(position.board()));
        for perspective in Color::ALL {
            print_active(&set, &position, perspective);
        }
    }
    Ok(())
}

/// Reads `NAME=EXPRESSION` definitions.
pub fn names(definitions: &[String]) -> Result<Names, Failure> {
    let mut names = Names::catalogue();
    for text in definitions {
        let (name, expression) = text.split_once('=').ok_or_else(|| {
            Failure::usage(format!("--define needs NAME=EXPRESSION, found `{text}`"))
        })?;
        names.define(name.trim(), expression.trim());
    }
    Ok(names)
}

fn table(header: &[&str], numbers: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY).set_header(header);
    for &column in numbers {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn catalogue_table() -> Result<Table, Failure> {
    let mut table = table(&["name", "size", "what it says", "definition"], &[1]);
    for named in CATALOGUE {
        let set = FeatureSet::parse(named.name)?;
        table.add_row([named.name, &set.size().to_string(), named.about, named.expression]);
    }
    Ok(table)
}

fn breakdown(set: &FeatureSet) -> Table {
    let mut table = table(&["block", "from", "size", "max active", "index order"], &[1, 2, 3]);
    for block in set.summands() {
        table.add_row([
            block.text.as_str(),
            &block.offset.to_string(),
            &block.size.to_string(),
            &block.max_active.to_string(),
            &block.definition,
        ]);
    }
    if set.summands().len() > 1 {
        table.add_row(["total", "", &set.size().to_string(), &set.max_active().to_string(), ""]);
    }
    table
}

fn print_active(set: &FeatureSet, position: &Position, perspective: Color) {
    let mut active: Vec<Feature> = Vec::new();
    set.active(&Scene::from(position), perspective, &mut active);
    active.sort_unstable();
    let who = perspective.fold_wb("White", "Black");
    println!("{who} sees {} active features of {}:", active.len(), set.size());
    for feature in active {
        println!("{:>8}  {}", feature.0, set.describe(feature));
    }
    println!();
}
