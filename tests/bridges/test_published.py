"""Published networks, with random weights in every file layout, play at every seat as their papers say."""

import pickle
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from safetensors.torch import load_file, save_file

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.playing.block import Block
from hanabako.agents.playing.seating import sit
from hanabako.agents.results.evaluation import Args, evaluate
from hanabako.games import game_of
from hanabako.packing import unpack
from hanabi_env import PRESETS, HanabiConfig, v0_belief
from hanafuda_env import KoiKoiConfig
from tests.agents.files import Bomb
from tests.agents.test_recurrent import assert_one_table_plays_the_same
from tests.agents.test_vector_seat import assert_as_single_seats
from tests.reference.published_networks import Clone, OffBelief, Sad

TWO, THREE = HanabiConfig(), HanabiConfig(players=3)
OWN, LAST = 125, (253, 55)
Case = tuple[HanabiConfig, Callable[[Path], tuple[Any, str]]]


@pytest.fixture(autouse=True)
def one_thread(torch_threads: None) -> None:
    """Use one thread, because small networks wait longer for several threads than they compute."""
    torch.set_num_threads(1)


def obl_jaxmarl(folder: Path) -> tuple[Any, str]:
    network = OffBelief(658, OWN, 20)
    return network, f"obl:{network.write_jaxmarl(folder / 'a.safetensors')}"


def obl_torch(folder: Path) -> tuple[Any, str]:
    network = OffBelief(658, OWN, 20)
    return network, f"obl:{network.write_torch(folder / 'model.pthw')}"


def sad(folder: Path) -> tuple[Any, str]:
    network = Sad(658, OWN, LAST, 20)
    return network, f"sad:{network.write_torch(folder / 'sad_2p_10.pthw')}"


def other_play(folder: Path) -> tuple[Any, str]:
    network = Sad(658, OWN, LAST, 20, dense=2, skips=True)
    return network, f"sad:{network.write_torch(folder / 'M11.pthw')}"


def clone(folder: Path) -> tuple[Any, str]:
    network = Clone(658, 20)
    return network, f"bc_lstm:{network.write_flax(folder / 'bc.safetensors')}"


def deep_clone(folder: Path) -> tuple[Any, str]:
    network = Clone(956, 30, before=(40, 48), cells=2, after=(24, 20))
    return network, f"bc_lstm:{network.write_flax(folder / 'bc.safetensors', 'OptimizedLSTMCell', '/')}"


CASES: dict[str, Case] = {
    "obl, JaxMARL's layout": (TWO, obl_jaxmarl),
    "obl, torch": (replace(TWO, derived=True), obl_torch),
    "sad": (TWO, sad),
    "sad, Other-Play with skips": (TWO, other_play),
    "bc_lstm": (TWO, clone),
    "bc_lstm of three, jax-aht's layout": (replace(THREE, history=2, belief=True), deep_clone),
}


def decisions_of(reference: Any, name: str, config: HanabiConfig, wanted: int) -> Iterator[Any]:
    """Yield the decisions of a published agent in self-play and of the plain network, (n,) each, at every step."""
    policy, seed, done = agents.load(name, config), 0, 0
    while done < wanted:
        block = Block(game_of(config).make_game(config), 200, observes=True, specialize=False)
        players = sit(block, [policy] * config.players)
        block.deal(seed, 0)
        for player in players:
            player.begin()
        states = [reference.begin(200) for _ in range(config.players)]
        while len(open_games := block.open_games):
            for player in players:
                player.act()
            movers, values = block.tables["current_player"], torch.zeros(200, block.game.num_actions)
            for observer in range(config.players):
                seen = v0_belief(unpack(block.observed(observer)[0], config.observation_bits), config)
                said, after = reference(torch.from_numpy(seen), states[observer])
                own = torch.from_numpy(movers == observer)[:, None]
                values = torch.where(own, said[:, :-1], values)
                states[observer] = after
            best = np.where(block.mask, values.numpy(), -np.inf).argmax(1)
            yield block.actions[open_games].copy(), best[open_games]
            done += len(open_games)
            block.make_step(players)
        seed += 1


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_ten_thousand_decisions_are_those_of_the_plain_network(case: str, tmp_path: Path):
    torch.manual_seed(1)
    config, write = CASES[case]
    reference, name = write(tmp_path)
    taken, best = (np.concatenate(part) for part in zip(*decisions_of(reference, name, config, 10_000), strict=True))
    assert len(taken) >= 10_000 and len(np.unique(taken)) > 5
    assert (taken != best).mean() < 2e-4  # sums are rounded in another order


