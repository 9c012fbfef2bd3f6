//! One PGN game, replayed.

use std::io;
use std::ops::ControlFlow;

use pgn_reader::{KnownOutcome, Outcome, RawComment, RawTag, Reader, SanPlus, Visitor};

use super::comment::Comment;
use crate::chess::{Color, Position};
use crate::data::reader::{BadEntry, Defect};
use crate::data::{Game, GameMove, GameResult, Score};

/// Comments up to this length are read; scores in longer ones may be missed.
const COMMENT_BYTES: usize = 8 << 10;

/// Values of the `Variant` tag that mean chess or Chess960, without spaces
/// and in lower case. The unusual spellings are those of Lichess, TCEC,
/// cutechess and ChessBase.
const VARIANTS: [&str; 9] = [
    "",
    "standard",
    "normal",
    "chess",
    "fromposition",
    "chess960",
    "fischerandom",
    "fischerrandom",
    "fischerrandomchess",
];

/// Reads the game in `text`, which begins on that line of its file.
pub fn decode(text: &[u8], line: u64) -> Result<Game, BadEntry> {
    let mut replay = Replay::default();
    let mut reader = Reader::build(text).set_supported_comment_length(COMMENT_BYTES).finish();
    let outcome = match reader.read_game(&mut replay) {
        Ok(Some(outcome)) => outcome,
        Ok(None) => Err(Trouble::malformed("nothing but white space")),
        Err(e) if e.kind() == io::ErrorKind::InvalidData => Err(Trouble::malformed(&e.to_string())),
        Err(e) => Err(Trouble { defect: Defect::CutShort, detail: e.to_string() }),
    };
    outcome.map_err(|trouble| BadEntry {
        defect: trouble.defect,
        place: replay.place(line),
        detail: trouble.detail,
    })
}

struct Trouble {
    defect: Defect,
    detail: String,
}

impl Trouble {
    fn malformed(detail: &str) -> Self {
        Self { defect: Defect::Malformed, detail: detail.to_owned() }
    }
}

/// Tags that matter.
#[derive(Default)]
struct Tags {
    fen: Option<String>,
    variant: String,
    result: Option<GameResult>,
    any: bool,
}

impl Tags {
    fn is_supported_variant(&self) -> bool {
        let spelled: String = self.variant.chars().filter(|c| !c.is_whitespace()).collect();
        VARIANTS.contains(&spelled.to_lowercase().as_str())
    }

    fn start(&self) -> Result<Position, Trouble> {
        let Some(fen) = &self.fen else { return Ok(Position::default()) };
        Position::from_fen(fen)
            .map_err(|e| Trouble { defect: Defect::StartPosition, detail: e.to_string() })
    }
}

/// A game as far as it has been read.
struct Replayed {
    game: Game,
    /// After the last move.
    position: Position,
    /// Score of that position, seen by White, if a comment gave one.
    score: Option<Score>,
    /// Tags or moves have been seen.
    any: bool,
}

/// Plays the moves `pgn-reader` finds; keeps what names the game in messages.
#[derive(Default)]
struct Replay {
    site: Option<String>,
    white: String,
    black: String,
}

impl Replay {
    fn place(&self, line: u64) -> String {
        match &self.site {
            Some(site) => format!("line {line} ({site})"),
            None if self.white.len() + self.black.len() > 2 => {
                format!("line {line} ({} – {})", self.white, self.black)
            }
            None => format!("line {line}"),
        }
    }
}

