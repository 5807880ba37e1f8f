"""The observation of one seat, bit by bit, in the layout of the Hanabi Learning Environment's canonical encoder.

It is written from the published layout (see ``hanabi_env/README.md``) and uses only `PlainHanabi`. Each section is a
function that returns its bits as a list; the observation is all sections one after the other.
"""

from collections import Counter

from .hanabi_plain import TILES, Event, PlainHanabi, box, copies, hint_colors_of, identities, suits_of

KINDS = ("play", "discard", "color", "rank")
KINDS_OF_TILES = ("choose", "shuffle back", "play from discard")  # V4
LONGEST_TURN = 5  # V4: decisions of a turn with tiles


def one_hot(size: int, index: int | None) -> list[int]:
    return [int(position == index) for position in range(size)]


def thermometer(size: int, count: int) -> list[int]:
    return [int(position < count) for position in range(size)]


def clockwise(game: PlainHanabi, player: int) -> list[int]:
    """Return the players in clockwise order, beginning with this one."""
    return [(player + offset) % game.config.players for offset in range(game.config.players)]


def card_bits(game: PlainHanabi, cards: set[str] | list[str]) -> list[int]:
    return [1 if card in cards else 0 for card in identities(game.config)]


def hands(game: PlainHanabi, player: int) -> list[int]:
    bits = []
    for other in clockwise(game, player)[1:]:
        for slot in range(game.hand_size):
            bits += card_bits(game, game.hands[other][slot : slot + 1])
    return bits + [int(len(game.hands[other]) < game.hand_size) for other in clockwise(game, player)]


def board(game: PlainHanabi, player: int) -> list[int]:
    config = game.config
    bits = thermometer(len(box(config)) - config.players * game.hand_size, len(game.deck))
    for played in game.fireworks.values():
        bits += one_hot(config.ranks, played - 1)
    bits += thermometer(config.max_information_tokens, game.information_tokens)
    return bits + thermometer(config.max_life_tokens, game.life_tokens)


def discards(game: PlainHanabi, player: int) -> list[int]:
    lying = Counter(game.discards)
    bits = []
    for card in identities(game.config):
        bits += thermometer(copies(game.config, card), lying[card])
    return bits


def action(game: PlainHanabi, player: int, event: Event | None) -> list[int]:
    """Return the bits of one past action; all are zero if there was none."""
    config = game.config
    event = event or Event(player=-1, kind="none")
    seats = clockwise(game, player)
    hint = event.kind in ("color", "rank")
    colors = hint_colors_of(config)
    return [
        *(int(event.player == seat) for seat in seats),
        *(int(event.kind == kind) for kind in KINDS + KINDS_OF_TILES * config.flamboyants),
        *(int(hint and event.target == seat) for seat in seats),
        *(int(event.color == color) for color in colors),
        *(int(event.rank == rank) for rank in range(1, config.ranks + 1)),
        *(int(slot in event.touched) for slot in range(game.hand_size)),
        *(int(event.slot == slot) for slot in range(game.hand_size)),
        *card_bits(game, [event.card] if event.card else []),
        int(event.scored),
        int(event.kind in ("play", "choose") and event.gained_token),
        *(int(event.announced == suit) for suit in suits_of(config) * config.choreography),
    ]


def last_actions(game: PlainHanabi, player: int) -> list[int]:
    """Return the last ``history`` actions, newest first; with V4 at least as many as a turn can have."""
    newest_first = [*reversed(game.events)]
    bits = []
    for age in range(max(game.config.history, LONGEST_TURN * game.config.flamboyants)):
        bits += action(game, player, newest_first[age] if age < len(newest_first) else None)
    return bits


