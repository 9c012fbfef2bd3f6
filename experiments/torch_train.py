"""Trains with PyTorch what `oplus bench train` trains, on the same batches.

Usage: torch_train.py FILE THREADS DEVICE, started by `oplus bench train --torch`; DEVICE is
`cpu` or `gpu`.

FILE holds, little endian: the length of a JSON object as u32 and the object (sizes and
layers, see `Batches`), the starting weights as f32 (transformer [features, L1] and its
bias, psqt [features, buckets], then of each dense layer [buckets, sums, inputs] and its
bias [buckets, sums]; tensors of what the net lacks are empty), and for every batch the
indices [2 * positions, width] as i32, padded with -1, the buckets [positions] as i32, and
the targets [positions] as f32.

Every line on standard input is a variant and a number of steps; the answer is the
milliseconds of a step, all of them together divided by their number, and the loss of the
last. Steps go through the batches in order, so the same steps give the same losses
everywhere. On a graphics card the copy of a batch from memory that is pinned belongs to its
step, but for the rows of `dense`, and nothing waits before the last step is done.

Variants:
  bag     EmbeddingBag, dense gradient, fused Adam; the outputs of all buckets, and then
          each position's own, as nnue-pytorch does
  slices  the same with each batch in the order of its buckets, a product for every slice;
          ordering is outside the time
  sparse  EmbeddingBag, sparse gradient with SparseAdam; fused Adam above
  dense   one-hot rows times a matrix, fused Adam; the rows are built outside
          the time, and lie on the device
  compiled  dense, or bag for a set that is too large for it, through torch.compile; compiling is
          outside the time
"""

import json
import sys
import time

import numpy as np
import torch
from torch import nn

OUTPUT_SCALE, SLOPE, EXPONENT, RATE = 600.0, 410.0, 2.6, 5e-4

# Largest set whose rows of ones and zeros are written out.
DENSE_FEATURES = 8192


class Batches:
    def __init__(self, path):
        data = np.memmap(path, dtype=np.uint8, mode="r")
        length = int(np.frombuffer(data[:4], dtype="<u4")[0])
        net = json.loads(bytes(data[4 : 4 + length]))
        self.data, self.at = data, 4 + length
        self.count, self.positions, self.width = net["batches"], net["positions"], net["width"]
        self.features, self.buckets, self.psqt = net["features"], net["buckets"], net["psqt"]
        # Of the transformer "width" and "activation"; of each hidden layer "neurons",
        # "activation", "skip".
        self.transformer, self.hidden = net["transformer"], net["hidden"]
        width = self.transformer["width"]
        shapes = [(self.features, width), (width,)]
        shapes.append((self.features, self.buckets if self.psqt else 0))
        for inputs, sums in net["dense"]:
            shapes += [(self.buckets, sums, inputs), (self.buckets, sums)]
        self.weights = [self.take("<f4", shape) for shape in shapes]
        self.batches = []
        for _ in range(self.count):
            indices = self.take("<i4", (2 * self.positions, self.width))
            buckets = self.take("<i4", (self.positions,)).long()
            self.batches.append((indices, buckets, self.take("<f4", (self.positions, 1))))

    def take(self, kind, shape):
        size = 4 * int(np.prod(shape))
        values = np.frombuffer(self.data[self.at : self.at + size], dtype=kind).reshape(shape)
        self.at += size
        return torch.from_numpy(values.copy())


def in_order(batch):
    """A batch with its positions in the order of their buckets."""
    indices, buckets, targets = batch
    order = torch.argsort(buckets, stable=True)
    pairs = indices.view(len(buckets), -1)[order]
    return pairs.view(indices.shape), buckets[order], targets[order]


class Table(nn.Module):
    """Sums of the rows of the active features."""

    def __init__(self, weights, variant):
        super().__init__()
        self.variant = variant
        if variant == "dense":
            self.weight = nn.Parameter(weights)
        else:
            self.bag = nn.EmbeddingBag(
                *weights.shape, mode="sum", include_last_offset=True, sparse=variant == "sparse"
            )
            self.bag.weight.data = weights

    def forward(self, rows):
        return rows[0] @ self.weight if self.variant == "dense" else self.bag(*rows)


class Layer(nn.Module):
    """A dense layer, once per bucket."""

    def __init__(self, weight, bias, in_slices):
        super().__init__()
        self.buckets, self.sums, self.inputs = weight.shape
        self.in_slices = in_slices and self.buckets > 1
        self.weight, self.bias = nn.Parameter(weight), nn.Parameter(bias)

    def forward(self, x, buckets, sizes):
        if self.in_slices:
            pieces = zip(torch.split(x, sizes), self.weight, self.bias)
            return torch.cat([nn.functional.linear(*piece) for piece in pieces])
        weight, bias = self.weight.view(-1, self.inputs), self.bias.view(-1)
        sums = nn.functional.linear(x, weight, bias)
        if self.buckets == 1:
            return sums
        places = torch.arange(len(x), device=x.device) * self.buckets + buckets
        return sums.view(-1, self.sums)[places]


