"""Positions with the sets of features that python-chess says are active in them.

    pip install chess==1.11.2
    python make.py > positions.txt

Run with python-chess 1.11.2. The same version writes the same bytes.

The positions come from random legal games. Each is a line `FEN;W;B`: the en passant square
only where it can be taken, W what White sees and B what Black sees, each the sets in the
order of SETS with `|` between them, each set its active indices, rising. Black sees the
board turned over with the colours exchanged, so that its own pieces look like White's.

Squares count from a1 = 0, b1 = 1 to h8 = 63, roles from pawn = 0 to king = 5; colours are
own = 0 and other = 1. Every function below follows the words of a definition, by brute force.
"""

import random
from collections.abc import Callable, Iterator

import chess

SEED = 2024
POSITIONS = 2_000
LONGEST_GAME = 120
# Plies from one sample to the next, and at least to one with a check or a pin.
NEAREST, FURTHEST = 4, 12
NEAREST_IF_RARE = 2

# Every start and whether it is of Chess960.
STARTS = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", False),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", False),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", False),
    ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", False),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", False),
    ("4k3/4r3/8/8/1b6/2N1B3/3P4/q2QK2r w - - 0 1", False),
    ("1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9", True),
]

OWN, OTHER = chess.WHITE, chess.BLACK
COLOURS = [OWN, OTHER]

# Of each role that MOBILITY-COUNTS counts, where its part starts.
MOBILITY_PARTS = {chess.KNIGHT: 0, chess.BISHOP: 18, chess.ROOK: 46, chess.QUEEN: 76}


def role_index(piece_type: int) -> int:
    return piece_type - chess.PAWN


def colour_index(colour: bool) -> int:
    return COLOURS.index(colour)


def files_beside(file: int) -> list[int]:
    return [beside for beside in (file - 1, file + 1) if 0 <= beside <= 7]


def pawns_on_file(board: chess.Board, colour: bool, file: int) -> list[int]:
    pawns = board.pieces(chess.PAWN, colour)
    return [square for square in pawns if chess.square_file(square) == file]


def passed(board: chess.Board) -> set[int]:
    """Square - 8: an own pawn with no other pawn ahead on its file or a file beside it."""
    active = set()
    for square in board.pieces(chess.PAWN, OWN):
        file, rank = chess.square_file(square), chess.square_rank(square)
        files = [file, *files_beside(file)]
        others = [pawn for near in files for pawn in pawns_on_file(board, OTHER, near)]
        if not any(chess.square_rank(pawn) > rank for pawn in others):
            active.add(square - 8)
    return active


def isolated(board: chess.Board) -> set[int]:
    """File: own pawns on it and none on the files beside it."""
    active = set()
    for file in range(8):
        beside = any(pawns_on_file(board, OWN, near) for near in files_beside(file))
        if pawns_on_file(board, OWN, file) and not beside:
            active.add(file)
    return active


def doubled(board: chess.Board) -> set[int]:
    """2 * file + colour: two or more pawns of the colour on the file."""
    active = set()
    for file in range(8):
        for colour in COLOURS:
            if len(pawns_on_file(board, colour, file)) >= 2:
                active.add(2 * file + colour_index(colour))
    return active


def bishop_pair(board: chess.Board) -> set[int]:
    """Colour: two or more bishops of it."""
    pairs = [colour for colour in COLOURS if len(board.pieces(chess.BISHOP, colour)) >= 2]
    return {colour_index(colour) for colour in pairs}


def open_files(board: chess.Board) -> set[int]:
    """File: no pawn of either colour on it."""
    active = set()
    for file in range(8):
        if not any(pawns_on_file(board, colour, file) for colour in COLOURS):
            active.add(file)
    return active


def own_king_zone(board: chess.Board) -> set[int]:
    """The own king's square and those a king's step from it."""
    king = board.king(OWN)
    assert king is not None
    return {square for square in chess.SQUARES if chess.square_distance(king, square) <= 1}


def king_zone(board: chess.Board) -> set[int]:
    """(2 * role + colour) * 4 + min(n, 3): n squares of the zone attacked by the pieces."""
    zone = own_king_zone(board)
    active = set()
    for piece_type in chess.PIECE_TYPES:
        for colour in COLOURS:
            attacked: set[int] = set()
            for square in board.pieces(piece_type, colour):
                attacked |= zone & set(board.attacks(square))
            pieces = 2 * role_index(piece_type) + colour_index(colour)
            active.add(pieces * 4 + min(len(attacked), 3))
    return active


