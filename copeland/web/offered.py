"""Options out of what an admin pastes or uploads: lines, longer texts, CSV files, and images that these name."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from starlette.datastructures import UploadFile

from copeland.errors import CopelandError, InvalidParameter
from copeland.study import Option, read_options
from copeland.study.input_limits import check_text
from copeland.support.row_files import rows_of_file
from copeland.web.media import image_of
from copeland.web.records import Pane, pane_key
from copeland.web.server import Server

SHORT = 80  # letters of a line that is its own name
NAME = 40  # letters of a name that is made of a longer text
DIVIDER = "---"  # a line between pasted texts of several lines


class Shot(NamedTuple):
    """A row that names an image."""

    item: str
    name: str
    image: str
    text: str  # what the image shows


class Offered(NamedTuple):
    """Options, and what is shown for them where that is not their own text."""

    options: list[Option]
    outputs: Sequence[tuple[str, str, str]] = ()  # item, option, text
    shots: Sequence[Shot] = ()


def from_lines(pasted: str) -> list[Option]:
    r"""Return options out of pasted text: one a line, or texts of several lines with ``---`` between them.

    Examples
    --------
    >>> [option.name for option in from_lines("green tea\n\nblack tea\n")]
    ['green tea', 'black tea']
    >>> [option.text for option in from_lines("Dear all,\nhello.\n---\nHi!")]
    ['Dear all,\nhello.', 'Hi!']
    """
    lines = pasted.splitlines()
    if any(line.strip() == DIVIDER for line in lines):
        texts = [text.strip() for text in "\n".join(lines).split(f"\n{DIVIDER}")]
        texts = [text.removeprefix(DIVIDER).strip() for text in texts]
    else:
        texts = [line.strip() for line in lines]
        if all(len(text) <= SHORT for text in texts):
            return [Option(text) for text in texts if text]
    texts = [text for text in texts if text]
    return [Option(f"{n}. {_title(text)}", text) for n, text in enumerate(texts, 1)]


def _title(text: str) -> str:
    first = text.splitlines()[0]
    return first if len(first) <= NAME else f"{first[:NAME].rstrip()}…"


def from_csv(content: bytes) -> Offered:
    """Return the options of a CSV file with the columns ``name`` and ``text``.

    With a column ``item`` each row is what an option makes of that item. With a column ``image`` it names a file
    that is shown, and the text says in words what that shows.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "options.csv")
        path.write_bytes(content)
        try:
            rows = [row for _, row in rows_of_file(path, needed=("name",))]
            if any(row.get("image", "").strip() for row in rows):
                return _of_images(rows)
            if any(row.get("item", "").strip() for row in rows):
                return _of_items(rows)
            options = read_options(path)
        except CopelandError as error:  # its sentence names the file in a folder that nobody knows
            raise InvalidParameter(str(error).replace(str(path), "The CSV file")) from error
    if any(option.path for option in options):
        raise InvalidParameter(
            "The CSV file has a column path, and a server opens no files by their names; upload "
            "the images instead."
        )
    return Offered(options)


def _of_images(rows: list[Mapping[str, str]]) -> Offered:
    """Options that are images: one for each, or one for each item."""
    shots = [Shot(*(row.get(part, "").strip() for part in Shot._fields)) for row in rows]
    with_items = any(shot.item for shot in shots)
    if not all(
        shot.name and shot.image and shot.text and bool(shot.item) == with_items for shot in shots
    ):
        raise InvalidParameter(
            "The CSV file has a row without a name, an image, a text that says what the image shows, or an "
            "item that others have."
        )
    if with_items:
        return _of_items(rows)._replace(shots=shots)
    for shot in shots:
        check_text(name=shot.name, text=shot.text)
    return Offered([Option(shot.name) for shot in shots], shots=shots)


def _of_items(rows: list[Mapping[str, str]]) -> Offered:
    told: dict[tuple[str, str], str] = {}
    for row in rows:
        item, name, text = (row.get(part, "").strip() for part in ("item", "name", "text"))
        check_text(item=item or None, name=name or None, text=text or None)
        if not (item and name and text):
            raise InvalidParameter("The CSV file has a row without an item, a name or a text.")
        if (item, name) in told:
            raise InvalidParameter(f"The CSV file has two texts of '{name}' for one item.")
        told[item, name] = text
    options = [Option(name) for name in dict.fromkeys(name for _, name in told)]
    return Offered(options, [(item, name, text) for (item, name), text in told.items()])


def pictured(
    shots: Sequence[Shot], files: list[UploadFile], server: Server
) -> list[tuple[str, Pane]]:
    """Return the images that rows name, stored, each with what it is kept under."""
    chosen = {Path(file.filename or "").name: file for file in files}
    missing = [shot.image for shot in shots if Path(shot.image).name not in chosen]
    if missing:
        raise InvalidParameter(
            f"The CSV file names the image '{missing[0]}', which was not chosen; choose all images with it."
        )
    unused = set(chosen) - {Path(shot.image).name for shot in shots}
    if unused:
        raise InvalidParameter(f"The CSV file has no row for the image '{min(unused)}'.")
    digests = {name: _stored(file, name, server) for name, file in chosen.items()}
    return [
        (pane_key(shot.name, shot.item or None), Pane(digests[Path(shot.image).name], shot.text))
        for shot in shots
    ]


def _stored(file: UploadFile, name: str, server: Server) -> str:
    image = image_of(file.file.read(), name)
    server.keep.add_image(image)
    return image.digest
