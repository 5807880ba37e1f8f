"""Networks: from packed observations to action logits and a value, and from logits to an action."""

import copy
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from typing_extensions import override

from hanabako.engine.sections import words_for

from .features import V0Belief
from .packing import to_numbers

PENALTY = 1e9  # subtracted from the logits of illegal actions: their probability is then exactly 0 in float32


class Outputs(NamedTuple):
    """What a network makes of some positions, float32."""

    logits: Tensor
    """(rows, actions), also of illegal actions."""
    values: Tensor
    """(rows,)"""
    memory: Tensor | None
    """The memories afterwards, see `Network.step` and `Network.replay`; None without memory."""
    features: Tensor
    """(rows, n), what an auxiliary loss may read: the features that the head reads."""


class Network(nn.Module):
    """The base class of policy networks. Each subclass has an entry in `kinds.NETWORKS`.

    A network without memory defines ``step``. One with memory is an `agents.networks.recurrent.WithMemory`.

    Args:
        config: the config whose observations it reads: with features, ``Features.input_config``.
        views: number of observations that it reads at once, concatenated; 1 for a player's own.
        settings: all other arguments of the subclass's constructor, as JSON types.
    """

    kind: ClassVar[str]
    """The name of this kind of network on command lines and in files."""
    usual_width: ClassVar[int]
    """The default width in training."""
    features: str = "none"
    """The name of the features that it reads, see `agents.networks.features`."""
    norm: ClassVar[type[nn.Module]] = nn.Identity
    """The class of what normalizes a hidden layer before its ReLU."""
    more_words: ClassVar[int] = 0
    """Number of input words after those of the observation."""
    opening: Tensor
    """(words,) int64: the bits that are set in every opening position; zeros until `set_opening`."""

    def __init__(self, config: Any, views: int = 1, **settings: Any) -> None:
        super().__init__()
        self.bits, self.actions = config.observation_bits, config.rules().num_actions
        self.settings = {"bits": self.bits, "actions": self.actions, **settings}
        self.views, self.words = views, views * words_for(self.bits) + self.more_words
        self.trunk_dtype = torch.float32
        self.belief: V0Belief | None = None
        """What works out the features ``v0``; None with others."""
        self.register_buffer("opening", torch.zeros(self.words, dtype=torch.int64))

    def set_opening(self, words: Tensor) -> None:
        """Set which bits, (words,) int64, are set in every opening position."""
        self.opening.copy_(words)

    def set_features(self, name: str, config: Any) -> None:
        """Let it read the features ``name`` of observations of ``config``; raise ``ValueError`` if this kind cannot."""
        if name == "v0":
            self.belief = V0Belief(config, self.views)
        self.features = name

    def changed(self, words: Tensor) -> Tensor:
        """Return the bits in which observations (rows, words) differ from the opening."""
        return words ^ self.opening

    def numbers(self, words: Tensor) -> Tensor:
        """Return the first layer's input, (rows, 64 * words) of ``trunk_dtype``, for observations (rows, words)."""
        numbers = to_numbers(self.changed(words), self.trunk_dtype)
        return numbers if self.belief is None else self.belief(numbers)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (rows, actions) and values (rows,), float32, of packed observations (rows, words) int64.

        To a network with memory they are the first ones of their games.
        """
        return self.step(words)[:2]

    def step(self, words: Tensor, memory: Tensor | None = None) -> Outputs:
        """Return the outputs of one decision per row, with the new memories (rows, numbers).

        Args:
            words: (rows, words) int64, packed observations.
            memory: (rows, numbers), the memories of the players who decide; None at the beginning of their games.
        """
        raise NotImplementedError

    def replay(self, words: Tensor, memory: Tensor, players: Tensor, dones: Tensor) -> Outputs:
        """Return the outputs of many decisions of some games, with the memories of all players at the end.

        The first view is that of the player who decides, and changes this player's memory. Others are those of the
        next players, who wait: their memories stay as they were. Gradients flow back through all memories.

        Args:
            words: (horizon, games, views, words) int64; each view is a row of the outputs, in this order.
            memory: (games, players, numbers), the memories at the beginning; ignored by a network without memory.
            players: (horizon, games) int64, the player who decided.
            dones: (horizon, games) bool, whether that decision ended the game, so that memories begin again.
        """
        return self.step(words.flatten(0, 2))

    def initial_memory(self, count: int) -> Tensor | None:
        """Return the memories (count, ...) at the beginning of games; None for a network without memory."""
        return None

    def rounded(self) -> Self:
        """Return a copy for playing, with the hidden layers' weights stored in ``trunk_dtype``; biases stay float32."""
        network = copy.deepcopy(self).requires_grad_(False)
        for layer in network.modules():
            if isinstance(layer, RoundedLinear):
                layer.weight.data = layer.weight.to(self.trunk_dtype)
        return network


