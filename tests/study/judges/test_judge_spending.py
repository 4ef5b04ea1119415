"""What judges cost: the sum over all runs, and an estimate before the first call."""

import pytest
from commands import flat, run, values
from fake_chat import FakeChat, says
from tiny_study import quick

from copeland.study import create_study, open_study
from copeland.study.judges import Item, judge_study
from copeland.study.judges.price_estimate import estimate_price
from copeland.study.log.events import Spent
from copeland.study.results.analysis import Analysis

QUESTIONS = [Item(f"q{i}", "x" * i) for i in range(6)]
PRICES = (1.0, 2.0)  # so that a call of 100 + 1 tokens costs 102 / 1,000,000


def judged(storage=None, **how):
    return create_study("prompts", {"A": "aa", "B": "b"}, storage, voters="judge", cases=6, **how)


@pytest.mark.slow
def test_a_study_knows_what_all_runs_have_cost(tmp_path, key):
    url = f"sqlite:///{tmp_path / 'votes.db'}"
    study = judged(url)
    with FakeChat(says("left")) as fake:
        judge = quick(fake, prices=PRICES)
        first = judge_study(study, judge, items=QUESTIONS, calls=2)
        again = judge_study(open_study("prompts", url), judge, items=QUESTIONS, calls=1)
    assert first.total == Spent(2, 202, pytest.approx(204e-6))
    assert (again.calls, again.total) == (1, Spent(3, 303, pytest.approx(306e-6)))
    kept = open_study("prompts", url)
    assert kept.spent == kept.replay().tally.spent == again.total
    told = Analysis(kept.standing()).to_dict()["spent"]
    assert told == {"calls": 3, "tokens": 303, "cost": pytest.approx(306e-6)}


def test_calls_of_errors_and_both_orders_are_in_the_sum_and_undoing_brings_nothing_back(key):
    study = judged()
    with FakeChat(says("left")) as fake:
        judge_study(study, quick(fake, prices=PRICES), items=QUESTIONS, calls=2)
    before = study.spent
    study.undo(study.votes()[0])
    assert study.spent == before == Spent(2, 202, pytest.approx(204e-6))
    study = judged()
    with FakeChat(says("maybe"), says("left")) as fake:
        done = judge_study(
            study, quick(fake, prices=PRICES), items=QUESTIONS, calls=5, swap="confirm"
        )
    assert (done.errors, done.calls) == (1, 5)
    assert done.total.calls == done.calls == len(fake.requests)
    assert done.total.cost == pytest.approx(done.cost)


def test_only_calls_of_models_cost():
    study = create_study("tea", ["green", "black"])
    study.tell(study.ask("ann"), "green")
    assert study.spent == Spent()
    assert study.log()[-1].body is None
    study = judged()
    done = judge_study(study, {"f": lambda left, right, item: "left"}, items=QUESTIONS)
    assert done.total == Spent(done.calls, 0, 0.0)


def test_the_estimate_is_that_of_the_requests_which_are_sent(key):
    study = judged()
    with FakeChat(says("left")) as fake:
        judge = quick(fake, prices=PRICES, options={"max_tokens": 16})
        found = estimate_price(study, [judge], calls=1000, items=QUESTIONS)
        sizes = []
        judge._endpoint.send = lambda body: (
            sizes.append(len(body))
            or {
                "choices": [{"message": {"content": "left"}}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1},
            }
        )
        for item in QUESTIONS:
            judge(study.option("A"), study.option("B"), item)
    assert found.calls == 6
    assert found.cost == pytest.approx(sum(size // 4 + 2 * 16 for size in sizes) / 1e6)


def test_the_estimate_keeps_to_the_caps(key):
    study = judged()
    with FakeChat() as fake:
        judge = quick(fake, prices=PRICES)
        assert estimate_price(study, [judge], calls=2, items=QUESTIONS).calls == 2
        both = estimate_price(study, [judge], 1000, QUESTIONS, swap="confirm")
        once = estimate_price(study, [judge], 1000, QUESTIONS)
        assert (both.calls, both.cost) == (12, pytest.approx(2 * once.cost))
        assert estimate_price(study, [judge], 1000, QUESTIONS, repeat=True).calls == 1000
        assert estimate_price(study, [quick(fake)], 1000, QUESTIONS) is None


@pytest.mark.slow
def test_the_command_says_the_estimate_first_and_status_the_sum(tmp_path, monkeypatch, key):
    monkeypatch.chdir(tmp_path)
    judged("sqlite:///copeland.db")
    (tmp_path / "q.txt").write_text("".join(f"question {i}\n" for i in range(6)))
    words = ("study", "judge", "prompts", "--items", "q.txt", "--model", "tiny", "--prices", "1,2")
    with FakeChat(says("left")) as fake:
        first = run(*words, "--url", fake.url, "--calls", "2")
        told = values(*words, "--url", fake.url, "--calls", "1")
    assert "at most 2 calls, which cost under $0.01 by the length of the texts." in first.stderr
    assert told["total"] == {"calls": 3, "tokens": 303, "cost": pytest.approx(306e-6)}
    status = flat(run("study", "status", "prompts").stdout)
    assert "judges were called 3 times, for 303 tokens and under $0.01" in status
    assert values("study", "status", "prompts")["spent"]["calls"] == 3
