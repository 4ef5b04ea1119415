"""Sounds and films as options: told by their content, kept without tags, and sent in the pieces that players ask for."""

from __future__ import annotations

import re
from hashlib import sha256

from fastapi import Request
from mutagen import MutagenError
from starlette.responses import Response

from copeland.errors import InvalidParameter
from copeland.web.images import KEPT, LARGEST, TYPES, image_of
from copeland.web.recording_tags import REMOVERS
from copeland.web.security import require
from copeland.web.store import Image

FILMS = {b"avc1", b"dash", b"iso2", b"iso4", b"iso5", b"iso6", b"isom", b"mp41", b"mp42", b"M4V "}
SOUNDS = {b"M4A ", b"M4B "}
OGG_SOUNDS = (b"\x01vorbis", b"OpusHead")
DAMAGED = (MutagenError, EOFError, ValueError, IndexError, StopIteration, RecursionError)
HEAD = 4_096  # bytes in which a WebM says what it is
_RANGE = re.compile(r"bytes=(\d{0,12})-(\d{0,12})")


def medium_of(content: bytes, name: str) -> Image:
    """Return what a file shows: a sound or a film without tags, or an image made anew."""
    kind = find_kind(content)
    return image_of(content, name) if kind is None else _record(content, name, kind)


def find_kind(content: bytes) -> str | None:
    """Return the type of a sound or a film, by its content; None if it is neither.

    Examples
    --------
    >>> find_kind(b"RIFF....WAVEfmt "), find_kind(b"<html>"), find_kind(b"RIFF....WEBPVP8 ")
    ('audio/wav', None, None)
    """
    if content[:4] == b"RIFF" and content[8:12] == b"WAVE":
        return "audio/wav"
    if content[:4] == b"OggS":
        is_sound = any(magic in content[:HEAD] for magic in OGG_SOUNDS)
        return "audio/ogg" if is_sound else None
    if content[4:8] == b"ftyp":
        return _find_mp4_kind(content)
    if content[:4] == b"\x1aE\xdf\xa3" and b"webm" in content[:64]:
        return "video/webm" if b"V_" in content[:HEAD] else "audio/webm"
    return "audio/mpeg" if content[:3] == b"ID3" or _is_mpeg_frame(content) else None


def _find_mp4_kind(content: bytes) -> str | None:
    brand = content[8:12]
    if brand not in FILMS | SOUNDS:
        return None
    return "video/mp4" if b"vide" in content and brand not in SOUNDS else "audio/mp4"


def _is_mpeg_frame(content: bytes) -> bool:
    """Tell whether a frame of layer III begins here, at a rate that there is."""
    if len(content) < 4 or content[0] != 0xFF or content[1] & 0xE6 != 0xE2:
        return False
    return content[2] >> 4 not in (0, 15) and content[2] >> 2 & 3 != 3 and content[1] >> 3 & 3 != 1


def _record(content: bytes, name: str, kind: str) -> Image:
    if len(content) > LARGEST:
        raise InvalidParameter(
            f"{name} has {len(content):,} bytes; a sound or a film may have {LARGEST:,}. Shorten it, or save it smaller."
        )
    try:
        made = REMOVERS[kind](content)
    except DAMAGED as error:
        raise InvalidParameter(f"{name} is damaged; save it again as {TYPES}.") from error
    if kind == "audio/mpeg" and not _is_mpeg_frame(made):
        raise InvalidParameter(f"{name} is no MP3, though it begins as one; give {TYPES}.")
    return Image(sha256(made).hexdigest(), kind, made, 0, 0)


def is_recording(kind: str) -> bool:
    """Tell whether something is played, and not only looked at."""
    return kind.startswith(("audio/", "video/"))


def send_medium(request: Request, medium: Image | None) -> Response:
    """Return an image, or the piece of a recording that a player asks for."""
    found = require(medium)
    if not is_recording(found.kind):
        return Response(found.content, media_type=found.kind, headers=KEPT)
    headers, size = {**KEPT, "Accept-Ranges": "bytes"}, len(found.content)
    wanted = _RANGE.fullmatch(request.headers.get("range", ""))
    if wanted is None or not any(wanted.groups()):
        return Response(found.content, media_type=found.kind, headers=headers)
    first, last = _read_range(*wanted.groups(), size=size)
    if first > last:
        return Response(status_code=416, headers={"Content-Range": f"bytes */{size}"})
    headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    piece = found.content[first : last + 1]
    return Response(piece, 206, headers=headers, media_type=found.kind)


def _read_range(first: str, last: str, size: int) -> tuple[int, int]:
    """The first and the last byte of a piece, of which there is nothing if they are the other way round."""
    if not first:  # the last so many
        return max(0, size - int(last)), size - 1
    return int(first), min(int(last) if last else size - 1, size - 1)
