"""Decisions per second that learners of Hanabi learn from: ours, JaxMARL's IPPO, and PPO over PettingZoo's Hanabi.

    python3 -m venv .cache/learners && source .cache/learners/bin/activate
    git clone https://github.com/FLAIROx/JaxMARL .cache/JaxMARL
    pip install --constraint constraints.txt --editable '.[agents]' '.cache/JaxMARL[algs]' shimmy open_spiel
    python -m benchmarks.speed.learners      # prints, and writes benchmarks/speed/results/learners.json

All learn the standard game for two players, take turns in one process, and use the same single core. Compilation is not
counted. Learners that are not installed are skipped with a message, and the run is then a trial. A decision is an
action of the player to move which then enters the gradient. Each learner uses its own observations, network and
settings:

* Hanabako: `agents.learning.ppo` with the defaults of ``hanabako train``, and again with JaxMARL's width, epochs and
  minibatches per update, because larger networks and more epochs take longer;
* JaxMARL: ``baselines/IPPO/ippo_ff_hanabi.py`` of the clone, run as it is, with the settings of its YAML file except
  the number of games and the total number of steps. In every step it also computes and learns from the player who
  waits; this is no decision, so that a step of a game counts once;
* PettingZoo: the loop of `benchmarks.speed.cleanrl_loop`, in CleanRL's style, over games of ``hanabi_v5.raw_env``.
  They are played through PettingZoo's interface one after another, and the network chooses all their actions at once.

The numbers of games of the other two are those with which they were fastest here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.speed import cleanrl_loop
from benchmarks.speed.learner import updates
from benchmarks.speed.peers import PETTINGZOO, Peer, missing, print_rows, stay_on_one_core, with_ratios
from benchmarks.speed.timing import TRIALS, Case, Output, measure
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common.ranks import Ranks, joined_ranks, processor_settings
from hanabako.agents.results.study import Results
from hanabako.machine import commit
from hanabako.program import run_program
from hanabako.timing import Play
from hanabako.words.ranges import Positive, Size

SCRIPT = Path("baselines") / "IPPO" / "ippo_ff_hanabi.py"
"""JaxMARL's training script in its clone; its settings are beside it in ``config``."""
UPDATES = 4
"""Updates in a training run of JaxMARL: with 32 games they took 8 s here, and the start of a run 0.04 s."""
SECONDS = 2.0
"""Seconds of a training run over PettingZoo."""
LIKE_JAXMARL, JAXMARL_IPPO = "Hanabako, PPO, 512 units, 4 epochs", "JaxMARL, IPPO"
JAXMARL = ("jax", "jaxmarl", "flax", "optax", "distrax", "hydra", "omegaconf", "wandb")
PACKAGES = ("jax", "jaxlib", "flax", "jaxmarl", "shimmy", "open-spiel")


@dataclass(frozen=True)
class Args:
    """Measure how fast learners of Hanabi are."""

    jaxmarl: Path = Path(".cache") / "JaxMARL"
    """A clone of JaxMARL."""
    jaxmarl_games: Size = 32
    """Parallel games of JaxMARL."""
    pettingzoo_games: Size = 64
    """Games of PettingZoo, played in turns."""
    seconds: Positive = 10.0
    """CPU seconds per repeat."""
    repeats: Size = 5
    """Repeats per row; the median is reported."""
    out: Path | None = None
    """The JSON file; by default the committed results, or for a trial .cache/benchmarks."""


def main(args: Args) -> None:
    """Measure, print and write."""
    output = Output("learners", args, PACKAGES)
    stay_on_one_core()
    with joined_ranks("cpu") as ranks, processor_settings():
        chosen = [learner for learner in learners(args, ranks) if is_installed(learner, args)]
        cases = [Case(learner.columns(2), learner.build(2)) for learner in chosen]
        rows = with_ratios(measure(cases, args.seconds, args.repeats, "learning"))
    for row in rows:
        if row["peer"] == JAXMARL_IPPO:
            row["clone"] = commit(args.jaxmarl)
    print_rows(rows)
    if (ratio := times_the_better(rows)) is None:
        print("no ratio: not both others were measured")
        output.path = args.out or TRIALS / "learners.json"  # not among the committed results
    else:
        print(f"{ratio} times as fast as the better of the two others")
    output.write(rows)
    print(f"written: {output.path}")