def activated(x, name):
    clipped = torch.clamp(x, 0.0, 1.0)
    if name == "screlu":
        return clipped * clipped
    if name == "pairwise":
        first, second = clipped.chunk(2, dim=1)
        return first * second
    if name == "dual":
        return torch.cat([torch.clamp(x * x, max=1.0), clipped], dim=1)
    return clipped


class Net(nn.Module):
    def __init__(self, batches, variant):
        super().__init__()
        weights, bias, psqt, *above = (w.clone() for w in batches.weights)
        self.transformer, self.hidden = batches.transformer, batches.hidden
        self.psqt = Table(psqt, variant) if batches.psqt else None
        self.first = Table(weights, variant) if above else None
        self.first_bias = nn.Parameter(bias) if above else None
        in_slices = variant == "slices"
        self.layers = nn.ModuleList(Layer(*pair, in_slices) for pair in zip(above[::2], above[1::2]))

    def forward(self, rows, buckets, sizes):
        output = 0.0
        if self.psqt is not None:
            sums = self.psqt(rows)
            output = (sums[0::2] - sums[1::2]).gather(1, buckets[:, None])
        if self.first is None:
            return output
        sides = activated(self.first(rows) + self.first_bias, self.transformer["activation"])
        sums = self.layers[0](sides.view(len(buckets), -1), buckets, sizes)
        for hidden, layer in zip(self.hidden, self.layers[1:]):
            if hidden["skip"]:
                output = output + sums[:, -1:]
                sums = sums[:, :-1]
            sums = layer(activated(sums, hidden["activation"]), buckets, sizes)
        return output + sums


class Trainer:
    def __init__(self, batches, variant, device):
        self.is_compiled = variant == "compiled"
        if self.is_compiled:
            variant = "dense" if batches.features <= DENSE_FEATURES else "bag"
        self.batches, self.variant, self.device, self.step_number = batches, variant, device, 0
        self.net = Net(batches, variant).to(device)
        parameters = list(self.net.parameters())
        self.optimisers = []
        if variant == "sparse":
            tables = [table.bag.weight for table in (self.net.first, self.net.psqt) if table is not None]
            self.optimisers.append(torch.optim.SparseAdam(tables, lr=RATE))
            parameters = [p for p in parameters if all(p is not table for table in tables)]
        if parameters:
            self.optimisers.append(torch.optim.Adam(parameters, lr=RATE, fused=True))
        if self.is_compiled:
            self.net = torch.compile(self.net)

    def rows(self, indices):
        """The active features as the variant reads them."""
        active = indices >= 0
        if self.variant == "dense":
            rows = torch.zeros(indices.shape[0], self.batches.features + 1)
            rows.scatter_(1, torch.where(active, indices, self.batches.features).long(), 1.0)
            return [rows[:, :-1].contiguous().to(self.device)]
        offsets = torch.zeros(indices.shape[0] + 1, dtype=torch.int32)
        offsets[1:] = active.sum(1).cumsum(0)
        return self.pinned(indices[active], offsets)

    def pinned(self, *tensors):
        """Where the device can copy them from without waiting."""
        return [t.pin_memory() if self.device.type == "cuda" else t for t in tensors]

    def next_batch(self):
        """What the next step reads: not timed."""
        batch = self.batches.batches[self.step_number % self.batches.count]
        self.step_number += 1
        indices, buckets, targets = in_order(batch) if self.variant == "slices" else batch
        # Only slices read them, and a compiled net would be compiled anew for every other list.
        sizes = None
        if self.variant == "slices":
            sizes = torch.bincount(buckets, minlength=self.batches.buckets).tolist()
        return self.rows(indices), self.pinned(buckets, targets), sizes

    def step(self, rows, labels, sizes):
        """The loss before it, which the device may not have computed yet."""
        rows = [t.to(self.device, non_blocking=True) for t in rows]
        buckets, targets = [t.to(self.device, non_blocking=True) for t in labels]
        points = torch.sigmoid(self.net(rows, buckets, sizes) * (OUTPUT_SCALE / SLOPE))
        loss = (points - targets).abs().pow(EXPONENT).mean()
        for optimiser in self.optimisers:
            optimiser.zero_grad(set_to_none=True)
        loss.backward()
        for optimiser in self.optimisers:
            optimiser.step()
        return loss

    def steps(self, count):
        """Milliseconds of a step, and the loss before the last."""
        batches = [self.next_batch() for _ in range(count)]
        self.wait()
        start = time.perf_counter()
        for batch in batches:
            loss = self.step(*batch)
        self.wait()
        return 1000.0 * (time.perf_counter() - start) / count, loss.item()

    def wait(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize()


def device_named(name):
    if name == "gpu" and not torch.cuda.is_available():
        sys.exit("PyTorch finds no graphics card")
    return torch.device("cuda" if name == "gpu" else "cpu")


def main():
    path, threads, device = sys.argv[1:]
    torch.set_num_threads(int(threads))
    device = device_named(device)
    batches = Batches(path)
    trainers = {}
    print(torch.__version__, flush=True)
    for line in sys.stdin:
        variant, steps = line.split()
        if variant not in trainers:
            trainers = {variant: Trainer(batches, variant, device)}
        ms, loss = trainers[variant].steps(int(steps))
        print(f"{ms:.4f} {loss:.9f}", flush=True)


main()
