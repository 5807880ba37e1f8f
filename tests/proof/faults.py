"""Faults planted in the rules and observations of all games, one at a time: does a check detect them?

A fault is one change in one function: another comparison, number or operator, a negated condition, or a statement left
out. A separate process without the compiler gives the function the changed code and plays the game beside the tests'
plain reference; faults that this misses must change the digests of fixed games. Faults that neither check detects are
listed and explained in `EXPLAINED`.
"""

import ast
import copy
import os
import random
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from types import FunctionType
from typing import Any

from docs.build.rule_card import markdown_rows
from tests.proof.records import Record, work

PROMISE = "The tests detect faults in the rules and in the observations"
TESTED = (
    "single changes in functions of rules, cards, observation and rewards; each is played without the compiler beside "
    "the plain reference games, then compared with the digests of the fixed games"
)
ROOT = Path(__file__).resolve().parents[2]
PER_GAME = 110
"""Faults of each game, drawn evenly over its functions."""
MODULES = {
    "hanabi": ("rules", "cards", "tiles", "observation", "rewards"),
    "ikebana": ("rules", "cards", "observation", "rewards"),
    "koikoi": ("rules", "dealing", "scoring", "yaku", "cards", "observation", "rewards"),
}
PACKAGES = {"hanabi": "hanabi_env", "ikebana": "ikebana_env", "koikoi": "hanafuda_env"}
CPU_SECONDS = 120
"""Seconds after which an endless game counts as a detected fault: twice what an undetected fault takes."""

EXPLAINED: dict[str, str] = {
    "hanabi: hanabi_env.cards.following 121:74: 0 + 1": "the same: a color comes before black, whose suit is never 0",
    "hanabi: hanabi_env.cards.others_set 176:24: 1 - 1": (
        "test_E11_c_and_d_are_lost_where_only_the_own_hand_holds_cards detects it and was written for it"
    ),
    "hanabi: hanabi_env.observation.write_event 158: np.int64(s.length) - 1 - age + rules.history with Sub": (
        "the same: the index is taken modulo the history"
    ),
    "hanabi: hanabi_env.rules.can_act 210:40: 0 - 1": "test_V5_a_player_with_no_card_and_no_token_is_stuck detects it",
    "hanabi: hanabi_env.rules.fireworks_score 458: rules.black_suit >= 0 with Gt": "the same: black is never suit 0",
    "hanabi: hanabi_env.rules.fireworks_score 458:55: 0 + 1": "the same: black is never suit 0",
    "hanabi: hanabi_env.tiles.choices_of_e 115: ONE | (ONE << ONE if discard_set(rules, s) & playable_set(rules, s) != ZERO else ZERO) with BitAnd": (  # noqa: E501
        "test_E3_what_e_shuffled_back_is_drawn_in_the_last_round detects it"
    ),
    "hanabi: hanabi_env.tiles.choices_of_e 115: discard_set(rules, s) & playable_set(rules, s) != ZERO with Eq": (
        "test_E10_e_on_an_empty_deck_is_a_choice detects it"
    ),
    "hanabi: hanabi_env.tiles.shuffle_tiles 43: TILE_DRAW + k with Sub": (
        "as fair: it draws other numbers of the same random stream, which nothing else draws"
    ),
    "hanabi: hanabi_env.tiles.shuffle_tiles 43:55: 1 - 1": (
        "test_V4_every_order_of_the_tiles_is_equally_likely detects it"
    ),
    "ikebana: ikebana_env.rewards.end_game 71: table.state.end_reason == END_COMPLETE with NotEq": (
        "test_J2_after_an_illegal_action_nobody_has_won_and_prestige_stays detects it"
    ),
    "ikebana: ikebana_env.rewards.end_game 71:105: 0 - 1": (
        "test_J2_after_an_illegal_action_nobody_has_won_and_prestige_stays detects it"
    ),
    "ikebana: ikebana_env.rules.best_of_round 264:24: 1 - 1": "the same: the starter gained no more than the starter",
    "ikebana: ikebana_env.rules.shuffle_of 169: (np.int64(number) << 8) + reshuffles with Sub": (
        "as fair: every deck still has its own numbers of the same random stream"
    ),
    "koikoi: hanafuda_env.dealing.is_void 77:82: 1 - 1": (
        "test_K8_L6_a_hand_that_is_dealt_again_is_so_whoever_holds_it detects it"
    ),
    "koikoi: hanafuda_env.rewards.count_round 128: result.reason == REASON_TESHI or result.reason == REASON_KUTTSUKI with And": (  # noqa: E501
        "test_K8_a_lucky_hand_is_counted_in_a_vector detects it and was written for it"
    ),
    "koikoi: hanafuda_env.rewards.end_game 100: lead < 0 with LtE": "the same: a lead of 0 has no winner",
    "koikoi: hanafuda_env.rewards.end_game 97: np.int64(s.score[0]) - np.int64(s.score[1]) with Add": (
        "test_K29_the_winner_in_a_vector_has_more_points_whoever_won_the_last_round detects it and was written for it"
    ),
    "koikoi: hanafuda_env.rewards.wins_with 134:13: 0 - 1": (
        "test_a_complete_game_has_its_winner_in_a_vector detects it, because it counts yaku"
    ),
    "koikoi: hanafuda_env.rules.leave_joker 340:16: 0 + 1": (
        "test_K46_nothing_is_refused_any_more_once_the_gaji_has_taken_a_card detects it and was written for it"
    ),
    "koikoi: hanafuda_env.rules.look_at_hands 138:43: 0 - 1": "test_K10_two_lucky_hands detects it",
    "koikoi: hanafuda_env.rules.step 210: without s.length += 1": (
        "test_a_complete_game_has_its_winner_in_a_vector detects it, because it counts steps"
    ),
    "koikoi: hanafuda_env.rules.take_with_joker 323: without s.revealed |= fourth": (
        "test_K46_L5_a_month_whose_fourth_card_the_opponent_holds_is_refused_and_shown detects it"
    ),
    "koikoi: hanafuda_env.scoring.exhaust 76: holder != NOBODY with Eq": (
        "test_K45_c_at_exhaustion_the_claim_can_make_a_yaku_and_win detects it"
    ),
    "koikoi: hanafuda_env.yaku.has_kuttsuki 158: counts >> ONE with LShift": (
        "test_K8_L6_a_hand_that_is_dealt_again_is_so_whoever_holds_it detects it"
    ),
}
"""Why no test can detect a fault, or which test does."""


