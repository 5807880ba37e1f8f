"""Read the tensors of a published file, rename them as torch's layers do, and fill networks with them.

JaxMARL's and AH2AC2's files are safetensors with flax names. Those of `hanabi_SAD` and `off-belief-learning` are state
dicts pickled by torch, from which nothing but tensors is read.
"""

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from hanabako.files import MOST_ARRAYS, check_readable
from hanabako.words.checks import shown

from ...networks.policy_file import check_numbers, check_shapes, opened

__all__ = ["Tensors", "dense_of", "filled", "flat_names", "lstm_of", "matrix", "read_tensors", "without"]

Tensors = dict[str, Tensor]
"""Tensors by name."""
GATES = "ifgo"
"""The gates of an LSTM (input, forget, candidate, output) in torch's order."""
N = TypeVar("N", bound=nn.Module)


# --- Reading ----------------------------------------------------------------------------------------------------------


def read_tensors(path: Path) -> Tensors:
    """Read a file's tensors: safetensors by its suffix, else a torch state dict of a network or a whole agent.

    Raises:
        ValueError: the file is missing, too large, damaged, or holds anything but tensors, such as code.
    """
    if path.suffix == ".safetensors":
        with opened(path) as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no dict
    try:
        size = check_readable(path, MOST_ARRAYS)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        content = unpickled(path, size)
    except Exception as error:
        raise ValueError(f"{path} is damaged, too large, or holds more than tensors (code, say): not read") from error
    if not isinstance(content, Mapping) or not all(is_plain(name, value) for name, value in content.items()):
        raise ValueError(f"{path} must hold tensors by name, and nothing else")
    if sum(value.numel() * value.element_size() for value in content.values()) > size:
        raise ValueError(f"{path} is damaged: its tensors are larger than the file")
    return {name.removeprefix("online_net."): value for name, value in without(content, "target_net").items()}


def unpickled(path: Path, size: int) -> Any:
    """Load a file of ``size`` bytes with torch, which admits only tensors and containers, of at most `MOST_ARRAYS`."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    if size > MOST_ARRAYS:
        raise ValueError(f"more than {MOST_ARRAYS:,} bytes")
    return torch.load(path, map_location="cpu", weights_only=True)


def is_plain(name: Any, value: Any) -> bool:
    """Whether an entry is a name with a strided tensor in CPU memory."""
    return isinstance(name, str) and isinstance(value, Tensor) and value.layout == torch.strided and value.is_cpu


def without(tensors: Mapping[str, Tensor], *modules: str) -> Tensors:
    """Return the tensors without those of ``modules``, which are used only in training."""
    begin = tuple(f"{module}." for module in modules)
    return {name: value for name, value in tensors.items() if not name.startswith(begin)}


def matrix(path: Path, tensors: Tensors, name: str) -> tuple[int, int]:
    """Return the shape (outputs, inputs) of a layer's weights; raise ``ValueError`` if there is no such matrix."""
    if name not in tensors or tensors[name].ndim != 2:
        names = ", ".join(map(shown, sorted(tensors)[:3])) or "nothing"
        raise ValueError(f"{path} has no matrix {name}; it holds {names} ...")
    return tensors[name].shape[0], tensors[name].shape[1]


# --- Names of flax ----------------------------------------------------------------------------------------------------


def flat_names(tensors: Tensors) -> Tensors:
    """Return the tensors of a flax file by names joined with dots, without the outermost name ``params``."""
    return {name.replace(",", ".").replace("/", ".").removeprefix("params."): value for name, value in tensors.items()}


def dense_of(path: Path, tensors: Tensors, name: str, ours: str, kernel: str = "kernel") -> Tensors:
    """Take a dense layer, or a norm with its ``scale``, out of ``tensors``, in torch's names and form."""
    weight, bias = taken(path, tensors, f"{name}.{kernel}"), taken(path, tensors, f"{name}.bias")
    return {f"{ours}.weight": weight.transpose(0, -1).contiguous(), f"{ours}.bias": bias}


def lstm_of(path: Path, tensors: Tensors, name: str) -> Tensors:
    """Take flax's LSTM cells, which have no input bias, out of ``tensors`` as the layers of a torch ``lstm``.

    ``name`` is that of the cells, with ``{}`` for the layer's number.
    """
    layers: Tensors = {}
    while f"{(cell := name.format(len(layers) // 4))}.ii.kernel" in tensors:
        layer, bias = len(layers) // 4, gates_of(path, tensors, f"{cell}.h{{}}.bias", 1)
        layers |= {
            f"lstm.weight_ih_l{layer}": gates_of(path, tensors, f"{cell}.i{{}}.kernel", 2),
            f"lstm.weight_hh_l{layer}": gates_of(path, tensors, f"{cell}.h{{}}.kernel", 2),
            f"lstm.bias_ih_l{layer}": torch.zeros_like(bias),
            f"lstm.bias_hh_l{layer}": bias,
        }
    return layers


def gates_of(path: Path, tensors: Tensors, name: str, ndim: int) -> Tensor:
    """Take a cell's gates out of ``tensors``, stacked as torch does."""
    gates = [taken(path, tensors, name.format(gate)) for gate in GATES]
    if gates[0].ndim != ndim or any(gate.shape != gates[0].shape for gate in gates):
        raise ValueError(f"{path}: the gates {name.format('*')} must be of one shape, of {ndim} sizes")
    return torch.cat(gates, dim=-1).transpose(0, -1).contiguous()


def taken(path: Path, tensors: Tensors, name: str) -> Tensor:
    """Take a tensor out of ``tensors``, which are those of the file ``path``."""
    if name not in tensors:
        raise ValueError(f"{path} has no tensor {name}")
    return tensors.pop(name)


# --- Networks ---------------------------------------------------------------------------------------------------------


def filled(path: Path, make: Callable[[int], N], tensors: Tensors) -> N:
    """Return a network with these weights; ``make`` makes it, given the number of recurrent layers that they have.

    Raise ``ValueError`` if they do not fit the network, or are not finite float32 numbers.
    """
    layers = sum(name.startswith("lstm.weight_ih_l") for name in tensors)
    if not layers:
        raise ValueError(f"{path} has no recurrent layer")
    with torch.device("meta"):
        wanted = make(layers).float().state_dict()
    check_shapes(path, wanted, {name: tuple(value.shape) for name, value in tensors.items()})
    check_numbers(path, wanted, tensors)
    network = make(layers).float()  # also if torch's default is another number type
    network.load_state_dict(tensors)
    return network.eval()
