"""Rows of bots, shipped networks, `make train` and ports in their old files' shape, rebuilt from the new results."""

from collections.abc import Callable
from functools import partial
from typing import Any

from agents.studies.store import ORIGIN, read_results
from benchmarks.recipes import RECIPES
from benchmarks.strength import hanabi_bots, make_train, ports, shipped_networks
from benchmarks.strength.hanabi_bots import LIVES, STANDARD, VARIANTS

from .old_shapes_g1 import AGAIN

Rows = list[dict[str, Any]]
LATER = (
    *(f"hanabi-standard-2p-{kind}" for kind in ("symmetric", "dense", "other-play", "wide")),
    *AGAIN,
)
"""Beginnings of the names of networks that did not exist then, or were trained again since."""
NOTED_PLAYERS = ("information",)
"""The bots whose old rows had an entry ``players``; all bots had it in their config."""


def of_bots(presets: tuple[str, ...], lives: int) -> Rows:
    results = read_results(hanabi_bots.RESULTS)
    return [old_bot(row) for row in results if row["preset"] in presets and row["max_life_tokens"] == lives]


def old_bot(row: dict[str, Any]) -> dict[str, Any]:
    new = {"fields", "agent", "max_life_tokens", "done", "wanted", *ORIGIN}
    new |= set() if row["agent"] in NOTED_PLAYERS else {"players"}
    return {name: value for name, value in row.items() if name not in new}


def of_network(name: str) -> Rows:
    return [row["evaluation"] for row in read_results(shipped_networks.RESULTS) if row["network"] == name]


def of_run(preset: str, processor: str) -> Rows:
    results = read_results(make_train.RESULTS)
    return [row["evaluation"] for row in results if (row["preset"], row["processor"]) == (preset, processor)]


def of_originals() -> Rows:
    new = {"fields", "done", "wanted", *ORIGIN}
    return [
        {name: value for name, value in row.items() if name not in new} | {"games": row["done"]}
        for row in read_results(ports.RESULTS)
    ]


OLD: dict[str, Callable[[], Rows]] = {
    "hanabi-standard-programs.json": partial(of_bots, (STANDARD,), LIVES),
    "hanabi-four-lives-programs.json": partial(of_bots, (STANDARD,), 4),
    "hanabi-variants-programs.json": partial(of_bots, VARIANTS, LIVES),
    "hanabi-mini-2p-random.json": partial(of_bots, ("mini",), LIVES),
    **{f"{name}.json": partial(of_network, name) for name in RECIPES if not name.startswith(LATER)},
    "hanabi-standard-2p-make-train.json": partial(of_run, STANDARD, "cores without bf16 instructions"),
    "hanabi-standard-2p-ppo.json": partial(of_run, STANDARD, "not recorded"),
    "hanabi-mini-2p-ppo.json": partial(of_run, "mini", "not recorded"),
    "hanabi-originals.json": of_originals,
}
