"""The replay page: its contents, its errors, and its behaviour in a headless Chromium."""

import json
import re
import subprocess
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hanabako.drawing.replay import Frame, Replay
from hanabako.drawing.svg import Symbols, element, rect, stylesheet

TURNS = 12
SEARCHED = 4
"""The turn at which the agent searched."""
NASTY = "</script><!-- <script>alert('x')</script> & \"quotes\""


def game(turns: int = TURNS, **options: object) -> Replay:
    symbols = Symbols("t")

    def layers(turn: int, eyes: str) -> list[str]:
        dot = symbols.use("dot", lambda: element("circle", r=4, class_="t-dot"), 5 + turn, 10)
        return [rect(0, 0, 100, 20, class_="t-table"), dot, element("g", id=f"turn-{turn}-{eyes}")]

    frames = [
        Frame(
            pictures={eyes: layers(turn, eyes) for eyes in ("omniscient", "player_0")},
            texts={eyes: f"the table\nturn {turn} of {eyes}" for eyes in ("omniscient", "player_0")},
            caption=f"the dot is at {turn}" if turn != 3 else NASTY,
            choice="right" if turn < turns else None,
            probabilities={"left": 0.25, "right": 0.75} if turn < turns else {},
            values={"left": -1.5, "up": 8.5, "right": 3.5} if turn == SEARCHED else {},
        )
        for turn in range(turns + 1)
    ]
    style = stylesheet({"t-table": "fill:#fff", "t-dot": "fill:#a00"})
    return Replay("A <dot>", 100, 20, style, symbols, frames, **options)  # type: ignore[arg-type]


def data_of(page: str) -> dict:
    found = re.search(r'<script type="application/json" id="game">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_a_piece_that_many_frames_show_is_stored_once() -> None:
    data = data_of(game().html())
    assert sum("t-table" in piece for piece in data["pool"]) == 1
    assert len(data["pool"]) == len(set(data["pool"]))
    table = next(i for i, piece in enumerate(data["pool"]) if "t-table" in piece)
    assert all(table in numbers for frame in data["frames"] for numbers in frame["pictures"])


def test_every_frame_comes_back_from_the_page() -> None:
    replay = game()
    data = data_of(replay.html())
    assert data["seats"] == ["omniscient", "player_0"]
    for frame, stored in zip(replay.frames, data["frames"], strict=True):
        for layers, numbers in zip(frame.pictures.values(), stored["pictures"], strict=True):
            assert "".join(data["pool"][i] for i in numbers).replace("'", '"') == "".join(layers)
        for words, numbers in zip(frame.texts.values(), stored["texts"], strict=True):
            assert "\n".join(data["pool"][i] for i in numbers) == words
        assert stored["caption"] == frame.caption
        assert {data["pool"][i]: p for i, p in stored["probabilities"]} == frame.probabilities


def test_a_game_without_probabilities_and_values_has_no_panel_for_them() -> None:
    whole = game()
    bare = [replace(frame, probabilities={}, values={}) for frame in whole.frames]
    searched = [bare[0], replace(bare[1], values={"left": 1.0})]
    for frames, is_hidden in ((bare, True), (searched, False), (whole.frames, False)):
        page = replace(whole, frames=frames).html()
        assert bool(re.search(r'<section id="choice"[^>]* hidden>', page)) == is_hidden


def test_no_text_of_a_game_can_break_out_of_the_page() -> None:
    scripts: list[str] = []

    class Scripts(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list) -> None:
            if tag == "script":
                scripts.append(dict(attrs).get("type", ""))

    Scripts().feed(game().html())
    assert scripts == ["application/json", ""]


def test_a_notebook_shows_the_page_in_a_frame_of_its_own() -> None:
    replay = game()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" sandbox="allow-scripts" [^<]*></iframe>', replay._repr_html_())
    assert frame and unescape(frame[1]) == replay.html()


def test_the_page_asks_nobody_for_anything() -> None:
    page = game().html()
    assert "default-src 'none'" in page, "the browser is told to refuse any request"
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    assert "@import" not in page
    assert "url(" not in page


def test_all_references_are_resolved_in_the_page() -> None:
    page = game().html()
    used = set(re.findall(r"""href=['"]#([^'"]+)""", page))
    assert used
    assert all(f'id="{name}"' in page for name in used)
    assert "<!--" not in page.split("<noscript>")[0], "every place of the template is filled"


# --- In a browser -----------------------------------------------------------------------------------------------------


def visit(browser: str, folder: Path, address: str = "", then: str = "", **options: object) -> str:
    """Return the page's document after it and the script `then`, which acts as the reader, have run."""
    page = game(**options).html().replace("</body>", f"<script>{then}</script></body>")  # type: ignore[arg-type]
    return document_of(browser, folder, page, address, milliseconds=500)


def document_of(browser: str, folder: Path, page: str, address: str = "", milliseconds: int = 2000) -> str:
    """Return a page's document after its scripts have run for that much virtual time."""
    file = folder / "game.html"
    file.write_text(page, encoding="utf-8")
    flags = "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update"
    flags += f" --disable-sync --no-first-run --virtual-time-budget={milliseconds} --dump-dom"
    command = [browser, *flags.split(), f"--user-data-dir={folder / 'profile'}", f"{file.as_uri()}{address}"]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", errors="replace", timeout=60, check=True
    ).stdout


