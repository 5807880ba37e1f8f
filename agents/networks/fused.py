"""Fused steps of the symmetric network: all that a layer does after its matrix products, in one pass over memory.

**A layer.** `agents.networks.symmetric.SymmetricNetwork` has features ``h_s`` for each of ``S`` suits, and pooled
features ``p``. A layer multiplies them by the weights ``A``, ``B`` and ``C``, which torch does well. The rest is a few
additions per number. With the bias ``[b, c]``:

    h_s' = relu(A h_s + B p + b)              suits: for each suit s
    g'   = relu(C p + c)                      the rest of the position
    p'   = [(h_1' + ... + h_S') / S, g']      pooled: mean of the suits, joined with the rest

Torch makes a pass over all features for each of these operations; one pass suffices. Backward, if ``dx`` is the
gradient of the loss with respect to ``x``, ``[dm, dg']`` are the parts of ``dp'``, and ReLU lets a gradient pass where
its output is not 0:

    d(A h_s) = dh_s' + dm / S   where h_s' > 0, else 0
    d(B p)   = sum of d(A h_s) over the suits
    d(C p)   = dg'              where g' > 0, else 0
    d[b, c]  = sum of [d(B p), d(C p)] over the rows

**The heads.** A linear layer that reads ``p`` has the outputs ``o``. The logit of action ``a`` on suit ``s`` is
``w_a . h_s + o_a``; the logits of all other actions, and the value, are outputs. Backward, with the logits' gradients
``d_sa``:

    dh_s = sum of d_sa w_a over a        dw_a = sum of d_sa h_s over s and rows        do_a = sum of d_sa over s

`plain_layer` and `plain_heads` of `agents.networks.symmetric` are the same formulas in torch, for other devices and for
``NUMBA_DISABLE_JIT=1``. The functions here take CPU tensors of bfloat16, float32 or float64. NumPy has no bfloat16: a
kernel gets such numbers as uint16, the upper half of a float32. It computes in float32 and rounds only what it stores.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from hanabako.compiler.jit import IS_INTERPRETED, kernel, rule, summing_rule

__all__ = ["can_fuse", "fused_heads", "fused_layer"]

COMPUTED = {torch.bfloat16: np.float32, torch.float32: np.float32, torch.float64: np.float64}
"""The number type in which kernels compute, by the type of the tensors."""


def can_fuse(tensor: Tensor) -> bool:
    """Whether fused functions are compiled and take such a tensor."""
    return tensor.device.type == "cpu" and tensor.dtype in COMPUTED and not IS_INTERPRETED


def fused_layer(suit_products: Tensor, pooled_products: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
    """Return the new features of the suits, and the new pooled features.

    Args:
        suit_products: ``A h_s``, (suits, rows, width). Its memory is reused for the result.
        pooled_products: ``[B p, C p]``, (rows, width + rest), of the same type.
        bias: ``[b, c]``, (width + rest,). It is added in float32, or in float64 to float64.

    Returns:
        ``h_s'``, (suits, rows, width), and ``p'``, (rows, width + rest), of the same type.
    """
    wide = torch.promote_types(pooled_products.dtype, torch.float32)
    return Layer.apply(suit_products, pooled_products, bias.to(wide))


def fused_heads(suits: Tensor, out: Tensor, weight: Tensor, order: Tensor) -> tuple[Tensor, Tensor]:
    """Return the logits of all actions, and the values.

    Args:
        suits: ``h_s``, (suits, rows, width).
        out: ``o``, (rows, named + others + 1), float32 or float64: for the actions that name a suit, for all other
            actions, and the value.
        weight: ``w_a``, (named, width), of the type of ``out``.
        order: (actions,) int64: the actions that name the first suit, those that name the second one, ..., all others.

    Returns:
        Logits (rows, actions), and values (rows,), of the type of ``out``.
    """
    return Heads.apply(suits, out, weight, order)


# --- Number types -----------------------------------------------------------------------------------------------------


@rule
def as_it_is(x):
    """Return ``x``: float32 and float64 are stored as they are computed."""
    return x


@rule
def from_bfloat16(half):
    """Return the float32 whose upper 16 bits are a bfloat16, given as uint16."""
    return np.uint32(np.uint32(half) << np.uint32(16)).view(np.float32)


@rule
def to_bfloat16(x):
    """Return the nearest bfloat16 of a float32, as uint16; of two equally near the even one."""
    bits = np.float32(x).view(np.uint32)
    odd = np.uint32(np.uint32(bits >> np.uint32(16)) & np.uint32(1))
    return np.uint16(np.uint32(bits + np.uint32(0x7FFF) + odd) >> np.uint32(16))


def array_of(tensor: Tensor) -> NDArray[Any]:
    """Return a tensor's numbers as an array; it shares the memory of a contiguous tensor. Bfloat16 becomes uint16."""
    tensor = tensor.detach().contiguous()
    return tensor.view(torch.uint16).numpy() if tensor.dtype == torch.bfloat16 else tensor.numpy()


