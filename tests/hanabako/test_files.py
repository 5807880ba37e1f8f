"""Files are written whole or not at all, with the right mode, through links and to devices; parts of pages too."""

import errno
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hanabako.files import check_writable, replacing, write_bytes, write_text
from hanabako.generated import filled, marks, update

PAGE = "before\n<!-- begin ends -->\nold\n<!-- end ends -->\n<!-- begin other -->\nkept\n<!-- end other -->\n"
ORDINARY = 65534
"""The id of a user without rights."""


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


@pytest.fixture
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.parametrize("umask", [0o077, 0o022, 0o002], indirect=True)
def test_a_new_file_has_the_mode_that_the_umask_says_and_an_old_one_keeps_its_own(tmp_path: Path, umask: int) -> None:
    path = write_text(tmp_path / "a.json", "1")
    assert mode_of(path) == 0o666 & ~umask
    for mode in (0o600, 0o664, 0o755):
        path.chmod(mode)
        assert mode_of(write_text(path, str(mode))) == mode


def test_what_is_secret_is_so_while_it_is_written(tmp_path: Path) -> None:
    path = write_text(tmp_path / "a.json", "1")
    path.chmod(0o600)
    with replacing(path):
        assert {mode_of(file) for file in tmp_path.iterdir()} == {0o600}


def test_a_file_stays_its_owners_if_that_is_permitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only root may give files away. Another user gets a file that seems to have another owner."""
    path, wanted, given = write_text(tmp_path / "a.json", "1"), (1234, 4321), []
    path.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(path, *wanted)
    else:
        there = os.stat_result([*path.stat()[:4], *wanted, *path.stat()[6:]])
        monkeypatch.setattr("hanabako.files.status_of", lambda _: there)
    chown = os.chown

    def noted(path: Path, *owner: int) -> None:
        given.append(owner)
        chown(path, *owner)

    monkeypatch.setattr(os, "chown", noted)
    there = write_text(path, "2").stat()
    assert (path.read_text(encoding="utf-8"), mode_of(path), given) == ("2", 0o600, [wanted])
    assert (there.st_uid, there.st_gid) == (wanted if os.geteuid() == 0 else (os.geteuid(), os.getegid()))


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path, there: bool) -> None:
    target, link, other = tmp_path / "kept" / "a.json", tmp_path / "link", tmp_path / "other"
    link.symlink_to("other")
    other.symlink_to(target)
    if there:
        write_text(target, "old").chmod(0o640)
    assert write_text(link, "new") == link
    assert link.is_symlink() and other.is_symlink() and not target.is_symlink()
    assert target.read_text(encoding="utf-8") == link.read_text(encoding="utf-8") == "new"
    assert not there or mode_of(target) == 0o640
    assert [file.name for file in target.parent.iterdir()] == ["a.json"]


@pytest.mark.parametrize("by_link", [True, False])
def test_a_fifo_is_written_to(tmp_path: Path, by_link: bool) -> None:
    fifo = path = tmp_path / "fifo"
    os.mkfifo(fifo)
    if by_link:
        path = tmp_path / "link"
        path.symlink_to(fifo)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()), daemon=True)
    reader.start()
    check_writable(path)
    write_bytes(path, b"all of it")
    reader.join(timeout=20)
    assert read == [b"all of it"]
    assert stat.S_ISFIFO(fifo.lstat().st_mode) and path.is_symlink() == by_link


def test_a_device_is_written_to_and_stays() -> None:
    """A pseudo-terminal is a device that any user may make."""
    controller, device = os.openpty()
    path = Path(os.ttyname(device))
    check_writable(path)
    write_text(path, "said")
    assert os.read(controller, 100) == b"said" and stat.S_ISCHR(path.lstat().st_mode)
    os.close(device)
    os.close(controller)


def test_trying_a_path_leaves_nothing(tmp_path: Path) -> None:
    kept = write_text(tmp_path / "kept.json", "1")
    (tmp_path / "link").symlink_to("new/elsewhere.json")
    check_writable(kept, None, tmp_path / "new.json", str(tmp_path / "new" / "folder" / "new.json"), tmp_path / "link")
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["kept.json", "link"]
    assert kept.read_text(encoding="utf-8") == "1"


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("", errno.EISDIR),
        ("folder", errno.EISDIR),
        ("file/a.json", errno.ENOTDIR),
        ("file/folder/a.json", errno.ENOTDIR),
        ("loop", errno.ELOOP),
        ("to-folder", errno.EISDIR),
        (300 * "x", errno.ENAMETOOLONG),
        ("/proc/a.json", errno.ENOENT),
        ("/proc/folder/a.json", errno.ENOENT),
    ],
)
def test_a_path_that_cannot_be_written_is_named_before_and_after_the_work(path: str, error: int, cwd: Path) -> None:
    if path.startswith("/proc") and not Path("/proc").is_dir():
        pytest.skip("no /proc here")
    write_text("file", "1")
    Path("folder").mkdir()
    Path("loop").symlink_to("loop")
    Path("to-folder").symlink_to("folder")
    before = sorted(cwd.rglob("*"))
    for tried in (check_writable, lambda path: write_text(path, "2")):
        with pytest.raises(OSError, match="cannot be written: ") as caught:
            tried(path)
        assert caught.value.errno == error and str(caught.value).startswith(f"[Errno {error}] {path or '.'} cannot")
    assert sorted(cwd.rglob("*")) == before


@pytest.fixture
def folder_of_a_user() -> Iterator[Path]:
    """Return a folder of this user, who is an ordinary one for the test: root may write everywhere."""
    folder, is_root = Path(tempfile.mkdtemp()), os.geteuid() == 0
    if is_root:
        os.chown(folder, ORDINARY, ORDINARY)
        os.seteuid(ORDINARY)
    yield folder
    if is_root:
        os.seteuid(0)
    folder.chmod(0o700)
    shutil.rmtree(folder)


def test_a_folder_that_may_not_be_written_to_is_found_before(folder_of_a_user: Path) -> None:
    check_writable(folder_of_a_user / "a.json")
    folder_of_a_user.chmod(0o500)
    with pytest.raises(PermissionError, match=r"a\.json cannot be written"):
        check_writable(folder_of_a_user / "a.json")


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
