"""The tables of a comparison in Markdown, with intervals over training runs."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from hanabako.games import game_in_words, returns_in_words
from hanabako.generated import table
from hanabako.words.cleaned import as_code, in_markdown

from .. import estimates
from ..study import Results
from .found import Found
from .rows import Comparison

MILLION = 10**6


def board(comparison: Comparison, results: Results) -> str:
    """Return the tables of a comparison in Markdown."""
    found = Found(comparison, results)
    if not any(found.runs.values()):
        return "No run has ended yet."
    parts = [introduction(found), scores(found), by_seed(found), notes(found)]
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part)))


def introduction(found: Found) -> Iterator[str]:
    """Yield what was compared, and what the columns of the table are."""
    comparison = found.comparison
    config = comparison.make_config()
    features = " or ".join(dict.fromkeys(map(comparison.features_of, comparison.algorithms)))
    text = f"{game_in_words(config)}, observation {config.observation_name}, features {features}; "
    steps, minutes = comparison.steps, comparison.core_minutes
    budget = f"{minutes:g} core-minutes" if steps is None else f"{steps:,} decisions"
    text += f"{budget} a run, {comparison.deals:,} deals a pair"
    if comparison.cooperative:
        lost = "0" if config.rules().score_on_loss_zero else "its points"
        text += f"; best score {config.max_score}, a lost game {lost}"
    else:
        text += f"; numbers are a player's {returns_in_words(config)}"
    if not comparison.reproduction:
        yield f"Not a reproduction: {in_markdown(comparison.reason)}."
        yield ""
    yield f"{text}. Intervals: 95 % over runs."
    if any(is_equivariant(comparison, name) for name in found.runs):
        yield "Equivariant in the suits: Muglich et al. 2022."


def scores(found: Found) -> Iterator[str]:
    """Yield a table with one line per algorithm, and one per partner that has played with itself."""
    cooperative = found.comparison.cooperative
    head = ["algorithm", "runs", "decisions a run", "alone" if cooperative else "evaluated"]
    pairs = ["together (mean; worst pair)", f"pairs that agree (keep {estimates.KEPT:.0%})", "most pairs agree?"]
    pairs = pairs if found.several else []  # a column of dashes says nothing
    head += pairs if cooperative else ["lead over the others"]
    against = found.comparison.against if found.comparison.against in found.several else None
    head += [f"more together than {against}"] if against else []
    head += ["same action"] if found.agreements else []
    head += [f"with {'; '.join(map(partner_named, found.partners))}"] if found.partners else []
    lines = []
    for name in found.ordered:
        runs = found.runs[name]
        if not runs:
            continue
        decisions = millions(float(np.mean([run["steps"] for run in runs])))
        mark = " (equivariant)" if is_equivariant(found.comparison, name) else ""
        cells = [name + mark, str(len(runs)), decisions, estimates.mean(found.own_scores(name)).words()]
        if cooperative:
            cells += together(found, name)[: len(pairs)]
        else:
            cells.append(found.leads[name].words() if name in found.teams else "-")
        if against:
            cells.append(more_together(found, name, against))
        if found.agreements:
            agreed = found.agreement(name)
            cells.append(f"{np.mean(agreed):.0%}" if agreed else "-")
        if found.partners:
            means = found.both(found.teams[name], found.partners).mean(0) if name in found.teams else ()
            cells.append("; ".join(f"{mean:.2f}" for mean in means) or "-")
        lines.append(cells)
    for name in found.comparison.guests if cooperative else ():
        if (name, name) not in found.cells:
            continue
        cells = [partner_named(name), "", "", f"{found.cells[name, name]:.2f}"]
        lines.append([*cells, *[""] * (len(head) - len(cells))])
    yield table(head, lines)


def is_equivariant(comparison: Comparison, name: str) -> bool:
    """Whether renaming the suits renames the actions of an algorithm's networks; False for algorithms of others."""
    from ...learning.common.algorithms import NAMES, named  # imports torch
    from ...networks.kinds import usual_kind

    own = comparison.algorithms[name]
    if own.module not in NAMES:
        return False
    kind = own.settings.get("network", getattr(named(own.module).settings, "network", ""))
    return "symmetric" in (usual_kind(comparison.make_config()) if kind == "auto" else kind)


