use super::*;
use clap::ValueEnum;

use crate::{Tapered, Technique};
use chess::TablebaseOutcome;

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

fn searcher() -> Searcher {
    Searcher::new(Box::new(Tapered::pesto()), 4)
}

fn search(searcher: &mut Searcher, root: &Position, limits: &Limits) -> SearchResult {
    searcher.search(root, &[], limits, &AtomicBool::new(false), &mut |_| {})
}

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const MIDDLEGAME: &str = "r2q1rk1/1p1nbppp/p2pbn2/4p3/4P3/1NN1BP2/PPPQ2PP/2KR1B1R w - - 4 11";
const ENDGAME: &str = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";

/// Whether the side to move can force mate in `moves`, by trying everything.
fn can_mate(position: &Position, moves: u32) -> bool {
    moves > 0 && position.legal_moves().into_iter().any(|m| is_lost(&position.after(m), moves - 1))
}

/// Whether the side to move is mated in `moves` at most, against any defence.
fn is_lost(position: &Position, moves: u32) -> bool {
    let replies = position.legal_moves();
    if replies.is_empty() {
        return position.is_check();
    }
    moves > 0 && replies.into_iter().all(|m| can_mate(&position.after(m), moves))
}

#[test]
fn mates_are_those_that_exhaustive_search_finds() {
    for fen in [
        "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
        "r6k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1",
        "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1",
        "5k2/8/8/8/8/8/R7/1R4K1 w - - 0 1",
        "8/8/8/8/8/5K2/4Q3/7k w - - 0 1",
        "k7/8/2K5/8/8/8/8/7R w - - 0 1",
        "8/8/8/8/8/1k6/2p5/K7 b - - 0 1",
    ] {
        let root = position(fen);
        let shortest = (1..=3).find(|&moves| can_mate(&root, moves)).expect("a mate in three");
        let found = search(&mut searcher(), &root, &Limits::depth(10));
        assert_eq!(found.score, Score::Mate(shortest as i32), "{fen}");
        let end = found.pv.iter().fold(root, |at, &m| {
            assert!(at.is_legal(m), "{fen}");
            at.after(m)
        });
        assert!(end.is_checkmate(), "{fen}: the line ends in mate");
        assert_eq!(found.pv.len(), 2 * shortest as usize - 1, "{fen}");
    }
}

#[test]
fn a_lost_side_has_the_exact_mate_distance() {
    let root = position("k7/8/1K6/8/8/8/8/7R b - - 0 1");
    assert!(is_lost(&root, 1));
    assert_eq!(search(&mut searcher(), &root, &Limits::depth(5)).score, Score::Mate(-1));
}

#[test]
fn zugzwang_is_seen_through() {
    // Taking the knight leaves Black with moves that lose all. A search that trusts the null move
    // sees White far behind for a million nodes.
    let root = position("8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1");
    let mut searcher = Searcher::new(Box::new(Tapered::pesto()), 16);
    let found = search(&mut searcher, &root, &Limits::nodes(300_000));
    assert_eq!(found.best.map(|m| root.uci(m)).as_deref(), Some("e1f1"));
    assert!(matches!(found.score, Score::Mate(1..)), "{:?}", found.score);
}

#[test]
fn finished_games_have_no_best_move() {
    let mated =
        search(&mut searcher(), &position("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"), &Limits::depth(3));
    assert_eq!((mated.best, mated.score), (None, Score::Mate(0)));
    let stalemated =
        search(&mut searcher(), &position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), &Limits::depth(3));
    assert_eq!((stalemated.best, stalemated.score), (None, Score::Centipawns(0)));
}

#[test]
fn node_limits_are_exact() {
    for fen in [KIWIPETE, ENDGAME] {
        for nodes in [1, 2, 3, 17, 100, 1_000, 12_345] {
            let found = search(&mut searcher(), &position(fen), &Limits::nodes(nodes));
            assert_eq!(found.nodes, nodes);
            assert!(position(fen).is_legal(found.best.unwrap()));
        }
    }
}

#[test]
fn soft_limits_finish_the_iteration() {
    let root = position(KIWIPETE);
    let soft = search(&mut searcher(), &root, &Limits::soft_nodes(5_000));
    assert!(soft.nodes >= 5_000);
    let same_depth = search(&mut searcher(), &root, &Limits::depth(soft.depth));
    assert_eq!(soft, same_depth);
}