def press(*keys: str, on: str = "document.body") -> str:
    return "".join(
        f"{on}.dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true, cancelable: true}}));"
        for key in keys
    )


def shown(document: str) -> tuple[int, str]:
    found = re.search(r'<body data-turn="(\d+)" data-seat="([^"]+)"', document)
    assert found is not None, document[-2000:]
    return int(found[1]), found[2]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("address", "turn", "seat"),
    [
        ("", 0, "omniscient"),
        ("#turn=7&seat=player_0", 7, "player_0"),
        ("#seat=player_0&turn=999", TURNS, "player_0"),
        ("#turn=x&seat=nobody", 0, "omniscient"),
    ],
)
def test_the_address_names_the_turn_and_the_seat(
    browser: str, tmp_path: Path, address: str, turn: int, seat: str
) -> None:
    document = visit(browser, tmp_path, address)
    assert shown(document) == (turn, seat)
    assert f'id="turn-{turn}-{seat}"' in document
    assert f'aria-valuetext="Turn {turn} of {TURNS}"' in document
    assert f"turn {turn} of {seat}</pre>" in document


@pytest.mark.browser
def test_keys_turn_the_pages(browser: str, tmp_path: Path) -> None:
    expected = [
        ("ArrowRight", "6 omniscient"),
        ("ArrowRight", "7 omniscient"),
        ("ArrowLeft", "6 omniscient"),
        ("s", "6 player_0"),
        ("Home", "0 player_0"),
        ("ArrowLeft", "0 player_0"),
        ("End", f"{TURNS} player_0"),
        ("ArrowRight", f"{TURNS} player_0"),
        ("s", f"{TURNS} omniscient"),
    ]
    note = "document.title += ` / ${document.body.dataset.turn} ${document.body.dataset.seat}`;"
    document = visit(browser, tmp_path, "#turn=5", "".join(press(key) + note for key, _ in expected))
    assert " / ".join(["A &lt;dot&gt;", *(state for _, state in expected)]) in document


@pytest.mark.browser
def test_buttons_slider_seats_and_moves_turn_the_pages(browser: str, tmp_path: Path) -> None:
    clicks = "for (const id of ['last', 'back', 'back', 'next']) document.getElementById(id).click();"
    assert shown(visit(browser, tmp_path, "", clicks)) == (TURNS - 1, "omniscient")
    slide = "const t = document.getElementById('turn'); t.value = 4; t.dispatchEvent(new Event('input'));"
    choose = "document.querySelector('input[value=player_0]').click();"
    assert shown(visit(browser, tmp_path, "", slide + choose)) == (4, "player_0")
    assert shown(visit(browser, tmp_path, "", "document.querySelectorAll('#moves button')[9].click();"))[0] == 9


