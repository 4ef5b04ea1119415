"""The reference of Python names: a page for each module that is public, each name on one page only."""

import importlib
import inspect
import re
from types import ModuleType
from typing import NamedTuple, ParamSpec, TypeVar


class Page(NamedTuple):
    """A page of the reference."""

    title: str
    text: str
    modules: tuple[str, ...]


PAGES = {
    "studies": Page(
        "Studies",
        "[Live studies](../../studies.md) and [judges](../../judges.md) show how these work together.",
        (
            "copeland.study",
            "copeland.study.judges",
            "copeland.audit",
            "copeland.formats",
            "copeland.formats.answers",
        ),
    ),
    "gates": Page(
        "Gates",
        "[Evaluate prompts on a test set](../../gate.md) shows how these work together.",
        ("copeland.gate",),
    ),
    "boards": Page(
        "Boards",
        "[Places of a table of scores](../../boards.md) shows how these work together.",
        ("copeland.boards", "copeland.boards.score_table"),
    ),
    "client": Page(
        "Studies on a server",
        "The same `ask` and `tell`, with the study on a server: see [ask and tell over HTTP](../../http-api.md).",
        ("copeland.client",),
    ),
    "ranking": Page(
        "Rankers and clicks",
        "[Rankers as options](../../ranking.md) shows how these work together.",
        (
            "copeland.ranking",
            "copeland.ranking.letor",
            "copeland.ranking.trec",
            "copeland.ranking.clicks",
            "copeland.ranking.interleaving",
            "copeland.ranking.estimation",
            "copeland.ranking.adaptive",
            "copeland.ranking.evaluation",
            "copeland.ranking.live",
        ),
    ),
    "tuning": Page(
        "Tuning",
        "[Tuning by votes](../../tuning.md) shows how these work together.",
        ("copeland.tuning",),
    ),
    "panels": Page(
        "Panels", "[Panels](../../panels.md) has the proofs.", ("copeland.certificate",)
    ),
    "winners": Page(
        "Winners and gaps",
        "What is true of a preference matrix.",
        ("copeland.theory.winners", "copeland.theory.gaps"),
    ),
    "bounds": Page(
        "Bounds, limits and lemmas",
        "[Theory as numbers](../../theory.md) shows them in use.",
        ("copeland.theory.bounds", "copeland.theory.lower_bounds", "copeland.theory.lemmas"),
    ),
    "problems": Page(
        "Problems",
        "[Problems](../../problems.md) lists every name.",
        ("copeland.problems",),
    ),
    "testing": Page(
        "Checks for algorithms",
        "Hold your own algorithm to the checks that all algorithms here pass.",
        ("copeland.testing",),
    ),
    "errors": Page(
        "Errors",
        "Every error is a `CopelandError`, and most are also the built-in error that fits.",
        ("copeland.errors",),
    ),
}
TOP = Page("copeland", "", ("copeland",))
_SHORT = 120  # letters of a value that is shown
_SHARED = ("AnyStudy", "BaseCertificate")  # classes whose methods are those of several public ones


def reference_pages() -> dict[str, str]:
    """Every page by the name of its file."""
    elsewhere = {key(value): name for name, page in PAGES.items() for value in _values(page)}
    pages = {f"reference/{name}.md": _page(page) for name, page in PAGES.items()}
    return {**pages, "reference/copeland.md": _top(elsewhere), "reference/index.md": _index()}


def names_of(module: ModuleType) -> list[str]:
    """The public names of a module: those it lists, or those it defines."""
    own = (
        n
        for n, v in vars(module).items()
        if getattr(v, "__module__", "") == module.__name__
        and not isinstance(v, TypeVar | ParamSpec)
    )
    return list(getattr(module, "__all__", None) or (n for n in own if not n.startswith("_")))


def key(value: object) -> tuple[str, str]:
    """What tells a class or function from others, wherever it is named."""
    return getattr(value, "__module__", ""), getattr(value, "__qualname__", repr(value))


def _values(page: Page) -> list[object]:
    modules = [importlib.import_module(name) for name in page.modules]
    return [getattr(module, name) for module in modules for name in names_of(module)]


def _page(page: Page) -> str:
    return "\n".join([f"# {page.title}", "", page.text, *map(_module, page.modules)]) + "\n"


def _module(name: str) -> str:
    module = importlib.import_module(name)
    parts = [f"\n## {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n   :no-index:\n"]
    return "\n".join([*parts, *(_entry(f"{name}.{one}") for one in names_of(module)), "```"])


def _entry(path: str) -> str:
    home, _, name = path.rpartition(".")
    value = getattr(importlib.import_module(home), name)
    if inspect.isclass(value):
        shared = any(base.__name__ in _SHARED for base in value.__bases__)
        inherited = "   :inherited-members:\n" if shared else ""
        return f".. autoclass:: {path}\n   :members:\n{inherited}"
    if callable(value):
        return f".. autofunction:: {path}\n"
    hidden = "" if len(repr(value)) <= _SHORT else "   :no-value:\n"
    return f".. autodata:: {path}\n{hidden}"


def _top(elsewhere: dict[tuple[str, str], str]) -> str:
    """The names at the top: those that no other page has in full, the others with a link."""
    copeland = importlib.import_module("copeland")
    values = {name: getattr(copeland, name) for name in copeland.__all__ if name != "__version__"}
    rows = [_row(name, value, elsewhere) for name, value in values.items()]
    here = [n for n, v in values.items() if key(v) not in elsewhere and not inspect.ismodule(v)]
    head = ["# copeland", "", "The names that `import copeland` gives you.", ""]
    table = ["| name | what it is |", "|---|---|", *rows, ""]
    entries = ["```{eval-rst}", *(_entry(f"copeland.{name}") for name in here), "```"]
    return "\n".join([*head, *table, *entries]) + "\n"


def _row(name: str, value: object, elsewhere: dict[tuple[str, str], str]) -> str:
    first = (inspect.getdoc(value) or "").partition("\n")[0]
    first = re.sub(r":\w+:`~?([\w.]+)`|``([^`]+)``", r"`\1\2`", first).replace("|", "\\|")
    file = elsewhere.get(key(value))
    if inspect.ismodule(value):
        file = next(f for f, page in PAGES.items() if value.__name__ in page.modules)
    target = f"{file}.md" if file else f"#copeland.{name}"
    return f"| [`{name}`]({target}) | {first} |"


def _index() -> str:
    text = (
        "Every public name, from its docstring. `import copeland` gives you the names of the first page; the "
        "others are in the modules that their pages name."
    )
    named = {"copeland": TOP, **PAGES}
    rows = [
        f"| [{page.title}]({file}.md) | {', '.join(f'`{module}`' for module in page.modules)} |"
        for file, page in named.items()
    ]
    tree = ["```{toctree}", ":hidden:", "", *named, "```"]
    head = ["# Python names", "", text, "", "| page | modules |", "|---|---|"]
    return "\n".join([*head, *rows, "", *tree]) + "\n"
