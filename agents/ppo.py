"""The learner's command, `python -m agents.ppo`: masked PPO in self-play. The file to read is `learning/ppo.py`.

    python -m agents.ppo --preset mini --minutes 1                                         # one core
    torchrun --standalone --nproc-per-node 2 -m agents.ppo --preset standard --minutes 5   # two cores
    python -m agents.ppo --resume runs/hanabi-standard-2p-20261120-184500                  # after an interruption

Every rank that `torchrun` starts has its share of the games, and a core or GPU of its own.
"""

from .learning.common.algorithms import command_line
from .learning.ppo import PPO, Args, train

__all__ = ["PPO", "Args", "main", "train"]


def main(argv: list[str] | None = None) -> None:
    """The command line: settings as `agents.learning.ppo.Args`."""
    command_line(__spec__.name, argv)


if __name__ == "__main__":
    main()
