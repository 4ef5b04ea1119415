"""Every example runs, in a folder of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # left out of `make fast`

FOLDER = Path(__file__).parent.parent / "examples"
# What cycle.py says is compared with docs/verdicts.md: tests/cli/study/test_cli_study.py.
EXAMPLES = sorted(path for path in FOLDER.rglob("*.py") if path.name != "cycle.py")


def _examples():
    """The examples; `make fast` runs one that compiles nothing."""
    for path in EXAMPLES:
        marks = [pytest.mark.quick if path.name == "ask_and_tell.py" else pytest.mark.long]
        if path.name == "best_ranker.py":  # tests/ranking/test_live_clicks.py does so by day
            marks.append(pytest.mark.nightly)
        yield pytest.param(path, id=path.name, marks=marks)


@pytest.mark.parametrize("example", list(_examples()))
def test_an_example_runs_and_says_something(example, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
