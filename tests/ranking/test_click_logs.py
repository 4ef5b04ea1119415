import csv
import gzip
import json

import numpy as np
import pytest
from commands import flat, run, values
from oracles.click_log import DAY, plain_count

from copeland.errors import InvalidParameter, InvalidRow
from copeland.ranking.click_log import Rules, count_clicks
from copeland.support.row_files import read_table
from copeland.support.vote_tables import count_votes, find_layout, read_rows

NOON = 1_700_006_400 + DAY / 2  # of a day in UTC
RULES = Rules(window=600.0, bots=3)


def log_of(seed, n=400, users=20):
    """Lists and clicks with everything that can go wrong, but for rows that cannot be read."""
    rng = np.random.default_rng(seed)
    shown = [_list(rng, number, users) for number in range(n)]
    shown += [dict(row, time=row["time"] + float(rng.integers(-5, 5))) for row in shown[::7]]
    clicks = [_click(rng, shown[rng.integers(len(shown))]) for _ in range(2 * n)]
    clicks += [*clicks[::5], dict(clicks[0], impression="never"), dict(clicks[1], position=0)]
    return shown, clicks


def _list(rng, number, users):
    left, right = rng.choice(["a", "b", "c", "=d"], 2, replace=False).tolist()
    teams = "".join(rng.choice(["L", "R", "."], rng.integers(1, 12), p=[0.45, 0.45, 0.1]))
    user = f"user {rng.integers(users)}" if rng.random() < 0.9 else ""
    time = NOON + DAY * int(rng.integers(2)) + float(rng.integers(2400)) / 4
    names = ("impression", "time", "user", "left", "right", "teams")
    return dict(zip(names, (f"list {number}", time, user, left, right, teams), strict=True))


def _click(rng, row):
    time = row["time"] + float(rng.integers(-60, 900))
    return {"impression": row["impression"], "time": time, "position": int(rng.integers(1, 13))}


def write(path, rows):
    columns = list(rows[0])
    if path.suffix == ".parquet":
        pa = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".csv":
        with open(path, "w", newline="") as file:
            table = csv.DictWriter(file, columns)
            table.writeheader()
            table.writerows(rows)
    else:
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "wt") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return str(path)


def counts_of(folder, kind, shown, clicks, rules=RULES, **how):
    places = write(folder / f"s.{kind}", shown), write(folder / f"c.{kind}", clicks)
    return count_clicks(*places, rules, **how)


def agrees(found, plain):
    """Everything that was counted is what the plain version counts."""
    there = {name: n for name, n in found.lists.items() if n and name != "read"}
    assert there == {name: n for name, n in plain.lists.items() if n}
    there = {name: n for name, n in found.clicks.items() if n and name != "read"}
    assert there == {name: n for name, n in plain.clicks.items() if n}
    for i, one in enumerate(found.labels):
        for j, other in enumerate(found.labels):
            pair = tuple(sorted((one, other)))
            assert found.wins[i, j] == plain.votes[(*pair, one)]
            assert found.ties[i, j] == plain.votes[(*pair, None)]


@pytest.mark.quick
@pytest.mark.parametrize("kind", ["ndjson", "csv", "ndjson.gz", "parquet"])
@pytest.mark.parametrize("once", [False, True])
def test_a_log_is_counted_as_the_rules_say(kind, once, tmp_path):
    shown, clicks = log_of(seed=1)
    rules = RULES._replace(once=once, since=NOON + 30, until=NOON + DAY + 500)
    found = counts_of(tmp_path, kind, shown, clicks, rules, part=10_000)
    plain = plain_count(shown, clicks, rules)
    assert all(plain.lists[name] for name in ("repeated", "outside", "bots", "no click"))
    assert bool(plain.lists["further"]) == once
    agrees(found, plain)


