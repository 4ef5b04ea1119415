"""Studies that judges decide on test cases in clusters: a cluster is asked as a whole, and is the unit of the proof."""

from collections import Counter

import pytest

from copeland.errors import CopelandError, InvalidParameter, StudyExists
from copeland.study import Storage, copy_study, create_study, open_study
from copeland.study.judges import judge_study
from copeland.study.judges.prompts import Item
from copeland.study.log.state import dump_state, fold_log, load_state
from copeland.study.results.analysis import Analysis, Rankings
from copeland.study.results.certificate_file import (
    certificate_to_file,
    objections,
    objections_by_file,
    read_certificate,
)

OPTIONS = ["A", "B", "C"]


def tasks(number, runs):
    """So many tasks with so many runs each, or by the number of each task."""
    count = runs if callable(runs) else lambda _: runs
    return {f"task {t}": [f"{t}.{r}" for r in range(count(t))] for t in range(number)}


FIVE = tasks(20, 5)
MIXED = tasks(12, lambda t: 1 + t % 4)


def made(cases=FIVE, options=OPTIONS, name="prompts", storage=None, **how):
    return create_study(name, options, storage, voters="judge", cases=cases, **how)


def task_of(ballot):
    return int(ballot.item.split(".")[0])


def run(study, says, judge="gpt", most=None):
    order = []
    while (most is None or len(order) < most) and (ballot := study.ask(judge)):
        order.append((frozenset((ballot.left, ballot.right)), task_of(ballot)))
        study.tell(ballot, says(ballot))
    return order


def by_task(ballot):
    """All runs of a task say the same: A in three of four, then the next in the alphabet."""
    first, second = sorted((ballot.left, ballot.right))
    return second if task_of(ballot) % 4 == 0 else first


def never(ballot):
    return "tie"


# How cases are asked


@pytest.mark.parametrize(
    "how", [{}, {"cases": MIXED, "population": "these", "cluster_weight": "equal"}]
)
def test_a_pair_goes_through_one_cluster_after_the_other_each_of_them_whole(how):
    study = made(**how)
    order = run(study, never, most=100)
    changes = [one for one, before in zip(order, [None, *order], strict=False) if one != before]
    assert len(changes) == len(set(changes))  # nobody comes back to a cluster
    sizes = how.get("cases", FIVE)
    for pair, task in changes[:-1]:
        assert order.count((pair, task)) == len(sizes[f"task {task}"])


def test_all_pairs_take_the_clusters_of_a_sample_in_one_order_and_the_seed_draws_it():
    def order_of(pair, **how):
        order = run(made(tasks(8, 2), **how), never)
        return list(dict.fromkeys(task for one, task in order if one == frozenset(pair)))

    assert order_of("AB") == order_of("AC") == order_of("BC") != list(range(8))
    assert order_of("AB", seed=1) != order_of("AB")


@pytest.mark.slow
def test_of_exactly_these_every_pair_draws_its_next_cluster_with_the_same_chance():
    """400 studies; a count off its mean by more than 4.9 standard deviations has probability 1e-6."""
    first, storage = Counter(), Storage()
    sizes = {"x": ["x.0"], "y": ["y.0", "y.1", "y.2"], "z": ["z.0", "z.1"], "u": ["u.0"]}
    for seed in range(400):
        how = {"population": "these", "cluster_weight": "equal", "seed": seed}
        study = made(sizes, ["A", "B"], f"prompts {seed}", storage, **how)
        first[study.ask("gpt").item[0]] += 1
    assert all(abs(first[name] - 100) < 4.9 * (400 * 0.25 * 0.75) ** 0.5 for name in "xyzu")


def test_judges_at_work_together_share_a_cluster_before_the_next_is_begun():
    study = made(options=["A", "B"])
    asked = [study.ask(f"judge {n}") for n in range(7)]
    assert [count for _, count in Counter(map(task_of, asked)).most_common()] == [5, 2]
    many = made().ask("gpt", n=3)
    assert len({frozenset((one.left, one.right)) for one in many}) == 3


def test_a_case_that_a_judge_fails_on_is_left_to_others_and_the_cluster_goes_on():
    study = made(options=["A", "B"])
    first = study.ask("gpt")
    study.tell(first, "error")
    without = [(first.left, first.right, first.item)]
    following = [study.ask("gpt", without=without) for _ in range(5)]
    assert [task_of(one) == task_of(first) for one in following] == [True] * 4 + [False]
    assert study.ask("another").item == first.item


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("goal", ["best", "top:2", "above:A", "tiers"])
@pytest.mark.parametrize("how", [{}, {"cluster_weight": "equal", "population": "these"}])
def test_a_study_ends_only_if_its_goal_is_reached_or_all_is_judged(how, goal):
    study = made(MIXED, [*OPTIONS, "D"], goal=goal, **how)
    order = run(study, by_task)
    assert study.certificate().decided or len(order) == 30 * 6
    assert study.standing().waiting == 0