impl Visitor for Replay {
    type Tags = Tags;
    type Movetext = Replayed;
    type Output = Result<Game, Trouble>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(
        &mut self,
        tags: &mut Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let text = || value.decode_utf8_lossy().into_owned();
        tags.any = true;
        match name {
            b"FEN" => tags.fen = Some(text()),
            b"Variant" => tags.variant = text(),
            b"Result" => tags.result = result(value.as_bytes()),
            b"Site" if value.as_bytes().starts_with(b"http") => self.site = Some(text()),
            b"White" => self.white = text(),
            b"Black" => self.black = text(),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Self::Output, Replayed> {
        if !tags.is_supported_variant() {
            return ControlFlow::Break(Err(Trouble {
                defect: Defect::Variant,
                detail: format!("the variant is `{}`; chess and Chess960 are read", tags.variant),
            }));
        }
        let start = match tags.start() {
            Ok(start) => start,
            Err(trouble) => return ControlFlow::Break(Err(trouble)),
        };
        let position = start.clone();
        let game = Game { start, moves: Vec::with_capacity(128), result: tags.result };
        ControlFlow::Continue(Replayed { game, position, score: None, any: tags.any })
    }

    fn san(&mut self, replayed: &mut Replayed, san: SanPlus) -> ControlFlow<Self::Output> {
        let position = &mut replayed.position;
        let played = match position.resolve_san(san.san) {
            Ok(played) => played,
            Err(e) => {
                let detail = format!("move {}: {e}", position.fullmoves());
                return ControlFlow::Break(Err(Trouble { defect: Defect::IllegalMove, detail }));
            }
        };
        replayed.game.moves.push(GameMove { played, white_score: replayed.score.take() });
        position.play(played);
        ControlFlow::Continue(())
    }

    fn comment(
        &mut self,
        replayed: &mut Replayed,
        comment: RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        let mover = !replayed.position.turn();
        let last = replayed.game.moves.last_mut();
        match (Comment::parse(comment.as_bytes()), last) {
            (Some(Comment::After(score)), _) => replayed.score = Some(score),
            (Some(Comment::Before(score)), Some(last)) => last.white_score = Some(score),
            (Some(Comment::BeforeByMover(score)), Some(last)) => {
                last.white_score = Some(score.seen_by(mover));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// A piece of a long comment: a score could be cut in two here, so none is read.
    fn partial_comment(
        &mut self,
        _: &mut Replayed,
        _: RawComment<'_>,
    ) -> ControlFlow<Self::Output> {
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, replayed: &mut Replayed, outcome: Outcome) -> ControlFlow<Self::Output> {
        let written = match outcome {
            Outcome::Known(KnownOutcome::Decisive { winner }) => Some(GameResult::Win(winner)),
            Outcome::Known(KnownOutcome::Draw) => Some(GameResult::Draw),
            Outcome::Unknown => None,
        };
        replayed.game.result = replayed.game.result.or(written);
        replayed.any = true;
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, replayed: Replayed) -> Self::Output {
        if !replayed.any && replayed.game.moves.is_empty() {
            return Err(Trouble::malformed("neither tags nor moves; this is no PGN"));
        }
        Ok(replayed.game)
    }
}

/// The `Result` tag.
fn result(text: &[u8]) -> Option<GameResult> {
    match text {
        b"1-0" => Some(GameResult::Win(Color::White)),
        b"0-1" => Some(GameResult::Win(Color::Black)),
        b"1/2-1/2" => Some(GameResult::Draw),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scores(game: &Game) -> Vec<Option<Score>> {
        game.moves.iter().map(|m| m.white_score).collect()
    }

    fn defect(text: &str) -> BadEntry {
        decode(text.as_bytes(), 7).unwrap_err()
    }

    #[test]
    fn an_eval_belongs_to_the_next_move() {
        let text = "[Result \"0-1\"]\n\n1. f3 { [%eval -0.5] } e5 { [%eval -0.6] } 2. g4?? { [%eval #-1] } 2... Qh4# 0-1";
        let game = decode(text.as_bytes(), 1).unwrap();
        let expected = [
            None,
            Some(Score::Centipawns(-50)),
            Some(Score::Centipawns(-60)),
            Some(Score::Mate(-1)),
        ];
        assert_eq!(scores(&game), expected);
        assert_eq!(game.result, Some(GameResult::Win(Color::Black)));
    }

    #[test]
    fn a_score_before_the_move_belongs_to_it() {
        let game =
            decode(b"1. e4 {+0.30/10 1s} e5 {-0.20/10 1s} 2. d4 {d=5, wv=0.10} *", 1).unwrap();
        let expected = [30, 20, 10].map(|cp| Some(Score::Centipawns(cp)));
        assert_eq!(scores(&game), expected);
        assert_eq!(game.result, None);
    }

    #[test]
    fn variations_are_not_played() {
        let text = "1. e4 (1. d4 d5 {[%eval 3]} (1... Nf6)) e5 $1 2. Nf3 ; rest\n Nc6 1/2-1/2";
        let game = decode(text.as_bytes(), 1).unwrap();
        assert_eq!(scores(&game), [None; 4]);
        assert_eq!(game.result, Some(GameResult::Draw));
    }

    #[test]
    fn positions_may_be_given() {
        let text = "[Variant \"fischerandom\"]\n[SetUp \"1\"]\n[FEN \"nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1\"]\n\n1. e3 e6 2. Bd3 Bd6 3. Qe2 Qe7 4. Nb3 Nb6 *";
        assert_eq!(decode(text.as_bytes(), 1).unwrap().moves.len(), 8);
        for castling in ["O-O", "0-0-0"] {
            let text = format!(
                "[Variant \"Chess 960\"]\n[FEN \"4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1\"]\n\n1. {castling} *"
            );
            assert!(decode(text.as_bytes(), 1).unwrap().moves[0].played.is_castle());
        }
    }

    #[test]
    fn bad_games_say_why_and_where() {
        let atomic = defect("[Site \"https://x/1\"]\n[Variant \"Atomic\"]\n\n1. e4 *");
        assert_eq!(atomic.defect, Defect::Variant);
        assert_eq!(atomic.place, "line 7 (https://x/1)");
        let illegal = defect("[White \"Ann\"]\n[Black \"Bob\"]\n\n1. e4 e5 2. Ke3 *");
        assert_eq!(illegal.defect, Defect::IllegalMove);
        assert!(
            illegal
                .to_string()
                .starts_with("line 7 (Ann – Bob): move 2: illegal move `Ke3` in rnbqkbnr/")
        );
        assert_eq!(defect("[FEN \"8/8/8 w\"]\n\n1. e4 *").defect, Defect::StartPosition);
        assert_eq!(defect("1. e4 { never closed").defect, Defect::Malformed);
        assert_eq!(defect("[Event \"cut").defect, Defect::Malformed);
        assert_eq!(defect("lorem ipsum").defect, Defect::Malformed);
        assert_eq!(defect("1. e4 -- 2. d4").defect, Defect::IllegalMove);
    }
    /// A game with everything in it.
    const RICH: &str = "[Event \"a \\\"b\\\"\"]\n[Variant \"From Position\"]\n[FEN \"r3k2r/pppp1ppp/8/4p3/8/8/PPPPPPPP/R3K2R w KQkq - 0 1\"]\n\n1. O-O! { [%eval 0.3] } (1. e4 {x} (1. d4)) 1... 0-0-0?! $5 ; rest\n% escaped\n2. e4 {d=1, wv=-M3} f6 {+0.31/12 0.52s} 1/2-1/2\n";

    #[test]
    fn a_text_cut_anywhere_never_panics() {
        assert_eq!(decode(RICH.as_bytes(), 1).unwrap().moves.len(), 4);
        for cut in 0..RICH.len() {
            let _ = decode(&RICH.as_bytes()[..cut], 1);
        }
    }

    proptest! {
        #[test]
        fn damaged_text_never_panics(
            damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)
        ) {
            let mut text = RICH.as_bytes().to_vec();
            for (at, byte) in damage {
                let at = at.index(text.len());
                text[at] = byte;
            }
            let _ = decode(&text, 1);
        }

        #[test]
        fn shuffled_tokens_never_panic(
            tokens in proptest::collection::vec(proptest::sample::select(TOKENS.to_vec()), 0..40)
        ) {
            let _ = decode(tokens.concat().as_bytes(), 1);
        }
    }

    const TOKENS: [&str; 28] = [
        "[", "]", "\"", "\\", "\n", "\r\n", "{", "}", "(", ")", ";", "%", "$", "[FEN \"", "8/8",
        "1.", "e4", " ", "O-O", "0-0", "1/2-1/2", "½", "\u{feff}", "--", "e8=Q", "[%eval ", "#-3",
        "wv=",
    ];
}