#[test]
fn a_new_game_repeats_the_last_to_the_node() {
    let mut searcher = searcher();
    let mut play = || {
        let mut at = position(KIWIPETE);
        let mut keys = Vec::new();
        searcher.new_game();
        let results: Vec<SearchResult> = (0..6)
            .map(|_| {
                let stop = AtomicBool::new(false);
                let limits = Limits::nodes(3_000);
                let result = searcher.search(&at, &keys, &limits, &stop, &mut |_| {});
                keys.push(at.key());
                at.play(result.best.unwrap());
                result
            })
            .collect();
        results
    };
    assert_eq!(play(), play());
}

#[test]
fn the_root_can_be_restricted() {
    let root = position(KIWIPETE);
    let mut searcher = searcher();
    let free = search(&mut searcher, &root, &Limits::depth(7));
    let excluded = Limits { excluded_root_moves: vec![free.best.unwrap()], ..Limits::depth(7) };
    let second = search(&mut searcher, &root, &excluded);
    assert_ne!(second.best, free.best);
    let only = Limits { root_moves: vec![second.best.unwrap()], ..Limits::depth(7) };
    assert_eq!(search(&mut searcher, &root, &only).best, second.best);
    let none = Limits { excluded_root_moves: root.legal_moves().to_vec(), ..Limits::depth(2) };
    assert_eq!(search(&mut searcher, &root, &none).best, None);
}

#[test]
fn perpetual_check_is_a_draw() {
    // Black is about to mate; White's queen never stops checking.
    let root = position("6k1/5p1p/8/8/3Q4/8/qr6/7K w - - 0 1");
    assert_eq!(search(&mut searcher(), &root, &Limits::depth(12)).score, Score::Centipawns(0));
}

#[test]
fn a_third_repetition_in_the_game_is_a_draw() {
    let mut at = position("7k/8/8/8/8/8/R7/1R4K1 b - - 0 1");
    let mut keys = Vec::new();
    for text in ["h8h7", "g1g2", "h7h8", "g2g1", "h8h7", "g1g2", "h7h8"] {
        keys.push(at.key());
        at.play(at.parse_uci(text).unwrap());
    }
    let limits = Limits { root_moves: vec![at.parse_uci("g2g1").unwrap()], ..Limits::depth(6) };
    let stop = AtomicBool::new(false);
    let repeated = searcher().search(&at, &keys, &limits, &stop, &mut |_| {});
    assert_eq!(repeated.score, Score::Centipawns(0));
    let fresh = searcher().search(&at, &[], &limits, &stop, &mut |_| {});
    assert!(fresh.centipawns() > 800);
}

#[test]
fn the_fifty_move_rule_counts_except_after_mate() {
    let draw = position("7k/8/8/8/8/8/8/K5Q1 w - - 99 80");
    assert_eq!(search(&mut searcher(), &draw, &Limits::depth(6)).score, Score::Centipawns(0));
    let mate = position("7k/8/6K1/8/8/8/8/1Q6 w - - 99 80");
    assert_eq!(search(&mut searcher(), &mate, &Limits::depth(6)).score, Score::Mate(1));
}

#[test]
fn a_stopped_search_still_moves() {
    let stop = AtomicBool::new(true);
    let root = Position::default();
    let found = searcher().search(&root, &[], &Limits::default(), &stop, &mut |_| {});
    assert!(root.is_legal(found.best.unwrap()));
    assert_eq!(found.nodes, 0);
}

#[test]
fn time_is_kept() {
    let limits = Limits::movetime(Duration::from_millis(30));
    let started = std::time::Instant::now();
    let found = search(&mut searcher(), &position(KIWIPETE), &limits);
    // The upper bound is generous: test machines are busy.
    assert!((Duration::from_millis(25)..Duration::from_secs(2)).contains(&started.elapsed()));
    assert!(found.best.is_some());
}

