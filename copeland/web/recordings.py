"""Sounds and films as options: told by their content, kept without tags, and sent in the pieces that players ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from io import BytesIO
from typing import NamedTuple

from fastapi import Request
from mutagen import MutagenError
from mutagen.apev2 import APEv2
from mutagen.id3 import delete as delete_id3
from mutagen.ogg import OggPage
from starlette.responses import Response

from copeland.errors import InvalidParameter
from copeland.web.images import KEPT, LARGEST, TYPES, image_of
from copeland.web.security import require
from copeland.web.store import Image

FILMS = {b"avc1", b"dash", b"iso2", b"iso4", b"iso5", b"iso6", b"isom", b"mp41", b"mp42", b"M4V "}
SOUNDS = {b"M4A ", b"M4B "}
OGG_SOUNDS = (b"\x01vorbis", b"OpusHead")
DAMAGED = (MutagenError, EOFError, ValueError, IndexError, StopIteration, RecursionError)
HEAD = 4_096  # bytes in which a WebM says what it is
_RANGE = re.compile(r"bytes=(\d{0,12})-(\d{0,12})")
TAGGED_BOXES = {b"udta", b"meta", b"uuid"}  # of MP4
INNER_BOXES = {b"moov", b"trak", b"mdia", b"minf", b"moof", b"traf"}
WAVE = {b"fmt ", b"fact", b"data"}  # what a WAV needs
SEGMENT, INFO, TRACKS, TRACK = 0x18538067, 0x1549A966, 0x1654AE6B, 0xAE
INNER_ELEMENTS = {SEGMENT, INFO, TRACKS, TRACK}
# Tags, attachments, the title, the file names and the date, and of a track its name; two texts must be there.
TAGGED_ELEMENTS = {
    *(0x1254C367, 0x1941A469, 0x7BA9, 0x7384, 0x3C83AB, 0x3E83BB, 0x4461, 0x73A4, 0x536E),
}
TEXTS = {0x4D80, 0x5741}  # by which programs it was made
VOID = 0xEC
SEVERAL = 3  # tags before one another, as some programs write them


def medium_of(content: bytes, name: str) -> Image:
    """Return what a file shows: a sound or a film without tags, or an image made anew."""
    kind = find_kind(content)
    return image_of(content, name) if kind is None else _record(content, name, kind)


def find_kind(content: bytes) -> str | None:
    """Return the type of a sound or a film, by its content; None if it is neither."""
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


def remove_mpeg_tags(content: bytes) -> bytes:
    """Return an MP3 without ID3 and APE tags."""
    file = BytesIO(content)
    for _ in range(SEVERAL):
        delete_id3(file)
    APEv2().delete(file)
    return file.getvalue()


def remove_wave_tags(content: bytes) -> bytes:
    """Return a WAV that has its format and its samples, and nothing else."""
    kept, place = [], 12
    while place + 8 <= len(content):
        size = int.from_bytes(content[place + 4 : place + 8], "little")
        part = content[place : place + 8 + size]
        if part[:4] in WAVE:
            kept.append(part + b"\0" * (len(part) % 2))
        place += 8 + size + size % 2
    if {b"fmt ", b"data"} - {part[:4] for part in kept}:
        raise ValueError("it has no format or no samples")
    body = b"WAVE" + b"".join(kept)
    return b"RIFF" + len(body).to_bytes(4, "little") + body


def remove_mp4_tags(content: bytes) -> bytes:
    """Return an MP4 whose tags are empty boxes of the same size."""
    if b"moov" not in content:
        raise ValueError("it has no description of its tracks")
    made = bytearray(content)
    _clear_boxes(made, 0, len(made))
    return bytes(made)


def _clear_boxes(made: bytearray, place: int, end: int) -> None:
    while place + 8 <= end:
        size, head, kind = (
            int.from_bytes(made[place : place + 4]),
            8,
            bytes(made[place + 4 : place + 8]),
        )
        if size == 1:
            size, head = int.from_bytes(made[place + 8 : place + 16]), 16
        last = end if size == 0 else place + size
        if (size and size < head) or last > end:
            raise ValueError("a box ends outside of the one around it")
        if kind in TAGGED_BOXES:
            made[place + 4 : place + 8] = b"free"
            made[place + head : last] = bytes(last - place - head)
        elif kind in INNER_BOXES:
            _clear_boxes(made, place + head, last)
        elif kind == b"hdlr":  # after its type and three empty fields, a name
            name = min(place + head + 24, last)
            made[name:last] = bytes(last - name)
        place = last


class _Element(NamedTuple):
    """An element of a WebM file."""

    id: int
    place: int
    body: int  # where its content begins
    end: int


def remove_webm_tags(content: bytes) -> bytes:
    """Return a WebM whose tags are empty elements of the same size."""
    made = bytearray(content)
    _clear_elements(made, 0, len(made))
    return bytes(made)


def _clear_elements(made: bytearray, place: int, end: int) -> None:
    for one in _read_elements(made, place, end):
        if one.id in TAGGED_ELEMENTS:
            total = one.end - one.place
            width = 8 if total >= 9 else 1
            size = (1 << (7 * width)) | (total - 1 - width)
            made[one.place : one.end] = (
                bytes([VOID]) + size.to_bytes(width) + bytes(total - 1 - width)
            )
        elif one.id in TEXTS:
            made[one.body : one.end] = b" " * (one.end - one.body)
        elif one.id in INNER_ELEMENTS:
            _clear_elements(made, one.body, one.end)


def _read_elements(made: bytearray, place: int, end: int) -> Iterator[_Element]:
    while place < end:
        id, after = _read_number(made, place, keeps_mark=True)
        size, body = _read_number(made, after, keeps_mark=False)
        is_endless = size == (1 << (7 * (body - after))) - 1
        last = end if is_endless else body + size
        if last > end:
            raise ValueError("an element ends outside of the one around it")
        yield _Element(id, place, body, last)
        # What has no end of its own, and is not looked into, holds the rest.
        place = last


def _read_number(made: bytearray, place: int, keeps_mark: bool) -> tuple[int, int]:
    """A number of EBML, and where it ends."""
    width = 9 - made[place].bit_length()
    if width > 8 or place + width > len(made):
        raise ValueError("a number has no end")
    number = int.from_bytes(made[place : place + width])
    return number if keeps_mark else number & ((1 << (7 * width)) - 1), place + width


def remove_ogg_tags(content: bytes) -> bytes:
    """Return an Ogg file whose comment packet says nothing, in the same number of bytes."""
    file = BytesIO(content)
    OggPage(file)  # what the stream is
    pages = [OggPage(file)]
    while not pages[-1].complete and len(pages[-1].packets) == 1:
        pages.append(OggPage(file))
    comment, place = _empty_comment(b"".join(page.packets[0] for page in pages)), 0
    for page in pages:
        size = len(page.packets[0])
        page.packets[0] = comment[place : place + size]
        place += size
        file.seek(page.offset or 0)
        file.write(page.write())
    return file.getvalue()


def _empty_comment(packet: bytes) -> bytes:
    """A comment packet of the same length, by no program and with no comments."""
    magic = next(one for one in (b"\x03vorbis", b"OpusTags") if packet.startswith(one))
    made = magic + bytes(8) + (b"\x01" if magic == b"\x03vorbis" else b"")
    if len(made) > len(packet):
        raise ValueError("the comments are cut")
    return made.ljust(len(packet), b"\0")


REMOVERS: dict[str, Callable[[bytes], bytes]] = {
    "audio/mpeg": remove_mpeg_tags,
    "audio/wav": remove_wave_tags,
    "audio/ogg": remove_ogg_tags,
    "audio/mp4": remove_mp4_tags,
    "video/mp4": remove_mp4_tags,
    "audio/webm": remove_webm_tags,
    "video/webm": remove_webm_tags,
}
