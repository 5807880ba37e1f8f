"""The declaration of Koi-Koi: see `hanabako.games`."""

from functools import partial

from hanabako.games import GameEntry

__all__ = ["GAME"]

GAME = GameEntry(
    name="koikoi",
    package="hanafuda_env",
    environment="koikoi_v0",
    config_name="KoiKoiConfig",
    vector_env_name="KoiKoiVectorEnv",
    cooperative=False,
    players=(2,),
    observation_fields=("history",),
    neutral_fields=("rounds", "hand_swap", "reward"),
    training_settings=("rounds=1", "hand_swap=false"),
    short={"preset": "document", "rounds": 1},
)

__getattr__ = partial(getattr, GAME)  # the registries of Gymnasium and PettingZoo call methods of GAME by name
