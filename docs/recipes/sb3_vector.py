from hanabako.envs.sb3 import SB3VecEnv
from hanabi_env import HanabiVectorEnv
from sb3_contrib import MaskablePPO

envs = SB3VecEnv(HanabiVectorEnv(256, preset="mini", seed=1))
agent = MaskablePPO("MultiInputPolicy", envs, n_steps=32, batch_size=2048)
agent.learn(8192)
