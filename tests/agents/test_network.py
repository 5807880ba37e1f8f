"""The network's inputs and outputs, the policy made of it, and the file it is kept in."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import agents
from agents.networks.network import DenseNetwork, choose, masked
from agents.networks.neural_policy import NeuralPolicy, load_policy, read_metadata, save_policy
from agents.networks.packing import pack, unpack
from hanabako.games import make_config
from hanabi_env import HanabiConfig, HanabiVectorEnv

CONFIG = HanabiConfig(derived=True)


def positions(observation: str, games: int = 24, steps: int = 12) -> dict[str, np.ndarray]:
    """What the players to move observe after some steps, another legal action in each game."""
    env = HanabiVectorEnv(games, config=CONFIG, observation=observation)
    seen, _ = env.reset(seed=3)
    for step in range(steps):
        legal = seen["action_mask"].cumsum(1)
        wanted = (np.arange(games) * 7 + step) % legal[:, -1]
        seen, *_ = env.step((legal <= wanted[:, None]).sum(1))
    return seen


def small_network(config: HanabiConfig = CONFIG) -> DenseNetwork:
    torch.manual_seed(0)
    rules = config.rules()
    return DenseNetwork(config.observation_bits, rules.num_actions, width=32, layers=2)


def saved(path: Path, config: HanabiConfig = CONFIG) -> Path:
    save_policy(path, small_network(config), config, {"name": "mine", "steps": 0})
    return path


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_packed_words_unpack_to_the_bits_of_the_int8_observation(dtype):
    words = torch.from_numpy(positions("packed")["observation"].view(np.int64))
    bits = positions("int8")["observation"]
    numbers = unpack(words, dtype)
    assert numbers.dtype == dtype
    assert numbers.shape == (24, 64 * words.shape[1])
    np.testing.assert_array_equal(numbers[:, : bits.shape[1]].float().numpy(), bits)
    assert not numbers[:, bits.shape[1] :].any()


@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_pack_inverts_unpack(dtype):
    words = positions("packed")["observation"]
    np.testing.assert_array_equal(pack(positions("int8")["observation"].astype(dtype), words.shape[1]), words)


def test_illegal_actions_have_probability_zero():
    logits = torch.linspace(-40, 40, 21).repeat(8, 1)
    mask = (torch.arange(21) % torch.arange(2, 10)[:, None] == 0).to(torch.int8)
    probabilities = masked(logits, mask).softmax(1)
    assert not probabilities[mask == 0].any()
    torch.testing.assert_close(probabilities.sum(1), torch.ones(8))


def test_choices_follow_the_probabilities():
    probabilities = torch.tensor([[0.0, 0.125, 0.5, 0.0, 0.375, 0.0]])
    noise = (torch.arange(1000) + 0.5) / 1000
    counts = choose(probabilities.expand(1000, 6), noise).bincount(minlength=6)
    assert counts.tolist() == [0, 125, 500, 0, 375, 0]


@pytest.mark.parametrize("noise", [0.0, 0.5, 1 - 2.0**-24])
def test_no_noise_chooses_an_action_of_probability_zero(noise):
    probabilities = torch.tensor([[0.0, 0.1, 0.9, 0.0], [0.0, 0.0, 1 / 3, 2 / 3], [0.3, 0.0, 0.0, 0.0]])
    chosen = choose(probabilities, torch.full((3,), noise))
    assert (probabilities.gather(1, chosen[:, None]) > 0).all()


def test_a_policy_plays_the_same_legal_actions_from_packed_and_single_bits():
    for greedy in (True, False):
        policy = NeuralPolicy(small_network(), CONFIG, greedy=greedy)
        noise = np.linspace(0, 1, 24, endpoint=False)
        packed, single = positions("packed"), positions("int8")
        actions = policy.act(packed["observation"], packed["action_mask"], noise)
        assert packed["action_mask"][np.arange(24), actions].all()
        np.testing.assert_array_equal(policy.act(single["observation"], single["action_mask"], noise), actions)


def test_a_policy_of_its_own_copy_does_not_change_with_the_network():
    network = small_network()
    policy = NeuralPolicy(network, CONFIG)
    seen = positions("packed")
    before = policy.probabilities(seen["observation"], seen["action_mask"])
    torch.nn.init.zeros_(network.head.weight)
    np.testing.assert_array_equal(policy.probabilities(seen["observation"], seen["action_mask"]), before)


def test_a_saved_policy_plays_as_the_network_did(tmp_path):
    path = saved(tmp_path / "policy.safetensors")
    seen = positions("packed")
    network = small_network()
    loaded = load_policy(path)
    network.trunk_dtype = loaded.network.trunk_dtype
    expected = NeuralPolicy(network, CONFIG).probabilities(seen["observation"], seen["action_mask"])
    np.testing.assert_array_equal(loaded.probabilities(seen["observation"], seen["action_mask"]), expected)
    assert loaded.config == CONFIG
    assert loaded.name == "mine"
    assert [file.name for file in tmp_path.iterdir()] == ["policy.safetensors"]


def rewrite_metadata(path: Path, network: dict, **changes: str) -> None:
    """Give the file's network other settings, and other words beside it."""
    from safetensors.torch import load_file, save_file

    about = read_metadata(path) | {"network": network, **changes}
    save_file(load_file(path), path, {key: json.dumps(value) for key, value in about.items()})


