"""What makes numbers come again: one seed for many independent generators, each known by its name, and the versions of all they depend on."""

from __future__ import annotations

import zlib

import numpy as np

from copeland.errors import InvalidParameter
from copeland.version import __version__


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """Return the generator that ``seed`` gives to ``names``.

    Streams of different names are independent, and no stream depends on which others were made:
    adding an algorithm or a run shifts nobody else's numbers. Names are keyed by their CRC32, never
    by ``hash()``, so the same name is the same stream in every process.

    Examples
    --------
    >>> stream(7, "ccb", 0).random(), stream(7, "ccb", 1).random()
    (0.2872760835041902, 0.8561957631474509)
    """
    if seed < 0:
        raise InvalidParameter(f"seed is {seed}; it must be a whole number, 0 or more.")
    key = []
    for name in names:
        if not isinstance(name, int):
            name = zlib.crc32(name.encode("utf-8", "surrogatepass"))
        if name < 0:
            raise InvalidParameter(f"a stream is numbered from 0 up; the names are {names}.")
        key.append(name)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def versions() -> dict[str, str]:
    """Return the versions of everything that the numbers may depend on."""
    import platform
    from importlib import metadata

    return {
        "copeland": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": metadata.version("numba"),  # asked without importing it, which takes a second
    }