@pytest.mark.slow
@pytest.mark.parametrize("share", [1, 8, 10_000])
def test_bots_are_found_among_many_users_however_they_share_bins(share, tmp_path, monkeypatch):
    monkeypatch.setattr("copeland.ranking.click_log.A_BIN", share)
    shown, clicks = log_of(8, n=600, users=300)
    rules = RULES._replace(bots=1, once=True)
    found = counts_of(tmp_path, "ndjson", shown, clicks, rules)
    agrees(found, plain_count(shown, clicks, rules))
    assert 0 < found.lists["bots"] < found.lists["votes"]


@pytest.mark.quick
def test_every_row_is_counted_once(tmp_path):
    shown, clicks = log_of(seed=2)
    found = counts_of(tmp_path, "ndjson", shown, clicks)
    for rows, given in ((found.lists, shown), (found.clicks, clicks)):
        fates = sum(n for name, n in rows.items() if name != "read")
        assert rows["read"] == fates == len(given)
    assert found.lists["votes"] == found.wins.sum() + np.triu(found.ties).sum()


# The first is counted by two processes.
@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.slow), 1, 2])
def test_parts_files_and_order_change_nothing(seed, tmp_path):
    shown, clicks = log_of(seed)
    whole = counts_of(tmp_path, "ndjson", shown, clicks)
    turned = np.random.default_rng(seed)
    for kind, rows in (("s", shown), ("c", clicks)):
        (tmp_path / kind).mkdir()
        mixed = [rows[i] for i in turned.permutation(len(rows))]
        for n in range(3):
            write(tmp_path / kind / f"{n}.ndjson", mixed[n::3])
    places = str(tmp_path / "s"), str(tmp_path / "c" / "*.ndjson")
    again = count_clicks(*places, RULES, part=5_000, jobs=2 if seed == 0 else 1)
    assert again.csv() == whole.csv()
    assert again.lists == whole.lists and again.clicks == whole.clicks


@pytest.mark.nightly
@pytest.mark.long
def test_dask_counts_the_same(tmp_path):
    pytest.importorskip("dask.distributed")
    shown, clicks = log_of(seed=5)
    here = counts_of(tmp_path, "ndjson", shown, clicks)
    there = counts_of(
        tmp_path, "ndjson", shown, clicks, backend="dask", jobs=2, scratch=tmp_path, part=20_000
    )
    assert there.csv() == here.csv() and there.lists == here.lists


@pytest.mark.slow
def test_the_counts_of_days_add_up(tmp_path):
    shown, clicks = log_of(seed=6)
    whole = counts_of(tmp_path, "csv", shown, clicks)
    midnight = NOON + DAY / 2
    days = [
        counts_of(tmp_path, "csv", shown, clicks, RULES._replace(**part))
        for part in ({"until": midnight}, {"since": midnight})
    ]
    together = tmp_path / "wins.csv"
    together.write_text(days[0].csv() + days[1].csv().partition("\n")[2])
    table = read_table(together)
    added = count_votes(read_rows(table, find_layout(table)))
    order = [added.labels.index(label) for label in whole.labels]
    assert (added.wins[np.ix_(order, order)] == whole.wins).all()
    assert (added.ties[np.ix_(order, order)] == whole.ties).all()


GOOD = {"impression": "1", "time": NOON, "left": "a", "right": "b", "teams": "LR"}


@pytest.mark.slow
def test_rows_that_cannot_be_read_are_named_and_cost_no_other(tmp_path):
    bad = [
        "[1]",
        '{"impression": "2"',
        json.dumps({**GOOD, "impression": None}),
        json.dumps({**GOOD, "time": "yesterday"}),
        json.dumps({**GOOD, "right": " a "}),
        json.dumps({**GOOD, "left": ""}),
        json.dumps({**GOOD, "teams": "LX"}),
        json.dumps({**GOOD, "teams": [0, 2]}),
        json.dumps({**GOOD, "teams": "L" * 65}),
    ]
    (tmp_path / "s.ndjson").write_text("\n".join([*bad, "", json.dumps(GOOD)]))
    click = {"impression": 1, "time": NOON + 1, "position": 2}
    rows = [click, {**click, "position": 1.5}, {**click, "position": True}]
    clicks = write(tmp_path / "c.ndjson", rows)
    found = count_clicks(str(tmp_path / "s.ndjson"), clicks)
    assert found.wins.tolist() == [[0, 0], [1, 0]]
    assert found.damaged == len(bad) + 2 == len(found.unreadable)
    assert [int(line.split("line ")[1].split(":")[0]) for line in found.unreadable] == [
        *range(1, 10),
        2,
        3,
    ]
    assert found.unreadable[3].endswith("neither in ISO 8601 nor in seconds since 1970.")


