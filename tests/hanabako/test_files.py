"""Text files: whole or not at all, and generated parts of pages."""

from pathlib import Path

import pytest

from agents.studies.generated import filled, marks, update
from hanabako.files import write_text

PAGE = "before\n<!-- begin ends -->\nold\n<!-- end ends -->\n<!-- begin other -->\nkept\n<!-- end other -->\n"


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = write_text(tmp_path / "new" / "page.html", "première")
    assert target.read_text(encoding="utf-8") == "première"

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_text(target, "second")
    assert target.read_text(encoding="utf-8") == "première"
    assert [file.name for file in target.parent.iterdir()] == ["page.html"]


def test_a_page_is_written_between_its_marks_and_only_there(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(PAGE, encoding="utf-8")
    with pytest.raises(SystemExit, match=r"README\.md is out of date: run python -m a_game\.card"):
        update(page, [("ends", "new")], True, "python -m a_game.card")
    assert page.read_text(encoding="utf-8") == PAGE
    assert update(page, [("ends", "new")], False, "")
    assert page.read_text(encoding="utf-8") == PAGE.replace("old", "new")
    assert not update(page, [("ends", "new\n")], True, ""), "up to date; the end of a line more or less is the same"


def test_the_marks_of_a_page_are_its_generated_parts() -> None:
    assert marks(PAGE) == ["ends", "other"]


@pytest.mark.parametrize("page", ["", "<!-- begin ends -->\n", 2 * PAGE])
def test_a_page_must_hold_a_part_once(page: str) -> None:
    with pytest.raises(ValueError, match=r"must hold .* and .* once, has them [02] times"):
        filled(page, [("ends", "new")])
