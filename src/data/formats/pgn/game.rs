//! One PGN game, replayed.

use std::borrow::Cow;

use super::comment::{Comment, MoverScore};
use super::mates::Mates;
use super::movetext::{Movetext, Ply, Token, excerpt};
use super::spelling::Spelled;
use super::{ParseError, result, result_text, tags, with_plain_dashes};
use crate::defect::{BadEntry, Defect};
use chess::{Game, GameMove, GameResult, Move, Position, Score};

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
pub(crate) fn decode(text: &[u8], line: u64) -> Result<Game, BadEntry> {
    let mut header = Header::default();
    header.read(text).and_then(|movetext| replay(text, movetext, &header)).map_err(|error| {
        let before = &text[..error.at.min(text.len())];
        let line = line + before.iter().filter(|&&c| c == b'\n').count() as u64;
        BadEntry { defect: error.defect, place: header.place(line), detail: error.detail }
    })
}

/// The tags that matter, and those that name the game in messages.
#[derive(Default)]
struct Header {
    fen: Option<String>,
    variant: Option<String>,
    result: Option<String>,
    any: bool,
    site: Option<String>,
    white: String,
    black: String,
}

impl Header {
    /// Reads the tags; where they end.
    fn read(&mut self, text: &[u8]) -> Result<usize, ParseError> {
        tags::read(text, |name, value, at| {
            self.any = true;
            match name {
                b"FEN" => once("FEN", &mut self.fen, value, at)?,
                b"Variant" => once("Variant", &mut self.variant, value, at)?,
                b"Result" => once("Result", &mut self.result, value, at)?,
                b"Site" if value.starts_with("http") => self.site = Some(value.into_owned()),
                b"White" => self.white = value.into_owned(),
                b"Black" => self.black = value.into_owned(),
                _ => {}
            }
            Ok(())
        })
    }

    fn place(&self, line: u64) -> String {
        match &self.site {
            Some(site) => format!("line {line} ({site})"),
            None if self.white.len() + self.black.len() > 2 => {
                format!("line {line} ({} – {})", self.white, self.black)
            }
            None => format!("line {line}"),
        }
    }

    fn start(&self) -> Result<Position, ParseError> {
        let variant = self.variant.as_deref().unwrap_or_default();
        let spelled: String = variant.chars().filter(|c| !c.is_whitespace()).collect();
        if !VARIANTS.contains(&spelled.to_lowercase().as_str()) {
            let detail = format!("the variant is `{variant}`; chess and Chess960 are read");
            return Err(ParseError::new(Defect::Variant, 0, detail));
        }
        let Some(fen) = &self.fen else { return Ok(Position::default()) };
        Position::from_fen(fen)
            .map_err(|error| ParseError::new(Defect::StartPosition, 0, error.to_string()))
    }

    /// The result of the `Result` tag, if it names one.
    fn result(&self) -> Option<GameResult> {
        result(&with_plain_dashes(self.result.as_deref()?.trim()))
    }
}

/// Keeps the value of a tag; another one of this name must have the same.
fn once(
    name: &str,
    kept: &mut Option<String>,
    value: Cow<'_, str>,
    at: usize,
) -> Result<(), ParseError> {
    match kept {
        Some(before) if *before != value => {
            let detail = format!("the tag `{name}` is `{before}` and then `{value}`");
            Err(ParseError::new(Defect::Contradiction, at, detail))
        }
        _ => {
            *kept = Some(value.into_owned());
            Ok(())
        }
    }
}

/// Plays the moves that begin at that byte.
fn replay(text: &[u8], movetext: usize, header: &Header) -> Result<Game, ParseError> {
    let mut replay = Replay::new(header.start()?, header.fen.is_some());
    let mut tokens = Movetext::new(text, movetext);
    loop {
        let next = tokens.next_token().map_err(|error| replay.after_moves(error))?;
        let Some((at, token)) = next else { break };
        match token {
            Token::Comment(comment) => replay.comment(comment),
            Token::Move(_) | Token::End(_) if replay.end.is_some() => {
                let word = excerpt(tags::line_at(text, at));
                let detail = format!(
                    "`{word}` follows the end marker; begin the next game behind an empty line"
                );
                return Err(ParseError::malformed(at, detail));
            }
            Token::Move(ply) => {
                let played = replay.meant(ply, at).map_err(|error| replay.after_moves(error))?;
                replay.play(played);
            }
            Token::End(result) => replay.end = Some((at, result)),
        }
    }
    if !header.any && replay.game.moves.is_empty() {
        return Err(ParseError::malformed(0, "neither tags nor moves: this is no game"));
    }
    let Some((at, marked)) = replay.end else {
        let detail = format!(
            "the game has no end marker behind {} moves: it is cut short, or `1-0`, `0-1`, \
             `1/2-1/2` or `*` is missing",
            replay.game.moves.len()
        );
        return Err(ParseError::new(Defect::CutShort, text.trim_ascii_end().len(), detail));
    };
    let result = agreed(header.result(), marked, at)?;
    Ok(Game { result, ..replay.finish() })
}

