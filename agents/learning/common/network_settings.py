"""The settings of the network that learns, the network made of them, new or that of a policy, and its descent."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import torch
from torch import Tensor, nn

from hanabako.words.checks import shown
from hanabako.words.ranges import Positive, Size, Within

from ...networks.kinds import BASIC_NETWORKS, NETWORKS, usual_kind
from ...networks.network import Network, fast_dtype
from ...networks.neural_policy import load_network
from ...registry import network_file
from .descent import Descent
from .ranks import Ranks
from .selfplay import SelfPlayEnvs
from .settings import Settings

__all__ = ["NetworkSettings"]

MOST_WEIGHTS = 2**28
"""The most weights of the hidden layers; Adam keeps four times their 4 bytes."""


@dataclass(frozen=True)
class NetworkSettings(Settings):
    """What a run is told that learns one network."""

    network: Literal["auto", "symmetric", "dense", "recurrent"] = "auto"
    """The kind of network; ``auto`` is that of ``start``, or ``symmetric`` in a game with suits that the rules cannot
    tell apart, and otherwise ``dense``."""
    width: Size | None = None
    """Units of each hidden layer: by default 256, in the symmetric network 64 for each suit and 64 for the rest."""
    layers: Size = 2
    """Number of hidden layers."""
    trunk: Literal["auto", "bfloat16", "float32"] = "auto"
    """Number type of the hidden layers; ``auto`` is bfloat16 where the hardware is faster with it."""
    start: str | None = None
    """Begin with the weights of this policy (its file, or the name of one that ships) instead of random ones."""
    learning_rate: Positive = 2e-3
    """Adam's learning rate at the start; it falls linearly over the budget."""
    learning_rate_end: Annotated[float, Within(0, 10**6)] = 2e-5
    """Adam's learning rate at the end."""
    max_grad_norm: Positive = 0.5
    """Longer gradients are shortened to this norm."""

    prefix = ""
    # What the names of its networks begin with, see `agents.networks.kinds`: no setting, but the algorithm's.

    def check(self, world: int) -> None:
        """See `agents.learning.common.settings.Settings.check`; refuses sizes that no network has too."""
        super().check(world)
        if self.layers * (self.width or 1) ** 2 > MOST_WEIGHTS:
            raise ValueError(f"layers * width^2 must be at most {MOST_WEIGHTS:,}, got {self.layers} * {self.width}^2")

    def check_agents(self, config: Any, kind: type[SelfPlayEnvs]) -> None:
        """See `agents.learning.common.settings.Settings.check_agents`; refuses a wrong ``start`` too."""
        super().check_agents(config, kind)
        self.started(config)

    def make_network(self, config: Any, opening: Tensor, device: torch.device) -> Network:
        """A network of the kind and size that the settings say, or everything that ``start`` holds, ready to learn.

        Args:
            config: what it plays.
            opening: see `ready`; ``start`` has its own.
            device: where it learns.
        """
        if (network := self.started(config)) is not None:
            return self.ready(network, network.opening, device)
        kind = self.prefix + (usual_kind(config) if self.network == "auto" else self.network)
        network = NETWORKS[kind](config, width=self.width or NETWORKS[kind].usual_width, layers=self.layers)
        return self.ready(network, opening[: network.words], device)

    def ready(self, network: Network, opening: Tensor, device: torch.device) -> Network:
        """The network on its device, told which bits are set in every opening position and its hidden layers' type."""
        network.set_opening(opening)
        network.trunk_dtype = {"bfloat16": torch.bfloat16, "float32": torch.float32}.get(self.trunk, fast_dtype(device))
        return network.to(device)

    def descent(self, network: nn.Module, ranks: Ranks) -> Descent:
        """How the network learns."""
        return Descent(network, ranks, self.learning_rate, self.learning_rate_end, self.max_grad_norm)

    def started(self, config: Any) -> Network | None:
        """The network of ``start``, if there is one; in a run that is resumed, that of its own last policy.

        (Its weights come from the checkpoint then; the file of ``start`` need not be there any more.)

        Raises:
            ValueError: there is no such file, it cannot play ``config``, or it is another kind or size of network than
                the settings say.
        """
        if self.start is None:
            return None
        path = network_file(self.start) if self.resume is None else self.resume / "policy.safetensors"
        if path is None:
            raise ValueError(
                f"start must be the file of a policy or the name of one that ships, got {shown(self.start)}"
            )
        network = load_network(path, config)
        kinds = [basic.kind for basic in BASIC_NETWORKS] if self.network == "auto" else [self.network]
        if network.kind not in [self.prefix + kind for kind in kinds]:
            raise ValueError(f"{path} holds a {network.kind} network, and --network says {self.network}")
        if self.width not in (None, width := network.settings.get("width")):
            raise ValueError(f"{path} holds a network of width {width}, and --width says {self.width}")
        return network
