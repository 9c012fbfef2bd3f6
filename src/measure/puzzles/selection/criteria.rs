//! The conditions that a selected puzzle satisfies.

use std::fmt;

use crate::puzzles::Puzzle;

/// Conjunction of conditions. A condition on a value that the puzzle lacks, such as a rating,
/// fails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Criteria {
    pub min_rating: Option<u32>,
    pub max_rating: Option<u32>,
    /// Largest standard deviation of the rating, in points.
    pub max_deviation: Option<u32>,
    /// Least popularity, −100 to 100.
    pub min_popularity: Option<i32>,
    pub min_plays: Option<u32>,
    /// It must have one of these themes; any if there is none.
    pub themes: Vec<String>,
    /// It must have none of these.
    pub without_themes: Vec<String>,
    /// Fewest legal moves in the positions with the solver to move.
    pub min_choice: Option<usize>,
    /// The solution must not end in mate.
    pub without_mates: bool,
}

/// The first condition that a puzzle fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rejection {
    Rating,
    Deviation,
    Popularity,
    Plays,
    Theme,
    Choice,
    Mate,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rejection::Rating => "rating",
            Rejection::Deviation => "rating deviation",
            Rejection::Popularity => "popularity",
            Rejection::Plays => "plays",
            Rejection::Theme => "themes",
            Rejection::Choice => "too few legal moves",
            Rejection::Mate => "mates",
        })
    }
}

impl Criteria {
    /// Reason for rejecting a puzzle; `None` if it is eligible.
    pub(crate) fn rejection(&self, puzzle: &Puzzle) -> Option<Rejection> {
        use Rejection::*;
        let checks: [(Rejection, &dyn Fn() -> bool); 7] = [
            (Rating, &|| {
                at_least(puzzle.rating, self.min_rating) && at_most(puzzle.rating, self.max_rating)
            }),
            (Deviation, &|| at_most(puzzle.rating_deviation, self.max_deviation)),
            (Popularity, &|| at_least(puzzle.popularity, self.min_popularity)),
            (Plays, &|| at_least(puzzle.plays, self.min_plays)),
            (Theme, &|| self.likes_themes(&puzzle.themes)),
            (Choice, &|| self.min_choice.is_none_or(|least| has_choice(puzzle, least))),
            (Mate, &|| !(self.without_mates && ends_in_mate(puzzle))),
        ];
        checks.into_iter().find(|(_, holds)| !holds()).map(|(rejection, _)| rejection)
    }

    fn likes_themes(&self, themes: &[String]) -> bool {
        let has = |wanted: &[String]| themes.iter().any(|theme| wanted.contains(theme));
        (self.themes.is_empty() || has(&self.themes)) && !has(&self.without_themes)
    }

    /// As options of the command line.
    pub(super) fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        let mut number = |name: &str, value: Option<i64>| {
            options.extend(value.map(|value| format!("--{name} {value}")));
        };
        number("min-rating", self.min_rating.map(i64::from));
        number("max-rating", self.max_rating.map(i64::from));
        number("max-deviation", self.max_deviation.map(i64::from));
        number("min-popularity", self.min_popularity.map(i64::from));
        number("min-plays", self.min_plays.map(i64::from));
        number("min-choice", self.min_choice.and_then(|least| i64::try_from(least).ok()));
        options.extend(self.themes.iter().map(|theme| format!("--theme {theme}")));
        options.extend(self.without_themes.iter().map(|theme| format!("--without-theme {theme}")));
        options.extend(self.without_mates.then(|| "--without-mates".to_owned()));
        options
    }
}

fn at_least<T: PartialOrd>(value: Option<T>, least: Option<T>) -> bool {
    least.is_none_or(|least| value.is_some_and(|value| value >= least))
}

fn at_most<T: PartialOrd>(value: Option<T>, most: Option<T>) -> bool {
    most.is_none_or(|most| value.is_some_and(|value| value <= most))
}

fn has_choice(puzzle: &Puzzle, least: usize) -> bool {
    puzzle.questions().all(|(position, _)| position.legal_moves().len() >= least)
}

fn ends_in_mate(puzzle: &Puzzle) -> bool {
    let last = puzzle.questions().last();
    last.is_some_and(|(position, m)| position.after(m).is_checkmate())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::puzzle::tests::puzzle;

    fn mate() -> Puzzle {
        Puzzle {
            rating: Some(1_000),
            rating_deviation: Some(80),
            popularity: Some(-5),
            plays: Some(50),
            themes: vec!["mate".into(), "mateIn1".into()],
            ..puzzle("m", "6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1", "a7a6 d1d8")
        }
    }

    #[test]
    fn each_condition_rejects_what_fails_it() {
        let all = Criteria::default();
        let cases = [
            (Criteria { min_rating: Some(1_001), ..all.clone() }, Rejection::Rating),
            (Criteria { max_rating: Some(999), ..all.clone() }, Rejection::Rating),
            (Criteria { max_deviation: Some(79), ..all.clone() }, Rejection::Deviation),
            (Criteria { min_popularity: Some(-4), ..all.clone() }, Rejection::Popularity),
            (Criteria { min_plays: Some(51), ..all.clone() }, Rejection::Plays),
            (Criteria { themes: vec!["fork".into()], ..all.clone() }, Rejection::Theme),
            (Criteria { without_themes: vec!["mate".into()], ..all.clone() }, Rejection::Theme),
            (Criteria { min_choice: Some(99), ..all.clone() }, Rejection::Choice),
            (Criteria { without_mates: true, ..all.clone() }, Rejection::Mate),
        ];
        for (criteria, rejection) in cases {
            assert_eq!(criteria.rejection(&mate()), Some(rejection), "{criteria:?}");
        }
        let just = Criteria {
            min_rating: Some(1_000),
            max_rating: Some(1_000),
            max_deviation: Some(80),
            min_popularity: Some(-5),
            min_plays: Some(50),
            themes: vec!["fork".into(), "mate".into()],
            without_themes: vec!["pin".into()],
            min_choice: Some(3),
            without_mates: false,
        };
        assert_eq!(just.rejection(&mate()), None);
    }

    #[test]
    fn missing_values_fail_their_conditions() {
        let bare = Puzzle::new("b", mate().start, mate().moves);
        assert_eq!(Criteria::default().rejection(&bare), None);
        let rated = Criteria { max_rating: Some(9_999), ..Criteria::default() };
        assert_eq!(rated.rejection(&bare), Some(Rejection::Rating));
    }
}
