"""A disk that is full while people vote, and whatever else goes wrong around a server that goes on."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.web.crowd import crowd, free_port, prepared, running, serve
from tests.web.worker_kills import Killed, found_in


@contextmanager
def small_disk(megabytes: int):
    """A file system of its own, which only root can make; yield its folder."""
    with tempfile.TemporaryDirectory() as name:
        how = ["-o", f"size={megabytes}m,mode=755"]
        subprocess.run(["mount", "-t", "tmpfs", *how, "tmpfs", name], check=True)
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


def fill(folder: Path, before: float, seconds: float) -> None:
    """After a while, take all free space for some seconds."""
    time.sleep(before)
    ballast, block = folder / "ballast", b"x" * 4096
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(block) == len(block):
            pass
    time.sleep(seconds)
    ballast.unlink()


def disturb(
    storage: str, interrupt: Callable[[], None], seconds: float, voters: int, times: int = 1
) -> Killed:
    """Let people vote on one server while something goes wrong, so many times."""
    known, link = prepared(storage, 12)
    port, thread = free_port(), threading.Thread(target=interrupt)
    with running(serve(storage, port), port):
        thread.start()
        tally = asyncio.run(crowd(port, link, voters, seconds, stubborn=True))
        thread.join()
    assert tally.breaks > 0  # somebody met it
    return found_in(known, storage, tally, times)