def hanging(board: chess.Board) -> set[int]:
    """5 * square + role: an own piece, no king, attacked and not protected."""
    active = set()
    for square, piece in board.piece_map().items():
        if piece.color != OWN or piece.piece_type == chess.KING:
            continue
        if board.is_attacked_by(OTHER, square) and not board.is_attacked_by(OWN, square):
            active.add(5 * square + role_index(piece.piece_type))
    return active


def pins(board: chess.Board) -> set[int]:
    """Square * 10 + 2 * role + colour: a piece, no king, pinned to its own king."""
    active = set()
    for square, piece in board.piece_map().items():
        if piece.piece_type != chess.KING and board.is_pinned(piece.color, square):
            role, colour = role_index(piece.piece_type), colour_index(piece.color)
            active.add(square * 10 + 2 * role + colour)
    return active


def leaves_king_safe(board: chess.Board, start: int, end: int) -> bool:
    """Whether the own king of the piece is not attacked once it has moved."""
    after = board.copy(stack=False)
    piece = after.remove_piece_at(start)
    assert piece is not None
    after.set_piece_at(end, piece)
    king = after.king(piece.color)
    return king is not None and not after.is_attacked_by(not piece.color, king)


def count_destinations(board: chess.Board, start: int) -> int:
    """How many squares the piece may move to, whoever is to move; it may take a king."""
    colour = board.color_at(start)
    ends = [end for end in board.attacks(start) if board.color_at(end) != colour]
    return sum(leaves_king_safe(board, start, end) for end in ends)


def mobility_counts(board: chess.Board) -> set[int]:
    """Start of the role's part + 2 * number + colour: a piece with so many destinations."""
    active = set()
    for piece_type, part in MOBILITY_PARTS.items():
        for colour in COLOURS:
            for square in board.pieces(piece_type, colour):
                number = count_destinations(board, square)
                active.add(part + 2 * number + colour_index(colour))
    return active


# Name, number of features and what is active.
SETS: list[tuple[str, int, Callable[[chess.Board], set[int]]]] = [
    ("PASSED", 48, passed),
    ("ISOLATED", 8, isolated),
    ("DOUBLED", 16, doubled),
    ("BISHOP-PAIR", 2, bishop_pair),
    ("OPEN-FILES", 8, open_files),
    ("KING-ZONE", 48, king_zone),
    ("HANGING", 320, hanging),
    ("PINS", 640, pins),
    ("MOBILITY-COUNTS", 132, mobility_counts),
]


def seen(board: chess.Board) -> str:
    """All the sets as White sees the board."""
    written = []
    for _, features, find in SETS:
        active = sorted(find(board))
        assert all(0 <= index < features for index in active)
        written.append(" ".join(str(index) for index in active))
    return "|".join(written)


def write_fen(board: chess.Board) -> str:
    if board.chess960:
        return board.shredder_fen(en_passant="legal")
    return board.fen(en_passant="legal")


def is_rare(board: chess.Board) -> bool:
    """Whether there is a check or a pin, which random moves seldom lead to."""
    return board.is_check() or bool(pins(board))


def sample_game(board: chess.Board, chance: random.Random) -> Iterator[chess.Board]:
    """Plays random moves on the board and yields it every few plies, rare ones sooner."""
    wait, wait_if_rare = 0, 0
    for _ in range(LONGEST_GAME + 1):
        if wait <= 0 or (wait_if_rare <= 0 and is_rare(board)):
            yield board
            wait, wait_if_rare = chance.randint(NEAREST, FURTHEST), NEAREST_IF_RARE
        if board.is_game_over():
            return
        board.push(chance.choice(list(board.legal_moves)))
        wait, wait_if_rare = wait - 1, wait_if_rare - 1


def sample_games(chance: random.Random) -> Iterator[chess.Board]:
    """One game after the other, from the starts in turn."""
    while True:
        for fen, chess960 in STARTS:
            yield from sample_game(chess.Board(fen, chess960=chess960), chance)


def different_positions(chance: random.Random) -> Iterator[chess.Board]:
    """Positions that differ in more than their counters of moves."""
    known = set()
    for board in sample_games(chance):
        position = tuple(write_fen(board).split()[:4])
        if position not in known:
            known.add(position)
            yield board


def main() -> None:
    print("# " + "|".join(name for name, _, _ in SETS))
    boards = different_positions(random.Random(SEED))
    for _, board in zip(range(POSITIONS), boards):
        print(f"{write_fen(board)};{seen(board)};{seen(board.mirror())}")


if __name__ == "__main__":
    main()
