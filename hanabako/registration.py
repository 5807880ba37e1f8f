"""Names under which Gymnasium and PettingZoo find the games. Registering imports no game."""

import gymnasium
import pettingzoo

from hanabako.games import declarations

__all__ = ["NAMESPACE", "register_games"]

NAMESPACE = "hanabako"


def register_games() -> None:
    """Register every declared game with Gymnasium, and with PettingZoo if it has a registry (1.27 and later).

    ``gymnasium.make`` gives one seat among given partners, ``gymnasium.make_vec`` batched self-play.
    """
    for name, place in declarations().items():
        module = place.partition(":")[0]
        identifier = f"{NAMESPACE}/{name}"
        if identifier not in gymnasium.registry:
            gymnasium.register(
                identifier, entry_point=f"{module}:make_seat", vector_entry_point=f"{module}:make_vector"
            )
        if hasattr(pettingzoo, "register"):
            pettingzoo.register("aec", identifier, entry_point=f"{module}:make_aec")
            pettingzoo.register("parallel", identifier, entry_point=f"{module}:make_parallel")
