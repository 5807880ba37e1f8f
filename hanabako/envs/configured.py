"""The vector environments of the single games: configured by keywords, on the CPU or a GPU."""

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import Any, ClassVar

from gymnasium.vector import AutoresetMode

from hanabako.engine.game import Game
from hanabako.envs.vector import CardGameVectorEnv
from hanabako.extras import need
from hanabako.words.checks import UnexpectedKeywordError, shown

__all__ = ["ConfiguredVectorEnv"]


class ConfiguredVectorEnv(CardGameVectorEnv):
    """The vector environment of one game, configured by the same keywords as the game's other factories.

    A game's subclass sets ``make_game``, a function from ``config``, ``preset`` and single fields to the configured
    game. With ``device="cuda"`` the object becomes a `hanabako.envs.device_vector.DeviceVectorEnv`.
    """

    make_game: ClassVar[Callable[..., Game]]

    def __init__(
        self,
        num_envs: int,
        config: Any = None,
        seed: int | None = None,
        observation: str = "int8",
        num_threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        *,
        preset: str | None = None,
        specialize: bool | None = None,
        render_mode: str | None = None,
        device: str = "cpu",
        **fields: Any,
    ) -> None:
        try:
            game = self.make_game(config, preset, **fields)
        except UnexpectedKeywordError as error:
            own = ", ".join([*list(signature(CardGameVectorEnv.__init__).parameters)[2:], "device"])
            raise UnexpectedKeywordError(f"{error}; arguments of the environment are {own}") from None
        if device == "cuda":
            need('device="cuda"', "torch")
            device_module = import_module("hanabako.envs.device_vector")
            self.__class__ = device_module.DeviceVectorEnv  # the constructor's class can stay the one that users name
        elif device != "cpu":
            raise ValueError(f"device must be 'cpu' or 'cuda', got {shown(device)}")
        first = (game, num_envs, seed, observation, num_threads)
        CardGameVectorEnv.__init__(self, *first, autoreset_mode, copy, specialize, render_mode)
