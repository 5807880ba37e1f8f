"""Play many games with given agents and say how good they are.

    hanabako evaluate hanabi --agents smart --games 20000
    hanabako evaluate hanabi --players 4 --agents questions
    hanabako evaluate hanabi --agents smart,piers,runs/NAME/policy.safetensors --cross-play --png matrix.png
    hanabako evaluate hanabi --agents smart,piers,iggi,outer --ad-hoc --games 5000
    hanabako evaluate hanabi --agents smart --communication
    hanabako evaluate koikoi --agents counting,greedy_stop --tournament

Agents are bots by name, networks that ship by name, and policy files of training runs.
"""

from ..evaluation.report import Args, report

__all__ = ["Args", "run"]


def run(args: Args) -> None:
    """See `agents.evaluation.report.report`."""
    report(args)
