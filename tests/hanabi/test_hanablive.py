"""Games in hanab.live's JSON can be written, read and replayed to their end; unsupported features are named."""

import errno
import io
import json
import os
import random
from typing import Any

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents.bridges.hanab_live import write_exports
from hanabako.agents.datasets import record
from hanabi_env import HanabiConfig, hanabi_v0
from hanabi_env.hanablive import SAMPLE, VARIANTS, ending, load, main, player_names, save
from tests.reference.lockstep import shuffled_box

SAVED = {
    **{variant: HanabiConfig(players=3, **fields) for variant, fields in VARIANTS.items()},
    "empty hints": HanabiConfig(players=5, empty_hints=True),
    "final bouquet": HanabiConfig(players=4, final_bouquet=True, multicolor="own_color"),
    "a card more": HanabiConfig(players=4, hand_size=5),
    "a card less": HanabiConfig(hand_size=4),
}


def played(config: HanabiConfig, seed: int) -> tuple[list[str], list[int]]:
    rng, env = random.Random(seed), hanabi_v0.raw_env(config=config)
    deck, actions = shuffled_box(config, rng), []
    env.reset(seed=seed, options={"deck": deck})
    while not all(env.terminations.values()):
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
        quiet = [action for action in legal if not env.action_to_str(action).startswith("play")]
        actions.append(rng.choice(quiet if quiet and rng.random() < 0.9 else legal))
        env.step(actions[-1])
    return deck, actions


@pytest.mark.parametrize("name", SAVED)
def test_a_game_goes_out_and_comes_in_again(name, tmp_path):
    config = SAVED[name]
    deck, actions = played(config, seed=len(name))
    save(tmp_path / "game.json", config, deck, actions)
    assert load(tmp_path / "game.json") == (config, deck, actions)


def test_the_file_is_what_the_sites_own_check_wants(tmp_path):
    """The file passes the checks of the site's server.

    The server refuses a deck of another size, a play with a value, a target that is no card or player, and no actions.
    It deals by the seed, if there is one, and ignores the deck.
    """
    config = HanabiConfig(players=3, multicolor="all_colors", black_powder=True, colors=4)
    deck, actions = played(config, seed=5)
    save(tmp_path / "game.json", config, deck, actions, players=["Ann", "Bo", "Cy"])
    game = json.loads((tmp_path / "game.json").read_text(encoding="utf-8"))
    assert set(game) == {"players", "deck", "actions", "options"}
    assert game["players"] == ["Ann", "Bo", "Cy"]
    assert game["options"] == {"variant": "White Reversed & Rainbow (6 Suits)"}
    assert len(game["deck"]) == 60
    assert {card["suitIndex"] for card in game["deck"]} == set(range(6))
    site_suits = "RYGWKM"  # black powder comes before the rainbow suit there
    assert [f"{site_suits[card['suitIndex']]}{card['rank']}" for card in game["deck"]] == deck
    for action in game["actions"]:
        if action["type"] in (0, 1):
            assert action["target"] in range(60) and action["value"] == 0
        else:
            assert action["target"] in range(3)
            assert action["value"] in (range(4) if action["type"] == 2 else range(1, 6))


def test_cards_are_named_by_their_place_in_the_deck():
    """In a game written by hand, a card keeps its number in the deck while its slot changes."""
    text = json.dumps(
        {
            "players": ["Ann", "Bo"],
            "deck": standard_game()["deck"],
            "actions": [
                {"type": 2, "target": 1, "value": 4},
                {"type": 3, "target": 0, "value": 1},
                {"type": 0, "target": 0},
                {"type": 1, "target": 9, "value": 0},
                {"type": 0, "target": 2, "value": 0},
                {"type": 1, "target": 11, "value": 0},
                {"type": 4, "target": 1, "value": 4},
            ],
        }
    )
    config, deck, actions = load(io.StringIO(text))
    env = hanabi_v0.raw_env(config=config)
    words = [env.action_to_str(action) for action in actions]
    assert words == ["hint 1 B", "hint 1 1", "play 0", "discard 4", "play 1", "discard 4"]
    assert deck[:5] == ["R1", "R1", "R1", "R2", "R2"]
    assert len(deck) == 50


