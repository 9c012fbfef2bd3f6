#!/usr/bin/env python3
"""Checks with a strong UCI engine that every puzzle has a single good move.

    python3 datasets/check_puzzles.py datasets/puzzles.csv /usr/games/stockfish \\
        --log checked.jsonl --keep sound.csv

Every move of the solver is searched with two lines, one thread and a fixed number of
nodes, so the same engine gives the same verdicts on any machine. A puzzle is sound if
the engine plays the solution and the winning chances of the second line are lower by
MARGIN (one or two pieces up both win), or if the solution mates and the second line does
not. The log keeps all engine output; a later call searches only the missing positions.
"""

import argparse
import csv
import json
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

# Winning chances, -1 (lost) to 1 (won): 170 centipawns around an equal position.
MARGIN = 0.3
# Score of a mate in n: this less n, beyond all evaluations.
MATE = 100_000


class Engine:
    """A UCI engine with one thread and two lines."""

    def __init__(self, path):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        self.process = subprocess.Popen([path], **pipes)
        self.ask("uci", "uciok")
        for option in ("Threads value 1", "Hash value 256", "MultiPV value 2"):
            self.tell(f"setoption name {option}")

    def tell(self, command):
        self.process.stdin.write(command + "\n")

    def ask(self, command, answer):
        self.tell(command)
        lines = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if line.startswith(answer):
                return lines
        sys.exit("the engine stopped answering")

    def two_best(self, fen, moves, nodes):
        """Moves with centipawns, best first; one if only one is legal."""
        self.tell("ucinewgame")
        self.ask("isready", "readyok")
        self.tell(f"position fen {fen} moves {moves}")
        found = {}
        for line in self.ask(f"go nodes {nodes}", "bestmove"):
            words = line.split()
            # A lower or upper bound is not a score.
            if "multipv" in words and not {"lowerbound", "upperbound"} & set(words):
                kind, value = words[words.index("score") + 1 :][:2]
                found[int(words[words.index("multipv") + 1])] = (
                    words[words.index("pv") + 1],
                    centipawns(kind, int(value)),
                )
        return [found[rank] for rank in sorted(found)]


def centipawns(kind, value):
    if kind == "cp":
        return value
    return MATE - value if value > 0 else -MATE - value


def chances(score):
    """Winning chances from -1 to 1, as in Lichess (scalachess, WinPercent)."""
    return 2 / (1 + math.exp(-0.00368208 * max(-10_000, min(10_000, score)))) - 1


def mates(score):
    return score > MATE // 2


def verdict(solution, lines):
    """Reason against the solution; empty if it is clearly best."""
    (best, score), *others = lines
    if best != solution:
        return f"{best} is better"
    for second, other in others:
        alone = mates(score) and not mates(other)
        if not alone and chances(score) - chances(other) < MARGIN:
            return f"{second} is as good"
    return ""


def check(row, engine, nodes):
    """Judgement of the engine on each of the solver's moves."""
    moves = row["Moves"].split()
    asked = []
    for place in range(1, len(moves), 2):
        lines = engine.two_best(row["FEN"], " ".join(moves[:place]), nodes)
        asked.append({"move": moves[place], "lines": lines})
    return {"id": row["PuzzleId"], "nodes": nodes, "moves": asked}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("puzzles", type=Path)
    parser.add_argument("engine")
    parser.add_argument("--nodes", type=int, default=4_000_000, help="of each search")
    parser.add_argument("--engines", type=int, default=1, help="at the same time")
    parser.add_argument("--log", type=Path, default=Path("checked.jsonl"))
    parser.add_argument("--keep", type=Path, help="writes the sound ones there")
    return parser.parse_args()


def known(log, nodes):
    if not log.exists():
        return {}
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    return {entry["id"]: entry for entry in entries if entry["nodes"] == nodes}


def main():
    args = arguments()
    with args.puzzles.open(newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    checked = known(args.log, args.nodes)
    missing = [row for row in rows if row["PuzzleId"] not in checked]
    engines = Queue()
    for _ in range(args.engines if missing else 0):
        engines.put(Engine(args.engine))

    def ask(row):
        engine = engines.get()
        entry = check(row, engine, args.nodes)
        engines.put(engine)
        return entry

    with ThreadPoolExecutor(args.engines) as pool, args.log.open("a") as log:
        for entry in pool.map(ask, missing):
            checked[entry["id"]] = entry
            print(json.dumps(entry), file=log, flush=True)
    sound = []
    for row in rows:
        asked = checked[row["PuzzleId"]]["moves"]
        fails = [why for entry in asked if (why := verdict(entry["move"], entry["lines"]))]
        if fails:
            print(f"{row['PuzzleId']}  {row['FEN']}  {row['Moves']}: {fails[0]}")
        else:
            sound.append(row)
    print(f"{len(sound)} of {len(rows)} puzzles are sound at {args.nodes} nodes")
    if args.keep:
        with args.keep.open("w", newline="") as file:
            writer = csv.DictWriter(file, reader.fieldnames, lineterminator="\n")
            writer.writeheader()
            writer.writerows(sound)


main()