# --- Faults -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fault:
    """One change of one function."""

    module: str
    function: str
    number: int
    """Index among the possible changes of the function."""
    words: str

    @property
    def name(self) -> str:
        return f"{self.module.replace('.engine', '')}.{self.function} {self.words}"


def faults_of(game: str) -> list[Fault]:
    """Return the faults to try in a game, taken from the functions in turn until there are enough."""
    rng = random.Random(game)
    by_function = []
    for name in MODULES[game]:
        module = f"{PACKAGES[game]}.engine.{name}"
        for node in functions_of(module):
            found = [Fault(module, node.name, k, words) for k, (words, _) in enumerate(changes(node))]
            rng.shuffle(found)
            by_function.append(found)
    rng.shuffle(by_function)
    chosen: dict[str, Fault] = {}
    while len(chosen) < PER_GAME and any(by_function):
        for found in by_function:
            if found and len(chosen) < PER_GAME:
                fault = found.pop()
                chosen.setdefault(fault.name, fault)
    return list(chosen.values())


def functions_of(module: str) -> Iterator[ast.FunctionDef]:
    """Yield the rules of a module."""
    tree = ast.parse(Path(str(import_module(module).__file__)).read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(mark) == "rule" for mark in node.decorator_list):
            yield node


def changes(function: ast.FunctionDef) -> Iterator[tuple[str, Callable[[ast.FunctionDef], None]]]:
    """Yield every change: its description, and a function that applies it to a copy of the function."""
    for place, node in enumerate(ast.walk(function)):
        if isinstance(node, ast.stmt) and node is not function:
            yield from changes_of_statement(place, node)
        elif isinstance(node, ast.expr):
            yield from changes_of_expression(place, node)


def changes_of_statement(place: int, node: ast.stmt) -> Iterator[tuple[str, Callable[[ast.FunctionDef], None]]]:
    """Yield changes of a statement: its condition negated, or the statement left out."""
    if isinstance(node, (ast.If, ast.While)):
        words = ast.unparse(node.test)
        yield f"{node.lineno}: not {words}", lambda tree: negate(at(tree, place))
    elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield f"{node.lineno}: without {ast.unparse(node)}", lambda tree: leave_out(tree, place)


