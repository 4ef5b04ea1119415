"""What several files of tests use."""

import os
import sys
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import settings

from copeland import PreferenceMatrix


def random_matrix(k: int, seed: int) -> PreferenceMatrix:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((k, k)), 1)
    return PreferenceMatrix(upper + np.tril(1 - upper.T, -1) + np.eye(k) / 2)


def certain_matrix(seed: int) -> PreferenceMatrix:
    """A few options, of which each pair has a winner by chance, who then always wins."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 8))
    upper = np.triu(rng.random((k, k)) < 0.5, 1).astype(float)
    return PreferenceMatrix(upper + np.tril(1 - upper.T, -1) + np.eye(k) / 2)


SNAPSHOTS = Path(__file__).parent / "snapshots"


def compare_with_snapshot(name: str, text: str) -> None:
    """Compare a text with its file; COPELAND_WRITE_SNAPSHOTS=1 writes the file anew."""
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("COPELAND_WRITE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.rstrip() + "\n", encoding="utf-8")
    assert text.rstrip() + "\n" == path.read_text(encoding="utf-8"), f"see `make snapshots`: {path}"


def fewer_examples(divisor: int, **how: Any) -> settings:
    """Settings of a slow property: a part of the examples that others get from the profile."""
    return settings(max_examples=max(3, settings.default.max_examples // divisor), **how)


def count_calls(work: Callable[[], object]) -> int:
    """How many functions some work calls: its size, on a busy machine as on an idle one."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


@cache
def kept(kernel: Callable) -> Callable:
    """The compiled twin of a kernel, which numba keeps on disk: compiling it takes longer than its test."""
    from copeland.kernels.compiler.compile import bind_parts

    return bind_parts(kernel, {}, kernel.__name__, compile=True, keep=True)


def needs_example(value: object) -> bool:
    """Whether an example must show the use of a public value.

    Exceptions, tuples and records with hardly a method say all by their fields.
    """
    if not isinstance(value, type):
        return True
    methods = [name for name, one in vars(value).items() if name[0] != "_" and callable(one)]
    plain = issubclass(value, tuple) or (is_dataclass(value) and len(methods) <= 2)
    return not (plain or issubclass(value, Exception))
