"""Gates on test cases that hang together: a cluster is the unit, in claims, tags, journals and certificates."""

import json
import random

import pytest
from commands import flat, run
from scipy.stats import binom

from copeland.errors import InvalidParameter
from copeland.formats.answers import AnswerCase
from copeland.gate.case_pairs import CasePairs
from copeland.gate.claims import find_claims
from copeland.gate.gate_forecast import require_chance
from copeland.gate.gate_run import judge_pairs
from copeland.gate.gate_settings import GateSettings


def runs_of(tasks, runs):
    """Two sets of answers to so many tasks, with so many runs each; half of the tasks are hard."""
    return CasePairs(
        ("old", "new"),
        tuple(
            AnswerCase(
                f"{task}.{run}",
                "?",
                {"old": f"o {task} {run}", "new": f"n {task} {run}"},
                ("hard",) if task % 2 else ("easy",),
                cluster=f"task {task}",
            )
            for task in range(tasks)
            for run in range(runs)
        ),
    )


def by_task(wins):
    """A judge that says the same of all runs of a task; the candidate wins the first of every ten."""

    def judge(left, right, item):
        won = int(item.name.split(".")[0]) % 10 < wins
        return "left" if (left.text[0] == "n") == won else "right"

    return {"gpt": judge}


def play(pairs, wins, **settings):
    return judge_pairs(pairs, by_task(wins), GateSettings(**settings))


def test_the_sentence_and_the_certificate_name_the_unit():
    result = play(runs_of(40, 5), 9, require="better")
    assert result.outcome == "passed"
    assert result.sentence.startswith(
        "By the judge gpt, on cases like these 200 in 40 clusters (the clusters are the sample): new is better than old"
    )
    statement = result.studies[0].certificate().statement
    assert statement.startswith(
        "On cases like these (200 in 40 clusters; the clusters are the sample), by the judge gpt: after"
    )


def test_runs_that_agree_prove_no_more_than_the_tasks():
    """28 of 40 tasks: as 200 cases of their own, that would pass."""
    result = play(runs_of(40, 5), 7, require="better", judge_all=True)
    assert (result.outcome, result.judges[0].tally[:3]) == ("undecided", (140, 60, 0))
    alone = CasePairs(
        ("old", "new"),
        tuple(AnswerCase(case.id, case.text, case.answers) for case in result.pairs.cases),
    )
    assert play(alone, 7, require="better").outcome == "passed"


@pytest.mark.slow
def test_false_claims_of_an_even_candidate_are_at_most_delta():
    """Of 40 tasks with 3 runs that agree, in 20 gates; more than so many have a probability of one in a thousand."""
    pairs, wrong = runs_of(40, 3), 0
    for seed in range(20):
        said = random.Random(seed)
        own = {f"task {task}": said.random() < 0.5 for task in range(40)}

        def judge(left, right, item, own=own):
            return "left" if (left.text[0] == "n") == own[item.cluster] else "right"

        found = judge_pairs(pairs, {"gpt": judge}, GateSettings(require="better"))
        wrong += bool(found.judges[0].finding.claims)
    assert wrong <= binom.ppf(0.999, 20, 0.05)


def test_a_gate_on_exactly_these_cases_says_of_cases_like_them_what_their_clusters_prove():
    result = play(runs_of(40, 5), 7, require="better", population="these", judge_all=True)
    judge = result.judges[0]
    assert result.outcome == "passed" and judge.interval[0] == judge.interval[1]
    assert judge.beyond.outcome == "undecided"


def test_tags_are_weighed_by_their_clusters():
    """Five clusters of a tag prove nothing, however many cases they have."""
    result = play(runs_of(60, 4), 9, require="better", judge_all=True)
    easy, hard = result.judges[0].slices
    assert (easy.cases, hard.cases) == (120, 120) and easy.finding.outcome == "passed"
    few = play(runs_of(10, 30), 9, require="better", judge_all=True)
    tallies = [one.tally for one in few.judges[0].slices]
    assert [one.finding.outcome for one in few.judges[0].slices] == ["undecided"] * 2
    alone = [find_claims(one, few.terms._replace(clusters=None)).outcome for one in tallies]
    assert alone == ["passed"] * 2


def test_a_gate_that_no_cluster_left_could_pass_is_futile():
    result = play(runs_of(20, 5), 3, require="better")
    assert result.outcome in ("failed", "undecided")
    assert result.judges[0].reason in ("futile", "decided") and result.calls < 100


@pytest.mark.parametrize(
    ("tasks", "how", "said"),
    [
        (5, {"require": "better"}, "there are 5 clusters of cases to be had"),
        (5, {"require": "better"}, "Give 8 clusters or more"),
        (8, {"require": "better", "max_calls": 4}, "4 calls give 4 verdicts"),
        (8, {"require": "better"}, ""),
        (5, {"require": "better", "population": "these"}, ""),
        (30, {}, ""),
    ],
)
def test_whether_it_can_pass_is_told_by_the_number_of_clusters(tasks, how, said):
    """Five tasks with 20 runs each are 100 cases, of which 9 wins would pass if each stood alone."""
    pairs, settings = runs_of(tasks, 20), GateSettings(**how)
    if not said:
        return require_chance(pairs, settings.make_terms(pairs.items), settings)
    with pytest.raises(InvalidParameter, match=said):
        require_chance(pairs, settings.make_terms(pairs.items), settings)


def test_as_many_clusters_as_it_says_can_pass():
    assert play(runs_of(8, 5), 10, require="better").outcome == "passed"


def test_a_decided_gate_run_again_makes_no_call(tmp_path):
    pairs, journal = runs_of(40, 5), tmp_path / "gate.db"
    first, again = (
        judge_pairs(pairs, by_task(9), GateSettings(require="better"), journal=journal)
        for _ in range(2)
    )
    assert first.sentence == again.sentence and first.calls == again.calls


def test_a_weight_that_there_is_not_is_refused():
    with pytest.raises(InvalidParameter, match="cluster_weight is 'size'"):
        GateSettings(cluster_weight="size")


def test_the_command_takes_a_column(tmp_path):
    for name in ("old", "new"):
        rows = "".join(f"{t}.{r},?,{name},doc {t}\n" for t in range(40) for r in range(3))
        (tmp_path / f"{name}.csv").write_text(f"id,input,answer,doc\n{rows}")
    words = [
        "gate",
        "--baseline",
        str(tmp_path / "old.csv"),
        "--candidate",
        str(tmp_path / "new.csv"),
    ]
    program = "import sys; print('left' if sys.argv[1] == 'new' else 'right')"
    command = f'python -c "{program}" {{left}} {{right}}'
    done = run(
        *words, "--cluster", "doc", "--cluster-weight", "equal", "--command", command, "--json"
    )
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert "in 40 clusters (the clusters are the sample)" in told["sentence"]
    assert told["cluster_weight"] == "equal"
    same = ("gate", "--same", words[2], "--cluster", "doc", "--command", "echo left")
    assert "it changed its answer in 40 of 40 clusters." in flat(run(*same).stdout)
    done = run(*words, "--cluster", "page", "--command", command)
    assert done.exit_code == 2 and "no column 'page'" in flat(done.stderr)
