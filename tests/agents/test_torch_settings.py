"""Networks load, play and train alike, whatever defaults their caller has given torch."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.learning.common.runs import read_metrics
from hanabako.agents.learning.ppo import Args, train
from hanabi_env import PRESETS, HanabiConfig
from tests.agents.tiny_runs import SMALL, UPDATE, without_clock
from tests.reference.published_networks import OffBelief

NETWORKS = ("dense", "recurrent-symmetric")


@contextmanager
def doubles() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


SETTINGS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "float64": doubles,
    "another device": lambda: torch.device("meta"),
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
}


def trained(network: str, run_dir: Path) -> list[dict[str, Any]]:
    told = SMALL | {"network": network, "layers": 2, "steps": UPDATE, "run_dir": run_dir, "seed": 3}
    return without_clock(read_metrics(train(Args(**told))))


def scores(name: str, config: HanabiConfig) -> list[float]:
    return play(config, agents.load(name, config), games=40, seed=5).score.tolist()


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The logs of small runs by network, and their folder."""
    folder = tmp_path_factory.mktemp("usual")
    return {"folder": folder, **{network: trained(network, folder / network) for network in NETWORKS}}


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_run_and_its_network_do_not_depend_on_the_callers_settings(
    setting: str, network: str, usual: dict[str, Any], tmp_path: Path
):
    config = Args(**SMALL).make_config()
    expected = scores(str(usual["folder"] / network), config)
    with SETTINGS[setting]():
        assert scores(str(usual["folder"] / network), config) == expected
        assert trained(network, tmp_path / "run") == usual[network]
    assert scores(str(tmp_path / "run"), config) == expected


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_published_network_does_not_depend_on_the_callers_settings(setting: str, tmp_path: Path):
    config = PRESETS["standard"]
    name = f"obl:{OffBelief(658, 125, 20).write_torch(tmp_path / 'model.pthw')}"
    expected = scores(name, config)
    with SETTINGS[setting]():
        assert scores(name, config) == expected
