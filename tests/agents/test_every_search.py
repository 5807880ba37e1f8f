"""Searches of every game repeat themselves, differ only where they are sure, count their cost, and refuse in words."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import play, registry
from hanabako.agents.people.session import Adviser, Session
from hanabako.agents.playing.policy import Policy
from hanabako.agents.search.ikebana.policy import IkebanaSearch
from hanabako.agents.search.koikoi.policy import KoiKoiSearch
from hanabi_env import PRESETS, HanabiConfig
from hanafuda_env import PRESETS as KOIKOI
from hanafuda_env import KoiKoiConfig
from ikebana_env import IkebanaConfig
from tests.agents.test_game_search import ROUND, Highest, Keen

SLOW = pytest.mark.slow
MINI, SMALL = PRESETS["mini"], PRESETS["very_small"]
TINY = HanabiConfig(players=2, colors=2, ranks=3, hand_size=2)
JAPAN = replace(KOIKOI["koikoi_japan"], rounds=1, reward="points")
IKEBANA = IkebanaConfig(rounds=1)


class Case(NamedTuple):
    """A search, and its opponent in the games that compete."""

    config: Any
    search: Callable[[], Any]
    games: int
    other: str | Policy | None = None
    differs_from: str = ""
    """A blueprint from which it differs in these games."""


def named(name: str, config: Any, games: int, other: str | None = None, **effort: Any) -> Case:
    blueprint = name if "margin" in effort or other is None else ""
    return Case(config, lambda: agents.load(f"search:{name}", config, **effort), games, other, blueprint)


CASES = {
    "hanabi": named("piers", MINI, 12, rollouts=20),
    "hanabi, both players": named("piers", TINY, 5, rollouts=12, margin=0, seats="all"),
    "koikoi": named("monte_carlo", ROUND, 12, "greedy_stop", rollouts=60),
    "koikoi, random play": named("random", ROUND, 8, "greedy_stop", rollouts=40, margin=0),
    "koikoi, a network": Case(JAPAN, lambda: KoiKoiSearch(Highest(), JAPAN, rollouts=300), 12, Highest()),
    "ikebana": named("greedy", IKEBANA, 8, "greedy", rollouts=40, margin=0),
    "ikebana, a network": Case(IKEBANA, lambda: IkebanaSearch(Keen(), IKEBANA, rollouts=60), 7, Keen()),
    "ikebana, look-ahead": named("lookahead", IKEBANA, 30, "lookahead"),
}
SLOW_CASES = ("koikoi", "koikoi, a network", "ikebana")


def results(case: Case, policy: Any, games: int, first: int = 0) -> list[tuple[Any, ...]]:
    """Return the rewards and the length of each game of a policy, at player 0 if there are opponents."""
    other = agents.load(case.other, case.config) if isinstance(case.other, str) else case.other
    played = play(case.config, policy if other is None else [policy, other], games, seed=7, first=first)
    return list(zip(played.rewards.tolist(), played.length.tolist(), strict=True))


@pytest.mark.parametrize("name", [pytest.param(n, marks=[SLOW] if n in SLOW_CASES else []) for n in CASES])
def test_a_search_is_reproducible_in_any_company(name: str):
    """Results do not depend on other games in the batch, nor on earlier searches. Every decision is counted once."""
    case = CASES[name]
    search = case.search()
    all_games, some = results(case, search, case.games), case.games // 3
    counts = search.counts
    assert all_games[-some:] == results(case, search, some, case.games - some)
    assert all_games[:2] == results(case, case.search(), 2)
    if case.differs_from:
        assert all_games != results(case, agents.load(case.differs_from, case.config), case.games)
    assert counts["decisions"] > 0 and counts["changed"] <= counts["decisions"]
    if case.other is not None and name != "ikebana, look-ahead":
        thought_of = counts["decisions"] - counts["endings"]
        spent = (counts["rollouts"] + counts["passes"]) / search.effort.rollouts
        assert 0.6 * thought_of < spent <= thought_of


@pytest.mark.parametrize(
    ("config", "search", "effort"),
    [(MINI, "piers", {"budget": 1e-6}), (IKEBANA, "greedy", {"rollouts": 2}), (IKEBANA, "random", {"rollouts": 2})],
)
def test_a_search_without_proof_plays_its_blueprint(config: Any, search: str, effort: dict[str, Any]):
    case = Case(config, lambda: None, 5, None if config is MINI else "greedy")
    sure, blueprint = agents.load(f"search:{search}", config, **effort), agents.load(search, config)
    assert results(case, sure, 5) == results(case, blueprint, 5)


def test_a_koikoi_search_over_a_network_without_proof_plays_as_it_does_up_to_the_endings():
    search, alone = KoiKoiSearch(Highest(), ROUND, rollouts=2), play(ROUND, Highest(), 30, seed=5)
    both = play(ROUND, [search, Highest()], 30, seed=5)
    short = alone.length < 14  # steps are turns and more
    assert short.any() and both.rewards[short].tolist() == alone.rewards[short].tolist()


@pytest.mark.parametrize(("config", "name"), [(MINI, "piers"), (ROUND, "monte_carlo"), (IKEBANA, "greedy")])
def test_a_budget_says_that_the_clock_decides(config: Any, name: str):
    policy: Any = agents.load(f"search:{name}", config, budget=2)
    assert policy.name == f"search:{name} (2 ms by the clock)" and not policy.reproducible
    assert play(config, policy, 2, seed=1).length.all()


@pytest.mark.parametrize(
    ("config", "search", "other", "games", "effort", "least"),
    [
        pytest.param(MINI, "search:piers", None, 60, {"rollouts": 60}, -3, id="hanabi"),
        pytest.param(SMALL, "search:piers", None, 30, {"rollouts": 60, "seats": "all"}, -3, id="both", marks=SLOW),
        pytest.param(ROUND, "search:monte_carlo", "greedy_stop", 60, {"rollouts": 200}, -1, id="koikoi"),
        pytest.param(IKEBANA, "search:lookahead", "greedy", 3000, {}, 0, id="ikebana", marks=SLOW),
    ],
)
def test_a_search_is_not_below_what_it_is_compared_with(
    config: Any, search: str, other: str | None, games: int, effort: dict[str, Any], least: float
):
    """Gains and leads on fixed deals, in standard errors: about 1 in 740 sets of deals fails with a true gain of 0.

    In Koi-Koi and Ikebana the true leads are 2.6 and 4.8 standard errors: 1 in 6,000 and 1 in 100,000 would fail.
    """
    policy = agents.load(search, config, **effort)
    if other is None:
        blueprint = agents.load(search.removeprefix("search:"), config)
        gains = np.subtract(*[play(config, one, games, seed=11).score.astype(int) for one in (policy, blueprint)])
    else:
        gains = play(config, [policy, agents.load(other, config)], games, seed=3).rewards[:, 0]
    assert gains.any() and gains.mean() > least * gains.std(ddof=1) / np.sqrt(games)


@SLOW
@pytest.mark.parametrize(
    ("config", "bot", "search"),
    [
        (ROUND, "greedy_stop", "search:monte_carlo"),
        (IkebanaConfig(rounds=1), "greedy", "search:lookahead"),
        (IkebanaConfig(rounds=1, players=3), "greedy", "search:greedy"),
    ],
)
def test_a_search_says_what_it_expects_of_the_actions_among_which_it_chooses(config: Any, bot: str, search: str):
    session = Session(config, [agents.load(bot, config)] * config.players, seed=5)
    list(session.go_on())
    opinions = list(Adviser(search, config).opinions(session.record))
    expected = [opinion.values for opinion in opinions if opinion.values]
    assert len(expected) > 5 and all(len(values) > 1 for values in expected)
    assert all(opinion.probabilities.keys() <= opinion.values.keys() for opinion in opinions if opinion.values)


REFUSED = [
    ("search:cheat", MINI, {}, "the blueprint of a search of hanabi must not look at hidden cards, got 'cheat'"),
    ("search:search:piers", MINI, {}, "must not search itself"),
    ("search:search:monte_carlo", KoiKoiConfig(), {}, "must not search itself, got 'search:monte_carlo'"),
    ("search:nobody", MINI, {}, "an agent must be one of .*got 'nobody'"),
    ("search:piers", MINI, {"rollouts": 2.5}, "rollouts must be an int from 1 to 1000000000, got 2.5"),
    ("search:counting", KoiKoiConfig(), {"rollouts": 0}, "rollouts must be an int from 1 to 1000000000, got 0"),
    ("search:counting", KoiKoiConfig(), {"rollouts": 10**30}, "rollouts must be an int from 1 .*got 1000"),
    ("search:piers", MINI, {"budget": float("nan")}, "budget must be a number of at least 1e-09, got nan"),
    ("search:lookahead", IkebanaConfig(), {"margin": -1}, "margin must be a number of at least 0, got -1"),
    ("search:piers", MINI, {"threshold": -0.1}, "threshold must be a number of at least 0, got -0.1"),
    ("search:lookahead", IkebanaConfig(), {"margin": True}, "margin must be a number of at least 0, got True"),
    ("search:lookahead", IkebanaConfig(), {"rollouts": 1, "budget": 1}, "rollouts or budget, not both"),
    ("search:counting", KoiKoiConfig(), {"margin": 1}, "a margin is for a search over a network, got 1 over counting"),
    ("search:piers", MINI, {"depth": 1}, "unexpected keyword argument 'depth'"),
    ("search:counting", KoiKoiConfig(), {"turns": 1}, "unexpected keyword argument 'turns'"),
    ("piers", MINI, {"rollouts": 1}, "unexpected keyword argument 'rollouts'"),
    ("search:piers", MINI, {"seats": "both"}, "seats must be 'one' or 'all', got 'both'"),
    ("search:piers", MINI, {"seats": 2}, "seats must be 'one' or 'all', got 2"),
    ("search:piers", replace(MINI, players=3), {"seats": "all"}, 'seats="all" is for 2 players, got 3'),
    ("search:piers", MINI, {"seats": "all", "budget": 5}, "takes rollouts and no budget"),
    ("search:piers", replace(MINI, observation_type="seer"), {"seats": "all"}, "who do not see their own cards"),
]


@pytest.mark.parametrize(("name", "config", "effort", "says"), REFUSED)
def test_what_cannot_be_searched_is_refused_in_words(name: str, config: Any, effort: dict[str, Any], says: str):
    with pytest.raises(ValueError, match=says):
        agents.load(name, config, **effort)


def test_a_game_without_a_search_is_refused_in_words(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(registry.SEARCHES, "koikoi")
    with pytest.raises(ValueError, match="koikoi has no search; games that have one are hanabi, ikebana"):
        agents.load("search:counting", ROUND)
    assert agents.load("counting", ROUND).name == "counting"
