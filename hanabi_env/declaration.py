"""The declaration of Hanabi: see `hanabako.games`."""

from functools import partial

from hanabako.games import GameEntry

__all__ = ["GAME"]

GAME = GameEntry(
    name="hanabi",
    package="hanabi_env",
    environment="hanabi_v0",
    config_name="HanabiConfig",
    vector_env_name="HanabiVectorEnv",
    cooperative=True,
    players=(2, 3, 4, 5),
    observation_fields=("observation_type", "history", "belief", "derived"),
    neutral_fields=("random_start_player", "score_on_loss"),
    short={"preset": "small"},
    site="hanablive",
)

__getattr__ = partial(getattr, GAME)  # the registries of Gymnasium and PettingZoo call methods of GAME by name
