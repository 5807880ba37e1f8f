from hanabi_env import hanabi_v0
from pufferlib.emulation import PettingZooPufferEnv

env = PettingZooPufferEnv(env_creator=lambda **_: hanabi_v0.parallel_env(preset="mini"))
observations, infos = env.reset(seed=1)
print({agent: row.shape for agent, row in observations.items()})
