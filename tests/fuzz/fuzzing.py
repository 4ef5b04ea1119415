"""What there is to say to commands and functions that means no good, and the place to say it in.

COPELAND_FUZZ=20 tries twenty times as many cases, and other ones.
"""

import io
import json
import os
import shutil
import signal
import zipfile
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

import numpy as np
from hypothesis import HealthCheck, Phase, settings

TIMES = int(os.environ.get("COPELAND_FUZZ", "1"))


COMMAND_CASES, FUNCTION_CASES = 5, 2  # of each; some 900 in all


PATIENCE = 120  # seconds after which a case hangs


def cases(number):
    return settings(
        max_examples=number * TIMES,
        derandomize=TIMES == 1,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink] if TIMES > 1 else [Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


WORDS = [
    *("", " ", "\0", "é", "\ud800", "\x1b[31m", "[bold]", "x" * 5000, "-", "--", "{left}", "%s"),
    *("../..", "a=b", "tea", "green", "left", "ann", "null", "ccb:alpha=nan", "ccb:=", "١", "a,b"),
]
PROBLEMS = [
    *("cyclic-4", "easy-5", "easy-2", "implicit-5", "easy-1", "easy-0", "easy-999999999999"),
    *("easy-30000", f"easy-{'9' * 5000}", "implicit-999999999999", "implicit-1000000000"),
    *("order-5-U(.9,.1)", "order-3-99", "ranked-3-0", "planted-5-9-9", "planted-4-1-0"),
    *("easy-5:seed=x", "easy-5:seed=-1", "easy-5:seed=1e30", "easy-5:seed=1,seed=2", "easy-5:k=3"),
    *(
        "implicit-5:seed=-1",
        "implicit-5:seed=99999999999999999999",
        "mslr-informational",
        "x.csv:a",
    ),
    *(f"ranked-5-{'9' * 400}", "bradley-terry-3:scale=nan", "bradley-terry-3:scale=-1"),
]
URLS = [
    *("sqlite:///s.db", "sqlite:///s.db", "sqlite:///new.db", "sqlite://", "sqlite:///", "memory"),
    *("sqlite:///.", "sqlite:////", "sqlite:///no/such/folder.db", "mysql://x/y", "nonsense", ""),
    *("http://[::1", "postgresql://[::1", "postgresql://127.0.0.1:1/x", "sqlite:///random.csv"),
    *("postgresql://127.0.0.1:port/x", "sqlite:///s.db?mode=nonsense", "sqlite:///\0"),
]


# What would run for long if it were let, or leave this machine; and what a case needs to get far.
LIMITED = {
    "horizon": ["1", "100", "0", "-1", "nan", "inf", "1e30", "x"],
    "runs": ["1", "2", "0", "-1", "1e30", "nan", "9" * 5000],
    "jobs": ["1", "0", "-1", "x"],
    "marks": ["1", "3", "0", "-1", "1e30"],
    "comparisons": ["1", "50", "0", "-1", "1e30", "9" * 5000],
    "length": ["1", "5", "0", "-1", "1e30"],
    "worlds": ["1", "2", "0", "-1", "1e30"],
    "most": ["1", "20", "0", "-1", "nan"],
    "calls": ["1", "3", "0", "-1", "1e30", "x"],
    "max_calls": ["3", "20", "0", "-1", "1e30", "x"],
    "patience": ["1", "2", "0", "-1", "x"],
    "only": ["nonsense", "small,nonsense", "nonsense,,"],
    "timeout": ["0.1", "0", "-1", "nan", "x"],
    "backend": ["loky", "nonsense", ""],
    "command": ["false", "echo maybe", "echo left", "no-such-program", "", "'", "echo {left", "\0"],
    "url": ["http://[::1", "nonsense", "", "http://", "http://127.0.0.1:x", "ftp://x", "http://\0"],
    "algorithm": ["ccb", "random", "cpc-pac", "ccb:alpha=nan", "ccb:alpha=1e999", "ccb:", ":", "x"],
    "problem": PROBLEMS,
    "matrix": PROBLEMS,
    "storage": URLS,
    "voters": ["independent", "people", "x"],
    "names": ["mslr-informational", "x", "", "\0"],
    "wanted": ["random", "x", "", "\0"],
    "clicks": ["perfect", "random", "x"],
    "prices": ["1,2", "1", "nan,inf", "-1,1", "a,b", ",", "1e400,1"],
    "most_options": ["2", "150", "0", "-1", "1e30"],
    "queries": ["1", "3", "0", "-1", "1e30"],
    "documents": ["1", "3", "0", "-1", "1e30"],
    "features": ["3", "5", "0", "-1", "1e30"],
}


ALWAYS = set(LIMITED) & {
    *(
        "horizon",
        "runs",
        "jobs",
        "comparisons",
        "worlds",
        "most",
        "calls",
        "patience",
        "only",
        "timeout",
    ),
    *("storage", "marks", "wanted", "max_calls"),
}


def npy(shape, descr="<f8", body=b""):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (63 - (10 + len(text)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + body


def npz(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


CONTENTS = {
    "empty": b"",
    "random": np.random.default_rng(0).bytes(300),
    "nested": b"[" * 100_000,
    "nul": b"left,right,outcome\ngreen,\0,left\n",
    "latin": "name,text\n\xe9t\xe9,x\n".encode("latin-1"),
    "bom": b"\xef\xbb\xbfleft,right,outcome\ngreen,black,left\n",
    "quotes": b'left,right,outcome\n"green,black,left\n',
    "huge": npy((10**6, 10**6)),
    "hugezip": npz(
        p=npy((10**6, 10**6)), wins=npy((3, 3)), labels=npy((2,), "<U1", b"a\0\0\0b\0\0\0")
    ),
    "broken": npz(p=npy((2, 2), body=np.eye(2).tobytes()))[:-30],
    "bomb": npz(p=npy((1000, 1000), body=bytes(8_000_000))),
    "numbers": b"0.5,1e400\n-1,0.5\n",
    "rows": b"0.5,0.6\n0.4\n",
    "letor": b"1 qid:1 1:nan\n9 qid:1 99999999999:1\n0 qid: 1:1\n",
    "object": json.dumps({"format": 1, "p": [[1]], "labels": [None], "text": [{}]}).encode(),
    "list": b'[1, null, "x", {"a": [1e400]}]\n{"text": 5}\n',
    "long": b"left,right,outcome\n" + b"x" * 200_000 + b",black,left\n",
}
SUFFIXES = (".csv", ".json", ".npy", ".npz", ".txt", ".gz", "")
FILES = [
    *(f"{name}{suffix}" for name in CONTENTS for suffix in SUFFIXES),
    *("folder", "folder.csv", "folder.npz", "missing.csv", "missing/missing.npz", "x" * 300),
    *("\0.csv", "", ".", "/", "s.db", "results", "results/runs.npz"),
]


def no_server():
    """Let no server begin, as it would not end."""
    return patch("uvicorn.run") if find_spec("uvicorn") else nullcontext()


@contextmanager
def place(template):
    """The folder to be in, put in order afterwards; no network, no cache of others, no keys."""
    before, environment = Path.cwd(), dict(os.environ)
    os.environ |= {
        "COPELAND_CACHE": str(template / "cache"),
        "COPELAND_DATA_URL": "http://127.0.0.1:1",
        "OPENAI_API_KEY": "",
        "COLUMNS": "100",
    }
    os.chdir(template)
    there = snapshot(template)
    try:
        with no_server():
            yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)
        restore(template, there)


def snapshot(folder):
    """When each file was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def restore(folder, before):
    """Bring every file back that was written meanwhile, and remove what is new."""
    kept = folder.with_name("kept")
    for path in sorted(folder.rglob("*"), reverse=True):
        if path not in before:  # a database may remove its own files meanwhile
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        elif path.is_file() and path.stat().st_mtime_ns != before[path]:
            shutil.copy2(kept / path.relative_to(folder), path)
    for path in before:
        if not path.exists():
            shutil.copy2(kept / path.relative_to(folder), path)


class Hang(BaseException):
    """A case that does not end."""


@contextmanager
def ending():
    """Refuse to wait for ever."""

    def stop(*_):
        raise Hang(f"no end after {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
