"""A cache and files of the test's own."""

import pytest


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of the test's own."""
    monkeypatch.setenv("COPELAND_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "letor"


@pytest.fixture
def file(tmp_path):
    """Write a file and give its path."""

    def write(content, name="f.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
