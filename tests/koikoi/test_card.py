"""The layout of the observation agrees with its meaning."""

import numpy as np

from hanafuda_env import KoiKoiConfig
from hanafuda_env.engine.layout import PHASES, layout
from hanafuda_env.engine.state import PHASE_END, PHASE_PLAY
from hanafuda_env.words.notation import CARD_NAMES, PHASE_NAMES, action_to_str

from .table import position


def test_fields_lie_where_the_table_says():
    table = position("1-1 2-1 3-1 4-1 | ", field="5-3 6-3", scores=[7, 2])
    bits = np.array(table.bits(0))
    found = {(field.section, field.name): bits[field.places()[0]] for field in layout(KoiKoiConfig().rules()).fields}
    assert np.flatnonzero(found["cards", "my hand"]).tolist() == [0, 4, 8, 12]
    assert np.flatnonzero(found["cards", "field"]).tolist() == [18, 22]
    assert np.flatnonzero(found["round", "phase"]).tolist() == [1]
    assert found["round", "turn"].sum() == 9
    assert found["scores", "my lead"].tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
    assert found["scores", "my score"].tolist()[:4] == [1, 1, 1, 0]


def test_actions_and_phases_have_the_words_of_the_notation():
    found = layout(KoiKoiConfig().rules())
    for action, card in enumerate(found.card_of_actions):
        words = f"play {CARD_NAMES[card]}" if card >= 0 else next(f.name for f in found.actions if f.first == action)
        assert words == action_to_str(PHASE_PLAY, action)
    assert f"over {', '.join(list(PHASE_NAMES.values())[:PHASE_END])};" in PHASES


def test_bits_of_cards_know_their_month():
    found = layout(KoiKoiConfig(history=1).rules())
    cards = found.card_of_bits
    assert (found.suit_of_bits[cards >= 0] == cards[cards >= 0] // 4).all()
    assert found.alike_suits == ()
