//! An entry, and the positions of it that get labels.

use super::LabelRequest;
use arena::uci::position_line;
use chess::{EndgameTable, Move, Position, PositionKey};
use data::{CandidatePosition, Entry, Game, GameResult};

/// A game or a listed position, with its positions to label.
#[derive(Clone, Debug)]
pub(super) struct LabelTask {
    pub entry: Entry,
    /// Indices of the positions to label, in order.
    pub selected: Vec<usize>,
}

/// A position to label.
pub(super) struct PositionQuestion<'l> {
    /// Its place in the entry.
    pub place: usize,
    pub position: &'l Position,
    /// Keys of all positions before it.
    pub history: &'l [PositionKey],
    /// The last irreversible position up to it, and the moves since: the shortest equivalent of the
    /// whole game.
    pub anchor: &'l Position,
    pub since: &'l [Move],
}

impl LabelTask {
    pub(super) fn new(entry: Entry, request: &LabelRequest) -> Self {
        let mut selected = Vec::new();
        let mut place = 0;
        let mut judge = |candidate: &CandidatePosition<'_>| {
            if selects(request, candidate) {
                selected.push(place);
            }
            place += 1;
        };
        match &entry {
            Entry::Game(game) => CandidatePosition::visit(game, judge),
            Entry::Position(listed) => judge(&listed.candidate()),
        }
        Self { entry, selected }
    }

    pub(super) fn positions(&self) -> usize {
        match &self.entry {
            Entry::Game(game) => game.moves.len(),
            Entry::Position(_) => 1,
        }
    }

    /// The first position.
    pub(super) fn start(&self) -> &Position {
        match &self.entry {
            Entry::Game(game) => &game.start,
            Entry::Position(listed) => &listed.position,
        }
    }

    /// Passes the questions to `take` in order, until it returns `false`.
    pub(super) fn questions(&self, mut take: impl FnMut(&PositionQuestion<'_>) -> bool) {
        let moves: Vec<Move> = match &self.entry {
            Entry::Game(game) => game.moves.iter().map(|m| m.played).collect(),
            Entry::Position(_) => Vec::new(),
        };
        let mut position = self.start().clone();
        let (mut anchor, mut anchored) = (position.clone(), 0);
        let (mut history, mut selected) = (Vec::new(), self.selected.iter().peekable());
        for place in 0..self.positions() {
            if selected.next_if_eq(&&place).is_some() {
                let question = PositionQuestion {
                    place,
                    position: &position,
                    history: &history,
                    anchor: &anchor,
                    since: &moves[anchored..place],
                };
                if !take(&question) {
                    return;
                }
            }
            let Some(&played) = moves.get(place) else { return };
            history.push(position.key());
            position.play(played);
            if position.halfmoves() == 0 {
                (anchor, anchored) = (position.clone(), place + 1);
            }
        }
    }

    /// Gives a game the result that its first position in the tables has; whether it had
    /// another.
    pub(super) fn correct(&mut self, tables: Option<&dyn EndgameTable>) -> bool {
        let (Some(tables), Entry::Game(game)) = (tables, &mut self.entry) else { return false };
        let Some(result) = decided(game, tables) else { return false };
        let before = game.result.replace(result);
        before != Some(result)
    }
}

fn selects(request: &LabelRequest, candidate: &CandidatePosition<'_>) -> bool {
    request.merge.selects(candidate.white_score)
        && request.filter.judge_ignoring_score(candidate).is_none()
        && (candidate.played.is_some() || !candidate.position.legal_moves().is_empty())
}

/// The result of the first position of a game that the tables know.
fn decided(game: &Game, tables: &dyn EndgameTable) -> Option<GameResult> {
    let mut position = game.start.clone();
    let mut moves = game.moves.iter();
    loop {
        let result = tables.result_from(&position);
        if result.is_some() {
            return result;
        }
        position.play(moves.next()?.played);
    }
}

impl PositionQuestion<'_> {
    /// Its UCI commands.
    pub(super) fn commands(&self, go: &str) -> String {
        format!("{}\n{go}", position_line(self.anchor, self.since.iter().copied()))
    }
}
