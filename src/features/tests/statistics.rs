//! The counters against moves counted by hand.

use std::sync::Arc;

use super::laws::random_game;
use crate::statistics::{Decade, MoveSums};
use crate::{Feature, FeatureSet, Frequencies, MoveCounts, Possibilities, Step};
use chess::{Position, Scene};

fn counts(text: &str, fen: &str, moves: &[&str]) -> MoveCounts {
    let mut counts = MoveCounts::new(FeatureSet::parse(text).unwrap());
    let mut position = Position::from_fen(fen).unwrap();
    for m in moves {
        let played = position.parse_uci(m).unwrap();
        record(&mut counts, &position, played);
        position.play(played);
    }
    counts
}

fn record(counts: &mut MoveCounts, position: &Position, m: chess::Move) {
    let (before, after) = (Scene::from(position), Scene::from(&position.after(m)));
    let step = Step { before: &before, after: &after, change: &position.change(m) };
    counts.record(step, position.turn());
}

const ROOKS: &str = "r3k3/8/8/8/8/8/8/R3K3 w - - 0 1";

#[test]
fn a_refresh_is_of_its_summand_and_of_the_whole() {
    // A rook takes a rook, then the king that was not in the way steps aside.
    let counts = counts("ALL + KING-ALL", ROOKS, &["a1a8", "e8e7"]);
    let [all, king_all] = [counts.parts()[0], counts.parts()[1]];
    let sums = |moves, refreshes, added, removed, active| MoveSums {
        moves,
        refreshes,
        added,
        removed,
        active,
    };
    assert_eq!(counts.moves(), 2);
    assert_eq!(all.mover, sums(2, 0, 2, 3, 6));
    assert_eq!(all.other, sums(2, 0, 2, 3, 6));
    assert_eq!(king_all.mover, sums(2, 1, 1, 2, 6), "the mover's king");
    assert_eq!(king_all.other, sums(2, 0, 2, 3, 6), "not of the other's view");
    assert_eq!(counts.whole().mover, sums(2, 1, 2, 4, 12));
    assert_eq!(counts.whole().other, sums(2, 0, 4, 6, 12));
    let both = counts.whole().both();
    assert_eq!((both.mean_added(), both.mean_removed()), (2.0, 10.0 / 3.0));
    assert_eq!((both.mean_rows(), both.refresh_share()), (16.0 / 3.0, 0.25));
    assert_eq!(both.mean_active(), 6.0);
}

#[test]
fn nothing_counted_has_no_mean() {
    let sums = MoveSums::default();
    assert_eq!((sums.mean_rows(), sums.refresh_share(), sums.mean_active()), (0.0, 0.0, 0.0));
    let none = Frequencies::new(FeatureSet::parse("ALL").unwrap());
    assert_eq!((none.mean_active(), none.never_seen(&(0..768))), (vec![0.0], 768));
}

fn frequencies(set: &Arc<FeatureSet>, positions: &[Position]) -> Frequencies {
    let mut frequencies = Frequencies::new(set.clone());
    positions.iter().for_each(|position| frequencies.record(position));
    frequencies
}

#[test]
fn features_are_counted_from_both_sides() {
    let set = FeatureSet::parse("H + ALL").unwrap();
    let position = Position::from_fen("4k3/8/8/8/8/8/8/R3K3 w - - 0 1").unwrap();
    let counted = frequencies(&set, &[position.clone(), position]);
    assert_eq!((counted.views(), counted.mean_active()), (4, vec![3.0, 3.0]));
    // White sees its rook, Black the other's; the kings both sides see alike.
    let share = |text: &str| {
        let index = (0..set.size() as u32).find(|&i| set.describe(Feature(i)) == text).unwrap();
        counted.share(Feature(index))
    };
    assert_eq!(share("own rook on file a"), 0.5);
    assert_eq!(share("other rook on file a"), 0.5);
    assert_eq!(share("own king on file e"), 1.0);
    assert_eq!(share("own rook on a8"), 0.0);
    assert_eq!(share("other rook on a8"), 0.5);
    assert_eq!(counted.never_seen(&(0..96)), 96 - 4);
    assert_eq!(counted.histogram(&(0..96)), [92, 0, 0, 0, 0, 4]);
    let top: Vec<String> = counted.top(5).into_iter().map(|f| set.describe(f)).collect();
    assert_eq!(top[..2], ["own king on file e", "other king on file e"]);
    assert_eq!(top.len(), 5);
    assert_eq!(counted.top(100).len(), 8, "never those that were not seen");
}

#[test]
fn merging_is_counting_on() {
    let set = FeatureSet::parse("ALL + PH + mirror(KING * H)").unwrap();
    let game = random_game(1, 5, 60);
    let positions: Vec<Position> = game.iter().map(|(position, _)| position.clone()).collect();
    let whole = frequencies(&set, &positions);
    let mut parts = frequencies(&set, &positions[..20]);
    parts.merge(frequencies(&set, &positions[20..]));
    assert_eq!(whole.mean_active(), parts.mean_active());
    assert_eq!(whole.top(1_000), parts.top(1_000));

    let count = |game: &[(Position, chess::Move)]| {
        let mut counts = MoveCounts::new(set.clone());
        game.iter().for_each(|(position, m)| record(&mut counts, position, *m));
        counts
    };
    let mut parts = count(&game[..20]);
    parts.merge(&count(&game[20..]));
    let whole = count(&game);
    assert_eq!((whole.parts(), whole.whole()), (parts.parts(), parts.whole()));
    assert!(whole.whole().mover.refreshes > 0);
}

#[test]
fn examples_are_possible_features_that_were_not_seen() {
    let set = FeatureSet::parse("KING-ALL").unwrap();
    let possible = Possibilities::of(set.expr());
    let counted = frequencies(&set, &[Position::default()]);
    let examples = counted.examples(&(0..set.size()), &possible, 3);
    assert_eq!(examples.len(), 3);
    assert!(examples.iter().all(|&f| counted.share(f) == 0.0 && possible.is_possible(f.0)));
    assert!(counted.examples(&(0..1), &possible, 3).is_empty(), "a pawn on a1");
}

#[test]
fn decades_begin_where_they_say() {
    assert_eq!(Decade::ALL.map(|decade| decade as usize), [0, 1, 2, 3, 4, 5]);
    let set = FeatureSet::parse("H").unwrap();
    let start = Position::default();
    let bare = Position::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap();
    let mut counted = frequencies(&set, &vec![bare; 999]);
    counted.record(&start);
    // Kings always; 16 pawns, 12 pieces and two queens by file in a thousandth
    // of the views, which is no longer below a thousandth.
    assert_eq!(counted.histogram(&(0..96)), [96 - 32, 0, 0, 30, 0, 2]);
    counted.record(&Position::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap());
    assert_eq!(counted.histogram(&(0..96)), [96 - 32, 0, 30, 0, 0, 2]);
}
