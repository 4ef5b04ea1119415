"""The container file as far as a machine without containers can try it: what it copies, sets and runs."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")
from tests.web.crowd import MAIN, free_port

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def steps():
    """The instructions of the file, in their order: name and rest."""
    text = (ROOT / "Containerfile").read_text()
    lines = re.sub(r"\\\n\s*", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)).splitlines()
    return [tuple(line.split(" ", 1)) for line in lines if line.strip()]


def of(steps, name):
    return [rest for kind, rest in steps if kind == name]


def environment(steps):
    pairs = [shlex.split(rest) for rest in of(steps, "ENV")]
    return dict(pair.split("=", 1) for words in pairs for pair in words)


@pytest.mark.quick
def test_all_that_is_copied_is_there_and_all_extras_are_known(steps):
    copied = [rest.split()[:-1] for rest in of(steps, "COPY") if not rest.startswith("--from")]
    assert [name for names in copied for name in names if not (ROOT / name).exists()] == []
    installed = re.search(r"\.\[([\w,]+)\]", " ".join(of(steps, "RUN")))[1].split(",")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(installed) <= set(project["optional-dependencies"])
    copied_names = {name for names in copied for name in names}
    assert project["readme"] in copied_names  # or else it cannot be built


def test_it_runs_as_nobody_and_writes_to_its_volume_alone(steps):
    names = [kind for kind, _ in steps]
    assert int(of(steps, "USER")[-1]) > 0
    last_run = max(i for i, kind in enumerate(names) if kind == "RUN")
    assert names.index("USER") > last_run  # nothing is installed by who serves
    told = environment(steps)
    assert of(steps, "VOLUME") == ["/data"] and of(steps, "WORKDIR")[-1] == "/data"
    written = ("COPELAND_STORAGE", "NUMBA_CACHE_DIR", "MPLCONFIGDIR")
    assert all("/data/" in told[name] for name in written) and told["PYTHONDONTWRITEBYTECODE"]


@pytest.mark.slow
@pytest.mark.long
def test_what_it_runs_serves_and_its_health_check_holds(steps, tmp_path):
    entry, usual = (json.loads(of(steps, name)[0]) for name in ("ENTRYPOINT", "CMD"))
    check = json.loads(re.search(r"\[.*\]$", of(steps, "HEALTHCHECK")[0])[0])
    assert entry[0] == "copeland" and check[0] == "python"
    port = free_port()
    told = {
        name: value.replace("/data", str(tmp_path)) for name, value in environment(steps).items()
    }
    kept = {name: value for name, value in told.items() if name not in ("PATH", "NUMBA_CACHE_DIR")}
    env = {**os.environ, **kept, "HOME": "/nonexistent"}
    words = [sys.executable, "-c", MAIN, *entry[1:], *usual, "--port", str(port)]
    health = [sys.executable, *(word.replace(":8000", f":{port}") for word in check[1:])]
    with subprocess.Popen(
        words, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout.readline().startswith("Admin: http://127.0.0.1:8000/admin/enter")
            assert healthy(health)
        finally:
            server.terminate()
    assert (tmp_path / "copeland.db").exists()
    assert subprocess.run(health, stderr=subprocess.DEVNULL, check=False).returncode != 0


def healthy(command, seconds=30.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return True
        time.sleep(0.2)
    return False