def test_a_process_that_begins_goes_on_where_its_planner_takes_the_end_for_proved():
    """Of 40 tasks of 3 runs, 3 of 4 are A's: by 90 votes of their own, A would be proved."""
    study = made(tasks(40, 3), ["A", "B"])
    while ballot := open_study("prompts", study.storage).ask("gpt"):
        study.tell(ballot, by_task(ballot))
    assert study.certificate().decided or study.standing().votes == 120


# What it proves


def test_runs_that_agree_are_one_draw():
    """15 tasks of 20 for A: of 100 cases of their own, 75 would be proof."""
    study = made(options=["A", "B"])
    order = run(study, by_task)
    assert len(order) == 100 and study.certificate().verdict == "open"
    rows = study.state().ledger.tables(0.0).clusters.rows.tolist()
    assert rows == [[0, 1, 0, 5, 0, 0, 0, 5], [0, 1, 5, 0, 0, 0, 0, 15]]
    alone = create_study("alone", ["A", "B"], voters="judge", cases=100)
    alone.add_votes(
        [
            {"left": one.left, "right": one.right, "outcome": one.outcome, "item": one.item}
            for one in study.votes()
        ]
    )
    assert alone.certificate().verdict == "winner"


def test_a_cluster_counts_once_it_is_whole_or_others_make_up_for_it():
    study = made(options=["A", "B"])
    for asked in range(1, 11):
        study.tell(study.ask("gpt"), "A")
        found = study.state().ledger.tables(study.now())
        assert (found.wins.sum(), found.missing.sum()) == (asked // 5 * 5, 0)
    lost = study.ask("gpt")  # and nobody ever answers it
    run(study, lambda _: "A", most=4)
    assert study.standing().waiting == 4
    run(study, lambda _: "A", most=5)
    found = study.state().ledger.tables(study.now())
    assert (found.wins.sum(), found.missing[0, 1]) == (19, 1)
    study.tell(lost, "A")
    assert study.state().ledger.tables(study.now()).missing.sum() == 0


def test_a_judge_that_is_silent_where_b_wins_proves_nothing_for_a():
    """Of each task two runs are B's, and its judges never say so: every cluster lacks two answers."""
    study = made(options=["A", "B"])
    for worker in range(100):
        ballot = study.ask(f"judge {worker}")
        if not ballot.item.endswith(("3", "4")):
            study.tell(ballot, "A")
    assert study.standing().votes == 60 and study.certificate().best == ()


def test_of_exactly_these_clusters_the_result_is_exact_when_all_are_judged():
    """A wins the 3 tasks of 1 run, and loses the 2 of 5 runs."""
    sizes = {
        **tasks(3, 1),
        "large": [f"7.{r}" for r in range(5)],
        "other": [f"8.{r}" for r in range(5)],
    }
    study = made(sizes, ["A", "B"], population="these", cluster_weight="equal")
    run(study, lambda ballot: "A" if task_of(ballot) < 3 else "B")
    found = study.certificate()
    assert found.best == (0,)
    assert found.statement.startswith(
        "On these 13 cases in 5 clusters that count the same, by the judge gpt:"
    )


def test_clusters_of_one_case_are_cases_as_ever():
    """The log, and so all that follows from it, is the same to the last event."""
    names = [f"{n}.0" for n in range(20)]
    logs, found = [], []
    for cases in (20, {name: [name] for name in names}):
        study = create_study("p", ["A", "B"], voters="judge", cases=cases, clock=lambda: 1.0)
        while ballot := study.ask("gpt", cases=names):
            study.tell(ballot, by_task(ballot), event_id=str(ballot.id))
        logs.append(study.log())
        found.append(study.certificate())
    assert logs[0] == logs[1] and found[0] == found[1]
    assert found[0].clusters is None


@pytest.mark.parametrize(
    "how",
    [
        {"cases": MIXED, "population": "these"},  # every case counts, whatever hangs together
        {"cases": FIVE, "population": "these", "cluster_weight": "equal"},  # the same mean
    ],
)
def test_on_exactly_these_cases_clusters_that_change_nothing_are_left_out(how):
    study = made(**how)
    assert "clusters" not in study.log()[0].body and study.certificate().clusters is None
    assert study.settings.cases == sum(map(len, how["cases"].values()))


def test_estimates_take_clusters_that_agree_for_single_votes():
    study = made(options=["A", "B"])
    run(study, by_task)
    standing = study.standing()
    assert 4.5 < standing.votes_per_draw <= 5
    assert standing.start.votes <= 22
    mixed = made(options=["A", "B"])
    run(mixed, lambda ballot: "A" if ballot.item[-1] in "024" else "B")  # 3 : 2 in every task
    assert mixed.standing().votes_per_draw < 2
    assert "They do not prove which option is best on cases like these; " in str(study.verdict())


def test_an_order_by_strength_groups_votes_by_cluster():
    study = made(options=["A", "B"])
    run(study, by_task)
    ballots = Rankings(Analysis(study.standing()), study.votes)._ballots
    assert (len(ballots.voter), len(set(ballots.voter.tolist()))) == (100, 20)


# What is kept


def test_the_state_comes_back_from_the_log_and_from_a_snapshot():
    study = made(MIXED)
    run(study, by_task, most=60)
    study.undo(study.votes()[3])
    state = fold_log(study.log())
    assert load_state(dump_state(state)) == state == study.state()
    again = load_state(dump_state(state)).ledger.tables(0.0).clusters
    assert again.content == state.ledger.tables(0.0).clusters.content
    assert again.given is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "how", [{}, {"cases": MIXED, "cluster_weight": "equal", "population": "these"}]
)
def test_a_certificate_file_is_checked_from_the_log_alone(tmp_path, how):
    study = made(options=["A", "B"], **how)
    run(study, by_task, most=25)
    study.undo(study.votes()[3])
    path, log = tmp_path / "c.json", tmp_path / "log.jsonl"
    found, text = certificate_to_file(study)
    path.write_text(text)
    study.export(log)
    assert objections(read_certificate(path), study) == ()
    assert objections_by_file(read_certificate(path), log) == ()
    number, largest, weight = found.clusters
    changed = text.replace(
        f'[{number}, {largest}, "{weight}"]', f'[{number + 1}, {largest}, "{weight}"]'
    )
    assert changed != text
    path.write_text(changed)
    said = " ".join(objections(read_certificate(path), study))
    assert f"it says that clusters is ({number + 1}, " in said
    with pytest.raises(InvalidParameter, match="does not say which cases hang together"):
        objections_by_file(read_certificate(path), tmp_path / "votes.csv")


