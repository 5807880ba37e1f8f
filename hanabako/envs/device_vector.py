"""The vector environment on a CUDA GPU: tables, observations, masks and rewards stay there, as torch tensors.

A step starts one kernel and waits for nothing. The kernels run the same functions as the loops for the CPU
(`hanabako.engine.device_loops`), so the same seed gives the same games, bit for bit.
"""

from math import prod
from typing import Any

import gymnasium
import numpy as np
import torch
from numba import cuda
from torch import Tensor

from hanabako.compiler.cuda import IS_SIMULATED, DeviceKernel, check_device
from hanabako.engine.device_loops import DeviceLoops, device_loops
from hanabako.engine.protocol import SAME_STEP
from hanabako.envs.vector import CardGameVectorEnv

__all__ = ["DeviceArray", "DeviceVectorEnv"]

PLACE = torch.device("cpu" if IS_SIMULATED else "cuda")


class DeviceVectorEnv(CardGameVectorEnv):
    """A `CardGameVectorEnv` whose tables are on a CUDA GPU.

    Three things differ:

    * Arrays are torch tensors on the GPU, of the same shapes and dtypes. Other libraries read them without a copy
      through DLPack, for example ``jax.dlpack.from_dlpack``.
    * ``infos`` always holds every entry, whether a game ended or not, so that no step waits for the GPU. The ``_name``
      masks tell for which games an entry counts.
    * `reset` also takes a ``reset_mask`` on the GPU, and then waits for nothing either.

    Methods about single tables (`to_dict`, `render`, `get_state` and so on) first copy all tables from the GPU.

    The arguments are those of `CardGameVectorEnv`; ``num_threads`` and ``specialize`` change nothing.

    Raises:
        ModuleNotFoundError: numba-cuda is not installed.
        RuntimeError: there is no GPU.
    """

    kernels: DeviceLoops
    """The game's kernels, for `run`."""
    records: "DeviceArray"
    """The tables' records (N,) on the GPU."""

    def _make_buffers(self, specialize: bool) -> None:
        check_device()
        super()._make_buffers(specialize=True)
        self.kernels = device_loops(self.game.functions, self.game.rules)
        self.records = DeviceArray(self._tables.shape, self._tables.dtype)
        self._octets = self.records.tensor.view(self.num_envs, -1)
        self._device_actions = DeviceArray((self.num_envs,), np.dtype(np.int64))
        self._chosen = DeviceArray((self.num_envs,), np.dtype(np.bool_))
        self._stream = DeviceArray((2,), np.dtype(np.uint64))
        self._seen = DeviceArray(self._observation.shape, self._observation.dtype)
        self._legal = DeviceArray(self._mask.shape, self._mask.dtype)
        final = self._seen.tensor.shape if self._mode == SAME_STEP else (self.num_envs, 1)  # else nothing is written
        self._last_seen = DeviceArray(tuple(final), self._final.dtype)
        self._none_legal, self._none_truncated = torch.zeros_like(self._legal.tensor), self._chosen.tensor.clone()
        names = "rewards", "returns", "reward", "current_player", "terminated", "ended", *self._statistics
        self._columns = {name: self.records.column(name) for name in names}
        for name in ("rewards", "returns"):
            self._columns[name] = self._columns[name][:, : self.game.players]

    # --- Gymnasium's methods ------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict, dict]:
        """Begin games: see `CardGameVectorEnv.reset`. A ``reset_mask`` on the GPU, as the only option, stays there."""
        chosen = (options or {}).get("reset_mask")
        if isinstance(chosen, Tensor) and seed is None and len(options or {}) == 1 and self._was_reset:
            self._begin_games(as_device_mask(chosen, self.num_envs))
            self._observe()
            return self._observations(), self._running_infos()
        if isinstance(chosen, Tensor):
            options = (options or {}) | {"reset_mask": chosen.cpu().numpy()}
        return super().reset(seed=seed, options=options)

    def _begin_games(self, chosen: Any, stream: np.ndarray | None = None) -> None:
        self._chosen.tensor.copy_(as_tensor(chosen))
        if stream is not None:
            self._stream.tensor.copy_(torch.from_numpy(stream))
        self.run(self.kernels.deal, self.records, self._chosen, self._stream, int(stream is not None))

    def _place(self, given: dict[int, dict[str, Any]]) -> None:
        """Load the given states and deals into their tables, on the CPU."""
        if given:
            self._fetch()
            super()._place(given)
            self.records.fill(self._tables)

    def _observe(self) -> None:
        self.run(self.kernels.observe, self.records, self._seen, self._legal)

    def step(self, actions: Any) -> tuple[dict, Any, Any, Any, dict]:
        """See `CardGameVectorEnv.step`. The actions are a torch tensor, another array with DLPack, or a sequence."""
        if not self._was_reset:
            raise gymnasium.error.ResetNeeded("call reset before step")
        self._device_actions.tensor.copy_(as_device_actions(actions, self.num_envs))
        results = self._seen, self._legal, self._last_seen
        self.run(self.kernels.step, self.records, self._device_actions, *results, self._mode)
        infos = self._running_infos()
        self._add_ends(infos)
        reward, terminated = self._shown(self._columns["reward"]), self._shown(self._columns["terminated"])
        return self._observations(), reward, terminated, self._shown(self._none_truncated), infos

    def run(self, kernel: DeviceKernel, *arguments: Any) -> None:
        """Start one of the `kernels` with a thread per table, on torch's current stream."""
        arrays = (part.array if isinstance(part, DeviceArray) else part for part in arguments)
        stream = 0 if IS_SIMULATED else cuda.external_stream(torch.cuda.current_stream().cuda_stream)
        kernel(self.num_envs, *arrays, stream=stream)

    def _shown(self, values: Tensor) -> Tensor:
        return values.clone() if self.copy_buffers else values

    def _observations(self) -> dict[str, Any]:
        return {"observation": self._shown(self._seen.tensor), "action_mask": self._shown(self._legal.tensor)}

    def _running_infos(self) -> dict[str, Any]:
        return {name: self._shown(self._columns[name]) for name in ("current_player", "rewards")}

    def _add_ends(self, infos: dict[str, Any]) -> None:
        ended = self._columns["ended"].clone()
        for name in (*self._statistics, "returns"):
            infos |= {name: self._shown(self._columns[name]), f"_{name}": ended}
        if self._mode == SAME_STEP:
            final, mask = self._shown(self._last_seen.tensor), self._shown(self._none_legal)
            infos |= {"final_obs": {"observation": final, "action_mask": mask}, "_final_obs": ended}

    def observe_all(self) -> dict[str, Any]:
        """Return all players' observations: see `CardGameVectorEnv.observe_all`."""
        games, players = self.num_envs, self.game.players
        seen = DeviceArray((games, players, *self._observation.shape[1:]), self._observation.dtype)
        legal = DeviceArray((games, players, self.game.num_actions), self._mask.dtype)
        self.run(self.kernels.observe_all, self.records, seen, legal)
        return {"observation": seen.tensor, "action_mask": legal.tensor}

    # --- Copies for the CPU -------------------------------------------------------------------------------------------

    def _fetch(self) -> None:
        """Copy the tables from the GPU to where the methods of `CardGameVectorEnv` read them."""
        self._tables[:] = self.records.to_host()

    def _state(self, index: int) -> Any:
        self._fetch()
        return super()._state(index)

    @property
    def tables(self) -> np.ndarray:
        """A copy of the records (N,) on which the kernels work."""
        self._fetch()
        return self._tables

    def get_state(self) -> dict[str, Any]:
        """Return everything that future steps depend on: see `CardGameVectorEnv.get_state`, which can read it too."""
        self._fetch()
        return super().get_state()

    def copy(self, index: int | None = None) -> Any:
        """Return an independent environment in the same state: see `CardGameVectorEnv.copy`."""
        self._fetch()
        if index is not None:
            return super().copy(index)
        twin = DeviceVectorEnv(*self.arguments)
        twin._take(self._tables, self._seed, self._was_reset)
        return twin

    def _take(self, tables: np.ndarray, seed: int | None, was_reset: bool) -> None:
        self.records.fill(tables)
        super()._take(tables, seed, was_reset)


