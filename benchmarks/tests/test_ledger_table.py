"""The table of attacks on the ledger: the real one withstands them, and one without a rule is found out."""

from itertools import combinations, product

import numpy as np
import pytest

from benchmarks import ledger_table as measured
from benchmarks.ballot_attacks import ATTACKS, IGNORING, KINDS, PANEL
from benchmarks.ballot_trials import begin_trial, is_wrong
from copeland import certify
from copeland.certificate import panel_certificate
from copeland.study import create_study

NO_ATTACK, ANY = ATTACKS[0], ATTACKS[-1]
CELLS = [
    pytest.param(attack, kind, id=f"{kind}: {attack.name}")
    for kind, attack in product(KINDS, ATTACKS)
    if kind in attack.kinds
]
RUNS = 60


@pytest.mark.parametrize(("attack", "kind"), CELLS)
def test_certificates_are_wrong_no_more_often_than_promised(attack, kind):
    world = measured.worlds_of(attack)[-1]
    fooled = measured.count_fooled(attack, kind, world, RUNS)
    assert fooled <= measured.most_wrong(RUNS, kind)


@pytest.mark.parametrize(
    ("attack", "kind"), [cell for cell in CELLS if cell.values[0] is not NO_ATTACK]
)
def test_a_ledger_without_the_rule_against_an_attack_is_found_out(attack, kind):
    world = measured.worlds_of(attack)[0]
    fooled = measured.count_fooled(attack, kind, world, RUNS, broken=True)
    assert fooled > measured.most_wrong(RUNS)


@pytest.mark.parametrize("kind", KINDS)
def test_votes_are_looked_up_as_in_the_log_of_a_study(kind):
    trial = begin_trial(KINDS[kind], measured.THREE, np.random.default_rng(3), {})
    measured.is_fooled(trial, ANY)
    study = create_study("tampered", ["0", "1", "2"], **trial.state.settings.to_dict())
    events = [trial.log.event(number) for number in range(2, trial.state.number + 1)]
    study.storage.write(study._key, lambda log: log.append(events))

    def compare(log):
        for event in events:
            assert log.event(event.number) == event
            assert list(log.answers(event.number)) == trial.log.answers(event.number)
            if event.event_id is not None:
                assert log.vote(event.event_id) == trial.log.vote(event.event_id) == event
        for voter, pair in product(
            {None, *(event.voter for event in events)}, combinations(range(3), 2)
        ):
            assert list(log.opinions(voter, *pair)) == trial.log.opinions(voter, *pair)

    study.storage.read(study._key, compare)
    assert study.replay() == trial.state
    assert sum(event.kind == "undone" for event in events) > 10


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != PANEL])
def test_no_claim_is_overlooked_where_there_is_little_evidence(kind):
    for run in range(3):
        rng = np.random.default_rng(run)
        trial = begin_trial(KINDS[kind], measured.EVEN, rng, {})
        look, counts = trial.look, []

        def look_closely(trial=trial, look=look, counts=counts):
            counts.append(trial.is_wrong())
            assert look() == counts[-1]
            return counts[-1]

        trial.look = look_closely
        measured.is_fooled(trial, ANY)
        assert len(counts) > 20


def test_what_is_not_so_is_wrong():
    even, first = (
        np.full((3, 3), 0.5),
        np.array([[0.5, 0.6, 0.6], [0.4, 0.5, 0.5], [0.4, 0.5, 0.5]]),
    )
    wins = np.array([[0, 60, 60], [20, 0, 40], [20, 40, 0]])
    winner = certify(wins)
    assert winner.verdict == "winner" and not is_wrong(winner, first)
    assert is_wrong(winner, even) and is_wrong(winner, first.T)
    assert not is_wrong(certify(wins // 10), even)
    settled = panel_certificate(wins, missing=np.full((3, 3), 30) - 30 * np.eye(3, dtype=int))
    assert not is_wrong(settled, first) and is_wrong(settled, even)
    tied = panel_certificate(wins)
    assert (1, 2) in tied.ties and is_wrong(tied, np.where(first == 0.5, 0.7, first))


def test_opinions_are_as_often_for_the_first_option_as_the_world_says():
    rng = np.random.default_rng(0)
    drawn = [measured.NEAR.draw(rng).prefers(0, 1) for _ in range(40_000)]
    assert abs(np.mean(drawn) - 0.48) < 0.01  # 4 standard errors
    for world, won in ((measured.EVEN, 50), (measured.NEAR, 48)):
        cases = world.draw_cases(rng, 100)
        assert sum(case.prefers(0, 1) for case in cases) == won
        assert sum(case.prefers(1, 0) for case in cases) == 100 - won
        assert sum(case.prefers(0, 2) for case in cases) == 50


def test_voters_whose_missing_answers_are_ignored_do_not_leave():
    trial = begin_trial(KINDS[IGNORING], measured.EVEN, np.random.default_rng(1), {})
    measured.is_fooled(trial, ANY)
    assert trial.state.ledger.totals(trial.now).missing == 0
