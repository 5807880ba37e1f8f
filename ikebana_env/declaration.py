"""The declaration of Ikebana: see `hanabako.games`."""

from hanabako.games import GameEntry

__all__ = ["GAME", "make_aec", "make_parallel", "make_seat", "make_vector", "make_vector_seat"]

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

make_seat = GAME.make_seat  # called by the registries of Gymnasium and PettingZoo
make_vector = GAME.make_vector
make_vector_seat = GAME.make_vector_seat
make_aec = GAME.make_aec
make_parallel = GAME.make_parallel