@pytest.mark.parametrize("target", [-1, 0, 1])
@pytest.mark.parametrize("kind", [4, 5])
def test_how_a_game_was_stopped_goes_out_and_comes_in_again(kind, target, tmp_path):
    config, end = HanabiConfig(), {"type": kind, "target": target, "value": 10}
    deck, actions = played(config, seed=3)
    save(tmp_path / "game.json", config, deck, actions[:5], end=end)
    game = json.loads((tmp_path / "game.json").read_text(encoding="utf-8"))
    assert game["actions"][5:] == [end] and ending(game) == end
    assert load(tmp_path / "game.json") == (config, deck, actions[:5])
    game["actions"].append({"type": 0, "target": 1, "value": 0})
    assert load(io.StringIO(json.dumps(game))) == (config, deck, actions[:5]), "it is read up to there"
    game["options"]["startingPlayer"] = 1  # the file names the same player, whom `load` rotates
    turned = ending(game)["target"]
    assert turned == (target if target < 0 else 1 - target)
    assert target < 0 or player_names(game, 2)[turned] == game["players"][target]
    assert ending(standard_game()) == {}


def test_the_sample_that_ships_is_a_game_of_our_bots(tmp_path, capsys):
    """The sample file is what `hanabako record hanabi --agents smart --games 1` and then `--hanablive` write."""
    smart = agents.load("smart", HanabiConfig())
    write_exports(record(tmp_path / "game.npz", HanabiConfig(), smart, 1, seed=1), tmp_path)
    assert (tmp_path / "0000000.json").read_bytes() == SAMPLE.read_bytes()
    main([])
    assert "No Variant, 2 players, 64 actions, score 22" in capsys.readouterr().out


def test_options_that_change_no_rule_are_read_over():
    game = standard_game()
    game["options"] = {"variant": "No Variant", "timed": True, "timeBase": 120, "cardCycle": False, "speedrun": True}
    assert load(io.StringIO(json.dumps(game)))[0] == HanabiConfig()


def standard_game() -> dict[str, Any]:
    suits = [{"suitIndex": suit, "rank": rank} for suit in range(5) for rank in (1, 1, 1, 2, 2, 3, 3, 4, 4, 5)]
    return {"players": ["Ann", "Bo"], "deck": suits, "actions": [{"type": 0, "target": 0, "value": 0}]}


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        (
            {"options": {"variant": "Null (6 Suits)"}},
            "variant is 'Null \\(6 Suits\\)'; available here are 'No Variant'",
        ),
        ({"options": {"cardCycle": True}}, "option cardCycle"),
        ({"options": {"detrimentalCharacters": True}}, "option detrimentalCharacters"),
        ({"options": {"somethingNew": 3}}, "option somethingNew \\(3\\)"),
        ({"options": 3}, "options must be an object"),
        ({"options": {"startingPlayer": 2}}, "startingPlayer must be from 0 to 1"),
        ({"players": list("abcdef")}, "6 players"),
        ({"players": "ab"}, "players must be a list"),
        ({"deck": None}, "deck must be a list"),
        ({"deck": [{"suit": 0, "rank": 1}]}, "before April 2020, which is not read"),
        (
            {"actions": [{"type": 0, "target": 1, "clue": {"type": 0, "value": 1}}]},
            "before April 2020, which is not read",
        ),
        ({"deck": [{"suitIndex": 0, "rank": 6}]}, "rank must be from 1 to 5"),
        ({"deck": [{"suitIndex": 0, "rank": 5}] * 2}, "got 1 R5 too many"),
        ({"deck": []}, "deck must be the whole box, 50 cards, got 0"),
        ({"deck": [{"suitIndex": 0, "rank": 1}] * 3}, "deck must be the whole box, 50 cards, got 3"),
        ({"actions": [{"type": 4, "target": 2}]}, "target must be from -1 to 1"),
        ({"actions": [{"type": 5, "target": -1, "value": 11}]}, "value must be from 0 to 10"),
        ({"actions": [{"type": 9, "target": 0}]}, "type must be from 0 to 5"),
        ({"actions": [{"type": 0, "target": 5}]}, "player 0 does not hold card 5 \\(R3\\)"),
        ({"actions": [{"type": 0, "target": 10}]}, "not played from the deck here \\(deckPlays\\)"),
        ({"actions": [{"type": 2, "target": 0, "value": 0}]}, "must give the clue to another player"),
        ({"actions": [{"type": 2, "target": 1, "value": 5}]}, "value must be from 0 to 4"),
        ({"actions": [{"type": 3, "target": 1}]}, "value must be from 1 to 5"),
        ({"actions": ["play"]}, "type must be"),
    ],
)
def test_what_cannot_be_read_is_named(changed, complaint):
    with pytest.raises(ValueError, match=complaint):
        load(io.StringIO(json.dumps(standard_game() | changed)))


