"""Data sets too large to ship: downloaded once, checked by their hash, kept in the user's cache.

Two environment variables change where they are looked for: ``COPELAND_CACHE`` names the folder they
are kept in, ``COPELAND_DATA_URL`` the address of a mirror, a folder with the same files.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from copeland.errors import DataError, MissingExtra, UnknownName, nearest, need
from copeland.matrix import PreferenceMatrix

CACHE = "COPELAND_CACHE"
MIRROR = "COPELAND_DATA_URL"

_SOURCE = (
    "https://raw.githubusercontent.com/nightingal3/duelling-bandits/"
    "da41c471d3c984f0fd2851ae91a573eb7623b234/data"
)
_NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))  # Windows knows no quota


@dataclass(frozen=True)
class Dataset:
    """A preference matrix that somebody else publishes, and how to know that it is the right one."""

    name: str
    about: str
    url: str
    sha256: str
    size: int  # bytes
    citation: str
    licence: str
    key: str = "PMat"  # the array in the .npz


def _rankers(clicks: str, about: str, sha256: str) -> Dataset:
    return Dataset(
        name=f"mslr-{clicks.lower()}",
        about=f"the paper's 136 feature rankers of MSLR, {clicks.lower()} clicks: {about}",
        url=f"{_SOURCE}/MSLR_{clicks}_PMat.npz",
        sha256=sha256,
        size=148_162,
        citation="Zoghi et al. 2015, Copeland Dueling Bandits",
        licence="MIT",
    )


DATASETS = {
    one.name: one
    for one in (
        _rankers(
            "Informational",
            "no Condorcet winner",
            "ef05eca2b7b27f63faaa292b0e88b17311560bf76124693354d953c702b7e9da",
        ),
        _rankers(
            "Navigational",
            "one ranker beats all others",
            "302f4d88cba0bcace47a0e7a6e5bebdd8961b2ad912db9b682b3f2a9a05c3a94",
        ),
        _rankers(
            "Perfect",
            "one ranker beats all others",
            "5a8ea50334af26d1efc7c2a9731dc9336d96dbbc3ec8d741509e25b3324b55a5",
        ),
    )
}


def datasets() -> dict[str, Dataset]:
    """Return every data set by its name."""
    return dict(DATASETS)


def folder() -> Path:
    """Return the folder in which data sets are kept: that of ``COPELAND_CACHE``, or the user's cache."""
    chosen = os.environ.get(CACHE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    return Path(_pooch().os_cache("copeland"))


def fetch(
    name: str, force: bool = False, progress: Callable[[int, int], None] | None = None
) -> Path:
    """Return the file of a data set, which is downloaded unless the cache has it.

    Parameters
    ----------
    force
        Download it even so. A file that is there stays until the new one has been checked.
    progress
        Told how many bytes have come, and how many there are in all.
    """
    dataset = _find_dataset(name)
    there = None if force else find_in_cache(name)
    return there or _download(dataset, folder(), progress)


def find_in_cache(name: str) -> Path | None:
    """Return the file of a data set in the cache; None if there is none, or a damaged one."""
    dataset = _find_dataset(name)
    try:
        place = _place(dataset, folder())
        return place if sha256_of(place) == dataset.sha256 else None
    except (MissingExtra, OSError):  # without pooch it is not known where the cache is
        return None


def path(name: str) -> Path:
    """Return the file of a data set in the cache, or say how to get it."""
    there = find_in_cache(name)
    if there is None:
        raise DataError(
            f"{name} is not downloaded yet, or its file is damaged; run `copeland data fetch {name}`, once."
        )
    return there


def load(name: str) -> PreferenceMatrix:
    """Return the matrix of a data set in the cache; nothing is downloaded."""
    return PreferenceMatrix.load(path(name), _find_dataset(name).key)


def _find_dataset(name: str) -> Dataset:
    if name not in DATASETS:
        raise UnknownName(f"there is no data set '{name}'; {nearest(name, DATASETS)}")
    return DATASETS[name]


def _place(dataset: Dataset, cache: Path) -> Path:
    return cache / f"{dataset.name}.npz"


def _download(dataset: Dataset, cache: Path, progress: Callable[[int, int], None] | None) -> Path:
    place, pooch, mirror = _place(dataset, cache), _pooch(), os.environ.get(MIRROR)
    url = f"{mirror.rstrip('/')}/{dataset.url.rsplit('/', 1)[1]}" if mirror else dataset.url
    with _refusals(dataset, url, cache):
        cache.mkdir(parents=True, exist_ok=True)
        # In the cache itself, so that the checked file is renamed into its place and never copied.
        with TemporaryDirectory(dir=cache, prefix=".") as draft:
            file = Path(draft) / place.name
            _transfer(pooch, url, file, _Meter(dataset.size, progress))
            _check(file, dataset, url)
            file.replace(place)
    return place


def _transfer(pooch: Any, url: str, file: Path, meter: _Meter) -> None:
    opened: list[Any] = []
    transfer = pooch.HTTPDownloader(
        progressbar=meter,
        hooks={"response": lambda response, **_: opened.append(response)},
    )
    try:
        transfer(url, str(file), None)
    finally:
        # pooch leaves the connection open when a transfer fails.
        for response in opened:
            response.close()


def _check(file: Path, dataset: Dataset, url: str) -> None:
    found = sha256_of(file)
    if found != dataset.sha256:
        raise DataError(
            f"{url} is not the file of {dataset.name}: its SHA-256 is {found} and must be "
            f"{dataset.sha256}; the file was deleted, so try again or name a mirror in {MIRROR}."
        )


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Meter:
    """The progress bar that pooch moves, as a function that is told of the progress."""

    def __init__(self, total: int, tell: Callable[[int, int], None] | None):
        self.total = total
        self._size = total  # pooch replaces the total by what the server says, which may be 0
        self._done = 0
        self._tell = tell or (lambda done, size: None)

    def update(self, more: int) -> None:
        self._done = min(self._done + more, self._size)
        self._tell(self._done, self._size)

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        pass


@contextmanager
def _refusals(dataset: Dataset, url: str, cache: Path) -> Iterator[None]:
    """Turn whatever goes wrong with the network or the disk into a sentence."""
    try:
        yield
    except OSError as error:  # of which the errors of requests are a kind
        reason = _network(error, url) or _disk(error, dataset, cache)
        raise DataError(f"{dataset.name} was not downloaded: {reason}") from error


def _network(error: OSError, url: str) -> str | None:
    """What went wrong with the network; None if it was the disk."""
    from requests import exceptions as http

    advice = f"try again later, or name a mirror in {MIRROR}."
    match error:
        case http.HTTPError():
            return f"the server answers {error}; {advice}"
        case http.ChunkedEncodingError() | http.ContentDecodingError():
            return f"{url} stopped in the middle; {advice}"
        case http.ConnectionError() | http.Timeout():
            kind = type(error).__name__
            return f"there is no connection to {url} ({kind}); check the network, {advice}"
        case http.RequestException() | OSError(errno=None):
            return f"{url} cannot be read ({error}); {advice}"
    return None


def _disk(error: OSError, dataset: Dataset, cache: Path) -> str:
    """What went wrong with the cache."""
    advice = f"or name another folder in {CACHE}."
    if error.errno in _NO_ROOM:
        return f"{cache} does not have room for its {dataset.size:,} bytes; make room, {advice}"
    return f"nothing can be written in {cache} ({error.strerror}); make it writable, {advice}"


def _pooch() -> Any:
    return need("pooch", "data", "a data set")
