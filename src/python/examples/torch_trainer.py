"""Trains `ALL + PV`, `256 -> 32 -> 1` with PyTorch on the batches of `oplus train`.

    python torch_trainer.py ../../../datasets/bootstrap.oarc mine.oplus
    oplus match mine.oplus pesto --nodes 1000 --games 100

Loss, optimiser and learning rate are those of
`oplus train "ALL + PV" --data datasets/bootstrap.oarc --layers "256 -> 32 -> 1" --epochs 4
--positions-per-epoch 500000 --batch 4096 --learning-rate 2e-3 --gamma 0.8 --out mine`, which keeps
the net of its best epoch; this one keeps the last.
"""

import argparse

import torch
from torch import nn

import oplus

# Centipawns: per unit of the output, and the logistic scales of outputs and of scores, the defaults
# of `oplus train` (`in_scaling`, `out_scaling`).
OUTPUT, IN, OUT = 600.0, 410.0, 361.0


class Net(nn.Module):
    """The layers, with the tensors that `oplus.write_net` reads."""

    def __init__(self, features: oplus.FeatureSet, width: int = 256, hidden: int = 32) -> None:
        super().__init__()
        self.ft = nn.EmbeddingBag(len(features), width, mode="sum")
        self.ft.bias = nn.Parameter(torch.zeros(width))
        self.dense = nn.ModuleList([nn.Linear(2 * width, hidden), nn.Linear(hidden, 1)])
        # As oplus begins: small rows, and no neuron below zero in all positions.
        nn.init.uniform_(self.ft.weight, -0.015, 0.015)
        nn.init.uniform_(self.dense[0].bias, 0.2, 0.3)
        nn.init.zeros_(self.dense[1].bias)

    def forward(self, batch: oplus.Batch) -> torch.Tensor:
        """Outputs [positions] for the side to move."""
        rows = self.ft(torch.from_numpy(batch.indices), torch.from_numpy(batch.offsets))
        sides = (rows + self.ft.bias).clamp(0, 1).view(len(batch), -1)
        return self.dense[1](self.dense[0](sides).clamp(0, 1)).squeeze(1)


def loss(net: Net, batch: oplus.Batch) -> torch.Tensor:
    """Mean power of the difference of expected points."""
    points = torch.sigmoid(net(batch) * (OUTPUT / IN))
    target = torch.sigmoid(torch.from_numpy(batch.score) / OUT)
    return (points - target).abs().pow(2.6).mean()


@torch.no_grad()
def validation_loss(net: Net, loader: oplus.Loader) -> float:
    """Mean loss of the held-out positions."""
    parts = [(len(batch), loss(net, batch).item()) for batch in loader.validation()]
    return sum(count * value for count, value in parts) / sum(count for count, _ in parts)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("out")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batches", type=int, default=123, help="steps of an epoch")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    features = oplus.FeatureSet("ALL + PV")
    loader = oplus.Loader(args.data, features, batch=4096, seed=args.seed, batches=args.batches)
    net = Net(features)
    optimiser = torch.optim.Adam(net.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, gamma=0.8)
    for epoch in range(1, args.epochs + 1):
        for batch in loader:
            optimiser.zero_grad()
            loss(net, batch).backward()
            optimiser.step()
        schedule.step()
        print(f"epoch {epoch}  validation {validation_loss(net, loader):.6f}", flush=True)
    oplus.write_net(net.state_dict(), features, "256 -> 32 -> 1", args.out, output_unit=OUTPUT)


if __name__ == "__main__":
    main()
