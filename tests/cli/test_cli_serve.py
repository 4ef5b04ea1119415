import json

import pytest
from commands import run

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")


@pytest.fixture
def started(monkeypatch):
    """What the server would be started with."""
    import uvicorn

    told = {}
    monkeypatch.setattr(uvicorn, "run", lambda app, **how: told.update(app=app, **how))
    return told


def test_one_command_prints_a_link_for_the_admin_and_listens_here_alone(started, tmp_path):
    out = run("serve", "--storage", f"sqlite:///{tmp_path}/s.db")
    assert out.exit_code == 0
    assert out.stdout.startswith("Admin: http://127.0.0.1:8000/admin/enter?token=")
    assert started["host"] == "127.0.0.1" and not started["access_log"]
    token = out.stdout.split("token=")[1].split()[0]
    assert started["app"].state.server.is_admin_token(token)
    started["app"].state.server.storage.dispose()


def test_json_and_a_study_to_try(started, tmp_path):
    out = run("serve", "--demo", "--json", "--storage", f"sqlite:///{tmp_path}/s.db", "--port", "9")
    assert json.loads(out.stdout)["url"] == "http://127.0.0.1:9"
    server = started["app"].state.server
    assert [page.question for page in server.store.pages()] == ["Which line welcomes you better?"]
    assert len(server.store.links(server.store.pages()[0].study)) == 1
    server.storage.dispose()


def test_several_processes_find_their_settings(started, tmp_path, monkeypatch):
    for name in ("COPELAND_SERVE_STORAGE", "COPELAND_SERVE_URL"):
        monkeypatch.setenv(name, "")
    storage = f"sqlite:///{tmp_path}/s.db"
    run("serve", "--storage", storage, "--workers", "3", "--url", "https://vote.example.org/at/")
    assert started["workers"] == 3 and started["factory"]
    from copeland.web.app import from_environment

    server = from_environment().state.server
    assert server.config.secure and server.config.base == "/at"
    server.storage.dispose()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "0.0.0.0"], "--url"),
        (["--port", "0"], "--port is 0"),
        (["--workers", "0"], "--workers is 0"),
        (["--url", "vote.example.org"], "give it in full"),
        (["--storage", "memory"], "would be lost"),
    ],
)
def test_what_cannot_be_is_one_sentence(started, words, said):
    out = run("serve", *words)
    assert out.exit_code == 2 and said in out.stderr and not started
