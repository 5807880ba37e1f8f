"""The declaration of Koi-Koi: see `hanabako.games`."""

from hanabako.games import GameEntry

__all__ = ["GAME", "make_aec", "make_parallel", "make_seat", "make_vector", "make_vector_seat"]

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

make_seat = GAME.make_seat  # called by the registries of Gymnasium and PettingZoo
make_vector = GAME.make_vector
make_vector_seat = GAME.make_vector_seat
make_aec = GAME.make_aec
make_parallel = GAME.make_parallel