OTHERS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def changes_of_expression(place: int, node: ast.expr) -> Iterator[tuple[str, Callable[[ast.FunctionDef], None]]]:
    """Yield changes of an expression: another operator or another number."""
    where = f"{node.lineno}: {ast.unparse(node)}"
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHERS:
        yield f"{where} with {OTHERS[type(node.ops[0])].__name__}", lambda tree: other_comparison(at(tree, place))
    elif isinstance(node, (ast.BinOp, ast.BoolOp)) and type(node.op) in OTHERS:
        yield f"{where} with {OTHERS[type(node.op)].__name__}", lambda tree: other_operator(at(tree, place))
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        column = f"{node.lineno}:{node.col_offset}: {node.value}"
        yield f"{column} + 1", lambda tree: add(at(tree, place), 1)
        yield f"{column} - 1", lambda tree: add(at(tree, place), -1)


def at(tree: ast.FunctionDef, place: int) -> Any:
    return list(ast.walk(tree))[place]


def negate(node: Any) -> None:
    node.test = ast.UnaryOp(ast.Not(), node.test)


def leave_out(tree: ast.FunctionDef, place: int) -> None:
    gone = at(tree, place)
    for node in ast.walk(tree):
        for part in ("body", "orelse"):
            block = getattr(node, part, None)
            if isinstance(block, list) and gone in block:
                block[block.index(gone)] = ast.Pass()


def other_comparison(node: Any) -> None:
    node.ops[0] = OTHERS[type(node.ops[0])]()


def other_operator(node: Any) -> None:
    node.op = OTHERS[type(node.op)]()


def add(node: Any, number: int) -> None:
    node.value += number


def plant(fault: Fault) -> None:
    """Give the function the changed code in this process."""
    module = import_module(fault.module)
    original = next(node for node in functions_of(fault.module) if node.name == fault.function)
    tree = copy.deepcopy(original)
    words, change = list(changes(original))[fault.number]
    assert words == fault.words
    change(tree)
    tree.decorator_list = []
    scope = dict(vars(module))
    exec(compile(ast.fix_missing_locations(ast.Module([tree], [])), fault.module, "exec"), scope)
    function, changed = getattr(module, fault.function), scope[fault.function]
    assert isinstance(function, FunctionType) and isinstance(changed, FunctionType)
    function.__code__ = changed.__code__


# --- Which check detects them -----------------------------------------------------------------------------------------

SURVIVED = "survived"


def seen_by(fault: Fault | None, game: str) -> str:
    """Return ``reference``, ``digests``, ``an endless game`` or `SURVIVED`.

    The fault is planted in a child process.
    """
    context = get_context("fork")
    answer, tell = context.Pipe(duplex=False)
    child = context.Process(target=judge, args=(fault, game, tell))
    child.start()
    tell.close()
    try:
        verdict = answer.recv()
    except EOFError:  # it reached the limit of CPU seconds, or crashed
        verdict = "an endless game"
    child.join()
    return verdict


