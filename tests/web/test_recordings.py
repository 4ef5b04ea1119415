"""Options that are heard or seen to move: told by their content, without tags, and voted on once both were played."""

import io
import random
import re
import wave
from contextlib import suppress

import pytest
from browsing import PHONE, answer, ballot, shows
from recorded import ALL, FRAME, TAG, checksum, mp3, mp4, ogg, wav, webm
from test_admin import create, links, png
from web_client import asks, fields, send, vote

from copeland.errors import InvalidParameter
from copeland.web.images import LARGEST
from copeland.web.recordings import find_kind, medium_of

pytestmark = pytest.mark.slow  # left out of `make fast`


@pytest.mark.quick
@pytest.mark.parametrize("kind", ALL)
def test_a_recording_is_told_by_its_content_and_loses_its_tags(kind):
    content = ALL[kind]
    made = medium_of(content, "x.png")  # whatever its name says
    assert find_kind(content) == made.kind == find_kind(made.content) == kind
    assert TAG in content and TAG not in made.content and b"sencha" not in made.content
    assert medium_of(made.content, "x").content == made.content  # nothing is left to remove


def read_samples(content):
    with wave.open(io.BytesIO(content)) as opened:
        return opened.readframes(9999)


@pytest.mark.quick
def test_what_is_heard_stays():
    samples = [read_samples(one) for one in (wav(), medium_of(wav(), "x").content)]
    assert samples[0] == samples[1] and len(samples[0]) == 1600
    assert medium_of(mp3(), "x").content == FRAME * 3


@pytest.mark.parametrize("content", [mp4(), webm(), ogg(), ogg("opus")])
def test_no_place_in_a_file_moves(content):
    made = medium_of(content, "x").content
    assert len(made) == len(content)
    assert made.find(b"what is heard") == content.find(b"what is heard") > 0


@pytest.mark.parametrize("kind", ["vorbis", "opus"])
def test_pages_of_an_ogg_file_have_the_checksums_of_an_independent_computation(kind):
    for content in (ogg(kind), medium_of(ogg(kind), "x").content):
        places = [found.start() for found in re.finditer(b"OggS", content)]
        assert len(places) == 3
        for first, last in zip(places, [*places[1:], len(content)], strict=True):
            page = content[first:last]
            assert int.from_bytes(page[22:26], "little") == checksum(
                page[:22] + bytes(4) + page[26:]
            )


@pytest.mark.parametrize(
    "content",
    [
        b"", b"<html><script>alert(1)</script>", b"\xff\xfb\xf0\x00", b"ID3\x04\0\0\0\0\0\0<html>", b"OggS" + bytes(60),
        b"RIFF....WAVE", mp4(b"qt  "), mp4(b"heic"), b"....ftypisom", ogg()[:60], b"ID3", b"%PDF-1.7",
        b"\x1aE\xdf\xa3\x84webm\x18\x53\x80\x67\x00", mp4()[:-4],
    ],
)  # fmt: skip
def test_what_is_no_recording_is_refused_in_a_sentence(content):
    with pytest.raises(InvalidParameter, match=r"^x\.mp3 is .*WebM"):
        medium_of(content, "x.mp3")


def test_damaged_bytes_are_refused_or_taken_and_nothing_else():
    lots = random.Random(7)
    for content in ALL.values():
        for _ in range(60):
            damaged = bytearray(content[:1500])
            for _ in range(4):
                damaged[lots.randrange(len(damaged))] = lots.randrange(256)
            with suppress(InvalidParameter):
                medium_of(bytes(damaged), "x")


def test_what_is_too_large_is_refused_with_its_size():
    with pytest.raises(
        InvalidParameter,
        match=r"a\.wav has 10,000,044 bytes; a sound or a film may have 10,000,000",
    ):
        medium_of(wav()[:44] + bytes(LARGEST), "a.wav")


TONES = (wav(), wav(level=20))


def upload(
    site,
    contents=TONES,
    names=("sencha-7.wav", "assam-9.wav"),
    alts=("A low tone.", "A soft tone."),
):
    """Create a study of recordings as an admin does; return the page that shares it."""
    admin = site.admin()
    files = [("images", (name, one, "audio/x")) for name, one in zip(names, contents, strict=True)]
    page = create(admin, pasted="", files=files)
    assert page.status_code == 200 and "Describe the files" in page.text, page.text
    digests = re.findall(r'name="image_digest" value="(\w+)"', page.text)
    said = {"image_digest": digests, "image_name": ["sencha-7", "assam-9"], "image_alt": list(alts)}
    return send(admin, page, "/admin/new", name="tea", ties="on", **said), admin


