"""Networks: from packed observations to the logits of actions and the value of the position, and on to an action."""

import copy
from itertools import pairwise
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hanabako.engine.sections import words_for

from .packing import to_numbers

__all__ = [
    "DenseNetwork",
    "Network",
    "RoundedLinear",
    "choose",
    "fast_dtype",
    "kind_of_processor",
    "masked",
    "q_values",
    "start_head",
]

PENALTY = 1e9  # taken from the logit of an illegal action: its probability is then exactly 0 in float32


class Network(nn.Module):
    """What is asked of a network that plays. A kind of its own is a subclass, and has an entry in `kinds.NETWORKS`.

    A network without memory has a ``forward``. One with memory overrides `step` and `initial_memory`.

    Args:
        config: what is played.
        views: how many observations it reads at once, one behind the other; a player has one.
        settings: all other arguments of the subclass's constructor; JSON types.
    """

    kind: ClassVar[str]
    """Its name on command lines and in files."""
    usual_width: ClassVar[int]
    """What it is trained with if nothing else is said."""
    more_words: ClassVar[int] = 0
    """Words that it reads behind those of the observation."""
    opening: Tensor
    """(words,) int64: the bits that are set in every opening position, or none."""

    def __init__(self, config: Any, views: int = 1, **settings: Any) -> None:
        super().__init__()
        self.bits, self.actions = config.observation_bits, config.rules().num_actions
        self.settings = {"bits": self.bits, "actions": self.actions, **settings}
        self.words = views * words_for(self.bits) + self.more_words
        self.trunk_dtype = torch.float32
        self.register_buffer("opening", torch.zeros(self.words, dtype=torch.int64))

    def set_opening(self, words: Tensor) -> None:
        """Note which bits, (words,) int64, are set in every opening position."""
        self.opening.copy_(words)

    def changed(self, words: Tensor) -> Tensor:
        """What differs from the opening in observations (rows, words): the words that the first layer reads."""
        return words ^ self.opening

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (rows, actions) and values (rows,), float32, of observations as packed words (rows, words) int64."""
        raise NotImplementedError

    def step(self, words: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
        """One decision per row: logits, values, and the memories (rows, ...) that follow those given."""
        return *self(words), memory

    def initial_memory(self, count: int) -> Tensor | None:
        """Memories (count, ...) at the beginning of games; None for a network without."""
        return None

    def rounded(self) -> Self:
        """A copy for playing, whose hidden layers are rounded to ``trunk_dtype`` once and for all."""
        network = copy.deepcopy(self).requires_grad_(False)
        for layer in network.modules():
            if isinstance(layer, RoundedLinear):
                layer.to(self.trunk_dtype)
        return network


class DenseNetwork(Network):
    """A multilayer perceptron.

    Trunk: ``layers`` times (linear, ReLU) of ``width``, in ``trunk_dtype``; head: one linear layer in float32, whose
    last output is the value. The weights themselves are float32 and are rounded on the way, so that the small steps of
    an optimizer are not lost.

    The network reads what has changed since the opening: bits that are set in every opening position (the full deck,
    all cards still plausible ...) are inverted. A third of the bits would otherwise be 1 nearly always: with them,
    12.5 M decisions of training reach 14.5 points of 25, without them 17.2.
    """

    kind = "dense"
    usual_width = 256

    def __init__(self, config: Any, width: int, layers: int, views: int = 1) -> None:
        super().__init__(config, views, width=width, layers=layers)
        sizes = [64 * self.words] + [width] * layers
        self.trunk = nn.ModuleList(RoundedLinear(n, m) for n, m in pairwise(sizes))
        self.head = nn.Linear(width, self.actions + 1)
        start_head(self.head)

    def forward(self, words: Tensor) -> tuple[Tensor, Tensor]:
        """See `Network.forward`."""
        x = to_numbers(self.changed(words), self.trunk_dtype)
        for layer in self.trunk:
            x = F.relu(layer(x))
        out = self.head(x.float())
        return out[:, :-1], out[:, -1]


class RoundedLinear(nn.Linear):
    """A linear layer that computes in the number type of its input, with weights rounded to it.

    Args:
        in_features: of the input.
        out_features: of the output.
        bias: it has one.
        scale: of the first weights.
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, scale: float = 1.0) -> None:
        self.scale = scale
        super().__init__(in_features, out_features, bias)

    def reset_parameters(self) -> None:
        """Orthogonal weights, zero biases: the usual start of PPO (Andrychowicz et al. 2021)."""
        nn.init.orthogonal_(self.weight, 2**0.5 * self.scale)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 (the parameter's name is nn.Linear's)
        """The layer's output, (..., out_features)."""
        bias = None if self.bias is None else self.bias.to(input.dtype)
        return F.linear(input, self.weight.to(input.dtype), bias)


def start_head(head: nn.Linear) -> None:
    """The first weights of a head whose last output is the value: nearly equal probabilities for all actions."""
    nn.init.orthogonal_(head.weight[:-1], 0.01)
    nn.init.orthogonal_(head.weight[-1:], 1.0)
    nn.init.zeros_(head.bias)


def fast_dtype(device: torch.device) -> torch.dtype:
    """bfloat16 where the hardware multiplies it faster than float32, else float32.

    That is on GPUs (3 to 5 times), on processors with tiles for it (AMX), and on AMD's with instructions for it (1.4
    times a learner). Intel's have those too, but without tiles they take 1.7 times as long with them.
    """
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float32
    if device.type == "cpu":
        can = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}  # new in torch 2.11
        instructions = can.get("avx512_bf16") and "Intel" not in str(can.get("cpu_name"))
        return torch.bfloat16 if instructions or can.get("amx_bf16") else torch.float32
    return torch.float32


def kind_of_processor(device: torch.device) -> str:
    """What training speed depends on, in words: "without" bf16 instructions are also those that are too slow to use."""
    kind = "a GPU" if device.type != "cpu" else "cores"
    return f"{kind} {'with' if fast_dtype(device) == torch.bfloat16 else 'without'} bf16 instructions"


# --- From logits to an action -----------------------------------------------------------------------------------------


def masked(logits: Tensor, mask: Tensor) -> Tensor:
    """The logits, those of actions whose ``mask`` (int8) is 0 so low that their probability is 0.

    An addition is a tenth of the time of choosing between two numbers.
    """
    return torch.add(logits, mask - 1, alpha=PENALTY)


def q_values(logits: Tensor, values: Tensor, masks: Tensor) -> Tensor:
    """What actions are worth by the dueling head (Wang et al. 2016), (..., actions): values (...) and advantages.

    The logits (..., actions) are the advantages, shifted to mean 0 over the legal actions, those whose mask is 1: so
    the action of the greatest logit is the best. What stands at illegal actions means nothing.
    """
    mean = (logits * masks).sum(-1, keepdim=True) / masks.sum(-1, keepdim=True).clamp(min=1)
    return values[..., None] + logits - mean


def choose(probabilities: Tensor, noise: Tensor) -> Tensor:
    """Sample an action per row, (rows,) int64: where the cumulative probability passes ``noise`` (rows,) from [0, 1).

    The comparison is with ``noise`` times the sum that was really accumulated, and strict, so that rounding can never
    choose an action of probability 0; noise that was rounded to 1 counts as the largest float32 below it.
    """
    cumulative = probabilities.cumsum(1)
    noise = noise.clamp(max=1 - 2**-24)
    return (cumulative <= noise[:, None] * cumulative[:, -1:]).sum(1)