/// The result by tag and end marker; one may be unknown.
fn agreed(
    tagged: Option<GameResult>,
    marked: Option<GameResult>,
    at: usize,
) -> Result<Option<GameResult>, ParseError> {
    if tagged.is_some() && marked.is_some() && tagged != marked {
        let [tagged, marked] = [tagged, marked].map(result_text);
        let detail = format!("the tag `Result` is `{tagged}`, and the end marker `{marked}`");
        return Err(ParseError::new(Defect::Contradiction, at, detail));
    }
    Ok(tagged.or(marked))
}

/// A game as far as it has been read.
struct Replay {
    game: Game,
    /// After the last move.
    position: Position,
    /// Score of that position, seen by White, if a comment gave one.
    score: Option<Score>,
    /// Difference between the move numbers of the text and those of the position, once known.
    ahead: Option<i64>,
    /// Mates in comments of movers.
    mates: Mates,
    /// The end marker and its place.
    end: Option<(usize, Option<GameResult>)>,
}

impl Replay {
    /// Games from a given position may count their moves from any number on.
    fn new(start: Position, is_given: bool) -> Self {
        let position = start.clone();
        let game = Game { start, moves: Vec::with_capacity(128), result: None };
        let ahead = (!is_given).then_some(0);
        Self { game, position, score: None, ahead, mates: Mates::default(), end: None }
    }

    /// The move that a word means, if its number is that of the position.
    fn meant(&mut self, Ply { number, spelled }: Ply, at: usize) -> Result<Move, ParseError> {
        let own = i64::from(self.position.fullmoves());
        if let Some(number) = number.map(i64::from) {
            let ahead = *self.ahead.get_or_insert(number - own);
            if number - own != ahead {
                let detail = format!(
                    "it has the number {number} where {} is due: moves are missing before it, or \
                     it is of another game",
                    own + ahead
                );
                return Err(ParseError::new(Defect::Contradiction, at, detail));
            }
        }
        let meant = match spelled {
            Spelled::San(san) => self.position.resolve_san(san),
            Spelled::Squares(squares) => self.position.resolve_uci(squares),
        };
        meant.map_err(|error| ParseError::new(Defect::IllegalMove, at, error.to_string()))
    }

    fn play(&mut self, played: Move) {
        self.game.moves.push(GameMove { played, white_score: self.score.take() });
        self.position.play(played);
    }

    fn comment(&mut self, comment: &[u8]) {
        let mover = !self.position.turn();
        let ply = self.game.moves.len().wrapping_sub(1);
        match (Comment::parse(comment), self.game.moves.last_mut()) {
            (Some(Comment::After(score)), _) => self.score = Some(score),
            (Some(Comment::Before(score)), Some(last)) => last.white_score = Some(score),
            (Some(Comment::BeforeByMover(MoverScore::Centipawns(cp))), Some(last)) => {
                last.white_score = Some(Score::Centipawns(cp).seen_by(mover));
            }
            (Some(Comment::BeforeByMover(MoverScore::Mate(mate))), Some(_)) => {
                self.mates.add(ply, mover, mate);
            }
            _ => {}
        }
    }

    /// The game, when all of its comments are known.
    fn finish(self) -> Game {
        let mut game = self.game;
        for (ply, white_score) in self.mates.white_scores() {
            if let Some(m) = game.moves.get_mut(ply) {
                m.white_score = Some(white_score);
            }
        }
        game
    }

