"""Each tutorial can be typed from its page alone: what it shows is what comes out."""

import os
import re
import shlex
import subprocess
import sys
from codeop import compile_command
from pathlib import Path

import pytest
from commands import run

import copeland

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = sorted(DOCS.glob("tutorial-*.md"))
MOST_WORDS = 900


def steps(page):
    """The blocks of a page that are to be typed or saved, in order: a file, the language, the text, what it prints."""
    block = r"(?:Save this as `(\S+)`:\n\n)?```(console|python)\n(.*?)```(?:\n\nIt prints:\n\n```\n(.*?)```)?"
    return re.findall(block, page.read_text(), flags=re.DOTALL)


def squeeze(text):
    """Lines without what depends on the width of a terminal."""
    lines = [" ".join(line.split()) for line in text.strip().splitlines()]
    return "".join(f"{line}\n" for line in lines if line)


def type_all(block):
    """Type the commands of a block, and hold what each prints against the page."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        code, printed, complaints = type_one(line)
        assert code == 0, (line, printed, complaints)
        assert re.fullmatch(pattern_of(shown), squeeze(printed)), (line, printed)


def type_one(line):
    """Type one line: its exit code, what it prints, and what it complains of."""
    program, *words = shlex.split(line)
    if program == "python":
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr
    assert program == "copeland", f"only copeland and python are typed here: {line}"
    result = run(*words)
    return result.exit_code, result.stdout, result.stderr


def pattern_of(shown):
    """What a command prints must match: the lines of the page, where `...` stands for any lines, or for any part of one."""
    lines = squeeze(shown).splitlines()
    return "".join(
        r"(?:.*\n)*" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"
        for line in lines
    )


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if steps(p)], ids=lambda page: page.stem)
def test_a_tutorial_does_what_it_says(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("COLUMNS", "400")
    here = str(Path(sys.executable).parent)  # whoever follows the page has this python
    monkeypatch.setenv("PATH", here, prepend=os.pathsep)
    for file, language, block, shown in steps(page):
        if file:
            Path(file).write_text(block)
        elif language == "python":
            capsys.readouterr()
            exec(compile(block, page.name, "exec"), {})
            printed = capsys.readouterr().out
            assert not shown or printed == shown
        else:
            type_all(block)
    for file in tmp_path.glob("*.py"):  # what the page wrote is not for other tests
        sys.modules.pop(file.stem, None)


PROMPTS = [page for page in PAGES if "run blocks of Python in `python`" in page.read_text()]


@pytest.mark.parametrize("page", PROMPTS, ids=lambda page: page.stem)
def test_what_is_to_be_run_in_python_can_be_pasted_there(page):
    for file, language, block, _ in steps(page):
        waiting = []
        for line in block.splitlines() if language == "python" and not file else ():
            waiting.append(line)
            # Python's prompt wants an empty line after a block, and takes none inside it.
            if compile_command("\n".join(waiting)) is not None:
                waiting = []
        assert compile_command("\n".join([*waiting, ""])) is not None, block


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_is_short_and_says_what_to_read_next(page):
    text = page.read_text()
    assert len(text.split()) <= MOST_WORDS
    assert "\n## What next\n" in text


def test_what_a_tutorial_tells_to_press_is_there():
    web = Path(copeland.__file__).parent / "web"
    files = [*web.glob("templates/*.html"), *web.rglob("*.py")]
    there = "\n".join(file.read_text() for file in files)
    told = re.findall(r"\*\*(.+?)\*\*", (DOCS / "tutorial-design.md").read_text())
    assert len(told) > 10
    assert [words for words in told if words not in there] == []
