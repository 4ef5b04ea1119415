"""Data sets from a server of the test's own: no test here touches the outside network."""

import dataclasses
import errno
import hashlib
import io
import json
import os
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from typer.testing import CliRunner

from copeland import PreferenceMatrix
from copeland.cli import app
from copeland.errors import DataError, MissingExtra, UnknownName
from copeland.problems import download

NAME = "tiny"
MATRIX = PreferenceMatrix([[0.5, 0.8], [0.2, 0.5]])
PAPER = {
    "mslr-informational": "ef05eca2b7b27f63faaa292b0e88b17311560bf76124693354d953c702b7e9da",
    "mslr-navigational": "302f4d88cba0bcace47a0e7a6e5bebdd8961b2ad912db9b682b3f2a9a05c3a94",
    "mslr-perfect": "5a8ea50334af26d1efc7c2a9731dc9336d96dbbc3ec8d741509e25b3324b55a5",
}

REGISTERED = download.datasets()  # before a test puts its own in their place


class Server(ThreadingHTTPServer):
    """Serves one body under the path of the tiny data set, and remembers what was asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.body = packed(MATRIX)
        self.promised = len(self.body)
        self.asked = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        if self.path != "/mirror/tiny_PMat.npz":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(self.server.promised))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, format, *args):
        pass


def packed(matrix):
    file = io.BytesIO()
    np.savez(file, PMat=matrix.p)
    return file.getvalue()


@pytest.fixture
def server(monkeypatch):
    with Server() as served:
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("COPELAND_DATA_URL", f"{served.url}/mirror/")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield served
        served.shutdown()
        thread.join()


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("COPELAND_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """A registry with one entry, whose own address no test may reach."""
    body = packed(MATRIX)
    one = download.Dataset(
        name=NAME,
        about="two options",
        url="http://192.0.2.1/data/tiny_PMat.npz",
        sha256=hashlib.sha256(body).hexdigest(),
        size=len(body),
        citation="nobody 2015",
        licence="MIT",
    )
    monkeypatch.setattr(download, "DATASETS", {NAME: one})
    return one


def left(cache):
    return sorted(path.name for path in cache.rglob("*"))


def run(*words):
    return CliRunner().invoke(app, ["data", *words], prog_name="copeland", catch_exceptions=False)


# the registry


def test_the_registered_matrices_are_those_of_the_paper_at_a_commit():
    assert {name: one.sha256 for name, one in REGISTERED.items()} == PAPER
    assert {one.size for one in REGISTERED.values()} == {148_162}
    assert {one.licence for one in REGISTERED.values()} == {"MIT"}
    assert all(one.citation.startswith("Zoghi et al. 2015") for one in REGISTERED.values())
    assert REGISTERED["mslr-informational"].url == (
        "https://raw.githubusercontent.com/nightingal3/duelling-bandits/"
        "da41c471d3c984f0fd2851ae91a573eb7623b234/data/MSLR_Informational_PMat.npz"
    )
    download.datasets().clear()
    assert list(download.datasets()) == [NAME]


@pytest.mark.parametrize(
    "function", [download.fetch, download.find_in_cache, download.path, download.load]
)
def test_an_unknown_name_is_refused_with_the_nearest_one(function):
    with pytest.raises(UnknownName, match="no data set 'tinny'; did you mean 'tiny'"):
        function("tinny")


# success


@pytest.mark.slow
def test_a_data_set_is_fetched_once_and_loaded(server, cache):
    assert download.fetch(NAME) == cache / "tiny.npz"
    assert left(cache) == ["tiny.npz"]
    assert download.load(NAME) == MATRIX
    assert download.load(NAME).name == NAME
    assert download.fetch(NAME) == download.fetch(NAME) == download.find_in_cache(NAME)
    assert server.asked == ["/mirror/tiny_PMat.npz"]


def test_force_downloads_again_and_a_damaged_file_is_replaced(server, cache):
    download.fetch(NAME)
    download.fetch(NAME, force=True)
    assert len(server.asked) == 2
    download.fetch(NAME).write_bytes(b"damaged")
    assert download.find_in_cache(NAME) is None
    download.fetch(NAME)
    assert download.load(NAME) == MATRIX


def test_progress_is_told_up_to_the_size(server, cache, tiny):
    told = []
    download.fetch(NAME, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (tiny.size, tiny.size)


def test_without_a_mirror_the_address_of_the_entry_is_asked(server, cache, tiny, monkeypatch):
    own = dataclasses.replace(tiny, url=f"{server.url}/elsewhere/tiny_PMat.npz")
    monkeypatch.setattr(download, "DATASETS", {NAME: own})
    monkeypatch.delenv("COPELAND_DATA_URL")
    with pytest.raises(DataError):
        download.fetch(NAME)
    assert server.asked == ["/elsewhere/tiny_PMat.npz"]


def test_a_data_set_that_is_not_there_is_told_how_to_get_and_the_cache_is_the_user_s(
    monkeypatch, cache
):
    import pooch

    with pytest.raises(DataError, match="run `copeland data fetch tiny`, once"):
        download.load(NAME)
    monkeypatch.delenv("COPELAND_CACHE", raising=False)
    assert download.folder() == pooch.os_cache("copeland")


# failure: a sentence, and nothing left behind


@pytest.mark.parametrize("before", [False, True], ids=["first", "again"])
@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        ("wrong_hash", "is not the file of tiny: its SHA-256 is"),
        ("not_found", "the server answers 404"),
        ("no_server", "there is no connection to http://127.0.0.1"),
        ("broken_off", "stopped in the middle"),
        ("bad_mirror", "cannot be read"),
        ("full_disk", "does not have room for its"),
    ],
)
def test_a_failure_is_one_sentence_and_keeps_what_was_there(
    trouble, sentence, before, server, cache, monkeypatch
):
    if before:
        download.fetch(NAME)
    TROUBLE[trouble](server, monkeypatch)
    with pytest.raises(DataError, match=sentence) as caught:
        download.fetch(NAME, force=True)
    assert "\n" not in str(caught.value)
    assert left(cache) == (["tiny.npz"] if before else [])
    assert (download.find_in_cache(NAME) is not None) == before


def wrong_hash(server, monkeypatch):
    server.body = server.body[:-1] + b"x"


def not_found(server, monkeypatch):
    monkeypatch.setenv("COPELAND_DATA_URL", server.url)


def no_server(server, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("COPELAND_DATA_URL", f"http://127.0.0.1:{free.getsockname()[1]}")


def broken_off(server, monkeypatch):
    server.promised = len(server.body) + 1000


def bad_mirror(server, monkeypatch):
    monkeypatch.setenv("COPELAND_DATA_URL", "no-address-at-all")


def full_disk(server, monkeypatch):
    class Full(io.FileIO):
        def write(self, chunk):
            super().write(chunk[:10])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pooch.downloaders.open", Full, raising=False)


TROUBLE = {
    one.__name__: one
    for one in (wrong_hash, not_found, no_server, broken_off, bad_mirror, full_disk)
}


@pytest.mark.slow
def test_control_c_leaves_nothing_behind(server, cache):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download.fetch(NAME, progress=stop)
    assert left(cache) == []


def test_a_file_in_the_place_of_the_cache_is_named(server, cache):
    cache.write_text("precious")
    with pytest.raises(DataError, match=r"nothing can be written in .*COPELAND_CACHE"):
        download.fetch(NAME)
    assert (cache.read_text(), server.asked) == ("precious", [])


def test_a_cache_that_may_not_be_written_is_named(server, cache):
    cache.mkdir(mode=0o500)
    if os.access(cache, os.W_OK):
        pytest.skip("this user may write everywhere")
    with pytest.raises(DataError, match=r"nothing can be written in .*COPELAND_CACHE"):
        download.fetch(NAME)
    assert server.asked == []


def test_without_pooch_the_extra_is_named(cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingExtra, match=r"pip install 'copeland\[data\]'"):
        download.fetch(NAME)
    assert not cache.exists()
    done = run("fetch", NAME)
    assert done.exit_code == 1
    assert "pip install 'copeland[data]'" in done.stderr


def test_without_pooch_a_data_set_is_told_how_to_get(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.delenv("COPELAND_CACHE", raising=False)
    with pytest.raises(DataError, match="copeland data fetch tiny"):
        download.load(NAME)


def test_without_pooch_what_a_named_cache_has_is_loaded(server, cache, monkeypatch):
    download.fetch(NAME)
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert download.load(NAME) == MATRIX


# the command


@pytest.mark.parametrize("words", [["--json"], ["list", "--json"], ["--json", "list"]], ids=str)
def test_data_lists_what_is_known_of_each(words, server, cache, tiny):
    (row,) = json.loads(run(*words).stdout)
    assert row.pop("path") is None
    assert download.Dataset(**row) == tiny


def test_data_list_and_data_fetch_say_what_is_downloaded(server, cache):
    assert "not downloaded" in run("list").stdout
    row = {"name": NAME, "path": str(cache / "tiny.npz"), "downloaded": True}
    assert json.loads(run("fetch", NAME, "--json").stdout) == [row]
    assert json.loads(run("list", "--json").stdout)[0]["path"] == str(cache / "tiny.npz")
    assert "not downloaded" not in run("list").stdout
    assert json.loads(run("fetch", NAME, "--json").stdout) == [row | {"downloaded": False}]
    assert json.loads(run("fetch", NAME, "--force", "--json").stdout) == [row]
    assert len(server.asked) == 2


def test_data_fetch_and_data_path_say_where_a_file_is(server, cache):
    assert run("fetch", NAME).stdout.startswith("tiny: ")
    assert "already there" in " ".join(run("fetch", NAME).stdout.split())
    download.fetch(NAME)
    assert run("path", NAME).stdout == f"{cache / 'tiny.npz'}\n"
    assert json.loads(run("path", NAME, "--json").stdout)["path"] == str(cache / "tiny.npz")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["fetch", NAME, "tinny"], "did you mean 'tiny'?"),
        (["path", "tinny"], "did you mean 'tiny'?"),
        (["path", NAME], "copeland data fetch tiny"),
        (["fetch"], "missing argument"),
    ],
)
def test_bad_input_exits_with_2_before_anything_is_downloaded(words, sentence, server, cache):
    done = run(*words)
    assert (done.exit_code, done.stdout, server.asked) == (2, "", [])
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("as_json", [[], ["--json"]], ids=["", "json"])
@pytest.mark.parametrize("trouble", ["not_found", "no_server", "full_disk"])
def test_trouble_with_the_network_or_the_disk_exits_with_1(
    trouble, as_json, server, cache, monkeypatch
):
    TROUBLE[trouble](server, monkeypatch)
    done = run("fetch", NAME, *as_json)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("copeland: tiny was not downloaded: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("command", ["", "list", "fetch", "path"])
def test_every_command_has_json_and_an_example_in_its_help(command):
    shown = " ".join(run(*command.split(), "--help").stdout.split())
    assert "--json" in shown
    assert "Example: copeland data" in shown