class DeviceArray:
    """Memory on the GPU, as a torch tensor and as an array for kernels, of a shape and NumPy dtype ``kind``.

    A record has no torch dtype: its ``tensor`` is uint8, (bytes,).
    """

    tensor: Tensor
    array: Any

    def __init__(self, shape: tuple[int, ...], kind: np.dtype) -> None:
        self.kind = kind
        memory = torch.zeros(prod(shape) * kind.itemsize, dtype=torch.uint8, device=PLACE)
        array = memory.numpy() if IS_SIMULATED else cuda.as_cuda_array(memory)
        self.array = array.view(kind).reshape(shape)
        self.tensor = memory if kind.names else memory.view(torch_type(kind)).view(shape)

    def column(self, name: str) -> Tensor:
        """Return the field ``name`` of records (N,) as a view, (N, ...)."""
        fields: Any = self.kind.fields
        kind, offset = fields[name][:2]
        base, inner = kind.subdtype or (kind, ())
        numbers = self.tensor.view(torch_type(base)).view(-1, self.kind.itemsize // base.itemsize)
        first = offset // base.itemsize
        return numbers[:, first : first + prod(inner)].view(-1, *inner)

    def fill(self, rows: np.ndarray) -> None:
        """Copy an array of the same shape and dtype to the GPU."""
        self.tensor.copy_(torch.from_numpy(rows.view(np.uint8).reshape(-1)))

    def to_host(self) -> np.ndarray:
        """Return a copy of records (N,) as a NumPy array."""
        return self.tensor.cpu().numpy().view(self.kind).copy()


def torch_type(kind: np.dtype) -> torch.dtype:
    """Return the torch dtype of a NumPy dtype."""
    return getattr(torch, kind.name)


def as_device_actions(actions: Any, count: int) -> Tensor:
    """Return the actions as a tensor of integers (count,), wherever it is; raise ValueError if they are none."""
    tensor = as_tensor(actions)
    if tensor.shape != (count,) or tensor.dtype == torch.bool or tensor.is_floating_point() or tensor.is_complex():
        shape = tuple(tensor.shape)
        raise ValueError(f"actions must be integers of shape ({count},), got {tensor.dtype} of shape {shape}")
    return tensor.view(torch.int64).clamp(min=-1) if tensor.dtype == torch.uint64 else tensor


def as_device_mask(mask: Tensor, count: int) -> Tensor:
    """Return the tensor unless it is no mask bool (count,); then raise ValueError."""
    if mask.dtype != torch.bool or mask.shape != (count,):
        got = f"{mask.dtype} of shape {tuple(mask.shape)}"
        raise ValueError(f"reset_mask must be a bool array of shape ({count},), got {got}")
    return mask


def as_tensor(values: Any) -> Tensor:
    """Return a tensor of the values, without a copy if they have DLPack."""
    if isinstance(values, Tensor):
        return values
    if hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray):
        return torch.from_dlpack(values)
    return torch.from_numpy(np.ascontiguousarray(values))
