"""Trains with PyTorch what `oplus bench train` trains, on the same batches.

Usage: torch_train.py FILE THREADS, started by `oplus bench train --torch`.

FILE holds, little endian: seven u32 (batches, positions per batch, width of
the index rows, features, L1, L2, 1 if the clipped ReLU is squared), the
starting weights as f32 (transformer [features, L1], its bias, dense layer
[outputs, 2 * L1] with L2 outputs or 1, its bias, and with a second hidden layer
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
        sizes = np.frombuffer(data[:28], dtype="<u4").astype(int)
        self.count, self.positions, self.width, self.features, self.l1, self.l2, self.squared = sizes
        self.data, self.at = data, 28
        # An L1 of 0 is the linear model, an L2 of 0 a net of one hidden layer.
        width, outputs = max(self.l1, 1), max(self.l2, 1)
        shapes = [(self.features, width), (width,)]
        if self.l1 > 0:
            shapes += [(outputs, 2 * width), (outputs,)]
        if self.l2 > 0:
            shapes += [(1, self.l2), (1,)]
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
        weights, bias, *above = (w.clone() for w in batches.weights)
        self.variant, self.squared = variant, batches.squared
        if variant == "dense":
            self.first = nn.Parameter(weights)
        else:
            self.first = nn.EmbeddingBag(
                batches.features, weights.shape[1], mode="sum", include_last_offset=True, sparse=variant == "sparse"
            )
            self.first.weight.data = weights
        self.first_bias = nn.Parameter(bias) if above else None
        self.layers = nn.ModuleList()
        for weight, bias in zip(above[::2], above[1::2]):
            layer = nn.Linear(weight.shape[1], weight.shape[0])
            layer.weight.data, layer.bias.data = weight, bias
            self.layers.append(layer)

    def activated(self, sums):
        clipped = torch.clamp(sums, 0.0, 1.0)
        return clipped * clipped if self.squared else clipped

    def forward(self, rows):
        sums = rows @ self.first if self.variant == "dense" else self.first(*rows)
        if not self.layers:
            return sums[0::2] - sums[1::2]
        sums = sums + self.first_bias
        sums = sums.view(sums.shape[0] // 2, -1)
        for layer in self.layers:
            sums = layer(self.activated(sums))
        return sums


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
