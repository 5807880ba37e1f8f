"""Archives of arrays with hostile headers and damaged parts, for tests."""

import zipfile
from pathlib import Path


def headed(header: bytes) -> bytes:
    """Return an array file with this header and no numbers."""
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


def spoil_first_part(path: Path) -> None:
    """Overwrite a few compressed bytes of an archive's first part, behind the header of its LZMA stream."""
    with zipfile.ZipFile(path) as archive:
        part = archive.infolist()[0]
    content = bytearray(path.read_bytes())
    begin = part.header_offset + 30 + len(part.filename) + 9
    content[begin : begin + 8] = b"\xff" * 8
    path.write_bytes(content)
