"""Images: uploads made anew, and figures as a strict page takes them."""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

from copeland.errors import InvalidParameter
from copeland.study.report.study_page import StudyParts
from copeland.web.store import Image

KEPT = {"Cache-Control": "private, max-age=86400, immutable"}
LARGEST = 10_000_000  # bytes of a file
PIXELS = {"WEBP": 20_000_000}  # which takes twice as much memory as others
MOST_PIXELS = 40_000_000
SIDE = 4_096  # pixels of the longer side, as it is kept
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
TYPES = "PNG, JPEG, WebP or GIF, or MP3, Ogg, WAV, M4A, MP4 or WebM"
KIND = "image/webp"
_FONT = re.compile(r"^(?:(?P<weight>\d{3}|bold|normal)\s+)?(?P<size>[\d.]+)px\s+(?P<family>.+)$")
CONVERTING = threading.Lock()  # under which images are made anew: a large one takes much memory
DRAWING = threading.Lock()  # under which figures are drawn: matplotlib draws one at a time


def image_of(content: bytes, name: str) -> Image:
    """Return an image made anew, without names, places, thumbnails and whatever else a file carries.

    All are kept in one format, so that nothing but the image tells one option from another.
    """
    if len(content) > LARGEST:
        raise InvalidParameter(f"{name} has {len(content):,} bytes; an image may have {LARGEST:,}.")
    picture = _open_image(content, name)
    lossless = picture.format in ("PNG", "GIF")
    try:
        with CONVERTING:
            picture = _plain(picture)
            file = io.BytesIO()
            picture.save(file, "WEBP", lossless=lossless, quality=60 if lossless else 88, method=3)
    except (OSError, ValueError, SyntaxError, MemoryError, EOFError) as error:
        raise InvalidParameter(
            f"{name} is a damaged image; save it again as PNG or JPEG."
        ) from error
    made = file.getvalue()
    return Image(sha256(made).hexdigest(), KIND, made, *picture.size)


def _open_image(content: bytes, name: str) -> Any:
    """An image whose head alone has been read."""
    from PIL import Image as Pictures

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # how large it may be is said below
            picture = Pictures.open(io.BytesIO(content), formats=FORMATS)
    except Pictures.DecompressionBombError as error:
        raise _too_many(name, "far more") from error
    except Exception as error:  # damaged bytes raise almost anything
        raise InvalidParameter(f"{name} is no image, sound or film; give {TYPES}.") from error
    width, height = picture.size
    most = PIXELS.get(picture.format or "", MOST_PIXELS)
    if width * height > most:
        raise _too_many(name, f"{width * height:,}", most)
    return picture


def _too_many(name: str, pixels: str, most: int = MOST_PIXELS) -> InvalidParameter:
    return InvalidParameter(f"{name} has {pixels} pixels; such an image may have {most:,}.")


def _plain(picture: Any) -> Any:
    """The image as it is to be seen: upright, in red, green, blue and alpha, not too large, and no more."""
    from PIL import ImageOps

    picture.draft(None, (SIDE, SIDE))  # of a JPEG, no more is read than is needed
    has_alpha = "A" in picture.getbands() or "transparency" in picture.info
    mode = "RGBA" if has_alpha else "RGB"
    if picture.mode not in ("L", "RGB", "RGBA"):  # whose pixels cannot be averaged
        picture = _convert(picture, mode)
    picture.thumbnail((SIDE, SIDE))  # before anything is copied
    picture = _convert(ImageOps.exif_transpose(picture), mode)
    picture.info.clear()
    return picture


def _convert(picture: Any, mode: str) -> Any:
    return picture if picture.mode == mode else picture.convert(mode)


def remove_styles(svg: str) -> str:
    """Return a figure without style sheets and style attributes.

    Examples
    --------
    >>> remove_styles('<text style="font: 700 10px Arial; fill: red">x</text>')
    '<text font-weight="700" font-size="10px" font-family="Arial" fill="red">x</text>'
    """
    svg = re.sub(r"<style[^>]*>.*?</style>", "", svg, flags=re.DOTALL)
    return re.sub(r'style="([^"]*)"', lambda found: _attributes(found[1]), svg)


def _attributes(style: str) -> str:
    said = [part.partition(":") for part in style.split(";") if part.strip()]
    looks = {name.strip(): value.strip() for name, _, value in said}
    font = _FONT.match(looks.pop("font", ""))
    if font:
        named = {f"font-{part}": value for part, value in font.groupdict().items() if value}
        if "font-size" in named:
            named["font-size"] += "px"
        looks = {**named, **looks}
    return " ".join(f'{name}="{value}"' for name, value in looks.items())


def fit_strict_page(parts: StudyParts) -> StudyParts:
    """Return the parts of a study's page with every picture fit for a page that forbids style attributes."""
    return replace(parts, **{name: fit_strict_part(part) for name, part in vars(parts).items()})


def fit_strict_part(part: Any) -> Any:
    """Return one part of it, likewise."""
    if isinstance(part, Iterator):  # sentences that are to be read more than once
        return tuple(part)
    if hasattr(part, "said"):
        part = part._replace(said=tuple(part.said))
    picture = getattr(part, "picture", None)
    if picture is None:
        return part
    return part._replace(picture=picture._replace(svg=remove_styles(picture.svg)))
