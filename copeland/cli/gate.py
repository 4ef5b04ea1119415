"""copeland gate: may a change go out? Two sets of answers to the same test cases, a judge, one decision."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from copeland.cli.arguments import Force, FormatName, take_settings
from copeland.cli.interrupts import INTERRUPTED
from copeland.cli.judge_options import Judges
from copeland.cli.output import Reply, complain, note, progress_bar, require_new
from copeland.cli.program import BAD_INPUT, FAILURE, app
from copeland.errors import CopelandError, InvalidParameter
from copeland.gate.gate_settings import SETTINGS, GateSettings

if TYPE_CHECKING:
    from copeland.gate.case_pairs import CasePairs
    from copeland.gate.gate_result import GateResult

_EXAMPLE = 'copeland gate --baseline old.csv --candidate new.csv --command "python judge.py {item} {left} {right}"'

# By which the files are recognised that a gate writes.
_MARKS = {
    "out": '"exit_code": ',
    "junit": 'name="copeland gate"',
    "summary": "## Gate ",
}
_BEGINNING = 400  # characters

_FLAGS = {"margin": "--by", "judge_all": "--all"}
_PARAMETER = re.compile(rf"\b({'|'.join((*SETTINGS, 'timeout', 'prices'))}) (is|are)\b")


@app.command("gate", epilog=f"Example: `{_EXAMPLE}`")
@take_settings(
    *("baseline", "candidate", "answers", "same", "format_", "judges", "cluster", "inner"),
    *SETTINGS,
    table=SETTINGS,
    flags=_FLAGS,
)
def gate_command(
    *,
    baseline: list[str] | None = None,
    candidate: list[str] | None = None,
    answers: Path | None = None,
    same: list[Path] | None = None,
    format_: FormatName = None,
    judges: Judges,
    cluster: str | None = None,
    inner: bool = False,
    journal: Path | None = None,
    out: Path | None = None,
    junit: Path | None = None,
    summary: Path | None = None,
    certificate: Path | None = None,
    force: Force = False,
    **settings: Any,
) -> Reply:
    """Decide whether a change may go out: a judge compares two sets of answers to the same test cases.

    Exit code 0 if the required claim is proved, 1 if its opposite is proved, 3 if it is undecided, 2 if something is
    wrong; with --same, 0 if every judge is fit, and 1 if not. It stops as soon as it is decided; Ctrl-C keeps what is judged.

    --baseline FILE            The answers that you have; with --answers, the option that gave them.
    --candidate FILE           The answers that may go out; with --answers, the option that gave them.
    --answers FILE             One file with the answers of both options.
    --same FILE                Judge a set against itself, or, given twice, two samples of one model: how far is the judge to be trusted?
    --cluster COLUMN           The column that says which cases hang together, such as runs of a task; cluster, if there is one.
    --inner                    Drop cases that only one set has.
    --journal FILE.db          Keep every answer here, and go on where the last run stopped; beside --out, or --certificate, by default.
    --out FILE.json            Write everything as JSON.
    --junit FILE.xml           Write JUnit XML, for CI systems.
    --summary FILE.md          Write a page in Markdown.
    --certificate FILE.json    Write the certificate of the study, which `copeland study verify --storage sqlite:///FILE.db` checks by the
        journal; of several judges, one for each.
    """
    from copeland.study.judges.call import name_judges

    files = {"out": out, "junit": junit, "summary": summary}
    with _name_options(), _report_errors(files):
        how = GateSettings(**settings)
        beside = out or certificate
        kept = journal or (None if beside is None else beside.with_suffix(".journal.db"))
        _require_places([kept, certificate, *files.values()])
        pairs = _read_pairs(baseline, candidate, answers, same, (format_, cluster), inner)
        named = judges.make()
        if same:
            return _check_self(pairs, named, how, files | {"certificate": certificate})
        files |= _name_certificates(certificate, name_judges(named))
        _require_own(files, force, kept, pairs, named, how)
        result = _judge(pairs, named, how, kept)
        _write_files(result, files)
    return _tell(result)


@contextmanager
def _report_errors(files: dict[str, Path | None]) -> Iterator[None]:
    """Leave an error in the JSON, in the JUnit file and on the summary, too, unless somebody else's file is there."""
    import json

    from copeland.gate.gate_report import make_error_junit, make_error_summary

    try:
        yield
    except (CopelandError, OSError) as error:
        said = str(error)
        page = make_error_summary(said).encode(errors="replace")
        told = {"exit_code": BAD_INPUT, "outcome": "error", "error": said}
        contents = {
            "out": json.dumps(told, indent=1).encode() + b"\n",
            "junit": make_error_junit(said),
            "summary": page,
        }
        for what, content in contents.items():
            path = files[what]
            with suppress(OSError):
                if path is not None and (not path.exists() or _is_output(path, what)):
                    path.write_bytes(content)
        if isinstance(error, OSError) and not isinstance(error, CopelandError):
            complain(error)  # not the exit code 1, which says that the opposite is proved
            raise typer.Exit(BAD_INPUT) from None
        raise


@contextmanager
def _name_options() -> Iterator[None]:
    """Let errors name the options that were typed, not the parameters of Python."""
    try:
        yield
    except InvalidParameter as error:
        said = _PARAMETER.sub(_name_option, str(error))
        raise InvalidParameter(said, error.field) from error


def _name_option(found: re.Match[str]) -> str:
    return f"{_FLAGS.get(found[1]) or '--' + found[1].replace('_', '-')} {found[2]}"


