"""Letters and digits as pen strokes, so that pictures look the same on every machine and need no fonts.

A glyph is drawn on a grid on which capital letters are 20 units tall (`CAP_HEIGHT`) and small letters 14. The base line
is y = 0, and y grows downwards, as in SVG. `STROKES` maps a character to its width and its path. In a path only `M` is
absolute, so moving a glyph means moving its `M`s. Accents are separate strokes, centred over their letter, so that
French, Romanian and rōmaji words need no further letters.
"""

import re
import unicodedata
from functools import cache

CAP_HEIGHT = 20
TRACKING = 4.5  # between two glyphs
_MOVE = re.compile(r"M(-?[\d.]+)[ ,]?(-?[\d.]+)")
_MISSING = "\N{REPLACEMENT CHARACTER}"

_SMALL_BOWL = "M0-7a6 7 0 1 1 12 0a6 7 0 1 1-12 0"
_BIG_BOWL = "M0-10a7.5 10 0 1 1 15 0a7.5 10 0 1 1-15 0"

STROKES: dict[str, tuple[float, str]] = {
    " ": (5, ""),
    "A": (14, "M0 0l7-20 7 20M2.5-7h9"),
    "B": (12, "M0-10.5h7a5 5.2 0 0 1 0 10.5h-7v-20h6a4.7 4.7 0 0 1 0 9.5"),
    "C": (13, "M13.2-16a7.5 10 0 1 0 0 12"),
    "D": (14, "M0 0v-20h5a8.8 10 0 0 1 0 20z"),
    "E": (11, "M11 0h-11v-20h11M0-10h9"),
    "F": (11, "M11-20h-11v20M0-10h9"),
    "G": (15, "M13.5-16a7.5 10 0 1 0 1.5 6h-6"),
    "H": (13, "M0 0v-20M13 0v-20M0-10h13"),
    "I": (1, "M.5 0v-20"),
    "J": (9, "M9-20v14a4.5 6 0 0 1-9 0"),
    "K": (12, "M0 0v-20M12-20l-12 12M4.3-12.2l8.2 12.2"),
    "L": (10, "M0-20v20h10.5"),
    "M": (16, "M0 0v-20l8 13 8-13v20"),
    "N": (13, "M0 0v-20l13 20v-20"),
    "O": (15, _BIG_BOWL + "z"),
    "P": (12, "M0 0v-20h7a5.5 5.5 0 0 1 0 11h-7"),
    "Q": (15, _BIG_BOWL + "zM9.5-5.5l6 6"),
    "R": (13, "M0 0v-20h7a5.5 5.5 0 0 1 0 11h-7M6.5-9l6 9"),
    "S": (12, "M11-16.5a5.5 5 0 0 0-5-3.5h-.5a5.2 5 0 0 0 0 10h1a5.2 5 0 0 1 0 10h-1a5.5 5.5 0 0 1-5.5-3.6"),
    "T": (13, "M0-20h13M6.5 0v-20"),
    "U": (13, "M0-20v13.5a6.5 6.5 0 0 0 13 0v-13.5"),
    "V": (14, "M0-20l7 20 7-20"),
    "W": (20, "M0-20l5 20 5-20 5 20 5-20"),
    "X": (13, "M0 0l13-20M0-20l13 20"),
    "Y": (13, "M0-20l6.5 10.5 6.5-10.5M6.5 0v-9.5"),
    "Z": (12, "M0-20h12l-12 20h12"),
    "a": (12, "M12-14v14" + _SMALL_BOWL),
    "b": (12, "M0-20v20" + _SMALL_BOWL),
    "c": (10, "M10.8-11.2a6 7 0 1 0 0 8.4"),
    "d": (12, "M12-20v20" + _SMALL_BOWL),
    "e": (12, "M0-7.2h12a6 7 0 1 0-1.5 4.8"),
    "f": (7, "M7.5-19.7h-1a3.7 3.7 0 0 0-3.7 3.7v16M0-13.3h7"),
    "g": (12, "M12-14v14.5a5.5 5.5 0 0 1-10.6 2.3" + _SMALL_BOWL),
    "h": (11, "M0-20v20M0-8a5.5 6 0 0 1 11 0v8"),
    "i": (1, "M.5-14v14M.5-19.6v.3"),
    "j": (3, "M3-14v16a3.6 3.6 0 0 1-3.6 3.6M3-19.6v.3"),
    "k": (10, "M0-20v20M9.5-14l-9.5 8.6M3.4-8.4l6.6 8.4"),
    "l": (1, "M.5-20v20"),
    "m": (18, "M0-14v14M0-8.8a4.5 5.2 0 0 1 9 0v8.8M9-8.8a4.5 5.2 0 0 1 9 0v8.8"),
    "n": (11, "M0-14v14M0-8a5.5 6 0 0 1 11 0v8"),
    "o": (12, _SMALL_BOWL + "z"),
    "p": (12, "M0-14v20" + _SMALL_BOWL),
    "q": (12, "M12-14v20" + _SMALL_BOWL),
    "r": (7, "M0-14v14M0-8a6 6 0 0 1 7-5.8"),
    "s": (9, "M8.8-11.5a4.5 3.5 0 0 0-3.9-2.5h-.5a3.9 3.5 0 0 0 0 7h.8a3.9 3.5 0 0 1 0 7h-.8a4.6 3.5 0 0 1-4.3-2.5"),
    "t": (7, "M2.8-18.5v14.8a3.7 3.7 0 0 0 3.7 3.7h1M0-13.3h7"),
    "u": (11, "M0-14v8a5.5 6 0 0 0 11 0M11-14v14"),
    "v": (11, "M0-14l5.5 14 5.5-14"),
    "w": (16, "M0-14l4 14 4-14 4 14 4-14"),
    "x": (10, "M0 0l10-14M0-14l10 14"),
    "y": (11, "M0-14l5.5 14M11-14l-6.2 16.4a4.2 4.2 0 0 1-4.2 2.8"),
    "z": (10, "M0-14h9.5l-9.5 14h9.8"),
    "0": (12, "M0-10a6 10 0 1 1 12 0a6 10 0 1 1-12 0z"),
    "1": (12, "M2.5-16.2l5-3.8v20"),
    "2": (12, "M.5-15a5.5 5.2 0 0 1 11 .4c0 4-3 6-11.2 14.6h11.7"),
    "3": (12, "M1-20h10l-6 7.6a6 6.3 0 1 1-4.7 9.4"),
    "4": (12, "M9.5 0v-20l-9.5 14h12.5"),
    "5": (12, "M11-20h-8.6l-1 9a6 6.2 0 1 1-1.1 8.2"),
    "6": (12, "M9-20l-7.7 9.8M0-6.2a6 6.2 0 1 1 12 0a6 6.2 0 1 1-12 0z"),
    "7": (12, "M0-20h12l-7.5 20"),
    "8": (12, "M1-15.2a5 4.8 0 1 1 10 0a5 4.8 0 1 1-10 0M0-5.2a6 5.2 0 1 1 12 0a6 5.2 0 1 1-12 0z"),
    "9": (12, "M3 0l7.7-9.8M12-13.8a6 6.2 0 1 1-12 0a6 6.2 0 1 1 12 0z"),
    ".": (1, "M.5-.3v.3"),
    ",": (2, "M1.5-.5l-1.5 4"),
    ":": (1, "M.5-11.3v.3M.5-.3v.3"),
    ";": (2, "M1.5-11.3v.3M1.5-.5l-1.5 4"),
    "!": (1, "M.5-20v14M.5-.3v.3"),
    "?": (10, "M0-15.5a5 4.8 0 1 1 8 4c-2 1.5-3 2.5-3 5.5M5-.3v.3"),
    "'": (1, "M.5-20v5"),
    "\N{RIGHT SINGLE QUOTATION MARK}": (2, "M1.8-20l-1.3 5"),
    '"': (6, "M.5-20v5M5.5-20v5"),
    "-": (8, "M0-7.5h8"),
    "\N{EN DASH}": (11, "M0-7.5h11"),
    "\N{EM DASH}": (18, "M0-7.5h18"),
    "_": (12, "M0 3h12"),
    "+": (12, "M0-8h12M6-14v12"),
    "=": (12, "M0-11h12M0-5h12"),
    "\N{MULTIPLICATION SIGN}": (9, "M0-3.5l9-9M0-12.5l9 9"),
    "*": (9, "M4.5-19v9M.5-17l8 5M8.5-17l-8 5"),
    "/": (9, "M0 2l9-24"),
    "|": (1, "M.5 3v-25"),
    "\\": (9, "M9 2l-9-24"),
    "(": (5, "M5-22a16 16 0 0 0 0 25"),
    ")": (5, "M0-22a16 16 0 0 1 0 25"),
    "[": (5, "M5-22h-5v25h5"),
    "]": (5, "M0-22h5v25h-5"),
    "<": (10, "M10-14l-10 6 10 6"),
    ">": (10, "M0-14l10 6-10 6"),
    "%": (
        18,
        "M2 0l14-20M0-15.5a3.8 4.5 0 1 1 7.6 0a3.8 4.5 0 1 1-7.6 0zM10.4-4.5a3.8 4.5 0 1 1 7.6 0a3.8 4.5 0 1 1-7.6 0z",
    ),
    "#": (14, "M4.5-19l-2 18M11.5-19l-2 18M1-13.5h13M0-6.5h13"),
    "&": (14, "M14 0l-10.5-13.5a4 4 0 1 1 6.3 0l-7.5 5.8a4.8 4.8 0 0 0 3 8.2c4 0 7-3 7.7-8"),
    "$": (12, "M11-15.5a5 4 0 0 0-5-2.5c-7 0-7 7.5 0 8s7 8 0 8a5.5 4 0 0 1-6-3M6-21.5v23"),
    "@": (20, "M14-8a4 4.5 0 1 1-8 0a4 4.5 0 1 1 8 0v1.5a3 3 0 0 0 6 0v-1.5a10 10 0 1 0-5 8.8"),
    "^": (8, "M0-15l4-5 4 5"),
    "`": (3, "M0-20l3 4"),
    "{": (6, "M6-22c-5 0-2 9-6 12.5c4 3.5 1 12.5 6 12.5"),
    "}": (6, "M0-22c5 0 2 9 6 12.5c-4 3.5-1 12.5-6 12.5"),
    "~": (12, "M0-6c3-5 9 2 12-3"),
    "\N{MIDDLE DOT}": (1, "M.5-8v.3"),
    "\N{RIGHTWARDS ARROW}": (16, "M0-8h16M10.5-13.5l5.5 5.5-5.5 5.5"),
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}": (10, "M5-13l-5 5.5 5 5.5M10-13l-5 5.5 5 5.5"),
    "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}": (10, "M0-13l5 5.5-5 5.5M5-13l5 5.5-5 5.5"),
    _MISSING: (12, "M0 0v-20h12v20z"),
}

