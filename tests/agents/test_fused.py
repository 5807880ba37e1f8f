"""The fused steps of the symmetric network have the outputs and the gradients of its plain formulas."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from hanabako.agents.networks import symmetric
from hanabako.agents.networks.fused import can_fuse, from_bfloat16, fused_heads, fused_layer, to_bfloat16
from hanabako.agents.networks.symmetric import SymmetricNetwork, plain_heads, plain_layer
from hanabako.compiler.jit import IS_INTERPRETED
from hanabako.packing import pack
from hanabi_env import HanabiConfig
from ikebana_env import IkebanaConfig

compiled = pytest.mark.skipif(IS_INTERPRETED, reason="without a compiler networks use the plain formulas")

SIZES = [(1, 1, 1, 1), (3, 2, 5, 4), (5, 1, 64, 64), (5, 33, 24, 24), (3, 7, 17, 5), (6, 20, 100, 40)]
"""Suits, rows, width, and the number of the rest's features."""
if IS_INTERPRETED:  # kernels also run as plain Python, slowly
    del SIZES[2:]
WITHIN = {torch.float64: 1e-13, torch.float32: 1e-5, torch.bfloat16: 0.02}
"""The largest difference, as part of the largest number. Bfloat16 has 8 bits, so its unit is 0.004 to 0.008."""
DTYPES = list(WITHIN)


def random(*shape: int, dtype: torch.dtype, spread: bool = False) -> Tensor:
    """Return numbers of which none is close to 0, so that rounding changes no sign; ``spread``: not contiguous."""
    numbers = torch.randn(*shape[:-1], shape[-1] * (1 + spread), dtype=torch.float64)
    return (numbers + 0.3 * numbers.sign()).to(dtype)[..., :: 1 + spread]


def check_close(found: Sequence[Tensor], expected: Sequence[Tensor], within: float) -> None:
    """Check shapes and types, and that no number differs by more than ``within`` times the largest one."""
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        assert one.dtype == other.dtype
        difference = (one.double() - other.double()).abs().max().item()
        assert difference <= within * other.double().abs().max().item()


def gradients(function: Callable[..., Any], inputs: Sequence[Tensor], spread: bool) -> tuple[Sequence[Tensor], ...]:
    """Return a function's outputs, and the gradients of a random combination of them."""
    leaves = [tensor.detach().requires_grad_() for tensor in inputs]
    outputs = function(*(leaf * 1 for leaf in leaves))
    torch.manual_seed(5)
    factors = [random(*output.shape, dtype=output.dtype, spread=spread) for output in outputs]
    return outputs, torch.autograd.grad(outputs, leaves, factors)


def wide(dtype: torch.dtype) -> torch.dtype:
    return torch.promote_types(dtype, torch.float32)