# --- Seats ------------------------------------------------------------------------------------------------------------


def test_one_table_plays_the_game_of_the_batch_beside_any_partner(tmp_path: Path):
    _, name = other_play(tmp_path)
    config = replace(TWO, derived=True)  # our networks read the derived bits, and theirs do not
    assert_one_table_plays_the_same(config, [agents.load("hanabi-standard-2p", config), agents.load(name, config)])


@pytest.mark.parametrize("seat", [0, 1])
def test_a_partner_of_games_that_go_on_apart_remembers_each(seat: int, tmp_path: Path):
    _, name = obl_torch(tmp_path)
    partners = {"pool": [agents.load(name, TWO), "piers"]}
    assert_as_single_seats("hanabi", {}, partners, seat, AutoresetMode.SAME_STEP)


def test_what_is_remembered_can_be_saved_and_written_back(tmp_path: Path):
    _, name = sad(tmp_path)
    block = Block(game_of(TWO).make_game(TWO), 8, observes=False, specialize=False)
    (player,) = sit(block, [agents.load(name, TWO)] * 2)
    block.deal(1, 0)
    player.begin()
    for _ in range(5):
        block.go_on([player])
    remembered = player.memories()
    assert remembered is not None
    tables, memories = block.tables.copy(), remembered.copy()
    player.act()
    wanted = block.actions.copy()
    block.make_step([player])
    block.tables[:], remembered[:] = tables, memories
    player.act()
    np.testing.assert_array_equal(block.actions, wanted)


def test_config_and_search_it_cannot_play_are_refused_in_words(tmp_path: Path):
    name = obl_jaxmarl(tmp_path)[1]
    assert agents.load(name, replace(TWO, hand_size=5, score_on_loss="fireworks")).name == "obl:a"
    for config, words in (
        (THREE, "other rules: players=2, and this game has players=3"),
        (PRESETS["mini"], "other rules: colors=5, and this game has colors=3"),
        (PRESETS["final_bouquet"], "this game has final_bouquet=True"),
        (KoiKoiConfig(), "rules of hanabi, not of koikoi"),
    ):
        with pytest.raises(ValueError, match=words):
            agents.load(name, config)
    with pytest.raises(ValueError, match="a network of ours, and not a search, got 'obl:a'"):
        agents.load(f"search:{name}", TWO)
    with pytest.raises(ValueError, match="unexpected keyword argument 'rollouts'"):
        agents.load(name, TWO, rollouts=3)


def test_a_file_says_for_which_game_it_is(tmp_path: Path):
    assert play(THREE, agents.load(deep_clone(tmp_path)[1]), 4, seed=1).length.min() > 0


@pytest.mark.parametrize("players", [4, 5])
def test_files_for_more_players_tell_their_hands(players: int, tmp_path: Path):
    """Published SAD networks for four and five players may have hands of four or five cards."""
    for hand_size in (4, 5):
        config = HanabiConfig(players=players, hand_size=hand_size)
        (last,) = (field for field in game_of(config).layout(config).fields if field.name == "who acted")
        (knowledge,) = (field for field in game_of(config).layout(config).fields if field.name == "plausible")
        place = last.first, knowledge.first - last.first
        network = Sad(config.observation_bits, 25 * hand_size, place, config.rules().num_actions)
        name = f"sad:{network.write_torch(tmp_path / 'sad.pthw')}"
        assert agents.load(name, config).name == "sad:sad"
        with pytest.raises(ValueError, match=f"other rules: hand_size={hand_size}"):
            agents.load(name, replace(config, hand_size=9 - hand_size))


def test_an_activation_beside_the_file_is_heeded(tmp_path: Path):
    torch.manual_seed(2)
    reference, name = clone(tmp_path)
    reference.activation = torch.relu
    (tmp_path / "bc.yaml").write_text("seed: 1\nact_fn: relu\n", encoding="utf-8")
    for taken, best in decisions_of(reference, name, TWO, 500):
        assert (taken == best).all()


def test_a_whole_agent_in_torchs_old_format_is_read(tmp_path: Path):
    network = OffBelief(658, OWN, 20)
    network.write_torch(tmp_path / "old.pthw", zipped=False, prefix="online_net.")
    for taken, best in decisions_of(network, f"obl:{tmp_path / 'old.pthw'}", TWO, 200):
        assert (taken == best).all()


# --- Bad files --------------------------------------------------------------------------------------------------------


def change(path: Path, change_tensors: Callable[[dict[str, torch.Tensor]], Any]) -> None:
    if path.suffix == ".safetensors":
        tensors = load_file(path)
        change_tensors(tensors)
        save_file(tensors, path)
    else:
        tensors = torch.load(path, weights_only=True)
        change_tensors(tensors)
        torch.save(tensors, path)


DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "missing": (lambda path: path.unlink(), "cannot be read"),
    "empty": (lambda path: path.write_bytes(b""), "is empty"),
    "truncated": (lambda path: path.write_bytes(path.read_bytes()[:-900]), "damaged|cannot be read"),
    "cut in its header": (lambda path: path.write_bytes(path.read_bytes()[:50]), "damaged|cannot be read"),
    "huge header": (lambda path: path.write_bytes(b"\xff" * 7 + b"\x7f" + path.read_bytes()[8:]), "damaged|read"),
    "noise": (lambda path: path.write_bytes(bytes(range(256)) * 9), "damaged|cannot be read"),
    "NaN": (lambda path: change(path, lambda t: t[min(t)].view(-1)[0].fill_(torch.nan)), "finite numbers, got NaN"),
    "a tensor too many": (lambda path: change(path, lambda t: t.update(more=torch.ones(3))), "'more' must be none"),
    "a tensor too few": (lambda path: change(path, lambda t: t.pop(min(t))), "has no|must be"),
    "another shape": (lambda path: change(path, lambda t: t.update({min(t): torch.ones(2, 2, 2)})), "shape|matrix"),
    "no shape": (lambda path: change(path, lambda t: t.update({min(t): torch.tensor(1.0)})), "shape|matrix"),
    "another type": (lambda path: change(path, lambda t: t.update({k: v.half() for k, v in t.items()})), "float32"),
    "other sizes": (lambda path: change(path, narrow), "no standard game|must be"),
    "nothing in it": (lambda path: change(path, lambda t: t.clear()), "has no"),
}


def narrow(tensors: dict[str, torch.Tensor]) -> None:
    """Remove one input from the first layer."""
    for name, value in list(tensors.items()):
        for axis, size in enumerate(value.shape):
            if size in (658, 838):
                tensors[name] = value.narrow(axis, 0, size - 1).contiguous()


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("write", [obl_jaxmarl, obl_torch, sad, clone])
def test_a_bad_file_ends_in_one_sentence(write: Callable[[Path], tuple[Any, str]], damage: str, tmp_path: Path):
    name = write(tmp_path)[1]
    path = Path(name.partition(":")[2])
    spoil, words = DAMAGES[damage]
    spoil(path)
    with pytest.raises(ValueError, match=words) as caught:
        agents.load(name, TWO)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("family", ["obl", "sad"])
def test_code_in_a_file_is_not_run(family: str, tmp_path: Path):
    path = tmp_path / "model.pthw"
    torch.save({"fc_a.weight": Bomb()}, path)
    for _ in range(2):
        with pytest.raises(ValueError, match=r"more than tensors \(code, say\)"):
            agents.load(f"{family}:{path}", TWO)
        path.write_bytes(pickle.dumps(Bomb()))  # a bare pickle, without an archive around it


def test_a_file_that_grows_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "model.pthw"
    torch.save({"priv_net.0.weight": torch.zeros(1).expand(10**6, 10**6)}, path)
    with pytest.raises(ValueError, match="larger than the file"):
        agents.load(f"obl:{path}", TWO)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("model/data/0", bytes(10**6))
    monkeypatch.setattr("hanabako.agents.bridges.published.tensors.MOST_ARRAYS", 10**5)
    with pytest.raises(ValueError, match="too large"):
        agents.load(f"obl:{path}", TWO)
    for content in ([torch.ones(2)], {"x": 3}, {1: torch.ones(2)}, {"x": torch.ones(2).to_sparse()}):
        torch.save(content, path)
        with pytest.raises(ValueError, match="must hold tensors by name"):
            agents.load(f"obl:{path}", TWO)


# --- Commands ---------------------------------------------------------------------------------------------------------


def test_results_name_files_and_rest_on_them(tmp_path: Path):
    one, other = obl_jaxmarl(tmp_path)[1], sad(tmp_path)[1]
    found = evaluate(Args("hanabi", mode="cross-play", agents=f"{one},{other},hanabi-standard-2p", games=4))
    assert found.agents == [one, other, "hanabi-standard-2p"]
    assert all(list(row["trained"]) == ["hanabi-standard-2p"] for row in found.rows)
    assert found.rows[1]["networks"].keys() == {one, other}
    before = agents.registry.fingerprints(one, other)
    obl_jaxmarl(tmp_path)
    now = agents.registry.fingerprints(one, other)
    assert before.keys() == {one, other} and before[one] != now[one] and before[other] == now[other]
