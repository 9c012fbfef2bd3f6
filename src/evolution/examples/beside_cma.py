"""Our CMA-ES beside `cma` from PyPI, at the same populations.

    pip install cma
    python src/evolution/examples/beside_cma.py

Evaluations until the bottom is as near as 1e-8, median of 11 seeds, or of the given number;
on Rastrigin's function how many searches find it.
"""

import statistics
import subprocess
import sys
import warnings

import cma
import numpy as np

SEEDS = int(sys.argv[1]) if len(sys.argv) > 1 else 11
NEAR = 1e-8
MOST = 2_000_000

LANDSCAPES = {
    "sphere": (lambda x: float(np.sum(x**2)), 1.0, 1.0),
    "rosenbrock": (
        lambda x: float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)),
        0.1,
        0.1,
    ),
    "rastrigin": (
        lambda x: float(10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * np.pi * x))),
        3.0,
        2.0,
    ),
}


def ours(name, dimensions, population):
    command = "cargo run --release --quiet -p oplus-evolution --example landscapes --".split()
    arguments = [name, dimensions, population, NEAR, SEEDS]
    output = subprocess.run(
        command + [str(argument) for argument in arguments], check=True, capture_output=True, text=True
    )
    lines = (line.split() for line in output.stdout.splitlines())
    return [(int(evaluations), float(lowest)) for evaluations, lowest in lines]


def theirs(name, dimensions, population):
    height, start, width = LANDSCAPES[name]
    ended = []
    for seed in range(1, SEEDS + 1):
        options = {"seed": seed, "verbose": -9, "ftarget": NEAR, "maxfevals": MOST}
        # Rules to stop that ours does not have.
        options |= {"tolfun": 0, "tolfunhist": 0, "tolx": 0, "tolstagnation": 10**9, "tolflatfitness": 10**9}
        options |= {"maxiter": 10**9} if name != "rastrigin" else {"tolfunhist": 1e-9}
        if population:
            options["popsize"] = population
        found = cma.fmin2(height, dimensions * [start], width, options)[1]
        ended.append((found.result.evaluations, found.result.fbest))
    return ended


def main():
    warnings.simplefilter("ignore")
    print(f"cma {cma.__version__}")
    for name, dimensions, population in [
        ("sphere", 10, 0),
        ("sphere", 100, 0),
        ("rosenbrock", 10, 0),
        ("rosenbrock", 100, 0),
        ("rastrigin", 10, 200),
    ]:
        runs = {"ours": ours(name, dimensions, population), "cma": theirs(name, dimensions, population)}
        found = {who: [e for e, lowest in all if lowest <= NEAR] for who, all in runs.items()}
        medians = {who: statistics.median(e) if e else float("nan") for who, e in found.items()}
        print(
            f"{name} in {dimensions}: "
            + ", ".join(f"{who} {medians[who]:,.0f} evaluations, {len(found[who])} of {SEEDS}" for who in runs)
            + f", ratio {medians['ours'] / medians['cma']:.3f}"
        )


if __name__ == "__main__":
    main()
