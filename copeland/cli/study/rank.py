"""copeland study rank: all options in tiers, with scores and strengths."""

from __future__ import annotations

from dataclasses import asdict

from copeland.cli.options import Json
from copeland.cli.shell import print_json, show
from copeland.cli.study.group import STORAGE, Name, Storage, opened, study


@study.command("rank", epilog="Example: `copeland study rank tea`")
def rank_command(name: Name, storage: Storage = STORAGE, as_json: Json = False) -> None:
    """Rank all options: tiers that are proved apart, Copeland scores, Bradley-Terry strengths.

    The tiers and the intervals of scores are proved; the order within a tier and the strengths are not.
    """
    from copeland.study.report.study_tables import ranking_table

    found = opened(name, storage).ranking()
    if as_json:
        places = [place._asdict() for place in found.places]
        print_json({"study": name, **asdict(found), "places": places, "tiers": found.tiers})
        return
    show(found.sentence, ranking_table(found), *found.notes)
