"""The page that lists the notebooks of docs/notebooks."""

import json
import re
from pathlib import Path

TEXT = (
    "Each of these pages is a notebook: download it, run it, change it. The code needs no network."
)


def notebook_pages(folder: Path) -> dict[str, str]:
    """The page, by the name of its file."""
    found = sorted([*folder.glob("*.ipynb"), *folder.glob("*.md")])
    lines = [f"- [{title_of(path)}](../notebooks/{path.name})" for path in found]
    tree = ["```{toctree}", ":hidden:", "", *(f"../notebooks/{path.stem}" for path in found), "```"]
    return {"notebooks.md": "\n".join(["# Notebooks", "", TEXT, "", *lines, "", *tree]) + "\n"}


def title_of(path: Path) -> str:
    """The first heading of a notebook."""
    text = path.read_text()
    if path.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    found = re.search(r"^# (.+)$", text, flags=re.MULTILINE)
    return found[1] if found else path.stem
