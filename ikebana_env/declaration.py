"""The declaration of Ikebana: see `hanabako.games`."""

from functools import partial

from hanabako.games import GameEntry

__all__ = ["GAME"]

GAME = GameEntry(
    name="ikebana",
    package="ikebana_env",
    environment="ikebana_v0",
    config_name="IkebanaConfig",
    vector_env_name="IkebanaVectorEnv",
    cooperative=False,
    players=(2, 3, 4, 5),
    observation_fields=("perfect_recall", "derived"),
    neutral_fields=("random_start_player", "reward"),
    training_settings=("reward=dense",),
    short={"preset": "single_round"},
)

__getattr__ = partial(getattr, GAME)  # the registries of Gymnasium and PettingZoo call methods of GAME by name
