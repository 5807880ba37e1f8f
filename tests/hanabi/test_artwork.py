"""The colors and shapes of Hanabi's cards can be told apart with every kind of color vision."""

import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from hanabi_env.drawing.artwork import SUIT_COLORS, SUIT_SHAPES, style

# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB.
DEFICIENCIES = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    "none": np.eye(3).tolist(),
}


def linear(color: str) -> np.ndarray:
    srgb = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of WCAG."""
    dark, light = sorted(float(np.dot([0.2126, 0.7152, 0.0722], linear(color))) for color in (first, second))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_suits_differ_for_every_kind_of_eyes(deficiency: str) -> None:
    seen = {suit: lab(np.array(DEFICIENCIES[deficiency]) @ linear(fill)) for suit, (fill, _, _) in SUIT_COLORS.items()}
    for one, other in combinations("RYGWB", 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 20, f"{one} and {other}"


def test_suits_differ_without_any_color() -> None:
    assert len(set(SUIT_SHAPES.values())) == len(SUIT_SHAPES) == len(SUIT_COLORS) - 1, "M's flower is drawn apart"


@pytest.mark.parametrize("suit", SUIT_COLORS)
def test_numerals_stand_out_from_their_card(suit: str) -> None:
    fill, _, ink = SUIT_COLORS[suit]
    assert contrast(fill, ink) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_in_both_themes(theme: Any) -> None:
    colors = dict(re.findall(r"\.(hb-[\w-]+)\{(?:fill|stroke):(#\w+)", style(theme)))
    for ground in ("hb-table", "hb-panel"):
        assert contrast(colors["hb-ink"], colors[ground]) >= 7
        assert contrast(colors["hb-soft"], colors[ground]) >= 4.5
