"""A small SVG builder: elements, shared symbols, text as vector paths, light and dark colors, pixels.

Nothing here depends on a game. Markup is plain `str`. A picture is built from the inside out:

    shared = Symbols("demo")
    card = shared.use("card", lambda: element("rect", width=60, height=84, rx=8, class_="demo-card"), x=20, y=10)
    svg = document(100, 104, card, symbols=shared, style=stylesheet({"demo-card": "fill:#fff"}), title="A card")
    pixels = rasterize(svg, width=400)          # needs the extra `render`

`text` draws words with the pen strokes of `hanabako.drawing.glyphs`, so no font is needed and every machine gives the
same pixels. Colors come from CSS classes. As several pictures may share an HTML page (such as a notebook), prefix the
names of classes and symbols with the game's name, and use each name for one drawing only.
"""

import html
import io
import re
from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hanabako.drawing import glyphs
from hanabako.extras import need

Theme = Literal["auto", "light", "dark"]
Anchor = Literal["start", "middle", "end"]

_SVG = "http://www.w3.org/2000/svg"
_TEXT_CLASS = "glyphs"
_TEXT_STYLE = f".{_TEXT_CLASS}{{fill:none;stroke-linecap:round;stroke-linejoin:round}}"
_REGULAR, _BOLD = 2.3, 3.5  # pen widths in glyph units
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}


def number(value: float) -> str:
    """Return a coordinate as text with at most two decimals and no superfluous zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def escape(text: object) -> str:
    """Escape text for use inside an element or a quoted attribute; characters that XML does not have are replaced."""
    return html.escape(NOT_XML.sub("\N{REPLACEMENT CHARACTER}", str(text)))


def element(tag: str, /, *children: str, **attributes: object) -> str:
    """Return the markup of one element, whose children are markup.

    `class_` and `stroke_width` become `class` and `stroke-width`. Numbers are shortened, and None is left out.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{number(value) if isinstance(value, (int, float)) else escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{written}>{''.join(children)}</{tag}>" if children else f"<{tag}{written}/>"


def group(*children: str, x: float = 0, y: float = 0, scale: float = 1, **attributes: object) -> str:
    """Return a group of children, moved to (x, y) and scaled."""
    moved = f"translate({number(x)} {number(y)})" if x or y else ""
    scaled = f"scale({scale:.4g})" if scale != 1 else ""
    return element("g", *children, transform=moved + scaled or None, **attributes)


def rect(x: float, y: float, width: float, height: float, radius: float = 0, **attributes: object) -> str:
    """Return a rectangle with round corners."""
    return element("rect", x=x or None, y=y or None, width=width, height=height, rx=radius or None, **attributes)


def text_width(text: str, size: float) -> float:
    """Return the width in pixels of a line whose capital letters are `size` pixels tall."""
    return glyphs.width_of(text) * size / glyphs.CAP_HEIGHT


def text(
    words: str,
    x: float,
    y: float,
    size: float,
    class_: str,
    *,
    anchor: Anchor = "start",
    bold: bool = False,
    symbols: "Symbols | None" = None,
) -> str:
    """Return a line of words on the base line `y`. `size` is the height of capitals; `class_` sets the stroke color.

    With `symbols`, every word is drawn once and then referred to, which saves space for words in many frames.
    """
    if not words:
        return ""
    scale = size / glyphs.CAP_HEIGHT
    left = x - _ANCHORS[anchor] * text_width(words, size)
    look: dict[str, object] = {
        "class_": f"{_TEXT_CLASS} {class_}",
        "stroke_width": _BOLD if bold else _REGULAR,
        "transform": f"translate({number(left)} {number(y)})scale({scale:.4g})",
    }
    if symbols is None:
        return element("path", **look, d=glyphs.path_of(words))
    drawn, start = [], 0.0
    for word in words.split(" "):
        drawn.append(symbols.use(f"-{_safe(word)}", lambda w=word: element("path", d=glyphs.path_of(w)), start))
        start += glyphs.width_of(f"{word} ") + glyphs.TRACKING
    return element("g", *drawn, **look)


def _safe(word: str) -> str:
    """Return a word as part of an id: ASCII letters and digits stay, all else becomes its code point."""
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}." for c in word)


def wrap(words: str, width: float, size: float) -> list[str]:
    """Break `words` at spaces into lines of at most `width` pixels. A longer single word has its own line."""
    lines: list[str] = []
    for word in words.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


class Symbols:
    """Drawings that are made once and used many times, in one picture or in every frame of a replay.

    A name must stand for the same drawing in all pictures, because an HTML page with several uses the first.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._drawn: dict[str, str] = {}

    def use(self, name: str, draw: Callable[[], str], x: float = 0, y: float = 0) -> str:
        """Return a reference to the drawing `name` at (x, y). `draw` is called only the first time."""
        if name not in self._drawn:
            self._drawn[name] = ""  # keeps its place before the symbols that `draw` itself may use
            self._drawn[name] = element("g", draw(), id=f"{self.prefix}-{name}")
        return element("use", href=f"#{self.prefix}-{name}", x=x or None, y=y or None)

    def markup(self) -> str:
        """Return the `<defs>` that the references need."""
        return element("defs", *self._drawn.values()) if self._drawn else ""


def stylesheet(light: Mapping[str, str], dark: Mapping[str, str] | None = None, theme: Theme = "auto") -> str:
    """Return CSS from declarations by class name. `auto` follows the reader's color scheme; `light` and `dark` fix it.

    The argument `dark` holds only the classes that differ. A renderer without media queries (resvg) shows `auto` as
    `light`.
    """
    dark = dark or {}
    if theme == "dark":
        light, dark = {**light, **dark}, {}
    night = _rules(dark)
    return (
        _TEXT_STYLE
        + _rules(light)
        + (f"@media (prefers-color-scheme:dark){{{night}}}" if night and theme == "auto" else "")
    )


def _rules(classes: Mapping[str, str]) -> str:
    return "".join(f".{name}{{{declarations}}}" for name, declarations in classes.items())


def document(
    width: float,
    height: float,
    *body: str,
    style: str,
    title: str,
    description: str = "",
    symbols: Symbols | None = None,
) -> str:
    """Return a complete SVG that scales to its container. `title` and `description` are for screen readers."""
    return element(
        "svg",
        element("title", escape(title)),
        element("desc", escape(description)) if description else "",
        element("style", style),
        symbols.markup() if symbols else "",
        *body,
        xmlns=_SVG,
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        role="img",
        style="max-width:100%;height:auto",
    )


def rasterize(svg: str, width: int | None = None) -> NDArray[np.uint8]:
    """Return a picture as pixels, uint8 (height, width, 3). `width` is in pixels; by default it is the SVG's."""
    need("drawing pixels", "resvg_py", "PIL")
    import resvg_py
    from PIL import Image

    png = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=True))
    return np.array(Image.open(io.BytesIO(png)).convert("RGB"), dtype=np.uint8)
