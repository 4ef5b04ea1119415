"""Images: opened with care, made anew without anything that is not to be seen, kept by their digest."""

from __future__ import annotations

import io
import warnings
from hashlib import sha256
from typing import Any

from copeland.errors import InvalidParameter
from copeland.web.records import Image

LARGEST = 10_000_000  # bytes of a file
PIXELS = 40_000_000
SIDE = 4_096  # pixels of the longer side, as it is kept
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
KIND = "image/webp"


def image_of(content: bytes, name: str) -> Image:
    """Return an image made anew, without names, places, thumbnails and whatever else a file carries.

    All are kept in one format, so that nothing but the image tells one option from another.
    """
    if len(content) > LARGEST:
        raise InvalidParameter(f"{name} has {len(content):,} bytes; an image may have {LARGEST:,}.")
    picture = _opened(content, name)
    lossless = picture.format in ("PNG", "GIF")
    try:
        picture = _plain(picture)
        file = io.BytesIO()
        picture.save(file, "WEBP", lossless=lossless, quality=60 if lossless else 88, method=3)
    except (OSError, ValueError, SyntaxError, MemoryError, EOFError) as error:
        raise InvalidParameter(
            f"{name} is a damaged image; save it again as PNG or JPEG."
        ) from error
    made = file.getvalue()
    return Image(sha256(made).hexdigest(), KIND, made, *picture.size)


def _opened(content: bytes, name: str) -> Any:
    """An image whose head alone has been read."""
    from PIL import Image as Pictures

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # how large it may be is said below
            picture = Pictures.open(io.BytesIO(content), formats=FORMATS)
    except Pictures.DecompressionBombError as error:
        raise _too_many(name, "far more") from error
    except Exception as error:  # damaged bytes raise almost anything
        raise InvalidParameter(f"{name} is no image; give PNG, JPEG, WebP or GIF.") from error
    width, height = picture.size
    if width * height > PIXELS:
        raise _too_many(name, f"{width * height:,}")
    return picture


def _too_many(name: str, pixels: str) -> InvalidParameter:
    return InvalidParameter(f"{name} has {pixels} pixels; an image may have {PIXELS:,}.")


def _plain(picture: Any) -> Any:
    """The image as it is to be seen: upright, in red, green, blue and alpha, not too large, and no more."""
    from PIL import ImageOps

    picture = ImageOps.exif_transpose(picture)
    has_alpha = "A" in picture.getbands() or "transparency" in picture.info
    picture = picture.convert("RGBA" if has_alpha else "RGB")
    picture.thumbnail((SIDE, SIDE))
    picture.info.clear()
    return picture
