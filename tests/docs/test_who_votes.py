"""Who votes? The page of the docs, the form, the command and Python ask it in the same words."""

import re
from pathlib import Path

import pytest

import copeland
from copeland.study.settings import SETTINGS, Settings

PACKAGE = Path(copeland.__file__).parent
DOCS = Path(__file__).parents[2] / "docs"
ANSWERS = {
    "independent": "independent visitors",
    "people": "people from a larger group",
    "panel": "exactly these people",
    "judge": "a judge on test cases",
}
TEXTS = {
    "the page": (DOCS / "who-votes.md").read_text(),
    "the page about studies": (DOCS / "studies.md").read_text(),
    "the page about the form": (DOCS / "voting-pages.md").read_text(),
    "the form": (PACKAGE / "web" / "templates" / "new.html").read_text(),
    "the command": SETTINGS["voters"].metadata["help"],
    "Python": copeland.create_study.__doc__,
    "Settings": Settings.__doc__,
}


@pytest.mark.parametrize("place", TEXTS)
def test_the_four_answers_have_the_same_words_everywhere(place):
    text = " ".join(TEXTS[place].lower().split())
    assert [answer for answer in ANSWERS.values() if answer not in text] == []
    assert "who votes" in text


def test_each_answer_is_a_section_of_the_page():
    heads = re.findall(r"^## (.*): `(\w+)`$", TEXTS["the page"], flags=re.MULTILINE)
    assert {value: words.lower() for words, value in heads} == ANSWERS
