//! Tables and pages of invented numbers.

use super::*;
use crate::plot::theme::Style;
use crate::{
    Cell, Column, CrossScore, CrossTable, Estimate, Fact, Finding, Format, Mark, Page, Part,
    Provenance, Section, Table,
};

struct Player {
    name: &'static str,
    elo: Option<Estimate>,
    pairs: [u64; 5],
    loss: Option<f64>,
}

fn players() -> [Player; 2] {
    let elo = Estimate::new(42.63, 13.9, 71.6);
    [
        Player {
            name: "new",
            elo: Some(elo),
            pairs: [2, 8, 12, 1016, 12],
            loss: Some(0.002_487_1),
        },
        Player { name: "old <b>", elo: None, pairs: [0; 5], loss: None },
    ]
}

fn table() -> Table {
    Table::of("players", "Players", &players())
        .column(Column::new("player", "player", Format::Text), |it| it.name)
        .column(
            Column::estimate("elo", "Elo, 1,000 nodes", Format::Signed(1)).means("Over the old"),
            |it| it.elo.map_or(Cell::remark("reference"), Cell::judged),
        )
        .column(Column::new("pairs", "pairs", Format::PAIRS), |it| it.pairs)
        .column(Column::new("loss", "loss", Format::Number).rounded(4), |it| it.loss)
        .column(Column::new("games", "games", Format::Count).for_programs(), |_| 1234_usize)
        .column(Column::new("size", "size", Format::Factor(2)).unit("of old").for_people(), |_| 1.5)
        .column(Column::new("nothing", "nothing", Format::Number), |_| None::<f64>)
        .swatches(|_| Style::nth(0))
        .reference(|it| it.elo.is_none())
        .summary()
        .table()
}

fn written(table: &Table) -> String {
    String::from_utf8(csv::sheet(table).unwrap()).unwrap()
}

#[test]
fn csv_holds_estimates_with_their_ends_and_counts_by_their_parts() {
    let mut table = table();
    let lines = "player,elo,elo_low,elo_high,pairs_0,pairs_0.5,pairs_1,pairs_1.5,pairs_2,loss,games,nothing\n\
                 new,42.63,13.9,71.6,2,8,12,1016,12,0.0025,1234,\n\
                 old <b>,,,,0,0,0,0,0,,1234,\n";
    assert_eq!(written(&table), lines);
    let won = Estimate::new(f64::INFINITY, 320.123_456_789, f64::INFINITY);
    table.rows[1].cells[1] = won.into();
    assert!(written(&table).contains("old <b>,inf,320.123456789,inf,"));
}

