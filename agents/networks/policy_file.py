"""The safetensors file of a network: what it says of itself is checked before room is made for what it holds.

Its metadata are JSON: ``format``; ``config``, what the network was trained for; ``network``, the kind and the settings
it is made with; ``about``, how it came to be; and ``sha256`` of all of these and the weights, which older files lack.
A file of a stranger can be read: it holds no code, and what is made of it is no larger than the file. Whether it plays
well is another matter.
"""

import hashlib
import inspect
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_type_hints

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor
from torch.nn.modules.module import register_module_parameter_registration_hook

from hanabako.files import parse_json, write_bytes
from hanabako.games import config_from_dict, config_to_dict
from hanabako.words.checks import shown

from .kinds import NETWORKS
from .network import Network

__all__ = ["MOST_BYTES", "check_numbers", "check_shapes", "opened", "read_metadata", "read_network", "save_policy"]

FORMAT = "hanabako-policy-2"
OLD_FORMAT = "hanabako-policy-1"  # names no kind of network: there was one, the dense
ENTRIES = {"format": str, "config": dict, "network": dict, "about": dict}
MOST_BYTES = 2**31
"""The largest file that is read: 500 million weights."""
MOST_CHARACTERS = 2**20
"""The longest entry of its metadata that is read."""


def save_policy(path: Path, network: Network, config: Any, about: dict[str, Any]) -> None:
    """Write the weights (float32) to a safetensors file, with all that is needed to play them in its metadata.

    Args:
        path: the file; it appears whole or not at all.
        network: the weights.
        config: what they were trained for.
        about: JSON types; how the weights came to be (game steps, seconds, seed, score ...).

    Raises:
        OSError: the disk is full, or the folder may not be written to.
    """
    made = {"kind": network.kind, **network.settings}
    metadata = {"format": FORMAT, "config": config_to_dict(config), "network": made, "about": about}
    entries = {key: json.dumps(value) for key, value in metadata.items()}
    tensors = {name: as_kept(value) for name, value in network.state_dict().items()}
    entries["sha256"] = json.dumps(checksum(entries, tensors))
    write_bytes(path, save(tensors, entries))


def as_kept(value: Tensor) -> Tensor:
    """A tensor as files have it: numbers are float32, also those of a network that was rounded to play."""
    value = value.detach().cpu().contiguous()
    return value.float() if value.is_floating_point() else value


def read_metadata(path: Path) -> dict[str, Any]:
    """What `save_policy` wrote beside the weights: ``format``, ``config``, ``network``, ``about``.

    Raises:
        ValueError: the file is missing, cut short, or not a policy of ours.
    """
    metadata = {key: parse_json(text, f"{key} of {path}", MOST_CHARACTERS) for key, text in entries_of(path).items()}
    metadata.pop("sha256", None)
    if metadata.get("format") not in (FORMAT, OLD_FORMAT):
        raise ValueError(f"{path} holds no policy of the format {FORMAT}")
    if metadata.keys() != ENTRIES.keys():
        raise ValueError(f"the metadata of {path} must be {', '.join(ENTRIES)}, got {', '.join(map(shown, metadata))}")
    for key, kind in ENTRIES.items():
        if not isinstance(metadata[key], kind):
            raise ValueError(f"{key} of {path} must be an object, got {shown(metadata[key])}")  # noqa: TRY004 - of the file
    try:
        config_from_dict(metadata["config"])
    except (ValueError, TypeError) as error:
        raise ValueError(f"config of {path}: {error}") from error
    metadata["network"].setdefault("kind", "dense")
    return metadata


def entries_of(path: Path) -> dict[str, str]:
    """The texts of a file's metadata by name."""
    with opened(path) as file:
        return file.metadata() or {}


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A safetensors file of bearable size; whatever goes wrong with it is a `ValueError` that names it."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"{path} is larger than {MOST_BYTES:,} bytes")
        with safe_open(path, "pt") as file:
            yield file
    except (OSError, SafetensorError) as error:
        raise ValueError(f"{path} cannot be read as a policy: {error}") from error


def read_network(path: Path, settings: Mapping[str, Any], config: Any) -> Network:
    """The network in a file.

    Args:
        path: the file.
        settings: what its metadata say of the network.
        config: what it was trained for.

    Raises:
        ValueError: the settings are not those of a network for ``config``, the file does not hold this network's
            tensors, or they are damaged or no numbers.
    """
    settings = dict(settings)
    kind = settings.pop("kind")
    if not isinstance(kind, str) or kind not in NETWORKS:
        raise ValueError(f"{path} holds a network of the kind {shown(kind)}, not one of {', '.join(NETWORKS)}")
    with opened(path) as file:
        shapes = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 - it is no dict
        sizes = sizes_of(path, NETWORKS[kind], settings, config, shapes)
        wanted = wanted_tensors(path, NETWORKS[kind], sizes, config, shapes)
        tensors = {name: file.get_tensor(name) for name in shapes}
    check_tensors(path, wanted, tensors)
    network = NETWORKS[kind](config, **sizes)
    network.load_state_dict(tensors)
    return network