def test_a_copy_has_the_same_clusters_and_a_study_goes_on_only_with_its_own():
    study = made(MIXED, cluster_weight="equal")
    copy = copy_study("prompts", "again", study.storage)
    assert copy.log()[0].body["clusters"] == study.log()[0].body["clusters"]
    how = {"storage": study.storage, "load_if_exists": True}
    assert made(MIXED, cluster_weight="equal", **how).name == "prompts"
    for other in ({"cases": MIXED}, {"cases": 30}):
        with pytest.raises(StudyExists, match="created with other clusters of cases"):
            made(**{**how, **other})


# What is refused


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"cases": {}}, "cases are none"),
        ({"cases": {"x": []}}, "cases of the cluster 'x' are \\[\\]; give a list"),
        ({"cases": {"x": "y"}}, "cases of the cluster 'x' are 'y'"),
        ({"cases": {"x": ["a"], "y": ["a"]}}, "cases have 'a' twice"),
        ({"cases": {"x": ["a", " "]}}, "cases have the name ' '"),
        ({"cases": {"x": ["a", 3]}}, "item is 3"),
        (
            {"cases": FIVE, "cluster_weight": "size"},
            "cluster_weight is 'size'; it must be 'cases' or 'equal'",
        ),
        ({"cases": 9, "cluster_weight": "equal"}, "cases are not told by cluster"),
    ],
)
def test_what_are_no_clusters_is_refused(how, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        made(**how)


def test_cases_that_the_study_does_not_know_are_refused():
    study = made()
    with pytest.raises(InvalidParameter, match="not among these cases; give those that it"):
        study.ask("gpt", cases=[f"case {n}" for n in range(100)])
    row = {"left": "A", "right": "B", "voter": "gpt"}
    for told in (
        {"outcome": "left", "item": "case 7"},
        {"outcome": "skip", "item": "case 7"},
        {"outcome": "skip"},
    ):
        with pytest.raises(CopelandError, match="this study has clusters of other cases"):
            study.add_votes([{**row, **told}])
    assert study.add_votes([{**row, "outcome": "left", "item": "3.1"}]).counted == 1


def test_items_must_come_in_the_clusters_of_the_study():
    items = [Item(name, "?", cluster=task) for task, names in FIVE.items() for name in names]

    def first(left, right, item):
        return "left" if left.name < right.name else "right"

    def judged(study, among):
        return judge_study(study, {"gpt": first}, items=among)

    study = made(options=["A", "B"])
    assert judged(study, items).votes < 60
    assert study.certificate().best == (0,)
    number = create_study("number", ["A", "B"], voters="judge", cases=100)
    with pytest.raises(InvalidParameter, match="come in 20 clusters, such as 'task 0' with 5, and"):
        judged(number, items)
    other = made(tasks(10, 10), ["A", "B"], "other")
    with pytest.raises(InvalidParameter, match="created with 10 clusters of at most 10 cases"):
        judged(other, items)
    alone = [Item(item.name, "?") for item in items]
    assert judged(made(options=["A", "B"]), alone).votes > 0  # the study knows their clusters
