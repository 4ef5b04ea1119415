"""Images: uploads, made anew."""

from __future__ import annotations

import io
import threading
import warnings
from hashlib import sha256
from typing import Any

from copeland.errors import InvalidParameter
from copeland.web.store import Image

KEPT = {"Cache-Control": "private, max-age=86400, immutable"}
LARGEST = 10_000_000  # bytes of a file
PIXELS = {"WEBP": 20_000_000}  # which takes twice as much memory as others
MOST_PIXELS = 40_000_000
SIDE = 4_096  # pixels of the longer side, as it is kept
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
TYPES = "PNG, JPEG, WebP or GIF, or MP3, Ogg, WAV, M4A, MP4 or WebM"
KIND = "image/webp"
CONVERTING = threading.Lock()  # under which images are made anew: a large one takes much memory


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
