//! The page of searches: the answers of each method over its budget, the diversity of the living,
//! and the share of games by colour.

#[cfg(test)]
mod tests;

use base::Estimate;
use base::format::{fixed, grouped};
use report::Format::{Count, Factor, Fixed, Number, Percent, Seconds, Signed, Text, Words};
use report::plot::learning;
use report::plot::theme::Style;
use report::{Column, Figure, LearningPanel, Page, Part, Provenance, ReportError, Section, Table};

/// Several methods on the same task.
#[derive(Clone, Debug)]
pub(super) struct MethodComparison {
    pub name: String,
    pub question: String,
    pub warnings: Vec<String>,
    /// Unit of the budget of most methods, over which curves are drawn: `games` or `evaluations`.
    pub unit: &'static str,
    /// Matches of the answers, in words.
    pub trials: Vec<String>,
    pub methods: Vec<MethodRow>,
    pub panels: Vec<LearningPanel>,
    pub ablations: Vec<Ablations>,
    pub provenance: Provenance,
}

/// A method; figures of searches are means.
#[derive(Clone, Debug)]
pub(super) struct MethodRow {
    pub label: String,
    /// Searches.
    pub seeds: usize,
    /// Unit of its budget.
    pub unit: &'static str,
    pub spent: f64,
    pub rounds: f64,
    pub seconds: f64,
    /// Distance of the living from their middle at the end.
    pub diversity: f64,
    /// `None` without games.
    pub colours: Option<ColourShares>,
    /// `None` where games judge.
    pub errors: Option<ErrorMeans>,
    /// By trial, of the last answers.
    pub trials: Vec<Option<TrialResult>>,
}

/// Games of the judged by colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ColourShares {
    /// Share of the games with White.
    pub with_white: f64,
    /// Share of the points with White and with Black.
    pub scores: [f64; 2],
}

/// Mean squared errors, means over the seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ErrorMeans {
    pub judged_by: Estimate,
    pub held_out: Option<Estimate>,
}

/// A match of the answers of all seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TrialResult {
    pub elo: Estimate,
    /// Share of the points of the White player, answer or opponent.
    pub white: f64,
    pub games: u64,
}

/// Parts of the search, each played without.
#[derive(Clone, Debug)]
pub(super) struct Ablations {
    /// Evaluation of both sides.
    pub evaluation: String,
    /// Games for each part.
    pub games: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// Plies to which nodes are counted.
    pub depth: u32,
    pub rows: Vec<AblationRow>,
}

#[derive(Clone, Debug)]
pub(super) struct AblationRow {
    pub part: String,
    pub about: String,
    /// Elo of the engine with the part over the engine without it.
    pub elo: Option<Estimate>,
    /// Nodes without the part, relative to those with it, to the same depth.
    pub nodes: f64,
}

impl MethodComparison {
    pub(super) fn page(self) -> Result<Page, ReportError> {
        let plot = self.plot()?;
        let methods = Section::new("", "", [Part::Table(self.methods())]);
        let mut sections = vec![methods];
        sections.extend(plot.map(Section::from));
        if !self.ablations.is_empty() {
            let table =
                |one: &Ablations| Table { key: String::new(), ..parts(std::slice::from_ref(one)) };
            let tables = self.ablations.iter().map(|one| Part::Table(table(one)));
            sections.push(Section::new("parts", "Elo of parts of the search", tables));
        }
        Ok(Page {
            sections,
            sheets: vec![self.curves(), parts(&self.ablations)],
            title: self.name,
            question: self.question,
            warnings: self.warnings,
            provenance: self.provenance,
            ..Page::default()
        })
    }

    /// The same colour and marker for a method in all curves.
    fn style(&self, label: &str) -> Style {
        let place = self.methods.iter().position(|method| method.label == label);
        place.map_or(Style::REFERENCE, Style::nth)
    }

    fn plot(&self) -> Result<Option<Figure>, ReportError> {
        if self.panels.is_empty() {
            return Ok(None);
        }
        let svg = learning::draw("Search over its games", &self.panels, |label| self.style(label))
            .map_err(|source| ReportError::Draw { experiment: self.name.clone(), source })?;
        let caption = format!(
            "Means over the seeds of each method by the budget spent ({}); bands and bars: 95 % \
             intervals of seeds and games. Diversity: mean distance of \
             the population from its centre, as a share of the range of genes.",
            self.unit
        );
        let title = "Fitness over the budget".to_owned();
        Ok(Some(Figure { id: "course".to_owned(), title, caption, svg }))
    }

