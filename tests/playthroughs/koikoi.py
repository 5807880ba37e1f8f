"""How playthroughs of Koi-Koi are written and their moves chosen."""

from typing import Any

import numpy as np


def end_line(env: Any) -> str:
    state = env.unwrapped.to_dict()
    results = [
        f"player_{row['winner']} {row['points']} ({row['reason']})" if row["points"] else row["reason"]
        for row in state["round_results"]
    ]
    return f"end: scores {state['scores'][0]} and {state['scores'][1]}; rounds: {', '.join(results)}"


def choose(env: Any, rng: np.random.Generator) -> int:
    """Choose moves worth reading: mostly capture if possible, use the Gaji, take four, and call Koi-Koi."""
    legal = [int(action) for action in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])]
    words = {env.unwrapped.action_to_str(action): action for action in legal}
    state = env.unwrapped.to_dict()
    months = {card.partition("-")[0] for card in state["field"]}
    matching = [word for word in words if word.startswith("play ") and word.split()[1].partition("-")[0] in months]
    wishes = [word for word in ("joker", "hiki", "koikoi", *matching) if word in words]
    if wishes and rng.random() < 0.7:
        return words[wishes[0]]
    return legal[rng.integers(len(legal))]


def table_lines(env: Any) -> list[str]:
    """Return four lines for the whole table: the state of the game, the field, and what each player has."""
    state = env.unwrapped.to_dict()
    pending = f", pending {state['pending']}" if state["pending"] else ""
    stands = f"round {state['round']}, turn {state['turn']}, {state['phase']}, player_{state['dealer']} deals"
    lines = [
        f"{stands}, {len(state['deck'])} in the deck",
        f"field {' '.join(state['field']) or '-'}{pending}",
    ]
    for seat in range(2):
        hand, pile = " ".join(state["hands"][seat]) or "-", " ".join(state["captured"][seat]) or "-"
        made = f"{' '.join(state['yaku'][seat]) or 'no yaku'}, base {state['base'][seat]}"
        called = f"chain {state['chain'][seat]}, koi {state['koikoi_called'][seat]}"
        lines.append(f"player_{seat} {state['scores'][seat]} points; {hand} | {pile} | {made}, {called}")
    if state["joker"] or state["revealed"] or state["refused"]:
        lines.append(f"joker {state['joker']}, refused {state['refused']}, revealed {state['revealed']}")
    return lines
