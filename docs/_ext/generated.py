"""Pages that are written before the site is built, into docs/generated: Sphinx reads pages from files alone."""

from pathlib import Path

from algorithm_pages import algorithm_pages
from gallery_pages import gallery_pages
from notebook_pages import notebook_pages
from reference_pages import reference_pages
from sphinx.application import Sphinx

REPOSITORY = {"contributing": "CONTRIBUTING.md", "changes": "CHANGELOG.md"}


def write_pages(app: Sphinx) -> None:
    """Write every page and picture; what is the same already stays, so that Sphinx does not read it again."""
    docs = Path(app.srcdir)
    folder = docs / "generated"
    pages = {
        **algorithm_pages(docs),
        **gallery_pages(docs / "gallery"),
        **reference_pages(),
        **notebook_pages(docs / "notebooks"),
        **_from_repository(docs),
    }
    for name, content in pages.items():
        _write(folder / name, content)
    for old in {path for path in folder.rglob("*") if path.is_file()} - {folder / n for n in pages}:
        old.unlink()


def _from_repository(docs: Path) -> dict[str, str]:
    """Pages of the repository that stand outside of the docs; their links are made to fit."""
    pages = {name: (docs.parent / file).read_text() for name, file in REPOSITORY.items()}
    moved = {"docs/": "../", **{file: f"{name}.md" for name, file in REPOSITORY.items()}}
    for old, new in moved.items():
        pages = {name: text.replace(f"]({old}", f"]({new}") for name, text in pages.items()}
    return {f"{name}.md": text for name, text in pages.items()}


def _write(path: Path, content: str) -> None:
    if path.exists() and path.read_text() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages when Sphinx starts."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
