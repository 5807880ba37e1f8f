"""Every game with every preset and number of players: the configurations that the checks run over."""

from dataclasses import dataclass, replace
from typing import Any

from tests.games import GAMES, GameUnderTest
from tests.proof.invariants import facts_of


@dataclass(frozen=True)
class Entry:
    """One configuration of one game."""

    name: str
    under_test: GameUnderTest
    config: Any

    def vector(self, num_envs: int, **options: Any) -> Any:
        """Make its vector environment."""
        return self.under_test.entry.make_vector(num_envs, config=self.config, **options)


def entries() -> list[Entry]:
    """Return all known configurations, equal ones once, and some that observe more than the presets."""
    found: dict[tuple[str, Any], Entry] = {}
    for under_test in GAMES:
        for preset, config in under_test.presets.items():
            for players in under_test.entry.players:
                own = config if config.players == players else replace(config, players=players)
                found.setdefault(
                    (under_test.name, own), Entry(f"{under_test.name} {preset} {players}p", under_test, own)
                )
        for fields in under_test.more_configs + RICH[under_test.name]:
            words = " ".join(f"{key}={value}" for key, value in fields.items())
            own = under_test.config(**fields)
            found.setdefault((under_test.name, own), Entry(f"{under_test.name} {words}", under_test, own))
    return [entry for entry in found.values() if is_known(entry)]


def is_known(entry: Entry) -> bool:
    """Return whether the invariants know the rules of a configuration; new variants are left out until they do."""
    try:
        facts_of(entry.under_test.name, entry.config)
    except ValueError:
        return False
    return True


RICH: dict[str, list[dict[str, Any]]] = {
    "hanabi": [
        {"preset": "all_extensions", "players": players, "derived": True, "belief": True, "history": 8}
        for players in (2, 5)
    ],
    "ikebana": [{"players": 3, "perfect_recall": True, "derived": True, "reward": "prestige"}],
    "koikoi": [{"preset": "koikoi_japan", "gaji": True, "history": 16, "reward": "points"}],
}
"""Options for observing as much as possible."""
