"""The project's studies: each has a one-line description, and the pages show its results."""

import pytest

from agents.results.finding import find, load, names, title_of
from agents.results.pages import DOCUMENTS, write_page
from hanabako.generated import marks


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_the_pages_show_the_results_of_every_study(name: str) -> None:
    place = find(name)
    assert write_page(load(place), place, check=True) == [], f"hanabako study page {name} writes it"


@pytest.mark.parametrize("name", names())
def test_a_study_says_in_a_line_what_it_is(name: str) -> None:
    assert title_of(name).endswith((".", "?")) and len(title_of(name)) <= 80


def test_every_part_of_the_page_of_scores_belongs_to_one_study() -> None:
    shown = [title for name in names() for title in load(find(name)).tables]
    scores, readme = (list(marks(path.read_text(encoding="utf-8"))) for path in DOCUMENTS)
    assert sorted(scores) == sorted(title for title in shown if title not in readme)
