"""Imports point downwards only, as docs/design.md draws them, and the light package stays light."""

import ast
import re
import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

import copeland

PACKAGE = Path(copeland.__file__).parent
MAP = (PACKAGE.parent / "docs" / "design.md").read_text(encoding="utf-8")
FILES = sorted(PACKAGE.rglob("*.py"))


def picture(title):
    """The names that each line of a picture holds, from the bottom up."""
    block = re.search(rf"## {title}\n.*?```\n(.*?)```", MAP, re.DOTALL)
    assert block is not None
    lines = [line.split("  ")[0].split() for line in block[1].splitlines()]
    return lines[::-1]


LAYERS, ROOMS = picture("The layers"), picture("The rooms of a study")


def name_of(path):
    return ".".join(["copeland", *path.relative_to(PACKAGE).with_suffix("").parts])


def statements(node):
    """Everything in a file, functions included, but for what only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue  # most of a file, and no import is in one
        if not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)):
            yield child
            yield from statements(child)


def modules(path):
    """What a file imports from the package, at once or later."""
    for node in statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "copeland":
            yield from (f"copeland.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("copeland."):
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            known = [name for name in inner if name in NAMES]
            yield from known or [node.module]
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("copeland."))


NAMES = {name_of(path).removesuffix(".__init__") for path in FILES}


@cache
def imports():
    """What each file imports."""
    return {name_of(path): set(modules(path)) for path in FILES}


def upwards(levels, depth):
    """Imports from a higher level than one's own; the level is told by one part of a module's name."""

    def level(module):
        part = module.split(".")[depth : depth + 1]
        found = [n for n, names in enumerate(levels) if part and part[0] in names]
        return found[0] if found else None

    pairs = [(own, other) for own, others in imports().items() for other in others]
    known = [(a, b) for a, b in pairs if level(a) is not None and level(b) is not None]
    return [f"{a} imports {b}" for a, b in known if level(b) > level(a)]


def test_every_part_of_the_package_is_in_the_picture_and_in_the_tree():
    parts = {path.stem for path in PACKAGE.glob("*.py")} | {
        path.parent.name for path in PACKAGE.glob("*/__init__.py")
    }
    assert sorted(parts - {"__init__"}) == sorted(name for line in LAYERS for name in line)
    rooms = {path.parent.name for path in (PACKAGE / "study").glob("*/__init__.py")}
    assert sorted(rooms) == sorted(name for line in ROOMS for name in line)
    tree = re.search(r"```\n(copeland/.*?)```", MAP, re.DOTALL)[1]
    named = {
        line.split()[1].rstrip("/").removesuffix(".py")
        for line in tree.splitlines()[1:]
        if line[0] in "├└"
    }
    assert named == {name for line in LAYERS for name in line} - {"version"}


@pytest.mark.slow
def test_imports_of_parts_and_rooms_point_downwards():
    assert upwards(LAYERS, depth=1) == []
    study = {own: others for own, others in imports().items() if own.startswith("copeland.study.")}
    assert study
    assert [wrong for wrong in upwards(ROOMS, depth=2) if wrong.startswith("copeland.study.")] == []


def test_no_two_files_import_each_other():
    both = [
        (a, b)
        for a, others in imports().items()
        for b in others
        if a < b and a in imports().get(b, ())
    ]
    assert both == []


@contextmanager
def enter_files():
    """The files of the package that are entered meanwhile."""
    names, files = set(), set()  # a profiler is called often, so it only takes names
    sys.setprofile(lambda frame, _event, _argument: names.add(frame.f_code.co_filename))
    try:
        yield files
    finally:
        sys.setprofile(None)
    entered = map(Path, names)
    files |= {path for path in entered if PACKAGE in path.parents and path.suffix == ".py"}


def test_the_way_of_a_vote_to_a_certificate_is_short():
    asked = copeland.create_study("tea", ["green", "black", "white"], voters="independent")
    ballot = asked.ask()
    study = copeland.open_study("tea", asked.storage)  # here nobody asks, so no planner follows
    with enter_files() as files:
        study.tell(ballot, "left")
        study.certificate()
    assert len(files) <= 25


@pytest.mark.parametrize("voters", ["people", "independent"])
def test_the_ways_of_a_question_and_of_its_answer_are_short(voters):
    study = copeland.create_study("tea", ["green", "black", "white"], voters=voters)
    for voter in ("ann", "bob"):
        study.tell(study.ask(voter), "left")
    with enter_files() as asking:
        ballot = study.ask("eve")
    with enter_files() as telling:
        study.tell(ballot, "left")
    for files in (asking, telling):
        parts = [path.relative_to(PACKAGE).parts[0] for path in files]
        planner = [part for part in parts if part in ("algorithms", "kernels")]
        assert len(planner) <= 8
        assert len(parts) - len(planner) <= 15


@pytest.mark.slow
def test_the_way_of_votes_to_a_page_is_short(tmp_path):
    study = copeland.create_study("tea", ["green", "black", "white"], voters="independent")
    votes = [("green", "black", "ann"), ("green", "black", "ben"), ("green", "white", "ann")]
    rows = [{"left": i, "right": j, "outcome": "left", "voter": voter} for i, j, voter in votes]
    study.add_votes(rows * 40)  # enough for a proof, so no planner says what would settle it
    study.report(tmp_path / "page.html")  # so that all is loaded
    with enter_files() as files:
        study.report(tmp_path / "page.html")
    assert len(files) <= 56


def test_the_papers_algorithms_import_no_others_than_the_papers():
    papers = {"ccb", "scb", "copeland_pac"}
    wrong = []
    for name in papers:
        tree = ast.parse((PACKAGE / "algorithms" / f"{name}.py").read_text())
        modules = {node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)}
        used = {m.split(".")[2] for m in modules if m.startswith("copeland.algorithms.")}
        wrong += [f"{name}: {one}" for one in used - papers]
    assert wrong == []


def test_importing_the_package_loads_neither_numba_nor_matplotlib():
    heavy = ["numba", "matplotlib", "scipy.optimize", "pandas", "joblib", "typer", "rich"]
    heavy += ["sqlalchemy", "psycopg", "httpx"]
    code = f"import sys, copeland; print([m for m in {heavy} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_new_study_loads_no_drivers():
    code = "import sys, copeland; copeland.create_study('tea', ['green', 'black']); "
    code += "print([m for m in ['psycopg', 'httpx'] if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.slow
def test_benchmarks_find_what_they_import_and_their_tests_lie_beside_them():
    """Only `make nightly` runs their tests, and nobody else notices when a name of the package leaves."""
    imports = re.compile(r"^\s*(from|import) benchmarks\b", re.M)
    tests = Path(__file__).parent.rglob("*.py")
    assert not [path for path in tests if imports.search(path.read_text(encoding="utf-8"))]
    code = "import benchmarks, importlib, pkgutil\n"
    code += "for module in pkgutil.walk_packages(benchmarks.__path__, 'benchmarks.'):\n"
    code += "    'tests' in module.name or importlib.import_module(module.name)"
    root = PACKAGE.parent
    out = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
