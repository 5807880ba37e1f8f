"""An algorithm of your own: REINFORCE with a learned baseline (Williams 1992), for cooperative games.

hanabako train --algorithm reinforce.py --preset mini --minutes 1
python reinforce.py --preset mini --minutes 1
"""

from dataclasses import dataclass

import torch

from hanabako.agents.learning.common.algorithms import command_line
from hanabako.agents.learning.common.network_learner import NetworkLearner
from hanabako.agents.learning.common.network_settings import NetworkSettings
from hanabako.agents.networks.network import choose, masked
from hanabako.words.ranges import Part, Size


@dataclass(frozen=True)
class Args(NetworkSettings):
    """Train one network to play every seat of a cooperative game."""

    games: Size = 128
    """Games played at a time, all ranks together."""
    horizon: Size = 16
    """Decisions per game between two gradient steps."""
    gamma: Part = 0.95
    """Discount per decision."""
    entropy: Part = 0.02
    """Weight of the entropy bonus."""


class Reinforce(NetworkLearner):
    """A learner that uses each decision of the network once, right after it was played."""

    def learn(self, fraction: float) -> dict[str, float]:
        """Play ``horizon`` decisions of every game and take one gradient step; return a row for the log."""
        envs, rate = self.envs, self.descent.set_rate(fraction)
        steps = []
        for _ in range(self.args.horizon):
            logits, values = self.network(envs.observations)
            probabilities = masked(logits, envs.masks).softmax(1)
            noise = torch.rand(envs.games, generator=self.generator)
            actions = choose(probabilities.detach(), noise)
            chosen = probabilities.gather(1, actions[:, None]).squeeze(1)
            rewards, dones = envs.step(actions)
            entropy = -(probabilities * probabilities.clamp(min=1e-8).log()).sum(1)
            steps.append((chosen.log(), entropy, values, 3 * rewards[:, 0] / envs.config.max_score, dones))
        after = self.network(envs.observations)[1].detach()
        losses = []
        for log_probability, entropy, values, rewards, dones in reversed(steps):
            after = rewards + self.args.gamma * after * ~dones
            advantages = after - values
            gain = advantages.detach() * log_probability + self.args.entropy * entropy
            losses.append((0.5 * advantages.square() - gain).mean())
        loss = torch.stack(losses).mean()
        norm = self.descent.step(loss)
        return {"loss": float(loss.detach()), "gradient_norm": float(norm), "learning_rate": rate}


if __name__ == "__main__":
    command_line(__file__)
