"""The gallery: every script of docs/gallery is run, and its figures stand above its code."""

import runpy
import tempfile
import warnings
from contextlib import chdir
from pathlib import Path

from matplotlib.figure import Figure
from pictures import picture

OPENING = """# Gallery

Every figure that the package draws, with the code that makes it. The data are tiny, so that the site builds quickly: look at the
pictures, not at the numbers. Colours can be told apart by the colour-blind, and figures take the colours of the page, light or dark.
To keep a figure, call `savefig("name.pdf")`, with `.svg` or `.png` as you like.
"""


def gallery_pages(folder: Path) -> dict[str, str]:
    """The page of all scripts, by the name of its file."""
    parts = [OPENING, *(_part(script) for script in sorted(folder.glob("*.py")))]
    return {"gallery.md": "\n".join(parts)}


def _part(script: Path) -> str:
    source = script.read_text()
    _, docstring, code = source.split('"""', 2)
    title, _, text = docstring.strip().partition("\n")
    drawn = [f"{picture(figure, alt)}\n\n*{alt}.*" for alt, figure in figures_of(script).items()]
    block = f"```python\n{code.strip()}\n```"
    return "\n\n".join([f"## {title}", text.strip(), *drawn, block]) + "\n"


def figures_of(script: Path) -> dict[str, Figure]:
    """Run a script in a folder of its own, and return what it drew, by what it shows."""
    script = script.resolve()
    with tempfile.TemporaryDirectory() as place, chdir(place), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* assumes a Condorcet winner")
        return runpy.run_path(str(script))["figures"]
