"""The positions of the panels of Hanabi's table, and of the cards in the hands' panels."""

from dataclasses import dataclass

from hanabi_env.drawing.artwork import CARD_GAP, CARD_HEIGHT, CARD_WIDTH
from hanabi_env.drawing.table_view import TableView

WIDTH = 1000
MARGIN, GAP = 16, 12
MARKS_HEIGHT = 40  # the hints under a card
HEADER = 48
BAND = 188  # score, fireworks and discards
STATUS_WIDTH, FIREWORKS_WIDTH = 216, 440
COLUMNS_OF_HANDS = {2: 2, 3: 3, 4: 2, 5: 3}
LEAST_SCALE = 0.6  # of a card in a hand; larger hands take more lines


@dataclass(frozen=True)
class Box:
    """A panel of the picture."""

    x: float
    y: float
    width: float
    height: float


STATUS = Box(MARGIN, HEADER, STATUS_WIDTH, BAND)
FIREWORKS = Box(MARGIN + STATUS_WIDTH + GAP, HEADER, FIREWORKS_WIDTH, BAND)
DISCARDS = Box(FIREWORKS.x + FIREWORKS_WIDTH + GAP, HEADER, WIDTH - MARGIN - GAP - FIREWORKS.x - FIREWORKS_WIDTH, BAND)


def _hand_lines(view: TableView) -> int:
    """Return the number of lines of a hand. Large hands take several lines, so that their cards stay readable."""
    cards, lines = view.config.cards_in_hand, 1
    while _scale_of_line(view, cards, lines) < LEAST_SCALE and lines < cards:
        lines += 1
    return lines


def _cards_in_line(view: TableView) -> int:
    return -(-view.config.cards_in_hand // _hand_lines(view))


def _scale_of_line(view: TableView, cards: int, lines: int) -> float:
    columns = COLUMNS_OF_HANDS[view.config.players]
    inner = (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / columns - 32
    return inner / (-(-cards // lines) * (CARD_WIDTH + CARD_GAP) - CARD_GAP)


def hand_scale(view: TableView) -> float:
    """Return the scale of the hands' cards: as large as the panels allow, at most 1."""
    return min(1.0, _scale_of_line(view, view.config.cards_in_hand, _hand_lines(view)))


def _line_height(view: TableView) -> float:
    return (CARD_HEIGHT + MARKS_HEIGHT) * hand_scale(view) + 18


def _hand_height(view: TableView) -> float:
    return round(38 + _hand_lines(view) * _line_height(view))


def hand_box(view: TableView, player: int) -> Box:
    """Return the panel of a player's hand."""
    columns = COLUMNS_OF_HANDS[view.config.players]
    width = (WIDTH - 2 * MARGIN - (columns - 1) * GAP) / columns
    row, column = divmod(player, columns)
    in_row = min(columns, view.config.players - row * columns)
    left = (WIDTH - in_row * width - (in_row - 1) * GAP) / 2
    height = _hand_height(view)
    return Box(left + column * (width + GAP), HEADER + BAND + GAP + row * (height + GAP), width, height)


def table_height(view: TableView) -> float:
    """Return the height of the picture, whose width is `WIDTH`."""
    last = hand_box(view, view.config.players - 1)
    return last.y + last.height + MARGIN


def slot_place(view: TableView, player: int, slot: int) -> tuple[float, float]:
    """Return the upper left corner of a card in a hand."""
    box, pitch = hand_box(view, player), (CARD_WIDTH + CARD_GAP) * hand_scale(view)
    line, place = divmod(slot, _cards_in_line(view))
    width = _cards_in_line(view) * pitch - CARD_GAP * hand_scale(view)
    return box.x + (box.width - width) / 2 + place * pitch, box.y + 50 + line * _line_height(view)
