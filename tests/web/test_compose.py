"""The compose file as far as a machine without containers can try it: what it names is there, and commands take what it gives them."""

import re
from pathlib import Path

import pytest
from commands import run

pytest.importorskip("fastapi", reason="the extra `serve` is not installed")
yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

from copeland.web.app import ROUTERS  # noqa: E402 - which needs it

FOLDER = Path(__file__).parent.parent.parent / "examples" / "servers"
OURS = ("server-1", "server-2")


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((FOLDER / "compose.yaml").read_text())


@pytest.fixture(scope="module")
def caddy():
    return (FOLDER / "Caddyfile").read_text()


def test_every_option_is_one_of_its_command(compose):
    known = run("serve", "--help").output
    for name in OURS:
        for option in [
            word for word in compose["services"][name]["command"] if word.startswith("--")
        ]:
            assert option in known, (name, option)


def test_all_share_one_database_and_one_secret_and_nothing_else_that_is_written(compose):
    services = compose["services"]
    told = [services[name]["environment"] for name in OURS]
    assert len({one["COPELAND_STORAGE"] for one in told}) == 1
    assert len({one["COPELAND_SECRET"] for one in told}) == 1
    written = [one for name in OURS for one in services[name]["volumes"] if not one.endswith(":ro")]
    assert len(set(written)) == len(OURS)  # what one compiles is its own
    assert all(services[name]["read_only"] for name in OURS)
    user, _, place = told[0]["COPELAND_STORAGE"].removeprefix("postgresql://").partition("@")
    assert user.startswith(services["database"]["environment"]["POSTGRES_USER"])
    assert place == f"database/{services['database']['environment']['POSTGRES_DB']}"


def test_every_volume_and_file_that_is_named_is_there(compose):
    named = [one.split(":")[0] for s in compose["services"].values() for one in s["volumes"]]
    for name in named:
        assert (FOLDER / name).is_file() if name.startswith("./") else name in compose["volumes"]
    build = compose["services"]["server-1"]["build"]
    assert (FOLDER / build["context"] / build["dockerfile"]).is_file()
    ports = [name for name, service in compose["services"].items() if "ports" in service]
    assert ports == ["proxy"]  # so --trust-proxy '*' trusts nobody else


def test_the_proxy_sends_a_study_to_one_server(compose, caddy):
    assert caddy.count("{") == caddy.count("}")
    servers = re.search(r"reverse_proxy (.*) \{", caddy)[1].split()
    assert servers == [f"{name}:8000" for name in OURS]
    pattern = re.compile(re.search(r"path_regexp study (\S+)", caddy)[1])
    paths = {route.path for router in ROUTERS for route in router.routes}
    with_slug = {path for path in paths if "{slug}" in path}
    assert {path for path in with_slug if not pattern.match(path)} == set()
    assert all(pattern.match(path.replace("{slug}", "x1"))[1] == "x1" for path in with_slug)
