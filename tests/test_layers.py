"""Imports point downwards only, and the light package stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import copeland

PACKAGE = Path(copeland.__file__).parent

# From the bottom up: a module may import from its own layer and from those above it in this list.
LAYERS = [
    {"errors", "version", "files", "inert", "words", "shown"},
    {"archives", "tables", "tallies", "streams", "matrix", "data", "spec"},
    {"winners", "gaps", "limits", "bounds"},
    {"kernels"},
    {"problems", "runs"},
    {"results"},
    {"tasks"},
    {"registry"},
    {"policy", "algorithms"},
    {"cells"},
    {"comparisons"},
    {"simulation", "certificate"},
    {"report"},
    {"forecast", "ranking"},
    {"experiments"},
    {"study"},
    {"testing"},
    {"cli"},
]

# The rooms of copeland.study, from the bottom up.
ROOMS = ["record", "meaning", "conduct", "judges", "page"]


def modules(path):
    """What a file of the package imports from it when it is imported itself."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("copeland."):
            yield node.module
        elif isinstance(node, ast.ImportFrom) and node.module == "copeland":
            yield from (f"copeland.{alias.name}" for alias in node.names)


def imported(path):
    """The parts of the package that a file imports."""
    return (module.split(".")[1] for module in modules(path))


def layer(part):
    return next(level for level, parts in enumerate(LAYERS) if part in parts)


def test_every_part_of_the_package_has_a_layer():
    parts = {p.stem for p in PACKAGE.glob("*.py")} | {
        p.parent.name for p in PACKAGE.glob("*/__init__.py")
    }
    assert parts - {"__init__"} == set().union(*LAYERS)


def test_imports_point_downwards():
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        wrong += [f"{path.name}: {part}" for part in imported(path) if layer(part) > layer(own)]
    assert wrong == []


def test_imports_between_the_rooms_of_a_study_point_downwards():
    wrong = []
    for room in ROOMS:
        for path in (PACKAGE / "study" / room).rglob("*.py"):
            for module in modules(path):
                _, part, *rest = module.split(".")
                if part == "study" and ROOMS.index(rest[0]) > ROOMS.index(room):
                    wrong.append(f"{room}/{path.name}: {module}")
    assert wrong == []


def test_the_papers_algorithms_import_no_others_than_the_papers():
    papers = {"ccb", "scb", "copeland_pac", "kl_best_arm"}
    wrong = []
    for name in papers:
        tree = ast.parse((PACKAGE / "algorithms" / f"{name}.py").read_text())
        modules = {node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)}
        used = {m.split(".")[2] for m in modules if m.startswith("copeland.algorithms.")}
        wrong += [f"{name}: {one}" for one in used - papers]
    assert wrong == []


def test_importing_the_package_loads_neither_numba_nor_matplotlib():
    heavy = ["numba", "matplotlib", "scipy.optimize", "pandas", "joblib", "typer", "rich"]
    heavy += ["sqlalchemy", "alembic", "psycopg", "httpx"]
    code = f"import sys, copeland; print([m for m in {heavy} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
