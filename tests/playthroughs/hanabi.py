"""How playthroughs of Hanabi are written and their moves chosen."""

from typing import Any

import numpy as np


def end_line(env: Any) -> str:
    state = env.unwrapped.to_dict()
    return f"end: {state['end_reason']}, score {state['score']}"


def choose(env: Any, rng: np.random.Generator) -> int:
    """Choose moves worth reading: mostly play cards that fit or hint at the next player's; now and then do anything."""
    state = env.unwrapped.to_dict()
    legal = [int(action) for action in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])]
    words = {env.unwrapped.action_to_str(action): action for action in legal}
    wishes = [word for word in wished(state, env.unwrapped.config.ranks) if word in words]
    if wishes and rng.random() < 0.8:
        return words[wishes[0]]
    quiet = [action for word, action in words.items() if not word.startswith("play")]
    anything = quiet if quiet and rng.random() < 0.9 else legal
    return anything[rng.integers(len(anything))]


def wished(state: dict[str, Any], ranks: int) -> list[str]:
    """Return the moves that a peeking player wants, best first; some may be illegal."""
    seat, hands = state["current_player"], state["hands"]
    fitting = [slot for slot, card in enumerate(hands[seat]) if fits(state, card, ranks)]
    partner = hands[(seat + 1) % len(hands)]
    hints = [f"hint 1 {sign}" for card in partner if fits(state, card, ranks) for sign in card]
    announced = [f"play {slot} as {hands[seat][slot][0]}" for slot in fitting]  # V6
    spare = [f"discard {slot}" for slot, card in enumerate(hands[seat]) if is_played(state, card, ranks)]
    return [*announced, *(f"play {slot}" for slot in fitting), *hints, *spare, "discard 0"]


def fits(state: dict[str, Any], card: str, ranks: int) -> bool:
    """Return whether the card is the next of its firework; black counts down (V3)."""
    played = state["fireworks"][card[0]]
    return int(card[1:]) == (ranks - played if card[0] == "K" else played + 1)


def is_played(state: dict[str, Any], card: str, ranks: int) -> bool:
    played, rank = state["fireworks"][card[0]], int(card[1:])
    return rank > ranks - played if card[0] == "K" else rank <= played


def table_lines(env: Any) -> list[str]:
    """Return lines for the whole table: what is public, then every hand with what hints leave open."""
    state = env.unwrapped.to_dict()
    fireworks = " ".join(f"{suit}{top}" for suit, top in state["fireworks"].items())
    tokens = f"{state['information_tokens']} information, {state['life_tokens']} lives"
    ending = f"{len(state['deck'])} in the deck, turns to play {state['turns_to_play']}, score {state['score']}"
    lines = [
        f"fireworks {fireworks}, {tokens}, {ending}",
        f"discards {' '.join(state['discards']) or '-'}",
    ]
    if env.unwrapped.config.flamboyants:
        lines.append(f"tiles {''.join(state['bonus_tiles']) or '-'}, pending {state['pending'] or '-'}")
    for seat, (hand, knowledge) in enumerate(zip(state["hands"], state["knowledge"], strict=True)):
        cards = " ".join(f"{card}[{open_cards(known)}]" for card, known in zip(hand, knowledge, strict=True))
        lines.append(f"player_{seat} {cards}")
    return lines


def open_cards(known: list[str]) -> str:
    return "".join(sorted({card[0] for card in known}, key="RYGWBMK".index)) + "".join(
        sorted({card[1] for card in known})
    )