@cache
def kernels(dtype: torch.dtype) -> dict[str, Callable[..., None]]:
    """Return the kernels for tensors of this type. All their code is in this file, so they need no digest."""
    load, store = (from_bfloat16, to_bfloat16) if dtype == torch.bfloat16 else (as_it_is, as_it_is)
    number = COMPUTED[dtype]
    return {
        "layer": layer_forward(number, load, store),
        "layer_back": layer_backward(number, load, store),
        "heads": heads_forward(number, load),
        "heads_back": heads_backward(number, load, store),
    }


# --- A layer ----------------------------------------------------------------------------------------------------------
#
# Inner loops run over slices of rows, from 0 and without branches, so that they are compiled to vector instructions.


class Layer(torch.autograd.Function):
    """See `fused_layer`."""

    @staticmethod
    def forward(ctx: Any, suit_products: Tensor, pooled_products: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        suits = suit_products.contiguous()
        pooled = pooled_products.new_empty(pooled_products.shape)
        scratch = np.empty((2, suits.shape[2]), COMPUTED[suits.dtype])
        kernels(suits.dtype)["layer"](*map(array_of, (suits, pooled_products, bias, pooled)), *scratch)
        if suits is suit_products:
            ctx.mark_dirty(suit_products)
        ctx.save_for_backward(suits, pooled)
        return suits, pooled

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grad_outputs: Any) -> Any:  # pyrefly: ignore[bad-override] - the decorator hides names
        suits, pooled = ctx.saved_tensors
        gradients = torch.empty_like(suits), torch.empty_like(pooled)
        number = COMPUTED[suits.dtype]
        grad_bias, scratch = np.zeros(pooled.shape[1], number), np.empty((2, suits.shape[2]), number)
        arrays = map(array_of, (*grad_outputs, suits, pooled, *gradients))
        kernels(suits.dtype)["layer_back"](*arrays, grad_bias, *scratch)
        return *gradients, torch.from_numpy(grad_bias)


def layer_forward(number: type, load: Callable[..., Any], store: Callable[..., Any]) -> Callable[..., None]:
    """Return the kernel of `Layer.forward`, which replaces the products in ``suits`` by the features."""
    zero = number(0)

    @kernel
    def run(suits, pooled_products, bias, pooled, shift, total):
        count, rows, width = suits.shape
        for row in range(rows):
            products, mean = pooled_products[row], pooled[row]
            for k in range(width):
                shift[k] = load(products[k]) + bias[k]
                total[k] = zero
            for suit in range(count):
                features = suits[suit, row]
                for k in range(width):
                    value = load(features[k]) + shift[k]
                    value = zero if value <= zero else value  # NaN stays NaN
                    features[k] = store(value)
                    total[k] += value
            for k in range(width):
                mean[k] = store(total[k] / number(count))
            products, more, rest = products[width:], bias[width:], mean[width:]
            for k in range(len(rest)):
                value = load(products[k]) + more[k]
                rest[k] = store(zero if value <= zero else value)

    return run