def together(found: Found, name: str) -> list[str]:
    """Return the cells on cross-play of an algorithm: scores without an interval, and how many pairs of runs agree."""
    if name not in found.several:
        return ["-", "-", "-"]
    scores, agree = found.cross_play(name), estimates.understanding(found.own_matrix(name))
    share = estimates.among(agree, (0.0, 1.0))
    answer = {True: "**yes**", False: "**no**", None: "undecided"}[share.most]
    answer = f"{answer} ({share.low:.0%} to {share.high:.0%})" if share.inference else "too few runs"
    agreeing = f"{estimates.pairs_of(agree).sum():.0f} of {len(scores)}"
    return [f"{scores.mean():.2f}; {scores.min():.2f}", agreeing, answer]


def more_together(found: Found, name: str, against: str) -> str:
    """Return the probability that two runs of an algorithm score more together than two of another, as a cell."""
    if name == against or name not in found.several:
        return "-"
    chance = estimates.probability_of_improvement(found.own_matrix(name), found.own_matrix(against))
    return chance.words() if chance.most is None else f"**{chance.words()}**"


def by_seed(found: Found) -> Iterator[str]:
    """Yield the settings that most algorithms share, then each one's other settings and its scores by seed, if any."""
    algorithms = found.comparison.algorithms.items()
    settings = {name: {"module": own.module} | own.settings for name, own in algorithms if found.runs[name]}
    names = dict.fromkeys(key for own in settings.values() for key in own)
    known = {(own["module"], key) for own in settings.values() for key in own}
    texts = {key: [str(own.get(key, "default")) for own in settings.values()] for key in names}
    counts = {key: Counter(values).most_common(1)[0] for key, values in texts.items() if len(set(values)) > 1}
    usual = {key: value if 2 * count > len(settings) else "default" for key, (value, count) in counts.items()}
    if shared := ", ".join(f"{key}={value}" for key, value in usual.items() if value != "default"):
        yield f"Most algorithms have {in_markdown(shared)}."
        yield ""
    lines = []
    for name, own in settings.items():
        texts_of = {key: str(own.get(key, "default")) for key in usual if (own["module"], key) in known}
        other = [f"{key}={text}" for key, text in texts_of.items() if text != usual[key]]
        scores = ", ".join(f"{score:.2f}" for score in found.own_scores(name))
        lines.append([name, in_markdown(", ".join(other)) or "-", scores])
    if usual or any(len(runs) > 1 for runs in found.runs.values()):
        yield table(["algorithm", "settings that differ", "alone, by seed"], lines)


def partner_named(name: str) -> str:
    """Return a partner's name as a cell."""
    return as_code(name).replace("|", r"\|")


def millions(decisions: float) -> str:
    """Return a number of decisions as text, in millions if it reaches one."""
    return f"{decisions / MILLION:.2f} M" if decisions >= MILLION else f"{decisions:,.0f}"


def notes(found: Found) -> Iterator[str]:
    """Yield the shares of the budget, and how runs differ in their numbers of decisions.

    Named are algorithms with a run of more than a twentieth above its budget of decisions, or with one that made a
    quarter more than another in the same minutes.
    """
    budget, algorithms = found.comparison.steps, found.comparison.algorithms
    steps = {name: [run["steps"] for run in runs] for name, runs in found.runs.items() if runs}
    shares = {name: algorithms[name].share for name in steps}
    if smaller := [f"{name} {share:.3g}" for name, share in shares.items() if share < 1]:
        yield f"Shares of the budget: {', '.join(smaller)}."
    if budget is not None:
        over = [name for name, own in steps.items() if max(own) > 1.05 * budget * shares[name]]
        words = "A run ends after a whole update, so some made more decisions than their budget"
        told = [f"{name} {int(np.mean(steps[name])):,}" for name in over]
    else:
        uneven = {name: (min(own), max(own)) for name, own in steps.items() if max(own) > 1.25 * min(own)}
        words = "In the same minutes some runs made more decisions than others"
        told = [f"{name} {millions(fewest)} to {millions(most)}" for name, (fewest, most) in uneven.items()]
    if told:
        yield f"{words}: {', '.join(told)}."