@pytest.mark.quick
@pytest.mark.parametrize("content", ["", "oops\n", "oops\n" * 3000])
def test_a_log_without_any_list_counts_nothing(content, tmp_path):
    (tmp_path / "s.ndjson").write_text(content)
    clicks = write(tmp_path / "c.ndjson", [{"impression": 1, "time": NOON, "position": 2}])
    found = count_clicks(str(tmp_path / "s.ndjson"), clicks, part=5_000)
    assert found.csv() == "i,j,wins,ties\n" and found.damaged == content.count("oops")
    assert found.clicks["never shown"] == 1 and len(found.unreadable) <= 100


def test_a_line_of_a_csv_file_with_a_stray_quotation_mark_costs_itself_alone(tmp_path):
    lines = [
        "impression,time,left,right,teams",
        '2,"5,a,b,L',
        "3,6,a,b",
        "1,7,a,b,L",
        "4,7,\xff,b,L",
    ]
    (tmp_path / "s.csv").write_bytes("\n".join(lines).encode("latin-1"))
    clicks = write(tmp_path / "c.csv", [{"impression": 1, "time": 8, "position": 1}])
    found = count_clicks(str(tmp_path / "s.csv"), clicks)
    assert found.lists["votes"] == 1 and found.damaged == 3
    assert "line 3: expected 5 fields, but it has 4" in found.unreadable[1]