def layer_backward(number: type, load: Callable[..., Any], store: Callable[..., Any]) -> Callable[..., None]:
    """Return the kernel of `Layer.backward`. The gradient of ``x`` is ``grad_x``."""
    zero = number(0)

    @kernel
    def run(grad_suits, grad_pooled, suits, pooled, grad_suit_products, grad_pooled_products, grad_bias, shift, total):
        count, rows, width = suits.shape
        for row in range(rows):
            grad_mean, grad_sum = grad_pooled[row], grad_pooled_products[row]
            for k in range(width):
                shift[k] = load(grad_mean[k]) / number(count)
                total[k] = zero
            for suit in range(count):
                features, grad_product = suits[suit, row], grad_suit_products[suit, row]
                grad_features = grad_suits[suit, row]
                for k in range(width):
                    value = load(grad_features[k]) + shift[k]
                    value = zero if load(features[k]) <= zero else value
                    grad_product[k] = store(value)
                    total[k] += value
            for k in range(width):
                grad_sum[k] = store(total[k])
                grad_bias[k] += total[k]
            rest, grad_rest = pooled[row][width:], grad_mean[width:]
            grad_product, grad_more = grad_sum[width:], grad_bias[width:]
            for k in range(len(rest)):
                value = zero if load(rest[k]) <= zero else load(grad_rest[k])
                grad_product[k] = store(value)
                grad_more[k] += value

    return run


# --- The heads --------------------------------------------------------------------------------------------------------


class Heads(torch.autograd.Function):
    """See `fused_heads`."""

    @staticmethod
    def forward(ctx: Any, suits: Tensor, out: Tensor, weight: Tensor, order: Tensor) -> tuple[Tensor, Tensor]:
        logits, values = out.new_empty(len(out), len(order)), out.new_empty(len(out))
        ctx.save_for_backward(suits, weight, order)
        actions = by_suit(order, len(suits), len(weight))
        kernels(suits.dtype)["heads"](*map(array_of, (suits, out, weight, logits, values)), *actions)
        return logits, values

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grad_outputs: Any) -> Any:  # pyrefly: ignore[bad-override] - the decorator hides names
        suits, weight, order = ctx.saved_tensors
        named, others = by_suit(order, len(suits), len(weight))
        grad_out = weight.new_empty(suits.shape[1], len(weight) + len(others) + 1)
        gradients = suits.new_empty(suits.shape), grad_out, weight.new_zeros(weight.shape)
        arrays = map(array_of, (*grad_outputs, suits, weight, *gradients))
        kernels(suits.dtype)["heads_back"](*arrays, named, others, np.empty(suits.shape[2], COMPUTED[suits.dtype]))
        return *gradients, None


def by_suit(order: Tensor, suits: int, named: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the actions that name a suit, (suits, named), and all others, (others,)."""
    actions = order.numpy()
    return actions[: suits * named].reshape(suits, named), actions[suits * named :]


def heads_forward(number: type, load: Callable[..., Any]) -> Callable[..., None]:
    """Return the kernel of `Heads.forward`."""
    zero = number(0)

    @summing_rule
    def product(features, factors):
        """Return the scalar product."""
        total = zero
        for k in range(len(factors)):
            total += load(features[k]) * factors[k]
        return total

    @kernel
    def run(suits, out, weight, logits, values, named, others):
        for row in range(len(out)):
            for suit in range(len(suits)):
                for action in range(len(weight)):
                    logit = product(suits[suit, row], weight[action])
                    logits[row, named[suit, action]] = logit + out[row, action]
            for action in range(len(others)):
                logits[row, others[action]] = out[row, len(weight) + action]
            values[row] = out[row, len(weight) + len(others)]

    return run


def heads_backward(number: type, load: Callable[..., Any], store: Callable[..., Any]) -> Callable[..., None]:
    """Return the kernel of `Heads.backward`. The gradient of ``x`` is ``grad_x``."""
    zero = number(0)

    @kernel
    def run(grad_logits, grad_values, suits, weight, grad_suits, grad_out, grad_weight, named, others, total):
        count, rows, width = suits.shape
        for row in range(rows):
            grad_out[row, :] = zero
            for suit in range(count):
                features, grad_features = suits[suit, row], grad_suits[suit, row]
                for k in range(width):
                    total[k] = zero
                for action in range(len(weight)):
                    gradient = grad_logits[row, named[suit, action]]
                    factors, grad_factors = weight[action], grad_weight[action]
                    for k in range(width):
                        total[k] += gradient * factors[k]
                    for k in range(width):
                        grad_factors[k] += gradient * load(features[k])
                    grad_out[row, action] += gradient
                for k in range(width):
                    grad_features[k] = store(total[k])
            for action in range(len(others)):
                grad_out[row, len(weight) + action] = grad_logits[row, others[action]]
            grad_out[row, len(weight) + len(others)] = grad_values[row]

    return run
