#!/usr/bin/env python3
"""Asks a UCI engine for the first move of every puzzle and counts agreement.

    python3 datasets/check_puzzles.py datasets/puzzles.csv /usr/games/stockfish

One thread, one second a move. The move after the opponent's first is asked
for; another move that mates counts as agreement, as it does when solving.
"""

import csv
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from queue import Queue


class Engine:
    def __init__(self, path):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        self.process = subprocess.Popen([path], **pipes)
        self.tell("uci", "uciok")
        self.process.stdin.write("setoption name Threads value 1\nsetoption name Hash value 64\n")

    def tell(self, command, answer):
        self.process.stdin.write(command + "\n")
        lines = []
        for line in self.process.stdout:
            lines.append(line.strip())
            if line.startswith(answer):
                return lines
        sys.exit("the engine stopped answering")

    def best(self, fen, moves):
        self.process.stdin.write(f"ucinewgame\nposition fen {fen} moves {moves}\n")
        lines = self.tell("go movetime 1000", "bestmove")
        return lines[-1].split()[1]

    def mates(self, fen, moves):
        """Whether the side to move is mated."""
        self.process.stdin.write(f"position fen {fen} moves {moves}\n")
        lines = self.tell("go depth 1", "bestmove")
        return lines[-1].split()[1] == "(none)" and any("mate 0" in line for line in lines)


def main():
    puzzles, path = sys.argv[1:3]
    rows = list(csv.DictReader(open(puzzles, newline="")))
    engines = Queue()
    for _ in range(2):
        engines.put(Engine(path))

    def agrees(row):
        engine = engines.get()
        first, solution = row["Moves"].split()[:2]
        move = engine.best(row["FEN"], first)
        right = move == solution or engine.mates(row["FEN"], f"{first} {move}")
        engines.put(engine)
        return right

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(agrees, rows))
    for row, right in zip(rows, answers):
        if not right:
            print("differs:", row["PuzzleId"], row["FEN"], row["Moves"])
    share = 100 * sum(answers) / len(answers)
    print(f"agrees on {sum(answers)} of {len(answers)} puzzles, {share:.1f} %")


main()