@pytest.mark.parametrize("spread", [False, True], ids=["contiguous", "spread"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_layer_agrees_with_the_plain_formulas(size: tuple[int, ...], dtype: torch.dtype, spread: bool) -> None:
    suits, rows, width, rest = size
    torch.manual_seed(1)
    inputs = (
        random(suits, rows, width, dtype=dtype, spread=spread),
        random(rows, width + rest, dtype=dtype, spread=spread) * 4,  # sums are far from 0
        torch.arange(width + rest, dtype=wide(dtype)) % 8 / 64,
    )
    outputs, slopes = gradients(fused_layer, inputs, spread)
    expected, expected_slopes = gradients(plain_layer, inputs, spread)
    check_close(outputs, expected, WITHIN[dtype])
    check_close(slopes, expected_slopes, WITHIN[dtype])


@pytest.mark.parametrize("spread", [False, True], ids=["contiguous", "spread"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("named", [1, 4])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_heads_agree_with_the_plain_formulas(
    size: tuple[int, ...], named: int, dtype: torch.dtype, spread: bool
) -> None:
    suits, rows, width, others = size
    torch.manual_seed(2)
    order = torch.randperm(suits * named + others)
    inputs = (
        random(suits, rows, width, dtype=dtype, spread=spread),
        random(rows, named + others + 1, dtype=wide(dtype), spread=spread),
        random(named, width, dtype=wide(dtype), spread=spread),
    )
    outputs, slopes = gradients(partial(fused_heads, order=order), inputs, spread)
    expected, expected_slopes = gradients(partial(plain_heads, order=order), inputs, spread)
    check_close(outputs, expected, WITHIN[wide(dtype)])
    check_close(slopes, expected_slopes, WITHIN[dtype])


def test_logits_are_those_of_a_loop() -> None:
    """Three suits, two actions that name a suit, and three others."""
    torch.manual_seed(4)
    order = torch.tensor([4, 0, 5, 1, 6, 2, 8, 3, 7])
    suits, out, weight = (random(*shape, dtype=torch.float64) for shape in ((3, 2, 5), (2, 6), (2, 5)))
    expected = torch.empty(2, 9, dtype=torch.float64)
    for suit in range(3):
        for named in range(2):
            expected[:, order[2 * suit + named]] = suits[suit] @ weight[named] + out[:, named]
    for other in range(3):
        expected[:, order[6 + other]] = out[:, 2 + other]
    for heads in (fused_heads, plain_heads):
        logits, values = heads(suits, out, weight, order)
        torch.testing.assert_close(logits, expected)
        assert torch.equal(values, out[:, -1])


def test_bfloat16_is_rounded_as_by_torch() -> None:
    some, near_ties = np.random.default_rng(1).integers(2**32, size=3000), np.arange(0x3F7F0000, 0x3F830000, 0x1000)
    numbers = np.concatenate([some, near_ties, [0x7F800000, 0x80000000]]).astype(np.uint32).view(np.float32)
    numbers = numbers[~np.isnan(numbers)]
    expected = torch.from_numpy(numbers).bfloat16()
    with np.errstate(over="ignore"):
        halves = np.array([to_bfloat16(number) for number in numbers])
        np.testing.assert_array_equal(halves, expected.view(torch.uint16).numpy())
        np.testing.assert_array_equal([from_bfloat16(half) for half in halves], expected.float().numpy())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
def test_a_diverged_network_still_shows_it(dtype: torch.dtype) -> None:
    product = torch.full((2, 1, 3), math.nan, dtype=dtype)
    suits, joined = fused_layer(product, torch.ones(1, 6, dtype=dtype), torch.zeros(6))
    assert suits.isnan().all()
    assert joined[:, :3].isnan().all()
    assert (joined[:, 3:] == 1).all()


CONFIGS = [HanabiConfig(derived=True), HanabiConfig(players=4), IkebanaConfig()]


@compiled
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize(("layers", "views", "rows"), [(2, 1, 50), (1, 1, 1), (3, 2, 9)])
@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"{type(config).__name__}-{config.players}")
def test_a_network_agrees_with_its_plain_form(
    config: Any, layers: int, views: int, rows: int, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(1)
    network = SymmetricNetwork(config, width=24, layers=layers, views=views)
    network.trunk_dtype = dtype
    bits = np.random.default_rng(3).integers(2, size=(views, rows, config.observation_bits))
    words = np.concatenate([pack(view, network.words // views) for view in bits], axis=1)
    seen = torch.from_numpy(words.view(np.int64))

    def results() -> tuple[list[Tensor], list[Tensor]]:
        network.zero_grad()
        logits, values = network(seen)
        (logits.square().sum() + values.square().sum()).backward()
        return [logits, values], [weights.grad for weights in network.parameters() if weights.grad is not None]

    outputs, slopes = results()
    again, same_slopes = results()
    assert all(map(torch.equal, [*outputs, *slopes], [*again, *same_slopes]))  # the same bits each time
    monkeypatch.setattr(symmetric, "can_fuse", lambda _: False)
    expected, expected_slopes = results()
    check_close(outputs, expected, WITHIN[dtype])
    check_close(slopes, expected_slopes, 3 * WITHIN[dtype])


@compiled
def test_other_devices_and_types_use_the_plain_formulas() -> None:
    assert all(can_fuse(torch.zeros(1, dtype=dtype)) for dtype in DTYPES)
    assert not can_fuse(torch.zeros(1, dtype=torch.float16))
    assert not can_fuse(torch.zeros(1, device="meta"))
