"""Names under which Gymnasium and PettingZoo find Hanabi."""

from env_core.registration import register, seat_maker

ID = "hanabako/Hanabi-v0"

make_seat = seat_maker("hanabi_env")


def register_all() -> None:
    """Register with Gymnasium, and with PettingZoo where it has a registry. Imports no game."""
    register(ID, "hanabi_env", module="hanabi_v0", vector_env="HanabiVectorEnv")
