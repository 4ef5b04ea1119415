"""Small recordings, made by hand: each with a tag that names an option."""

import io
import wave
from struct import pack

TAG = b"made by sencha-7"


def wav(seconds=0.2, level=40):
    """A tone that a browser plays, with a list of tags behind it."""
    file = io.BytesIO()
    with wave.open(file, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(1)
        made.setframerate(8000)
        made.writeframes(
            bytes(128 + (level if n // 10 % 2 else -level) for n in range(int(8000 * seconds)))
        )
    tags = b"LIST" + pack("<I", len(TAG)) + TAG
    content = file.getvalue() + tags
    return content[:4] + pack("<I", len(content) - 8) + content[8:]


FRAME = b"\xff\xfb\x90\x00" + bytes(413)  # of 128 kbit/s at 44.1 kHz


def mp3():
    ape = b"APETAGEX" + pack("<IIII", 2000, 32 + len(TAG), 1, 0) + bytes(8)
    id3 = b"ID3\x04\x00\x00" + bytes([0, 0, 1, len(TAG)]) + TAG + bytes(128)
    return id3 + FRAME * 3 + TAG + ape + b"TAG" + TAG.ljust(125, b"\0")


def box(kind, *parts):
    body = b"".join(parts)
    return pack(">I", 8 + len(body)) + kind + body


def mp4(brand=b"isom", handler=b"vide"):
    name = box(b"hdlr", bytes(8), handler, bytes(12), TAG + b"\0")
    track = box(b"trak", box(b"mdia", name), box(b"udta", TAG))
    return (
        box(b"ftyp", brand, bytes(4), brand)
        + box(b"moov", box(b"mvhd", bytes(100)), track, box(b"udta", box(b"meta", TAG)))
        + box(b"mdat", b"what is heard and seen")
        + box(b"uuid", bytes(16), TAG)
    )


def element(id, *parts):
    body = b"".join(parts)
    return id.to_bytes((id.bit_length() + 7) // 8) + (0x4000 | len(body)).to_bytes(2) + body


def webm(codec=b"V_VP8"):
    head = element(0x1A45DFA3, element(0x4282, b"webm"))
    info = element(0x1549A966, element(0x7BA9, TAG), element(0x4D80, TAG), element(0x7BA9, b"s"))
    tracks = element(0x1654AE6B, element(0xAE, element(0x86, codec), element(0x536E, TAG)))
    cluster = element(0x1F43B675, element(0xA3, b"what is heard and seen"))
    tags = element(0x1254C367, TAG * 3)
    return head + element(0x18538067, info, tracks, cluster, tags)


def checksum(page):
    """The checksum of an Ogg page, a bit at a time, as its specification describes it."""
    rest = 0
    for byte in page:
        for bit in range(7, -1, -1):
            carry = (rest >> 31) ^ (byte >> bit & 1)
            rest = (rest << 1 & 0xFFFFFFFF) ^ (0x04C11DB7 if carry else 0)
    return rest


def ogg_page(number, *packets):
    lacing = b"".join(b"\xff" * (len(p) // 255) + bytes([len(p) % 255]) for p in packets)
    body = b"".join(packets)
    head = (
        b"OggS\0"
        + pack("<BqIII", 2 * (number == 0), 0, 7, number, 0)
        + bytes([len(lacing)])
        + lacing
    )
    page = head + body
    return page[:22] + pack("<I", checksum(page)) + page[26:]


def comment(magic, end=b""):
    told = b"TITLE=" + TAG * 30  # longer than one lace
    return magic + pack("<I", 4) + b"Xiph" + pack("<I", 1) + pack("<I", len(told)) + told + end


def ogg(kind="vorbis"):
    first, second = {
        "vorbis": (b"\x01vorbis" + bytes(23), comment(b"\x03vorbis", b"\x01")),
        "opus": (b"OpusHead" + bytes(11), comment(b"OpusTags")),
    }[kind]
    return ogg_page(0, first) + ogg_page(1, second, b"\x05setup") + ogg_page(2, b"what is heard")


ALL = {
    "audio/wav": wav(),
    "audio/mpeg": mp3(),
    "video/mp4": mp4(),
    "audio/mp4": mp4(b"M4A ", b"soun"),
    "video/webm": webm(),
    "audio/webm": webm(b"A_OPUS"),
    "audio/ogg": ogg(),
}
