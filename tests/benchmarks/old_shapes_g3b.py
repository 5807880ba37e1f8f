"""The results of `koikoi_endings` and `ikebana_prestige` in the shape that their files had before studies."""

from typing import Any

from .old_shapes_g1 import measured, rows


def koikoi_endings() -> list[Any]:
    found = rows("koikoi_endings")
    endings, calls = ([row for row in found if name in row] for name in ("turn", "cards"))
    (preset,), (looked,) = ({row["preset"] for row in endings}, {row["rounds"] for row in endings})
    ((player, seed),) = {(row["player"], row["seed"]) for row in found}
    return [
        {"preset": preset, "player": player, "seed": seed, "rounds": looked},
        *([row["turn"], ending] for row in endings for ending in row["endings"]),
        *({name: row[name] for name in ("preset", "cards", "rounds")} for row in calls),
        *([row["preset"], row["cards"], call] for row in calls for call in row["calls"]),
    ]


def prestige() -> list[Any]:
    parts = {row["part"]: row for row in rows("ikebana_prestige")}
    endings = parts["endings"]
    return [
        {name: endings[name] for name in ("player", "seed", "looked")},
        *(measured(parts[name], ("part",)) for name in ("solved", "small")),
        *parts["small_choices"]["games"],
        *parts["played"]["games"],
        *endings["endings"],
    ]


OLD = {"koikoi-endings.json": koikoi_endings, "prestige.json": prestige}
