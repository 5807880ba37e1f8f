"""The declaration of Hanabi: see `hanabako.games`."""

from hanabako.games import GameEntry

__all__ = ["GAME", "make_aec", "make_parallel", "make_seat", "make_vector", "make_vector_seat"]

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

make_seat = GAME.make_seat  # called by the registries of Gymnasium and PettingZoo
make_vector = GAME.make_vector
make_vector_seat = GAME.make_vector_seat
make_aec = GAME.make_aec
make_parallel = GAME.make_parallel