def learners(args: Args, ranks: Ranks) -> list[Peer]:
    """Return all learners."""
    usual = ppo.Args()
    like_jaxmarl = ppo.Args(network="dense", width=512, epochs=4, minibatch=usual.games * usual.horizon // 4)
    ours = (("Hanabako, PPO", usual), (LIKE_JAXMARL, like_jaxmarl))
    return [
        *(Peer(name, "learning", lambda _, it=it: updates(it, ranks), is_ours=True) for name, it in ours),
        Peer(JAXMARL_IPPO, "learning", lambda _: jaxmarl(args.jaxmarl, args.jaxmarl_games), JAXMARL),
        Peer("PettingZoo, PPO like CleanRL's", "learning", lambda _: pettingzoo(args.pettingzoo_games), PETTINGZOO),
    ]


def is_installed(learner: Peer, args: Args) -> bool:
    """Return whether a learner can run here; if not, print what is missing."""
    lacks = missing(learner)
    if learner.needs == JAXMARL and not (args.jaxmarl / SCRIPT).exists():
        lacks.append(str(args.jaxmarl / SCRIPT))
    if lacks:
        print(f"skipped: {learner.name}: lacks {', '.join(lacks)}")
    return not lacks


def times_the_better(rows: Results) -> float | None:
    """Return how many times as fast we are as the better of the two others, or None if one of them was skipped."""
    theirs = [row["slower_than_hanabako"] for row in rows if not row["is_ours"]]
    return min(theirs) if len(theirs) == 2 else None


# --- JaxMARL ----------------------------------------------------------------------------------------------------------


def jaxmarl(clone: Path, games: int) -> Play:
    """Return a function that trains with JaxMARL's script from the beginning, for a few updates, on the CPU."""
    import jax
    import wandb
    from omegaconf import OmegaConf

    jax.config.update("jax_platforms", "cpu")
    path = clone / SCRIPT
    config: Any = OmegaConf.to_container(OmegaConf.load(path.parent / "config" / f"{path.stem}.yaml"))
    wandb.init(mode="disabled")  # as in the YAML file; the script reports every update
    decisions = games * config["NUM_STEPS"] * UPDATES
    config |= {"NUM_ENVS": games, "TOTAL_TIMESTEPS": decisions}
    train, seeds = jax.jit(imported(path).make_train(config)), count()

    def play() -> int:
        jax.block_until_ready(train(jax.random.PRNGKey(next(seeds))))
        return decisions

    return play


def imported(path: Path) -> ModuleType:
    """Return a Python file as a module."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    spec.loader.exec_module(module := module_from_spec(spec))
    return module


# --- PettingZoo -------------------------------------------------------------------------------------------------------


class AecGames:
    """Games with PettingZoo's AEC interface, stepped one after another, as the vector environment of a loop.

    A row is the observation of the player to move in one game. The next game begins when a game ends.
    """

    def __init__(self, make: Callable[[], Any], games: int) -> None:
        self.games = [make() for _ in range(games)]
        self.num_envs = games

    def reset(self, seed: int) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin all games; game ``i`` has the seed ``seed + i``."""
        for i, game in enumerate(self.games):
            game.reset(seed=seed + i)
        return self.observations(), {}

    def observations(self) -> dict[str, np.ndarray]:
        """Return the observations (N, n) and masks (N, A) of the players to move."""
        seen = [game.last()[0] for game in self.games]
        return {key: np.stack([one[key] for one in seen]) for key in ("observation", "action_mask")}

    def step(self, actions: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict]:
        """Act in every game; the rewards (N,) are those of the players who act."""
        rewards, terminated, truncated = np.zeros(self.num_envs), *np.zeros((2, self.num_envs), np.bool_)
        for i, (game, action) in enumerate(zip(self.games, actions, strict=True)):
            player = game.agent_selection
            game.step(int(action))
            rewards[i] = game.rewards[player]
            terminated[i], truncated[i] = game.terminations[player], game.truncations[player]
            if terminated[i] or truncated[i]:
                game.reset()
        return self.observations(), rewards, terminated, truncated, {}


def pettingzoo(games: int) -> Play:
    """Return a function that trains for a few seconds with the loop like CleanRL's, over PettingZoo's Hanabi."""
    from pettingzoo.classic import hanabi_v5

    return cleanrl(AecGames(hanabi_v5.raw_env, games), SECONDS)


def cleanrl(envs: AecGames, seconds: float) -> Play:
    """Return a function that trains a network for about ``seconds`` and returns the number of its decisions."""
    seen, _ = envs.reset(seed=1)
    network = cleanrl_loop.Network(seen["observation"].shape[1], seen["action_mask"].shape[1])
    return lambda: cleanrl_loop.ppo(envs, network, seconds)


if __name__ == "__main__":
    run_program(main, Args, __spec__.name, __doc__)