#[test]
fn no_cell_is_a_formula_and_numbers_stay() {
    let formulas = ["=HYPERLINK(1)", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"];
    let harmless = ["-12.5", "+3", "-inf", "", "Stockfish", "A=B"];
    let table = Table::of("names", "Names", formulas.iter().chain(&harmless))
        .column(Column::new("name", "name", Format::Text), |name| *name)
        .column(Column::new("one", "one", Format::Count), |_| 1_u64)
        .table();
    let bytes = csv::sheet(&table).unwrap();
    let rows: Vec<::csv::StringRecord> =
        ::csv::Reader::from_reader(&bytes[..]).records().map(Result::unwrap).collect();
    let (inert, same) = rows.split_at(formulas.len());
    for (row, formula) in inert.iter().zip(formulas) {
        assert_eq!(&row[0], format!("'{formula}"));
    }
    assert!(same.iter().map(|row| &row[0]).eq(harmless));
}

#[test]
fn json_has_the_keys_of_the_columns_and_null_for_what_is_unknown() {
    let mut table = table();
    table.rows[0].cells[3] = f64::INFINITY.into();
    let rows = json::rows(&table);
    let elo = serde_json::json!({ "value": 42.63, "low": 13.9, "high": 71.6, "verdict": "better" });
    assert_eq!(rows[0]["elo"], elo);
    assert_eq!(rows[0]["pairs"], serde_json::json!([2, 8, 12, 1016, 12]));
    assert_eq!(rows[0]["games"], 1234);
    assert!(rows[0]["loss"].is_null() && rows[1]["elo"].is_null() && rows[1]["nothing"].is_null());
    assert!(rows[0].get("size").is_none(), "what is for people only");
}

#[test]
fn people_read_words_marks_and_no_empty_columns() {
    let text = terminal::table(&table(), None);
    for part in ["+43 ± 29 ▲", "reference", "2 · 8 · 12 · 1,016 · 12", "0.0024871", "× 1.50", "—"]
    {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    for part in ["nothing", "games", "1,234"] {
        assert!(!text.contains(part), "{part} is in\n{text}");
    }
    let facts = terminal::facts(&table());
    assert!(facts.lines().any(|line| line.starts_with("size, of old") && line.ends_with("× 1.50")));
    assert_eq!(facts.lines().next().map(|line| line.trim_end().ends_with("new")), Some(true));
}

fn page() -> Page {
    let plain = Section::new("", "", [Part::Words("Words & <b>.".to_owned())]);
    let names = [("a", 0.75), ("b", 0.25)];
    let cross = CrossTable::of(
        &names,
        |(name, _)| (name.to_owned(), Style::nth(0)),
        |(row, share), (column, _)| {
            (row != column)
                .then_some(CrossScore { share, elo: Some(Estimate::new(9.0, 1.0, 17.0)) })
        },
    );
    let words = Column::new("words", "words", Format::Words);
    let folded = Table::of("runs", "Every run", [1_u64, 2])
        .column(Column::new("seed", "seed", Format::Id), |seed| 1000 + seed)
        .column(words, |_| "of many words")
        .table();
    let hidden = Table::of("losses", "Losses", [0.5])
        .column(Column::new("loss", "loss", Format::Number), |loss| loss)
        .table();
    let empty = Table::of("empty", "Empty", [0.5; 0])
        .column(Column::new("loss", "loss", Format::Number), |loss| loss)
        .table();
    let found = Finding { mark: Mark::Better, subject: "new".into(), text: "beats old".into() };
    Page {
        title: "new <b> & old".to_owned(),
        question: "Who is the stronger?".to_owned(),
        answer: vec![Fact::new("Strongest", "new <b>", "beats old")],
        findings: vec![found, Finding::remark("3 games")],
        warnings: vec!["few games".to_owned()],
        sections: vec![
            table().into(),
            plain,
            cross.into(),
            Section::new(
                "runs",
                "Runs",
                [Part::Folded { summary: "All".to_owned(), parts: vec![Part::Table(folded)] }],
            ),
        ],
        sheets: vec![hidden, empty],
        provenance: Provenance { command: "oplus run".to_owned(), ..Provenance::default() },
        config: "name = \"x\"".to_owned(),
        notes: vec!["a remark".to_owned()],
    }
}

#[test]
fn a_page_is_well_formed_and_holds_everything() {
    let folder = tempfile::tempdir().unwrap();
    let written = page().write(&folder.path().join("deep/er")).unwrap();
    let html = std::fs::read_to_string(&written.page).unwrap();
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    roxmltree::Document::parse_with_options(&html, options).expect("well-formed");
    for part in [
        "new &#60;b&#62; &#38; old",
        "Who is the stronger?",
        "<dt>Strongest</dt><dd class=\"value\">new &#60;b&#62;</dd><dd>beats old</dd>",
        "<strong>new</strong> beats old",
        "few games",
        "+43<span class=\"pm\"> ± 29</span> <span class=\"better\">▲</span>",
        "title=\"Over the old\"",
        "<tr class=\"reference\">",
        "Words &#38; &#60;b&#62;.",
        "75.0 %<span>+9.0 ± 8.0</span>",
        "<summary>All</summary>",
        "1001",
        "<pre>oplus run</pre>",
        "a remark",
    ] {
        assert!(html.contains(part), "{part} is not in\n{html}");
    }
    let names: Vec<_> = written.sheets.iter().filter_map(|path| path.file_name()).collect();
    assert_eq!(names, ["players.csv", "runs.csv", "losses.csv", "players.tex"]);
    assert!(names.iter().all(|name| html.contains(&format!("href=\"{}\"", name.display()))));
}

#[test]
fn a_page_that_loses_a_row_of_its_summary_says_so() {
    let folder = tempfile::tempdir().unwrap();
    page().write(folder.path()).unwrap();
    let mut less = page();
    if let Part::Table(table) = &mut less.sections[0].parts[0] {
        table.rows.truncate(1);
    }
    assert_eq!(less.lost(folder.path()).unwrap(), ["`old <b>`"]);
    assert!(page().lost(folder.path()).unwrap().is_empty());
}

#[test]
fn a_page_in_short_and_for_programs() {
    let text = terminal::page(&page(), None);
    for part in ["+43 ± 29 ▲", "▲ new beats old\n", "· 3 games\n", "warning: few games\n"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("1001"));
    let object = json::page(&page());
    assert_eq!(object["findings"][0]["verdict"], "better");
    assert_eq!(object["runs"][1]["seed"], 1002);
    assert!(object["players"][0]["elo"]["value"].is_f64() && !object.contains_key("losses"));
}

mod narrow {
    use super::terminal;
    use crate::{Column, Format, Table};

    /// A long name and columns of numbers.
    fn table() -> Table {
        let name = "mirror(king(SQUARES / BUCKETS-9) * ALL) + pair(FILES * PIECES * PIECES)";
        let rows = [
            [name, "0.0024871", "1,234,567", "12.5 GB", "1 h 14 min", "1000"],
            ["ALL", "0.0031415", "605,000", "0.5 GB", "3 min", "1"],
        ];
        let titles = ["set", "loss", "positions/s", "memory", "time left", "seed"];
        let formats = |title: &&str| match *title {
            "set" => Format::Text,
            _ => Format::Number,
        };
        Table::of("sets", "Sets", &rows)
            .columns(
                titles.into_iter().enumerate(),
                |(_, title)| Column::new(*title, *title, formats(title)),
                |row, (place, _)| row[*place],
            )
            .table()
    }

    #[test]
    fn numbers_stay_whole_and_names_can_be_read_at_any_width() {
        for width in [60, 80, 100, 140] {
            let text = terminal::table(&table(), Some(width));
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest.is_some_and(|widest| widest <= width), "{width}:\n{text}");
            for part in
                ["0.0024871", "1,234,567", "12.5 GB", "1 h 14 min", "1000", "ALL", "mirror("]
            {
                assert!(text.contains(part), "{part} is not in, at {width}:\n{text}");
            }
        }
    }

    /// Names of engines come from outside.
    #[test]
    fn names_do_not_command_the_terminal() {
        let table = Table::of("", "", ["\u{1b}[31mred"])
            .column(Column::new("player", "player", Format::Text), |name| name)
            .column(Column::new("title", "\u{1b}]0;title\u{7}", Format::Count), |_| 1_u64)
            .table();
        let text = terminal::table(&table, None);
        assert!(!text.contains(['\u{1b}', '\u{7}']) && text.contains("[31mred"), "{text:?}");
    }

    #[test]
    fn what_is_no_terminal_gets_one_table() {
        let (whole, narrow) =
            (terminal::table(&table(), None), terminal::table(&table(), Some(60)));
        let headers = |text: &str| text.lines().filter(|line| line.contains("set")).count();
        assert_eq!((headers(&whole), headers(&narrow)), (1, 2));
        assert!(whole.contains("pair(FILES * PIECES * PIECES)"), "{whole}");
        assert_eq!(whole.lines().count(), 3, "a line for each row, and no rules: {whole}");
        let place = |line: &str| line.find("loss").or(line.find("0.00")).unwrap();
        let last = |line: &str| line.chars().last();
        assert!(whole.lines().all(|line| last(line).is_some_and(|end| !end.is_whitespace())));
        let ends: Vec<usize> = whole
            .lines()
            .map(|line| line[place(line)..].find("  ").unwrap() + place(line))
            .collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "columns are aligned: {whole}");
    }
}
