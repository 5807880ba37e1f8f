import gymnasium
from minari import DataCollector

seat = gymnasium.make("hanabako:hanabako/HanabiSeat-v0", preset="mini", constant_infos=True)
env = DataCollector(seat, record_infos=True)
for seed in range(20):
    (observation, _), ended = env.reset(seed=seed), False
    while not ended:
        observation, _, ended, *_ = env.step(env.action_space.sample(observation["action_mask"]))
env.create_dataset("hanabi/random-v0")
