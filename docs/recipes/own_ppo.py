import time
from dataclasses import replace

import numpy as np
import torch
from hanabako.drawing.charts import chart, reference, save
from hanabi_env import PRESETS, HanabiVectorEnv
from torch import nn
from torch.distributions import Categorical

GAMES, STEPS, SECONDS, GAMMA, LAMBDA = 256, 32, 120, 0.99, 0.95
torch.set_num_threads(1)  # more are slower for small networks, above all on a busy machine
CONFIG = replace(PRESETS["mini"], derived=True)  # without derived: the Learning Environment's observation and no more
BITS, ACTIONS = CONFIG.observation_bits, CONFIG.rules().num_actions


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(BITS, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.logits, self.value = nn.Linear(256, ACTIONS), nn.Linear(256, 1)

    def forward(self, observation, mask):
        hidden = self.trunk(observation)
        return Categorical(logits=self.logits(hidden).masked_fill(mask == 0, -1e9)), self.value(hidden).squeeze(-1)


def train():
    """Train for `SECONDS`, and keep the weights and the curve."""
    torch.manual_seed(1)
    envs, policy = HanabiVectorEnv(GAMES, config=CONFIG, observation="float32", seed=1), Policy()
    optimizer = torch.optim.Adam(policy.parameters(), 1e-3)
    seen, _ = envs.reset()
    scores, curve, begun = [], [], time.time()
    while time.time() - begun < SECONDS:
        batch = {name: [] for name in ("observation", "mask", "action", "log_prob", "value", "reward", "ended")}
        for _ in range(STEPS):  # each row is the view of the player to move: one network plays all seats
            observation, mask = torch.tensor(seen["observation"]), torch.tensor(seen["action_mask"])
            with torch.no_grad():
                distribution, value = policy(observation, mask)
            action = distribution.sample()
            seen, reward, ended, _, infos = envs.step(action.numpy())
            row = (observation, mask, action, distribution.log_prob(action), value)
            for name, column in zip(batch, (*row, torch.tensor(reward), torch.tensor(ended))):
                batch[name].append(column)
            scores.extend(infos["score"][ended] if ended.any() else [])
        with torch.no_grad():  # the next decision is the partner's, and the reward is the team's: one stream of values
            _, following = policy(torch.tensor(seen["observation"]), torch.tensor(seen["action_mask"]))
        advantage, advantages = torch.zeros(GAMES), []
        for reward, ended, value in zip(*(reversed(batch[name]) for name in ("reward", "ended", "value"))):
            going = 1 - ended.float()
            advantage = reward.float() + GAMMA * going * following - value + GAMMA * LAMBDA * going * advantage
            advantages.insert(0, advantage)
            following = value
        data = {name: torch.cat(columns) for name, columns in batch.items()}
        data["advantage"] = torch.cat(advantages)
        data["return"] = data["advantage"] + data["value"]
        for rows in torch.randperm(GAMES * STEPS).split(1024):
            part = {name: column[rows] for name, column in data.items()}
            distribution, value = policy(part["observation"], part["mask"])
            ratio = (distribution.log_prob(part["action"]) - part["log_prob"]).exp()
            gain = (part["advantage"] - part["advantage"].mean()) / (part["advantage"].std() + 1e-8)
            surrogate = torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
            loss = -surrogate + 0.5 * (part["return"] - value).pow(2).mean() - 0.02 * distribution.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()
        if len(scores) >= 2000:
            curve.append((time.time() - begun, float(np.mean(scores))))
            print(f"{curve[-1][0]:5.0f} s: {curve[-1][1]:.2f} points per game")
            scores.clear()

    figure, axes = chart("Hanabi mini, PPO", "seconds on one core", "points per game while learning", ylim=(0, 9.4))
    axes.plot(*zip(*curve))
    reference(axes, 9, "highest score")
    save("own_ppo.png", figure)
    torch.save(policy.state_dict(), "own_ppo.pt")


class Agent:
    config, observation = CONFIG, "float32"  # what `act` is given, whatever the others at the table see

    def __init__(self):
        self.policy = Policy()
        self.policy.load_state_dict(torch.load("own_ppo.pt", weights_only=True))

    @torch.no_grad()
    def act(self, observation, mask, noise):
        return self.policy(torch.tensor(observation), torch.tensor(mask))[0].logits.argmax(1).numpy()


if __name__ == "__main__":
    train()
