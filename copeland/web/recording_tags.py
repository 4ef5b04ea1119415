"""Sounds and films without what their files say beside: titles, artists, programs and pictures could name an option.

Nothing is decoded. What is heard and seen stays byte for byte, and where a format points at places in its file, what is
removed is overwritten, so that no place moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

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


def remove_mpeg_tags(content: bytes) -> bytes:
    """Return an MP3 without ID3 and APE tags."""
    place = 0
    while content[place : place + 3] == b"ID3":
        a, b, c, d = content[place + 6 : place + 10]
        footer = 10 if content[place + 5] & 0x10 else 0
        place += 10 + (a << 21 | b << 14 | c << 7 | d) + footer
    content = content[place:]
    if content[-128:-125] == b"TAG":
        content = content[:-128]
    if content[-32:-24] == b"APETAGEX":
        size = int.from_bytes(content[-20:-16], "little")
        head = 32 if content[-32 - size : -24 - size] == b"APETAGEX" else 0
        content = content[: -size - head] if 32 <= size + head <= len(content) else content[:-32]
    return content


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
    made, pages = bytearray(content), list(_read_pages(content))
    places = _find_second_packet(pages)
    packet = bytes(content[place] for place in places)
    for place, byte in zip(places, _empty_comment(packet), strict=True):
        made[place] = byte
    touched = {page.place: page for page in pages if places and page.body <= places[-1]}
    for page in touched.values():
        made[page.place + 22 : page.place + 26] = bytes(4)
        checksum = _ogg_checksum(made[page.place : page.end])
        made[page.place + 22 : page.place + 26] = checksum.to_bytes(4, "little")
    return bytes(made)


class _Page(NamedTuple):
    """A page of an Ogg file."""

    place: int
    lacing: bytes
    body: int
    end: int


def _read_pages(content: bytes) -> Iterator[_Page]:
    place = 0
    while content[place : place + 4] == b"OggS":
        body = place + 27 + content[place + 26]
        lacing = content[place + 27 : body]
        end = body + sum(lacing)
        if end > len(content):
            return
        yield _Page(place, lacing, body, end)
        place = end


def _find_second_packet(pages: list[_Page]) -> list[int]:
    """The places of its bytes."""
    number, places = 0, []
    for page in pages:
        place = page.body
        for length in page.lacing:
            if number == 1:
                places += range(place, place + length)
            place += length
            number += length < 255
            if number > 1:
                return places
    raise ValueError("the comments have no end")


def _empty_comment(packet: bytes) -> bytes:
    magic = next(m for m in (b"\x03vorbis", b"OpusTags") if packet.startswith(m))
    vendor = int.from_bytes(packet[len(magic) : len(magic) + 4], "little")
    head = magic + packet[len(magic) : len(magic) + 4] + b" " * vendor + bytes(4)
    rest = len(packet) - len(head)
    if rest < 0:
        raise ValueError("the comments are cut")
    framing = b"\x01" if magic == b"\x03vorbis" and rest else b""
    return head + framing + bytes(rest - len(framing))


def _ogg_checksum(page: bytes | bytearray) -> int:
    checksum = 0
    for byte in page:
        checksum = ((checksum << 8) & 0xFFFFFFFF) ^ _TABLE[(checksum >> 24) ^ byte]
    return checksum


def _divide(byte: int) -> int:
    checksum = byte << 24
    for _ in range(8):
        checksum = ((checksum << 1) ^ (0x104C11DB7 if checksum >> 31 else 0)) & 0xFFFFFFFF
    return checksum


_TABLE = tuple(_divide(byte) for byte in range(256))
REMOVERS: dict[str, Callable[[bytes], bytes]] = {
    "audio/mpeg": remove_mpeg_tags,
    "audio/wav": remove_wave_tags,
    "audio/ogg": remove_ogg_tags,
    "audio/mp4": remove_mp4_tags,
    "video/mp4": remove_mp4_tags,
    "audio/webm": remove_webm_tags,
    "video/webm": remove_webm_tags,
}