@pytest.mark.browser
def test_a_new_address_is_followed_and_the_address_follows(browser: str, tmp_path: Path) -> None:
    note = f"{press('ArrowRight')} document.title = location.hash;"
    change = f"location.hash = '#turn=2&seat=player_0'; addEventListener('hashchange', () => {{ {note} }});"
    assert "<title>#turn=3&amp;seat=player_0</title>" in visit(browser, tmp_path, "#turn=8", change)


@pytest.mark.browser
def test_the_agents_probabilities_are_bars_and_numbers(browser: str, tmp_path: Path) -> None:
    document = visit(browser, tmp_path, "#turn=3")
    rows = re.findall(r'<tr( class="chosen")?><th scope="row">([^<]+)</th>.*?width: ([\d.]+)%.*?<td>([^<]+)', document)
    assert rows == [(' class="chosen"', "right ← chosen", "75", "75.0 %"), ("", "left", "25", "25.0 %")]
    assert "No further move is recorded." in visit(browser, tmp_path, f"#turn={TURNS}")


@pytest.mark.browser
def test_text_of_the_game_stays_text(browser: str, tmp_path: Path) -> None:
    document = visit(browser, tmp_path, "#turn=3")
    assert "&lt;/script&gt;&lt;!-- &lt;script&gt;alert('x')&lt;/script&gt; &amp;" in document
    assert "<h1>A &lt;dot&gt;</h1>" in document


@pytest.mark.browser
def test_the_page_works_inside_a_notebooks_frame(browser: str, tmp_path: Path) -> None:
    """A sandboxed frame has no address, so turning pages must not depend on writing one."""
    frame = game()._repr_html_().replace("readAddress();", "readAddress(); go.next(); parent.postMessage(turn, '*');")
    listen = "addEventListener('message', event => { document.title = `turn ${event.data}`; });"
    page = f"<!doctype html><title>-</title><script>{listen}</script>{frame}"
    document = document_of(browser, tmp_path, page)
    assert "<title>turn 1</title>" in document


CLICK_ON_SEAT = """
const input = document.querySelector('input[value=player_0]');
input.focus(); input.matches = selector => selector !== ':focus-visible'; input.click();
"""


@pytest.mark.browser
def test_after_a_click_on_a_seat_the_arrows_go_on_turning_the_pages(browser: str, tmp_path: Path) -> None:
    """The focus goes back to the page. A script clicks, because the browser has no pointer here."""
    keys = "".join(press(key, on="document.activeElement") for key in ("ArrowRight", "ArrowRight", "ArrowLeft"))
    assert shown(visit(browser, tmp_path, "#turn=4", CLICK_ON_SEAT + keys)) == (5, "player_0")


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 430])
def test_the_page_fits_a_phone(browser: str, tmp_path: Path, width: int) -> None:
    """The page is shown in a narrow frame, because a desktop browser's window cannot be as narrow."""
    say = "parent.postMessage(document.documentElement.scrollWidth - innerWidth, '*');"
    inside = game().html().replace("</body>", f"<script>{say}</script></body>").replace("&", "&amp;")
    inside = inside.replace('"', "&quot;")
    frame = f'<iframe srcdoc="{inside}" style="width:{width}px;height:900px;border:0"></iframe>'
    fits = "event.data > 0 ? `${event.data} too wide` : 'fits'"
    listen = f"addEventListener('message', event => {{ document.title = {fits}; }});"
    page = f"<!doctype html><title>-</title><script>{listen}</script>{frame}"
    document = document_of(browser, tmp_path, page)
    assert "<title>fits</title>" in document


@pytest.mark.browser
def test_what_a_search_expects_is_drawn_instead_of_probabilities(browser: str, tmp_path: Path) -> None:
    document = visit(browser, tmp_path, f"#turn={SEARCHED}")
    row = r'<th scope="row">([^<]+)</th><td><div class="bar" style="width: ([^;]+);"></div></td><td>([^<]+)</td>'
    assert re.findall(row, document) == [
        ("up", "100%", "8.50"),
        ("right \u2190 chosen", "50%", "3.50"),
        ("left", "0%", "-1.50"),
    ]
    assert "What a search expects of each; bars begin at -1.50." in document
