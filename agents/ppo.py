"""The command `python -m agents.ppo`: masked PPO in self-play. The algorithm is in `learning/ppo.py`.

    python -m agents.ppo --preset mini --minutes 1                                         # one core
    torchrun --standalone --nproc-per-node 2 -m agents.ppo --preset standard --minutes 5   # two cores
    python -m agents.ppo --resume runs/hanabi-standard-2p-20261120-184500                  # after an interruption

Each rank that `torchrun` starts plays its share of the games on its own core or GPU.
"""

from .learning.common.algorithms import command_line
from .learning.ppo import PPO, Args, train

__all__ = ["PPO", "Args", "main", "train"]


def main(argv: list[str] | None = None) -> None:
    """Run the command line; its options are the fields of `agents.learning.ppo.Args`."""
    command_line(__spec__.name, argv)


if __name__ == "__main__":
    main()
