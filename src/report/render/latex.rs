//! Tables as LaTeX: a `tabular` with the rules of `booktabs`, for `\input` into a document.

use super::words::{MISSING, Words};
use crate::finding::Mark;
use crate::table::{Column, Table};
use crate::value::Cell;

/// A table as a document includes it, with the columns that a page shows.
pub fn tabular(table: &Table) -> String {
    let columns: Vec<(usize, &Column)> = table.shown().collect();
    let missing = Cell::default();
    let row = |cells: &[Cell]| {
        let cell = |&(place, column): &(usize, &Column)| {
            let words = Words::of(cells.get(place).unwrap_or(&missing), column.format);
            if column.format.is_text() { escaped(&words.in_full()) } else { number(&words) }
        };
        line(columns.iter().map(cell))
    };
    let alignment: String =
        columns.iter().map(|(_, column)| if column.format.is_text() { 'l' } else { 'r' }).collect();
    let header = line(columns.iter().map(|(_, column)| escaped(&column.heading())));
    let rows: String = table.rows.iter().map(|it| row(&it.cells)).collect();
    format!(
        "% {}. In the preamble: \\usepackage{{booktabs}}\n\
         \\begin{{tabular}}{{{alignment}}}\n\
         \\toprule\n{header}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n",
        table.title.replace(char::is_control, " "),
    )
}

/// `a & b \\`
fn line(cells: impl Iterator<Item = String>) -> String {
    format!("{} \\\\\n", cells.collect::<Vec<_>>().join(" & "))
}

/// `$+43 \pm 29$ $\triangle$`, the mark behind it.
fn number(words: &Words) -> String {
    let mark = words.mark.map_or("", sign);
    escaped(&format!("{}{}", words.number, words.interval)) + mark
}

/// Signs of every document class, without further packages.
fn sign(mark: Mark) -> &'static str {
    match mark {
        Mark::Better => " $\\triangle$",
        Mark::Worse => " $\\nabla$",
        Mark::NotSeparable => " $\\approx$",
        Mark::NoVerdict => " ?",
        Mark::Remark => " $\\cdot$",
    }
}

/// Text without characters that LaTeX interprets, or that its default fonts lack.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '<' => out += "$<$",
            '>' => out += "$>$",
            '|' => out += "$|$",
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => out.extend(['\\', c]),
            '−' => out += "$-$",
            '±' => out += "$\\pm$",
            '×' => out += "$\\times$",
            '·' => out += "$\\cdot$",
            '→' => out += "$\\rightarrow$",
            '≈' => out += "$\\approx$",
            '∞' => out += "$\\infty$",
            '▲' => out += "$\\triangle$",
            '▼' => out += "$\\nabla$",
            '\u{a0}' | '\u{202f}' => out.push('~'),
            c if c.is_control() => out.push(' '),
            c if MISSING.contains(c) => out += "---",
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Column, Estimate, Format};

    #[test]
    fn a_table_is_a_tabular_of_its_shown_columns() {
        let players =
            [("ALL + PH_1", Some(Estimate::new(42.63, 13.9, 71.6)), 200_u64), ("ALL", None, 9)];
        let table = Table::of("results", "Results", &players)
            .column(Column::new("set", "feature set", Format::Text), |it| it.0)
            .column(Column::estimate("elo", "Elo, 1,000 nodes", Format::Signed(1)), |it| {
                it.1.map(Cell::judged)
            })
            .column(Column::new("seeds", "", Format::Count).for_programs(), |_| 3_u64)
            .column(Column::new("games", "games", Format::Count), |it| it.2)
            .table();
        assert_eq!(
            tabular(&table),
            "% Results. In the preamble: \\usepackage{booktabs}\n\
             \\begin{tabular}{lrr}\n\
             \\toprule\n\
             feature set & Elo, 1,000 nodes & games \\\\\n\
             \\midrule\n\
             ALL + PH\\_1 & +43 $\\pm$ 29 $\\triangle$ & 200 \\\\\n\
             ALL & --- & 9 \\\\\n\
             \\bottomrule\n\
             \\end{tabular}\n"
        );
    }

    proptest! {
        /// No text ends its cell, its line, or opens a group.
        #[test]
        fn names_have_no_commands(name in "\\PC*") {
            let table = Table::of("t", "T", [name.as_str()])
                .column(Column::new("name", "name", Format::Text), |name| name)
                .table();
            let written = tabular(&table);
            let row = written.lines().nth(5).unwrap().strip_suffix(" \\\\").unwrap().to_owned();
            let known = ["\\textbackslash{}", "\\textasciitilde{}", "\\textasciicircum{}"];
            let row = known.iter().fold(row, |row, command| row.replace(command, ""));
            let free = row.replace("\\rightarrow", "").replace("\\approx", "");
            for special in ["&", "%", "#", "_", "{", "}"] {
                let all = free.matches(special).count();
                prop_assert_eq!(all, free.matches(&format!("\\{special}")).count());
            }
        }
    }
}