# Drawn around x = 0 over a small letter; `glyph` moves them up over capitals.
_ACCENTS = {
    "\N{COMBINING ACUTE ACCENT}": "M-1-17l3.5-4",
    "\N{COMBINING GRAVE ACCENT}": "M1-17l-3.5-4",
    "\N{COMBINING CIRCUMFLEX ACCENT}": "M-4-17l4-4 4 4",
    "\N{COMBINING BREVE}": "M-4-20.5a4 3.5 0 0 0 8 0",
    "\N{COMBINING DIAERESIS}": "M-3-19v.3M3-19v.3",
    "\N{COMBINING MACRON}": "M-4.5-18.5h9",
    "\N{COMBINING TILDE}": "M-5-18c3-4 7 3 10-1",
    "\N{COMBINING CEDILLA}": "M0 0v2a2 2 0 1 1-2.5 3.2",
    "\N{COMBINING COMMA BELOW}": "M1 3.5l-1.5 4",
}
_BELOW = "\N{COMBINING CEDILLA}\N{COMBINING COMMA BELOW}"
_DOTLESS = {"i": (1, "M.5-14v14"), "j": (3, "M3-14v16a3.6 3.6 0 0 1-3.6 3.6")}


def _shift(path: str, dx: float, dy: float = 0.0) -> str:
    """Return `path` moved by (dx, dy): only its absolute `M`s change."""
    return _MOVE.sub(lambda m: f"M{float(m[1]) + dx:.4g} {float(m[2]) + dy:.4g}", path)


@cache
def glyph(character: str) -> tuple[float, str]:
    """Return the width and path of one character. An unknown character is drawn as an empty box."""
    if character in STROKES:
        return STROKES[character]
    letter, *accents = unicodedata.normalize("NFD", character)
    if letter not in STROKES or not accents or any(accent not in _ACCENTS for accent in accents):
        return STROKES[_MISSING]
    above = any(accent not in _BELOW for accent in accents)
    width, path = _DOTLESS.get(letter, STROKES[letter]) if above else STROKES[letter]
    for accent in accents:
        lift = -5.0 if letter.isupper() and accent not in _BELOW else 0.0
        path += _shift(_ACCENTS[accent], width / 2, lift)
    return width, path


def width_of(text: str) -> float:
    """Return the width of a line in grid units."""
    return sum(glyph(c)[0] for c in text) + TRACKING * max(0, len(text) - 1)


@cache
def path_of(text: str) -> str:
    """Return a whole line as one path in grid units, starting at the origin."""
    pieces, x = [], 0.0
    for character in text:
        width, path = glyph(character)
        pieces.append(_shift(path, x))
        x += width + TRACKING
    return "".join(pieces)
