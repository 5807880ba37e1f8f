"""Networks with memory: a gated recurrent unit over a player's own decisions (Cho et al. 2014).

A decision has three parts, so that a replay of many decisions goes step by step only in the second one: the network
*reads* the position, *remembers*, and *decides*.
"""

from abc import abstractmethod
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F
from typing_extensions import override

from .network import Network, Outputs, RoundedLinear, start_head
from .symmetric import SymmetricNetwork


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

        ``read`` (horizon, games, ..., 3 * hidden_size) are results of `read`, ``memories`` (games, players, ...,
        hidden_size) those at the beginning; the others are as in `Network.replay`. The results are (horizon, games,
        ..., hidden_size) and (games, players, ..., hidden_size).
        """
        kind = read.dtype
        return Follow.apply(read, memories, self.weight_hh.to(kind), self.bias_hh.to(kind), players, dones)


def gates(read: Tensor, own: Tensor, kind: torch.dtype) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the gates reset and update, the candidate, and the memory's part of the candidate, each (..., size).

    ``read`` and ``own``, (..., 3 * size), are the input's and the memory's part of the gates.
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


class WithMemory(Network):
    """The base class of networks with memory, which define how to read and decide; a cell remembers in between.

    Each player of each game has its own memory, which starts at zero and changes with that player's decisions.
    """

    cell: MemoryCell
    """The gated recurrent unit."""
    parts: int = 1
    """How many parts a memory has, next to each other; all share the cell."""

    @abstractmethod
    def read(self, words: Tensor) -> tuple[Tensor, Any]:
        """Return what memory takes in of observations (rows, words), as (rows, n), and what `decide` needs besides."""

    @abstractmethod
    def decide(self, seen: Any, memory: Tensor) -> Outputs:
        """Return the outputs from the second result of `read` and the memories (rows, numbers) after the positions."""

    def remember(self, read: Tensor, memory: Tensor) -> Tensor:
        """Return the memories (rows, numbers) after the positions that were read."""
        return self.cell.after(*(part.unflatten(1, (self.parts, -1)) for part in (read, memory))).flatten(1)

    @override
    def step(self, words: Tensor, memory: Tensor | None = None) -> Outputs:
        read, seen = self.read(words)
        return self.decide(seen, self.remember(read, self.initial_memory(len(words)) if memory is None else memory))

    @override
    def replay(self, words: Tensor, memory: Tensor, players: Tensor, dones: Tensor) -> Outputs:
        read, seen = self.read(words.flatten(0, 2))
        own, *others = read.unflatten(0, words.shape[:3]).unbind(2)
        taken_in, begins = (part.unflatten(2, (self.parts, -1)) for part in (own, memory))
        after, last = (part.flatten(2) for part in self.cell.follow(taken_in, begins, players, dones))
        if others:
            before = before_each(after, memory, players, dones)
            seats = (players[..., None] + torch.arange(1, words.shape[2], device=players.device)) % memory.shape[1]
            theirs = before.take_along_dim(seats[..., None], 2)
            waiting = self.remember(torch.stack(others, 2).flatten(0, 2), theirs.flatten(0, 2))
            after = torch.cat([after[:, :, None], waiting.unflatten(0, seats.shape)], 2).flatten(0, 1)
        return self.decide(seen, after.flatten(0, 1))._replace(memory=last)

    @override
    def initial_memory(self, count: int) -> Tensor:
        numbers = self.parts * self.cell.hidden_size
        return torch.zeros(count, numbers, dtype=torch.float32, device=self.opening.device)


def before_each(after: Tensor, memory: Tensor, players: Tensor, dones: Tensor) -> Tensor:
    """Return the memories of all players before each decision, (horizon, games, players, numbers).

    Those of the players who decided are ``after`` (horizon, games, numbers). For the others see `Network.replay`.
    """
    before, games = [], torch.arange(len(memory), device=memory.device)
    for now, player, done in zip(after, players, dones, strict=True):
        before.append(memory)
        memory = memory.index_put((games, player), now).masked_fill(done[:, None, None], 0.0)
    return torch.stack(before)


OF_A_GATE = 0.5
"""Scale of the initial weights from the rest's features to the gates, so that the gates begin near their middle."""


class RecurrentNetwork(WithMemory):
    """A multilayer perceptron, a gated recurrent unit, and a linear head with the value as its last output.

    As in `agents.networks.network.DenseNetwork`, bits that are set in every opening are inverted. The recurrent unit
    comes after all hidden layers; a memory has as many numbers as these have units.
    """

    kind = "recurrent"
    usual_width = 256

    def __init__(self, config: Any, width: int, layers: int, views: int = 1) -> None:
        super().__init__(config, views, width=width, layers=layers)
        sizes = [64 * self.words] + [width] * (layers - 1)
        self.trunk = nn.ModuleList(RoundedLinear(size, width) for size in sizes)
        self.cell = MemoryCell(width, width)
        self.head = nn.Linear(width, self.actions + 1)
        start_head(self.head)

    @override
    def read(self, words: Tensor) -> tuple[Tensor, None]:
        x = self.numbers(words)
        for layer in self.trunk:
            x = F.relu(layer(x))
        return self.cell.read(x), None

    @override
    def decide(self, seen: None, memory: Tensor) -> Outputs:
        out = self.head(memory)
        return Outputs(out[:, :-1], out[:, -1], memory, memory)


class RecurrentSymmetricNetwork(WithMemory, SymmetricNetwork):
    """A symmetric network that remembers features of every suit, and of the rest of the position.

    A memory has half as many numbers as there are features. Suits share one gated recurrent unit, which takes in their
    features before the last layer; the rest has input weights of its own, and the same weights from memory to memory. A
    linear layer of the memories is added to what the last layer reads. If the suits are renamed from the beginning of a
    game, the memories are renamed with them. There are at least 2 layers and features.
    """

    kind = "recurrent-symmetric"

    def __init__(self, config: Any, width: int, layers: int, views: int = 1) -> None:
        if min(width, layers) < 2:
            raise ValueError(f"a {self.kind} network needs layers and width of at least 2, got {layers} and {width}")
        super().__init__(config, width, layers, views)
        self.parts, size = len(self.suit_bits) + 1, width // 2
        self.cell = MemoryCell(width, size)
        self.rest_in = RoundedLinear(2 * width, 3 * size, scale=OF_A_GATE)
        self.suit_recall, self.rest_recall = (RoundedLinear(size, width, bias=False) for _ in range(2))

    @override
    def read(self, words: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        suits, pooled = self.unpack(self.changed(words), self.trunk_dtype)
        for k in range(len(self.own) - 1):
            suits, pooled = self.layer(k, suits, pooled)
        of_suits = self.cell.read(suits).transpose(0, 1).flatten(1)
        return torch.cat([of_suits, self.rest_in(pooled)], 1), (suits, pooled)

    @override
    def decide(self, seen: tuple[Tensor, Tensor], memory: Tensor) -> Outputs:
        suits, pooled = seen
        kept = memory.unflatten(1, (self.parts, -1)).to(suits.dtype)
        of_suits = self.suit_recall(kept[:, :-1]).transpose(0, 1)
        more = torch.cat([of_suits.mean(0), self.rest_recall(kept[:, -1])], 1)
        return self.heads(*self.layer(len(self.own) - 1, suits + of_suits, pooled + more), memory)
