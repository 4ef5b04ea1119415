"""Arrays in .npy and .npz files from anywhere: read only if they hold what they claim to hold.

numpy reserves the memory that a header claims before it reads a number. Here the claim is held against the
bytes that are there, so that a file of a hundred bytes cannot ask for a terabyte; and whatever is wrong
with a file is a ValueError.
"""

from __future__ import annotations

import io
import lzma
import math
import struct
import tokenize
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_KINDS = "biufUS"  # what is kept in files: numbers and texts
_DENSEST = 1_100  # deflate makes of one byte no more bytes than this
_BROKEN = (
    *(ValueError, TypeError, SyntaxError, EOFError, RuntimeError, RecursionError, OverflowError),
    *(KeyError, IndexError, AttributeError, tokenize.TokenError, struct.error),
    *(BadZipFile, zlib.error, lzma.LZMAError),
)


def read_array(path: Path) -> NDArray[Any]:
    """Return the array of an .npy file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        return _array(file, size)


def read_arrays(source: Path | bytes) -> dict[str, NDArray[Any]]:
    """Return every array of an .npz file, or of its content, by its name."""
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    try:
        with (
            io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as file,
            ZipFile(file) as archive,
        ):
            found: dict[str, NDArray[Any]] = {}
            for member in archive.infolist():
                room = min(member.file_size, _DENSEST * size)
                with archive.open(member) as packed:
                    found[member.filename.removesuffix(".npy")] = _array(packed, room)
            return found
    except _BROKEN as error:
        raise ValueError(f"it is not an archive of arrays ({_reason(error)})") from error


def pack_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return arrays as the content of an .npz file; :func:`read_arrays` takes it back."""
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def _array(file: IO[bytes], room: int) -> NDArray[Any]:
    """The array that begins here, of ``room`` bytes at most."""
    try:
        shape, _, dtype = _HEADERS[npy.read_magic(file)](file)
    except _BROKEN as error:
        raise ValueError(f"it does not begin like an array ({_reason(error)})") from error
    if dtype.kind not in _KINDS or dtype.itemsize == 0:
        raise ValueError(f"it holds neither numbers nor texts but {dtype}")
    claimed = math.prod(shape) * dtype.itemsize
    if not 0 <= claimed <= room:
        raise ValueError(f"it claims to hold {claimed:,} bytes but has {room:,} at most")
    file.seek(0)
    try:
        return npy.read_array(file, allow_pickle=False)
    except _BROKEN as error:
        raise ValueError(f"it ends too early ({_reason(error)})") from error


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
