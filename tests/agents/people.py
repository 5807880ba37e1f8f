"""Short games of people, for tests."""

import pytest

from hanabako import agents
from hanabako.agents.people.session import Session
from hanabako.games import games

EVERY_GAME = pytest.mark.parametrize("game", games())
SHORT = {"hanabi": ["--preset", "mini"], "ikebana": [], "koikoi": ["--config", "rounds=1"]}
"""Words of commands for short games."""


def short_config(game: str):
    return games()[game].make_config(**games()[game].short)


def session_of(game: str, *persons: int, **options) -> Session:
    """Return a short game with people at the given seats and random players at the others."""
    config = short_config(game)
    random = agents.load("random", config)
    return Session(config, [None if k in persons else random for k in range(config.players)], seed=7, **options)


def exchanged(session: Session) -> Session:
    """Exchange a card of the first player's hand with the next one of the deck, which that player does not see."""
    position = session._env.to_dict()
    hand, deck = position["hands"][0], position["deck"]
    hand[0], deck[0] = deck[0], hand[0]
    assert hand[0] != deck[0]
    session._env.reset(options={"state": position})
    return session


def play_on(session: Session, decisions: int = 1000) -> None:
    """Let every person take the last legal action."""
    list(session.go_on())
    while session.is_persons_turn and decisions:
        session.take(session.legal()[-1])
        list(session.go_on())
        decisions -= 1
