"""The command of the evaluation kit, `python -m agents.evaluate`. The file to read is `evaluation/report.py`.

    python -m agents.evaluate hanabi --preset standard --players 2 --agents smart --games 20000 --seed 1
    python -m agents.evaluate hanabi --agents smart,piers,runs/mine/policy.safetensors --cross-play --png matrix.png
    python -m agents.evaluate hanabi --players 4 --agents smart,iggi --strangers --json strangers.json
    python -m agents.evaluate hanabi --agents smart,piers,iggi,outer --ad-hoc --games 5000
    python -m agents.evaluate hanabi --agents smart --communication
    python -m agents.evaluate koikoi --agents random,runs/mine/policy.safetensors --tournament

As a library: `play` and `Games` are here, matrices and teams in `agents.evaluation.crossplay`, matches and ratings of
competitive games in `agents.evaluation.matches`, measures of communication in `agents.evaluation.communication`.
"""

import tyro

from .evaluation.report import Args, evaluate, report
from .playing.play import Games, play

__all__ = ["Args", "Games", "evaluate", "main", "play"]


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    args = tyro.cli(Args, args=argv, description=__doc__, prog=f"python -m {__spec__.name}")
    try:
        report(args)
    except (OSError, ValueError) as error:
        raise SystemExit(f"evaluate: {error}") from error
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