    fn methods(&self) -> Table {
        let shares = |row: &MethodRow| row.colours;
        let mut table = Table::of("methods", "Methods", &self.methods)
            .column(Column::new("method", "method", Text), |row| &row.label)
            .column(Column::new("seeds", "seeds", Count), |row| row.seeds)
            .column(Column::new("unit", "", Text).for_programs(), |row| row.unit)
            .column(Column::new("spent", "", Number).for_programs(), |row| row.spent)
            .column(Column::new("", "spent by each", Text).for_people(), |row| {
                format!("{} {}", grouped(row.spent.round() as u64), row.unit)
            })
            .column(Column::new("rounds", "rounds", Fixed(0)), |row| row.rounds)
            .column(Column::new("seconds", "time of each", Seconds), |row| row.seconds)
            .column(Column::new("diversity", "diversity at the end", Fixed(3)), |row| row.diversity)
            .column(Column::new("with_white", "", Number).for_programs(), |row| {
                shares(row).map(|it| it.with_white)
            })
            .column(Column::new("score_with_white", "", Number).for_programs(), |row| {
                shares(row).map(|it| it.scores[0])
            })
            .column(Column::new("score_with_black", "", Number).for_programs(), |row| {
                shares(row).map(|it| it.scores[1])
            })
            .column(Column::new("", "scores of the evaluated points", Text).for_people(), |row| {
                shares(row).map(|it| it.to_string())
            })
            .column(Column::estimate("error", "squared error", Number), |row| {
                row.errors.map(|errors| errors.judged_by)
            })
            .column(Column::estimate("error_held_out", "held out", Number), |row| {
                row.errors.and_then(|errors| errors.held_out)
            });
        for (place, name) in self.trials.iter().enumerate() {
            let of = |row: &MethodRow| row.trials.get(place).copied().flatten();
            let key = |of: &str| format!("{of} {name}");
            table = table
                .column(Column::estimate(key("elo"), key("Elo"), Signed(1)), |row| {
                    of(row).map(|it| it.elo)
                })
                .column(Column::new(key("white"), "", Percent(1)).for_programs(), |row| {
                    of(row).map(|it| it.white)
                })
                .column(Column::new(key("games"), "", Count).for_programs(), |row| {
                    of(row).map(|it| it.games)
                });
        }
        let caption = match self.trials.is_empty() {
            true => String::new(),
            false => format!(
                "Elo: last answer of each search, mean over the seeds, with 95 % \
                 intervals that include the spread between seeds. {}",
                self.whites()
            ),
        };
        table.caption(caption).summary().table()
    }

    /// Share of the points of White in each trial, of all methods together.
    fn whites(&self) -> String {
        let of_trial = |(place, trial): (usize, &String)| {
            let results = self.methods.iter().filter_map(|row| row.trials.get(place)?.as_ref());
            let (points, games) = results.fold((0.0, 0.0), |(points, games), result| {
                let played = result.games as f64;
                (points + played * result.white, games + played)
            });
            let share = fixed(100.0 * points / games, 1);
            (games > 0.0).then(|| format!("White scored {share} % {trial}."))
        };
        let lines: Vec<String> = self.trials.iter().enumerate().filter_map(of_trial).collect();
        lines.join(" ")
    }

    /// A row for each point of a curve.
    fn curves(&self) -> Table {
        let points = self.panels.iter().flat_map(|panel| {
            panel.series.iter().flat_map(move |series| {
                // Curves of many points are all line.
                let is_line = series.points.is_empty();
                let points = if is_line { &series.band } else { &series.points };
                points.iter().map(move |point| (&panel.title, &series.label, point))
            })
        });
        Table::of("curves", "Curves", points)
            .column(Column::new("quantity", "", Text), |(quantity, ..)| quantity)
            .column(Column::new("method", "", Text), |(_, method, _)| method)
            .column(Column::new(self.unit, "", Number), |(.., (spent, _))| *spent)
            .column(Column::estimate("value", "", Number), |(.., (_, value))| *value)
            .table()
    }
}

impl std::fmt::Display for ColourShares {
    /// `53.8 % with White, 46.2 % with Black`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [white, black] = self.scores.map(|share| fixed(100.0 * share, 1));
        match self.with_white {
            1.0 => write!(f, "White alone: {white} %"),
            _ => write!(f, "{white} % with White, {black} % with Black"),
        }
    }
}

/// Elo and nodes of parts of the search.
fn parts(ablations: &[Ablations]) -> Table {
    let rows = ablations.iter().flat_map(|of| of.rows.iter().map(move |row| (of, row)));
    let first = ablations.first();
    let title = first.map_or(String::new(), |of| format!("Evaluation {}", of.evaluation));
    let depth = first.map_or(0, |of| of.depth);
    let terms = first.map_or(String::new(), |of| {
        format!("{} games each at {} nodes per move. ", grouped(of.games), grouped(of.nodes))
    });
    Table::of("ablations", &title, rows)
        .column(Column::new("part", "part", Text), |(_, row)| &row.part)
        .column(Column::new("evaluation", "", Text).for_programs(), |(of, _)| &of.evaluation)
        .column(Column::new("games", "", Count).for_programs(), |(of, _)| of.games)
        .column(Column::new("nodes", "", Count).for_programs(), |(of, _)| of.nodes)
        .column(Column::new("depth", "", Count).for_programs(), |(of, _)| of.depth)
        .column(
            Column::new("nodes_without", format!("nodes to depth {depth} without it"), Factor(2)),
            |(_, row)| row.nodes,
        )
        .column(Column::estimate("elo", "Elo of the part", Signed(1)), |(_, row)| row.elo)
        .column(Column::new("", "description", Words).for_people(), |(_, row)| &row.about)
        .caption(format!(
            "{terms}Elo of the engine with the part over the engine without it, all else as in play, \
             with 95 % intervals; nodes over the positions of `oplus bench`."
        ))
        .table()
}
