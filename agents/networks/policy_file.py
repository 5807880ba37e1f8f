"""The safetensors file of a network; its metadata are checked before memory is allocated for the weights.

The metadata are JSON: ``format``; ``config``, the game and the observation that the network plays from; ``network``,
its kind, features and settings; ``about``, how it was trained; and ``sha256`` of these and the weights, missing in
older files. An untrusted file can be read safely: it holds no code, and the network made from it is no larger than the
file.
"""

import hashlib
import inspect
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from hanabako.files import MOST_ARRAYS, check_readable, parse_json, write_bytes
from hanabako.games import config_from_dict, config_to_dict
from hanabako.words.checks import shown

from .features import FEATURES, Features
from .kinds import NETWORKS
from .network import Network, usual_torch

FORMAT = "hanabako-policy-2"
ENTRIES = {"format": str, "config": dict, "network": dict, "about": dict}
MOST_CHARACTERS = 2**20
"""The longest metadata entry that is read."""


def save_policy(
    path: Path, network: Network, config: Any, about: dict[str, Any], dtype: torch.dtype = torch.float32
) -> None:
    """Write a network's weights to a safetensors file, with everything needed to play it in the metadata.

    If ``config``, which it plays, observes ``derived``, the network gets these features. ``about`` says how it was
    trained, as JSON types. Weights are stored as ``dtype``: bfloat16 rounds them and halves the file. The file is
    written completely or not at all: then with ``OSError``.
    """
    made = {"kind": network.kind, "features": network.features, **network.settings}
    metadata = with_features({"format": FORMAT, "config": config_to_dict(config), "network": made, "about": about})
    entries = {key: json.dumps(value) for key, value in metadata.items()}
    tensors = {name: value.detach().cpu().contiguous() for name, value in network.state_dict().items()}
    tensors = {name: value.to(dtype) if value.is_floating_point() else value for name, value in tensors.items()}
    entries["sha256"] = json.dumps(checksum(entries, tensors))
    write_bytes(path, save(tensors, entries))


def read_metadata(path: Path) -> dict[str, Any]:
    """Return the metadata that `save_policy` wrote; raise ``ValueError`` if the file is missing or no policy's."""
    with opened(path) as file:
        entries = file.metadata() or {}
    metadata = {key: parse_json(text, f"{key} of {path}", MOST_CHARACTERS) for key, text in entries.items()}
    metadata.pop("sha256", None)
    if metadata.get("format") != FORMAT:
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
    return with_features(metadata | {"network": {"features": "none"} | metadata["network"]})


def with_features(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return metadata in which ``derived`` of the config, as in files older than features, is told as features."""
    if not metadata["config"].get("derived", False):
        return metadata
    more = {"config": {"derived": False}, "network": {"features": "derived"}}
    return metadata | {name: metadata[name] | changed for name, changed in more.items()}


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Open a safetensors file of at most `MOST_ARRAYS`; any problem is raised as a `ValueError` that names the file."""
    try:
        check_readable(path, MOST_ARRAYS)
        with safe_open(path, "pt") as file:
            yield file
    except (OSError, SafetensorError) as error:
        raise ValueError(f"{path} cannot be read as a policy: {error}") from error


@usual_torch()
def read_network(path: Path, settings: Mapping[str, Any], config: Any) -> Network:
    """Read the network in a file; ``settings`` are the entry ``network`` of its metadata, ``config`` is what it plays.

    Raise ``ValueError`` if they do not fit together, or the tensors are not those of this network, or not finite.
    """
    settings = dict(settings)
    kind, features = settings.pop("kind", None), settings.pop("features")
    for what, name, known in (("the kind", kind, NETWORKS), ("features", features, FEATURES)):
        if not isinstance(name, str) or name not in known:
            raise ValueError(f"{path} holds a network of {what} {shown(name)}, not one of {', '.join(known)}")
    config = Features(features, config).input_config
    with opened(path) as file:
        entries = file.metadata() or {}
        shapes = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118 - it is no dict
        sizes = sizes_of(path, NETWORKS[kind], settings, config, shapes)
        try:
            with torch.device("meta"):  # without memory
                wanted = NETWORKS[kind](config, **sizes).float().state_dict()
        except Exception as error:
            raise ValueError(f"{path} holds no {kind} network: {' '.join(str(error).split())}") from error
        check_shapes(path, wanted, shapes)
        tensors = {name: file.get_tensor(name) for name in shapes}
    checked = entries.pop("sha256", None)
    if checked is not None and checked != json.dumps(checksum(entries, tensors)):
        raise ValueError(f"{path} is damaged: its contents do not match its SHA-256")
    check_numbers(path, wanted, tensors)
    with torch.random.fork_rng(devices=[]):  # the first weights are random and then replaced
        network = NETWORKS[kind](config, **sizes).float()  # also if torch's default is another number type
    network.load_state_dict(tensors)
    network.set_features(features, config)
    return network


def sizes_of(
    path: Path, kind: type[Network], settings: Mapping[str, Any], config: Any, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, Any]:
    """Return the constructor's arguments, without the config, for the network of a file's ``settings``.

    The settings must be those of this kind, no larger than the file, and for the observation and actions of ``config``.
    """
    names = [name for name in inspect.signature(kind).parameters if name not in ("config", "views")]
    if settings.keys() != {"bits", "actions", *names}:
        wanted = ", ".join(("bits", "actions", *names))
        raise ValueError(f"network of {path} must have {wanted}, got {', '.join(map(shown, settings))}")
    size = sum(torch.Size(shape).numel() for shape in shapes.values())
    for name, value in settings.items():
        most = len(shapes) if name == "layers" else max(size, config.observation_bits)
        if type(value) is not int or not 1 <= value <= most:
            raise ValueError(f"{name} of {path} must be an int from 1 to {most:,}, got {shown(value)}")
    needed = config.observation_bits, config.rules().num_actions
    if (settings["bits"], settings["actions"]) != needed:
        given = f"{settings['bits']} bits and {settings['actions']} actions"
        raise ValueError(f"{path} holds a network for {given}, and its config has {needed[0]} and {needed[1]}")
    return {name: settings[name] for name in names}


def check_shapes(path: Path, wanted: Mapping[str, Tensor], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raise `ValueError` if the names or shapes of a file's tensors are not those of ``wanted``."""
    for name in sorted(wanted.keys() | shapes.keys()):
        needed = tuple(wanted[name].shape) if name in wanted else "none"
        if shapes.get(name, "none") != needed:
            raise ValueError(f"{path}: the shape of {shown(name)} must be {needed}, got {shapes.get(name, 'none')}")


def check_numbers(path: Path, wanted: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> None:
    """Raise `ValueError` if tensors differ in type from ``wanted``, but for bfloat16, or are not finite."""
    for name, tensor in tensors.items():
        is_halved = (tensor.dtype, wanted[name].dtype) == (torch.bfloat16, torch.float32)
        if tensor.dtype != wanted[name].dtype and not is_halved:
            raise ValueError(f"{path}: {name} must be {wanted[name].dtype}, got {tensor.dtype}")
        if tensor.is_floating_point() and not tensor.isfinite().all():
            raise ValueError(f"{path}: {name} must be finite numbers, got NaN or infinity")


def checksum(entries: Mapping[str, str], tensors: Mapping[str, Tensor]) -> str:
    """Return the SHA-256, in hexadecimal digits, of metadata and tensors in the order of their names."""
    digest = hashlib.sha256()
    for key in sorted(entries):
        digest.update(f"{key}={entries[key]}\n".encode())
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