class DenseNetwork(Network):
    """A multilayer perceptron.

    Trunk: ``layers`` times (linear, ReLU) of ``width``, in ``trunk_dtype``; head: one linear layer in float32, whose
    last output is the value. The weights are stored in float32 and rounded for each use, so that the small steps of an
    optimizer are not lost.

    The input is what has changed since the opening: bits that are set in every opening position (the full deck, all
    cards plausible ...) are inverted. Otherwise a third of the bits would nearly always be 1: 12.5 M decisions of
    training then reach 14.5 points of 25 instead of 17.2.
    """

    kind = "dense"
    usual_width = 256

    def __init__(self, config: Any, width: int, layers: int, views: int = 1) -> None:
        super().__init__(config, views, width=width, layers=layers)
        sizes = [64 * self.words] + [width] * layers
        self.trunk = nn.ModuleList(RoundedLinear(n, m) for n, m in pairwise(sizes))
        self.norms = nn.ModuleList(self.norm(width) for _ in range(layers))
        self.head = nn.Linear(width, self.actions + 1)
        start_head(self.head)

    @override
    def step(self, words: Tensor, memory: Tensor | None = None) -> Outputs:
        x = self.numbers(words)
        for layer, norm in zip(self.trunk, self.norms, strict=True):
            x = F.relu(norm(layer(x)))
        out = self.head(x.float())
        return Outputs(out[:, :-1], out[:, -1], None, x.float())


class TowersNetwork(Network):
    """A multilayer perceptron whose policy and value share all hidden layers but the last (JaxMARL's IPPO).

    The last hidden layer stands twice, before the head of the policy and before that of the value.
    """

    kind = "towers"
    usual_width = 512

    def __init__(self, config: Any, width: int, layers: int, views: int = 1) -> None:
        super().__init__(config, views, width=width, layers=layers)
        sizes = [64 * self.words] + [width] * (layers - 1)
        self.trunk = nn.ModuleList(RoundedLinear(n, m) for n, m in pairwise(sizes))
        self.actor, self.critic = (RoundedLinear(sizes[-1], width, scale=2**0.5) for _ in range(2))
        self.actor_head, self.critic_head = nn.Linear(width, self.actions), nn.Linear(width, 1)
        for head, scale in ((self.actor_head, 0.01), (self.critic_head, 1.0)):
            nn.init.orthogonal_(head.weight, scale)
            nn.init.zeros_(head.bias)

    @override
    def step(self, words: Tensor, memory: Tensor | None = None) -> Outputs:
        x = self.numbers(words)
        for layer in self.trunk:
            x = F.relu(layer(x))
        actor, critic = F.relu(self.actor(x)).float(), F.relu(self.critic(x)).float()
        return Outputs(self.actor_head(actor), self.critic_head(critic)[:, 0], None, actor)


class RoundedLinear(nn.Linear):
    """A linear layer that computes in the number type of its input, with weights rounded to it.

    ``scale`` is a factor of the initial weights.
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, scale: float = 1.0) -> None:
        self.scale = scale
        super().__init__(in_features, out_features, bias)

    def reset_parameters(self) -> None:
        """Initialize with orthogonal weights and zero biases, as usual for PPO (Andrychowicz et al. 2021)."""
        nn.init.orthogonal_(self.weight, 2**0.5 * self.scale)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 (the parameter's name is nn.Linear's)
        """Return the layer's output, (..., out_features)."""
        bias = None if self.bias is None else self.bias.to(input.dtype)
        return F.linear(input, self.weight.to(input.dtype), bias)


class ModellingDenseNetwork(DenseNetwork):
    """A `DenseNetwork` that also reads its own prediction of the next player's action (E3T).

    The model that predicts is a second trunk of the same size on the same observation, with a head of its own. No
    gradient flows from the policy back to the model: it learns from the actions that the next player took. The features
    in the outputs are the logits of the next player's action.
    """

    kind = "modelling-dense"

    def __init__(self, config: Any, width: int, layers: int) -> None:
        super().__init__(config, width, layers)
        bits = 64 * self.words
        self.trunk[0] = RoundedLinear(bits + self.actions, width)
        self.model = nn.ModuleList(RoundedLinear(n, m) for n, m in pairwise([bits] + [width] * layers))
        self.model_head = nn.Linear(width, self.actions)
        nn.init.orthogonal_(self.model_head.weight, 0.01)
        nn.init.zeros_(self.model_head.bias)

    @override
    def step(self, words: Tensor, memory: Tensor | None = None) -> Outputs:
        bits = self.numbers(words)
        x = bits
        for layer in self.model:
            x = F.relu(layer(x))
        predicted = self.model_head(x.float())
        x = torch.cat([bits, predicted.detach().softmax(1).to(bits.dtype)], 1)
        for layer in self.trunk:
            x = F.relu(layer(x))
        out = self.head(x.float())
        return Outputs(out[:, :-1], out[:, -1], None, predicted)


