"""Trains with PyTorch what `oplus bench train` trains, on the same batches.

Usage: torch_train.py FILE THREADS, started by `oplus bench train --torch`.

FILE holds, little endian: six u32 (batches, positions per batch, width of
the index rows, features, L1, L2), the starting weights as f32
(transformer [features, L1], its bias, second layer [L2, 2 * L1], its bias,
output [L2], its bias), and for every batch the indices [2 * positions, width]
as i32, padded with -1, and the targets [positions] as f32.

Every line on standard input is a variant and a number of steps; the answer is
the milliseconds of each step and the loss of the last. Steps go through the
batches in order, so the same steps give the same losses everywhere.

Variants:
  bag     EmbeddingBag, dense gradient, fused Adam
  sparse  EmbeddingBag, sparse gradient with SparseAdam; fused Adam above
  dense   one-hot rows times a matrix, fused Adam; the rows are built outside
          the time
"""

import sys
import time

import numpy as np
import torch
from torch import nn

OUTPUT_SCALE, SLOPE, EXPONENT, RATE = 600.0, 410.0, 2.6, 5e-4


class Batches:
    def __init__(self, path):
        data = np.memmap(path, dtype=np.uint8, mode="r")
        sizes = np.frombuffer(data[:24], dtype="<u4").astype(int)
        self.count, self.positions, self.width, self.features, self.l1, self.l2 = sizes
        self.data, self.at = data, 24
        shapes = [(self.features, self.l1), (self.l1,), (self.l2, 2 * self.l1), (self.l2,), (1, self.l2), (1,)]
        self.weights = [self.take("<f4", shape) for shape in shapes]
        self.batches = []
        for _ in range(self.count):
            indices = self.take("<i4", (2 * self.positions, self.width))
            self.batches.append((indices, self.take("<f4", (self.positions, 1))))

    def take(self, kind, shape):
        size = 4 * int(np.prod(shape))
        values = np.frombuffer(self.data[self.at : self.at + size], dtype=kind).reshape(shape)
        self.at += size
        return torch.from_numpy(values.copy())


class Net(nn.Module):
    def __init__(self, batches, variant):
        super().__init__()
        weights, bias, l2, l2_bias, out, out_bias = (w.clone() for w in batches.weights)
        self.variant = variant
        if variant == "dense":
            self.first = nn.Parameter(weights)
        else:
            self.first = nn.EmbeddingBag(
                batches.features, batches.l1, mode="sum", include_last_offset=True, sparse=variant == "sparse"
            )
            self.first.weight.data = weights
        self.first_bias = nn.Parameter(bias)
        self.second = nn.Linear(2 * batches.l1, batches.l2)
        self.second.weight.data, self.second.bias.data = l2, l2_bias
        self.out = nn.Linear(batches.l2, 1)
        self.out.weight.data, self.out.bias.data = out, out_bias

    def forward(self, rows):
        sums = rows @ self.first if self.variant == "dense" else self.first(*rows)
        hidden = torch.clamp(sums + self.first_bias, 0.0, 1.0)
        hidden = hidden.view(hidden.shape[0] // 2, -1)
        return self.out(torch.clamp(self.second(hidden), 0.0, 1.0))


class Trainer:
    def __init__(self, batches, variant):
        self.batches, self.variant, self.step_number = batches, variant, 0
        self.net = Net(batches, variant)
        if variant == "sparse":
            sparse = [self.net.first.weight]
            others = [p for p in self.net.parameters() if p is not self.net.first.weight]
            self.optimisers = [torch.optim.SparseAdam(sparse, lr=RATE), torch.optim.Adam(others, lr=RATE, fused=True)]
        else:
            self.optimisers = [torch.optim.Adam(self.net.parameters(), lr=RATE, fused=True)]

    def rows(self, indices):
        """The active features as the variant reads them: not timed."""
        active = indices >= 0
        if self.variant == "dense":
            rows = torch.zeros(indices.shape[0], self.batches.features + 1)
            rows.scatter_(1, torch.where(active, indices, self.batches.features).long(), 1.0)
            return rows[:, :-1].contiguous()
        offsets = torch.zeros(indices.shape[0] + 1, dtype=torch.int32)
        offsets[1:] = active.sum(1).cumsum(0)
        return indices[active], offsets

    def step(self):
        indices, targets = self.batches.batches[self.step_number % self.batches.count]
        self.step_number += 1
        rows = self.rows(indices)
        start = time.perf_counter()
        points = torch.sigmoid(self.net(rows) * (OUTPUT_SCALE / SLOPE))
        loss = (points - targets).abs().pow(EXPONENT).mean()
        for optimiser in self.optimisers:
            optimiser.zero_grad(set_to_none=True)
        loss.backward()
        for optimiser in self.optimisers:
            optimiser.step()
        value = loss.item()
        return 1000.0 * (time.perf_counter() - start), value


def main():
    path, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    batches = Batches(path)
    trainers = {}
    print(torch.__version__, flush=True)
    for line in sys.stdin:
        variant, steps = line.split()
        if variant not in trainers:
            trainers = {variant: Trainer(batches, variant)}
        results = [trainers[variant].step() for _ in range(int(steps))]
        print(*(f"{ms:.3f}" for ms, _ in results), f"{results[-1][1]:.9f}", flush=True)


main()
