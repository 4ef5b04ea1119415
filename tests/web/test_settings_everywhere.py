"""Every way to create a study takes the same settings, with the same defaults, and refuses them in the same words."""

import inspect
from html import unescape

import pytest
from commands import run, values
from web_client import send

from copeland.errors import InvalidParameter
from copeland.study import create_study, create_study_from_votes
from copeland.study.settings import SETTINGS
from copeland.support.phrasing import capital

OPTIONS = ["a one", "b two"]
WRONG = {
    "algorithm": {"voters": "panel", "panel": ["ann"], "algorithm": "ccb"},
    "delta": {"delta": 7.5},
    "margin": {"margin": 0.5},
    "seed": {"seed": -1},
    "both_bad": {"both_bad": "x"},
    "repeats": {"repeats": "count"},
    "voters": {"voters": "crowd"},
    "lease": {"lease": -1.5},
    "open_ballots": {"open_ballots": 0},
    "batch": {"batch": 4, "voters": "independent"},
    "panel": {"voters": "people", "panel": ["ann"]},
    "missing": {"missing": "perhaps"},
    "population": {"voters": "judge", "population": "like-these"},
    "cases": {"voters": "judge", "cases": 0},
    "goal": {"goal": "second"},
}
WRONG_ON_THE_PAGE = [  # the setting, and what a form says
    ("delta", {"delta": "often"}),
    ("margin", {"margin": 0.5}),
    ("both_bad", {"both_bad": "x"}),
    ("voters", {"voters": "crowd"}),
    ("panel", {"voters": "panel"}),
    ("goal", {"goal": "top:2"}),
]
TOLD = [
    {},
    {"voters": "independent"},
    {"voters": "judge"},
    {"panel": ["ann"]},
    {"margin": 0.1, "seed": 5, "batch": 2, "missing": "ignored", "lease": 60, "open_ballots": 3},
    {"voters": "judge", "cases": 7, "population": "like-these", "delta": 0.01},
    {"voters": "independent", "repeats": "first", "both_bad": "drop", "algorithm": "ccb"},
    {"goal": "above:a one"},
]


def words(told):
    """Settings as they are typed."""
    for name, value in told.items():
        yield f"--{name.replace('_', '-')}"
        yield ",".join(value) if isinstance(value, list) else value


def refusal(told):
    with pytest.raises(InvalidParameter) as error:
        create_study("tea", OPTIONS, **told)
    return str(error.value), error.value.field


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_every_setting_has_help_and_is_offered_by_all_programs(site):
    described = site.browser().get("/api/v1/openapi.json").json()
    fields = described["components"]["schemas"]["New"]["properties"]["settings"]["properties"]
    typed = run("study", "create", "--help", env={"COLUMNS": "200"}).stdout
    python = inspect.signature(create_study).parameters
    assert WRONG.keys() == SETTINGS.keys() == fields.keys() - {"cluster_weight"}
    for name, one in SETTINGS.items():
        assert one.metadata["help"].endswith(".") and python[name].default == one.default
        assert f"--{name.replace('_', '-')} " in typed


@pytest.mark.slow
@pytest.mark.parametrize("told", TOLD, ids=str)
def test_the_same_settings_come_of_what_is_told(site, told):
    made = create_study("tea", OPTIONS, **told).settings.to_dict()
    votes = [{"winner": "a one", "loser": "b two", "n": 1, "voter": "ann"}]
    if told.get("cases", 1) == 1:
        assert create_study_from_votes("t", votes, **told)[0].settings.to_dict() == made
    named = [word for one in OPTIONS for word in ("-o", one)]
    assert values("study", "create", "tea", *named, *words(told))["settings"] == made
    body = {"name": "program", "options": OPTIONS, "settings": told}
    answer = site.key("admin", name=None).post("/api/v1/studies", json=body)
    assert answer.status_code == 201 and answer.json()["settings"] == made


@pytest.mark.parametrize("voters", ["people", "judge"])
def test_the_page_has_the_same_defaults(site, voters):
    admin = site.admin()
    send(admin, admin.get("/admin/new"), name="tea", pasted="\n".join(OPTIONS), voters=voters)
    made = site.server.study(site.page()).settings
    assert made == create_study("tea", OPTIONS, voters=voters).settings


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", WRONG)
def test_programs_refuse_a_setting_in_the_same_words_and_name_it(site, name):
    sentence, field = refusal(WRONG[name])
    assert field == name and sentence.startswith(f"{name} ")
    flag = f"--{name.replace('_', '-')}"
    typed = run("study", "create", "tea", "-o", "a", "-o", "b", *words(WRONG[name]))
    assert typed.stderr == f"copeland: {flag}{sentence.removeprefix(name)}\n"
    body = {"name": "tea", "options": OPTIONS, "settings": WRONG[name]}
    answer = site.key("admin", name=None).post("/api/v1/studies", json=body)
    assert answer.status_code == 422
    assert (answer.json()["detail"], answer.json()["field"]) == (sentence, name)


@pytest.mark.parametrize(("name", "told"), WRONG_ON_THE_PAGE)
def test_the_page_refuses_a_setting_in_the_same_words_and_marks_it(site, name, told):
    admin = site.admin()
    said = {"name": "tea", "pasted": "\n".join(OPTIONS), **told}
    answer = send(admin, admin.get("/admin/new"), **said)
    sentence, field = refusal(told)
    assert answer.status_code == 422 and field == name
    assert capital(sentence) in unescape(answer.text)
    assert answer.text.count("aria-invalid") == 1
