from agilerl.algorithms import DQN
from hanabi_env import HanabiVectorEnv

envs = HanabiVectorEnv(32, preset="mini", observation="float32", seed=1)
agent = DQN(envs.single_observation_space["observation"], envs.single_action_space, normalize_images=False)
observations, infos = envs.reset()
for _ in range(20):
    actions = agent.get_action(observations["observation"], 0.1, observations["action_mask"])
    observations, rewards, *_ = envs.step(actions)
