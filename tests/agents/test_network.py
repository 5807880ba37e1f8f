"""The network's inputs and outputs, the policy that uses it, and the file that stores it."""

import json
import resource
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.networks.kinds import BASIC_NETWORKS, NETWORKS
from hanabako.agents.networks.network import DenseNetwork, RoundedLinear, choose, fast_dtype, kind_of_processor
from hanabako.agents.networks.neural_policy import NeuralPolicy, load_policy
from hanabako.agents.networks.packing import to_numbers
from hanabako.agents.networks.policy_file import save_policy
from hanabako.games import make_config
from hanabako.packing import unpack
from hanabi_env import HanabiConfig, HanabiVectorEnv, v0_belief

CONFIG = HanabiConfig(derived=True)


def positions(observation: str, config: HanabiConfig = CONFIG) -> dict[str, np.ndarray]:
    """Return what the players to move observe after twelve steps; each of 24 games takes other legal actions."""
    env = HanabiVectorEnv(24, config=config, observation=observation)
    seen, _ = env.reset(seed=3)
    for step in range(12):
        legal = seen["action_mask"].cumsum(1)
        wanted = (np.arange(24) * 7 + step) % legal[:, -1]
        seen, *_ = env.step((legal <= wanted[:, None]).sum(1))
    return seen


def small_network() -> DenseNetwork:
    torch.manual_seed(0)
    return DenseNetwork(CONFIG, width=32, layers=2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save_policy(tmp_path / "policy.safetensors", small_network(), CONFIG, {"name": "mine", "steps": 0})
    return tmp_path / "policy.safetensors"


@pytest.mark.parametrize("players", [2, 5])
@pytest.mark.parametrize("kind", ["dense", "recurrent", "towers", "greedy-towers"])
def test_v0_features_are_the_input_of_published_networks(kind, players):
    config = HanabiConfig(players=players)
    words = positions("packed", config=config)["observation"]
    bits = unpack(words, config.observation_bits)
    network = NETWORKS[kind](config, width=8, layers=2)
    network.set_features("v0", config)
    found = network.numbers(torch.from_numpy(words.view(np.int64)))[:, : config.observation_bits]
    np.testing.assert_allclose(found, v0_belief(bits), atol=1e-6)
    assert (bits != v0_belief(bits)).any()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_packed_words_unpack_to_the_bits_of_the_int8_observation(dtype):
    words = torch.from_numpy(positions("packed")["observation"].view(np.int64))
    bits = positions("int8")["observation"]
    numbers = to_numbers(words, dtype)
    assert numbers.dtype == dtype
    assert numbers.shape == (24, 64 * words.shape[1])
    np.testing.assert_array_equal(numbers[:, : bits.shape[1]].float().numpy(), bits)
    assert not numbers[:, bits.shape[1] :].any()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("network", BASIC_NETWORKS, ids=lambda network: network.kind)
def test_a_copy_for_playing_computes_the_same_bits(network, dtype):
    """The biases are not small numbers that bfloat16 stores exactly."""
    torch.manual_seed(0)
    learning = network(CONFIG, width=32, layers=2)
    learning.trunk_dtype = dtype
    for name, weights in learning.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(weights)
    words = torch.from_numpy(positions("packed")["observation"].view(np.int64))
    copy = learning.rounded()
    assert {layer.weight.dtype for layer in copy.modules() if isinstance(layer, RoundedLinear)} == {dtype}
    with torch.no_grad():
        for one, other in zip(learning.step(words, None), copy.step(words, None), strict=True):
            assert one is other is None or torch.equal(one, other)


def test_choices_follow_the_probabilities():
    probabilities = torch.tensor([[0.0, 0.125, 0.5, 0.0, 0.375, 0.0]])
    noise = (torch.arange(1000) + 0.5) / 1000
    counts = choose(probabilities.expand(1000, 6), noise).bincount(minlength=6)
    assert counts.tolist() == [0, 125, 500, 0, 375, 0]


@pytest.mark.parametrize("noise", [0.0, 0.5, 1 - 2.0**-24, 1.0])
def test_no_noise_chooses_an_action_of_probability_zero(noise):
    probabilities = torch.tensor([[0.0, 0.1, 0.9, 0.0], [0.0, 0.0, 1 / 3, 2 / 3], [0.3, 0.0, 0.0, 0.0]])
    chosen = choose(probabilities, torch.full((3,), noise))
    assert (probabilities.gather(1, chosen[:, None]) > 0).all()


def test_a_policy_of_its_own_copy_does_not_change_with_the_network():
    network = small_network()
    policy = NeuralPolicy(network, CONFIG)
    seen = positions("packed")
    before = policy.probabilities(seen["observation"], seen["action_mask"])
    torch.nn.init.zeros_(network.head.weight)
    np.testing.assert_array_equal(policy.probabilities(seen["observation"], seen["action_mask"]), before)


def test_a_saved_policy_plays_as_the_network_did(path):
    seen = positions("packed")
    network = small_network()
    loaded = load_policy(path)
    network.trunk_dtype = loaded.network.trunk_dtype
    expected = NeuralPolicy(network, CONFIG).probabilities(seen["observation"], seen["action_mask"])
    assert loaded.config == HanabiConfig()
    seen |= {"observation": positions("packed", config=HanabiConfig())["observation"]}
    np.testing.assert_array_equal(loaded.probabilities(seen["observation"], seen["action_mask"]), expected)
    assert loaded.name == "mine"
    assert [*path.parent.iterdir()] == [path]


@pytest.mark.parametrize(
    ("can", "dtype"),
    [
        ({"avx512_bf16": True, "amx_bf16": True, "cpu_name": "Intel Xeon"}, torch.bfloat16),
        ({"avx512_bf16": True, "amx_bf16": False, "cpu_name": "Intel Xeon"}, torch.float32),
        ({"avx512_bf16": True, "amx_bf16": False, "cpu_name": "AMD EPYC"}, torch.bfloat16),
        ({"avx512_bf16": False, "amx_bf16": False, "cpu_name": "AMD EPYC"}, torch.float32),
        ({}, torch.float32),
    ],
    ids=["Intel, tiles", "Intel", "AMD", "AMD without", "unknown"],
)
def test_a_learner_computes_in_what_the_processor_is_fast_at(monkeypatch, can, dtype):
    monkeypatch.delenv("HANABAKO_NUMBERS", raising=False)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: can, raising=False)
    device = torch.device("cpu")
    assert fast_dtype(device) == dtype
    assert kind_of_processor(device) == f"cores {'with' if dtype == torch.bfloat16 else 'without'} bf16 instructions"


