"""The booklets' verdicts on a score (H15), in every picture and in the statistics."""

import numpy as np
import pytest

from hanabi_env.config import HanabiConfig
from hanabi_env.drawing.render import Snapshot, replay, table_ansi, table_svg
from hanabi_env.drawing.table_view import view_of
from hanabi_env.hanabi_v0 import raw_env
from hanabi_env.words.ratings import SCALES, verdict, word_and_crowd

from .shown_games import final


@pytest.mark.parametrize(
    ("wording", "word", "crowd"),
    [
        ("english", "mediocre", "a little scattered applause"),
        ("first_edition_2010", "médiocre", "à peine quelques applaudissements."),
        ("grands_feux", "Médiocre", "Quelques applaudissements polis résonnent dans l'assistance."),
        ("romanian_2013", "mediocră", "ici și colo aplauze răzlețe."),
    ],
)
def test_H15_pictures_speak_the_booklets_words(wording: str, word: str, crowd: str) -> None:
    config = HanabiConfig()
    position = final(config, moves=0) | {"score": 8}
    view = view_of(position, config, None, wording)
    assert word_and_crowd(view.verdict) == (word, crowd)
    assert table_ansi(view).splitlines()[0].endswith(view.verdict)
    assert table_svg(view) != table_svg(view_of(position, config)) or wording == "english"
    assert view.verdict in replay(config, [Snapshot(position)], wording=wording).subtitle


def test_H15_the_statistics_hold_every_booklets_words() -> None:
    config = HanabiConfig(max_life_tokens=1, hand_size=5)
    env = raw_env(config=config)
    env.reset(seed=0)
    while not all(env.terminations.values()):
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[-1]))
    infos = env.infos["player_0"]
    assert infos["verdicts"].keys() == SCALES.keys()
    assert infos["verdicts"]["english"] == infos["verdict"]
    assert infos["verdicts"]["romanian_2013"] == verdict(config, infos["score"], infos["end_reason"], "romanian_2013")


@pytest.mark.parametrize(
    ("score", "word"),
    [
        (-5, "terrible"),
        (5, "terrible"),
        (6, "mediocre"),
        (10, "mediocre"),
        (11, "honorable"),
        (16, "excellent"),
        (20, "excellent"),
        (21, "extraordinary"),
        (24, "extraordinary"),
        (25, "legendary"),
    ],
)
def test_H15_every_score_has_its_verdict(score: int, word: str) -> None:
    assert verdict(HanabiConfig(), score, "deck").partition(":")[0] == word
    assert word in table_ansi(view_of(final(HanabiConfig(), moves=3) | {"score": score}, HanabiConfig()))


def test_V1_V2_N5_a_multicolor_suit_extends_the_scale() -> None:
    for kind in ("own_color", "all_colors"):
        config = HanabiConfig(multicolor=kind)
        words = [verdict(config, score, "deck").split(":")[0] for score in (24, 25, 29, 30)]
        assert words == ["extraordinary", "legendary", "legendary", "divine"]


def test_E8_a_lost_game_is_lost_and_small_decks_have_no_scale() -> None:
    assert {verdict(HanabiConfig(), 12, reason) for reason in ("lives", "indispensable", "stuck")} == {"lost"}
    small = HanabiConfig(colors=3)
    assert verdict(small, 12, "deck") == verdict(small, 15, "complete") == ""
    assert verdict(small, 12, "lives") == "lost"


def test_V5_the_final_bouquet_is_perfect_or_lost() -> None:
    config = HanabiConfig(final_bouquet=True)
    assert verdict(config, 25, "complete") == "perfect"
    assert verdict(config, 20, "indispensable") == "lost"
    assert verdict(config, 20, None) == ""


def test_H15_the_booklets_keep_their_own_wordings() -> None:
    assert verdict(HanabiConfig(), 25, "complete", "first_edition_2010").startswith("légendaire : petits et grands")
    assert verdict(HanabiConfig(), 16, "deck", "grands_feux") == SCALES["grands_feux"].steps[3][1]
    assert verdict(HanabiConfig(), 25, "complete", "romanian_2013").startswith("lăudată")
    assert verdict(HanabiConfig(multicolor="own_color"), 25, "deck", "romanian_2013").startswith("legendară")
    highest = {name: [step for step, _ in scale.steps] for name, scale in SCALES.items()}
    assert set(map(tuple, highest.values())) == {(5, 10, 15, 20, 24, 25)}
    config, message = HanabiConfig(), r"wording must be one of 'english', .*got 'latin'"
    with pytest.raises(ValueError, match=message):
        verdict(config, 3, None, "latin")
    with pytest.raises(ValueError, match=message):
        view_of(final(config, moves=0), config, None, "latin")
