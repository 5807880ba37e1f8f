"""Names under which Gymnasium and PettingZoo find Koi-Koi."""

from env_core.registration import register, seat_maker

ID = "hanabako/KoiKoi-v0"

make_seat = seat_maker("hanafuda_env")


def register_all() -> None:
    """Register with Gymnasium, and with PettingZoo where it has a registry. Imports no game."""
    register(ID, "hanafuda_env", module="koikoi_v0", vector_env="KoiKoiVectorEnv")
