import json
import socket

import pytest
from commands import run

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")


@pytest.fixture
def started(monkeypatch):
    """What the server would be started with."""
    import uvicorn

    told = {}
    monkeypatch.setattr("copeland.cli.serve.is_port_taken", lambda *_: False)
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
    assert "Only this computer can open it." in out.stdout and "serve --office" in out.stdout
    started["app"].state.server.storage.dispose()


def test_json_and_a_study_to_try(started, tmp_path):
    out = run("serve", "--demo", "--json", "--storage", f"sqlite:///{tmp_path}/s.db", "--port", "9")
    assert json.loads(out.stdout)["url"] == "http://127.0.0.1:9"
    server = started["app"].state.server
    assert [page.question for page in server.store.pages()] == ["Which line welcomes you better?"]
    assert len(server.store.links(server.store.pages()[0].study)) == 1
    server.storage.dispose()


def test_several_processes_find_their_settings(started, tmp_path, monkeypatch):
    for name in ("STORAGE", "URL"):
        monkeypatch.setenv(f"COPELAND_SERVE_{name}", "")
    storage = f"sqlite:///{tmp_path}/s.db"
    where = ["--url", "https://vote.example.org/at/"]
    run("serve", "--storage", storage, "--workers", "3", *where)
    assert started["workers"] == 3 and started["factory"]
    from copeland.web.app import from_environment

    server = from_environment().state.server
    assert server.config.secure and server.config.base == "/at"
    server.storage.dispose()


def test_one_word_lets_phones_in_and_the_code_of_the_admin_is_not_to_be_shared(
    started, tmp_path, monkeypatch
):
    monkeypatch.setattr("copeland.cli.serve.find_network_address", lambda: "192.168.1.20")
    out = run("serve", "--office", "--storage", f"sqlite:///{tmp_path}/s.db", "--port", "8123")
    assert out.stdout.startswith("Admin: http://192.168.1.20:8123/admin/enter?token=")
    assert "on the same network can open http://192.168.1.20:8123" in out.stdout
    assert "the internet cannot" in out.stdout and "--url" in out.stdout
    assert started["host"] == "192.168.1.20"
    server = started["app"].state.server
    assert "192.168.1.20" in server.config.hosts and not server.config.is_here_alone
    server.storage.dispose()
    monkeypatch.setattr("copeland.cli.serve.can_draw", lambda: True)
    out = run("serve", "--office", "--storage", f"sqlite:///{tmp_path}/s.db").stdout
    code, reach = out.index("█"), out.index("Phones and computers on the same network")
    assert out.index("Admin: ") < out.index("this opens the admin pages. Do not share it.") < code
    assert code < reach and "█" not in out[reach:]
    started["app"].state.server.storage.dispose()


def test_a_port_that_is_taken_is_said_before_anything_begins(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
        storage = f"sqlite:///{tmp_path}/s.db"
        out = run("serve", "--port", str(port), "--storage", storage)
    assert out.exit_code == 2 and "Admin" not in out.stdout
    assert f"port {port} is taken" in out.stderr and "try --port" in out.stderr
    assert not list(tmp_path.iterdir())  # the link of the server that runs still works


def test_a_computer_without_a_network_says_so(started, monkeypatch):
    monkeypatch.setattr("copeland.cli.serve.find_network_address", lambda: None)
    out = run("serve", "--office")
    assert out.exit_code == 2 and "found no local network" in out.stderr and not started


def test_a_link_is_drawn_as_a_square_of_blocks():
    from copeland.cli.serve import draw_code

    lines = draw_code("http://192.168.1.20:8000/admin/enter?token=abc").splitlines()
    width = len(lines[0])
    assert set("".join(lines)) <= set(" █▀▄")
    assert {len(line) for line in lines} == {width} and 2 * len(lines) - 1 <= width <= 2 * len(
        lines
    )
