"""Charts: one style, named lines, and files that are complete."""

import numpy as np
import pytest

from hanabako.drawing.charts import COLORS, band, chart, from_zero, legend, panels, reference, save


def test_many_names_stand_in_columns_beside_axes_of_the_usual_size(tmp_path):
    figure, axes = chart("title")
    for k in range(40):
        axes.plot([0, 1], [k, k], label=f"run {k}")
    legend(axes)
    save(tmp_path / "chart.png", figure)
    names, whole = axes.get_legend().get_window_extent(), figure.bbox
    assert whole.y0 <= names.y0 and names.y1 <= whole.y1 and names.x1 <= whole.x1 + 1
    assert axes.get_position().height > 0.6


def test_a_level_line_near_the_top_has_room_for_its_name():
    _, axes = chart("title", ylim=(0, 25))
    reference(axes, 10.0, "low")
    assert axes.get_ylim() == (0, 25)
    reference(axes, 24.5, "high")
    assert axes.get_ylim() == (0, 25.75)


def test_a_chart_has_its_title_labels_and_limits():
    figure, axes = chart("Scores", "decisions", "points", (4, 3), ylim=(0, 25))
    assert (axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()) == ("Scores", "decisions", "points")
    assert axes.get_ylim() == (0, 25)
    assert tuple(figure.get_size_inches()) == (4, 3)


def test_lines_take_the_colors_in_their_order():
    _, axes = chart("Scores")
    lines = [axes.plot([0, 1], [k, k], label=f"run {k}")[0] for k in range(3)]
    assert [line.get_color() for line in lines] == list(COLORS[:3])
    legend(axes, loc="lower right")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["run 0", "run 1", "run 2"]


@pytest.mark.parametrize("upright", [False, True])
def test_a_reference_line_is_named_where_it_is(upright: bool):
    _, axes = chart("Scores", ylim=(0, 25))
    reference(axes, 22.5, "SmartBot", upright=upright)
    (line,) = axes.lines
    across = line.get_xdata() if upright else line.get_ydata()
    assert set(across) == {22.5}
    assert [text.get_text() for text in axes.texts] == ["SmartBot"]


def test_a_band_spans_its_two_lines():
    _, axes = chart("Scores")
    band(axes, [0, 1], [2, 3], [4, 7], COLORS[0])
    corners = axes.collections[0].get_paths()[0].vertices
    assert (corners[:, 1].min(), corners[:, 1].max()) == (2, 7)


def test_an_axis_begins_at_zero_or_says_why_not():
    seen = []
    for low, high in ((5, 20), (16, 24), (-3, 5)):
        _, axes = chart("Scores", y="points", ylim=(low, high))
        from_zero(axes)
        seen.append((axes.get_ylim(), axes.get_ylabel()))
    why = "points\n(the axis begins at 16.0, to show differences)"
    assert seen == [((0, 20), "points"), ((16, 24), why), ((-3, 5), "points")]


def test_panels_stand_in_one_row():
    figure, axes = panels(["one", "two", "three"], share_y=True)
    assert [one.get_title(loc="left") for one in axes] == ["one", "two", "three"]
    assert len(figure.axes) == 3


def test_panels_in_rows_share_their_axes_and_all_columns_are_labelled(tmp_path):
    figure, axes = panels(["one", "two", "three", "four", "five"], columns=3)
    axes[0].plot([0, 10], [0, 25])
    save(tmp_path / "chart.png", figure)
    assert len(figure.axes) == 5
    assert {one.get_ylim() for one in axes} == {axes[0].get_ylim()}
    tops = [round(one.get_position().y1, 3) for one in axes]
    assert tops[:3] == [tops[0]] * 3 and tops[3] == tops[4] < tops[0]
    labelled = [any(label.get_visible() and label.get_text() for label in one.get_xticklabels()) for one in axes]
    assert labelled == [False, False, True, True, True]


def test_a_saved_chart_is_a_picture(tmp_path):
    figure, axes = chart("Scores", size=(2, 1))
    axes.plot(np.arange(3))
    path = save(tmp_path / "new" / "chart.png", figure)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert [one.name for one in path.parent.iterdir()] == ["chart.png"]


def test_a_dollar_sign_in_a_name_begins_no_formula(tmp_path):
    name = r"$\frac$"
    figure, axes = chart(name, name, name)
    axes.set_xticks([0], [name])
    axes.plot([0, 1], [0, 1], label=name)
    legend(axes)
    assert save(tmp_path / "chart.png", figure).stat().st_size