def sizes_of(
    path: Path, kind: type[Network], settings: Mapping[str, Any], config: Any, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, Any]:
    """The arguments, beside the config, that make the network of a file's ``settings``.

    Raises:
        ValueError: they are not those of such a network, larger than the file, or the network is for other
            observations or actions than those of ``config``.
    """
    hints = get_type_hints(kind.__init__)
    names = [name for name in inspect.signature(kind).parameters if name not in ("config", "views")]
    if settings.keys() != {"bits", "actions", *names}:
        wanted = ", ".join(("bits", "actions", *names))
        raise ValueError(f"network of {path} must have {wanted}, got {', '.join(map(shown, settings))}")
    size = sum(torch.Size(shape).numel() for shape in shapes.values())
    for name, value in settings.items():
        is_int = hints.get(name, int) is int
        if is_int and (type(value) is not int or not 0 <= value <= max(size, config.observation_bits)):
            raise ValueError(f"{name} of {path} must be an int that fits its {size:,} weights, got {shown(value)}")
    needed = config.observation_bits, config.rules().num_actions
    if (settings["bits"], settings["actions"]) != needed:
        given = f"{settings['bits']} bits and {settings['actions']} actions"
        raise ValueError(f"{path} holds a network for {given}, and its config has {needed[0]} and {needed[1]}")
    return {name: settings[name] for name in names}


def wanted_tensors(
    path: Path, kind: type[Network], sizes: Mapping[str, Any], config: Any, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, Tensor]:
    """The tensors, without room for numbers, of a network of these sizes.

    Raises:
        ValueError: there is no such network, or its tensors are not of the ``shapes`` that the file holds.
    """
    try:
        with torch.device("meta"), frugal(len(shapes)):
            wanted = kind(config, **sizes).state_dict()
    except Exception as error:
        raise ValueError(f"{path} holds no {kind.kind} network: {' '.join(str(error).split())}") from error
    check_shapes(path, wanted, shapes)
    return wanted


def check_shapes(path: Path, wanted: Mapping[str, Tensor], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Refuse a file that holds other tensors than ``wanted``, or some of other shapes, by name."""
    for name in sorted(wanted.keys() | shapes.keys()):
        needed = tuple(wanted[name].shape) if name in wanted else "none"
        if shapes.get(name, "none") != needed:
            raise ValueError(f"{path}: the shape of {shown(name)} must be {needed}, got {shapes.get(name, 'none')}")


@contextmanager
def frugal(most: int) -> Iterator[None]:
    """Stop a network, made in this thread, that has many more parameters than the ``most`` that a file holds."""
    thread, count = threading.get_ident(), 0

    def note(*_: Any) -> None:
        nonlocal count
        count += threading.get_ident() == thread
        if count > 2 * most + 16:  # a module may set one twice
            raise ValueError(f"its settings make more than the {most} tensors of the file")

    hook = register_module_parameter_registration_hook(note)
    try:
        yield
    finally:
        hook.remove()


def check_tensors(path: Path, wanted: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> None:
    """Refuse tensors of other types than ``wanted``, that are damaged, or that hold what is no number."""
    entries = entries_of(path)
    noted = entries.pop("sha256", None)
    if noted is not None and noted != json.dumps(checksum(entries, tensors)):
        raise ValueError(f"{path} is damaged: its SHA-256 is another than it says")
    check_numbers(path, wanted, tensors)


def check_numbers(path: Path, wanted: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> None:
    """Refuse tensors of other types than ``wanted``, or that hold what is no number."""
    for name, tensor in tensors.items():
        if tensor.dtype != wanted[name].dtype:
            raise ValueError(f"{path}: {name} must be {wanted[name].dtype}, got {tensor.dtype}")
        if tensor.is_floating_point() and not tensor.isfinite().all():
            raise ValueError(f"{path}: {name} must be finite numbers, got NaN or infinity")


def checksum(entries: Mapping[str, str], tensors: Mapping[str, Tensor]) -> str:
    """SHA-256, in hexadecimal digits, of metadata and tensors in the order of their names."""
    digest = hashlib.sha256()
    for key in sorted(entries):
        digest.update(f"{key}={entries[key]}\n".encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