@pytest.mark.parametrize("form", ["timestamp", "text", "list"])
def test_parquet_columns_may_have_other_types(form, tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    from datetime import UTC, datetime

    shown, clicks = log_of(seed=8)
    plain = plain_count(shown, clicks, RULES)
    if form == "text":
        shown = [dict(r, time=datetime.fromtimestamp(r["time"], UTC).isoformat()) for r in shown]
    table = pa.Table.from_pylist(shown)
    if form == "timestamp":
        micro = pa.array([round(r["time"] * 1e6) for r in shown], pa.timestamp("us", "UTC"))
        table = table.set_column(1, "time", micro)
    if form == "list":
        side = {"L": 0, "R": 1, ".": None}
        teams = pa.array([[side[t] for t in r["teams"]] for r in shown], pa.list_(pa.int8()))
        table = table.set_column(5, "teams", teams)
        table = table.set_column(3, "left", table["left"].dictionary_encode())
    parquet.write_table(table, tmp_path / "s.parquet")
    place = write(tmp_path / "c.parquet", clicks)
    agrees(count_clicks(str(tmp_path / "s.parquet"), place, RULES), plain)


@pytest.mark.parametrize(
    "change", [{"impression": {"a": 1}}, {"teams": ["L", "R"]}, {"time": True}, {"left": [1]}]
)
def test_parquet_columns_of_no_use_are_told(change, tmp_path):
    pytest.importorskip("pyarrow")
    shown = write(tmp_path / "s.parquet", [{**GOOD, **change}])
    clicks = write(tmp_path / "c.parquet", [{"impression": "1", "time": NOON, "position": 1}])
    try:
        assert count_clicks(shown, clicks).damaged == 1
    except InvalidRow as error:
        assert "a column has a type that cannot be read" in str(error)


@pytest.mark.slow
def test_the_command_writes_what_others_read(tmp_path):
    shown, clicks = log_of(seed=9)
    shown, clicks = write(tmp_path / "s.csv", shown), write(tmp_path / "c.csv", clicks)
    out = tmp_path / "wins.csv"
    told = values("clicks", "count", shown, clicks, "--out", out, "--bots", 3, "--window", 600)
    assert told["votes"] == told["impressions"]["votes"] > 0 and told["unreadable"] == 0
    assert set(values("winners", out)["labels"]) == set(told["rankers"]) == {"a", "b", "c", "=d"}
    storage = f"sqlite:///{tmp_path / 'votes.db'}"
    options = [word for name in told["rankers"] for word in ("--option", name)]
    assert run("study", "create", "search", *options, "--storage", storage).exit_code == 0
    taken = values("study", "import", "search", out, "--storage", storage)
    assert taken["imported"] == told["votes"]
    again = run("clicks", "count", shown, clicks, "--out", out)
    assert again.exit_code == 2 and "exists" in flat(again.stderr)


def test_the_command_says_what_became_of_rows(tmp_path):
    shown, clicks = log_of(seed=10)
    (tmp_path / "s.ndjson").write_text("oops\n" + "".join(json.dumps(r) + "\n" for r in shown))
    clicks = write(tmp_path / "c.ndjson", clicks)
    said = run("clicks", "count", tmp_path / "s.ndjson", clicks, "--out", tmp_path / "w.csv")
    text = flat(said.stdout)
    assert "458 impressions read:" in text and "1 on lists that were never shown" in text
    assert "s.ndjson, line 1: it is not a JSON object." in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("absent.csv",), "absent.csv does not exist; name a .ndjson"),
        (("absent-*.csv",), "no file matches absent-*.csv"),
        (("empty",), "there is no log in the folder empty"),
        (("c.csv",), "there is no column 'left'"),
        (("s.csv", "--column", "when=t"), "no column role 'when'"),
        (("s.csv", "--column", "time"), "write it as in time=ts"),
        (("s.csv", "--since", "9", "--until", "8"), "until is not later than since"),
        (("s.csv", "--window", "0"), "window is 0"),
        (("s.csv", "--bots", "0"), "bots is 0"),
        (("s.csv", "--backend", "abacus"), "backend is 'abacus'"),
        (("votes.xml",), "does not say how to read it"),
    ],
)
def test_bad_input_is_one_sentence(words, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown, clicks = log_of(seed=0, n=5)
    write(tmp_path / "s.csv", shown)
    write(tmp_path / "c.csv", clicks)
    (tmp_path / "votes.xml").write_text("<votes/>")
    (tmp_path / "empty").mkdir()
    said = run("clicks", "count", words[0], "c.csv", "--out", "w.csv", *words[1:])
    assert said.exit_code == 2 and sentence in flat(said.stderr)
    assert not (tmp_path / "w.csv").exists()


def test_a_log_without_impressions_is_told_of(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("s.ndjson", "c.ndjson"):
        (tmp_path / name).touch()
    done = run("clicks", "count", "s.ndjson", "c.ndjson", "--out", "w.csv")
    assert done.exit_code == 0 and done.stdout.splitlines() == [
        "0 impressions read.",
        "0 clicks read.",
    ]
    assert "s.ndjson holds no impressions, so w.csv holds no votes." in done.stderr


def test_columns_by_other_names(tmp_path):
    shown, clicks = log_of(seed=11)
    plain = plain_count(shown, clicks, RULES)
    shown = [{"Who": r.pop("user"), **r} for r in shown]
    agrees(counts_of(tmp_path, "ndjson", shown, clicks, columns={"user": "Who"}), plain)


def test_damaged_files_are_refused_whole(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "s.parquet").write_bytes(b"PAR1 no")
    clicks = write(tmp_path / "c.csv", [{"impression": 1, "time": 8, "position": 1}])
    with pytest.raises(InvalidRow, match="cannot be read"):
        count_clicks(str(tmp_path / "s.parquet"), clicks)
    with pytest.raises(InvalidParameter, match="window"):
        count_clicks(clicks, clicks, Rules(window=-1.0))
