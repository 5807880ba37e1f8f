"""Fingerprints show whether a network's file has changed."""

import hashlib
from pathlib import Path

from hanabako.agents.registry import fingerprints


def test_only_networks_have_fingerprints(tmp_path: Path) -> None:
    (tmp_path / "policy.safetensors").write_bytes(b"weights")
    found = fingerprints("smart", "monte_carlo:2000", "hanabi-mini-2p", str(tmp_path / "policy.safetensors"))
    assert list(found) == ["hanabi-mini-2p", str(tmp_path / "policy.safetensors")]
    assert list(found.values())[1] == hashlib.sha256(b"weights").hexdigest()[:16]