def judge(fault: Fault | None, game: str, tell: Any) -> None:
    """Plant the fault and run the checks; runs in the child process."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    if fault is not None:
        plant(fault)
    verdict = SURVIVED
    for name, check in (("reference", REFERENCES[game]), ("digests", compare_digests)):
        try:
            check(game)
        except Exception:  # any failure means that the fault is detected
            verdict = name
            break
    tell.send(verdict)


def play_hanabi(game: str) -> None:
    """Play random games of random variants and of the standard game, move by move beside the plain reference."""
    from hanabi_env import HanabiConfig
    from tests.hanabi.test_variants import good_move, random_config, random_tiles
    from tests.reference.lockstep import Engine, Plain, any_legal, play, shuffled_box

    rng = random.Random(16)
    usual = [HanabiConfig(history=2), HanabiConfig(players=3, derived=True, belief=True)]
    for number in range(60):
        config = usual[number // 2] if number < 4 else random_config(rng)
        deck = shuffled_box(config, rng)
        tiles = random_tiles(config, rng) if config.flamboyants else ""
        machines = [Engine(config, deck, bonus_tiles=tiles)]
        play(Plain(config, deck, bonus_tiles=tiles), machines, any_legal if number % 3 == 1 else good_move, rng)


def play_ikebana(game: str) -> None:
    """Play random games of every configuration beside the plain reference."""
    from tests.ikebana.test_reference import TABLES, play

    rng = random.Random(16)
    for _ in range(2):
        for config in TABLES:
            play(config, rng)


def play_koikoi(game: str) -> None:
    """Play random games of random options and of the presets beside the plain reference."""
    from dataclasses import replace

    from hanafuda_env import PRESETS
    from tests.koikoi.test_reference import play_both, random_config

    rng = random.Random(16)
    for number in range(60):
        presets = list(PRESETS.values())
        config = replace(presets[number], reward="points") if number < len(presets) else random_config(rng)
        play_both(config, rng)


REFERENCES: dict[str, Callable[[str], None]] = {"hanabi": play_hanabi, "ikebana": play_ikebana, "koikoi": play_koikoi}


def compare_digests(game: str) -> None:
    """Compare the digests of three configurations, among them the one that observes most."""
    from tests.proof import digests
    from tests.proof.configs import entries

    recorded = Record.open("digests").rows
    own = [entry for entry in entries() if entry.under_test.name == game]
    for entry in (own[0], own[len(own) // 2], own[-1]):
        assert digests.vector()(entry).digest() == recorded[entry.name]["digest"]


# --- All of them ------------------------------------------------------------------------------------------------------


def run(record: Record, seconds: float, amount: int = 10**6) -> None:
    """Plant the faults that were not tried yet, in a process without the compiler."""
    if os.environ.get("NUMBA_DISABLE_JIT") != "1":
        command = [sys.executable, "-m", "tests.proof.faults", str(record.path.parent), str(seconds), str(amount)]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, check=True)
        record.rows = Record(record.path).open(record.path.stem, record.path.parent).rows
        return
    found = {f"{game}: {fault.name}": (game, fault) for game in MODULES for fault in faults_of(game)}
    for game in MODULES if amount >= len(found) else ():
        assert seen_by(None, game) == SURVIVED, f"{game} does not pass its own tests without a fault"
    record.keep_only(found)
    for name in found:
        record.row(name)

    def try_one(name: str) -> None:
        game, fault = found[name]
        begin = of_children()
        verdict = record.rows[name]["verdict"] = seen_by(fault, game)
        words = [] if verdict != SURVIVED or name in EXPLAINED else [SURVIVED]
        record.add(name, 1, of_children() - begin, words)

    chosen = list(found)[:: max(1, len(found) // amount)]
    work(record, dict.fromkeys(chosen, 1), try_one, seconds, "faults", " faults")


def of_children() -> float:
    """Return the CPU seconds that children of this process have used."""
    times = os.times()
    return times.children_user + times.children_system


def how_much(record: Record) -> str:
    """Return the amounts for the page."""
    minutes = sum(row["seconds"] for row in record.rows.values()) / 60
    verdicts = [row["verdict"] for row in record.rows.values() if row["amount"]]
    counts = ", ".join(f"{verdicts.count(verdict)} {words}" for verdict, words in SAID.items() if verdict in verdicts)
    return f"{len(verdicts)} faults of {len(record.rows)} in {minutes:.0f} core-minutes: {counts}"


def unseen(record: Record) -> str:
    """Return a table of the faults that neither check detects, and why."""
    names = [name for name, row in record.rows.items() if row.get("verdict") == SURVIVED]
    alike = sum(EXPLAINED[name].startswith(ALIKE) for name in names)
    head = (
        f"Of these {len(names)} faults, {alike} change nothing that a player could notice. The others are detected by "
    )
    head += "the test of a rule, which this check does not run."
    places = [name.replace("_env.", "_env.engine.").replace("|", "\\|") for name in names]
    rows = [(f"`{place}`", EXPLAINED[name]) for place, name in zip(places, names, strict=True)]
    return head + "\n\n" + markdown_rows(("fault", "why"), rows)


ALIKE = ("the same", "as fair")
"""How the explanations begin for faults that do not change play noticeably."""

SAID = {
    "reference": "detected by the plain reference",
    "digests": "by the fixed games",
    "an endless game": "by a game that does not end",
    SURVIVED: "by neither (explained below)",
}


if __name__ == "__main__":
    folder, wanted, most = sys.argv[1:]
    run(Record.open("faults", Path(folder)), float(wanted), int(most))
