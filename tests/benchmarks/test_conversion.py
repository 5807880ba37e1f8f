"""The results of studies that were converted hold every number that they held before; leaves with the next commit."""

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
RESULTS = "benchmarks/strength/results"
BEFORE = "644e84c8"


def before(name: str) -> list[dict[str, Any]]:
    shown = ["git", "show", f"{BEFORE}:{RESULTS}/{name}.json"]
    done = subprocess.run(shown, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("no such commit here")
    return json.loads(done.stdout)["rows"]


def now(name: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    rows = json.loads((ROOT / RESULTS / f"{name}.json").read_text(encoding="utf-8"))["rows"]
    return {(row["preset"], row["players"], *row["line_up"], json.dumps(row["search"])): row for row in rows}


def same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def test_bots() -> None:
    found = now("hanabi_bots")
    for row in before("hanabi_bots"):
        lives = "" if row["max_life_tokens"] == 3 else " max_life_tokens=4"
        own = found[row["preset"] + lives, row["players"], row["agent"], "null"]
        for name in ("score", "score_error", "fireworks_score", "length", "perfect_rate", "lost_rate"):
            assert same(own[name], row[name]), (row["agent"], name)


def test_searches() -> None:
    found = now("search_hanabi")
    for row in before("search_hanabi"):
        how = {"rollouts": row["rollouts"]} | ({"seats": "all"} if row["seats"] == "all" else {})
        own = found[row["preset"], row["players"], f"search:{row['blueprint']}", json.dumps(how)]
        assert same(own["score"], row["searched"]) and same(own["gain"], row["gain"])
        assert sum(map(sum, own["sums"])) == sum(row["scores"]) and own["done"] == row["done"]


def test_matches() -> None:
    found = now("search_matches")
    for row in before("search_matches"):
        rules = " rounds=1 reward=points" if row["game"] == "koikoi" else ""
        how = json.dumps({"rollouts": row["rollouts"]}) if row["rollouts"] else "null"
        own = found[row["preset"] + rules, 2, f"search:{row['blueprint']}", row["rival"], how]
        assert (
            same(own["lead"], row["lead"])
            and same(own["won"], row["won"])
            and same(own["lead_error"], row["lead_error"])
        )
        assert same(sum(map(sum, own["sums"])), sum(map(sum, row["leads"])))


def test_challenge() -> None:
    found = now("challenge_hanabi_2p")
    for row in before("challenge_hanabi_2p"):
        if "suite" in row:
            own = found["standard", 2, row["agent"], row["partner"], "null"]
            assert own["sums"] == row["sums"] and own["score"] == row["score"]


def test_networks_and_tournaments() -> None:
    networks, matches = now("shipped_networks"), now("tournaments")
    for row in before("shipped_networks"):
        told = row["evaluation"]
        for match in told.get("tournament", {}).get("matches", []):
            own = next(
                one
                for key, one in matches.items()
                if list(key[2:4]) == match["agents"]
                and key[1] == told["players"]
                and key[0].split(" ")[0] == told["preset"].split(" ")[0]
            )
            assert all(same(own[name], match[name]) for name in ("lead", "won", "drawn")), match
        if "score" in told:
            own = next(one for key, one in networks.items() if key[2] == row["network"])
            assert abs(own["score"] - told["score"]) <= 4 * told["score_error"], row["network"]
