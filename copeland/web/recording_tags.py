"""Sounds and films without what their files say beside: titles, artists, programs and pictures could name an option.

Nothing is decoded. What is heard and seen stays byte for byte, and where a format points at places in its file, what is
removed is overwritten, so that no place moves. mutagen finds the tags of MP3 and Ogg. It reads no WebM, and of MP4 and WAV
it clears only a part, so for these the boxes are gone through here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import NamedTuple

from mutagen.apev2 import APEv2
from mutagen.id3 import delete as delete_id3
from mutagen.ogg import OggPage

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
