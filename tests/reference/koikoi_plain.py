"""Koi-Koi in plain Python, written from the rule card alone: names, lists and dicts, slow and easy to check.

It shares no code with ``hanafuda_env``. Moves and cards are words; decks are given.
"""

from collections import Counter
from typing import Any

KINDS = {
    "bright": "1-1 3-1 8-1 11-1 12-1",
    "animal": "2-1 4-1 5-1 6-1 7-1 8-2 9-1 10-1 11-2",
    "ribbon": "1-2 2-2 3-2 4-2 5-2 6-2 7-2 9-2 10-2 11-3",
}
KIND = {card: kind for kind, cards in KINDS.items() for card in cards.split()}
BOX = [f"{month}-{k}" for month in range(1, 13) for k in range(1, 5)]
NAMED = {
    "hanami": {"3-1", "9-1"},
    "tsukimi": {"8-1", "9-1"},
    "inoshikacho": {"7-1", "10-1", "6-1"},
    "akatan": {"1-2", "2-2", "3-2"},
    "aotan": {"6-2", "9-2", "10-2"},
}
BRIGHTS = ["goko", "shiko", "ameshiko", "sanko"]
ORDER = [*BRIGHTS, "hanami", "tsukimi", "inoshikacho", "akatan", "aotan", "tane", "tan", "kasu"]
LIGHTNING = "11-4"


def month(card: str) -> int:
    return int(card.partition("-")[0])


def is_kind(config: Any, card: str, kind: str) -> bool:
    if kind == "chaff":
        return card not in KIND or (card == "9-1" and config.cup_is_chaff)
    return KIND.get(card) == kind


def yaku_points(config: Any, pile: list[str], called: bool) -> dict[str, int]:
    """Return every yaku of a pile with its points (K25, L2, L4, L6), without the bonus for red and blue together."""
    price = dict(zip(ORDER, config.points, strict=True))
    more = dict(zip(ORDER, config.extra, strict=True))
    if called and config.viewing_after_koi is not None:
        price["hanami"] = price["tsukimi"] = config.viewing_after_koi
    kinds = ("bright", "animal", "ribbon", "chaff")
    count = {kind: sum(is_kind(config, card, kind) for card in pile) for kind in kinds}
    rain = "11-1" in pile
    dry = count["bright"] - rain
    brights = {
        "goko": (count["bright"] == 5, count["bright"] - 5),
        "shiko": (dry == 4, 0),
        "ameshiko": (rain and dry >= 3, dry - 3),
        "sanko": (dry >= 3, dry - 3),
    }
    found: dict[str, int] = {}
    for name, (there, further) in brights.items():
        if there and not (config.bright_exclusive and found):
            found[name] = price[name] + more[name] * further
    for name, cards in NAMED.items():
        if cards <= set(pile):
            found[name] = price[name]
    for name, kind, need in (("tane", "animal", 5), ("tan", "ribbon", 5), ("kasu", "chaff", 10)):
        if count[kind] >= need:
            found[name] = price[name] + more[name] * (count[kind] - need)
    if config.extra_named:
        if "inoshikacho" in found:
            found["inoshikacho"] += count["animal"] - 3
            found.pop("tane", None)
        ribbons = [name for name in ("akatan", "aotan") if name in found]
        if ribbons:
            found.pop("tan", None)
            found[ribbons[0]] += count["ribbon"] - 3 * len(ribbons)
    return found


def base_points(config: Any, pile: list[str], called: bool) -> int:
    found = yaku_points(config, pile, called)
    both = config.red_and_blue_bonus + (3 if config.triade else 0)
    return sum(found.values()) + (both if {"akatan", "aotan"} <= set(found) else 0)


def luck(cards: list[str]) -> str | None:
    """K8: the name of a lucky hand (four cards of a month, or four pairs), or None."""
    counts = Counter(map(month, cards))
    if 4 in counts.values():
        return "teshi"
    return "kuttsuki" if list(counts.values()).count(2) == 4 else None