#[test]
fn every_reported_line_is_legal() {
    for fen in [KIWIPETE, ENDGAME] {
        let root = position(fen);
        let mut depths = Vec::new();
        let mut check = |info: &SearchInfo| {
            depths.push(info.depth);
            let mut at = root.clone();
            for &m in &info.pv {
                assert!(at.is_legal(m));
                at.play(m);
            }
        };
        let stop = AtomicBool::new(false);
        searcher().search(&root, &[], &Limits::depth(9), &stop, &mut check);
        assert_eq!(depths, (1..=9).collect::<Vec<_>>());
    }
}

/// A table that has only the endings of king and queen against king.
#[derive(Debug)]
struct QueenEndings;

impl EndgameTable for QueenEndings {
    fn most_pieces(&self) -> usize {
        3
    }

    fn probe(&self, position: &Position) -> Option<TablebaseOutcome> {
        let board = position.board();
        let own = board.by_color(position.turn());
        match (board.occupied().count(), (board.queens() & own).any()) {
            (3, true) => Some(TablebaseOutcome::Win),
            (3, false) if board.queens().any() => Some(TablebaseOutcome::Loss),
            _ => None,
        }
    }

    fn best_moves(&self, position: &Position) -> Option<Vec<Move>> {
        let moves = position.legal_moves();
        self.probe(position).map(|_| moves.into_iter().filter(|m| !m.is_castle()).collect())
    }
}

#[test]
fn the_search_probes_endgame_tables() {
    // Taking the rook leads to an ending of the table: no search finds the mate
    // from there within a few plies.
    let root = position("8/7k/8/3r4/8/8/8/K2Q4 w - - 0 1");
    let mut searcher = searcher();
    let plain = search(&mut searcher, &root, &Limits::depth(3)).centipawns();
    searcher.set_endgames(Some(std::sync::Arc::new(QueenEndings)));
    let found = search(&mut searcher, &root, &Limits::depth(3));
    assert_eq!(root.uci(found.best.unwrap()), "d1d5");
    assert!(plain < 10_000, "{plain}");
    assert_eq!(found.score, Score::Centipawns(value::TABLE_WIN - 1));
}

#[test]
fn threads_share_the_work_and_agree_on_mates() {
    let pesto = || -> Box<dyn Evaluator> { Box::new(Tapered::pesto()) };
    let mut searcher = searcher();
    searcher.set_evaluators(pesto(), [pesto(), pesto()]);
    let found = search(&mut searcher, &position(KIWIPETE), &Limits::nodes(30_000));
    assert!((10_000..=30_000).contains(&found.nodes), "{} nodes of three threads", found.nodes);
    let mate = position("r6k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1");
    assert_eq!(search(&mut searcher, &mate, &Limits::depth(8)).score, Score::Mate(2));
}

#[test]
fn every_part_can_be_switched() {
    let shallow = Limits { depth: Some(3), nodes: Some(200_000), ..Limits::default() };
    for &part in Technique::value_variants() {
        for fen in [KIWIPETE, ENDGAME, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"] {
            let root = position(fen);
            let mut without = searcher().with_techniques(Techniques::PLAYING.switched(part));
            let found = search(&mut without, &root, &shallow);
            let step = |at: Position, &m: &Move| at.is_legal(m).then(|| at.after(m));
            assert!(found.pv.iter().try_fold(root, step).is_some(), "{part}: an illegal line");
            let mate = fen.starts_with("6k1") && part != Technique::Quiescence;
            assert!(!mate || found.score == Score::Mate(1), "{part}: {:?}", found.score);
        }
    }
}

#[test]
fn most_parts_change_the_tree() {
    let nodes = |techniques| {
        let mut searcher = searcher().with_techniques(techniques);
        let limits = Limits { depth: Some(11), nodes: Some(2_000_000), ..Limits::default() };
        let roots = [KIWIPETE, ENDGAME, MIDDLEGAME].map(position);
        roots.map(|root| search(&mut searcher, &root, &limits).nodes)
    };
    let whole = nodes(Techniques::PLAYING);
    let idle: Vec<Technique> = Technique::value_variants()
        .iter()
        .copied()
        // Parts that change time, not the tree.
        .filter(|&part| {
            let is_of_time = matches!(part, Technique::NodeTime | Technique::ScoreTime);
            !is_of_time && nodes(Techniques::PLAYING.switched(part)) == whole
        })
        .collect();
    assert!(idle.is_empty(), "without effect: {idle:?}");
}
