"""copeland tune status: the setting to take now."""

from __future__ import annotations

from copeland.cli.options import Json
from copeland.cli.shell import print_json, show
from copeland.cli.tune.group import File, opened, shown, tune
from copeland.words import counted, percent

_SMALL = 0.01  # an estimated regret at which an audit is worth its votes


@tune.command("status", epilog="Example: `copeland tune status sound.npz`")
def status_command(file: File, as_json: Json = False) -> None:
    """Recommend a setting, with estimates of what it beats and of what may be lost by it."""
    tuner = opened(file)
    found = tuner.recommend()
    if as_json:
        result = {"point": found.point, "score": found.score, "regret": found.regret}
        print_json({"votes": tuner.votes, "open": [duel.id for duel in tuner.open], **result})
        return
    show(f"{counted(tuner.votes, 'vote')}, {counted(len(tuner.open), 'open duel')}.")
    show(f"Take {shown(found.point)}.")
    show(
        f"Estimated, not proved: it beats {percent(found.score)} of all settings, and some other beats "
        f"{100 * found.regret:.1f} percentage points more."
    )
    if found.regret < _SMALL and tuner.votes:
        show("That is little: an audit of this setting (docs/tuning.md) may prove how good it is.")
