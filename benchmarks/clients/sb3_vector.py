"""sb3-contrib: MaskablePPO on the vector environment, through this project's bridge."""

from sb3_contrib import MaskablePPO

from benchmarks.clients.judge import Outcome, score_of_all_seats
from benchmarks.clients.sb3_seat import UntilThen, actions_of
from hanabako.envs.sb3 import SB3VecEnv
from hanabi_env import HanabiVectorEnv


def train(seconds: float) -> Outcome:
    """Train in self-play on 256 tables."""
    envs = SB3VecEnv(HanabiVectorEnv(256, preset="mini", seed=1))
    agent = MaskablePPO("MultiInputPolicy", envs, n_steps=32, batch_size=2048, n_epochs=2, seed=1, device="cpu")
    act = actions_of(agent)
    before, until = score_of_all_seats(act), UntilThen(seconds)
    agent.learn(10**9, callback=until)
    after = score_of_all_seats(act)
    return Outcome("MaskablePPO", "all seats", before, after, until.clock.steps, until.clock.seconds)
