"""The project's studies: each has a one-line description and a page that shows its results."""

import pytest

from hanabako.agents.results.finding import STUDIES, find, load, names, title_of
from hanabako.agents.results.pages import write_page


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_the_pages_show_the_results_of_every_study(name: str) -> None:
    place = find(name)
    assert write_page(load(place), place, check=True) == [], f"hanabako study page {name} writes it"


@pytest.mark.parametrize("name", names())
def test_a_study_says_in_a_line_what_it_is_and_the_index_has_its_page(name: str) -> None:
    assert title_of(name).endswith((".", "?")) and len(title_of(name)) <= 120
    assert f"({name}.md)" in (STUDIES / "SCORES.md").read_text(encoding="utf-8")
