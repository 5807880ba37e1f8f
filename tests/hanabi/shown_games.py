"""Games for tests of pictures and texts, played by the plain-Python Hanabi."""

import random
from collections.abc import Mapping
from typing import Any

from hanabi_env.drawing.render import Snapshot
from tests.reference.hanabi_plain import PlainHanabi, box

EXTREMES: list[dict[str, Any]] = [
    {},
    {"players": 3},
    {"players": 4},
    {"players": 5},
    {"colors": 1, "ranks": 1, "hand_size": 1, "max_information_tokens": 0, "max_life_tokens": 1},
    {"colors": 1, "hand_size": 2, "max_information_tokens": 3, "max_life_tokens": 1},
    {"colors": 3, "ranks": 3, "hand_size": 3, "max_information_tokens": 5},
    {"colors": 5, "ranks": 1, "players": 5, "hand_size": 3},
    {"hand_size": 25, "max_information_tokens": 50, "max_life_tokens": 50},
    {"players": 5, "hand_size": 10, "max_life_tokens": 12},
]
VARIANTS: list[dict[str, Any]] = [
    {"multicolor": "own_color"},
    {"multicolor": "all_colors", "black_powder": True, "flamboyants": True, "players": 5},
    {"black_powder": True, "black_distribution": "standard", "choreography": True, "players": 4},
    {"final_bouquet": True, "empty_hints": True},
]


def table_name(fields: Mapping[str, Any]) -> str:
    return "-".join(f"{key}={value}" for key, value in fields.items()) or "standard"


def game(config: Any, seed: int = 0, moves: int = 100, likes_to_play: float = 0.4) -> list[Snapshot]:
    """Return a game of the plain-Python Hanabi with random legal moves that prefer playing cards that fit."""
    rng = random.Random(seed)
    deck, tiles = box(config), list("abcdef")
    rng.shuffle(deck)
    rng.shuffle(tiles)
    table = PlainHanabi(config, deck, "".join(tiles) if config.flamboyants else "")
    positions, actions = [position_of(table, None)], []
    while table.end_reason is None and len(actions) < moves:
        actions.append(choose(table, rng, likes_to_play))
        shuffled = [*table.deck, actions[-1].removeprefix("choose ")]
        table.move(actions[-1], rng.sample(shuffled, len(shuffled)) if table.pending == "e" else None)
        positions.append(position_of(table, actions[-1]))
    return [
        Snapshot(position, action, probabilities_of(action) if action else {})
        for position, action in zip(positions, [*actions, None], strict=True)
    ]


def choose(table: PlainHanabi, rng: random.Random, likes_to_play: float) -> str:
    legal = sorted(table.legal_moves())
    hand = table.hands[table.current_player]
    fitting = [f"play {slot}" for slot, card in enumerate(hand) if table.is_playable(card)]
    fitting = [move for move in fitting if move in legal]
    careful = [move for move in legal if not move.startswith("play")]
    return rng.choice(fitting if fitting and rng.random() < likes_to_play else careful or legal)


def probabilities_of(action: str) -> dict[str, float]:
    others = [f"{verb} {slot}" for verb in ("play", "discard") for slot in range(5)]
    others += [f"hint 1 {what}" for what in "RYGWB12345"]
    return {move: 0.5 / len(others) for move in others} | {action: 0.5}


def position_of(table: PlainHanabi, action: str | None) -> dict[str, Any]:
    """Return the position, with the keys that only the environments' `to_dict` adds."""
    event = table.events[-1] if action else None
    last = event and {
        "player": event.player,
        "action": action,
        "touched": list(event.touched),
        "card": event.card,
        "scored": event.scored if event.kind in ("play", "choose") else None,
        "gave_token": event.gained_token,
    }
    hinted = [[sorted(card.hinted_colors) + sorted(card.hinted_ranks) for card in hand] for hand in table.knowledge]
    return table.to_dict() | {"last_move": last, "hinted": hinted}


def final(config: Any, **options: Any) -> dict[str, Any]:
    return dict(game(config, **options)[-1].position)


def exchanged(position: dict[str, Any], seat: int, rng: random.Random) -> dict[str, Any]:
    hand, hidden = position["hands"][seat], position["hands"][seat] + position["deck"]
    rng.shuffle(hidden)
    hands = [hidden[: len(hand)] if player == seat else cards for player, cards in enumerate(position["hands"])]
    tiles = rng.sample(position["bonus_tiles"], len(position["bonus_tiles"]))
    return position | {"hands": hands, "deck": hidden[len(hand) :], "bonus_tiles": tiles}