def test_a_file_says_how_its_network_is_made(tmp_path):
    path = saved(tmp_path / "policy.safetensors")
    shape = {"bits": CONFIG.observation_bits, "actions": CONFIG.rules().num_actions, "width": 32, "layers": 2}
    assert read_metadata(path)["network"] == {"kind": "dense", **shape}


def test_a_file_of_the_first_format_still_loads(tmp_path):
    path = saved(tmp_path / "policy.safetensors")
    shape = {key: value for key, value in read_metadata(path)["network"].items() if key != "kind"}
    rewrite_metadata(path, shape, format="hanabako-policy-1")
    expected = load_policy(saved(tmp_path / "new.safetensors")).network.state_dict()
    for name, tensor in load_policy(path).network.state_dict().items():
        assert torch.equal(tensor, expected[name]), name


def test_a_network_of_an_unknown_kind_is_refused(tmp_path):
    path = saved(tmp_path / "policy.safetensors")
    rewrite_metadata(path, {"kind": "quantum", "bits": 3})
    with pytest.raises(ValueError, match="of the kind 'quantum', not one of dense"):
        agents.load(path, CONFIG)


@pytest.mark.parametrize("setting", ["derived=false", "players=3", "colors=4", "max_life_tokens=2"])
def test_a_policy_says_which_table_it_cannot_play(tmp_path, setting):
    path = saved(tmp_path / "policy.safetensors")
    config = make_config("hanabi", "standard", settings=["derived=true", setting])
    with pytest.raises(ValueError, match=f"{setting.split('=')[0]}=.* cannot play"):
        agents.load(path, config)


def test_a_policy_plays_tables_that_differ_in_what_it_cannot_see(tmp_path):
    path = saved(tmp_path / "policy.safetensors")
    config = HanabiConfig(derived=True, random_start_player=True, score_on_loss="fireworks")
    assert load_policy(path, config).config == config


@pytest.mark.parametrize("keep", [0, 7, 200, 5000])
def test_a_policy_file_cut_short_is_refused(tmp_path, keep):
    path = saved(tmp_path / "policy.safetensors")
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ValueError, match="policy"):
        agents.load(path, CONFIG)


def test_a_foreign_safetensors_file_is_refused(tmp_path):
    from safetensors.torch import save_file

    path = tmp_path / "policy.safetensors"
    save_file({"weight": torch.zeros(3)}, path)
    with pytest.raises(ValueError, match="holds no policy"):
        agents.load(path, CONFIG)