def test_the_environment_may_choose_what_networks_compute_in(monkeypatch):
    for name in ("float32", "bfloat16"):
        monkeypatch.setenv("HANABAKO_NUMBERS", name)
        assert fast_dtype(torch.device("cpu")) == getattr(torch, name)
    monkeypatch.setenv("HANABAKO_NUMBERS", "int8")
    with pytest.raises(ValueError, match="HANABAKO_NUMBERS must be float32 or bfloat16, got 'int8'"):
        fast_dtype(torch.device("cpu"))


def test_a_network_that_was_rounded_to_play_is_kept_as_float32(tmp_path):
    network = small_network()
    network.trunk_dtype = torch.bfloat16
    player = NeuralPolicy(network, CONFIG)  # its weights are bfloat16 now, as on a processor that multiplies bfloat16
    save_policy(tmp_path / "policy.safetensors", player.network, CONFIG, {"name": "mine"})
    kept = load_file(tmp_path / "policy.safetensors")
    assert {str(value.dtype) for value in kept.values()} <= {"torch.float32", "torch.int64"}
    assert torch.equal(kept["trunk.0.weight"], network.get_parameter("trunk.0.weight").bfloat16().float())
    assert load_policy(tmp_path / "policy.safetensors").config == HanabiConfig()


def test_a_file_may_hold_weights_that_are_rounded_to_half_their_size(path):
    network, half = small_network(), path.with_name("half.safetensors")
    save_policy(half, network, CONFIG, {}, torch.bfloat16)
    assert half.stat().st_size < 0.6 * path.stat().st_size
    kept = load_policy(half).network.get_parameter("trunk.0.weight")
    torch.testing.assert_close(kept.float(), network.get_parameter("trunk.0.weight").bfloat16().float(), rtol=0, atol=0)


