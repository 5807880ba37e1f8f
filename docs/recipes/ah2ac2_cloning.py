"""Behaviour cloning as in AH2AC2 (Dizdarevic et al. 2025, `training/bc.py`), from games in its file format.

hanabako record hanabi --agents smart --games 1000 --seed 1 --ah2ac2 train.safetensors
hanabako record hanabi --agents smart --games 200 --seed 2 --ah2ac2 val.safetensors
python ah2ac2_cloning.py train.safetensors val.safetensors clone.safetensors --epochs 5
hanabako evaluate hanabi --agents bc_lstm:clone.safetensors

The network observes every turn of a game from every seat, as V0 beliefs, and learns that player's action, including
"none" if the player is not to move. Colors are permuted at random for each batch. The epoch with the best accuracy is
kept: the share of decisions in the second file at which the most likely legal action is the player's.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import numpy as np
import torch
import tyro
from safetensors.torch import save
from torch.nn import functional as F

from hanabako import unpack
from hanabako.agents.bridges.ah2ac2.arrays import read_arrays
from hanabako.agents.bridges.published.bc_lstm import CloneNetwork
from hanabako.files import write_bytes
from hanabako.program import in_a_sentence
from hanabi_env import v0_belief
from hanabi_env.engine.layout import layout


@dataclass(frozen=True)
class Args:
    """Clone the players of the games."""

    train: Annotated[Path, tyro.conf.Positional]
    """Games to learn from, in AH2AC2's file format."""
    val: Annotated[Path, tyro.conf.Positional]
    """Games to measure the accuracy on."""
    out: Annotated[Path, tyro.conf.Positional]
    """The file to write the network to; ``bc_lstm:FILE`` plays it."""
    epochs: int = 50
    batch: int = 128
    """Games per gradient step; AH2AC2 uses 256 for three players."""
    units: tuple[int, int, int] = (1024, 512, 256)
    """Units before the LSTM, of the LSTM, and after it; AH2AC2 uses 512 before it for three players."""
    dropout: float = 0.5
    rates: tuple[float, float] = (0.005, 0.0001)
    """The learning rate falls linearly from the first to the second over nine tenths of the steps."""
    seed: int = 0


class Turns:
    """Every turn of every game as every player observes it; all arrays begin with (turns, games, players)."""

    def __init__(self, path: Path) -> None:
        with TemporaryDirectory() as folder:
            dataset, _ = read_arrays(path, Path(folder, "games.npz"))
            parts = [self.of_block(replay) for replay in dataset.replays(observes=True)]
        self.config, self.none = dataset.config, dataset.config.rules().num_actions
        turns = max(len(part[0]) for part in parts)
        whole = [[np.pad(a, [(0, turns - len(a)), *[(0, 0)] * (a.ndim - 1)]) for a in part] for part in parts]
        self.words, self.masks, self.actions, self.known = (np.concatenate(a, 1) for a in zip(*whole, strict=True))

    @staticmethod
    def of_block(replay) -> tuple[np.ndarray, ...]:
        """Return words (uint64), masks with "none" (int8), actions (int64), and whether the game is in progress."""
        none, players, games = replay.game.num_actions, replay.game.players, len(replay.games)
        turns = []
        for _, rows, taken in replay.turns():
            words, masks = (np.stack(a, 1) for a in zip(*map(replay.observed, range(players)), strict=True))
            done = np.full((games, players), none)
            done[rows, replay.tables["current_player"][rows]] = taken
            masks = np.concatenate([masks, (done == none)[..., None]], -1).astype(np.int8)
            turns.append((words, masks, done, np.repeat(np.isin(np.arange(games), rows)[:, None], players, 1)))
        return tuple(np.stack(arrays) for arrays in zip(*turns, strict=True))

    def batch(self, games: np.ndarray, order: np.ndarray) -> tuple[torch.Tensor, ...]:
        """Return observations, masks, actions, known of games with colors permuted: (turns, games * players, ...)."""
        bits, acts = layout(self.config.rules()).renaming(order)
        seen = np.empty((*self.words[:, games].shape[:-1], len(bits)), np.int8)
        seen[..., bits] = unpack(self.words[:, games], len(bits))
        acts = np.append(acts, self.none)
        masks = np.empty_like(self.masks[:, games])
        masks[..., acts] = self.masks[:, games]
        arrays = v0_belief(seen, self.config), masks, acts[self.actions[:, games]], self.known[:, games]
        return tuple(torch.from_numpy(array).flatten(1, 2) for array in arrays)


