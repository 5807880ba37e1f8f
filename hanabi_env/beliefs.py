"""The observation as published networks read it: what hints leave open of a card, weighed by the copies left.

The networks of Hu and Foerster (2020) and of most authors after them read the canonical observation with one change.
Where it has the set of a card's plausible cards, theirs has the V0 belief (Foerster et al. 2019): the copies of every
plausible card that lie neither in the discard nor on a firework, divided by their sum. It follows from the bits.
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

__all__ = ["canonical", "v0_belief"]

STANDARD = tuple(HanabiConfig(players=players) for players in (2, 3, 4, 5))


def v0_belief(observation: ArrayLike, config: HanabiConfig | None = None) -> NDArray[np.float32]:
    """The V0 input of published networks, from an observation.

    Args:
        observation: single bits of any number type, (..., bits); `hanabako.unpack` makes them of packed words.
        config: whose observation it is; None is the standard game of 2, 3, 4 or 5 players, told by its 658, 956, 1041
            or 1280 bits.

    Returns:
        float32 (..., bits of the `canonical` observation): its bits, with the V0 belief of every card of every hand for
        its plausible cards (zeros where there is no card). Other sections of ``config`` are left out.

    Raises:
        ValueError: the observation has another number of bits, or its ``observation_type`` is not ``"card_knowledge"``.
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


def canonical(config: HanabiConfig) -> HanabiConfig:
    """The same game, observed as the Hanabi Learning Environment does: with nothing on request."""
    return replace(config, observation_type="card_knowledge", history=1, belief=False, derived=False)


class Places(NamedTuple):
    """Where the bits are that `v0_belief` reads."""

    columns: NDArray[np.int64]
    """(bits,): the canonical bits in the observation; the indices below are among these."""
    plausible: NDArray[np.int64]
    """(cards of all hands, cards): the bits of the sets."""
    counted: NDArray[np.int64]
    """(bits,): those of the discard and of the fireworks."""
    gone: NDArray[np.float32]
    """(bits, cards): 1 if one of the counted bits says that a copy of the card lies there."""
    box: NDArray[np.float32]
    """(cards,): copies of each card in the box."""


@cache
def places_of(config: HanabiConfig) -> Places:
    """The `Places` in observations of ``config``.

    Raises:
        ValueError: its ``observation_type`` is another.
    """
    if config.observation_type != "card_knowledge":
        raise ValueError(f'a V0 belief needs observation_type="card_knowledge", got {shown(config.observation_type)}')
    rules = canonical(config).rules()
    first = {name: at for name, at, _ in section_index(config.rules())}
    fields = {field.name: field for field in layout(rules).fields}
    discards, fireworks, plausible = (fields[name] for name in ("discards", "fireworks", "plausible"))
    cards, suits = rules.suits * rules.ranks, np.arange(rules.suits)
    on_fireworks, discarded = np.zeros((cards, cards), np.float32), np.zeros((discards.bits, cards), np.float32)
    discarded[np.arange(discards.bits), discards.cards] = 1
    in_order = np.reshape(fireworks.cards, (rules.suits, rules.ranks))  # black runs down
    for played in range(rules.ranks):
        on_fireworks[suits * rules.ranks + played, in_order[:, : played + 1].T] = 1
    return Places(
        columns=np.concatenate([first[name] + np.arange(bits) for name, _, bits in section_index(rules)]),
        plausible=np.array([range(place.start, place.stop) for place in plausible.places()]),
        counted=np.concatenate([field.first + np.arange(field.bits) for field in (fireworks, discards)]),
        gone=np.concatenate([on_fireworks, discarded]),
        box=np.bincount(discards.cards, minlength=cards).astype(np.float32),
    )
