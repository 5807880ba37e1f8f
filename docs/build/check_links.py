"""Check a built site without the network: every internal link must lead to a file, and to an id in it.

    python -m docs.build.check_links .cache/docs/html

Scripts, styles and pictures from other hosts are errors too: a page must look the same without a network.
"""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import tyro

__all__ = ["broken_links"]

TARGETS = {
    "a": "href",
    "link": "href",
    "img": "src",
    "script": "src",
    "iframe": "src",
    "source": "src",
    "object": "data",
}


class Page(HTMLParser):
    """A page with its links, as (tag, address), and the ids that links may target."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.ids = {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect a tag's id and its link."""
        values = {name: value or "" for name, value in attrs}
        self.ids |= {values.get("id", ""), values.get("name", "") if tag == "a" else ""}
        if TARGETS.get(tag, "") in values:
            self.links.append((tag, values[TARGETS[tag]]))


def broken_links(site: Path) -> Iterator[str]:
    """Yield one line per broken link of the site's pages."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}
    for path, page in pages.items():
        for tag, address in page.links:
            link = urlsplit(address)
            if link.scheme or link.netloc:
                if tag not in ("a", "link") and link.scheme != "data":
                    yield f"{path.relative_to(site.resolve())}: {tag} from another host, {address}"
                continue
            target = (path.parent / unquote(link.path)).resolve() if link.path else path
            if not target.is_file():
                yield f"{path.relative_to(site.resolve())}: no file {address}"
            elif target in pages and unquote(link.fragment) not in pages[target].ids:
                yield f"{path.relative_to(site.resolve())}: no place {address}"


def check(site: Path, /) -> None:
    """Print the broken links of a site; exit with status 1 if there are any."""
    lines = sorted(set(broken_links(site)))
    print("\n".join(lines) or "no broken internal links")
    raise SystemExit(bool(lines))


if __name__ == "__main__":
    tyro.cli(check)
