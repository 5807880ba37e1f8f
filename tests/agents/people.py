"""Short games of people, for tests."""

import pytest

from hanabako import agents
from hanabako.agents.people.session import Session
from hanabako.games import games

EVERY_GAME = pytest.mark.parametrize("game", games())


def short_config(game: str):
    return games()[game].make_config(**games()[game].short)


def session_of(game: str, *persons: int, **options) -> Session:
    """Return a short game with people at the given seats and random players at the others."""
    config = short_config(game)
    random = agents.load("random", config)
    return Session(config, [None if k in persons else random for k in range(config.players)], seed=7, **options)


def play_on(session: Session, decisions: int = 1000) -> None:
    """Let every person take the last legal action."""
    list(session.go_on())
    while session.is_persons_turn and decisions:
        session.take(session.legal()[-1])
        list(session.go_on())
        decisions -= 1
