"""The booklets' scales that rate a score (H15, E8), each in its own wording.

The three booklets have the same steps with different wordings, so `SCALES` holds one scale per wording. English is the
project's own translation. The others are quoted from the booklets they are named after. A colon follows the first word,
where some booklets have a comma, and two misprints are corrected: "honorabile" for ``honorable`` in the first edition,
"laudată" for ``lăudată`` in the Romanian one.
"""

from dataclasses import dataclass

from hanabako.words.checks import shown
from hanabi_env.config import HanabiConfig
from hanabi_env.engine.state import LOST_ENDS
from hanabi_env.words.notation import END_NAMES

LOST_END_NAMES = tuple(END_NAMES[reason] for reason in LOST_ENDS)


@dataclass(frozen=True)
class Scale:
    """One booklet's wording. A verdict is a word for the show, a mark (``:`` or ``!``), and the crowd's reaction."""

    steps: tuple[tuple[int, str], ...]
    """(highest score, verdict) in ascending order, for the 25-point game."""
    multicolor_steps: tuple[tuple[int, str], ...]
    """The steps above 24 points when a multicolor suit is in play (V1, V2)."""
    lost: str
    """The verdict of a lost game (H12)."""
    perfect: str
    """The verdict of a final bouquet (V5) that was not lost; it has no scale."""


SCALES: dict[str, Scale] = {
    "english": Scale(
        steps=(
            (5, "terrible: the crowd boos"),
            (10, "mediocre: a little scattered applause"),
            (15, "honorable: but nobody will remember it for long"),
            (20, "excellent: the crowd is delighted"),
            (24, "extraordinary: it will stay in every memory"),
            (25, "legendary: young and old are speechless, stars in their eyes"),
        ),
        multicolor_steps=(
            (29, "legendary: young and old are speechless, stars in their eyes"),
            (30, "divine: the sky itself is moved"),
        ),
        lost="lost",
        perfect="perfect",
    ),
    "first_edition_2010": Scale(
        steps=(
            (5, "horrible : huées de la foule..."),
            (10, "médiocre : à peine quelques applaudissements."),
            (15, "honorable : mais ne restera pas dans les mémoires..."),
            (20, "excellente : ravit la foule."),
            (24, "extraordinaire : restera gravée dans les mémoires !"),
            (25, "légendaire : petits et grands sans voix, des étoiles dans les yeux"),
        ),
        multicolor_steps=(
            (29, "légendaire : petits et grands sans voix, des étoiles dans les yeux"),
            (30, "divine : laisse en émoi le ciel lui-même"),
        ),
        lost="perdue",
        perfect="parfaite",
    ),
    "grands_feux": Scale(
        steps=(
            (5, "Risible ! La foule vous hue. Vous espérez être rapidement oubliés."),
            (10, "Médiocre ! Quelques applaudissements polis résonnent dans l'assistance."),
            (15, "Honorable ! Le spectacle ne restera pas longtemps dans les mémoires..."),
            (20, "Excellente ! La foule est enchantée et les visages sont tout sourire !"),
            (24, "Extraordinaire ! Cette prouesse éblouissante restera gravée dans les mémoires !"),
            (
                25,
                "Légendaire ! L'assemblée est sans voix, des étoiles brillent dans les yeux des petits et des grands.",
            ),
        ),
        multicolor_steps=(
            (
                29,
                "Légendaire ! L'assemblée est sans voix, des étoiles brillent dans les yeux des petits et des grands.",
            ),
            (30, "Divine ! Laisse en émoi le ciel lui-même..."),
        ),
        lost="Perdue !",
        perfect="Parfait !",
    ),
    "romanian_2013": Scale(
        steps=(
            (5, "oribilă: huiduită de mulțime..."),
            (10, "mediocră: ici și colo aplauze răzlețe."),
            (15, "onorabilă: dar nimeni nu-și va aminti de ea prea mult timp..."),
            (20, "excelentă: mulțimea este satisfăcută."),
            (24, "minunată: va fi ținută minte mult timp!"),
            (25, "lăudată: cei mici și cei mari au rămas fără grai"),
        ),
        multicolor_steps=(
            (29, "legendară: cei mici și cei mari au rămas fără grai"),
            (30, "divin: jocul de artificii surprinde până și cerul."),
        ),
        lost="pierdută",
        perfect="fără cusur",
    ),
}


def check_wording(wording: str) -> None:
    """Raise ``ValueError`` if no booklet has this ``wording``."""
    if wording not in SCALES:
        raise ValueError(f"wording must be one of {', '.join(map(repr, SCALES))}, got {shown(wording)}")


def verdict(config: HanabiConfig, score: int, end_reason: str | None, wording: str = "english") -> str:
    """Return the booklet's verdict on ``score``, during the game or (with ``end_reason``) after it.

    ``wording`` is a key of `SCALES`. The verdict is empty if the booklets have none: for decks that are not full-size
    (E8; a lost game has a verdict in every deck), and for a final bouquet (V5) that is not over.

    Raises:
        ValueError: no booklet has this ``wording``.
    """
    check_wording(wording)
    scale = SCALES[wording]
    if end_reason in LOST_END_NAMES:
        return scale.lost
    if config.final_bouquet:
        return scale.perfect if end_reason == "complete" else ""
    if (config.colors, config.ranks) != (5, 5):
        return ""
    steps = scale.steps if config.multicolor is None else scale.steps[:-1] + scale.multicolor_steps
    return next(words for highest, words in steps if score <= highest)


def verdicts(config: HanabiConfig, score: int, end_reason: str | None) -> dict[str, str]:
    """Return the verdicts of all booklets by wording."""
    return {wording: verdict(config, score, end_reason, wording) for wording in SCALES}


def word_and_crowd(words: str) -> tuple[str, str]:
    """Split a verdict into the word for the show and the crowd's reaction, which is empty if there is none."""
    for mark in (" :", ":", " !"):
        word, found, crowd = words.partition(mark)
        if found:
            return word, crowd.strip()
    return words, ""


def score_words(config: HanabiConfig, score: int) -> str:
    """Return the score as text; with black powder the booklet requires that this is mentioned (V3)."""
    return f"{score} black powder" if config.black_powder else str(score)