@pytest.mark.parametrize("scale", [1e12, 1e30])
def test_a_network_whose_outputs_a_mask_cannot_limit_does_not_play(scale: float):
    network = small_network()
    with torch.no_grad():
        for weights in network.parameters():
            weights.mul_(scale)
    with pytest.raises(ValueError, match="logits of huge must be numbers below 5e"):
        play(CONFIG, NeuralPolicy(network, CONFIG, name="huge"), games=2, seed=1)


@pytest.mark.parametrize("dtype", [np.uint8, np.bool_])
def test_a_mask_may_have_another_dtype(dtype: Any):
    seen, policy = positions("packed"), NeuralPolicy(small_network(), CONFIG)
    expected = policy.act(seen["observation"], seen["action_mask"], np.zeros(24))
    found = policy.act(seen["observation"], seen["action_mask"].astype(dtype), np.zeros(24))
    assert found.tolist() == expected.tolist()


def test_loading_draws_no_random_numbers_of_the_caller(path):
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    load_policy(path)
    assert torch.equal(torch.rand(3), expected)


def raw(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return the tensors and the metadata of a file, unchecked and without the checksum."""
    with safe_open(path, "pt") as file:
        entries = file.metadata()
    return load_file(path), {key: text for key, text in entries.items() if key != "sha256"}


def refusal(path: Path) -> str:
    """Return the line with which a file is refused; a file of a few kilobytes must not cost seconds or gigabytes."""
    begin = time.process_time()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    in_use = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (in_use + 2**28, limits[1]))
    try:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the caller checks the words
            load_policy(path)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert time.process_time() - begin < 2
    message = str(caught.value)
    assert str(path) in message and "\n" not in message and len(message) < 600
    return message


SHAPE: dict[str, Any] = {"kind": "dense", "features": "derived", "width": 32, "layers": 2}
SHAPE |= {"bits": CONFIG.observation_bits, "actions": 20}
WRONG_NETWORKS: dict[str, tuple[Any, str]] = {
    "a huge width": (SHAPE | {"width": 10**9}, "width"),
    "a width beyond all": (SHAPE | {"width": 10**30}, "width"),
    "more layers than tensors": (SHAPE | {"layers": 20_000}, "layers"),
    "another width": (SHAPE | {"width": 33}, "shape"),
    "another depth": (SHAPE | {"layers": 3}, "trunk.2"),
    "no width": ({key: value for key, value in SHAPE.items() if key != "width"}, "must have bits, actions, width"),
    "one more": (SHAPE | {"heads": 3}, "must have bits, actions, width"),
    "width in words": (SHAPE | {"width": "32"}, "width"),
    "no layers": (SHAPE | {"layers": 0}, "layers"),
    "other bits": (SHAPE | {"bits": 64}, "64 bits"),
    "other actions": (SHAPE | {"actions": 21}, "21 actions"),
    "no features": (SHAPE | {"features": "v1"}, "features"),
    "kind a list": (SHAPE | {"kind": []}, "kind"),
    "an unknown kind": (SHAPE | {"kind": "quantum"}, "of the kind 'quantum', not one of symmetric, dense, recurrent"),
    "null": (None, "network"),
    "a list": ([], "network"),
}
WRONG_ENTRIES: dict[str, tuple[dict[str, Any], str]] = {
    "no config": ({"config": ""}, "config"),
    "config null": ({"config": "null"}, "config"),
    "game a list": ({"config": '{"game": []}'}, "config"),
    "an unknown field": ({"config": '{"game": "hanabi", "colours": 3}'}, "colours"),
    "another game": ({"config": '{"game": "ikebana"}'}, "its config has"),
    "about a list": ({"about": "[]"}, "about"),
    "deep about": ({"about": 100_000 * "[" + 100_000 * "]"}, "nested too deeply"),
    "long about": ({"about": json.dumps("x" * 2**21)}, "larger than"),
    "an unknown entry": ({"more": "3"}, "must be format, config, network, about"),
    "nothing of ours": (dict.fromkeys(("format", "config", "network", "about")), "holds no policy"),
    "a wrong checksum": ({"sha256": '"0"'}, "is damaged"),
    **{f"without {entry}": ({entry: None}, "must be format, config") for entry in ("config", "network", "about")},
    **{name: ({"network": json.dumps(network)}, words) for name, (network, words) in WRONG_NETWORKS.items()},
}
WRONG_TENSORS: dict[str, tuple[dict[str, torch.Tensor | None], str]] = {
    "a tensor less": ({"head.bias": None}, "'head.bias' must be (21,), got none"),
    "a tensor more": ({"more": torch.zeros(1)}, "'more' must be none, got (1,)"),
    "another shape": ({"head.bias": torch.zeros(20)}, "'head.bias' must be (21,), got (20,)"),
    "another type": ({"head.bias": torch.zeros(21, dtype=torch.float64)}, "head.bias must be torch.float32"),
    "not a number": ({"head.bias": torch.full((21,), torch.nan)}, "head.bias must be finite"),
    "infinite": ({"head.bias": torch.full((21,), -torch.inf)}, "head.bias must be finite"),
}


@pytest.mark.parametrize("name", [*WRONG_ENTRIES, *WRONG_TENSORS])
def test_what_a_file_may_not_hold_is_refused_at_once(path, name):
    parts: list[dict[str, Any]] = [*raw(path)]
    changes, words = (WRONG_ENTRIES | WRONG_TENSORS)[name]
    parts[name in WRONG_ENTRIES].update(changes)
    tensors, entries = ({key: value for key, value in part.items() if value is not None} for part in parts)
    save_file(tensors, path, entries)
    assert words in refusal(path)


def test_a_file_without_a_checksum_still_loads(path):
    expected = load_policy(path).network.state_dict()
    tensors, entries = raw(path)
    save_file(tensors, path, entries)
    assert all(torch.equal(tensor, expected[name]) for name, tensor in load_policy(path).network.state_dict().items())


@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7), cuts=st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_refused(path, place, bit, cuts):
    content, damaged = bytearray(path.read_bytes()), path.with_name("damaged.safetensors")
    at = int(place * len(content))
    content[at] ^= 1 << bit
    damaged.write_bytes(content[:at] if cuts else content)
    refusal(damaged)


@pytest.mark.parametrize("setting", ["players=3", "colors=4", "max_life_tokens=2"])
def test_a_policy_says_which_table_it_cannot_play(path, setting):
    config = make_config("hanabi", "standard", settings=[setting])
    with pytest.raises(ValueError, match=rf"other rules: \w+=\d, and this game has {setting}; .*HanabiConfig\(\)"):
        agents.load(path, config)


def test_a_policy_plays_tables_that_differ_in_what_it_cannot_see(path):
    config = HanabiConfig(derived=True, random_start_player=True, score_on_loss="fireworks")
    assert load_policy(path, config).config == config


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_policy_plays_the_same_where_more_is_observed_than_it_reads(tmp_path, kind):
    path, config = tmp_path / "policy.safetensors", make_config("hanabi", "mini")
    more = replace(config, derived=True, history=2)
    torch.manual_seed(0)
    save_policy(path, NETWORKS[kind](config, width=16, layers=2), config, {})
    alone = play(config, agents.load(path), 30, seed=3)
    beside = play(more, agents.load(path, more), 30, seed=3)
    assert np.array_equal(alone.length, beside.length) and np.array_equal(alone.score, beside.score)
    seen = [positions(form, config=config) for form in ("int8", "float32", "packed")]
    chosen = [load_policy(path).act(one["observation"], one["action_mask"], np.zeros(24)) for one in seen]
    assert all(np.array_equal(actions, chosen[0]) for actions in chosen)
    with pytest.raises(ValueError, match="observation"):
        load_policy(path).act(seen[0]["observation"][:, 1:], seen[0]["action_mask"], np.zeros(24))
