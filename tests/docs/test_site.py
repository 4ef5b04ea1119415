"""The docs as a site: it builds without a warning, every page is reached, every algorithm and name has its place."""

import importlib
import inspect
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from algorithm_tables import TABLE
from browsers import AXE, found, wider
from helpers import needs_example

import copeland
from copeland.registry import algorithms

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
sys.path.append(str(DOCS / "_ext"))

from reference_pages import PAGES, names_of, reference_pages  # noqa: E402

pytestmark = pytest.mark.slow  # left out of `make fast`
PHONE = {"width": 390, "height": 844}
KINDS = (  # one page of each: tables, code, pictures, folded rows, figures, signatures, cells of a notebook
    "index",
    "gate",
    "voting-pages",
    "leaderboard",
    "generated/algorithms/random",
    "generated/reference/gates",
    "notebooks/compare-algorithms",
    "search",
)
UNFOLD = """new Promise((drawn) => {
  document.querySelectorAll("details").forEach((one) => { one.open = true; });
  requestAnimationFrame(() => setTimeout(drawn));
})"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The site, built as `make docs` does, and what was said meanwhile.

    But for two things: the notebooks, which other tests run, and the functions in lists of contents, which are copied to
    every page.
    """
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-D",
        "toc_object_entries=0",
        "-d",
        str(folder / "kept"),
    ]
    environment = {**os.environ, "COPELAND_DOCS_NOTEBOOKS": "off"}
    done = subprocess.run(
        [*command, str(DOCS), str(folder / "html")],
        env=environment,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    return folder / "html", done


@pytest.mark.nightly
@pytest.mark.long
def test_the_site_builds_without_a_warning_with_a_page_for_each_algorithm(built):
    """A page that nothing leads to is a warning."""
    site, done = built
    assert done.returncode == 0, done.stderr
    for name, one in algorithms().items():
        page = (site / "generated" / "algorithms" / f"{name}.html").read_text()
        assert ('role="img"' in page) == (one.target != "several")
    drawn = (site / "generated" / "gallery.html").read_text()
    assert drawn.count('role="img"') >= len(list((DOCS / "gallery").glob("*.py")))


@pytest.mark.nightly
@pytest.mark.long
def test_no_page_is_wider_than_a_phone_or_shuts_anybody_out(browser, built):
    site, _ = built
    page = browser.new_page(viewport=PHONE)
    wrong = []
    for file in site.rglob("*.html"):
        if file.parent.name == "algorithms" and file.stem not in ("index", "cpc"):
            continue  # they are alike
        page.goto(file.as_uri())
        page.evaluate(UNFOLD)
        wrong += wider(page)
    page.close()
    assert wrong == []
    page = browser.new_page(viewport=PHONE, reduced_motion="reduce")
    page.add_init_script(path=AXE)
    wrong = []
    for name in KINDS:
        page.goto((site / f"{name}.html").as_uri())
        page.evaluate(UNFOLD)
        wrong += found(page)
    page.close()
    assert wrong == []


def test_every_public_name_is_in_the_reference_once():
    pages = "\n".join(reference_pages().values())
    for name in copeland.study.__all__:
        assert len(re.findall(rf":: copeland\.study\.{name}$", pages, flags=re.MULTILINE)) == 1, (
            name
        )
    for name in set(copeland.__all__) - {"__version__"}:
        assert f"| [`{name}`](" in pages, name
    assert ":: copeland.winners.P\n" not in pages  # variables of types are no names to use


@pytest.mark.quick
def test_every_algorithm_says_what_it_guarantees_and_when_to_use_it():
    promises = tomllib.loads((DOCS / "promises.toml").read_text())
    assert set(promises) == set(algorithms())
    for name, promise in promises.items():
        assert set(promise) == {"guarantee", "use"}, name


@pytest.mark.quick
def test_the_glossary_defines_each_word_once_in_the_order_of_the_alphabet():
    text = (DOCS / "glossary.md").read_text()
    words = re.findall(r"^### (.+)$", text, flags=re.MULTILINE)
    assert len(words) == len(set(words))
    for part in text.split("\n## ")[1:]:
        here = re.findall(r"^### (.+)$", part, flags=re.MULTILINE)
        assert here == sorted(here, key=str.lower)
    for word in ("Plausible", "Proved", "Likely", "Margin", "Panel", "Epoch", "Regret"):
        assert word in words


WORDS_OF_SITE, WORDS_OF_PAGE = 45_000, 2_500


@pytest.mark.quick
def test_the_pages_of_the_site_have_no_more_words_than_a_reader_has_time_for():
    """As `wc -w` counts them; of a page, without the table of algorithms, which their records fill."""
    pages = {page.name: page.read_text(encoding="utf-8") for page in DOCS.glob("*.md")}
    assert sum(len(text.split()) for text in pages.values()) <= WORDS_OF_SITE
    by_hand = {name: len(TABLE.sub("", text).split()) for name, text in pages.items()}
    assert {name: words for name, words in by_hand.items() if words > WORDS_OF_PAGE} == {}


SHOWN = [module for page in PAGES.values() for module in page.modules]


@pytest.mark.quick
@pytest.mark.parametrize("module", SHOWN)
def test_every_public_name_says_what_it_is_and_shows_an_example(module):
    home = importlib.import_module(module)
    values = {name: getattr(home, name) for name in names_of(home)}
    for name, value in values.items():
        text = inspect.getdoc(value) or ""
        assert text, name
        if callable(value) and needs_example(value):
            assert ">>>" in text, f"{module}.{name} has no example"
