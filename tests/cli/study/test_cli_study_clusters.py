"""Studies that judges decide on test cases in clusters, on the command line."""

import shlex
import sys

import pytest
from study_commands import ok, refused, values

pytestmark = pytest.mark.slow  # left out of `make fast`

SHORTER = "import sys; a, b = sys.argv[1:]; print('left' if len(a) <= len(b) else 'right')"
COMMAND = shlex.join([sys.executable, "-c", SHORTER, "{left}", "{right}"])
OPTIONS = ("-o", "A", "-o", "B", "--judge")


@pytest.fixture
def cases(tmp_path):
    """Twelve tasks with three runs each, of which A's answers are the shorter ones."""
    path = tmp_path / "cases.csv"
    rows = "".join(f"q{t}.{r},Why?,x,yyy,task {t},all\n" for t in range(12) for r in range(3))
    path.write_text(f"id,input,A,B,cluster,book\n{rows}")
    return str(path)


def judge(cases, *how):
    return ok("judge", "p", "--items", cases, "--command", COMMAND, "--voter", "shorter", *how)


def test_a_column_cluster_makes_clusters_the_sample_and_every_verdict_says_so(cases, tmp_path):
    said = ok("create", "p", *OPTIONS, "--cases", cases)
    assert "The cases come in 12 clusters of at most 3 cases, which are the sample" in said
    done = judge(cases)
    assert "the verdict is proved" in done
    status = values("status", "p")
    assert status["votes"] % 3 == 0
    on = (
        "On cases like these (36 in 12 clusters; the clusters are the sample), by the judge shorter"
    )
    assert status["verdict"]["claim"] == f"{on}: A is proved the only winner."
    out = str(tmp_path / "c.json")
    ok("certify", "p", "--out", out)
    ok("verify", out)
    ok("export", "p", str(tmp_path / "log.jsonl"))
    ok("verify", out, "--votes", str(tmp_path / "log.jsonl"))


@pytest.mark.quick
def test_another_column_and_another_weight_are_taken(cases):
    ok("create", "p", *OPTIONS, "--cases", cases, "--cluster", "book", "--cluster-weight", "equal")
    assert values("certify", "p", code=1)["clusters"] == [1, 36, "equal"]
    assert "All 36 cases are judged" in judge(cases, "--cluster", "book")


def test_what_does_not_fit_is_said_with_a_remedy(cases, tmp_path):
    ok("create", "p", *OPTIONS, "--cases", "36")
    said = refused("judge", "p", "--items", cases, "--command", COMMAND)
    assert "these cases come in 12 clusters, such as 'task 0' with 3" in said
    assert "--cases FILE" in said and "--population these" in said
    ok("create", "these", *OPTIONS, "--cases", "36", "--population", "these")
    ok("judge", "these", "--items", cases, "--command", COMMAND)
    ok("create", "other", *OPTIONS, "--cases", cases, "--cluster", "book")
    said = refused("judge", "other", "--items", cases, "--command", COMMAND)
    assert "created with 1 cluster of at most 36 cases" in said
    for words, sentence in (
        (("--cases", "36", "--cluster", "book"), "give that with --cases FILE"),
        (("--cases", cases, "--cluster", "page"), "no column 'page'"),
        (("--cases", cases, "--cluster-weight", "size"), "--cluster-weight is 'size'"),
        (("--cases", "36", "--cluster-weight", "equal"), "not told by cluster"),
    ):
        assert sentence in refused("create", "no", *OPTIONS, *words)
    assert "give that with --items FILE" in refused(
        "judge", "p", "--cluster", "book", "--command", COMMAND
    )
