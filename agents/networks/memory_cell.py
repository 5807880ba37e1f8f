"""A gated recurrent unit (Cho et al. 2014) for games: one decision, or a replay of many with their gradients."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

__all__ = ["MemoryCell"]


class MemoryCell(nn.GRUCell):
    """A gated recurrent unit whose products have the number type of its input; the memory is float32."""

    def reset_parameters(self) -> None:
        """Initialize as PyTorch does, but with orthogonal weights from memory to memory."""
        super().reset_parameters()
        nn.init.orthogonal_(self.weight_hh)

    def read(self, x: Tensor) -> Tensor:
        """Return the input's part of the gates, (..., 3 * hidden_size)."""
        return F.linear(x, self.weight_ih.to(x.dtype), self.bias_ih.to(x.dtype))

    def after(self, read: Tensor, memory: Tensor) -> Tensor:
        """Return the memory (..., hidden_size) after the input of which ``read`` is the result of `read`."""
        kind = read.dtype
        own = F.linear(memory.to(kind), self.weight_hh.to(kind), self.bias_hh.to(kind))
        _, update, new, _ = gates(read, own, memory.dtype)
        return torch.lerp(new, memory, update)

    def follow(self, read: Tensor, memories: Tensor, players: Tensor, dones: Tensor) -> tuple[Tensor, Tensor]:
        """Return the memories after each decision of some games, and those of all players at the end.

        A decision changes the memory of its player; all memories of a game that ends become 0. Gradients flow back
        through all decisions; this pass is written by hand, because autograd's is slower.

        Args:
            read: (horizon, games, ..., 3 * hidden_size), results of `read`.
            memories: (games, players, ..., hidden_size), the memories at the beginning.
            players: (horizon, games) int64, the player who decided.
            dones: (horizon, games) bool, whether that decision ended the game.

        Returns:
            (horizon, games, ..., hidden_size) and (games, players, ..., hidden_size).
        """
        kind = read.dtype
        return Follow.apply(read, memories, self.weight_hh.to(kind), self.bias_hh.to(kind), players, dones)


def gates(read: Tensor, own: Tensor, kind: torch.dtype) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the gates reset and update, the candidate, and the memory's part of the candidate, each (..., size).

    Args:
        read: the input's part of the gates, (..., 3 * size).
        own: the memory's part of the gates, (..., 3 * size).
        kind: the number type of the results.
    """
    (reset, update, new), (own_reset, own_update, own_new) = (part.to(kind).chunk(3, -1) for part in (read, own))
    reset = torch.sigmoid(reset + own_reset)
    return reset, torch.sigmoid(update + own_update), torch.tanh(torch.addcmul(new, reset, own_new)), own_new


class Follow(torch.autograd.Function):
    """`MemoryCell.follow` as an operation of autograd."""

    @staticmethod
    def forward(
        ctx: Any, read: Tensor, memories: Tensor, weight: Tensor, bias: Tensor, players: Tensor, dones: Tensor
    ) -> tuple[Tensor, Tensor]:
        """See `MemoryCell.follow`; ``weight`` and ``bias`` are those from memory to gates."""
        now, rows = memories.clone(), torch.arange(len(memories), device=memories.device)
        room = memories.new_empty(6, *read.shape[:-1], weight.shape[1])
        before, reset, update, new, own_new, after = room
        for t, (player, done) in enumerate(zip(players, dones, strict=True)):
            before[t] = now[rows, player]
            own = F.linear(before[t].to(read.dtype), weight, bias)
            reset[t], update[t], new[t], own_new[t] = gates(read[t], own, memories.dtype)
            torch.lerp(new[t], before[t], update[t], out=after[t])
            now[rows, player] = after[t]
            now[done] = 0.0
        ctx.save_for_backward(weight, players, dones, *room[:-1])
        return after, now

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grad_outputs: Any) -> Any:  # pyrefly: ignore[bad-override] - the decorator hides names
        """Return the gradients of ``read``, the memories, the weight and the bias."""
        weight, players, dones, before, reset, update, new, own_new = ctx.saved_tensors
        d_after, d_now = grad_outputs[0], grad_outputs[1].clone()
        rows, size = torch.arange(len(d_now), device=d_now.device), before.shape[-1]
        of_new = (1 - update) * (1 - new * new)  # gradients of the gates' inputs, for a gradient 1 of the memory
        of_update = (before - new) * update * (1 - update)
        of_reset = of_new * own_new * reset * (1 - reset)
        of_own = torch.cat([of_reset, of_update, of_new * reset], -1)
        d_memory = torch.empty_like(before)
        d_own = torch.empty_like(of_own, dtype=weight.dtype)
        for t in reversed(range(len(players))):
            d_now[dones[t]] = 0.0
            d_memory[t] = d_after[t] + d_now[rows, players[t]]
            d_own[t] = of_own[t] * torch.cat([d_memory[t]] * 3, -1)
            d_now[rows, players[t]] = torch.addcmul((d_own[t] @ weight).to(before.dtype), d_memory[t], update[t])
        d_read = torch.cat([d_own[..., : 2 * size], (of_new * d_memory).to(weight.dtype)], -1)
        flat = d_own.flatten(0, -2)
        return d_read, d_now, flat.T @ before.flatten(0, -2).to(weight.dtype), flat.sum(0), None, None
