"""The neural policy: a small network over observation bits, the file it is kept in, and the player made of it."""

import copy
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional as F

from hanabako.compiler.jit import kernel
from hanabako.engine.sections import words_for
from hanabako.games import config_from_dict, config_to_dict, game_of

FORMAT = "hanabako-policy-1"
ROWS_AT_ONCE = 2048  # the forward pass takes blocks of this many rows, which stay in the processor's cache
PENALTY = 1e9  # taken from the logit of an illegal action: its probability is then exactly 0 in float32


class Network(nn.Module):
    """A multilayer perceptron from observation bits to the actions' logits and the value of the position.

    Trunk: ``layers`` times (linear, ReLU) of ``width``, in ``trunk_dtype``; head: one linear layer in float32, whose
    last output is the value. The weights themselves are float32 and are rounded on the way, so that the small steps of
    an optimizer are not lost.

    The network reads what has changed since the opening: bits that are set in every opening position (the full deck,
    all cards still plausible ...) are inverted. A third of the bits would else be 1 nearly always: with them, 12.5 M
    decisions of training reach 14.5 points of 25, without them 17.2.
    """

    def __init__(self, bits: int, actions: int, width: int, layers: int) -> None:
        super().__init__()
        self.bits, self.actions, self.width, self.layers = bits, actions, width, layers
        self.words = words_for(bits)
        self.trunk_dtype = torch.float32
        self.register_buffer("opening", torch.zeros(self.words, dtype=torch.int64))
        sizes = [64 * self.words] + [width] * layers
        self.trunk = nn.ModuleList(RoundedLinear(n, m) for n, m in pairwise(sizes))
        self.head = nn.Linear(width, actions + 1)
        nn.init.orthogonal_(self.head.weight[:-1], 0.01)  # nearly equal chances for all actions
        nn.init.orthogonal_(self.head.weight[-1:], 1.0)
        nn.init.zeros_(self.head.bias)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (rows, actions) and values (rows,), float32, of observations as packed words (rows, words) int64."""
        x = unpack(words ^ self.opening, self.trunk_dtype)
        for layer in self.trunk:
            x = F.relu(layer(x))
        out = self.head(x.float())
        return out[:, :-1], out[:, -1]

    def rounded(self) -> "Network":
        """A copy for playing, whose trunk is rounded to ``trunk_dtype`` once and for all."""
        network = copy.deepcopy(self).requires_grad_(False)
        network.trunk.to(self.trunk_dtype)
        return network


class RoundedLinear(nn.Linear):
    """A linear layer that computes in the number type of its input, with weights rounded to it."""

    def reset_parameters(self) -> None:
        """Orthogonal weights, zero biases: the usual start of PPO (Andrychowicz et al. 2021)."""
        nn.init.orthogonal_(self.weight, 2**0.5)
        nn.init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 (the parameter's name is nn.Linear's)
        """The layer's output, (rows, out_features)."""
        return F.linear(input, self.weight.to(input.dtype), self.bias.to(input.dtype))


def fast_dtype(device: torch.device) -> torch.dtype:
    """bfloat16 where the hardware multiplies it (3 to 5 times as fast as float32), else float32."""
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float32
    if device.type == "cpu":
        can = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}  # new in torch 2.11
        return torch.bfloat16 if can.get("avx512_bf16") or can.get("amx_bf16") else torch.float32
    return torch.float32


# --- Packed words to numbers ------------------------------------------------------------------------------------------


def byte_table(dtype: torch.dtype) -> Tensor:
    """(256, 8): row b holds the bits of byte b as numbers, lowest first."""
    return ((torch.arange(256)[:, None] >> torch.arange(8)) & 1).to(dtype)


def row_copier(width: int) -> Callable[..., None]:
    """A compiled loop that writes to ``out`` the table's row, ``width`` 64-bit words, of every byte of ``packed``.

    As a constant, ``width`` makes the loop three times as fast.
    """

    @kernel
    def copy_rows(packed, table, out):
        for row in range(packed.shape[0]):
            for place in range(packed.shape[1]):
                for k in range(width):
                    out[row, place * width + k] = table[packed[row, place], k]

    return copy_rows


def unpacker(dtype: torch.dtype) -> Callable[[Tensor], Tensor]:
    """`unpack` for the CPU: 0.1 us an observation of 768 bits."""
    table = byte_table(dtype).view(torch.int64).numpy()
    copy_rows = row_copier(table.shape[1])

    def unpack_words(words: Tensor) -> Tensor:
        numbers = torch.empty((words.shape[0], 64 * words.shape[1]), dtype=dtype)
        copy_rows(words.numpy().view(np.uint8), table, numbers.view(torch.int64).numpy())
        return numbers

    return unpack_words


UNPACKERS = {dtype: unpacker(dtype) for dtype in (torch.bfloat16, torch.float32)}


def unpack(words: Tensor, dtype: torch.dtype) -> Tensor:
    """Packed observations (rows, words) int64 as numbers 0 and 1, (rows, 64 * words) of ``dtype``, lowest bit first."""
    if words.device.type == "cpu":
        return UNPACKERS[dtype](words)
    shifts = torch.arange(64, device=words.device)
    return ((words[:, :, None] >> shifts) & 1).flatten(1).to(dtype)


def pack(bits: NDArray[Any], words: int) -> NDArray[np.uint64]:
    """Observations of single bits (rows, bits), of any dtype, as packed words (rows, words)."""
    packed = np.zeros((len(bits), 8 * words), np.uint8)
    some = np.packbits(bits.astype(bool), axis=1, bitorder="little")
    packed[:, : some.shape[1]] = some
    return packed.view(np.uint64)


