"""Play many games with given agents and print their scores.

    hanabako evaluate hanabi --agents smart --games 20000
    hanabako evaluate hanabi --players 4 --agents questions
    hanabako evaluate hanabi --agents smart,piers,runs/NAME/policy.safetensors --mode cross-play --png matrix.png
    hanabako evaluate hanabi --players 4 --agents smart,iggi --mode one-guest --json one_guest.json
    hanabako evaluate hanabi --agents smart,piers,iggi,outer --mode ad-hoc --games 5000
    hanabako evaluate hanabi --agents smart --mode communication
    hanabako evaluate koikoi --agents counting,greedy_stop --mode tournament

Agents are bots and networks by name (`hanabako agents` lists them), policy files or folders of training runs, published
networks of Hanabi (obl:FILE, sad:FILE, bc_lstm:FILE, see docs/published.md), and language models (llm:MODEL, see
docs/language_models.md; use few --games).
"""

from hanabako.files import check_writable
from hanabako.results_file import origin_of, write_results

from ..results.evaluation import Args, answers_of, describe, draw, evaluate
from ..results.study import options_of


def run(args: Args) -> None:
    """Play the evaluation that ``args`` describe, print the result, and write the files that they ask for.

    The exit status is 1 if agents were left out or games were given up.
    """
    check_writable(args.json, args.png)
    answers = answers_of(args)
    goes_on = f"; the answers so far are in {answers}, and the same command goes on from them"
    try:
        found = evaluate(args)
    except ValueError as error:
        if answers is None or not answers.exists():
            raise
        raise ValueError(f"{error}{goes_on}") from error
    print(describe(found))
    if args.json:
        origin = origin_of(["evaluate", args.game, *options_of(args)])
        write_results(args.json, "evaluation", origin, [origin | dict(row) for row in found.rows])
    if args.png:
        draw(args.png, found)
    if any("partial" in row for row in found.rows):
        raise SystemExit(f"evaluate: the result is partial{goes_on if answers else ''}")
    if answers is not None and any("answers" in row for row in found.rows):
        answers.unlink(missing_ok=True)
    if found.refused:
        raise SystemExit(f"evaluate: left out {len(found.refused)} of the agents, as said above")