def logits(network: CloneNetwork, seen: torch.Tensor, masks: torch.Tensor, dropout: float = 0.0) -> torch.Tensor:
    """Return the logits for every turn of whole games, (turns, rows, actions)."""
    for dense, norm in zip(network.before, network.norms, strict=True):
        seen = network.activation(norm(dense(seen)))
    seen, _ = network.lstm(seen)
    for dense in network.after:
        seen = F.dropout(network.activation(dense(seen)), dropout)
    return network.head(seen) - (1 - masks.float()) * 1e10


@torch.no_grad()
def accuracy(network: CloneNetwork, games: Turns, batch: int) -> float:
    """Return the share of decisions at which the network's action is the player's."""
    right = count = 0
    for chosen in np.split(np.arange(games.words.shape[1]), range(batch, games.words.shape[1], batch)):
        seen, masks, actions, known = games.batch(chosen, np.arange(games.config.colors))
        known &= actions != games.none
        right += int((logits(network, seen, masks).argmax(-1) == actions)[known].sum())
        count += int(known.sum())
    return right / count


def tensors_of(network: CloneNetwork) -> dict[str, torch.Tensor]:
    """Return the weights by the names of flax, as in AH2AC2's files."""
    found = {}
    for k, dense in enumerate([*network.before, *network.after, network.head]):
        found |= {f"Dense_{k}.kernel": dense.weight.T, f"Dense_{k}.bias": dense.bias}
    for k, norm in enumerate(network.norms):
        found |= {f"LayerNorm_{k}.scale": norm.weight, f"LayerNorm_{k}.bias": norm.bias}
    lstm, cell = network.lstm, "ScanLstmCellWithHiddenStateReset_0"
    parts = lstm.weight_ih_l0.chunk(4), lstm.weight_hh_l0.chunk(4), (lstm.bias_ih_l0 + lstm.bias_hh_l0).chunk(4)
    for gate, inner, hidden, bias in zip("ifgo", *parts, strict=True):
        found |= {f"{cell}.i{gate}.kernel": inner.T, f"{cell}.h{gate}.kernel": hidden.T, f"{cell}.h{gate}.bias": bias}
    return {name.replace(".", ","): tensor.detach().contiguous() for name, tensor in found.items()}


def main(args: Args) -> float:
    """Train, and return the best accuracy."""
    torch.manual_seed(args.seed)
    rng, train, val = np.random.default_rng(args.seed), Turns(args.train), Turns(args.val)
    if train.config != val.config:
        raise ValueError(f"{args.train} and {args.val} must have the same number of players")
    before, width, after = args.units
    network = CloneNetwork(train.config, width, 1, [before], [after], partial(F.gelu, approximate="tanh"))
    count, best = train.words.shape[1], -1.0
    steps = args.epochs * -(-count // args.batch)
    optimizer = torch.optim.AdamW(network.parameters(), lr=args.rates[0], weight_decay=1e-4)
    last = args.rates[1] / args.rates[0]
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, last, max(1, round(0.9 * steps)))
    for epoch in range(args.epochs):
        for games in np.split(rng.permutation(count), range(args.batch, count, args.batch)):
            seen, masks, actions, known = train.batch(games, rng.permutation(train.config.colors))
            loss = F.cross_entropy(logits(network, seen, masks, args.dropout)[known], actions[known])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        found = accuracy(network, val, args.batch)
        print(f"epoch {epoch + 1}: loss {float(loss.detach()):.3f}, accuracy {found:.3f}", flush=True)
        if found > best:
            best = found
            write_bytes(args.out, save(tensors_of(network)))
    return best


if __name__ == "__main__":
    with in_a_sentence("ah2ac2_cloning"):
        main(tyro.cli(Args, description=__doc__))