class RoundedLayerNorm(nn.LayerNorm):
    """Layer normalization (Ba et al. 2016) that takes and returns any number type, and computes in float32.

    Q-learning without a target network needs it: it bounds the values of actions that were never taken, whose growth
    would otherwise feed on itself (PQN, Gallici et al. 2024).
    """

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 (the parameter's name is nn.LayerNorm's)
        """Return the normalized input, (..., width)."""
        return super().forward(input.float()).to(input.dtype)


def start_head(head: nn.Linear) -> None:
    """Initialize a head whose last output is the value, with nearly equal probabilities for all actions."""
    nn.init.orthogonal_(head.weight[:-1], 0.01)
    nn.init.orthogonal_(head.weight[-1:], 1.0)
    nn.init.zeros_(head.bias)


@contextmanager
def usual_torch() -> Iterator[None]:
    """Compute in the block without the caller's autocast, and on the CPU where no device is named.

    The caller's default number type stays: it holds for all threads, so code that threads run names its types.
    """
    with ExitStack() as usual:
        for kind in ("cpu", "cuda"):
            if torch.is_autocast_enabled(kind):
                usual.enter_context(torch.autocast(kind, enabled=False))
        if torch.empty(0).device.type != "cpu":  # only then, because a device as a context makes every call slower
            usual.enter_context(torch.device("cpu"))
        yield


def asked_dtype() -> torch.dtype | None:
    """Return what networks shall compute in by the environment variable ``HANABAKO_NUMBERS``; None if it is not set."""
    name = os.environ.get("HANABAKO_NUMBERS")
    if name not in (None, "float32", "bfloat16"):
        raise ValueError(f"HANABAKO_NUMBERS must be float32 or bfloat16, got {name!r}")
    return None if name is None else getattr(torch, name)


def fast_dtype(device: torch.device) -> torch.dtype:
    """Return what learners compute in: what is asked for, else bfloat16 if the hardware is faster with it."""
    return asked_dtype() or (torch.bfloat16 if has_fast_bf16(device) else torch.float32)


def has_fast_bf16(device: torch.device) -> bool:
    """Return whether the hardware multiplies bfloat16 faster than float32.

    GPUs do (3 to 5 times as fast), and so do processors with tiles for it (AMX) and AMD processors with bfloat16
    instructions (training is 1.4 times as fast). On Intel processors with these instructions but without tiles it takes
    1.7 times as long.
    """
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if device.type == "cpu":
        can = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}  # new in torch 2.11
        return bool(can.get("amx_bf16") or (can.get("avx512_bf16") and "Intel" not in str(can.get("cpu_name"))))
    return False


def kind_of_processor(device: torch.device) -> str:
    """Describe the hardware that training speed depends on; bf16 instructions too slow to use count as none."""
    name = f" ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else ""
    kind = "cores" if device.type == "cpu" else f"a GPU{name}"
    return f"{kind} {'with' if has_fast_bf16(device) else 'without'} bf16 instructions"


# --- From logits to an action -----------------------------------------------------------------------------------------


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """Return the logits, lowered where ``mask`` (int8) is 0 so far that the probability is 0.

    The addition takes a tenth of the time of ``torch.where``.
    """
    return torch.add(logits, mask - 1, alpha=PENALTY)


def q_values(logits: Tensor, values: Tensor, masks: Tensor) -> Tensor:
    """Return action values (..., actions) by the dueling head (Wang et al. 2016): values (...) plus advantages.

    The advantages are the logits (..., actions), shifted to mean 0 over the legal actions, whose mask is 1. So the
    action with the greatest logit is the best. Results for illegal actions are meaningless.
    """
    mean = (logits * masks).sum(-1, keepdim=True) / masks.sum(-1, keepdim=True).clamp(min=1)
    return values[..., None] + logits - mean


def choose(probabilities: Tensor, noise: Tensor) -> Tensor:
    """Sample an action per row, (rows,) int64: where the cumulative probability passes ``noise`` (rows,) from [0, 1).

    The cumulative probability is compared strictly with ``noise`` times the accumulated sum, so that rounding can never
    choose an action of probability 0. Noise that was rounded to 1 counts as the largest float32 below 1.
    """
    cumulative = probabilities.cumsum(1)
    noise = noise.clamp(max=1 - 2**-24)
    return (cumulative <= noise[:, None] * cumulative[:, -1:]).sum(1)
