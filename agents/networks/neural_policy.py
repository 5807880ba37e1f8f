"""The policy of a network: how it chooses actions, and how it is loaded from a file."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hanabako.engine.sections import words_for
from hanabako.games import config_from_dict
from hanabako.packing import pack

from ..playing.fitting import check_rules, observed
from ..playing.policy import Actions, BatchedPolicy, Mask, Noise
from .features import Features
from .network import PENALTY, Network, asked_dtype, choose, masked, usual_torch
from .policy_file import read_metadata, read_network

ROWS_AT_ONCE = 2048  # rows per forward pass: a block of this size stays in the processor's cache
FEW_ROWS = 64  # up to here one torch thread is never slower than two, and on a busy machine 50 times as fast


class NeuralPolicy(BatchedPolicy):
    """A network, of which it keeps a copy, that plays games of one config, whose observations it must read.

    If it is ``greedy``, it plays the most probable action. Otherwise it samples one, or with probability ``epsilon``
    takes any legal one.
    """

    observation = "packed"

    def __init__(
        self, network: Network, config: Any, name: str = "network", greedy: bool = True, epsilon: float = 0.0
    ) -> None:
        self.network = network.rounded()
        self.config, self.name = config, name
        self.greedy, self.epsilon = greedy, epsilon
        self._features = Features(network.features, config)
        bits = self._features.input_config.observation_bits
        if network.bits != bits:
            raise ValueError(f"{name} reads an observation of {network.bits} bits, and that of its config has {bits}")

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
                odds = self._odds(logits, mask[rows])
                actions[rows] = choose(odds, torch.from_numpy(noise[rows]).to(logits)).cpu().numpy()
        return actions

    def probabilities(
        self, observation: NDArray[Any], mask: NDArray[np.int8], memory: NDArray[Any] | None = None
    ) -> NDArray[np.float32]:
        """Return the probability of every action, (rows, actions); arguments as in `act`."""
        result = np.empty(mask.shape, np.float32)
        for rows, logits in self._blocks(observation, mask, memory):
            result[rows] = self._odds(logits, mask[rows]).cpu().numpy()
        return result

    def _odds(self, logits: Tensor, mask: NDArray[np.int8]) -> Tensor:
        """Return probabilities (rows, actions) from masked logits."""
        odds = logits.softmax(1)
        if self.epsilon == 0:
            return odds
        legal = torch.from_numpy(mask).to(logits)
        return (1 - self.epsilon) * odds + self.epsilon * (legal / legal.sum(1, keepdim=True))

    @torch.no_grad()
    def _blocks(
        self, observation: NDArray[Any], mask: NDArray[np.int8], memory: NDArray[Any] | None
    ) -> Iterator[tuple[slice, Tensor]]:
        """Yield blocks of rows with their masked logits; overwrites their memories."""
        observation = self._features(self._checked(observation))
        if memory is None:
            memory = self.memory(len(mask))
        device = self.network.opening.device
        for start in range(0, len(mask), ROWS_AT_ONCE):
            rows = slice(start, min(start + ROWS_AT_ONCE, len(mask)))
            words = torch.from_numpy(np.ascontiguousarray(observation[rows]).view(np.int64)).to(device)
            before = None if memory is None else torch.from_numpy(memory[rows]).to(device)
            with torch_threads(len(words)):
                logits, _, after, _ = self.network.step(words, before)
            if memory is not None and after is not None:
                memory[rows] = after.cpu().numpy()
            most = float(logits.abs().amax())
            if not most < PENALTY / 2:  # or NaN: a mask could not keep illegal actions out
                raise ValueError(f"logits of {self.name} must be numbers below {PENALTY / 2:g}, got {most:g}")
            yield rows, masked(logits, torch.from_numpy(mask[rows]).to(device, torch.int8))

    def _checked(self, observation: NDArray[Any]) -> NDArray[np.uint64]:
        """Return observations as packed words; raise ``ValueError`` if they are not those of this policy's config."""
        bits, (dtype, shape) = self.config.observation_bits, (observation.dtype, observation.shape)
        words, packed = words_for(bits), dtype == np.uint64
        if len(shape) == 2 and shape[1] == (words if packed else bits):
            if not packed:
                return pack(observation, words)
            if not (observation[:, -1] >> np.uint64(bits & 63)).any() or bits & 63 == 0:
                return observation
        raise ValueError(
            f"{self.name} reads the observation {self.config.observation_name}: uint64 (rows, {words}) or single bits "
            f"(rows, {bits}), got {dtype} {shape}; agents.play gives every agent its own"
        )


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

    Without a ``config`` it plays the network's own. The policy's config has the rules of ``config`` and the network's
    observation, with the flags of its features where ``config`` observes them. Raise ``ValueError`` if the file is
    damaged or no policy's, or the network plays by other rules.
    """
    path = Path(path)
    metadata = read_metadata(path)
    own, features = config_from_dict(metadata["config"]), metadata["network"]["features"]
    config = own if config is None else config
    check_rules(str(path), own, config)
    flags = {"derived": config.derived} if features == "derived" else {}
    seen = replace(config, **observed(own) | flags)
    network = read_network(path, metadata["network"], own)
    network.trunk_dtype = playing_dtype()
    return NeuralPolicy(network, seen, str(metadata["about"].get("name", path.stem)))


def playing_dtype() -> torch.dtype:
    """Return the number type for the hidden layers of a loaded policy: `asked_dtype`, else what plays fastest.

    That is bfloat16 if the processor has AMX tiles for it. Otherwise float32 is faster, even on processors with
    bfloat16 instructions: 7 against 11 us per position for the networks of standard Hanabi, on an Emerald Rapids with
    its tiles switched off.
    """
    can = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}  # new in torch 2.11
    return asked_dtype() or (torch.bfloat16 if can.get("amx_bf16") else torch.float32)
