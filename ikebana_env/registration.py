"""Names under which Gymnasium and PettingZoo find Ikebana."""

from env_core.registration import register, seat_maker

ID = "hanabako/Ikebana-v0"

make_seat = seat_maker("ikebana_env")


def register_all() -> None:
    """Register with Gymnasium, and with PettingZoo where it has a registry. Imports no game."""
    register(ID, "ikebana_env", module="ikebana_v0", vector_env="IkebanaVectorEnv")
