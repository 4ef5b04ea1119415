"""copeland tune ask, tell, vote, judge, status and report: a tuning is a study, so these are the commands of studies."""

from __future__ import annotations

from copeland.cli.study.ballots import ask_command, tell_command, vote_command
from copeland.cli.study.files import report_command
from copeland.cli.study.judge import judge_command
from copeland.cli.study.results import status_command
from copeland.cli.tune import tune

_JUDGED = (
    'copeland tune judge sound --command "python judge.py {left.rate} {right.rate}" --calls 100'
)

_HELP = {  # where the words of studies speak of options
    "status": "Say what is proved, what is estimated, and which setting to take now.",
    "report": "Write one self-contained page: the setting to take, pictures of the estimates, and what is proved.",
}

for _name, _command, _example in (
    ("ask", ask_command, "copeland tune ask sound --voter ann --json"),
    ("tell", tell_command, "copeland tune tell sound 17 left"),
    ("vote", vote_command, "copeland tune vote sound --voter ann"),
    ("judge", judge_command, _JUDGED),
    ("status", status_command, "copeland tune status sound"),
    ("report", report_command, "copeland tune report sound --out sound.html"),
):
    tune.command(_name, help=_HELP.get(_name), epilog=f"Example: `{_example}`")(_command)
