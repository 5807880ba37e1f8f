"""The V0 belief, the input of published networks: a card's plausible cards, weighted by the copies left.

The networks of Hu and Foerster (2020) and of most later authors read `card_knowledge` with one change: the V0
belief (Foerster et al. 2019) replaces the set of a card's plausible cards. It is the number of copies of every
plausible card that are neither in the discard pile nor on a firework, divided by their sum. `v0_belief` computes it
from the observation bits alone.
"""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hanabako.words.checks import shown
from hanabi_env.config import HanabiConfig
from hanabi_env.engine.layout import layout
from hanabi_env.engine.observation import section_index

__all__ = ["plain_observation", "v0_belief"]

STANDARD = tuple(HanabiConfig(players=players) for players in (2, 3, 4, 5))


def v0_belief(observation: ArrayLike, config: HanabiConfig | None = None) -> NDArray[np.float32]:
    """Return the V0 input of published networks for an observation.

    Args:
        observation: single bits of any number type, (..., bits); `hanabako.unpack` converts packed words to bits.
        config: the configuration of the observation. None is the standard game; its 658, 956, 1041 or 1280 bits tell
            the number of players, 2, 3, 4 or 5.

    Returns:
        float32 (..., bits of `plain_observation`): its bits, with the V0 belief of every hand card
        instead of its plausible cards (zeros if there is no card). Other sections of the observation are dropped.

    Raises:
        ValueError: the observation has a wrong number of bits, or ``observation_type`` is not ``"card_knowledge"``.
    """
    seen = np.asarray(observation)
    bits = seen.shape[-1] if seen.ndim else 0
    if config is None:
        config = next((game for game in STANDARD if game.observation_bits == bits), None)
    if config is None or config.observation_bits != bits:
        wanted = [game.observation_bits for game in (STANDARD if config is None else [config])]
        raise ValueError(f"observation must have {' or '.join(map(str, wanted))} bits, got {bits}")
    places = places_of(config)
    result = seen[..., places.columns].astype(np.float32)
    left = places.box - np.einsum("...b,bc->...c", result[..., places.counted], places.gone)  # no threads, unlike @
    weights = result[..., places.plausible] * left[..., None, :]
    total = weights.sum(-1, keepdims=True)
    result[..., places.plausible] = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return result


def plain_observation(config: HanabiConfig) -> HanabiConfig:
    """Return the same game with the Hanabi Learning Environment's observation: without the optional sections."""
    return replace(config, observation_type="card_knowledge", history=1, belief=False, derived=False)


class Places(NamedTuple):
    """The indices of the bits that `v0_belief` reads."""

    columns: NDArray[np.int64]
    """(bits,): the bits of `plain_observation` in the observation. The indices below count within these."""
    plausible: NDArray[np.int64]
    """(cards of all hands, cards): the bits of the plausible cards."""
    counted: NDArray[np.int64]
    """(bits,): the bits of the discard pile and of the fireworks."""
    gone: NDArray[np.float32]
    """(bits, cards): 1 if the counted bit, when set, means that a copy of the card is there."""
    box: NDArray[np.float32]
    """(cards,): the copies of each card in the box."""


@cache
def places_of(config: HanabiConfig) -> Places:
    """Return the `Places` in observations of ``config``.

    Raises:
        ValueError: ``observation_type`` is not ``"card_knowledge"``.
    """
    if config.observation_type != "card_knowledge":
        raise ValueError(f'a V0 belief needs observation_type="card_knowledge", got {shown(config.observation_type)}')
    rules = plain_observation(config).rules()
    first = {name: at for name, at, _ in section_index(config.rules())}
    fields = {field.name: field for field in layout(rules).fields}
    discards, fireworks, plausible = (fields[name] for name in ("discards", "fireworks", "plausible"))
    cards, suits = rules.suits * rules.ranks, np.arange(rules.suits)
    on_fireworks, discarded = np.zeros((cards, cards), np.float32), np.zeros((discards.bits, cards), np.float32)
    discarded[np.arange(discards.bits), discards.cards] = 1
    in_order = np.reshape(fireworks.cards, (rules.suits, rules.ranks))  # black descends
    for played in range(rules.ranks):
        on_fireworks[suits * rules.ranks + played, in_order[:, : played + 1].T] = 1
    return Places(
        columns=np.concatenate([first[name] + np.arange(bits) for name, _, bits in section_index(rules)]),
        plausible=np.array([range(place.start, place.stop) for place in plausible.places()]),
        counted=np.concatenate([field.first + np.arange(field.bits) for field in (fireworks, discards)]),
        gone=np.concatenate([on_fireworks, discarded]),
        box=np.bincount(discards.cards, minlength=cards).astype(np.float32),
    )
