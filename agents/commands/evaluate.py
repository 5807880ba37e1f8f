"""Play many games with given agents and print their scores.

    hanabako evaluate hanabi --agents smart --games 20000
    hanabako evaluate hanabi --players 4 --agents questions
    hanabako evaluate hanabi --agents smart,piers,runs/NAME/policy.safetensors --mode cross-play --png matrix.png
    hanabako evaluate hanabi --players 4 --agents smart,iggi --mode one-guest --json one_guest.json
    hanabako evaluate hanabi --agents smart,piers,iggi,outer --mode ad-hoc --games 5000
    hanabako evaluate hanabi --agents smart --mode communication
    hanabako evaluate koikoi --agents counting,greedy_stop --mode tournament

Agents are bots and networks by name (`hanabako agents` lists them), policy files or folders of training runs, published
networks of Hanabi (obl:FILE, sad:FILE, bc_lstm:FILE, see docs/published.md), and language models (llm:MODEL, see
docs/language_models.md; use few --games). These older options for modes still work: --cross-play, --ad-hoc,
--tournament, --communication, and --strangers for one-guest.
"""

from collections.abc import Sequence

from ..evaluation.report import Args, report

__all__ = ["Args", "form", "run"]

OLD = ("--cross-play", "--strangers", "--ad-hoc", "--tournament", "--communication")
"""Older options that are modes now."""


def form(words: Sequence[str]) -> tuple[type, str | None, list[str]]:
    """See `agents.commands.command_line.form_of`: older options are turned into modes.

    Raises:
        ValueError: there are several of them.
    """
    old = [word for word in words if word.replace("_", "-") in OLD]
    if len(old) > 1:
        raise ValueError(f"one mode at a time, got {' '.join(old)}")
    modes = [f"--mode={word[2:].replace('_', '-').replace('strangers', 'one-guest')}" for word in old]
    return Args, __doc__, [*(word for word in words if word not in old), *modes]


def run(args: Args) -> None:
    """See `agents.evaluation.report.report`."""
    report(args)
