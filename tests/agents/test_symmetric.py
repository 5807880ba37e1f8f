"""The symmetric network renames its probabilities with the suits, in every game whose suits are alike."""

from typing import Any

import numpy as np
import pytest
import torch

from hanabako.agents.networks.kinds import usual_kind
from hanabako.agents.networks.network import Network, masked
from hanabako.agents.networks.packing import SuitUnpacker, to_numbers
from hanabako.agents.networks.recurrent import RecurrentSymmetricNetwork
from hanabako.agents.networks.symmetric import SymmetricNetwork
from hanabako.packing import pack
from tests.games import GAMES, GameUnderTest, every_config, layout_of, legal_actions, short_name

ALIKE = [(game, fields) for game, fields in every_config() if game.name != "koikoi"]
OBSERVED = {"hanabi": [{}, {"derived": True, "belief": True, "history": 3}], "ikebana": [{}, {"derived": True}]}


def any_network(config: Any, kind: type[Network] = SymmetricNetwork) -> Any:
    torch.manual_seed(1)
    network = kind(config, width=24, layers=2)
    with torch.no_grad():
        for weights in network.parameters():
            weights.add_(torch.randn_like(weights) * 0.2)
    return network


def some_views(under_test: GameUnderTest, config: Any, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return observations, int8 (32, n), and masks after random steps."""
    envs, rng = under_test.entry.make_vector(32, config=config, seed=7), np.random.default_rng(7)
    observation, _ = envs.reset()
    for _ in range(steps):
        observation, *_ = envs.step(legal_actions(observation["action_mask"], rng))
    return observation["observation"], observation["action_mask"]


def outputs(network: SymmetricNetwork, observation: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    words = torch.from_numpy(pack(observation, network.words).view(np.int64))
    with torch.no_grad():
        logits, values = network(words)
        return masked(logits, torch.from_numpy(mask)).softmax(1).numpy(), values.numpy()


@pytest.mark.parametrize(("under_test", "fields"), ALIKE, ids=short_name)
def test_renamed_suits_rename_the_probabilities(under_test: GameUnderTest, fields: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    for players in range(2, 6):
        for observed in OBSERVED[under_test.name]:
            config = under_test.config(**{**fields, "players": players, **observed})
            network, layout = any_network(config), layout_of(config)
            observation, mask = some_views(under_test, config, 15)
            network.set_opening(torch.from_numpy(pack(observation[:1], network.words)[0].view(np.int64)))
            bits, actions = layout.renaming(rng.permutation(len(layout.alike_suits)).tolist())
            chances, values = outputs(network, observation, mask)
            renamed, same = outputs(network, observation[:, bits], mask[:, actions])
            np.testing.assert_allclose(renamed, chances[:, actions], atol=1e-5)
            np.testing.assert_allclose(same, values, atol=1e-4)
            best = np.sort(chances, axis=1)
            clear = best[:, -1] - best[:, -2] > 1e-5
            assert (actions[renamed.argmax(1)] == chances.argmax(1))[clear].all()


def test_without_the_symmetry_the_comparison_fails() -> None:
    config = GAMES[0].config()
    network = any_network(config)
    observation, mask = some_views(GAMES[0], config, 15)
    network.opening[:] = torch.from_numpy(pack(observation[:1], network.words)[0].view(np.int64))  # not symmetric
    bits, actions = layout_of(config).renaming([1, 0, 2, 3, 4])
    before = outputs(network, observation, mask)[0]
    assert np.abs(outputs(network, observation[:, bits], mask[:, actions])[0] - before[:, actions]).max() > 1e-3


def test_memories_are_renamed_with_the_suits() -> None:
    """Two decisions in a row: the second ones depend on the first, and on nothing else when all is renamed."""
    config = GAMES[0].config(derived=True)
    network = any_network(config, RecurrentSymmetricNetwork)
    bits, actions = layout_of(config).renaming([2, 0, 1, 4, 3])
    views = [some_views(GAMES[0], config, steps) for steps in (15, 16)]

    def after(order: Any, first: int) -> np.ndarray:
        words = [torch.from_numpy(pack(view[:, order], network.words).view(np.int64)) for view, _ in views]
        with torch.no_grad():
            return network.step(words[1], network.step(words[first], None)[2])[0].numpy()

    whole, same = slice(None), after(slice(None), 0)
    np.testing.assert_allclose(after(bits, 0), same[:, actions], atol=1e-4)
    assert np.abs(after(whole, 1) - same).max() > 0.01


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_bits_come_in_the_order_of_the_suits(dtype: torch.dtype) -> None:
    rng = np.random.default_rng(5)
    observation = rng.integers(2, size=(9, 100)).astype(np.int8)
    places = rng.permutation(100)
    suit_bits, other_bits = places[:60].reshape(4, 15), places[60:90]
    words = torch.from_numpy(pack(observation, 2).view(np.int64))
    assert torch.equal(to_numbers(words, torch.float32)[:, :100], torch.from_numpy(observation).float())
    words &= torch.from_numpy(pack(np.isin(np.arange(100), places[:90])[None].astype(np.int8), 2).view(np.int64))
    suits, pooled = SuitUnpacker(suit_bits, other_bits)(words, dtype)
    assert suits.dtype == pooled.dtype == dtype
    np.testing.assert_array_equal(suits.float(), observation[:, suit_bits].transpose(1, 0, 2))
    np.testing.assert_array_equal(pooled[:, :15].float(), observation[:, suit_bits].sum(1))
    np.testing.assert_array_equal(pooled[:, 15:].float(), observation[:, other_bits])


@pytest.mark.parametrize(("width", "layers"), [(1, 2), (8, 1)])
def test_a_memory_needs_two_layers_and_two_features(width: int, layers: int) -> None:
    with pytest.raises(ValueError, match="needs layers and width of at least 2, got"):
        RecurrentSymmetricNetwork(GAMES[0].config(), width=width, layers=layers)


def test_a_game_without_alike_suits_has_no_symmetric_network() -> None:
    (koikoi,) = [game for game in GAMES if game.name == "koikoi"]
    with pytest.raises(ValueError, match="needs interchangeable suits; koikoi has none"):
        SymmetricNetwork(koikoi.config(), width=8, layers=1)
    assert [usual_kind(game.config()) for game in GAMES] == ["symmetric", "symmetric", "dense"]
