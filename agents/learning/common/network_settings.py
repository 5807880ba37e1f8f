"""The settings of the learning network. They make the network, new or from a saved policy, and its optimizer."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import torch
from torch import Tensor, nn

from hanabako.words.checks import shown
from hanabako.words.ranges import Part, Positive, Size, Within

from ...networks.features import Features, usual_features
from ...networks.growing import load_grown
from ...networks.kinds import BASIC_NETWORKS, NETWORKS, usual_kind
from ...networks.network import DenseNetwork, Network, fast_dtype
from ...networks.policy_file import read_metadata
from ...registry import AgentName
from .ranks import Ranks
from .settings import Settings

NetworkKind = Literal["auto", "symmetric", "dense", "recurrent", "recurrent-symmetric", "towers"]
"""The name of a kind of network."""
USUAL_LAYERS = 2
"""The number of hidden layers by default."""
MOST_WEIGHTS = 2**28
"""The maximum number of weights in the hidden layers; with Adam each takes 16 bytes."""


class Descent:
    """The optimizer of a network, whose weights are equal on all ranks: Adam (Kingma and Ba 2015) on them in step.

    The network's parameters become views of one vector, so that a step has few calls.

    The learning rate stays at ``rate`` for the part ``hold`` of the budget, then it changes linearly to ``rate_end``.
    Gradients longer than ``max_norm`` are scaled down to it.
    """

    def __init__(
        self, network: nn.Module, ranks: Ranks, rate: float, rate_end: float, max_norm: float, hold: float = 0.0
    ) -> None:
        self.network, self.ranks = network, ranks
        self.rate, self.rate_end, self.hold, self.max_norm = rate, rate_end, hold, max_norm
        self.parts = list(network.parameters())
        self.weights = nn.utils.parameters_to_vector(self.parts).detach()
        nn.utils.vector_to_parameters(self.weights, self.parts)
        self.optimizer = torch.optim.Adam([self.weights], lr=rate, eps=1e-5, fused=True)

    def set_rate(self, fraction: float) -> float:
        """Set and return the learning rate for ``fraction`` of the budget spent, 0 to 1."""
        falling = 0.0 if fraction <= self.hold else (fraction - self.hold) / (1 - self.hold)
        rate = self.rate + (self.rate_end - self.rate) * falling
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate

    def step(self, loss: Tensor) -> Tensor:
        """Take one step along the mean gradient of all ranks and return its norm before clipping."""
        gradients = torch.autograd.grad(loss, self.parts, materialize_grads=True)
        gradient = self.ranks.average_gradients(torch.cat([part.flatten() for part in gradients]))
        norm = gradient.norm()
        self.weights.grad = gradient.mul_((self.max_norm / (norm + 1e-6)).clamp(max=1))
        self.optimizer.step()
        return norm

    def state(self) -> dict[str, Any]:
        """Return the weights and Adam's state."""
        return {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of `state`; other entries are ignored."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])


@dataclass(frozen=True)
class NetworkSettings(Settings):
    """The settings of a run that trains one network."""

    variant: ClassVar[str] = ""
    """The prefix of the kinds of networks that the algorithm trains, which are variants of the basic ones."""

    network: NetworkKind = "auto"
    """The kind of network; recurrent ones have memory. ``auto``: the kind of ``start`` if given, otherwise
    ``symmetric`` in a game whose suits are interchangeable under the rules, and ``dense`` in any other."""
    features: Literal["auto", "derived", "v0", "none"] = "auto"
    """What the network works out of an observation before its first weights. ``derived``: the flags of the option
    ``derived``; ``v0``: in Hanabi, the V0 belief of published networks. ``auto``: the features of ``start``, otherwise
    ``derived`` in Hanabi and Ikebana."""
    width: Size | None = None
    """Units per hidden layer; by default 256, in towers 512, in symmetric networks 64 per suit and 64 for the rest."""
    layers: Size | None = None
    """Number of hidden layers; by default 2, or as in ``start``."""
    trunk: Literal["auto", "bfloat16", "float32"] = "auto"
    """Number type of the hidden layers; ``auto`` is bfloat16 on hardware where that is faster."""
    start: str | None = None
    """Start from the weights of this policy (its file, or the name of one that ships) instead of random weights. With a
    greater ``width``, or observations that contain more (``--config history=4``), its network grows, and at first plays
    as before. The network may come from another number of players. The command also takes a bot, which a network first
    learns to imitate."""
    learning_rate: Positive = 2e-3
    """Adam's learning rate at the start."""
    learning_rate_end: Annotated[float, Within(0, 10**6)] = 2e-5
    """Adam's learning rate at the end."""
    learning_rate_hold: Part = 0.0
    """Fraction of the budget over which the learning rate stays as at the start; after it the rate changes linearly."""
    max_grad_norm: Positive = 0.5
    """Maximum norm of a gradient; longer ones are scaled down to it."""

    def kind_of(self, basic: str) -> str:
        """Return the kind of network that the algorithm trains, a variant of the kind ``basic`` or that itself."""
        return f"{self.variant}{basic}"

    def check(self, world: int) -> None:
        """See `agents.learning.common.settings.Settings.check`; also refuses networks that are too large."""
        super().check(world)
        layers = self.layers or USUAL_LAYERS
        width = self.width or DenseNetwork.usual_width
        if layers * width**2 > MOST_WEIGHTS:
            raise ValueError(f"layers * width^2 must be at most {MOST_WEIGHTS:,}, got {layers} * {width}^2")

    def check_agents(self, config: Any) -> None:
        """See `agents.learning.common.settings.Settings.check_agents`; also checks ``start`` and ``history``."""
        super().check_agents(config)
        history, players = getattr(config, "history", None), config.players
        if not self.remembers(config) or history is None or players == 2:
            return  # Ikebana shows no actions, only what they did to the table
        if history < (least := (players - 1) * config.actions_per_turn):  # a memory changes at its player's decisions
            why = f"a recurrent network of {players} players must see all actions since its last decision"
            raise ValueError(f"history must be at least {least}, got {history}: {why} (--config history={least})")

    def learned(self, config: Any) -> Any:
        """See `agents.learning.common.settings.Settings.learned`; the games also show what the features need."""
        if getattr(config, "derived", False):
            raise ValueError("config must leave out derived: networks work it out themselves (--features derived)")
        return Features(self.features_of(config), super().learned(config)).input_config

    def features_of(self, config: Any) -> str:
        """Return the name of the network's features."""
        if self.features != "auto":
            return self.features
        path = self.start_file()
        return usual_features(config) if path is None else read_metadata(path)["network"]["features"]

    def remembers(self, config: Any) -> bool:
        """Whether the network to train has memory, by its kind or because the one in ``start`` has."""
        started = self.started(config)
        return self.network.startswith("recurrent") if started is None else started.initial_memory(1) is not None

    def make_network(self, config: Any, opening: Tensor, device: torch.device) -> Network:
        """Return a new network of the kind and size in the settings, or the one in ``start``, ready to learn.

        ``opening`` is as in `ready`; with ``start`` it is only used for bits that its network did not read.
        """
        if (network := self.started(config, opening)) is not None:
            return self.ready(network, config, network.opening, device)
        kind = self.kind_of(usual_kind(config) if self.network == "auto" else self.network)
        width, layers = self.width or NETWORKS[kind].usual_width, self.layers or USUAL_LAYERS
        network = NETWORKS[kind](config, width=width, layers=layers)
        return self.ready(network, config, opening[: network.words], device)

    def ready(self, network: Network, config: Any, opening: Tensor, device: torch.device) -> Network:
        """Return the network on ``device``, with its features, number type and the bits set in every opening."""
        network.set_features(self.features_of(config), config)
        if network.belief is None:  # published networks read the bits as they are
            network.set_opening(opening)
        network.trunk_dtype = {"bfloat16": torch.bfloat16, "float32": torch.float32}.get(self.trunk, fast_dtype(device))
        return network.to(device)

    def descent(self, network: nn.Module, ranks: Ranks) -> Descent:
        """Return the network's optimizer."""
        rates = self.learning_rate, self.learning_rate_end
        return Descent(network, ranks, *rates, self.max_grad_norm, self.learning_rate_hold)

    def started(self, config: Any, opening: Tensor | None = None) -> Network | None:
        """Return the network of ``start``, or None without it; in a resumed run, the network of the run's last policy.

        It has the ``width`` of the settings and reads all that ``config`` observes, see `agents.networks.growing`. A
        resumed run takes its weights from the checkpoint, so the file of ``start`` need not exist any more. Raise
        ``ValueError`` if the network cannot play ``config``, or cannot grow to the size and kind of the settings.
        """
        path = self.start_file()
        if path is None:
            return None
        network = load_grown(path, config, self.width, opening)
        names = [basic.kind for basic in BASIC_NETWORKS] if self.network == "auto" else [self.network]
        kinds = [kind for name in names if (kind := self.kind_of(name)) in NETWORKS]
        if network.kind not in kinds:
            raise ValueError(f"{path} holds a {network.kind} network; this algorithm trains {', '.join(kinds)}")
        if self.layers not in (None, layers := network.settings["layers"]):
            raise ValueError(f"{path} holds a network of {layers} layers, and --layers says {self.layers}")
        if (asked := self.features_of(config)) != network.features and "v0" in (asked, network.features):
            raise ValueError(f"{path} holds a network of the features {network.features}, and --features says {asked}")
        return network

    def start_file(self) -> Path | None:
        """Return the file of ``start``, or None without it; in a resumed run, the run's last policy."""
        if self.start is None:
            return None
        path = AgentName.parse(self.start).network if self.resume is None else self.resume / "policy.safetensors"
        if path is None:
            raise ValueError(
                f"start must be the file of a policy or the name of one that ships, got {shown(self.start)}"
            )
        return path