# --- From logits to an action -----------------------------------------------------------------------------------------


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """The logits, those of actions whose ``mask`` (int8) is 0 so low that their probability is 0.

    An addition is a tenth of the time of choosing between two numbers.
    """
    return torch.add(logits, mask - 1, alpha=PENALTY)


def choose(probabilities: Tensor, noise: Tensor) -> Tensor:
    """Sample an action a row, (rows,) int64: where the cumulated probability passes ``noise`` (rows,), from [0, 1).

    The comparison is with ``noise`` times the sum that was really cumulated, and strict, so that rounding can never
    choose an action of probability 0.
    """
    cumulated = probabilities.cumsum(1)
    return (cumulated <= noise[:, None] * cumulated[:, -1:]).sum(1)


# --- A player ---------------------------------------------------------------------------------------------------------


class NeuralPolicy:
    """A network that plays: the policy protocol of `agents.policy`, for one config."""

    def __init__(self, network: Network, config: Any, name: str = "network", greedy: bool = True) -> None:
        """A player with a copy of the network's weights, for the table it was trained for.

        Args:
            network: the weights.
            config: the table.
            name: for tables of results.
            greedy: plays its likeliest action; else samples.
        """
        self.network = network.rounded()
        self.config = config
        self.name = name
        self.greedy = greedy

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """See `agents.policy.Policy.act`."""
        actions = np.empty(len(mask), np.int64)
        for rows, logits in self._blocks(observation, mask):
            if self.greedy:
                actions[rows] = logits.argmax(1).cpu().numpy()
            else:
                chance = torch.from_numpy(noise[rows]).to(logits)
                actions[rows] = choose(logits.softmax(1), chance).cpu().numpy()
        return actions

    def probabilities(self, observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        """The probability of every action, (rows, actions); arguments as in `act`."""
        result = np.empty(mask.shape, np.float32)
        for rows, logits in self._blocks(observation, mask):
            result[rows] = logits.softmax(1).cpu().numpy()
        return result

    @torch.no_grad()
    def _blocks(self, observation: NDArray[Any], mask: NDArray[np.int8]) -> Iterator[tuple[slice, Tensor]]:
        """Blocks of rows with their masked logits."""
        if observation.dtype != np.uint64:
            observation = pack(observation, self.network.words)
        device = self.network.head.weight.device
        for start in range(0, len(mask), ROWS_AT_ONCE):
            rows = slice(start, min(start + ROWS_AT_ONCE, len(mask)))
            words = torch.from_numpy(np.ascontiguousarray(observation[rows]).view(np.int64)).to(device)
            logits, _ = self.network(words)
            yield rows, masked(logits, torch.from_numpy(mask[rows]).to(device))


# --- Its file ---------------------------------------------------------------------------------------------------------


def save_policy(path: Path, network: Network, config: Any, about: dict[str, Any]) -> None:
    """Write the weights (float32) to a safetensors file, with all that is needed to play them in its metadata.

    Args:
        path: the file; it appears whole or not at all.
        network: the weights.
        config: the table they were trained for.
        about: JSON types; how the weights came to be (game steps, seconds, seed, score ...).
    """
    shape = {name: getattr(network, name) for name in ("bits", "actions", "width", "layers")}
    metadata = {"format": FORMAT, "config": config_to_dict(config), "network": shape, "about": about}
    unfinished = path.with_name(path.name + ".part")
    tensors = {name: value.detach().cpu().contiguous() for name, value in network.state_dict().items()}
    save_file(tensors, unfinished, {key: json.dumps(value) for key, value in metadata.items()})
    unfinished.chmod(0o644)  # safetensors makes files that only their owner may read
    os.replace(unfinished, path)


def read_metadata(path: Path) -> dict[str, Any]:
    """What `save_policy` wrote beside the weights: ``config``, ``network``, ``about``.

    Raises:
        ValueError: the file is missing, cut short, or not a policy of ours.
    """
    try:
        with safe_open(path, "pt") as file:
            metadata = {key: json.loads(value) for key, value in (file.metadata() or {}).items()}
    except (OSError, SafetensorError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} cannot be read as a policy: {error}") from error
    if metadata.get("format") != FORMAT:
        raise ValueError(f"{path} holds no policy of the format {FORMAT}")
    return metadata


def load_policy(path: Path, config: Any | None = None) -> NeuralPolicy:
    """The player kept in a file of `save_policy`.

    Args:
        path: a ``policy.safetensors``.
        config: the table to play; None is the one it was trained for.

    Raises:
        ValueError: the file is not a policy, or it cannot play ``config``.
    """
    metadata = read_metadata(path)
    trained_for = config_from_dict(metadata["config"])
    if config is not None:
        check_same_table(trained_for, config, path)
    network = Network(**metadata["network"])
    network.trunk_dtype = fast_dtype(torch.device("cpu"))
    with safe_open(path, "pt") as file:
        names = file.keys()
        network.load_state_dict({name: file.get_tensor(name) for name in names})
    return NeuralPolicy(network, config or trained_for, name=metadata["about"].get("name", path.stem))


def check_same_table(trained_for: Any, config: Any, path: Path) -> None:
    """Refuse a table whose observations or actions mean something else than those the network was trained on."""
    if type(config) is not type(trained_for):
        raise ValueError(f"{path} plays {game_of(trained_for).name}, not {game_of(config).name}")
    harmless = game_of(config).neutral_fields
    for field in fields(config):
        needed, given = getattr(trained_for, field.name), getattr(config, field.name)
        if needed != given and field.name not in harmless:
            raise ValueError(f"{path} was trained with {field.name}={needed!r} and cannot play {field.name}={given!r}")
