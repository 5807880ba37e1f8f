"""Random legal steps in every game, preset and number of players, with the invariants checked after each step."""

import statistics
import time
from functools import partial
from typing import Any

import numpy as np

from hanabako.compiler.digest import digest_of
from tests.proof.choosing import random_actions
from tests.proof.configs import Entry, entries
from tests.proof.invariants import (
    CARD_OF_BIT,
    SENTENCES,
    WEIGHTS,
    check_hanabi,
    check_ikebana,
    check_koikoi,
    facts_of,
    hints_touching,
)
from tests.proof.records import Record, work

PROMISE = "Every step of legal play keeps the invariants of the rules, in every configuration"
TESTED = (
    "random legal steps in the vector environment (packed observations, automatic resets); after every step, for every "
    "table: mask, bits, rewards, scores, conservation of cards, knowledge"
)
GOAL = 1_000_000_000
TABLES, STEPS = 2048, 256
"""Games side by side, and steps of each game in a slice."""


def run(record: Record, seconds: float, amount: int = GOAL) -> None:
    """Play in all configurations until there are ``amount`` steps together, or time is over."""
    found = {entry.name: entry for entry in entries()}
    for name, entry in found.items():
        record.row(name, code_of(entry))
    record.keep_only(found)
    goals = dict.fromkeys(found, -(-amount // len(found)))
    work(record, goals, lambda name: play_slice(record, found[name]), seconds, "steps", " steps")


def how_much(record: Record) -> str:
    """Return the amounts for the page."""
    least = min(row["amount"] for row in record.rows.values())
    speed = statistics.median(row.get("checks_per_second", 0) for row in record.rows.values())
    return (
        f"{record.amount / 1e6:,.0f} million steps of the {GOAL // 10**6:,} million wanted, {len(record.rows)} "
        f"configurations with {least:,} or more each; the check alone does {speed / 1e6:.1f} million a second on one "
        f"core (the best {TABLES * STEPS:,} of each configuration, median)"
    )


def code_of(entry: Entry) -> str:
    """Return a digest of the game's rules; with edited rules, a row starts from 0."""
    return f"{digest_of(entry.under_test.entry.make_game(entry.config).functions):x}"


def play_slice(record: Record, entry: Entry, tables: int = TABLES, steps: int = STEPS) -> None:
    """Play some steps of new games; the seed is the number of steps played before."""
    row = record.rows[entry.name]
    begin, checking, failures = time.process_time(), 0.0, []
    envs = entry.vector(tables, observation="packed", copy=False, specialize=False)
    seed = row["amount"]
    observation, infos = envs.reset(seed=seed)
    nothing, check = np.zeros_like(observation["observation"]), checker(entry)
    check(envs.tables, observation["action_mask"], observation["observation"], nothing)  # compile it before timing
    for t in range(steps):
        actions = random_actions(observation["action_mask"], seed, 0, t)
        observation, _, terminated, _, infos = envs.step(actions)
        final = infos["final_obs"]["observation"] if terminated.any() else nothing
        started = time.process_time()
        where, fault = check(envs.tables, observation["action_mask"], observation["observation"], final)
        checking += time.process_time() - started
        if fault:
            failures.append(f"seed {seed}, table {where}, step {t}: {SENTENCES[fault]}")
            break
    record.add(entry.name, tables * steps, time.process_time() - begin, failures)
    if not failures:
        row["checks_per_second"] = max(row.get("checks_per_second", 0), round(tables * steps / checking))


def checker(entry: Entry) -> Any:
    """Return the check of a game for this configuration."""
    facts, game = facts_of(entry.under_test.name, entry.config), entry.under_test.name
    if game == "koikoi":
        return partial(check_koikoi, facts)
    more = (WEIGHTS, CARD_OF_BIT) if game == "ikebana" else (WEIGHTS, hints_touching(entry.config))
    check = check_ikebana if game == "ikebana" else check_hanabi
    return lambda tables, masks, observations, finals: check(facts, tables, masks, observations, finals, *more)
