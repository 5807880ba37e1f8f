from hanabi_env import hanabi_v0
from tianshou.env import DummyVectorEnv, PettingZooEnv

Silent = type("Silent", (PettingZooEnv,), {"step": lambda env, action: (*PettingZooEnv.step(env, action)[:4], {})})
envs = DummyVectorEnv([lambda: Silent(hanabi_v0.env(preset="mini"))] * 4)  # its buffer rejects text in infos
observations, infos = envs.reset(seed=1)
for _ in range(100):
    observations, rewards, terminated, truncated, _ = envs.step([row["mask"].index(True) for row in observations])
    if (ended := (terminated | truncated).nonzero()[0]).size:
        observations[ended], infos = envs.reset(ended)
