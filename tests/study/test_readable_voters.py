import re

import pytest

from copeland.study import create_study
from copeland.study.kinds import kind_of
from copeland.web.cache import analyse_standing

RANDOM = re.compile(r"(voter|visitor)-[0-9a-f]{12}")
MEMBERS = ["voter-aaaaaaaaaaaa", "ann", "voter-cccccccccccc"]


@pytest.fixture
def jury():
    study = create_study("jury", ["tea", "milk", "juice"], voters="panel", panel=MEMBERS)
    for _ in range(3):
        study.tell(study.ask(), "left")
    study.excuse(MEMBERS[2])
    return study


def test_members_are_named_by_their_place_everywhere(jury):
    said = str(jury.verdict().parts)
    assert "member 1" in said and "ann" in said and "voter-a" not in said
    standing = jury.standing()
    seen = analyse_standing(standing, jury.votes)
    found = seen.reading.certificate
    said = [str(seen.reading.verdict), str(found.statement), str(found.assumptions)]
    said += [str(seen.reading.standing.panel.rows()), str(seen.reading.standing.settings)]
    assert not any(RANDOM.search(one) for one in said)
    assert "With member 3 excused" in seen.reading.certificate.statement
    assert seen.names == {MEMBERS[0]: "member 1", "ann": "ann", MEMBERS[2]: "member 3"}


def test_only_names_change(jury):
    standing = jury.standing()
    other = kind_of(standing.settings).make_readable(standing)[1]
    assert (
        other.wins == standing.wins
    ).all() and other.certificate.best == standing.certificate.best
    assert [one.votes for one in other.voters] == [one.votes for one in standing.voters]
    plain = create_study("tea", ["green", "black"])
    plain.tell(plain.ask(voter="ann"), "left")
    same = plain.standing()
    assert kind_of(same.settings).make_readable(same)[1] is same
