"""Tables of search: ceilings beside scores, and no rows of networks that have changed."""

import hashlib
import json

from agents.registry import fingerprints
from benchmarks.strength import search_hanabi, search_matches
from tests.benchmarks.test_hanabi_bots import ceiling

MACHINE = {"processor": "abacus", "python": "3.14", "versions": {"numba": "0.70"}, "date": "2026-11-24 10:00 UTC"}


def test_a_ceiling_stands_beside_every_score():
    searched = {"blueprint": "a", "players": 2, "rollouts": 30, "games": 2, "searched": 3.0, "searched_error": 0.1}
    searched |= {"gain": -0.005, "gain_error": 0.0035, "perfect": 0.0, "blueprint_perfect": 0.0, "milliseconds": 8.0}
    counts = {"decisions": 10, "empty": 2, "changed": 1, "rollouts": 250}
    searched |= {"counts": counts, "scores": [0, 6], "blueprint_scores": [3, 4], "machine": MACHINE}
    line, empty, where = search_hanabi.table([searched], ceiling("standard", 2)).splitlines()[-3:]
    assert (empty, where) == ("", "Measured on one core of abacus, Python 3.14, numba 0.70; 2026-11-24.")
    assert line == (
        "| standard | 2 | a | one | 30 | 25 | 3.00 ± 0.10 | 3.50 | -0.005 ± 0.004 | 24.91 (91.0%) "
        "| 0.0% | 0.0% | 50.0% | 0.0% | 8 | 20.0% | 10.0% | 2 |"
    )


def test_results_of_a_network_that_ships_no_more_are_not_shown(tmp_path, monkeypatch):
    """A row names the file that played it; another file of the same name is another player."""
    network = {"blueprint": "hanabi-mini-2p", "rival": "smart", "networks": fingerprints("hanabi-mini-2p")}
    still_true = [network, {"blueprint": "smart", "rival": "smart", "networks": {}}]
    another_file = network | {"networks": dict.fromkeys(network["networks"], "0" * 16)}
    for module in (search_hanabi, search_matches):
        monkeypatch.setattr(module, "RESULTS", tmp_path / "results.json")
        module.RESULTS.write_text(json.dumps([*still_true, another_file]), encoding="utf-8")
        assert module.read_results() == still_true


def test_only_networks_have_fingerprints(tmp_path):
    (tmp_path / "policy.safetensors").write_bytes(b"weights")
    found = fingerprints("smart", "monte_carlo:2000", "hanabi-mini-2p", str(tmp_path / "policy.safetensors"))
    assert list(found) == ["hanabi-mini-2p", str(tmp_path / "policy.safetensors")]
    assert list(found.values())[1] == hashlib.sha256(b"weights").hexdigest()[:16]
