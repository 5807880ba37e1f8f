"""Charts: one style, named lines, and files that are complete."""

import numpy as np

from hanabako.drawing.charts import chart, from_zero, legend, save


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
