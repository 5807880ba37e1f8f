"""Hanabi with words, lists and sets, written from the rule card (rows H1-H21, V1-V7, E1-E18, N1-N7).

The tests compare the engine with this implementation. It imports nothing from the project and uses no action numbers,
bitmasks or random numbers. Cards are words (``"R1"``, ``"M3"``, ``"K5"``), moves are words (``"play 0"``, ``"hint 1
R"``), the deck is given, and the player of a tile (e) gives the shuffled deck. It is about a thousand times slower than
the engine and is written to be read beside the booklet.

    game = PlainHanabi(config, deck)          # config: any object with HanabiConfig's field names
    game.legal_moves()                        # {"play 0", "hint 1 R", ...} of the player to move
    reward = game.move("hint 1 R")            # E7: the change of the score
    game.to_dict()                            # the keys of a position
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Any

COLORS = "RYGWB"  # H1, in the order of the Hanabi Learning Environment
MULTICOLOR, BLACK = "M", "K"
TILES = "abcdef"


@dataclass
class Knowledge:
    """What all players may know about one card in a hand, from hints alone."""

    plausible: set[str]
    hinted_colors: set[str] = field(default_factory=set)
    hinted_ranks: set[int] = field(default_factory=set)


@dataclass
class Event:
    """One public decision: the player, the action, and what all players saw."""

    player: int
    kind: str  # "play", "discard", "color", "rank", or the tile's "choose", "shuffle back", "play from discard"
    slot: int | None = None
    announced: str | None = None
    target: int | None = None
    color: str | None = None
    rank: int | None = None
    touched: list[int] = field(default_factory=list)
    card: str | None = None
    scored: bool = False
    gained_token: bool = False


def suits_of(config: Any) -> str:
    """Return the suits in play, in the order of every encoding: colours, then multicolour (V1, V2), then black (V3)."""
    suits = COLORS[: config.colors]
    suits += MULTICOLOR if config.multicolor else ""
    return suits + (BLACK if config.black_powder else "")


def hint_colors_of(config: Any) -> str:
    """H6: the colours a hint can name. V1's multicolour is one of them; V2's multicolour and V3's black are not."""
    return COLORS[: config.colors] + (MULTICOLOR if config.multicolor == "own_color" else "")


def copies(config: Any, card: str) -> int:
    """H1, V1, V2, V3, E17, N6: how many of this card are in the box."""
    suit, rank = card[0], int(card[1:])
    if suit == MULTICOLOR and config.multicolor == "own_color":
        return 1
    if suit == BLACK and config.black_distribution == "mirrored":
        rank = config.ranks + 1 - rank
    if rank == 1:
        return 3
    return 1 if rank == config.ranks else 2


def identities(config: Any) -> list[str]:
    """Return every different card, suit by suit and rank by rank."""
    return list(_identities(suits_of(config), config.ranks))


@cache
def _identities(suits: str, ranks: int) -> tuple[str, ...]:
    return tuple(f"{suit}{rank}" for suit in suits for rank in range(1, ranks + 1))


def box(config: Any) -> list[str]:
    """Return all cards of the game, equal cards next to each other."""
    return [card for card in identities(config) for _ in range(copies(config, card))]


def hand_size_of(config: Any) -> int:
    """H2, E17: the number of cards in a full hand."""
    if config.hand_size is not None:
        return config.hand_size
    return 5 if config.players <= 3 else 4