def test_no_vote_counts_before_both_were_played(site):
    shared, _ = upload(site)
    study = site.server.study(site.page())
    browser, page = site.voter(links(shared)[0])
    assert page.text.count("<audio controls") == 2 and "autoplay" not in page.text
    assert re.search(r'<input type="checkbox" name="played" value="1" required>', page.text)
    for outcome in ("left", "right", "tie"):
        again = vote(browser, page, outcome)
        assert study.votes() == [] and fields(again)["ballot"] == fields(page)["ballot"]
    send(browser, page, outcome="left", played="1")
    assert [one.outcome for one in study.votes()] == ["left"]


def test_a_pair_can_be_skipped_unheard(site):
    shared, _ = upload(site)
    browser, page = site.voter(links(shared)[0])
    assert re.search(r'value="skip" formnovalidate', page.text)
    assert not asks(vote(browser, page, "skip"))


def test_nothing_that_a_voter_gets_names_an_option(site):
    shared, _ = upload(site)
    browser, page = site.voter(links(shared)[0])
    places = re.findall(r'<audio[^>]* src="([^"]+)"', page.text)
    seen = [page, *map(browser.get, places)]
    assert len(places) == 2 and {one.headers["content-type"] for one in seen[1:]} == {"audio/wav"}
    for one in seen:
        told = one.content + str(one.url).encode() + str(one.headers).encode()
        assert b"sencha" not in told and b"assam" not in told and b".wav" not in told
        assert one.headers["x-content-type-options"] == "nosniff"
        assert "media-src 'self'" in one.headers["content-security-policy"]
    assert site.browser().get(places[0]).status_code == 404  # to nobody else


@pytest.mark.parametrize(
    ("asked", "status", "piece"),
    [
        ("bytes=0-3", 206, slice(0, 4)), ("bytes=10-", 206, slice(10, None)), ("bytes=-5", 206, slice(-5, None)),
        ("bytes=0-99999", 206, slice(0, None)), ("bytes=99999-", 416, slice(0)), ("bytes=5-2", 416, slice(0)),
        ("bytes=-", 200, slice(None)), ("bytes=0-1,4-5", 200, slice(None)), ("lines=1-2", 200, slice(None)),
    ],
)  # fmt: skip
def test_a_player_gets_the_piece_that_it_asks_for(site, asked, status, piece):
    shared, _ = upload(site)
    browser, page = site.voter(links(shared)[0])
    place = re.findall(r'<audio[^>]* src="([^"]+)"', page.text)[0]
    whole = browser.get(place).content
    found = browser.get(place, headers={"Range": asked})
    assert found.status_code == status and found.content == whole[piece]
    if status == 206:
        first = whole.find(found.content) if piece.start != -5 else len(whole) - 5
        last = first + len(found.content) - 1
        assert found.headers["content-range"] == f"bytes {first}-{last}/{len(whole)}"


def test_the_admin_hears_them_too_and_adds_one(site):
    _, admin = upload(site, (webm(), mp4()), ("a.webm", "b.mp4"))
    path = f"/admin/s/{site.page().slug}"
    assert admin.get(f"{path}/options").text.count("<video controls") == 2
    assert admin.get(f"{path}/preview").text.count("<video controls") == 2
    form = admin.get(f"{path}/options")
    file = [("image", ("bai-3.mp3", mp3(), "audio/mpeg"))]
    send(admin, form, f"{path}/options", files=file, does="add", option="bai-3", alt="A hum.")
    page = admin.get(f"{path}/options")
    assert page.text.count("<audio controls") == 1 and "bai-3" in page.text


def test_results_show_no_picture_of_what_is_heard(site):
    _, admin = upload(site)
    path = f"/admin/s/{site.page().slug}"
    send(admin, admin.get(f"{path}/manage"), f"{path}/manage", does="results", results="live")
    for place in (path, f"/r/{site.page().slug}"):
        page = admin.get(place)
        assert page.status_code == 200 and 'class="thumb"' not in page.text


