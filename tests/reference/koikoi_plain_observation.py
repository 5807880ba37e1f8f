"""The observation of Koi-Koi, written from the index table of the rule card, for the plain game."""

from .koikoi_plain import BOX, NAMED, ORDER, PlainKoiKoi, is_kind

PHASES = ("swap", "play", "joker_target", "pick_hand", "pick_draw", "koi")


def cards(wanted: set[str] | list[str]) -> list[int]:
    return [int(card in wanted) for card in BOX]


def thermometer(count: int, length: int) -> list[int]:
    return [int(k < count) for k in range(length)]


def one_hot(place: int | None, length: int) -> list[int]:
    return [int(k == place) for k in range(length)]


def towards(config, name: str) -> tuple[set[str], int]:
    """Return the cards that count for a yaku, and how many are needed."""
    brights = {card for card in BOX if is_kind(config, card, "bright")}
    if name in NAMED:
        return NAMED[name], len(NAMED[name])
    if name in ("tane", "tan", "kasu"):
        kind = {"tane": "animal", "tan": "ribbon", "kasu": "chaff"}[name]
        return {card for card in BOX if is_kind(config, card, kind)}, 10 if name == "kasu" else 5
    dry = brights - {"11-1"}
    return {"goko": (brights, 5), "shiko": (dry, 4), "ameshiko": (brights, 4), "sanko": (dry, 3)}[name]


def observation(game: PlainKoiKoi, observer: int) -> list[int]:
    """Return the bits of the observation without ``history``."""
    other = 1 - observer
    hand = [] if game.phase == "swap" else game.hands[observer]
    revealed = game.revealed & set(game.hands[other])
    pending = [game.pending] if game.pending else []
    seen = {*hand, *game.field, *game.captured[0], *game.captured[1], *revealed, *pending}
    words = game.legal() if observer == game.player else []
    choices = {word.split()[1] for word in words if word.startswith(("play ", "take "))}
    piles = (game.captured[observer], game.captured[other])
    planes = (hand, game.field, *piles, set(BOX) - seen, revealed, pending, choices)
    bits = [bit for plane in planes for bit in cards(plane)]
    bits += one_hot(PHASES.index(game.phase) if game.phase in PHASES else None, 6)
    bits += [int(observer == game.player), int(observer == game.dealer)]
    bits += thermometer(game.turn, 16)
    holder, claimed = game.joker or (None, None)
    bits += [int(holder == observer), int(holder == other)]
    bits += one_hot(None if claimed is None else claimed - 1, 12)
    for player in (observer, other):
        bits += of_player(game, player)
    mine, theirs = game.scores[observer], game.scores[other]
    bits += thermometer(game.config.rounds - len(game.results), 12)
    bits += [int(mine - theirs >= 2**k) for k in range(8)]
    bits += [int(theirs - mine >= 2**k) for k in range(8)]
    for score in (mine, theirs):
        bits += [score % 65536 >> k & 1 for k in range(16)]
    return bits


def of_player(game: PlainKoiKoi, player: int) -> list[int]:
    config, pile, theirs = game.config, set(game.captured[player]), set(game.captured[1 - player])
    bits: list[int] = []
    possible = []
    for name in ORDER:
        counted, need = towards(config, name)
        bits += thermometer(len(pile & counted), need)
        open_ = len(counted - theirs) >= need and not (name == "ameshiko" and "11-1" in theirs)
        possible.append(int(open_))
    bits += possible
    bits += thermometer(game.base_before[player], 20)
    bits += thermometer(game.chain[player], 4)
    bits += thermometer(game.called[player], 4)
    return [*bits, int("hand" in game.november[player]), int("deck" in game.november[player])]