def _require_own(
    files: dict[str, Path | None],
    force: bool,
    journal: Path | None,
    pairs: CasePairs,
    judges: list[Any],
    settings: GateSettings,
) -> None:
    """Refuse to replace files, unless an earlier run of this gate wrote them: its journal is there, and they are a gate's."""
    from copeland.gate.gate_run import describe_gate_settings, open_journal
    from copeland.study.judges.call import name_judges

    told = describe_gate_settings(pairs, settings, name_judges(judges))
    begun = journal is not None and journal.exists() and open_journal(journal, told)[1]
    for what, path in files.items():
        if path is not None and not (begun and _is_output(path, what)):
            require_new(path, force)


def _is_output(path: Path, what: str) -> bool:
    """Whether a file begins as those do that a gate writes."""
    if not path.exists():
        return False
    with open(path, encoding="utf-8", errors="replace") as file:
        return _MARKS.get(what, '"study": "gate by ') in file.read(_BEGINNING)


def _require_places(paths: list[Path | None]) -> None:
    """Refuse files that could not be written, before anything is paid for."""
    for path in paths:
        if path is not None and not path.parent.is_dir():
            raise InvalidParameter(f"{path}: there is no folder {path.parent}; create it first.")
        if path is not None and path.is_dir():
            raise InvalidParameter(f"{path} is a folder; name a file.")


def _read_pairs(
    baseline: list[str] | None,
    candidate: list[str] | None,
    answers: Path | None,
    same: list[Path] | None,
    how: tuple[str | None, str | None],
    inner: bool,
) -> CasePairs:
    """Join the answers as they were given."""
    from copeland.gate.case_pairs import SEVERAL, pair_answers, pick_answers

    name, cluster = how
    if same:
        if baseline or candidate or answers or len(same) > 2:
            raise InvalidParameter(
                "--same takes the place of --baseline, --candidate and --answers; give it once, or twice for two samples."
            )
        roles = "same 1", "same 2"
        return pair_answers(same[0], same[-1], name=name, roles=roles, cluster=cluster)
    if not baseline or not candidate:
        raise InvalidParameter(
            "name both sets of answers: --baseline FILE --candidate FILE, or --answers FILE --baseline NAME --candidate NAME."
        )
    if len(baseline) > 1 or len(candidate) > 1:
        raise InvalidParameter(
            f"a gate compares one baseline with one candidate, and here are {len(baseline)} and {len(candidate)}; {SEVERAL}."
        )
    if answers is not None:
        return pick_answers(answers, baseline[0], candidate[0], name, cluster)
    return pair_answers(baseline[0], candidate[0], inner, name, cluster=cluster)


def _judge(
    pairs: CasePairs, judges: list[Any], settings: GateSettings, journal: Path | None
) -> GateResult:
    from copeland.gate.gate_run import judge_pairs

    with progress_bar("calls", "starting") as advance:
        tell = lambda said: note(f"copeland: {said}")  # noqa: E731
        result = judge_pairs(pairs, judges, settings, journal, advance, tell)
    return _require_work(result, journal)


def _require_work(result: GateResult, journal: Path | None) -> GateResult:
    """Refuse a result if a judge failed."""
    from copeland.study.judges import JudgeFailed

    failed = next((one for one in result.judges if one.reason == "failed"), None)
    if failed is not None:
        kept = "" if journal is None else f" What was judged is in {journal}."
        raise JudgeFailed(f"{failed.stopped}{kept}")
    return result


def _write_files(result: GateResult, files: dict[str, Path | None]) -> None:
    """Write what was asked for."""
    import json

    from copeland.gate.gate_report import make_junit, make_summary
    from copeland.study.results.certificate_file import certificate_to_file
    from copeland.support.atomic_files import write_file

    make = {
        "out": lambda: json.dumps(result.to_dict(), allow_nan=False, indent=1).encode() + b"\n",
        "junit": lambda: make_junit(result),
        "summary": lambda: make_summary(result).encode(errors="replace"),
    }
    make |= {
        study.name: lambda study=study: certificate_to_file(study)[1].encode()
        for study in result.studies
    }
    for what, path in files.items():
        if path is not None and what in make:
            write_file(path, make[what]())


def _name_certificates(path: Path | None, judges: Iterable[str]) -> dict[str, Path | None]:
    """The certificate of the study of each judge: one file, or one for each of several, with the judge's name."""
    from copeland.support.escaping import file_name

    names = [*judges]
    if path is None or len(names) == 1:
        return {f"gate by {name}": path for name in names}
    own = (path.with_name(f"{path.stem}-{file_name(name)}{path.suffix}") for name in names)
    return {f"gate by {name}": one for name, one in zip(names, own, strict=True)}


def _tell(result: GateResult) -> Reply:
    from copeland.gate.gate_report import describe_details

    interrupted = any(judge.reason == "interrupted" for judge in result.judges)
    lines = [result.sentence, *describe_details(result)]
    return Reply(result.to_dict(), lines, code=INTERRUPTED if interrupted else result.exit_code)


def _check_self(
    pairs: CasePairs, judges: list[Any], settings: GateSettings, files: dict[str, Path | None]
) -> Reply:
    """Say how each judge treats the sides; the exit code is 1 if one is not fit."""
    from copeland.gate.gate_report import describe_check
    from copeland.gate.gate_run import check_judges

    given = [f"--{name}" for name, path in files.items() if path is not None]
    if given:
        raise InvalidParameter(f"--same writes no files; leave {given[0]} out, or use --json.")
    with progress_bar("calls", "starting") as advance:
        result = _require_work(check_judges(pairs, judges, settings, advance), None)
    found = [describe_check(result, judge) for judge in result.judges]
    sentences = [sentence for one in found for sentence in one["sentences"]]
    code = 0 if all(one["fit"] for one in found) else FAILURE
    return Reply({"same": found}, sentences, code=code)
