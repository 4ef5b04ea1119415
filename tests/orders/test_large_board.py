"""How much work it takes to rank a board of 200 options, and how much memory."""

import json
import subprocess
import sys

import pytest

from copeland.orders import ORDERS

RANK = """
import json, sys
import numpy as np
import copeland

rng, k, votes = np.random.default_rng(0), 200, 100_000
first = rng.integers(k, size=votes)
second = (first + 1 + rng.integers(k - 1, size=votes)) % k
strengths = np.linspace(1.5, -1.5, k)
won = rng.random(votes) < 1 / (1 + np.exp(strengths[second] - strengths[first]))
wins = np.zeros((k, k), int)
np.add.at(wins, (np.where(won, first, second), np.where(won, second, first)), 1)
calls = 0
def count(_frame, event, _argument):
    global calls
    calls += event in ("call", "c_call")
copeland.rank(wins[:9, :9], by=sys.argv[1])  # imports what it needs
sys.setprofile(count)
found = copeland.rank(wins, by=sys.argv[1])
sys.setprofile(None)
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
megabytes = int(status["VmHWM"].split()[0]) / 1024  # the most so far, of this program alone
print(json.dumps([calls, megabytes, len(found.places)]))
"""


@pytest.mark.quick
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the memory so")
@pytest.mark.parametrize("by", ORDERS)
def test_200_options_and_100_000_votes_take_500_megabytes_and_few_calls_a_pair(by):
    """The memory is that of the whole process, imports included. There are 19,900 pairs, of which some orders look at each."""
    told = subprocess.run([sys.executable, "-c", RANK, by], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    calls, megabytes, places = json.loads(told.stdout)
    assert places == 200
    assert calls < 10 * 19_900 and megabytes < 500, calls
