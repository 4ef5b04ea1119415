"""copeland tune: find the best setting of numbers and choices by duels, all of them in one JSON file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copeland.cli.arguments import Force, Seed
from copeland.cli.output import Line, Reply, progress_bar, require_new
from copeland.cli.program import Group, app
from copeland.errors import InvalidParameter, UnknownDuel, nearest
from copeland.support.atomic_files import read_text, write_file
from copeland.support.escaping import command_line, inert
from copeland.support.phrasing import format_count, percent

if TYPE_CHECKING:
    from copeland.tuning import Space, Tuner

tune = Group("tune")
app.add(tune)

FORMAT = "copeland tune 1"
FIRST, SECOND, TIE, SKIP = WINNERS = ("first", "second", "tie", "skip")
_PLACE = re.compile(r"\{(first|second)\.([^{}]+)\}")
File = Annotated[Path, typer.Argument(metavar="FILE", help="The JSON file of the tuning.")]


class _Tuning:
    """A file: the space, the seed, and every duel with its answer, from which the tuner is rebuilt."""

    def __init__(self, path: Path, space: Space, seed: int):
        self.path, self.space, self.seed = path, space, seed
        self.duels: list[dict[str, Any]] = []  # with the winner, None until there is one

    @classmethod
    def read(cls, path: Path) -> _Tuning:
        """Return the tuning of a file."""
        from copeland.tuning import Space

        text = read_text(path)
        try:
            content = json.loads(text)
            if content["format"] != FORMAT:
                raise ValueError(f"its format is {content['format']!r}")
            tuning = cls(path, Space.from_json(json.dumps(content["space"])), content["seed"])
            for duel in content["duels"]:
                _ = tuning.space.place(duel[FIRST]), tuning.space.place(duel[SECOND])  # or refuse
                if duel["winner"] not in (*WINNERS, None):
                    raise ValueError(f"a winner is {duel['winner']!r}")
            tuning.duels = content["duels"]
            return tuning
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            why = f"it lacks {error}" if isinstance(error, KeyError) else str(error).rstrip(".")
            said = f"{path} is damaged, or is no file of copeland tune: {why}."
            raise InvalidParameter(inert(said)) from None

    def write(self) -> None:
        """Write the file whole, with a line for each duel."""
        head = {"format": FORMAT, "space": json.loads(self.space.to_json()), "seed": self.seed}
        lines = "".join(f"{json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items())
        duels = ",\n".join(json.dumps(duel) for duel in self.duels)
        write_file(self.path, f'{{\n{lines}"duels": [\n{duels}\n]\n}}\n'.encode())

    @property
    def answers(self) -> int:
        """How many duels have an answer."""
        return sum(duel["winner"] is not None for duel in self.duels)

    @cached_property
    def tuner(self) -> Tuner:
        """The tuner after all duels, which it asks again one after the other."""
        from copeland.tuning import Tuner

        tuner = Tuner(self.space, self.seed)
        for duel in self.duels:
            tuner.drop(tuner.ask())  # the file says which points were asked
            self._count(tuner, duel)
        return tuner

    def _count(self, tuner: Tuner, duel: dict[str, Any]) -> None:
        if duel["winner"] not in (SKIP, None):
            tuner.add(duel[FIRST], duel[SECOND], duel.get(duel["winner"]))

    def ask(self) -> dict[str, Any]:
        """Return the next duel; lots decide which point comes first."""
        from copeland.support.rng import stream

        asked = self.tuner.ask()
        self.tuner.drop(asked)
        swap = stream(self.seed, "sides", len(self.duels)).random() < 0.5
        first, second = (asked.second, asked.first) if swap else (asked.first, asked.second)
        self.duels.append({FIRST: first, SECOND: second, "winner": None})
        return self.duels[-1]

    def tell(self, duel: dict[str, Any], winner: str) -> None:
        """Take the answer to a duel, and write the file."""
        duel["winner"] = winner
        if "tuner" in vars(self):
            self._count(self.tuner, duel)
        self.write()


@tune.callback(epilog="Example: `copeland tune > space.toml`")
def example_command() -> Reply:
    """Find the best setting of numbers and choices by duels of two at a time. Without a command, print an example of a space."""
    from copeland.tuning.spaces import EXAMPLE, tables_in

    return Reply(tables_in(EXAMPLE), [Line(EXAMPLE.rstrip())])


@tune.command("create", epilog="Example: `copeland tune create sound.json --space space.toml`")
def create_command(
    file: File,
    space: Path | None = None,
    parameter: list[str] | None = None,
    constraint: list[str] | None = None,
    seed: Seed = 0,
    force: Force = False,
) -> Reply:
    """Begin a tuning of the parameters of a TOML file, or of options; you cannot change them later.

    --space FILE            A TOML file with a table for each parameter: low and high, optionally with log = true or integer = true, or
        else choices. Above them, constraint = a text or a list of texts.
    --parameter, -p TEXT    A parameter without a file: hue=0:360, rate=0.001:1:log, layers=1:8:integer or style=short,warm; as often
        as you like.
    --constraint TEXT       What a point must satisfy, as in 'width + height <= 10'; as often as you like.
    """
    from copeland.tuning.spaces import space_of, tables_in, tables_of

    require_new(file, force)
    tables, more = {} if space is None else tables_in(read_text(space)), tables_of(parameter or [])
    if not tables and not more:
        raise InvalidParameter("there is nothing to tune; give --space FILE, or --parameter.")
    for name in tables.keys() & more.keys():
        raise InvalidParameter(inert(f"the parameter '{name}' is in {space}, too."))
    tuning = _Tuning(file, space_of(tables | more, constraint or []), seed)
    _ = tuning.tuner  # which refuses a wrong seed
    tuning.write()
    told = {"file": str(file), "parameters": list(tuning.space.parameters)}
    said = f"{file} tunes {format_count(len(told['parameters']), 'parameter')}."
    return Reply(told, [said, Line(f"Next: {command_line('copeland', 'tune', 'ask', file)}")])


@tune.command("ask", epilog="Example: `copeland tune ask sound.json`")
def ask_command(file: File, n: int = 1) -> Reply:
    """Ask the next duels, each of two settings, to be answered in any order.

    --n, -n    How many.
    """
    tuning = _Tuning.read(file)
    asked = [{"duel": len(tuning.duels) + 1, **tuning.ask()} for _ in range(n)]
    tuning.write()
    lines = (
        Line(f"duel {one['duel']}: first {_line(one[FIRST])}; second {_line(one[SECOND])}")
        for one in asked
    )
    return Reply(asked, lines)


def _line(point: Mapping[str, Any]) -> str:
    few = {name: f"{v:.4g}" if isinstance(v, float) else v for name, v in point.items()}
    return ", ".join(f"{name}={value}" for name, value in few.items())


@tune.command("tell", epilog="Example: `copeland tune tell sound.json 17 first`")
def tell_command(file: File, duel: int, winner: str) -> Reply:
    """Say which setting of a duel is better.

    DUEL      Its number.
    WINNER    first, second, tie or skip.
    """
    tuning = _Tuning.read(file)
    if winner not in WINNERS:
        raise InvalidParameter(f"'{winner}' is no answer; {nearest(winner, WINNERS)}")
    if not 1 <= duel <= len(tuning.duels) or tuning.duels[duel - 1]["winner"] is not None:
        raise UnknownDuel(f"duel {duel} of {file} was never asked, or was answered before.")
    tuning.tell(tuning.duels[duel - 1], winner)
    return _count_answers(tuning)


def _count_answers(tuning: _Tuning) -> Reply:
    said = f"{tuning.path} has {format_count(tuning.answers, 'answer')}."
    return Reply({"answers": tuning.answers}, said)


@tune.command("best", epilog="Example: `copeland tune best sound.json`")
def best_command(file: File) -> Reply:
    """Say which setting to take now: an estimate, which is not proved."""
    tuner = _Tuning.read(file).tuner
    if not tuner.votes:
        raise InvalidParameter(f"{file} has no votes yet; answer some duels first.")
    found = tuner.recommend()
    said = (
        f"After {format_count(tuner.votes, 'vote')}: {_line(found.point)}. By the model's estimate it beats "
        f"{percent(found.score)} of all settings, and another one beats {100 * found.regret:.1f} percentage points more."
    )
    told = {"point": found.point, "score": found.score, "regret": found.regret}
    return Reply({"votes": tuner.votes, **told}, said)


_RUN = 'copeland tune run sound.json --command "python judge.py {first.rate} {second.rate}"'


@tune.command("run", epilog=f"Example: `{_RUN}`")
def run_command(file: File, command: str, answers: int = 100, timeout: float = 60.0) -> Reply:
    """Let a program answer duels, each kept before the next is asked; type it again to go on after it was stopped.

    --command PROGRAM    A program that prints first, second, tie or skip. {first.rate} in its arguments stands for a value; its
        standard input has both settings as JSON.
    --answers            Go on until so many duels have an answer.
    --timeout            Seconds that the program may take.
    """
    from copeland.study.judges.command import run_program, split_command
    from copeland.study.judges.parse import JudgeFailed, quote_answer

    tuning, arguments = _Tuning.read(file), split_command(command)
    for _, name in _PLACE.findall(command):
        if name not in tuning.space.parameters:
            raise InvalidParameter(inert(f"the command names '{name}', which is no parameter."))

    def judge(duel: dict[str, Any]) -> str:
        filled = [_PLACE.sub(lambda at: str(duel[at[1]][at[2]]), one) for one in arguments]
        shown = json.dumps({side: duel[side] for side in (FIRST, SECOND)})
        said = run_program(arguments[0], filled, shown, timeout).strip().lower()
        if said in WINNERS:
            return said
        expected = f"it must print one of {', '.join(WINNERS)}"
        raise JudgeFailed(f"{arguments[0]} printed {quote_answer(said)}; {expected}.")

    with progress_bar("answers", starting="") as tell:
        while tuning.answers < answers:
            tell(tuning.answers, answers)
            left = (duel for duel in tuning.duels if duel["winner"] is None)
            duel = next(left, None) or tuning.ask()
            tuning.tell(duel, judge(duel))
    return _count_answers(tuning)