class PlainHanabi:
    """One game. Its attributes are the whole table, hidden cards included."""

    def __init__(self, config: Any, deck: list[str], bonus_tiles: str = "", first_player: int = 0) -> None:
        assert Counter(deck) == Counter(box(config)), "the deck is not the box"
        self.config = config
        self.hand_size = hand_size_of(config)
        self.deck = list(deck)
        self.hands: list[list[str]] = [[] for _ in range(config.players)]
        self.knowledge: list[list[Knowledge]] = [[] for _ in range(config.players)]
        self.discards: list[str] = []
        self.fireworks = dict.fromkeys(suits_of(config), 0)
        self.information_tokens = config.max_information_tokens
        self.life_tokens = config.max_life_tokens
        self.turns_to_play: int | None = None
        self.bonus_tiles = list(bonus_tiles)
        self.pending: str | None = None
        self.draws_at_the_end_of_turn = False  # V4: free hints may follow in a turn after its card left the hand
        self.end_reason: str | None = None
        self.current_player = first_player
        self.events: list[Event] = []
        for player in range(config.players):
            for _ in range(self.hand_size):
                self._draw(player)
        self._begin_last_round_if_due()

    # --- questions --------------------------------------------------------------------------------------------------

    def suit(self, card: str) -> str:
        return card[0]

    def rank(self, card: str) -> int:
        return int(card[1:])

    def next_rank(self, suit: str) -> int | None:
        """H10, V3: the rank that this firework needs next; None if it is complete."""
        played = self.fireworks[suit]
        if played == self.config.ranks:
            return None
        return self.config.ranks - played if suit == BLACK else played + 1

    def missing_ranks(self, suit: str) -> set[int]:
        """The ranks this firework still needs."""
        played = self.fireworks[suit]
        if suit == BLACK:
            return set(range(1, self.config.ranks - played + 1))
        return set(range(played + 1, self.config.ranks + 1))

    def is_playable(self, card: str) -> bool:
        return self.rank(card) == self.next_rank(self.suit(card))

    def is_all_complete(self) -> bool:
        return all(played == self.config.ranks for played in self.fireworks.values())

    def is_indispensable_lost(self) -> bool:
        """V5: whether all copies of a card that a firework still needs are in the discard."""
        lying = Counter(self.discards)
        return any(
            lying[f"{suit}{rank}"] == copies(self.config, f"{suit}{rank}")
            for suit in self.fireworks
            for rank in self.missing_ranks(suit)
        )

    def hint_touches(self, word: str, card: str) -> bool:
        """H6, V1, V2, V3: whether a hint of the colour or rank ``word`` points at this card."""
        if word.isdigit():
            return self.rank(card) == int(word)
        if self.suit(card) == MULTICOLOR and self.config.multicolor == "all_colors":
            return True
        return self.suit(card) == word

    def points(self) -> int:
        """H15, V3: the points of the fireworks."""
        colored = sum(played for suit, played in self.fireworks.items() if suit != BLACK)
        missing_black = self.config.ranks - self.fireworks[BLACK] if BLACK in self.fireworks else 0
        return colored - missing_black

    def opening_score(self) -> int:
        return -self.config.ranks if self.config.black_powder else 0

    @property
    def score(self) -> int:
        """H12, H15, V5, E5, E7, N4: the score of the game."""
        lost = self.end_reason in ("lives", "indispensable", "stuck")
        if lost and (self.config.score_on_loss == "zero" or self.config.final_bouquet):
            return self.opening_score()
        return self.points()

    # --- what may I do ----------------------------------------------------------------------------------------------

    def legal_moves(self) -> set[str]:
        """Return all decisions of the current player, in words; none after the end (E6)."""
        if self.end_reason is not None:
            return set()
        if self.pending is None:
            return self._moves_of_a_turn(self.current_player)
        return self._moves_of_a_tile(self.pending)

    def _moves_of_a_turn(self, player: int) -> set[str]:
        """H5: the plays, discards and hints of a turn."""
        slots = range(len(self.hands[player]))
        moves = {f"play {slot}" for slot in slots}  # H9
        if self.config.choreography:  # V6, E15
            moves |= {f"play {slot} as {suit}" for slot in slots for suit in self.fireworks}
        if self.information_tokens < self.config.max_information_tokens:  # H8
            moves |= {f"discard {slot}" for slot in slots}
        if self.information_tokens > 0:  # H6
            moves |= self._color_hints(player) | self._rank_hints(player)
        return moves

    def _moves_of_a_tile(self, tile: str) -> set[str]:
        """V4, E10: the decisions that a pending tile offers."""
        if tile == "c":
            return self._color_hints(self.current_player)
        if tile == "d":
            return self._rank_hints(self.current_player)
        if tile == "e?":
            return {"shuffle back"} | ({"play from discard"} if self._playable_discards() else set())
        cards = set(self.discards) if tile == "e" else self._playable_discards()
        return {f"choose {card}" for card in cards}

    def _playable_discards(self) -> set[str]:
        return {card for card in self.discards if self.is_playable(card)}

    def _color_hints(self, player: int) -> set[str]:
        return self._hints(player, list(hint_colors_of(self.config)))

    def _rank_hints(self, player: int) -> set[str]:
        return self._hints(player, [str(rank) for rank in range(1, self.config.ranks + 1)])

    def _hints(self, player: int, words: list[str]) -> set[str]:
        """H6, H7: the hints about one other player; they must touch a card unless empty hints are allowed."""
        return {
            f"hint {offset} {word}"
            for offset in range(1, self.config.players)
            for word in words
            if self.config.empty_hints
            or any(self.hint_touches(word, card) for card in self.hands[(player + offset) % self.config.players])
        }

    # --- a decision -------------------------------------------------------------------------------------------------

    def move(self, words: str, shuffled_deck: list[str] | None = None) -> int:
        """Decide for the current player and return the reward; ``shuffled_deck`` is the deck after tile (e)."""
        assert words in self.legal_moves(), f"{words!r} is not legal here"
        before = self.score
        verb, *rest = words.split()
        if words in ("shuffle back", "play from discard"):
            self._choose_tile(words)
        elif verb == "choose":
            self._choose_card(rest[0], shuffled_deck)
        elif verb == "hint":
            self._hint(int(rest[0]), rest[1])
        elif verb == "discard":
            self._discard(int(rest[0]))
        else:
            self._play(int(rest[0]), announced=rest[2] if len(rest) > 1 else None)
        if self.end_reason is None and self.pending is None:
            self._end_turn()
        elif self.end_reason is not None and self.turns_to_play is not None:
            self.turns_to_play -= 1  # E2: also on the turn that ends the game
        return self.score - before

    def _hint(self, offset: int, word: str) -> None:
        """H6: give a hint. V4 (c), (d): a tile's hint costs no token."""
        player = self.current_player
        target = (player + offset) % self.config.players
        if self.pending is None:
            self.information_tokens -= 1
        self.pending = None
        touched = []
        for slot, (card, known) in enumerate(zip(self.hands[target], self.knowledge[target], strict=True)):
            hit = self.hint_touches(word, card)
            known.plausible = {other for other in known.plausible if self.hint_touches(word, other) == hit}
            if hit:
                touched.append(slot)
                if word.isdigit():
                    known.hinted_ranks.add(int(word))
                else:
                    known.hinted_colors.add(word)
        if word.isdigit():
            self.events.append(Event(player, "rank", target=target, rank=int(word), touched=touched))
        else:
            self.events.append(Event(player, "color", target=target, color=word, touched=touched))

    def _discard(self, slot: int) -> None:
        """H8: discard a card."""
        card = self._take(slot)
        self.discards.append(card)
        gained = self._gain_token()
        self.events.append(Event(self.current_player, "discard", slot=slot, card=card, gained_token=gained))
        if self.config.final_bouquet and self.is_indispensable_lost():
            self.end_reason = "indispensable"

    def _play(self, slot: int, announced: str | None) -> None:
        """H9, V6: play a card."""
        card = self._take(slot)
        event = Event(self.current_player, "play", slot=slot, announced=announced, card=card)
        self.events.append(event)
        if self.is_playable(card) and announced in (None, self.suit(card)):
            event.scored = True
            if announced is not None:
                event.gained_token = self._gain_token()  # E12: before the tile
            self._add_to_firework(card, event)
        else:
            self.life_tokens -= 1
            self.discards.append(card)
            if self.life_tokens == 0:
                self.end_reason = "lives"  # H12; E5: before "indispensable"
            elif self.config.final_bouquet and self.is_indispensable_lost():
                self.end_reason = "indispensable"

    def _add_to_firework(self, card: str, event: Event) -> None:
        """H9, H11, H13, V3, V4, E4, E9, N3: add the card to its firework."""
        suit = self.suit(card)
        self.fireworks[suit] += 1
        completed = self.fireworks[suit] == self.config.ranks
        reveals_tile = completed and self.config.flamboyants and suit != BLACK
        if completed and not reveals_tile:
            event.gained_token = self._gain_token() or event.gained_token
        if self.is_all_complete():
            self.end_reason = "complete"
        elif reveals_tile:
            self._reveal_tile()

    def _reveal_tile(self) -> None:
        """V4: reveal the next tile. If it needs a choice, it becomes pending; without a possible choice, it is lost."""
        tile = self.bonus_tiles.pop(0)
        if tile == "b" and self.life_tokens < self.config.max_life_tokens:
            self.life_tokens += 1
        if tile in "ab":
            self._gain_token()
            return
        if tile == "e" and not self.deck:
            tile = "e?"
        if self._moves_of_a_tile("e" if tile == "e?" else tile):
            self.pending = tile

    def _choose_tile(self, words: str) -> None:
        """E10: choose what tile (e) does if the deck is empty."""
        self.pending = "e" if words == "shuffle back" else "f"
        self.events.append(Event(self.current_player, words))

    def _choose_card(self, card: str, shuffled_deck: list[str] | None) -> None:
        """V4 (e) and (f), E10: choose a card from the discard."""
        tile, self.pending = self.pending, None
        self.discards.remove(card)  # the oldest of equal ones
        event = Event(self.current_player, "choose", card=card)
        self.events.append(event)
        if tile == "e":
            assert shuffled_deck is not None and Counter(shuffled_deck) == Counter([*self.deck, card])
            self.deck = list(shuffled_deck)
        else:
            event.scored = True
            self._add_to_firework(card, event)

    # --- helpers of a turn ------------------------------------------------------------------------------------------

    def _take(self, slot: int) -> str:
        self.draws_at_the_end_of_turn = True
        del self.knowledge[self.current_player][slot]
        return self.hands[self.current_player].pop(slot)

    def _gain_token(self) -> bool:
        if self.information_tokens == self.config.max_information_tokens:
            return False
        self.information_tokens += 1
        return True

    def _draw(self, player: int) -> None:
        if self.deck:
            self.hands[player].append(self.deck.pop(0))
            self.knowledge[player].append(Knowledge(set(identities(self.config))))

    def _begin_last_round_if_due(self) -> None:
        """H14, E2, E5: the last round begins when the deck is empty."""
        if not self.deck and self.turns_to_play is None and not self.config.final_bouquet:
            self.turns_to_play = self.config.players

    def _end_turn(self) -> None:
        """End a turn: draw a card, count the last round down, go on to the next player (H8, H9, H14, E2, E3, N2)."""
        if self.turns_to_play is not None:
            self.turns_to_play -= 1
        if self.draws_at_the_end_of_turn:
            self._draw(self.current_player)
            self.draws_at_the_end_of_turn = False
        if self.turns_to_play == 0:
            self.end_reason = "deck"
            return
        self._begin_last_round_if_due()
        self.current_player = (self.current_player + 1) % self.config.players
        if not self._moves_of_a_turn(self.current_player):
            self.end_reason = "stuck"  # V5, E5

    # --- the keys of a position -------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the whole state under the keys of a position; knowledge lists are in the order of ``identities``."""
        order = identities(self.config)
        return {
            "current_player": self.current_player,
            "hands": [list(hand) for hand in self.hands],
            "deck": list(self.deck),
            "discards": list(self.discards),
            "fireworks": dict(self.fireworks),
            "information_tokens": self.information_tokens,
            "life_tokens": self.life_tokens,
            "turns_to_play": self.turns_to_play,
            "score": self.score,
            "end_reason": self.end_reason,
            "bonus_tiles": list(self.bonus_tiles),
            "pending": self.pending,
            "knowledge": [
                [[card for card in order if card in known.plausible] for known in hand] for hand in self.knowledge
            ],
        }