def test_a_csv_file_names_recordings_for_each_item(site):
    rows = [("Say hello", "one", "a.wav", "Hello."), ("Say hello", "two", "b.mp3", "A slow hello.")]
    table = "\n".join(["item,name,image,text", *(",".join(row) for row in rows)])
    files = [("csv", ("rows.csv", table.encode(), "text/csv"))]
    files += [("images", ("a.wav", wav(), "audio/wav")), ("images", ("b.mp3", mp3(), "audio/mpeg"))]
    shared = create(site.admin(), pasted="", files=files)
    _, page = site.voter(links(shared)[0])
    assert page.text.count("<audio controls") == 2 and "Say hello" in page.text


def test_images_need_no_playing(site):
    admin = site.admin()
    rows = [("name,image,text"), "new,b.png,A blue page.", "old,a.png,A grey page."]
    files = [("csv", ("rows.csv", "\n".join(rows).encode(), "text/csv"))]
    files += [("images", (name, png(), "image/png")) for name in ("a.png", "b.png")]
    shared = create(admin, pasted="", files=files)
    browser, page = site.voter(links(shared)[0])
    assert 'name="played"' not in page.text
    vote(browser, page)
    assert len(site.server.study(site.page()).votes()) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [{}, {"viewport": PHONE}], ids=["desk", "phone"])
def test_the_box_ticks_itself_once_both_were_played(live, somebody, size):
    shared, _ = upload(live)
    study = live.server.study(live.page())
    link = re.findall(r'value="http://[^/"]+(/v/[^"]+)"', shared.text)[0]
    page = somebody(**size).begin(link)
    box = page.get_by_role("checkbox", name="I have played both")
    shows(box)
    token = ballot(page)
    page.click("[value=left]")
    box.click(force=True)
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(300)
    assert study.votes() == [] and ballot(page) == token and not box.is_checked()
    for place in (0, 1):
        assert not box.is_checked()
        page.evaluate("n => document.querySelectorAll('audio')[n].play()", place)
        page.wait_for_function("n => document.querySelectorAll('audio')[n].ended", arg=place)
    page.wait_for_function("document.querySelector('[name=played]').checked")
    answer(page)
    assert [one.outcome for one in study.votes()] == ["left"]


def test_without_scripts_the_browser_asks_for_the_tick(live, somebody):
    shared, _ = upload(live)
    study = live.server.study(live.page())
    link = re.findall(r'value="http://[^/"]+(/v/[^"]+)"', shared.text)[0]
    page = somebody(java_script_enabled=False).begin(link)
    page.click("[value=left]", no_wait_after=True)
    page.wait_for_timeout(300)
    assert study.votes() == []
    page.get_by_role("checkbox", name="I have played both").check()
    page.click("[value=left]")
    page.get_by_role("heading", name="Thank you").wait_for()
    assert [one.outcome for one in study.votes()] == ["left"]


RECORD = """async ([kind, film]) => {
  const canvas = document.createElement("canvas"), brush = canvas.getContext("2d"), sound = new AudioContext();
  const heard = sound.createMediaStreamDestination(), tone = sound.createOscillator(), parts = [];
  tone.connect(heard);
  tone.start();
  const tracks = [...heard.stream.getTracks(), ...(film ? canvas.captureStream(10).getTracks() : [])];
  const recorder = new MediaRecorder(new MediaStream(tracks), { mimeType: kind });
  recorder.ondataavailable = (event) => parts.push(event.data);
  const stopped = new Promise((done) => { recorder.onstop = done; });
  recorder.start();
  for (let n = 0; n < 4; n += 1) {
    brush.fillRect(n, n, 50, 50);
    await new Promise((done) => setTimeout(done, 100));
  }
  recorder.stop();
  await stopped;
  return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
}"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["video/webm", "audio/webm", "video/mp4", "audio/mp4"])
def test_what_a_browser_recorded_still_plays_without_its_tags(live, somebody, kind):
    visitor = somebody()
    page = visitor.open("/healthz")
    if not page.evaluate("kind => MediaRecorder.isTypeSupported(kind)", kind):
        pytest.skip("this browser does not record it")
    content = bytes(page.evaluate(RECORD, [kind, kind.startswith("video")]))
    assert medium_of(content, "x").kind == kind and medium_of(content, "x").content != content
    shared, _ = upload(live, (content, content))
    page = visitor.begin(re.findall(r'value="http://[^/"]+(/v/[^"]+)"', shared.text)[0])
    for place in (0, 1):
        page.evaluate("n => document.querySelectorAll('audio, video')[n].play()", place)
        page.wait_for_function("n => document.querySelectorAll('audio, video')[n].ended", arg=place)
    page.wait_for_function("document.querySelector('[name=played]').checked")