def card_knowledge(game: PlainHanabi, player: int) -> list[int]:
    config = game.config
    colors, ranks = hint_colors_of(config), range(1, config.ranks + 1)
    empty = [0] * (len(identities(config)) + len(colors) + config.ranks)
    bits = []
    for seat in clockwise(game, player):
        for slot in range(game.hand_size):
            if slot >= len(game.hands[seat]):
                bits += empty
                continue
            known = game.knowledge[seat][slot]
            if config.observation_type == "seer":
                card = game.hands[seat][slot]
                bits += card_bits(game, [card])
                bits += [int(game.suit(card) == color) for color in colors]
                bits += [int(game.rank(card) == rank) for rank in ranks]
                continue
            bits += card_bits(game, known.plausible)
            bits += [int(color in known.hinted_colors) for color in colors]
            bits += [int(rank in known.hinted_ranks) for rank in ranks]
    return bits


def tiles(game: PlainHanabi, player: int) -> list[int]:
    """V4: the face-down tiles, the pending choice, and the turns left in the last round."""
    if not game.config.flamboyants:
        return []
    bits = [int(tile in game.bonus_tiles) for tile in TILES]
    bits += [int(game.pending == choice) for choice in ("c", "d", "e", "f", "e?")]
    return bits + thermometer(game.config.players, game.turns_to_play or 0)


def exhausted(game: PlainHanabi, players: list[int]) -> set[str]:
    """Return the cards of which all copies are on fireworks, in the discard or in the hands of ``players``."""
    seen = Counter(game.discards) + Counter(card for player in players for card in game.hands[player])
    for suit in game.fireworks:
        seen.update(f"{suit}{rank}" for rank in range(1, game.config.ranks + 1) if rank not in game.missing_ranks(suit))
    return {card for card, count in seen.items() if count == copies(game.config, card)}


def is_dead(game: PlainHanabi, card: str) -> bool:
    """Return whether a card is played already, or a rank that its firework needs first (or its own) is lost."""
    suit, wanted = game.suit(card), game.missing_ranks(game.suit(card))
    if game.rank(card) not in wanted:
        return True
    first = game.next_rank(suit)
    assert first is not None
    low, high = sorted((first, game.rank(card)))
    on_the_way = [f"{suit}{rank}" for rank in range(low, high + 1)]
    return any(game.discards.count(other) == copies(game.config, other) for other in on_the_way)


def possible_cards(game: PlainHanabi, player: int) -> list[list[set[str] | None]]:
    """Return the possible cards per seat, beginning with this one, and slot; None for a slot without a card.

    A card is possible if hints leave it plausible and it is not exhausted. For a player's own cards, all cards that
    this player sees count as used; for the others' cards, only public cards count.
    """
    table: list[list[set[str] | None]] = []
    for seat in clockwise(game, player):
        seen = exhausted(game, clockwise(game, player)[1:] if seat == player else [])
        known = [knowledge.plausible - seen for knowledge in game.knowledge[seat]]
        table.append([*known, *[None] * (game.hand_size - len(known))])
    return table


def belief(game: PlainHanabi, player: int) -> list[int]:
    bits = []
    for hand in possible_cards(game, player):
        for possible in hand:
            bits += card_bits(game, possible or set())
    return bits


def derived(game: PlainHanabi, player: int) -> list[int]:
    bits = []
    others = clockwise(game, player)[1:]
    for other in others:
        for slot in range(game.hand_size):
            card = next(iter(game.hands[other][slot : slot + 1]), None)
            bits += [int(card is not None and game.is_playable(card)), int(card is not None and is_dead(game, card))]
    for hand in possible_cards(game, player):
        for possible in hand:
            bits += [
                int(bool(possible) and all(game.is_playable(card) for card in possible)),
                int(bool(possible) and all(is_dead(game, card) for card in possible)),
            ]
    return bits + card_bits(game, exhausted(game, others)) + card_bits(game, exhausted(game, []))


def observation(game: PlainHanabi, player: int) -> list[int]:
    """Return all bits that ``player`` sees."""
    config = game.config
    bits = hands(game, player) + board(game, player) + discards(game, player) + last_actions(game, player)
    if config.observation_type != "minimal":
        bits += card_knowledge(game, player)
    bits += tiles(game, player)
    if config.belief:
        bits += belief(game, player)
    if config.derived:
        bits += derived(game, player)
    return bits
