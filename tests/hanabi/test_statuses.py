"""The statuses of own cards equal a plain computation from the fireworks, in random games of every preset."""

import numpy as np
import pytest
import torch

from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.selfplay import SelfPlayEnvs
from hanabako.agents.learning.other_play import own_statuses
from hanabi_env import PRESETS, HanabiConfig
from hanabi_env.engine.statuses import EMPTY, NEITHER, PLAYABLE, PLAYED

GAMES, STEPS = 16, 60


def plain_statuses(config: HanabiConfig, state: np.void) -> list[int]:
    """Return the statuses of the cards of the player to move: ranks are counted from the first card of a firework."""
    player, found = int(state["current_player"]), []
    black = config.suits - 1 if config.black_powder else None  # V3: it descends
    for slot in range(config.rules().hand_size):
        if slot >= state["hand_count"][player]:
            found.append(EMPTY)
            continue
        suit, rank = divmod(int(state["hands"][player][slot]), config.ranks)
        place = config.ranks - 1 - rank if suit == black else rank
        played = int(state["fireworks"][suit])
        found.append(PLAYABLE if place == played else PLAYED if place < played else NEITHER)
    return found


@pytest.mark.parametrize("preset", PRESETS)
def test_statuses_are_those_of_a_plain_computation(preset: str):
    config = PRESETS[preset]
    envs = SelfPlayEnvs(config, GAMES, 3, ALONE)
    generator, met = torch.Generator().manual_seed(2), set()
    for _ in range(STEPS):
        statuses = own_statuses(envs)
        assert statuses.tolist() == [plain_statuses(config, state) for state in envs.tables["state"]]
        met |= set(statuses.flatten().tolist())
        envs.step(torch.multinomial(envs.masks.float(), 1, generator=generator)[:, 0])
    assert {PLAYABLE, PLAYED, NEITHER} <= met
