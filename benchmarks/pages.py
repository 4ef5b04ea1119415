"""`python -m benchmarks.pages`: write what the long pages of the docs show of their own numbers anew.

Long tables are folded; summaries, pages and heat maps are made from the numbers that are kept. Nothing is measured, and
a page that is as it should be stays as it is.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.folds import folded
from benchmarks.leaderboard.files import write
from benchmarks.summaries import overview, with_tuning_map, write_tuning_map

DOCS = Path(__file__).parent.parent / "docs"
NOTES = DOCS / "notes"

SUBJECTS = {
    "measured-certificates": "Certificates",
    "measured-studies": "Gates, studies and the server",
    "measured-regret": "Regret, and CPC",
    "measured-rankings": "Orders and rankers",
    "measured-tuning": "Tuning",
}


def sections(page: str) -> dict[str, str]:
    """Return the parts of a page, by heading."""
    parts = ["## " + part.strip() for part in page.split("\n## ")[1:]]
    return {part.partition("\n")[0]: part for part in parts}


def subject_page(name: str, kept: dict[str, str]) -> str:
    """Return the page of a subject: what it is, and the tables of its measurements, the long ones folded."""
    head = (
        f"# Measured: {SUBJECTS[name][0].lower()}{SUBJECTS[name][1:]}\n\n"
        "Every table, with the day and the versions it was measured with. [Measurements](../measurements.md) says in a sentence "
        "each what they come to. `make measure` writes this page."
    )
    return folded(with_tuning_map("\n\n".join([head, *kept.values()]) + "\n"))


def keep_section(name: str, section: str) -> None:
    """Put a section on the page of its subject, in the place of an older one."""
    path = NOTES / f"{name}.md"
    kept = sections(path.read_text()) if path.exists() else {}
    kept[section.partition("\n")[0]] = section
    path.write_text(subject_page(name, kept))


def measurements() -> dict[Path, str]:
    """Return the pages of measurements as the tables that they hold make them."""
    notes = {NOTES / f"{name}.md": name for name in SUBJECTS}
    pages = {path: subject_page(name, sections(path.read_text())) for path, name in notes.items()}
    subjects = {
        SUBJECTS[name]: (f"notes/{name}.md", sections(pages[path])) for path, name in notes.items()
    }
    return {**pages, DOCS / "measurements.md": overview(subjects)}


def write_measurements() -> None:
    """Write the pages of measurements anew, and the picture of the tuning."""
    for path, text in measurements().items():
        path.write_text(text)
    write_tuning_map((NOTES / "measured-tuning.md").read_text(), DOCS / "images")


def main() -> None:
    """Write the leaderboard and the measurements, and their pictures."""
    write(DOCS / "leaderboard.md")
    write_measurements()


if __name__ == "__main__":
    main()
