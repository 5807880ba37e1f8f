"""Descriptions of the cards: month, flower, picture and kind."""

MONTH_NAMES = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

FLOWERS = (
    ("pine", "Pinus thunbergii"),
    ("plum", "Prunus mume"),
    ("cherry", "Prunus serrulata"),
    ("wisteria", "Wisteria floribunda"),
    ("iris", "Iris laevigata"),
    ("peony", "Paeonia suffruticosa"),
    ("bush clover", "Lespedeza bicolor"),
    ("pampas grass", "Miscanthus sinensis"),
    ("chrysanthemum", "Chrysanthemum morifolium"),
    ("maple", "Acer palmatum"),
    ("willow", "Salix babylonica"),
    ("paulownia", "Paulownia tomentosa"),
)
"""The common and Latin names of the months' flowers."""

PICTURES = {
    "1-1": "crane and sun",
    "2-1": "bush warbler",
    "3-1": "curtain",
    "4-1": "cuckoo",
    "5-1": "plank bridge",
    "6-1": "butterflies",
    "7-1": "boar",
    "8-1": "full moon",
    "8-2": "geese",
    "9-1": "sake cup",
    "10-1": "deer",
    "11-1": "rain man",
    "11-2": "swallow",
    "11-4": "lightning",
    "12-1": "phoenix",
}
"""The picture on a card besides its flower and a ribbon."""

KINDS = ("bright", "animal", "ribbon", "chaff")
_BRIGHTS = {"1-1", "3-1", "8-1", "11-1", "12-1"}
_RIBBONS = {"1-2", "2-2", "3-2", "4-2", "5-2", "6-2", "7-2", "9-2", "10-2", "11-3"}
_ANIMALS = set(PICTURES) - _BRIGHTS - {"11-4"}


def kind_of(card: str) -> str:
    """Return the kind of a card, one of `KINDS`; the sake cup is an animal here."""
    if card in _BRIGHTS:
        return "bright"
    if card in _RIBBONS:
        return "ribbon"
    return "animal" if card in _ANIMALS else "chaff"


def month_of_card(card: str) -> int:
    """Return the month of a card, from 1."""
    return int(card.partition("-")[0])


def describe_card(card: str) -> str:
    """Return a card's description: ``January, pine with crane and sun`` for ``1-1``."""
    month = month_of_card(card)
    name = f"{MONTH_NAMES[month - 1]}, {FLOWERS[month - 1][0]}"
    kind = kind_of(card)
    if card in PICTURES:
        return f"{name} with {PICTURES[card]}"
    return f"{name} with ribbon" if kind == "ribbon" else name
