"""Names under which Gymnasium and PettingZoo find the games. Registering imports no game."""

import gymnasium
import pettingzoo

from hanabako.games import declarations

__all__ = ["NAMESPACE", "register_games"]

NAMESPACE = "hanabako"


def register_games() -> None:
    """Register every declared game with Gymnasium, and with PettingZoo if it has a registry (1.27 and later).

    ``Game-v0`` is batched self-play for ``gymnasium.make_vec``; ``GameSeat-v0`` is one seat among partners for ``make``
    and ``make_vec``. ``make`` of ``Game-v0`` gives the seat, too.
    """
    for name, declaration in declarations().items():
        module = declaration.partition(":")[0]
        table, seat = f"{NAMESPACE}/{name}", f"{NAMESPACE}/{'Seat-'.join(name.rsplit('-', 1))}"
        if table not in gymnasium.registry:
            for key, vector in ((table, "make_vector"), (seat, "make_vector_seat")):
                gymnasium.register(key, entry_point=f"{module}:make_seat", vector_entry_point=f"{module}:{vector}")
        if hasattr(pettingzoo, "register"):
            pettingzoo.register("aec", table, entry_point=f"{module}:make_aec")
            pettingzoo.register("parallel", table, entry_point=f"{module}:make_parallel")
