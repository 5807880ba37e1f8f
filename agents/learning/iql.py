"""IQL: Q-learning of the player to move, with shared weights and the team's rewards (Tan 1993; R2D2, Kapturowski 2019).

    hanabako train --algorithm iql --preset mini --network dense --minutes 5 --other-play

Players take turns, so a decision builds on the best Q of the next player to move. It is double Q-learning with a
dueling head, a slowly moving target network, a different exploration rate in each game (Ape-X), and a prioritized
replay memory of sequences, with the defaults of the Hanabi scripts of SAD's authors. Peng's Q(lambda), uniform replay
and rates as in Ape-X are ``--n-step 0 --priority 0 --epsilon 0.4``.

Differences from these scripts: a return ends with the value of the player who is then to move; sequences are 16
decisions of a game, which begin with the memory that the network had; a memory changes with the player's own decisions
only; a game has one exploration rate, for all players and the whole run; advantages have mean 0 over the legal actions;
games have no limit of length; the target network moves with each step; the loss is the squared error; new sequences
have the highest priority; and losing costs little at first (`Args.loss_ramp`).
"""

from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from .common.q_learner import QLearner, QSettings
from .common.ranks import Ranks
from .common.renamed_suits import RenamedSuits
from .common.selfplay import SelfPlayEnvs


@dataclass(frozen=True)
class Args(QSettings):
    """Train one network to play every seat of a cooperative game."""

    other_play: bool = False
    """Every player sees the suits under different names, see `agents.learning.other_play`; this changes nothing for
    networks that are symmetric in the suits."""

    @override
    def make_envs(self, config: Any, ranks: Ranks) -> SelfPlayEnvs:
        games = RenamedSuits if self.other_play else SelfPlayEnvs
        return games(config, self.games, self.seed, ranks, self.threads)


class IQL(QLearner):
    """Q-learning of the player to move: an `agents.learning.common.trainer.Algorithm`."""