    /// Adds the number of the move to an error.
    fn after_moves(&self, error: ParseError) -> ParseError {
        let detail = format!("move {}: {}", self.position.fullmoves(), error.detail);
        ParseError { detail, ..error }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use chess::Color;

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
                .starts_with("line 10 (Ann – Bob): move 2: illegal move `Ke3` in rnbqkbnr/")
        );
        assert_eq!(defect("[FEN \"8/8/8 w\"]\n\n1. e4 *").defect, Defect::StartPosition);
        assert_eq!(defect("1. e4 { never closed").defect, Defect::Malformed);
        assert_eq!(defect("[Event \"cut").defect, Defect::Malformed);
        assert_eq!(defect("lorem ipsum").defect, Defect::Malformed);
        assert_eq!(defect("1. e4 -- 2. d4").defect, Defect::IllegalMove);
    }

    #[test]
    fn a_word_that_means_nothing_refuses_the_game() {
        let bad = defect("[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6\n4. Ba4 Zf6 1-0");
        assert_eq!(bad.defect, Defect::Malformed);
        assert_eq!(bad.to_string(), "line 10: move 4: `Zf6` is no move");
        let more = defect("1. e4 1-0 1. d4 0-1");
        assert!(more.to_string().contains("`d4 0-1` follows the end marker"), "{more}");
        let comment = "1. e4 1-0 { Black resigns } ; so it is\n";
        assert_eq!(decode(comment.as_bytes(), 1).unwrap().moves.len(), 1);
    }

    #[test]
    fn a_game_without_an_end_marker_is_cut_short() {
        for text in ["[Result \"1-0\"]\n\n1. e4 e5\n", "1. e4 e5 2.", "[Event \"?\"]\n"] {
            let bad = defect(text);
            assert_eq!(bad.defect, Defect::CutShort, "{text}");
            assert!(bad.detail.contains("or `1-0`, `0-1`, `1/2-1/2` or `*` is missing"), "{bad}");
        }
        assert_eq!(defect("[Result \"1-0\"]\n\n1. e4 e5\n").place, "line 9");
    }

    #[test]
    fn a_result_is_what_tag_and_end_marker_agree_on() {
        let tagged = |tag: &str, marker: &str| {
            decode(format!("{tag}\n\n1. e4 {marker}").as_bytes(), 1).map(|game| game.result)
        };
        let white = Some(GameResult::Win(Color::White));
        for tag in ["[Result \"1-0\"]", "[Result \"*\"]", "[Result \"?\"]", "[Event \"?\"]"] {
            assert_eq!(tagged(tag, "1-0").unwrap(), white, "{tag}");
        }
        assert_eq!(tagged("[Result \"1–0\"]", "*").unwrap(), white);
        assert_eq!(tagged("[Result \"*\"]", "*").unwrap(), None);
        for draw in ["1/2", "½-½", "1/2-1/2"] {
            let tag = format!("[Result \"{draw}\"]");
            assert_eq!(tagged(&tag, "1/2-1/2").unwrap(), Some(GameResult::Draw), "{draw}");
        }
        let bad = tagged("[Result \"1-0\"]", "0-1").unwrap_err();
        assert_eq!(bad.defect, Defect::Contradiction);
        let expected = "line 3: the tag `Result` is `1-0`, and the end marker `0-1`";
        assert_eq!(bad.to_string(), expected);
        let twice = tagged("[Result \"1-0\"]\n[Result \"0-1\"]", "0-1").unwrap_err();
        assert_eq!(twice.to_string(), "line 2: the tag `Result` is `1-0` and then `0-1`");
        assert!(tagged("[Result \"0-1\"]\n[Result \"0-1\"]", "0-1").is_ok());
    }

    #[test]
    fn long_comments_are_read_whole() {
        let text = format!("1. e4 {{{} wv=0.31}} *", "pv=e4, ".repeat(10_000));
        let game = decode(text.as_bytes(), 1).unwrap();
        assert_eq!(scores(&game), [Some(Score::Centipawns(31))]);
    }

    /// A game with everything in it.
    const RICH: &str = "[Event \"a \\\"b\\\"\"]\n[Variant \"From Position\"]\n[FEN \"r3k2r/pppp1ppp/8/4p3/8/8/PPPPPPPP/R3K2R w KQkq - 0 1\"]\n\n1. O-O! { [%eval 0.3] } (1. e4 {x} (1. d4)) 1... 0-0-0?! $5 ; rest\n% escaped\n2. e4 {d=1, wv=-M3} f6 {+0.31/12 0.52s} 1/2-1/2\n";

    #[test]
    fn a_text_cut_anywhere_is_no_game() {
        let whole = decode(RICH.as_bytes(), 1).unwrap();
        assert_eq!((whole.moves.len(), whole.result), (4, Some(GameResult::Draw)));
        let end = RICH.trim_end().len();
        for cut in 0..RICH.len() {
            // The rest of the end marker may still name the result.
            let named = cut >= end || cut == end - "-1/2".len();
            let found = decode(&RICH.as_bytes()[..cut], 1);
            assert_eq!(found.is_ok(), named, "{:?}", &RICH[..cut]);
            if let Ok(game) = found {
                assert_eq!((game.moves, game.result), (whole.moves.clone(), whole.result));
            }
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