class PlainKoiKoi:
    """One game; ``deck_of(round)`` returns the deck of a round, which must not make the round void."""

    def __init__(self, config: Any, dealer: int, deck_of: Any) -> None:
        self.config, self.dealer, self.deck_of = config, dealer, deck_of
        self.scores = [config.start_score] * 2
        self.results: list[dict[str, Any]] = []
        self.gains = [0.0, 0.0]
        self.phase = "deal"
        self.start_rounds()

    # --- Rounds -------------------------------------------------------------------------------------------------------

    def start_rounds(self) -> None:
        while self.phase == "deal":
            self.deal(self.deck_of(len(self.results)))
            if self.config.hand_swap:
                self.phase, self.player = "swap", 1 - self.dealer
            else:
                self.look()

    def deal(self, deck: list[str]) -> None:
        other = 1 - self.dealer
        self.hands: list[list[str]] = [[], []]
        self.hands[other] = deck[0:4] + deck[12:16]
        self.hands[self.dealer] = deck[4:8] + deck[16:20]
        self.field = deck[8:12] + deck[20:24]
        self.deck = deck[24:]
        self.captured: list[list[str]] = [[], []]
        self.pending: str | None = None
        self.turn = 1
        self.base_before, self.yaku_before = [0, 0], [set(), set()]
        self.chain, self.called = [0, 0], [0, 0]
        self.november: list[set[str]] = [set(), set()]
        self.joker: tuple[int, int] | None = None
        self.refused: set[int] = set()
        self.revealed: set[str] = set()

    def is_lucky(self, cards: list[str]) -> bool:
        kind = luck(cards)
        if kind == "teshi" and self.config.teshi == "plays":
            counts = Counter(map(month, cards))
            kind = "kuttsuki" if list(counts.values()).count(2) == 4 else None
        return kind is not None and getattr(self.config, kind) != "plays"

    def is_void(self) -> bool:
        if self.is_lucky(self.field):
            return True
        for hand in self.hands:
            kind = luck(hand)
            if kind is not None and getattr(self.config, kind) == "redeal":
                return True
        return self.config.both_lucky == "redeal" and all(map(self.is_lucky, self.hands))

    def look(self) -> None:
        lucky = [player for player in range(2) if self.is_lucky(self.hands[player])]
        if len(lucky) == 1:
            self.finish(lucky[0], self.config.lucky_points, str(luck(self.hands[lucky[0]])))
        elif len(lucky) == 2 and self.config.both_lucky == "draw":
            self.finish(None, 0, "both_lucky")
        else:
            self.phase, self.player = "play", self.dealer

    def finish(self, winner: int | None, points: int, reason: str) -> None:
        self.results.append({"winner": winner, "points": points, "reason": reason})
        if winner is not None:
            self.scores[winner] += points
            if self.config.loser_pays:
                self.scores[1 - winner] -= points
        over = len(self.results) == self.config.rounds
        if over or (self.config.ends_at_zero and min(self.scores) <= 0):
            self.phase = "end"
            return
        if winner is not None:
            self.dealer = winner
        elif self.config.drawn_dealer == "other":
            self.dealer = 1 - self.dealer
        self.phase = "deal"

    # --- Moves --------------------------------------------------------------------------------------------------------

    def legal(self) -> list[str]:
        hand = [] if self.phase in ("swap", "end") else self.hands[self.player]
        months = set(map(month, self.field))
        if self.phase == "swap":
            return ["keep hands", "swap hands"]
        if self.phase == "koi":
            return ["stop", "koikoi"]
        if self.phase == "play":
            fitting = [card for card in hand if month(card) in months]
            cards = fitting if fitting and self.config.forced_match else hand
            joker = ["joker"] if self.may_use_joker() else []
            return [f"play {card}" for card in cards] + joker
        if self.phase == "joker_target":
            return [f"take {card}" for card in self.field if month(card) not in self.refused]
        if self.phase in ("pick_hand", "pick_draw"):
            matching = self.matching(str(self.pending))
            return [f"take {card}" for card in matching] + (["hiki"] if len(matching) == 3 else [])
        return []

    def may_use_joker(self) -> bool:
        if not self.config.gaji or LIGHTNING not in self.hands[self.player] or not self.field:
            return False
        theirs = self.november[1 - self.player]
        return not ("hand" in theirs or (self.config.gaji_block == "any" and theirs))

    def matching(self, card: str) -> list[str]:
        return [other for other in self.field if month(other) == month(card)]

    def move(self, words: str) -> None:
        verb, *card = words.split()
        if self.phase == "swap":
            if verb == "swap":
                self.hands.reverse()
            self.look()
        elif self.phase == "koi":
            self.decide(verb)
        elif self.phase == "play":
            self.play(LIGHTNING if verb == "joker" else card[0], verb == "joker")
        elif self.phase == "joker_target":
            self.use_joker(card[0])
        else:
            taken = self.matching(str(self.pending)) if verb == "hiki" else [card[0]]
            from_hand = self.phase == "pick_hand"
            self.capture(str(self.pending), taken)
            self.pending = None
            if from_hand:
                self.draw()
            else:
                self.end_turn()
        self.start_rounds()

    def play(self, card: str, as_joker: bool) -> None:
        self.hands[self.player].remove(card)
        self.revealed.discard(card)
        if month(card) == 11:
            self.november[self.player].add("hand")
        if as_joker:
            self.pending, self.phase, self.refused = card, "joker_target", set()
        elif self.meet(card, "pick_hand"):
            self.draw()

    def meet(self, card: str, choice: str) -> bool:
        """Capture with the card or lay it down and return True; return False if its player must choose."""
        matching = self.matching(card)
        if len(matching) == 2 or (len(matching) == 3 and self.config.hiki == "optional"):
            self.pending, self.phase = card, choice
            return False
        if matching:
            self.capture(card, matching)
        else:
            self.field.append(card)
        return True

    def capture(self, card: str, taken: list[str]) -> None:
        self.field = [other for other in self.field if other not in taken]
        self.captured[self.player] += [card, *taken]

    def use_joker(self, target: str) -> None:
        fourth = [card for card in self.hands[1 - self.player] if month(card) == month(target)]
        if len(self.matching(target)) == 3 and fourth:
            self.revealed |= set(fourth)
            self.refused.add(month(target))
            if {month(card) for card in self.field} - self.refused:
                return
            self.field.append(LIGHTNING)
        else:
            self.capture(LIGHTNING, [target])
            if month(target) != 11:
                self.joker = (self.player, month(target))
        self.pending = None
        self.refused = set()
        self.draw()

    def draw(self) -> None:
        card = self.deck.pop(0)
        if month(card) == 11:
            self.november[self.player].add("deck")
        if self.meet(card, "pick_draw"):
            self.end_turn()

    # --- Yaku ---------------------------------------------------------------------------------------------------------

    def yaku(self, player: int) -> set[str]:
        return set(yaku_points(self.config, self.captured[player], self.called[player] > 0))

    def base(self, player: int) -> int:
        return base_points(self.config, self.captured[player], self.called[player] > 0)

    def event(self, player: int) -> bool:
        """K21, K30, K32: whether the pile has gained a yaku or points since the last check."""
        new = self.yaku(player) - self.yaku_before[player]
        rose = self.base(player) > self.base_before[player]
        self.yaku_before[player], self.base_before[player] = self.yaku(player), self.base(player)
        if not rose or not (new or self.config.choice_on_growth):
            return False
        self.chain[1 - player] = 0
        if new or self.config.growth_in_chain:
            self.chain[player] += 1
        return True

    def end_turn(self) -> None:
        limit = self.config.koikoi_limit
        if not self.event(self.player):
            self.next_turn()
        elif self.hands[self.player] and (limit is None or sum(self.called) < limit):
            self.phase = "koi"
        else:
            self.win(self.player)

    def decide(self, verb: str) -> None:
        if verb == "stop":
            self.win(self.player)
            return
        self.called[self.player] += 1
        self.base_before[self.player] = self.base(self.player)
        self.next_turn()

    def next_turn(self) -> None:
        if self.turn < 16:
            self.turn += 1
            self.player, self.phase = 1 - self.player, "play"
            return
        self.claim()
        if self.joker and self.event(self.joker[0]):
            self.finish(self.joker[0], self.payment(self.joker[0]), "stop")
        elif self.config.exhausted_points:
            self.finish(self.dealer, self.config.exhausted_points, "exhausted")
        else:
            self.finish(None, 0, "exhausted")

    def claim(self) -> None:
        if self.joker:
            holder, wanted = self.joker
            self.captured[holder] += [card for card in self.field if month(card) == wanted]
            self.field = [card for card in self.field if month(card) != wanted]

    def win(self, player: int) -> None:
        self.claim()
        self.yaku_before[player], self.base_before[player] = self.yaku(player), self.base(player)
        self.finish(player, self.payment(player), "stop")

    def payment(self, player: int) -> int:
        base, config = self.base(player), self.config
        points = base
        if config.own_koi == "chain":
            points *= max(1, self.chain[player])
        elif config.own_koi == "bonus":
            calls = self.called[player]
            points = base + calls if calls <= 3 else base * (calls - 2)
        if self.called[1 - player] > 0:
            points *= config.opponent_koi_factor
        if base >= config.seven:
            points *= config.seven_factor
        return points

    def to_dict(self) -> dict[str, Any]:
        """Return the keys of `to_dict` with sets in place of lists whose order is not defined."""
        return {
            "dealer": self.dealer,
            "current_player": self.player,
            "round": len(self.results) + (self.phase != "end"),
            "phase": self.phase,
            "hands": [set(hand) for hand in self.hands],
            "field": set(self.field),
            "captured": [set(pile) for pile in self.captured],
            "deck": self.deck,
            "pending": self.pending,
            "scores": self.scores,
            "base": [self.base(player) for player in range(2)],
            "yaku": [self.yaku(player) for player in range(2)],
            "chain": self.chain,
            "koikoi_called": self.called,
            "turn": self.turn,
            "revealed": self.revealed,
            "november": self.november,
        }
