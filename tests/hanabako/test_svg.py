"""The SVG builder: well-formed markup, words without fonts, symbols, themes, pixels. Charts: one style, named lines."""

import string
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hanabako.drawing import glyphs
from hanabako.drawing.charts import chart, from_zero, legend, save
from hanabako.drawing.svg import (
    Symbols,
    document,
    element,
    escape,
    rasterize,
    rect,
    stylesheet,
    text,
    text_width,
    wrap,
)

NS = "{http://www.w3.org/2000/svg}"
PRINTABLE = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"))


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


@given(PRINTABLE)
def test_any_text_survives_in_an_element_and_in_an_attribute(words: str) -> None:
    parsed = parse(element("a", escape(words), title=words))
    assert (parsed.text or "") == words
    assert parsed.get("title") == words


def test_attributes_are_renamed_shortened_and_left_out() -> None:
    written = element("rect", x=1.0, y=-0.001, width=2 / 3, class_="a", stroke_width=2, rx=None)
    assert written == '<rect x="1" y="0" width="0.67" class="a" stroke-width="2"/>'


def test_every_printable_ascii_character_has_a_glyph() -> None:
    missing = [c for c in string.printable[:95] if c not in glyphs.STROKES]
    assert missing == []


@pytest.mark.parametrize("words", ["Légendaire ! L'assemblée", "șterși în mulțimea lăudată", "Kōyō, yaku", "naïve Çà"])
def test_accented_letters_of_the_booklets_are_drawn(words: str) -> None:
    box = glyphs.glyph("\N{REPLACEMENT CHARACTER}")
    assert all(glyphs.glyph(c) != box for c in words)
    assert glyphs.glyph("é") != glyphs.glyph("e")
    assert glyphs.glyph("é")[0] == glyphs.glyph("e")[0]


def test_an_unknown_character_is_seen_to_be_missing() -> None:
    assert glyphs.glyph("花") == glyphs.STROKES["\N{REPLACEMENT CHARACTER}"]
    assert "M0 0v-20h12v20z" in text("花", 0, 0, 10, "ink")


def test_words_are_paths_and_never_text() -> None:
    line = parse(text("R3 plays", 10, 20, 8, "ink", bold=True))
    assert line.tag == "path"
    assert line.get("class") == "glyphs ink"
    assert text("", 0, 0, 8, "ink") == ""


def test_shared_words_stand_where_a_whole_line_has_them() -> None:
    words, symbols = "one two  three", Symbols("t")
    shared = parse(text(words, 0, 0, 20, "ink", symbols=symbols))
    starts = [float(use.get("x", "0")) for use in shared]
    assert starts[1] == pytest.approx(glyphs.width_of("one ") + glyphs.TRACKING)
    assert starts[-1] + glyphs.width_of("three") == pytest.approx(glyphs.width_of(words))


@given(st.text(string.ascii_letters + " ", max_size=60))
def test_wrapping_keeps_every_word_and_the_width(words: str) -> None:
    lines = wrap(words, 120, 10)
    assert " ".join(lines).split() == words.split()
    assert all(text_width(line, 10) <= 120 or " " not in line for line in lines)


def test_a_symbol_is_drawn_once_however_often_it_is_used() -> None:
    drawn = []
    symbols = Symbols("demo")
    for x in (0, 10, 20):
        use = symbols.use("card", lambda: drawn.append(1) or "<rect/>", x)
    assert len(drawn) == 1
    assert symbols.markup() == '<defs><g id="demo-card"><rect/></g></defs>'
    assert use == '<use href="#demo-card" x="20"/>'


def test_ids_of_words_are_different_and_safe() -> None:
    symbols = Symbols("t")
    words = ["R3", "r3", "R3:", "R_3a.", "é", 'a"b', "", "&", "-"]
    uses = {text(f"x {word}", 0, 0, 10, "ink", symbols=symbols) for word in words}
    assert len(uses) == len(words)
    parse(symbols.markup())


def test_a_theme_follows_the_reader_or_is_fixed() -> None:
    light, dark = {"a": "fill:#fff", "b": "fill:red"}, {"a": "fill:#000"}
    auto = stylesheet(light, dark)
    assert ".a{fill:#fff}" in auto
    assert "@media (prefers-color-scheme:dark){.a{fill:#000}}" in auto
    assert "@media" not in stylesheet(light, dark, "light") + stylesheet(light, dark, "dark")
    assert ".a{fill:#000}" in stylesheet(light, dark, "dark")
    assert ".b{fill:red}" in stylesheet(light, dark, "dark")


def test_a_document_says_in_words_what_it_shows() -> None:
    parsed = parse(document(30, 20, rect(0, 0, 30, 20), style="", title="A & B", description="two <cards>"))
    assert parsed.get("role") == "img"
    assert parsed.get("viewBox") == "0 0 30 20"
    assert parsed.findtext(f"{NS}title") == "A & B"
    assert parsed.findtext(f"{NS}desc") == "two <cards>"


def picture() -> str:
    symbols = Symbols("t")
    dot = symbols.use("dot", lambda: element("circle", r=6, class_="t-dot"), 20, 10)
    style = stylesheet({"t-table": "fill:#ffffff", "t-dot": "fill:#ff0000"}, {"t-table": "fill:#000000"})
    return document(40, 20, rect(0, 0, 40, 20, class_="t-table"), dot, style=style, title="dot", symbols=symbols)


def test_pixels_are_those_of_the_picture() -> None:
    pytest.importorskip("resvg_py", reason="render: resvg-py is not installed")
    pixels = rasterize(picture(), width=80)
    assert pixels.shape == (40, 80, 3)
    assert pixels.dtype == np.uint8
    assert pixels[20, 40].tolist() == [255, 0, 0], "a symbol may reach to the left of and above its origin"
    assert pixels[20, 34].tolist() == [255, 0, 0]
    assert pixels[2, 2].tolist() == [255, 255, 255], "without media queries the theme is light"


@pytest.mark.parametrize("package", ["resvg_py", "PIL"])
def test_without_the_extra_the_error_names_it(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("resvg_py", reason="render: resvg-py is not installed")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"drawing pixels needs {package}: pip install pillow resvg-py"):
        rasterize(picture())


def test_xml_has_no_control_characters():
    markup = element("title", escape("a\x00\x1b[2J\ud800\nb"))
    assert ElementTree.fromstring(markup.encode()).text == "a\ufffd\ufffd[2J\ufffd\nb"


def test_a_chart_has_its_title_labels_and_limits():
    figure, axes = chart("Scores", "decisions", "points", (4, 3), ylim=(0, 25))
    assert (axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()) == ("Scores", "decisions", "points")
    assert axes.get_ylim() == (0, 25)
    assert tuple(figure.get_size_inches()) == (4, 3)


def test_an_axis_begins_at_zero_or_says_why_not():
    seen = []
    for low, high in ((5, 20), (16, 24), (-3, 5)):
        _, axes = chart("Scores", y="points", ylim=(low, high))
        from_zero(axes)
        seen.append((axes.get_ylim(), axes.get_ylabel()))
    why = "points\n(the axis begins at 16.0, to show differences)"
    assert seen == [((0, 20), "points"), ((16, 24), why), ((-3, 5), "points")]


def test_a_dollar_sign_in_a_name_begins_no_formula(tmp_path):
    name = r"$\frac$"
    figure, axes = chart(name, name, name)
    axes.set_xticks([0], [name])
    axes.plot([0, 1], [0, 1], label=name)
    legend(axes)
    assert save(tmp_path / "chart.png", figure).stat().st_size
