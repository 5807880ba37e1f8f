"""The policy of a network: how it chooses actions, and how it is loaded from a file."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hanabako.games import config_from_dict, game_of
from hanabako.packing import unpack

from ..playing.policy import Actions, BatchedPolicy, Mask, Noise
from .network import PENALTY, Network, asked_dtype, choose, masked, usual_torch
from .packing import pack
from .policy_file import read_metadata, read_network, save_policy

__all__ = ["NeuralPolicy", "load_network", "load_policy", "read_metadata", "save_policy", "torch_threads"]

ROWS_AT_ONCE = 2048  # rows per forward pass: a block of this size stays in the processor's cache
FEW_ROWS = 64  # up to here one torch thread is never slower than two, and on a busy machine 50 times as fast


class NeuralPolicy(BatchedPolicy):
    """A network that plays games of one config.

    Args:
        network: the network; the policy keeps a copy.
        config: the game's config.
        name: the name shown in results.
        greedy: play the most probable action; otherwise sample.
        places: indices of the observation bits that the network reads, (bits,); None means all bits in order.
    """

    def __init__(
        self,
        network: Network,
        config: Any,
        name: str = "network",
        greedy: bool = True,
        places: NDArray[np.int64] | None = None,
    ) -> None:
        self.network = network.rounded()
        self.config = config
        self.name = name
        self.greedy = greedy
        self._places = places

    def memory(self, count: int) -> NDArray[Any] | None:
        """See `agents.playing.policy.BatchedPolicy.memory`."""
        memory = self.network.initial_memory(count)
        return None if memory is None else memory.numpy(force=True).copy()

    def act(self, observation: NDArray[Any], mask: Mask, noise: Noise, memory: NDArray[Any] | None = None) -> Actions:
        """See `agents.playing.policy.BatchedPolicy.act`."""
        actions = np.empty(len(mask), np.int64)
        for rows, logits in self._blocks(observation, mask, memory):
            if self.greedy:
                actions[rows] = logits.argmax(1).cpu().numpy()
            else:
                actions[rows] = choose(logits.softmax(1), torch.from_numpy(noise[rows]).to(logits)).cpu().numpy()
        return actions

    def probabilities(
        self, observation: NDArray[Any], mask: NDArray[np.int8], memory: NDArray[Any] | None = None
    ) -> NDArray[np.float32]:
        """Return the probability of every action, (rows, actions); arguments as in `act`."""
        result = np.empty(mask.shape, np.float32)
        for rows, logits in self._blocks(observation, mask, memory):
            result[rows] = logits.softmax(1).cpu().numpy()
        return result

    @torch.no_grad()
    def _blocks(
        self, observation: NDArray[Any], mask: NDArray[np.int8], memory: NDArray[Any] | None
    ) -> Iterator[tuple[slice, Tensor]]:
        """Yield blocks of rows with their masked logits; overwrites their memories."""
        if self._places is not None:
            packed = observation.dtype == np.uint64
            observation = unpack(observation, self.config.observation_bits) if packed else observation
            observation = observation[:, self._places]
        if observation.dtype != np.uint64:
            observation = pack(observation, self.network.words)
        if memory is None:
            memory = self.memory(len(mask))
        device = self.network.opening.device
        for start in range(0, len(mask), ROWS_AT_ONCE):
            rows = slice(start, min(start + ROWS_AT_ONCE, len(mask)))
            words = torch.from_numpy(np.ascontiguousarray(observation[rows]).view(np.int64)).to(device)
            before = None if memory is None else torch.from_numpy(memory[rows]).to(device)
            with torch_threads(len(words)):
                logits, _, after = self.network.step(words, before)
            if memory is not None and after is not None:
                memory[rows] = after.cpu().numpy()
            most = float(logits.abs().amax())
            if not most < PENALTY / 2:  # or NaN: a mask could not keep illegal actions out
                raise ValueError(f"logits of {self.name} must be numbers below {PENALTY / 2:g}, got {most:g}")
            yield rows, masked(logits, torch.from_numpy(mask[rows]).to(device, torch.int8))


@contextmanager
def torch_threads(rows: int) -> Iterator[None]:
    """Use one torch thread within the block if there are at most `FEW_ROWS` rows; see also `usual_torch`."""
    usual = torch.get_num_threads()
    with usual_torch():
        if rows > FEW_ROWS or usual == 1:
            yield
            return
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(usual)


# --- Its file ---------------------------------------------------------------------------------------------------------


def load_policy(path: Path, config: Any | None = None) -> NeuralPolicy:
    """Load a policy from a file of `save_policy`; untrusted files are safe, see `agents.networks.policy_file`.

    Args:
        path: a ``policy.safetensors``.
        config: the config to play; None means the one it was trained for. Observations may have more than it reads.

    Raises:
        ValueError: the file is not a policy, is damaged, or cannot play ``config``.
    """
    path = Path(path)
    metadata = read_metadata(path)
    trained_for = config_from_dict(metadata["config"])
    config = trained_for if config is None else config
    seen = narrowed(config, trained_for)
    network = load_network(path, seen)
    network.trunk_dtype = playing_dtype()
    layout = game_of(config).layout
    places = None if seen == config else layout(seen).within(layout(config))
    return NeuralPolicy(network, config, str(metadata["about"].get("name", path.stem)), places=places)


def narrowed(config: Any, trained_for: Any) -> Any:
    """Return ``config`` with observation flags and lengths reduced to those of training, where they exceed them."""
    if type(config) is not type(trained_for):
        return config
    pairs = {name: (getattr(config, name), getattr(trained_for, name)) for name in game_of(config).observation_fields}
    return replace(config, **{name: min(pair) for name, pair in pairs.items() if isinstance(pair[0], int)})


def playing_dtype() -> torch.dtype:
    """Return the number type for the hidden layers of a loaded policy: `asked_dtype`, else what plays fastest.

    That is bfloat16 if the processor has AMX tiles for it. Otherwise float32 is faster, even on processors with
    bfloat16 instructions: 7 against 11 us per position for the networks of standard Hanabi, on an Emerald Rapids with
    its tiles switched off.
    """
    can = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}  # new in torch 2.11
    return asked_dtype() or (torch.bfloat16 if can.get("amx_bf16") else torch.float32)


def load_network(path: Path, config: Any) -> Network:
    """Load the network of a policy file with the saved float32 weights, for further training.

    Raises:
        ValueError: as in `load_policy`.
    """
    metadata = read_metadata(path)
    trained_for = config_from_dict(metadata["config"])
    check_config(trained_for, config, path)
    return read_network(path, metadata["network"], trained_for)


def check_config(trained_for: Any, config: Any, path: Path) -> None:
    """Raise `ValueError` if observations or actions of ``config`` differ in meaning from those in training."""
    if type(config) is not type(trained_for):
        raise ValueError(f"{path} plays {game_of(trained_for).name}, not {game_of(config).name}")
    entry = game_of(config)
    pairs = {own.name: (getattr(trained_for, own.name), getattr(config, own.name)) for own in fields(config)}
    other = {name: pair for name, pair in pairs.items() if pair[0] != pair[1] and name not in entry.neutral_fields}
    if not other:
        return
    name, (needed, given) = next(iter(other.items()))
    words = f"{path} was trained with {name}={needed!r} and cannot play {name}={given!r}"
    if set(other) <= set(entry.observation_fields):
        line = ", ".join(f"{name}={needed!r}" for name, (needed, _) in other.items())
        options = " ".join(f"{name}={json.dumps(needed)}" for name, (needed, _) in other.items())
        words += f"; the rules are the same: config = dataclasses.replace(config, {line}), or --config {options}"
    raise ValueError(words)
