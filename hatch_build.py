"""The distribution's README, which shows its pictures on PyPI, and its addresses."""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class PublishedReadme(MetadataHookInterface):
    """The README, and the project's addresses, as PyPI shows them.

    ``HANABAKO_REPOSITORY`` is the address of the repository on a forge with GitHub's paths, ``HANABAKO_SITE`` that of
    the documentation. A build for PyPI sets them; without, links stay as they are in a clone.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        """Set ``readme`` and ``urls``."""
        repository, site = (os.environ.get(f"HANABAKO_{name}", "").rstrip("/") for name in ("REPOSITORY", "SITE"))
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = with_whole_links(text, repository) if repository else text
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        addresses = {"Source": repository, "Changelog": repository and f"{repository}/blob/HEAD/CHANGELOG.md"}
        metadata["urls"] = {name: to for name, to in {**addresses, "Documentation": site}.items() if to}


def with_whole_links(page: str, repository: str) -> str:
    """The page with links into the clone leading to the repository instead, those of pictures to the files as such."""

    def whole(link: re.Match[str]) -> str:
        return f"{link[1]}[{link[2]}]({repository}/{'raw' if link[1] else 'blob'}/HEAD/{link[3]})"

    return re.sub(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)", whole, page)
