import supersuit
from hanabi_env import hanabi_v0

envs = supersuit.pettingzoo_env_to_vec_env_v1(hanabi_v0.parallel_env(preset="mini"))
envs = supersuit.concat_vec_envs_v1(envs, 4)
observations, infos = envs.reset(seed=1)
for _ in range(100):
    observations, rewards, *_ = envs.step(observations["action_mask"].argmax(axis=1))
