"""Names and texts from files, made safe where they are shown: on a terminal and in Markdown.

For HTML and SVG see `hanabako.drawing.svg.escape`.
"""

__all__ = ["as_code", "in_markdown", "on_terminal"]

MARKS = {ord(mark): f"&#{ord(mark)};" for mark in "&<>[]`|"}


def on_terminal(text: object) -> str:
    """Return a text on one line; a character that would act on the terminal is written as Python's ``ascii`` does."""
    words = str(text)
    return words if words.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in words)


def in_markdown(text: object) -> str:
    """Return a text for Markdown, also in a table: no part of it is HTML, a link, a picture, code or a cell's end."""
    return on_terminal(text).translate(MARKS)


def as_code(text: object) -> str:
    """Return a text as code in Markdown, outside of tables."""
    return f"`{on_terminal(text).replace('`', chr(39))}`"
