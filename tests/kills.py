"""A check that any storage must pass: no acknowledged vote is lost, whoever is killed and when."""

from __future__ import annotations

import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from copeland.study import Study, create_study, open_study
from copeland.support.rng import stream

OPTIONS = ["A", "B", "C", "D", "E"]
NAME = "killed"
_PRELOADED = ["copeland.study", "copeland.algorithms.cpc_pac"]


class Round(NamedTuple):
    """What came of one round of voters who were killed."""

    acknowledged: int
    kept: int  # votes added; the last of a voter may be kept and not acknowledged
    lost: frozenset[str]  # acknowledged, and not in the log
    errors: tuple[str, ...]  # what voters were told instead of an acknowledgement
    replay_differs: bool

    @property
    def passed(self) -> bool:
        """Whether it went as it must."""
        return self.kept > 0 and not (self.lost or self.errors or self.replay_differs)


def kill_voters(
    storage: str,
    rounds: int,
    voters: int = 8,
    seconds: tuple[float, float] = (0.0, 2.0),
    algorithm: str = "cpc-pac",
    seed: int = 0,
) -> list[Round]:
    """Let processes vote into one study and kill each at a random moment, again and again.

    Voters ask and tell as fast as they can; each notes the id of a vote when ``tell`` has returned.

    Parameters
    ----------
    storage
        The address of a database that processes can share.
    seconds
        The shortest and the longest life of a voter, from when all of them vote.
    """
    study = create_study(
        NAME, OPTIONS, storage, algorithm=algorithm, seed=seed, lease=1.0, voters="independent"
    )
    return [_round(study, storage, number, voters, seconds, seed) for number in range(rounds)]


def _round(
    study: Study, storage: str, number: int, voters: int, seconds: tuple[float, float], seed: int
) -> Round:
    before = _ids(study)
    lives = stream(seed, "lives", number).uniform(*seconds, voters)
    with tempfile.TemporaryDirectory() as folder:
        notes = [Path(folder, f"{number}-{voter}") for voter in range(voters)]
        _let_live(lives.tolist(), storage, notes)
        lines = [line for note in notes if note.exists() for line in note.read_text().splitlines()]
    told = {line for line in lines if not line.startswith("!")}
    after = _ids(study)
    live = study.state()
    return Round(
        acknowledged=len(told),
        kept=len(after) - len(before),
        lost=frozenset(told - after),
        errors=tuple(line for line in lines if line.startswith("!")),
        replay_differs=not live == study.replay() == open_study(NAME, storage).state(),
    )


def _let_live(lives: list[float], storage: str, notes: list[Path]) -> None:
    """Start a voter for each note; once all of them vote, kill each when its time has come."""
    context = get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    tasks = [context.Process(target=_vote, args=(storage, note)) for note in notes]
    for task in tasks:
        task.start()
    for task, note in zip(tasks, notes, strict=True):
        while task.is_alive() and not (note.exists() and note.stat().st_size):
            time.sleep(0.01)
    passed = 0.0
    for end, task in sorted(zip(lives, tasks, strict=True), key=lambda pair: pair[0]):
        time.sleep(end - passed)
        passed = end
        task.kill()
    for task in tasks:
        task.join()
        task.close()


def _ids(study: Study) -> set[str]:
    """Return the ids of all votes, which the storage keeps unique."""
    return {event.event_id for event in study.log() if event.event_id is not None}


def _vote(storage: str, note: Path) -> None:
    """Vote until the end comes; note every vote that is acknowledged, and any error."""
    with note.open("w", buffering=1) as file:
        try:
            study = open_study(NAME, storage)
            number = 0
            while ballot := study.ask(voter=note.name):
                number += 1  # answers are even, so that the study does not end
                outcome = ("left", "right", "tie", "skip")[number % 4]
                vote = study.tell(ballot, outcome, event_id=f"{note.name}/{number}")
                file.write(f"{vote.event_id}\n")
            file.write("! the study ended\n")
        except Exception as error:
            file.write(f"! {type(error).__name__}: {error}\n")
