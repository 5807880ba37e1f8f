"""A player's belief about its own hand, and tables dealt from it, agree with an enumeration of all arrangements."""

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from hanabako.games import game_of
from hanabi_env import PRESETS, HanabiConfig
from hanabi_env.engine.belief import belief_loops, draw_hand, possible_hands, put_hand, scratch
from hanabi_env.words import positions
from tests.games import legal_actions
from tests.interpreted import WRAPPING, Interpreted
from tests.reference.hanabi_plain import box

SMALL = [
    PRESETS["mini"],
    HanabiConfig(players=3, colors=2, ranks=3, hand_size=2, multicolor="own_color"),
    HanabiConfig(colors=1, ranks=3, hand_size=3, multicolor="all_colors", black_powder=True, empty_hints=True),
    HanabiConfig(colors=2, ranks=3, hand_size=4, max_information_tokens=20),
]
ALL = [replace(config, players=players) for config in dict.fromkeys(PRESETS.values()) for players in range(2, 6)]
ALL = [replace(config, hand_size=min(config.cards_in_hand, config.deck_size // config.players)) for config in ALL]
FALSE_ALARM = 1e-5


@cache
def tables_of(config: HanabiConfig, moves: int, count: int = 40) -> Any:
    """Return an environment after some random moves, half of them hints."""
    env = game_of(config).vector_env(count, config=config, observation="packed", specialize=False)
    observation, _ = env.reset(seed=moves)
    rng = np.random.default_rng(moves)
    for _ in range(moves):
        mask = observation["action_mask"].copy()
        hints = mask[:, 2 * config.cards_in_hand :].any(1) & (rng.random(count) < 0.5)
        mask[hints, : 2 * config.cards_in_hand] = 0
        observation, *_ = env.step(legal_actions(mask, rng))
    return env


def to_dict(config: HanabiConfig, tables: np.ndarray, table: int = 0) -> dict[str, Any]:
    return positions.to_dict(config, tables["state"].view(np.recarray)[table])


def arrangements(config: HanabiConfig, position: dict[str, Any], player: int) -> Counter[tuple[str, ...]]:
    """Count in how many ways the unseen copies give each hand that the knowledge allows, by trying all arrangements."""
    seen = [card for other, hand in enumerate(position["hands"]) if other != player for card in hand]
    seen += position["discards"]
    unseen = Counter(box(config))
    unseen.subtract(seen)
    for suit, played in position["fireworks"].items():
        ranks = [config.ranks - k for k in range(played)] if suit == "K" else range(1, played + 1)
        unseen.subtract(f"{suit}{rank}" for rank in ranks)
    known = position["knowledge"][player]
    hands = permutations(unseen.elements(), len(known))
    return Counter(hand for hand in hands if all(card in allowed for card, allowed in zip(hand, known, strict=True)))


def names(config: HanabiConfig, cards: np.ndarray) -> tuple[str, ...]:
    suits = "RYGWB"[: config.colors] + "M" * bool(config.multicolor) + "K" * config.black_powder
    return tuple(f"{suits[card // config.ranks]}{card % config.ranks + 1}" for card in cards)


def check_frequencies(drawn: Counter, ways: Counter) -> None:
    """Check the draws against the expected counts with chi-square; rare hands are counted together."""
    assert drawn.keys() <= ways.keys()
    total, every = sum(drawn.values()), sum(ways.values())
    cells = [(drawn[hand], total * number / every) for hand, number in ways.items()]
    large = [cell for cell in cells if cell[1] >= 5]
    rest = np.sum([cell for cell in cells if cell[1] < 5] or [(0, 0)], axis=0)
    observed, expected = np.transpose(large + ([tuple(rest)] if rest[1] >= 5 else []))
    observed = observed * (expected.sum() / observed.sum())
    if len(observed) > 1:
        assert chisquare(observed, expected).pvalue > FALSE_ALARM


@pytest.mark.statistical
@pytest.mark.parametrize("config", SMALL, ids=lambda config: repr(config.rules()[:6]))
def test_H20_hands_are_as_likely_as_their_arrangements(config):
    """Hands are drawn in proportion to their arrangements, for players on move or not; false alarm: 1 in 400 runs."""
    checked = 0
    for moves in (0, 4, 9, 14, 20):
        env = tables_of(config, moves)
        for table in np.flatnonzero(~env.tables["terminated"])[:3]:
            record = env.tables[table : table + 1]
            player = int(record["current_player"][0])
            for whose in (player, (player + 1) % config.players):
                held = int(record["state"]["hand_count"][0, whose])
                hands = np.zeros((1, 4000, config.cards_in_hand), np.uint8)
                keys = np.array([17 + checked], np.uint64)
                belief_loops(None).draw(env.game.rules_array, record, whose, keys, scratch(5), hands)
                drawn = Counter(names(config, hand) for hand in hands[0, :, :held])
                check_frequencies(drawn, arrangements(config, to_dict(config, record), whose))
                checked += held > 0
    assert checked >= 20


@pytest.mark.statistical
def test_H20_knowledge_that_no_hints_give_is_believed_too():
    """Hands are right for knowledge that never occurs in play, with overlapping slots. False alarm: 1 in 10^5."""
    config, names_of = PRESETS["mini"], ["R1", "R2", "R3", "Y1", "Y2", "Y3", "G1", "G2", "G3"]
    record = tables_of(config, 0).tables[:1].copy()
    truth = names(config, record["state"]["hands"][0, 0])
    for slot, others in enumerate((["R1", "Y1", "R2"], ["R1", "G1", "G3"], ["Y1", "G1", "R1"])):
        allowed = {truth[slot], *others}
        record["state"]["plausible"][0, 0, slot] = sum(1 << names_of.index(card) for card in allowed)
    hands = np.zeros((1, 6_000, 3), np.uint8)
    loops, game = belief_loops(None), game_of(config).make_game(config)
    loops.draw(game.rules_array, record, 0, np.array([5], np.uint64), scratch(5), hands)
    drawn = Counter(names(config, hand) for hand in hands[0])
    check_frequencies(drawn, arrangements(config, to_dict(config, record), 0))


@pytest.mark.statistical
def test_H3_the_deck_is_dealt_anew_with_the_hand():
    """The drawn hand and the next two cards of the deck come in all orders equally often. False alarm: 1 in 10^5."""
    config = HanabiConfig(colors=2, ranks=2, hand_size=2, max_information_tokens=9)
    env = tables_of(config, 3)
    (table,) = np.flatnonzero(~env.tables["terminated"] & (env.tables["state"]["deck_count"] >= 3))[:1]
    records = np.repeat(env.tables[table : table + 1], 6_000)
    before = to_dict(config, records)
    player = before["current_player"]
    belief_loops(None).redeal(env.game.rules_array, records, -1, np.arange(6_000, dtype=np.uint64), scratch(5))
    drawn: Counter[tuple[str, ...]] = Counter()
    for table in range(len(records)):
        after = to_dict(config, records, table)
        drawn[tuple(after["hands"][player] + after["deck"][:2])] += 1
    everything = before | {"knowledge": [[*hand, [*box(config)], [*box(config)]] for hand in before["knowledge"]]}
    check_frequencies(drawn, arrangements(config, everything, player))


@pytest.mark.parametrize("config", ALL, ids=lambda config: f"{config.players}p-{ALL.index(config)}")
def test_H20_a_player_sees_no_difference(config):
    loops, room = belief_loops(None), scratch(5)
    for moves in (0, 7, 30):
        env = tables_of(config, moves)
        game, table_count = env.game, env.num_envs
        keys = np.arange(table_count, dtype=np.uint64) * np.uint64(7919) + np.uint64(moves)
        for player in range(config.players):
            dealt, views = env.tables.copy(), []
            loops.redeal(game.rules_array, dealt, player, keys, room)
            assert game.is_whole(dealt["state"]).all()
            for tables in (env.tables, dealt):
                seen = np.zeros((table_count, len(tables["seen"][0])), np.uint64)
                game.loops(False).observe(game.rules_array, tables, player, seen, np.zeros_like(env._mask))
                views.append(seen)
            np.testing.assert_array_equal(*views)
            check_changes(env.tables["state"], dealt["state"], player)
            again = env.tables.copy()
            loops.redeal(game.rules_array, again, player, keys + np.uint64(1), room)
            assert (again["state"]["hands"] != dealt["state"]["hands"]).any()
            loops.redeal(game.rules_array, again, player, keys, room)
            np.testing.assert_array_equal(again["state"], dealt["state"])


def check_changes(before: np.ndarray, after: np.ndarray, player: int) -> None:
    """Check that only the hand, the deck, the face-down tiles and the random streams have changed."""
    for name in before.dtype.names or ():
        if name == "hands":
            others = [other for other in range(before["hands"].shape[1]) if other != player]
            np.testing.assert_array_equal(before[name][:, others], after[name][:, others])
        elif name == "cards":
            discard = np.arange(before["cards"].shape[1]) >= before["deck_count"][:, None]
            np.testing.assert_array_equal(before[name][discard], after[name][discard])
        elif name == "bonus_tiles":
            revealed = np.arange(6) < 6 - before["tiles_left"][:, None].astype(int)
            np.testing.assert_array_equal(before[name][revealed], after[name][revealed])
        elif name in ("game_key", "key"):
            assert (before[name] != after[name]).all()
        else:
            np.testing.assert_array_equal(before[name], after[name])


def test_H2_a_hand_of_35_cards_is_drawn():
    """A hand of 35 cards can be drawn by plain Python, with knowledge from real hints."""
    config = replace(PRESETS["grands_feux_all"], hand_size=35, max_information_tokens=50, final_bouquet=True)
    plain, rng = Interpreted(game_of(config).make_game(config)), np.random.default_rng(3)
    plain.begin(1, 0, 0)
    room = scratch(35).view(np.recarray)[0]
    for _ in range(6):
        mask = np.array(plain.mask())
        mask[:70] = 0
        plain.act(int(rng.choice(np.flatnonzero(mask))))
    player, before = int(plain.state.current_player), plain.to_dict()
    seen = plain.observation(player)
    with WRAPPING:
        draw_hand(plain.rules, plain.state, player, np.uint64(9), room)
        put_hand(plain.rules, plain.state, player, room.hand, np.uint64(9))
    after = plain.to_dict()
    assert plain.observation(player) == seen
    assert after["hands"][player] != before["hands"][player]
    assert Counter(after["hands"][player] + after["deck"]) == Counter(before["hands"][player] + before["deck"])
    allowed = zip(after["hands"][player], before["knowledge"][player], strict=True)
    assert all(card in cards for card, cards in allowed)


@pytest.mark.parametrize("config", SMALL[:2], ids=lambda config: repr(config.rules()[:6]))
def test_H20_all_possible_hands_are_listed(config):
    for moves in (0, 9, 20):
        env = tables_of(config, moves)
        for table in np.flatnonzero(~env.tables["terminated"])[:3]:
            position = to_dict(config, env.tables, table)
            player = position["current_player"]
            ways = arrangements(config, position, player)
            hands, numbers = possible_hands(env.game, env.tables, int(table), player, len(ways))
            listed = {names(config, hand): number for hand, number in zip(hands, numbers, strict=True)}
            assert listed == dict(ways)
            if len(ways) > 1:
                with pytest.raises(ValueError, match=f"more than {len(ways) - 1} hands"):
                    possible_hands(env.game, env.tables, int(table), player, len(ways) - 1)
