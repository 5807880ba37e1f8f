"""Write the scoreboard into the README beside this file and into the project's, from the results beside it.

python -m agents.evaluate hanabi --preset mini --agents random --json agents/results/random-mini.json
python -m agents.scoreboard            # the table, from all of agents/results/*.json
python -m agents.scoreboard --check    # only say whether it is up to date
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from env_core.svg import write_text

HERE = Path(__file__).resolve().parent
DOCUMENTS = (HERE / "README.md", HERE.parent / "README.md")
BEGIN, END = "<!-- scoreboard -->", "<!-- end of scoreboard -->"
HEAD = (
    "| game | players | agent | observation | score | fireworks count | perfect | lost | games | training |",
    "|---|---|---|---|---|---|---|---|---|---|",
)


def table(results: Sequence[dict[str, Any]]) -> str:
    """The results as a Markdown table, best first in each game."""
    order = sorted(results, key=lambda result: (result["preset"], result["config"]["players"], -result["score"]))
    return "\n".join([*HEAD, *map(row, order)])


def row(result: dict[str, Any]) -> str:
    """One line of the table."""
    cells = [
        f"{result['config']['game']} {result['preset']}",
        result["config"]["players"],
        " with ".join(dict.fromkeys(map(agent_name, result["agents"]))),
        result["observation"],
        f"{result['score']:.2f} ± {result['score_error']:.2f}",
        f"{result['fireworks_score']:.2f} ± {result['fireworks_score_error']:.2f}",
        f"{result['perfect_rate']:.1%}",
        f"{result['lost_rate']:.2%}",
        f"{result['games']:,}",
        "; ".join(dict.fromkeys(training(about) for about in result["training"] if about)) or "none",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def agent_name(name: str) -> str:
    """Networks are told apart by how they were trained, so they share a name."""
    return "PPO" if name.endswith(".safetensors") else name


def training(about: dict[str, Any]) -> str:
    """How a network came to be, in words."""
    return f"{about['steps'] / 1e6:.0f} M steps in {about['seconds'] / 60:.1f} min on {about['ranks']} ranks"


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m agents.scoreboard", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="only say whether the READMEs are up to date")
    options = parser.parse_args(arguments)
    results = [json.loads(path.read_text()) for path in sorted((HERE / "results").glob("*.json"))]
    board = table([result for result in results if "score" in result])
    for document in DOCUMENTS:
        text = document.read_text()
        before, rest = text.split(BEGIN)
        filled = f"{before}{BEGIN}\n{board}\n{END}{rest.split(END)[1]}"
        if options.check and filled != text:
            raise SystemExit(f"{document} is behind agents/results: python -m agents.scoreboard")
        if filled != text:
            write_text(document, filled)


if __name__ == "__main__":
    main()