@pytest.mark.parametrize(
    ("text", "complaint"), [("{", "is JSON"), ("[]", "JSON object"), ("[" * 100_000, "deeply"), (" " * 2**25, "larger")]
)
def test_what_is_no_game_is_refused(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        load(io.StringIO(text))


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"flamboyants": True}, "flamboyants=False"),
        ({"choreography": True}, "choreography=False"),
        ({"max_life_tokens": 1}, "max_life_tokens=3"),
        ({"max_information_tokens": 10}, "max_information_tokens=8"),
        ({"ranks": 3}, "ranks=5"),
        ({"colors": 1}, "no variant with colors=1"),
        ({"multicolor": "all_colors", "black_powder": True}, "no variant with"),
        ({"black_powder": True, "black_distribution": "standard"}, "black_distribution='mirrored'"),
        ({"random_start_player": True}, "random_start_player must be False"),
        ({"hand_size": 3}, "hands of 4 to 6 cards, got 3"),
    ],
)
def test_what_the_site_does_not_have_is_named(fields, complaint, tmp_path):
    config = HanabiConfig(**fields)
    with pytest.raises(ValueError, match=complaint):
        save(tmp_path / "game.json", config, shuffled_box(config, random.Random(0)), [])
    assert not list(tmp_path.iterdir())


def test_wrong_games_are_not_written(tmp_path):
    config, deck = HanabiConfig(), shuffled_box(HanabiConfig(), random.Random(0))
    with pytest.raises(ValueError, match="players must be 2 names"):
        save(tmp_path / "game.json", config, deck, [], players=["Ann"])
    with pytest.raises(ValueError, match="the whole box, 50 cards"):
        save(tmp_path / "game.json", config, deck[1:], [])
    with pytest.raises(ValueError, match="action must be an int from 0 to 19, got 20"):
        save(tmp_path / "game.json", config, deck, [20])
    with pytest.raises(ValueError, match=r"players\[1\]: must be a string, got None"):
        save(tmp_path / "game.json", config, deck, [], players=["Ann", None])  # type: ignore[list-item]
    with pytest.raises(ValueError, match=r"deck\[0\]: must be a string"):
        save(tmp_path / "game.json", config, [["R1"]] * 50, [])  # type: ignore[list-item]
    assert not list(tmp_path.iterdir())


def test_the_command_goes_on_after_what_it_cannot_read(tmp_path, capsys):
    contents = {
        "list": json.dumps(standard_game() | {"variant": [1]}).encode(),
        "deep": b"[" * 100_000,
        "huge": b" " * (16 * 2**20) + b"{}",
        "binary": b"\xff\xfe",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    deck, actions = played(HanabiConfig(), seed=3)
    save(tmp_path / "good", HanabiConfig(), deck, actions)
    names = ["missing", "", *contents, "good"]  # "" is the folder
    with pytest.raises(SystemExit, match="6 of 7"):
        main([str(tmp_path / name) for name in names])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 7 and "score" in lines[-1]
    first = (os.strerror(errno.ENOENT), os.strerror(errno.EISDIR), "variant")
    assert all(words in line for words, line in zip(first, lines, strict=False))
    assert "nested too deeply" in lines[3] and "larger than 16,777,216 bytes" in lines[4] and "UTF-8" in lines[5]


def test_actions_after_the_end_are_refused_by_their_number(tmp_path, capsys):
    config, number = HanabiConfig(), 0
    deck, actions = played(config, seed=3)
    save(tmp_path / "over.json", config, deck, [*actions, number])
    with pytest.raises(SystemExit, match="1 of 1"):
        main([str(tmp_path / "over.json")])
    assert f"action {len(actions)} of the game: the game is over before 'discard 0'" in capsys.readouterr().out


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path):
    text = json.dumps(standard_game())
    (tmp_path / "game.json").write_text(text, encoding="utf-8-sig")
    assert load(tmp_path / "game.json") == load(io.StringIO(text)) == load(io.StringIO(f"\ufeff{text}"))
